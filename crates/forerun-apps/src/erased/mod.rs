//! Jobs whose types are erased: what plans, tries and runs a job is compiled once, and not once for
//! every application and every type of element.
//!
//! An application is written with the types that it has (as a [`ReductionJob`](crate::ReductionJob),
//! a [`Cooperate`](forerun_skeleton::scatter_gather::Cooperate)); every such job is an [`ErasedJob`],
//! and [`Together::new`] does the same for the parts of a scatter-gather. What passes through the
//! patterns then is an [`Erased`] value or an [`ErasedMessage`]. Cost: a box for each input, result,
//! block, packet and what a sink leaves, and a virtual call where it is made and used; nothing an element.
//!
//! *Invariant:* a value is opened only by an adapter that has its job (or application) at hand. One that goes to another
//! process goes through an [`ErasedCodec`], which has it too.

mod app;
mod codec;
mod job;
mod sinks;
mod source;
mod together;
mod value;

pub use self::app::ErasedApp;
pub use self::codec::ErasedCodec;
pub use self::job::ErasedJob;
pub use self::sinks::{ErasedSink, ErasedSinks};
pub use self::source::ErasedSource;
pub use self::together::{ErasedCooperate, Together};
pub use self::value::{Erased, ErasedMessage};
