//! The farm: masters give tasks out, slaves do them, and what they answer goes to a sink (Mizutani, Ino and
//! Hagihara, *Evaluation of Performance Prediction Method for Master/Slave Parallel Programs*, sections 3 to 5).
//!
//! The sequential code is an [`Answer`]; results go to a [`Sinks`](crate::reduction::Sinks). A [`Farm`] puts them
//! together with a [`Shape`].
//!
//! | masters | who | tasks |
//! |---|---|---|
//! | [`Masters::Fixed`]`(1)`, SI of the paper | the first rank | all |
//! | [`Masters::Fixed`]`(m)`, ML | the first rank of each of m groups | dealt to the groups beforehand, in proportion to their slaves |
//! | [`Masters::Dynamic`], DY | the first rank; a slave of a master that makes its slaves wait | those and the slaves are split in two, and again, and come back when a half is done |
//!
//! A master first gives every slave [`Shape::prefetch`] messages of [`Shape::grain`] tasks, one to each in turn,
//! and then answers every message of answers with a further one; or with one that ends the slave.
//!
//! # When a master splits
//!
//! Slaves of a dynamic farm measure how long they wait for tasks and work on them, and say so with their answers,
//! in bytes of the header that are there anyway. When a master has heard each of them twice, it compares what
//! tasks that are left take now with what they would take with two masters and one slave less, if half of the
//! queue at the master were gone; waiting that is no queue (a round trip) is known from the shortest. If that is
//! at least 5 % less, the end of both halves included, the slave that has just answered becomes the master of half.
//!
//! A master that was made so looks as well whether it is needed: tasks may have become longer, so that one master would do for both
//! halves, with a slave more. Then it gives the tasks that nobody has begun back to its master, and each slave when it has answered
//! what it has; unless results are to be in order, which are those of one range of tasks for each master.
//!
//! # Failures
//!
//! A task that fails or panics does not end the run: its slave says so, and the master has it done again by another
//! slave, or where there is none, itself. After [`Shape::attempts`] the run ends with the task and its error, or goes on with what stands
//! for it ([`Answer::given_up`]).
//! A failing sink ends the run. A slave whose *process* dies ends the run too, as its endpoint does.
//!
//! # Memory
//!
//! Out of order a master holds nothing but what it hands to the sink. In order it holds back results that came
//! early, at most [`Shape::ahead`] and a grain; beyond that slaves wait for the one that is late.

mod job;
mod master;
mod message;
mod order;
mod shape;
mod share;
mod slave;
mod waits;
mod wire;

pub use job::Answer;
pub use message::{Attempt, HEADER, Half, Parcel, Spent};
pub use shape::{Farm, Group, Masters, Shape};
pub use wire::ParcelCodec;
