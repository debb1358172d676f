//! Virtual time: how long a program takes on a described machine, without that machine.
//!
//! [`run()`] carries out a [`forerun_skeleton::Program`] on one thread. Every rank has a clock of its
//! own; messages move it as the network says ([`LogGps`]) and work as the pricing says:
//!
//! | pricing | what it is |
//! |---|---|
//! | [`pricing::Profiled`] | *simulated*: work costs what a profile says; with [`costed::Costed`] nothing is really done |
//! | [`pricing::Measured`] | *emulated*: work is really done and costs the CPU time it took, scaled by the host's speed |
//! | [`pricing::Free`] | work costs nothing |
//!
//! ```
//! use forerun_platform::{Cost, ReductionProfile, Stage};
//! use forerun_sim::{LogGps, costed::Volume, pricing::Profiled, run};
//! use forerun_skeleton::{Charge, Endpoint, Options, Program, Stop};
//!
//! /// Every rank does a task.
//! struct Alone;
//!
//! impl Program for Alone {
//!     type Msg = Volume;
//!     type Out = ();
//!     async fn rank<E: Endpoint<Volume>>(&self, e: &mut E) -> Result<(), Stop> {
//!         let charge = Charge { stage: Stage::Task, item: e.rank() as u64, bytes: 0, results: 1 };
//!         e.work(charge, || Ok(())).await
//!     }
//! }
//!
//! let profile = ReductionProfile { task: Cost::constant(0.15), ..ReductionProfile::default() };
//! let ran = run(&Alone, &LogGps::free(), &Profiled::at_speed_one(&profile)?, &Options::new(1000))?;
//! assert_eq!(ran.makespan_s, 0.15);
//! # Ok::<(), forerun_skeleton::RunError>(())
//! ```
//!
//! # What is promised
//!
//! - Times are whole picoseconds and the same in every run, unless the pricing measures.
//! - Messages of a pair of ranks are received in the order in which they were sent; a sender is at
//!   most `window` messages ahead of each receiver: message k is sent when message k − `window` has
//!   been received, at the earliest.
//! - Receive-from-any takes the message that arrives first in virtual time (of equals, the one of
//!   the lower rank), and [`Endpoint::try_recv_any`] knows exactly what has arrived by now. How, and
//!   why that is final, is in the README of `order`.
//! - A claim costs its round trip to the rank whose counter it is, ahead of what either rank has sent and is still on its way out;
//!   counters serve requests as they arrive, without a queue.
//! - A program that cannot go on is told so, with the ranks and what they wait for.
//!
//! Not modelled: contention of the program's own messages for links behind their ports (switches, and
//! other jobs' traffic in them, are an expected delay that is the same for all pairs: [`LogGps::on`]),
//! and progress of a rendezvous while its receiver works.
//! Operations begin when they are called; their futures wait for the end, and each is to be
//! awaited before the next is called, as every pattern does.
//!
//! # What it costs
//!
//! A message with its task and its merge takes about 510 instructions in the parallel-pipeline and 560 in the
//! tree of `forerun_skeleton::reduction`, and 820 where it is received from any; at 2^20 ranks, where most of what
//! is touched comes from memory, up to four times as long. `cargo bench -p forerun-sim` measures the time. On few
//! ranks nearly all of it is instructions, so what is written and read word by word stays so: a processor
//! stalls where it loads in one piece what was just stored in parts.
//!
//! Memory is the program's futures, about 270 bytes a rank, 40 bytes (window 4) for each ordered pair
//! that communicates, and the messages under way; [`run()`] adds 24 bytes a rank and stage for
//! accounts, which [`run_totals`] does not keep.
//!
//! [`Endpoint::try_recv_any`]: forerun_skeleton::Endpoint::try_recv_any
#![forbid(missing_docs)]

pub mod costed;
mod deadlock;
mod endpoint;
mod network;
mod order;
pub mod pricing;
mod quiet;
mod run;
mod time;
mod world;

#[cfg(test)]
mod tests;

pub use network::LogGps;
pub use pricing::Pricing;
pub use run::{Totals, run, run_totals};
pub use time::Time;
