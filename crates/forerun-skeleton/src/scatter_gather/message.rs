//! What the ranks of scatter-gather send to each other.

use crate::wire::{Incoming, Maybe, Outgoing, Plain, garbled, plainly};
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
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, parcel: Parcel<B, P>, out: &mut Outgoing) -> Result<(), AppError> {
        match parcel {
            Parcel::Block(index, block) => {
                (BLOCK, index).encode(&mut out.bytes)?;
                self.0.give(block, out)
            }
            Parcel::Packet(packet, last) => {
                (PACKET, last).encode(&mut out.bytes)?;
                Maybe(&self.1).give(packet, out)
            }
            small @ (Parcel::Dealt | Parcel::Poll) => self.encode(&small, &mut out.bytes),
        }
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Parcel<B, P>, AppError> {
        match u8::decode(&mut from.bytes)? {
            BLOCK => Ok(Parcel::Block(u64::decode(&mut from.bytes)?, self.0.take(from)?)),
            DEALT => Ok(Parcel::Dealt),
            POLL => Ok(Parcel::Poll),
            PACKET => {
                let last = bool::decode(&mut from.bytes)?;
                Ok(Parcel::Packet(Maybe(&self.1).take(from)?, last))
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

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        ParcelCodec(Plain, Plain).give(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        ParcelCodec(Plain, Plain).take(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{LARGE, received, whole};

    #[test]
    fn parcels_go_over_the_wire() {
        type Sent = Parcel<Vec<i32>, String>;
        let all: [Sent; 6] = [
            Parcel::Block(7, vec![-1, 2]),
            Parcel::Block(8, vec![3; LARGE]),
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
            let mut out = Outgoing::default();
            again.give(&mut out).unwrap();
            let (bytes, blocks) = out.into_parts();
            let is_large = matches!(parcel, Parcel::Block(8, _));
            assert_eq!(blocks.len(), usize::from(is_large));
            assert_eq!(received::<Sent>(&Plain, &bytes, Vec::new()).is_err(), is_large);
            let again: Sent = received(&Plain, &bytes, blocks).unwrap();
            assert_eq!(format!("{again:?}"), format!("{parcel:?}"));
        }
    }
}
