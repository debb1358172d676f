//! What the ranks of scatter-gather send to each other.

use crate::wire::{Maybe, Plain, garbled};
use crate::{AppError, Codec, Message, Wire};

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

/// The codec of [`Parcel`], from those of a block and of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParcelCodec<B, P>(pub B, pub P);

const BLOCK: u8 = 0;
const DEALT: u8 = 1;
const POLL: u8 = 2;
const PACKET: u8 = 3;

impl<B, P, CB: Codec<B>, CP: Codec<P>> Codec<Parcel<B, P>> for ParcelCodec<CB, CP> {
    fn encode(&self, parcel: &Parcel<B, P>, out: &mut Vec<u8>) -> Result<(), AppError> {
        match parcel {
            Parcel::Block(index, block) => {
                (BLOCK, *index).encode(out)?;
                self.0.encode(block, out)
            }
            Parcel::Dealt => DEALT.encode(out),
            Parcel::Poll => POLL.encode(out),
            Parcel::Packet(packet, last) => {
                (PACKET, *last).encode(out)?;
                Maybe(&self.1).encode(packet, out)
            }
        }
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Parcel<B, P>, AppError> {
        match u8::decode(bytes)? {
            BLOCK => Ok(Parcel::Block(u64::decode(bytes)?, self.0.decode(bytes)?)),
            DEALT => Ok(Parcel::Dealt),
            POLL => Ok(Parcel::Poll),
            PACKET => {
                let last = bool::decode(bytes)?;
                Ok(Parcel::Packet(Maybe(&self.1).decode(bytes)?, last))
            }
            _ => Err(garbled("a parcel of scatter-gather")),
        }
    }
}

impl<B: Wire, P: Wire> Wire for Parcel<B, P> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        ParcelCodec(Plain, Plain).encode(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        ParcelCodec(Plain, Plain).decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::whole;

    #[test]
    fn parcels_go_over_the_wire() {
        type Sent = Parcel<Vec<i32>, String>;
        let all: [Sent; 5] = [
            Parcel::Block(7, vec![-1, 2]),
            Parcel::Dealt,
            Parcel::Poll,
            Parcel::Packet(Some("abc".into()), false),
            Parcel::Packet(None, true),
        ];
        for parcel in all {
            let mut bytes = Vec::new();
            parcel.encode(&mut bytes).unwrap();
            let again: Sent = whole(&Plain, &bytes).unwrap();
            assert_eq!(format!("{again:?}"), format!("{parcel:?}"));
            assert!(whole::<Sent>(&Plain, &bytes[1..]).is_err());
        }
    }
}
