//! What the ranks of scatter-gather send to each other.

use crate::Message;

/// Bytes that a parcel costs beside what is in it.
pub const HEADER: u64 = 16;

/// What the ranks of scatter-gather send to each other.
#[derive(Debug)]
pub enum Parcel<B, P> {
    /// A block and its index.
    Block(u64, B),
    /// There are no further blocks.
    Dealt,
    /// The next packet is wanted.
    Poll,
    /// A packet, or none where the sender has no block, and whether it is the last.
    Packet(Option<P>, bool),
}

impl<B: Message, P: Message> Message for Parcel<B, P> {
    fn bytes(&self) -> u64 {
        HEADER
            + match self {
                Parcel::Block(_, block) => block.bytes(),
                Parcel::Packet(Some(packet), _) => packet.bytes(),
                Parcel::Packet(None, _) | Parcel::Dealt | Parcel::Poll => 0,
            }
    }
}
