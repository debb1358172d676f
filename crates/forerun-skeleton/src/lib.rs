//! The patterns of parallel programs, each written once over [`Endpoint`].
//!
//! A *skeleton* is the pattern; an *application* is the sequential code put into it. The
//! pattern's communication is an `async fn` over an [`Endpoint`], which says what sending,
//! receiving and working mean: on [`threads`] they really happen, in virtual time they are
//! charged. Endpoints that block return futures that are always ready.
//!
//! What an endpoint guarantees: messages between one pair of ranks arrive in the order in which
//! they were sent; a sender may be at most `window` messages ahead of each receiver and waits
//! beyond that. What it does not promise: any order between messages of different senders, or
//! fairness of [`Endpoint::recv_any`].

#![forbid(missing_docs)]

mod cancel;
mod endpoint;
mod failure;
pub mod farm;
pub mod guard;
pub mod memory;
mod ran;
mod recorder;
pub mod reduction;
pub mod scatter_gather;
pub mod threads;
mod timeline;
pub mod wire;

pub use cancel::Cancel;
pub use endpoint::{Charge, Endpoint, Message, Program};
pub use failure::{AppError, Failure, RunError, Stop};
pub use ran::{Options, Ran};
pub use recorder::Recorder;
pub use timeline::Timeline;
pub use wire::{Codec, Wire};
