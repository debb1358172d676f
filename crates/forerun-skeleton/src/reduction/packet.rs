//! What the ranks of a reduction send to each other.

use std::num::NonZeroU64;

use crate::wire::{Incoming, Maybe, Outgoing, Plain, garbled, plainly};
use crate::{AppError, Codec, Message, Wire};

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
pub const HEADER: u64 = 16;

/// What the ranks of a reduction send to each other.
///
/// Words, and no enum of its kinds in which every variant would repeat the piece: in virtual time
/// a message costs little else than being put together, moved and taken apart, and a processor
/// stalls where it moves in one piece what was written in others.
// In this order, so that lowest index and number of tasks, which a rank keeps beside each other, are not copied
// in one piece either.
#[derive(Debug)]
#[repr(C)]
pub struct Packet<P> {
    /// The partial result of the piece in it, if there is one.
    value: Option<P>,
    /// The piece's lowest index.
    first: u64,
    /// The kind, and above it, of [`Content::Rest`], the number in it.
    tag: NonZeroU64,
    /// The piece's number of tasks.
    results: u64,
}

/// Bits of the kind in a tag.
const KIND: u32 = 3;
const PART: NonZeroU64 = NonZeroU64::MIN;
const LAST: NonZeroU64 = PART.saturating_add(1);
const SET: NonZeroU64 = PART.saturating_add(2);
const REST: NonZeroU64 = PART.saturating_add(3);

/// What is in a packet.
#[derive(Debug)]
pub(super) enum Content<P> {
    /// A result on its way to being merged; nothing where the sender has none.
    Part(Option<Piece<P>>),
    /// The same, and the last on this link.
    Last(Option<Piece<P>>),
    /// A complete set, for the sink.
    Set(Piece<P>),
    /// What a rank is left with, and how many pieces it and those below it sent to the first rank.
    Rest(Option<Piece<P>>, u64),
}

impl<P> Packet<P> {
    #[inline]
    fn new(piece: Option<Piece<P>>, tag: NonZeroU64) -> Self {
        match piece {
            Some(Piece { value, first, results }) => Packet { value: Some(value), first, results, tag },
            None => Packet { value: None, first: 0, results: 0, tag },
        }
    }

    /// A result on its way to being merged; nothing where the sender has none.
    #[inline]
    pub(super) fn part(piece: Option<Piece<P>>) -> Self {
        Packet::new(piece, PART)
    }

    /// A result of what a piece is made of, perhaps the last on this link.
    #[inline(always)]
    pub(super) fn of(value: Option<P>, first: u64, results: u64, is_last: bool) -> Self {
        Packet { value, first, results, tag: if is_last { LAST } else { PART } }
    }

    /// A complete set, for the sink.
    pub(super) fn set(piece: Piece<P>) -> Self {
        Packet::new(Some(piece), SET)
    }

    /// What a rank is left with, and how many pieces (fewer than 2^61) it and those below it sent
    /// to the first rank.
    pub(super) fn rest(piece: Option<Piece<P>>, sent: u64) -> Self {
        Packet::new(piece, REST | sent << KIND)
    }

    /// What the piece in it is made of (value, lowest index, results), and whether it is the last
    /// on its link.
    #[inline(always)]
    pub(super) fn into_parts(self) -> (Option<P>, u64, u64, bool) {
        let Packet { value, first, tag, results } = self;
        (value, first, results, tag == LAST)
    }

    /// The piece in it.
    #[inline]
    pub(super) fn into_piece(self) -> Option<Piece<P>> {
        let Packet { value, first, results, .. } = self;
        value.map(|value| Piece { value, first, results })
    }

    /// What is in it.
    pub(super) fn open(self) -> Content<P> {
        let tag = self.tag;
        match (tag, self.into_piece()) {
            (SET, Some(piece)) => Content::Set(piece),
            (LAST, piece) => Content::Last(piece),
            // A set always has a piece.
            (PART | SET, piece) => Content::Part(piece),
            (_, piece) => Content::Rest(piece, tag.get() >> KIND),
        }
    }
}

impl<P: Message> Message for Packet<P> {
    #[inline]
    fn bytes(&self) -> u64 {
        HEADER + self.value.as_ref().map_or(0, P::bytes)
    }
}

/// The codec of [`Packet`], from that of the partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketCodec<C>(pub C);

