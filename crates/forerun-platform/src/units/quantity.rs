//! The quantities and how they are read and written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::table::{RATE, SHARE, SIZE, TIME, TIME_PER_BYTE};
use super::{UnitError, UnitErrorKind, print, read};

/// A duration in seconds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Seconds(pub f64);

/// A number of bytes; read and written exactly up to 2^53, 9 PB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Bytes(pub u64);

/// A rate of transfer in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct BytesPerSecond(pub f64);

/// A cost per byte in seconds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct SecondsPerByte(pub f64);

/// A share of something: 1 is all of it, written `100 %`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Share(pub f64);

/// A mean size, which need not be whole bytes.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub(crate) struct PartBytes(pub(crate) f64);

/// A number with a unit.
///
/// ```
/// use forerun_platform::units::{BytesPerSecond, Quantity};
/// assert_eq!("100 Mbit/s".parse::<BytesPerSecond>()?.number(), 12.5e6);
/// # Ok::<(), forerun_platform::units::UnitError>(())
/// ```
pub trait Quantity: Copy + PartialOrd + fmt::Display + FromStr<Err = UnitError> {
    /// One as it is written in a file, quotes included.
    const EXAMPLE: &str;

    /// The number in the base unit: seconds, bytes, bytes per second, seconds per byte.
    fn number(self) -> f64;

    /// The quantity of a number in the base unit; `None` if it is negative or not finite, or for
    /// [`Bytes`] not whole.
    fn from_number(number: f64) -> Option<Self>;
}

fn allowed(number: f64) -> Option<f64> {
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// All of a quantity that is one `f64`; `$units` says which units suit a number, `$short` which where it is read by people.
macro_rules! real {
    ($type:ident, $family:ident, $example:literal, $units:expr) => {
        real!($type, $family, $example, $units, $units);
    };
    ($type:ident, $family:ident, $example:literal, $units:expr, $short:expr) => {
        impl FromStr for $type {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<Self, UnitError> {
                read::read(text, &$family).map($type)
            }
        }

        impl Quantity for $type {
            const EXAMPLE: &str = $example;

            fn number(self) -> f64 {
                self.0
            }

            fn from_number(number: f64) -> Option<Self> {
                allowed(number).map($type)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let units: [fn(f64) -> &'static [&'static str]; 2] = [$units, $short];
                f.pad(&match f.alternate() {
                    true => print::exact(self.0, &$family, units[0](self.0)),
                    false => print::short(self.0, &$family, units[1](self.0)),
                })
            }
        }
    };
}

real!(Seconds, TIME, "\"50 us\"", |s| match s.abs() {
    // Runs of a quarter of an hour and less are compared in seconds.
    x if x < 1000.0 => &["ps", "ns", "us", "ms", "s"],
    _ => &["s", "min", "h"],
});
real!(BytesPerSecond, RATE, "\"100 Mbit/s\"", |_| &["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"]);
real!(SecondsPerByte, TIME_PER_BYTE, "\"0.8 ns/B\"", |_| &["ps/B", "ns/B", "us/B", "ms/B", "s/B"]);
real!(Share, SHARE, "\"12 %\"", |_| &["%"]);
real!(PartBytes, SIZE, "\"20 B\"", |_| &["B"], |bytes| match bytes {
    few if few < 10_000.0 => &["B"],
    _ => THOUSANDS,
});

/// Units of sizes that are no whole memory sizes.
const THOUSANDS: &[&str] = &["B", "kB", "MB", "GB", "TB", "PB", "EB"];

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bytes = read::read(text, &SIZE)?;
        Bytes::from_number(bytes).ok_or_else(|| {
            let (kind, why) = if bytes.fract() != 0.0 {
                (UnitErrorKind::NotWhole, "is not a whole number of bytes")
            } else {
                (UnitErrorKind::NotFinite, "is too large to hold: a size is below 16 EiB")
            };
            UnitError::new(kind, format!("\"{text}\" {why}"))
        })
    }
}

impl Quantity for Bytes {
    const EXAMPLE: &str = "\"64 KiB\"";

    fn number(self) -> f64 {
        self.0 as f64
    }

    fn from_number(number: f64) -> Option<Self> {
        allowed(number).filter(|n| n.fract() == 0.0 && *n < u64::MAX as f64).map(|n| Bytes(n as u64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whole multiples of 1024 are memory sizes; anything else counts in thousands.
        for (power, unit) in ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].iter().enumerate().skip(1).rev()
        {
            let size = 1u64 << (10 * power);
            if self.0 >= size && self.0.is_multiple_of(size) && (f.alternate() || self.0 / size < 10_000) {
                return f.pad(&format!("{} {unit}", self.0 / size));
            }
        }
        if f.alternate() || self.0 < 10_000 {
            return f.pad(&format!("{} B", self.0));
        }
        f.pad(&print::short(self.0 as f64, &SIZE, THOUSANDS))
    }
}

impl BytesPerSecond {
    /// The rate in bits, as networks are sold: `100 Mbit/s`.
    pub fn in_bits(self) -> String {
        print::short(self.0, &RATE, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"])
    }
}

/// In files and messages a quantity is the string that spells its unit.
macro_rules! spelled {
    ($($type:ident),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&format_args!("{self:#}"))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

spelled!(Seconds, Bytes, BytesPerSecond, SecondsPerByte, Share);
