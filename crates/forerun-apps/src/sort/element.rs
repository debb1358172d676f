//! The numbers that can be sorted and how they lie in a file.

use std::fmt;
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};

use super::radix;

/// What a file to be sorted holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ElementType {
    /// Little-endian 32-bit signed integers.
    #[default]
    I32,
    /// Little-endian 64-bit signed integers.
    I64,
    /// Little-endian 32-bit unsigned integers.
    U32,
    /// Little-endian 64-bit unsigned integers.
    U64,
    /// Little-endian IEEE 754 binary64 numbers, in the total order of the standard: −NaN, −∞, …,
    /// −0, +0, …, +∞, +NaN (as [`f64::total_cmp`]).
    F64,
    /// Text, one decimal number a line (see [`super::lines`]).
    Lines,
}

impl ElementType {
    /// All of them.
    pub const ALL: [ElementType; 6] = [
        ElementType::I32,
        ElementType::I64,
        ElementType::U32,
        ElementType::U64,
        ElementType::F64,
        ElementType::Lines,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::U32 => "u32",
            ElementType::U64 => "u64",
            ElementType::F64 => "f64",
            ElementType::Lines => "lines",
        }
    }

    /// Bytes of an element in the file; 1 for lines, which have no fixed width.
    pub fn width(self) -> u64 {
        match self {
            ElementType::I32 | ElementType::U32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
            ElementType::Lines => 1,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ElementType {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        ElementType::ALL.into_iter().find(|t| t.name() == s).ok_or_else(|| {
            format!("{s:?} is not a type of element: give one of i32, i64, u32, u64, f64, lines")
        })
    }
}

/// A fixed-width number whose order in memory is the order of the output.
pub trait Element: Pod + Ord + Send + Sync + fmt::Debug {
    /// Its largest value.
    const MAX: Self;
    /// Whether its form in memory differs from that in a file.
    const CODED: bool;
    /// Bytes of memory beside the slice, per byte of it, that [`Element::sort`] may take.
    const SCRATCH: u64;

    /// Turns what was read from a little-endian file into the form in memory.
    fn decode(read: &mut [Self]);

    /// Undoes [`Element::decode`].
    fn encode(ready: &mut [Self]);

    /// Sorts in ascending order, on the calling thread.
    fn sort(slice: &mut [Self]);
}

macro_rules! integer {
    ($type:ty, $sort:expr, $scratch:expr) => {
        impl Element for $type {
            const MAX: Self = <$type>::MAX;
            const CODED: bool = cfg!(target_endian = "big");
            const SCRATCH: u64 = $scratch;

            fn decode(read: &mut [Self]) {
                if Self::CODED {
                    read.iter_mut().for_each(|x| *x = Self::from_le(*x));
                }
            }

            fn encode(ready: &mut [Self]) {
                Self::decode(ready);
            }

            fn sort(slice: &mut [Self]) {
                $sort(slice);
            }
        }
    };
}

integer!(i32, radix::sort, 1);
integer!(u32, radix::sort, 1);
integer!(i64, <[_]>::sort_unstable, 0);
integer!(u64, <[_]>::sort_unstable, 0);

/// An `f64` as the integer that has the same rank in the total order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct TotalF64(i64);

impl TotalF64 {
    /// Flips all bits but the sign of a negative number: its own inverse, as in
    /// [`f64::total_cmp`].
    fn flip(bits: i64) -> i64 {
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    }
}

impl From<f64> for TotalF64 {
    fn from(x: f64) -> Self {
        TotalF64(Self::flip(x.to_bits() as i64))
    }
}

impl From<TotalF64> for f64 {
    fn from(x: TotalF64) -> Self {
        f64::from_bits(TotalF64::flip(x.0) as u64)
    }
}

impl Element for TotalF64 {
    const MAX: Self = TotalF64(i64::MAX);
    const CODED: bool = true;
    const SCRATCH: u64 = 0;

    fn decode(read: &mut [Self]) {
        read.iter_mut().for_each(|x| x.0 = Self::flip(i64::from_le(x.0)));
    }

    fn encode(ready: &mut [Self]) {
        ready.iter_mut().for_each(|x| x.0 = Self::flip(x.0).to_le());
    }

    fn sort(slice: &mut [Self]) {
        slice.sort_unstable();
    }
}
