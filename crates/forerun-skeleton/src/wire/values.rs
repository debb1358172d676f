//! The form of numbers, text, tuples, options and vectors.

use bytemuck::Pod;

use super::{Codec as _, Incoming, Maybe, Outgoing, Plain, Wire, garbled};
use crate::{AppError, memory};

/// Takes `n` bytes off the front.
fn take<'b>(bytes: &mut &'b [u8], n: usize) -> Result<&'b [u8], AppError> {
    bytes.split_off(..n).ok_or_else(|| garbled("complete"))
}

/// Appends values that lie in memory as they do on the wire, in one copy: for [`Wire::encode_all`] of a type that is
/// `Pod` (on a big-endian processor the other ranks must be so too).
pub fn put_pods<T: Pod>(values: &[T], out: &mut Vec<u8>) {
    out.extend_from_slice(bytemuck::cast_slice(values));
}

/// Takes off `n` values that [`put_pods`] appended, in one copy.
///
/// # Errors
/// That there are not so many bytes, or no memory for them.
pub fn take_pods<T: Pod>(n: usize, bytes: &mut &[u8]) -> Result<Vec<T>, AppError> {
    let length = n.checked_mul(size_of::<T>()).ok_or_else(|| garbled("of a possible length"))?;
    let from = take(bytes, length)?;
    // A message's bytes lie anywhere, so this copies; it does so in one piece.
    let mut values = memory::zeroed::<T>(n)?;
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(from);
    Ok(values)
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Wire for $type {
            #[inline]
            fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
                out.extend_from_slice(&self.to_le_bytes());
                Ok(())
            }

            #[inline]
            fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
                let number = bytes.split_off(..size_of::<Self>()).and_then(|b| b.try_into().ok());
                number.map(Self::from_le_bytes).ok_or_else(|| garbled("complete"))
            }

            fn encode_all(values: &[Self], out: &mut Vec<u8>) -> Result<(), AppError> {
                put_pods(values, out);
                let start = out.len() - size_of_val(values);
                turn(&mut out[start..], size_of::<Self>());
                Ok(())
            }

            fn decode_all(n: usize, bytes: &mut &[u8]) -> Result<Vec<Self>, AppError> {
                let mut values = take_pods(n, bytes)?;
                turn(bytemuck::cast_slice_mut(&mut values), size_of::<Self>());
                Ok(values)
            }

            fn give_all(mut values: Vec<Self>, out: &mut Outgoing) -> Result<(), AppError> {
                turn(bytemuck::cast_slice_mut(&mut values), size_of::<Self>());
                out.values(values);
                Ok(())
            }

            fn take_all(n: usize, from: &mut Incoming<'_>) -> Result<Vec<Self>, AppError> {
                let mut values = from.values(n)?;
                turn(bytemuck::cast_slice_mut(&mut values), size_of::<Self>());
                Ok(values)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

/// Turns numbers of `width` bytes between this processor's order of bytes and little-endian.
fn turn(bytes: &mut [u8], width: usize) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
}

impl Wire for usize {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        (*self as u64).encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        usize::try_from(u64::decode(bytes)?).map_err(|_| garbled("of a possible length"))
    }
}

impl Wire for bool {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        out.push((*self).into());
        Ok(())
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        match u8::decode(bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(garbled("yes or no")),
        }
    }
}

impl Wire for () {
    fn encode(&self, _: &mut Vec<u8>) -> Result<(), AppError> {
        Ok(())
    }

    fn decode(_: &mut &[u8]) -> Result<Self, AppError> {
        Ok(())
    }

    fn decode_all(n: usize, _: &mut &[u8]) -> Result<Vec<Self>, AppError> {
        Ok(vec![(); n])
    }
}

impl Wire for String {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.len().encode(out)?;
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let n = usize::decode(bytes)?;
        let text = std::str::from_utf8(take(bytes, n)?).map_err(|_| garbled("text"))?;
        Ok(text.to_owned())
    }
}

/// Many values as each of them goes: for types in which something large may be.
macro_rules! each {
    () => {
        fn give_all(values: Vec<Self>, out: &mut Outgoing) -> Result<(), AppError> {
            values.into_iter().try_for_each(|value| value.give(out))
        }

        fn take_all(n: usize, from: &mut Incoming<'_>) -> Result<Vec<Self>, AppError> {
            // Not reserved for n: that is a number from outside.
            (0..n).map(|_| <Self as Wire>::take(from)).collect()
        }
    };
}

impl<T: Wire> Wire for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.len().encode(out)?;
        T::encode_all(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let n = usize::decode(bytes)?;
        T::decode_all(n, bytes)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        self.len().encode(&mut out.bytes)?;
        T::give_all(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let n = usize::decode(&mut from.bytes)?;
        T::take_all(n, from)
    }

    each!();
}

impl<T: Wire> Wire for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        Maybe(Plain).encode(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Maybe(Plain).decode(bytes)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        Maybe(Plain).give(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        Maybe(Plain).take(from)
    }

    each!();
}

macro_rules! tuples {
    ($(($($name:ident),*);)*) => {$(
        impl<$($name: Wire),*> Wire for ($($name,)*) {
            fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
                #[allow(non_snake_case, reason = "a field is named as its type")]
                let ($($name,)*) = self;
                $($name.encode(out)?;)*
                Ok(())
            }

            fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
                Ok(($($name::decode(bytes)?,)*))
            }

            fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
                #[allow(non_snake_case, reason = "a field is named as its type")]
                let ($($name,)*) = self;
                $($name.give(out)?;)*
                Ok(())
            }

            fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
                Ok(($($name::take(from)?,)*))
            }

            each!();
        }
    )*};
}

tuples! { (A); (A, B); (A, B, C); (A, B, C, D); }

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::whole;
    use super::*;

    type All = (Vec<u64>, Vec<Option<String>>, (bool, f64, i32, u8), Option<Vec<(u16, i128)>>);

    fn alls() -> impl Strategy<Value = All> {
        (
            any::<Vec<u64>>(),
            any::<Vec<Option<String>>>(),
            any::<(bool, f64, i32, u8)>(),
            any::<Option<Vec<(u16, i128)>>>(),
        )
    }

    proptest! {
        /// What is written is read again, and bytes that are cut short or are anything at all are an error or a
        /// value, and never a panic or more memory than there are bytes.
        #[test]
        fn values_go_there_and_back(all in alls(), cut in any::<prop::sample::Index>(), noise in any::<Vec<u8>>()) {
            let mut bytes = Vec::new();
            all.encode(&mut bytes).unwrap();
            prop_assert_eq!(whole::<All>(&Plain, &bytes).unwrap(), all);
            let short = &bytes[..cut.index(bytes.len())];
            prop_assert!(whole::<All>(&Plain, short).is_err());
            let _ = whole::<All>(&Plain, &noise);
        }
    }

    #[test]
    fn numbers_are_little_endian_and_in_one_piece() {
        let mut bytes = Vec::new();
        vec![1u16, 0x0203].encode(&mut bytes).unwrap();
        assert_eq!(bytes, [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 2]);
    }

    #[test]
    fn a_length_that_cannot_be_is_refused() {
        let mut bytes = Vec::new();
        u64::MAX.encode(&mut bytes).unwrap();
        assert!(whole::<Vec<u64>>(&Plain, &bytes).is_err());
        assert!(whole::<String>(&Plain, &bytes).is_err());
        assert!(whole::<Vec<String>>(&Plain, &bytes).is_err());
    }
}
