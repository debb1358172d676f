//! What the ranks of a reduction send to each other.

use crate::Message;

/// A partial result and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<P> {
    /// The partial result.
    pub value: P,
    /// Lowest index of the tasks in it.
    pub first: u64,
    /// Number of tasks in it.
    pub results: u64,
}

/// Bytes that a packet costs beside the partial result in it.
const HEADER: u64 = 16;

/// What the ranks of a reduction send to each other.
#[derive(Debug)]
pub enum Packet<P> {
    /// A result on its way to being merged; nothing where the sender has none.
    Part(Option<Piece<P>>),
    /// The same, and the last on this link.
    Last(Option<Piece<P>>),
    /// A complete set, for the sink.
    Set(Piece<P>),
    /// What a rank is left with, and how many sets it and those below it sent to the sink.
    Rest(Option<Piece<P>>, u64),
}

impl<P: Message> Message for Packet<P> {
    fn bytes(&self) -> u64 {
        let piece = match self {
            Packet::Part(p) | Packet::Last(p) | Packet::Rest(p, _) => p.as_ref(),
            Packet::Set(p) => Some(p),
        };
        HEADER + piece.map_or(0, |p| p.value.bytes())
    }
}
