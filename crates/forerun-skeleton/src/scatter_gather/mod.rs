//! Scatter-gather: the first rank reads the input in blocks and deals them out, every rank
//! processes its blocks as they arrive, and the first gathers what the ranks made of them, packet
//! by packet, resolves what depends on the blocks of several ranks, and writes the result
//! (Juhász and Charaf, *Performance Modelling of Cooperating Tasks in PC Clusters*, section 3).
//!
//! The sequential code is a [`Cooperate`]; its blocks come from a [`Source`](crate::reduction::Source),
//! its packets go to a [`Sinks`](crate::reduction::Sinks). A [`Scatter`] puts them together with a
//! [`Shape`].
//!
//! | phase | the first rank | every other |
//! |---|---|---|
//! | deal | reads block i, sends it to the rank whose turn it is, processes its own in between | receives, processes |
//! | gather | polls for a packet of each rank as it is needed, resolves, writes | resolves its blocks, keeps the next packet ready |
//!
//! What overlaps: a block is processed while others are read and sent, as ranks are beside each
//! other and `window` messages may be under way to each; a packet of every rank is made, and one is
//! on its way, while the first rank resolves and writes. Reading and writing overlap with the first
//! rank's *own* work where source and sinks see to it:
//! [`ReadAhead`](crate::threads::ReadAhead) and [`WriteBehind`](crate::threads::WriteBehind) do, on
//! threads.
//!
//! Memory: beside the blocks that it processed, a rank holds at most `window` blocks under way and a
//! packet; the first rank [`HELD`] blocks of its own and one packet of every rank in addition.
//!
//! Blocks go in turn, block i to rank i mod p, where all ranks have equal shares; with other
//! [`Shape::shares`] each block goes to the rank that would finish it first if ranks were as fast as
//! their shares say.

mod first;
mod job;
mod message;
mod other;
mod shape;

pub use first::HELD;
pub use job::{Amount, Cooperate, Global, Local, Want};
pub use message::{HEADER, Parcel, ParcelCodec};
pub use shape::{Owners, Scatter, Shape};
