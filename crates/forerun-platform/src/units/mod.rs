//! Quantities that carry their unit, written with it: `"50 us"`, `"64 KiB"`, `"100 Mbit/s"`, `"0.8 ns/B"`.
//!
//! The unit is never left out, `B` means bytes and `bit` bits, and capitals matter (`kB` is 1000
//! bytes, `KiB` 1024). `µs` may stand for `us`; the space before the unit may be left out. A figure is 0,
//! or from 1e-30 to 1e30 of the base unit (a size is below 16 EiB).
//!
//! | type | units |
//! |---|---|
//! | [`Seconds`] | `ps ns us ms s min h` |
//! | [`Bytes`] | `B kB MB GB TB PB EB`, `KiB MiB GiB TiB PiB EiB` |
//! | [`BytesPerSecond`] | a unit of [`Bytes`] up to `PB` and `PiB`, or `bit kbit Mbit Gbit Tbit Pbit`, and `/s` |
//! | [`SecondsPerByte`] | `ps/B ns/B us/B ms/B s/B` |
//! | [`Share`] | `%` |
//!
//! `{}` prints four significant digits in a unit that suits the number, with `µs` where files have `us`; `{:#}`,
//! like serde, prints as many as reading the same number again takes.
//!
//! ```
//! use forerun_platform::{Bytes, Seconds, SecondsPerByte};
//!
//! let wire: SecondsPerByte = "26.8 ns/B".parse()?;
//! let latency: Seconds = "50 us".parse()?;
//! assert_eq!((latency + wire * Bytes(1_000_000)).to_string(), "26.85 ms");
//! assert!("50".parse::<Seconds>().unwrap_err().to_string().contains("no unit"));
//! # Ok::<(), forerun_platform::units::UnitError>(())
//! ```

mod arithmetic;
mod error;
mod print;
mod quantity;
mod read;
mod table;

pub use error::{UnitError, UnitErrorKind};
pub use quantity::{Bytes, BytesPerSecond, Quantity, Seconds, SecondsPerByte, Share};

pub(crate) use quantity::PartBytes;
pub(crate) use read::{LEAST, MOST};

#[cfg(test)]
mod tests;
