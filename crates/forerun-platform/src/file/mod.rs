//! What all files have in common: their format number, and errors that point at the line.
//!
//! Other crates read files of their own by the same means: [`read`] gives the file's [`Section`], whose
//! keys are asked for by kind, and every fault is noted with its place.
//!
//! ```
//! use forerun_platform::{Seconds, file};
//!
//! let period = |text| file::read(text, "clock.toml", |root| root.quantity::<Seconds>("period"));
//! assert_eq!(period("format = 1\nperiod = \"50 us\"")?, Seconds(50e-6));
//! let wrong = period("format = 1\nperiod = \"50\"").unwrap_err().to_string();
//! assert!(wrong.starts_with("clock.toml:2:10: "), "{wrong}");
//! # Ok::<(), forerun_platform::FileError>(())
//! ```

mod bytes;
mod error;
mod item;
mod section;
mod sort;
mod stream;
mod system;
mod text;
mod write;

pub use bytes::{STANDARD, bytes, end_waiting_when};
pub use error::{FileError, Problem};
pub use item::{Item, Kind, Place};
pub use section::{Allowed, Section, read};
pub use stream::{Stream, hold, is_standard_output, stream, takes_bytes, write_some};
pub use system::{named, reason, shown, unread, without_numbers};
pub use text::{contents, decoded, is_utf16, lenient};
pub(crate) use write::{Writer, figure};

/// The version of the platform and profile files that this build writes and reads.
pub const FORMAT: u64 = 1;
