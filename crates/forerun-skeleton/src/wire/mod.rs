//! What a message is on the wire, for endpoints whose ranks share no memory.
//!
//! A value that has one form as bytes is [`Wire`]. Where more than the type is needed to read a value back, such
//! as the application that it belongs to, a [`Codec`] knows it; [`Plain`] is the codec of everything that is
//! `Wire`. What ranks of a pattern send to each other is put together from the codecs of what is in it:
//! [`PacketCodec`](crate::reduction::PacketCodec), [`ParcelCodec`](crate::scatter_gather::ParcelCodec).
//!
//! The format: numbers little-endian in their own width, lengths as 64 bits, elements one after the other without
//! padding; nothing names itself, so both ends must be the same program. Vectors of numbers are copied as they lie in memory, in one
//! piece (the processors that this runs on are all little-endian; on others each number is turned).
//!
//! A message that is given away need not be copied: [`Outgoing`] takes a vector of [`LARGE`] or more as a [`Block`], which an endpoint sends from where it lies and
//! receives where it stays, and [`Incoming`] gives it back as the vector that it was. [`Wire::give`] and [`Codec::give`] are for that, `encode` is for
//! bytes in one piece. A type that knows only the latter goes among a message's bytes.

mod block;
mod values;

pub use block::{Block, Incoming, LARGE, Outgoing};
pub use values::{put_pods, take_pods};

use crate::{AppError, Failure};

/// A value with one form as bytes.
pub trait Wire: Sized {
    /// Appends the value to `out`.
    ///
    /// # Errors
    /// Where the value cannot be had, such as one that lies in a file.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError>;

    /// Takes a value off the front of `bytes`.
    ///
    /// # Errors
    /// Where the bytes are not such a value.
    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError>;

    /// Appends all of `values`; types that lie in memory as they do on the wire do so in one copy.
    ///
    /// # Errors
    /// As [`Wire::encode`].
    fn encode_all(values: &[Self], out: &mut Vec<u8>) -> Result<(), AppError> {
        values.iter().try_for_each(|value| value.encode(out))
    }

    /// Takes `n` values off the front of `bytes`.
    ///
    /// # Errors
    /// As [`Wire::decode`].
    fn decode_all(n: usize, bytes: &mut &[u8]) -> Result<Vec<Self>, AppError> {
        // Not reserved for n: that is a number from outside.
        (0..n).map(|_| Self::decode(bytes)).collect()
    }

    /// Gives the value to a message: what is large in it as it lies in memory, where the type says how. Whoever has this has [`Wire::take`] as well.
    ///
    /// # Errors
    /// As [`Wire::encode`].
    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        self.encode(out.rest())
    }

    /// Takes a value that was given. Of bytes alone ([`Incoming::plain`]) it takes what was encoded.
    ///
    /// # Errors
    /// As [`Wire::decode`], and where the message's blocks are not those of such a value.
    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        Self::decode(&mut from.bytes)
    }

    /// Gives all of `values`.
    ///
    /// # Errors
    /// As [`Wire::give`].
    fn give_all(values: Vec<Self>, out: &mut Outgoing) -> Result<(), AppError> {
        Self::encode_all(&values, out.rest())
    }

    /// Takes `n` values that were given.
    ///
    /// # Errors
    /// As [`Wire::take`].
    fn take_all(n: usize, from: &mut Incoming<'_>) -> Result<Vec<Self>, AppError> {
        Self::decode_all(n, &mut from.bytes)
    }
}

/// Writes values of `T` as bytes and reads them back.
pub trait Codec<T> {
    /// Appends `value` to `out`.
    ///
    /// # Errors
    /// Where the value cannot be had, such as one that lies in a file.
    fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), AppError>;

    /// Takes a value off the front of `bytes`.
    ///
    /// # Errors
    /// Where the bytes are not such a value.
    fn decode(&self, bytes: &mut &[u8]) -> Result<T, AppError>;

    /// Gives `value` to a message: what is large in it as it lies in memory, where the codec says how. Whoever has this has [`Codec::take`] as well.
    ///
    /// # Errors
    /// As [`Codec::encode`].
    fn give(&self, value: T, out: &mut Outgoing) -> Result<(), AppError> {
        self.encode(&value, out.rest())
    }

    /// Takes a value that was given. Of bytes alone ([`Incoming::plain`]) it takes what was encoded.
    ///
    /// # Errors
    /// As [`Codec::decode`], and where the message's blocks are not those of such a value.
    fn take(&self, from: &mut Incoming<'_>) -> Result<T, AppError> {
        self.decode(&mut from.bytes)
    }
}

