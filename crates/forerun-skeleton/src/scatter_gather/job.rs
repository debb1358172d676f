//! What an application gives to scatter-gather.

use crate::{AppError, Message};

/// How much a piece of work takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Bytes, as far as they are known before.
    pub bytes: u64,
    /// Sequences that are brought together, at least 1: blocks of a rank, or ranks.
    pub ways: u64,
}

/// The sequential code of scatter-gather.
pub trait Cooperate {
    /// A block of the input.
    type Block: Message;
    /// What processing makes of a block; it stays on its rank.
    type Done;
    /// A part of a partial result, and of the result.
    type Packet: Message;
    /// The blocks of one rank, whose dependencies are resolved packet by packet.
    type Local: Local<Self::Packet>;
    /// The packets of all ranks, whose dependencies are resolved.
    type Global: Global<Self::Packet>;

    /// Processes block `index`.
    ///
    /// # Errors
    /// Ends the run, with the index and the sentence.
    fn process(&self, index: u64, block: Self::Block) -> Result<Self::Done, AppError>;

    /// Puts together what rank `rank` made of its blocks, in the order in which it got them; there
    /// may be none.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn local(&self, rank: usize, done: Vec<Self::Done>) -> Result<Self::Local, AppError>;

    /// Begins to resolve what depends on the blocks of several of `ranks` ranks, at least 2.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn global(&self, ranks: usize) -> Result<Self::Global, AppError>;
}

impl<A: Cooperate + ?Sized> Cooperate for Box<A> {
    type Block = A::Block;
    type Done = A::Done;
    type Packet = A::Packet;
    type Local = A::Local;
    type Global = A::Global;

    fn process(&self, index: u64, block: A::Block) -> Result<A::Done, AppError> {
        (**self).process(index, block)
    }

    fn local(&self, rank: usize, done: Vec<A::Done>) -> Result<A::Local, AppError> {
        (**self).local(rank, done)
    }

    fn global(&self, ranks: usize) -> Result<A::Global, AppError> {
        (**self).global(ranks)
    }
}

/// The partial result of one rank, a packet at a time.
pub trait Local<P> {
    /// What the next packet takes; `None` if there is no further one.
    fn pending(&self) -> Option<Amount>;

    /// Makes the next packet. Called where there is one.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn next(&mut self) -> Result<P, AppError>;
}

impl<P, L: Local<P> + ?Sized> Local<P> for Box<L> {
    fn pending(&self) -> Option<Amount> {
        (**self).pending()
    }

    fn next(&mut self) -> Result<P, AppError> {
        (**self).next()
    }
}

/// What the first rank needs in order to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The next packet of this rank.
    Packet(usize),
    /// Nothing: a packet of the result can be made, from so much.
    Resolve(Amount),
    /// Nothing: all packets are made.
    End,
}

/// The result, a packet at a time, from the packets of all ranks.
pub trait Global<P> {
    /// What is needed now.
    fn want(&self) -> Want;

    /// Takes the packet of `rank` that was wanted; `None` if that rank has no further one.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn give(&mut self, rank: usize, packet: Option<P>) -> Result<(), AppError>;

    /// Makes a packet of the result, where that is wanted.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn resolve(&mut self) -> Result<P, AppError>;
}

impl<P, G: Global<P> + ?Sized> Global<P> for Box<G> {
    fn want(&self) -> Want {
        (**self).want()
    }

    fn give(&mut self, rank: usize, packet: Option<P>) -> Result<(), AppError> {
        (**self).give(rank, packet)
    }

    fn resolve(&mut self) -> Result<P, AppError> {
        (**self).resolve()
    }
}
