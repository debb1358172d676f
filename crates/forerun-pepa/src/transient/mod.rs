//! Where a chain is at a time, and when it gets somewhere.

mod passage;
mod poisson;
mod uniform;
mod until;

pub use passage::{Passage, PassageError, Targets, passage};
pub use poisson::{Poisson, poisson};
pub use uniform::{Start, TooLong, events, transient};
pub use until::{Until, UntilError, until};