/// The codec of whatever is [`Wire`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plain;

impl<T: Wire> Codec<T> for Plain {
    fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), AppError> {
        value.encode(out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<T, AppError> {
        T::decode(bytes)
    }

    fn give(&self, value: T, out: &mut Outgoing) -> Result<(), AppError> {
        value.give(out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<T, AppError> {
        T::take(from)
    }
}

impl<T, C: Codec<T> + ?Sized> Codec<T> for &C {
    fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), AppError> {
        (**self).encode(value, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<T, AppError> {
        (**self).decode(bytes)
    }

    fn give(&self, value: T, out: &mut Outgoing) -> Result<(), AppError> {
        (**self).give(value, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<T, AppError> {
        (**self).take(from)
    }
}

/// The codec of an `Option`, from that of what may be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Maybe<C>(pub C);

impl<T, C: Codec<T>> Codec<Option<T>> for Maybe<C> {
    fn encode(&self, value: &Option<T>, out: &mut Vec<u8>) -> Result<(), AppError> {
        out.push(value.is_some().into());
        value.as_ref().map_or(Ok(()), |value| self.0.encode(value, out))
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Option<T>, AppError> {
        if bool::decode(bytes)? { self.0.decode(bytes).map(Some) } else { Ok(None) }
    }

    fn give(&self, value: Option<T>, out: &mut Outgoing) -> Result<(), AppError> {
        out.bytes.push(value.is_some().into());
        value.map_or(Ok(()), |value| self.0.give(value, out))
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Option<T>, AppError> {
        if bool::decode(&mut from.bytes)? { self.0.take(from).map(Some) } else { Ok(None) }
    }
}

/// The error of bytes that are not `what`.
pub fn garbled(what: &str) -> AppError {
    AppError::new(format!(
        "a message is not {what}: run the same build of the program on every host, and check its Wire or Codec"
    ))
}

/// Reads the value that `bytes` are, all of them.
///
/// # Errors
/// As [`Codec::decode`]; that something is left over.
pub fn whole<T>(codec: &impl Codec<T>, mut bytes: &[u8]) -> Result<T, AppError> {
    let value = codec.decode(&mut bytes)?;
    if bytes.is_empty() { Ok(value) } else { Err(garbled("as long as what is in it")) }
}

/// Takes a value off the front of bytes that are all there is, as it is taken of a message: the `decode` of a codec that says only
/// how its values are taken.
///
/// # Errors
/// Those of `take`.
pub fn plainly<'b, T>(
    bytes: &mut &'b [u8],
    take: impl FnOnce(&mut Incoming<'b>) -> Result<T, AppError>,
) -> Result<T, AppError> {
    let mut from = Incoming::plain(bytes);
    let value = take(&mut from)?;
    *bytes = from.bytes;
    Ok(value)
}

/// Takes the value that a message of these bytes and blocks is, all of it.
///
/// # Errors
/// As [`Codec::take`]; that something is left over.
pub fn received<T>(codec: &impl Codec<T>, bytes: &[u8], blocks: Vec<Block>) -> Result<T, AppError> {
    let mut from = Incoming::new(bytes, blocks);
    let value = codec.take(&mut from)?;
    if from.is_empty() { Ok(value) } else { Err(garbled("as long as what is in it")) }
}

impl Wire for Failure {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        let Failure { rank, stage, item, panicked, of_input, message } = self;
        rank.encode(out)?;
        (*stage as u8).encode(out)?;
        item.encode(out)?;
        panicked.encode(out)?;
        of_input.encode(out)?;
        message.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let rank = usize::decode(bytes)?;
        let stage = usize::from(u8::decode(bytes)?);
        let stage = *forerun_platform::Stage::ALL.get(stage).ok_or_else(|| garbled("a failure"))?;
        let (item, panicked, of_input) = (u64::decode(bytes)?, bool::decode(bytes)?, bool::decode(bytes)?);
        Ok(Failure { rank, stage, item, panicked, of_input, message: String::decode(bytes)? })
    }
}