impl<P, C: Codec<P>> Codec<Packet<P>> for PacketCodec<C> {
    fn encode(&self, packet: &Packet<P>, out: &mut Vec<u8>) -> Result<(), AppError> {
        let Packet { value, first, tag, results } = packet;
        (tag.get(), *first, *results).encode(out)?;
        Maybe(&self.0).encode(value, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Packet<P>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, packet: Packet<P>, out: &mut Outgoing) -> Result<(), AppError> {
        let Packet { value, first, tag, results } = packet;
        (tag.get(), first, results).encode(&mut out.bytes)?;
        Maybe(&self.0).give(value, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Packet<P>, AppError> {
        let (tag, first, results) = Wire::decode(&mut from.bytes)?;
        checked(Maybe(&self.0).take(from)?, first, tag, results)
    }
}

/// The packet of these fields, if there is such a one.
fn checked<P>(value: Option<P>, first: u64, tag: u64, results: u64) -> Result<Packet<P>, AppError> {
    let kind = tag & ((1 << KIND) - 1);
    let tag = NonZeroU64::new(tag).filter(|_| (PART.get()..=REST.get()).contains(&kind));
    let tag = tag.filter(|&tag| kind == REST.get() || tag.get() == kind);
    match tag {
        Some(tag) if tag != SET || value.is_some() => Ok(Packet { value, first, tag, results }),
        _ => Err(garbled("a packet of a reduction")),
    }
}

impl<P: Wire> Wire for Packet<P> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        PacketCodec(Plain).encode(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        PacketCodec(Plain).decode(bytes)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        PacketCodec(Plain).give(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        PacketCodec(Plain).take(from)
    }
}

/// The codec of [`Piece`], from that of the partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PieceCodec<C>(pub C);

impl<P, C: Codec<P>> Codec<Piece<P>> for PieceCodec<C> {
    fn encode(&self, piece: &Piece<P>, out: &mut Vec<u8>) -> Result<(), AppError> {
        (piece.first, piece.results).encode(out)?;
        self.0.encode(&piece.value, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Piece<P>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, piece: Piece<P>, out: &mut Outgoing) -> Result<(), AppError> {
        (piece.first, piece.results).encode(&mut out.bytes)?;
        self.0.give(piece.value, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Piece<P>, AppError> {
        let (first, results) = Wire::decode(&mut from.bytes)?;
        Ok(Piece { value: self.0.take(from)?, first, results })
    }
}

impl<P: Wire> Wire for Piece<P> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        PieceCodec(Plain).encode(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        PieceCodec(Plain).decode(bytes)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        PieceCodec(Plain).give(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        PieceCodec(Plain).take(from)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::{LARGE, received, whole};

    proptest! {
        #[test]
        fn packets_go_over_the_wire(
            value in any::<Option<Vec<u32>>>(),
            first in any::<u64>(),
            results in any::<u64>(),
            sent in 0u64..1 << 60,
            kind in 0..4,
            noise in any::<Vec<u8>>(),
        ) {
            let piece = value.map(|value| Piece { value, first, results });
            let packet = match (kind, piece) {
                (0, piece) => Packet::part(piece),
                (1, Some(Piece { value, first, results })) => Packet::of(Some(value), first, results, true),
                (2, Some(piece)) => Packet::set(piece),
                (_, piece) => Packet::rest(piece, sent),
            };
            let mut bytes = Vec::new();
            packet.encode(&mut bytes).unwrap();
            let again: Packet<Vec<u32>> = whole(&Plain, &bytes).unwrap();
            let shown = format!("{again:?}");
            prop_assert_eq!(&shown, &format!("{packet:?}"));
            // Given away, with a result that is large.
            let large = |packet: Packet<Vec<u32>>| {
                Packet { value: packet.value.map(|mut value| { value.resize(LARGE, 7); value }), ..packet }
            };
            let (large, same) = (large(packet), large(again));
            let mut out = Outgoing::default();
            large.give(&mut out).unwrap();
            let (bytes, blocks) = out.into_parts();
            prop_assert_eq!(blocks.len(), usize::from(same.value.is_some()));
            let again: Packet<Vec<u32>> = received(&Plain, &bytes, blocks).unwrap();
            prop_assert_eq!(format!("{:?}", again.open()), format!("{:?}", same.open()));
            let _ = whole::<Packet<Vec<u32>>>(&Plain, &noise);
        }
    }

    #[test]
    fn a_set_without_a_piece_and_an_unknown_kind_are_refused() {
        for tag in [0, SET.get(), 5, PART.get() | 1 << KIND] {
            let mut bytes = Vec::new();
            (tag, 0u64, 0u64, false).encode(&mut bytes).unwrap();
            assert!(whole::<Packet<u64>>(&Plain, &bytes).is_err(), "{tag}");
        }
    }
}
