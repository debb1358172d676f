//! The parts of a scatter-gather.

use std::marker::PhantomData;

use forerun_skeleton::reduction::{Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Amount, Cooperate, Global, Local, Want};
use forerun_skeleton::{AppError, Codec, Message};

use super::codec::OfMessage;
use super::sinks::Opening;
use super::{Erased, ErasedCodec, ErasedMessage, ErasedSinks};

/// The sequential code of scatter-gather, its types erased.
pub type ErasedCooperate<'j> = Box<
    dyn Cooperate<
            Block = ErasedMessage,
            Done = Erased,
            Packet = ErasedMessage,
            Local = Box<dyn Local<ErasedMessage> + Send + 'j>,
            Global = Box<dyn Global<ErasedMessage> + 'j>,
        > + Sync
        + 'j,
>;

/// An application, its blocks and its sinks, their types erased.
pub struct Together<'j> {
    /// The application.
    pub app: ErasedCooperate<'j>,
    /// Its blocks.
    pub source: Box<dyn Source<Input = ErasedMessage> + Sync + 'j>,
    /// Where the packets of its result go.
    pub sinks: ErasedSinks<'j>,
    /// Writes blocks as bytes, for ranks that share no memory, and reads them.
    pub blocks: ErasedCodec<'j, ErasedMessage>,
    /// The same of packets.
    pub packets: ErasedCodec<'j, ErasedMessage>,
}

impl<'j> Together<'j> {
    /// Puts them together; `codec` writes and reads blocks and packets.
    pub fn new<A, S, K, C>(app: A, source: S, sinks: K, codec: C) -> Self
    where
        C: Codec<A::Block> + Codec<A::Packet> + Copy + Sync + 'j,
        A: Cooperate<Block: Send + 'static, Done: Send + 'static, Packet: Send + 'static> + Sync + 'j,
        A: Cooperate<Local: Send + 'j, Global: 'j>,
        S: Source<Input = A::Block> + Sync + 'j,
        K: Sinks<A::Packet, Sink: Sink<A::Packet, Out: Send + 'static> + 'j> + Sync + 'j,
    {
        Together {
            app: Box::new(Boxing { app, of: PhantomData }),
            source: Box::new(Blocks(source)),
            sinks: Box::new(Opening::new(sinks)),
            blocks: Box::new(OfMessage::<_, A::Block>::new(codec)),
            packets: Box::new(OfMessage::<_, A::Packet>::new(codec)),
        }
    }
}

/// Opens what the application takes, and erases what it gives.
struct Boxing<'j, A> {
    app: A,
    of: PhantomData<fn() -> &'j ()>,
}

impl<'j, A> Cooperate for Boxing<'j, A>
where
    A: Cooperate<Block: 'static, Done: Send + 'static, Packet: Send + 'static> + 'j,
    A: Cooperate<Local: Send + 'j, Global: 'j>,
{
    type Block = ErasedMessage;
    type Done = Erased;
    type Packet = ErasedMessage;
    type Local = Box<dyn Local<ErasedMessage> + Send + 'j>;
    type Global = Box<dyn Global<ErasedMessage> + 'j>;

    fn process(&self, index: u64, block: ErasedMessage) -> Result<Erased, AppError> {
        self.app.process(index, block.open()?).map(Erased::new)
    }

    fn local(&self, rank: usize, done: Vec<Erased>) -> Result<Self::Local, AppError> {
        let done = done.into_iter().map(Erased::open).collect::<Result<_, _>>()?;
        Ok(Box::new(Packets::<_, A::Packet> { of_rank: self.app.local(rank, done)?, of: PhantomData }))
    }

    fn global(&self, ranks: usize) -> Result<Self::Global, AppError> {
        Ok(Box::new(Resolver::<_, A::Packet> { of_ranks: self.app.global(ranks)?, of: PhantomData }))
    }
}

/// The packets `P` of one rank.
struct Packets<L, P> {
    of_rank: L,
    of: PhantomData<fn() -> P>,
}

impl<P, L> Local<ErasedMessage> for Packets<L, P>
where
    P: Message + Send + 'static,
    L: Local<P>,
{
    fn pending(&self) -> Option<Amount> {
        self.of_rank.pending()
    }

    fn next(&mut self) -> Result<ErasedMessage, AppError> {
        self.of_rank.next().map(ErasedMessage::new)
    }
}

/// The packets `P` of all ranks, and those of the result.
struct Resolver<G, P> {
    of_ranks: G,
    of: PhantomData<fn(P) -> P>,
}

impl<P, G> Global<ErasedMessage> for Resolver<G, P>
where
    P: Message + Send + 'static,
    G: Global<P>,
{
    fn want(&self) -> Want {
        self.of_ranks.want()
    }

    fn give(&mut self, rank: usize, packet: Option<ErasedMessage>) -> Result<(), AppError> {
        self.of_ranks.give(rank, packet.map(ErasedMessage::open).transpose()?)
    }

    fn resolve(&mut self) -> Result<ErasedMessage, AppError> {
        self.of_ranks.resolve().map(ErasedMessage::new)
    }
}

/// Erases the blocks of a source.
struct Blocks<S>(S);

impl<S> Source for Blocks<S>
where
    S: Source<Input: Message + Send + 'static>,
{
    type Input = ErasedMessage;

    fn len(&self) -> Option<u64> {
        self.0.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.0.bytes(index)
    }

    fn get(&self, index: u64) -> Result<Option<ErasedMessage>, AppError> {
        Ok(self.0.get(index)?.map(ErasedMessage::new))
    }
}
