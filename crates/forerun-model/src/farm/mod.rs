//! The farm: a master gives tasks to slaves, and takes their answers in.
//!
//! The network is LogGPS with an overhead that grows with the number of ranks P, after Mizutani, Ino and
//! Hagihara, *Evaluation of Performance Prediction Method for Master/Slave Parallel Programs* (their
//! equations are in [`crate::mizutani`]):
//!
//! ```text
//! o(P, k) = o'_a + o'_b · P + O · k                          (section 3.2)
//! ```
//!
//! A task's round trip ([`Trip`]) is `o_s + wire + o_r + work + o_s + wire + o_r`. The master is busy for the
//! first and the last of these and for handing the answer on, m = o_s + o_r + sink (section 5.1; there the sink is 0), and a slave for the three in the middle, y. With
//! S slaves that have w tasks at a time each ([`Tasks::prefetch`]), a slave gets through a task every
//!
//! ```text
//! C = max(S m, S port, y, trip / w)                          [`Trip::cycle_s`]
//! ```
//!
//! seconds in a long run (S and w no more than there are tasks for), where `port` is for how long a task's message keeps the master's port busy (gap and
//! bytes). The master is saturated from the P on at which the first two are the largest
//! ([`Farm::saturation`]). Since m grows with P, more ranks than that take longer ([`Farm::best_ranks`]).
//!
//! The makespan is not taken from C: it is followed task by task until all times move alike, which includes
//! start and end (`rounds.rs`).
//!
//! Answers do not wait for each other at the master's receiving port
//! ([`forerun_platform::Network::receive_gap_per_byte`] is taken to be 0), and take nothing of what else it does
//! ([`forerun_platform::Network::interference_per_byte`]).
//!
//! # Several masters
//!
//! Ranks are dealt to M groups, and tasks to the groups in proportion to their slaves, beforehand
//! ([`Masters`]). That takes load off the masters, and makes the job as long as the group that is unluckiest.
//! With costs of standard deviation σ ([`Tasks::spread`]), N_g tasks and S_g slaves in a group, this is
//! taken to be
//!
//! ```text
//! max(T, T · (c + q) / C + σ √N_g / S_g · e(M) + σ e(S_g))
//! ```
//!
//! where T is the makespan without spread, c = max(y, trip / w), e(n) the expectation of the largest of n
//! standard normal numbers (Blom), and q the mean time for which an answer waits for the master, by mean
//! value analysis with a service that does not vary (for w = 1). Deviations add up over the tasks of a group,
//! are shared by its slaves, and in the tasks at the end by nobody. [`Farm::best_masters`] weighs both.
//!
//! # What is assumed
//!
//! - Slaves are alike, and a master does nothing else. Messages of the farm do not contend for links; what a
//!   topology's switches and other jobs' traffic add to a message is counted (see [`crate::Wire`]).
//! - A message above the rendezvous threshold pays for the request as if its receiver were ready.
//! - A slave that has no further task is ended by an empty message, in answer to its first answer after the
//!   last task is given out.
//!
//! # Units and exactness
//!
//! Seconds and bytes. Without spread, [`Farm::predict`] is exact to rounding, and tested against farms run in
//! virtual time, with one master and with several. With spread it is an approximation, within 4 % of the mean
//! of simulated runs in the tests where σ is up to half of the mean, and within 12 % where it is as large and
//! slaves have some 30 tasks each.
//!
//! # Example
//!
//! ```
//! use forerun_model::farm::{Farm, Bound, Tasks};
//! use forerun_platform::preset;
//!
//! // A point of a Mandelbrot set a task, on the paper's cluster.
//! let cluster = preset("osaka-fast-ethernet").ok_or("not shipped")?.platform()?;
//! let farm = Farm::on(&cluster, Tasks::new(1_048_576, 200e-6, 8.0, 12.0))?;
//! let all = farm.predict(64, 1)?;
//! assert_eq!(all.bound, Bound::Master);
//! assert!((all.trip.master_s() - 48.9e-6).abs() < 0.05e-6);
//! assert!((all.makespan_s - 51.3).abs() < 0.05);
//!
//! // The master saturates long before, and four of them do better.
//! assert_eq!(farm.saturation(64)?, Some(13));
//! let best = farm.best_ranks(64)?;
//! assert_eq!(best.ranks, 13);
//! assert!(farm.predict(64, 4)?.makespan_s < 0.5 * best.makespan_s);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound;
mod masters;
mod optimum;
mod predict;
mod rounds;
mod tasks;
mod trip;

pub use masters::Masters;
pub use predict::{Farm, Prediction};
pub use tasks::Tasks;
pub use trip::{Bound, Trip};
