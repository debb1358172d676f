//! Reduction: tasks turn inputs into partial results, an associative merge combines these, and a
//! sink takes the complete sets.
//!
//! The sequential code is a [`Reduce`], its inputs come from a [`Source`], its results go to
//! [`Sinks`]. A [`Reduction`] puts them together with a [`Shape`] that says how the ranks work
//! together; every strategy gives the result of the sequential fold, in the order of the inputs
//! unless the merge is commutative.
//!
//! | strategy | a delivery holds | ranks of a group | who delivers |
//! |---|---|---|---|
//! | `pipeline` | the (P − P/a) results of a step | a power of the arity a | the last |
//! | `tree` | the P results of a round | any | the first |
//! | `master_slave` | P − 1 results | any | the first, the master |
//! | `adaptive` | at least [`Shape::set`] results | any | the first |
//!
//! With one rank every task's result is a delivery.

mod adaptive;
mod fold;
mod fold_sink;
mod held;
mod job;
mod master_slave;
mod packet;
mod pipeline;
mod schedule;
mod shape;
mod share;
mod tree;
mod work;

pub use fold::Fold;
pub use fold_sink::{FoldSink, FoldSinks, fold_groups};
pub use job::{Reduce, Sink, Sinks, Source};
pub use packet::{HEADER, Packet, PacketCodec, Piece, PieceCodec};
pub use shape::{Reduction, Runner, Shape};
