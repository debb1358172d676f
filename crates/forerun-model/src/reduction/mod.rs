//! The closed form of a reduction: [`predict()`], and what follows from it.
//!
//! | question | answer |
//! |---|---|
//! | how long does it take, and what bounds it | [`predict()`] |
//! | how well are the processors used | [`efficiency()`] |
//! | how must the work grow with the processors | [`isoefficiency()`] |
//! | are the pipeline's stages balanced | [`balance()`] |
//! | what did the source paper print | [`crate::kuntraruk`] |
//! | what does each step take | [`Steps`] |
//!
//! # The strategies
//!
//! With P ranks a group, N tasks of T seconds, trees of arity a; o_s, o_r, transit and port as
//! [`Wire`](crate::Wire) has them for the bytes of so many results:
//!
//! | strategy | a long run's time a task | source |
//! |---|---|---|
//! | parallel-pipeline | max over a rank's cycles of `o_s + T + R(1) + … + R(k)` in k + 1 steps, or the last rank's `(a − 1) o_r + sink` a step; P − P/a tasks a step | equations 2 to 6 of Kuntraruk, Pottenger and Ross |
//! | reduction-tree | the root's `T + Σ (o_r + merge) + sink`, or the `… + o_s` of a rank below it; P tasks a round | their section VI-D |
//! | master-slave | the master's `S o_r + Σ merge + sink`, or a slave's `T + o_s`; S = P − 1 tasks a round | their section VI-C |
//! | adaptive | list scheduling of tasks, each with its part of merging and sending | ours |
//!
//! R(d) is the d-th receive after a task: a − 1 messages of a^(d−1) results, and the merges that make
//! one of them and one's own.
//!
//! # What is exact
//!
//! The makespan of the three published strategies equals the simulation of the program to rounding,
//! for any number of tasks, arity, groups and costs (of task, merge, sink and message, by byte and by
//! result; segments, messages above S, switches), where
//!
//! - costs do not vary: with a spread the expectation of the slowest rank is added, and an interval;
//! - windows do not bind: no sender is held up because its receiver is a window behind;
//! - there is a core for every rank, and all cores have one speed. Ranks in excess of the cores take turns: the tree and master and slaves as
//!   virtual time has it to rounding, the pipeline within 5 % and the adaptive strategy within 40 % (10 % in nine of ten, 1 % in the median; `tests/turns.rs`). On hosts of different speeds the
//!   time is that of the slowest rank for all ranks of a group: an upper bound, as with the fastest it
//!   would be a lower one (of both, what messages take of a rank that computes is left out:
//!   [`forerun_platform::Network::interference_per_byte`]);
//! - the number of tasks is known before the end; where it is not, a last round of empty messages is
//!   not counted;
//! - ranks are not too many for what has to be followed rank by rank: the parallel-pipeline with more
//!   than about 128 (n² P > 8192 for n levels), where the formula is within n (n + 2) mean steps and exact
//!   for stages of equal cost; and, only with messages above S or where messages to one rank take turns at its
//!   port ([`forerun_platform::Network::receive_gap_per_byte`]) or take of its processor, the tree with more than 1024 and
//!   master and slaves with more than 64, where receivers are taken as ready: a lower bound;
//! - messages take nothing of a rank that computes ([`forerun_platform::Network::interference_per_byte`], and `send_interference_per_byte`), or the
//!   run is short enough to be followed to its end: in longer ones ranks may drift until one is held up, and errors of 5 % were seen;
//! - messages to one rank do not share its port evenly ([`forerun_platform::Sharing::Fair`]): here they take turns, so that what is
//!   received first is there sooner.
//!
//! The adaptive strategy has no fixed schedule to be exact about. In the grid of `tests/simulation.rs`
//! the error is within 2 % (tasks dealt evenly) or 5 % (claimed) in runs of 50 tasks a rank, and within
//! 35 % in runs of less than five; where what comes to the first rank is bound by its port, within 25 %, and 2 % in the median.
//!
//! # Units
//!
//! Seconds, bytes, tasks. Cost: microseconds; up to a millisecond where ranks are followed.
//!
//! ```
//! use forerun_model::{Load, reduction::predict};
//! use forerun_platform::{Cost, Platform, ReductionProfile, Strategy};
//! use forerun_skeleton::reduction::Shape;
//!
//! let fire = Platform::resolve("lehigh-fire")?;
//! let profile = ReductionProfile {
//!     task: Cost::constant(0.15),
//!     merge: Cost { per_result: 0.0128, ..Cost::default() },
//!     result_bytes: (3000.0, 0.0),
//!     ..ReductionProfile::default()
//! };
//! // 4096 documents on 16 processors, in two groups.
//! let shape = Shape { groups: 2, ..Shape::new(Strategy::ParallelPipeline, 16) };
//! let predicted = predict(&shape, &Load::new(4096, 5000.0), &profile, &fire)?;
//! assert!((77.0..84.0).contains(&predicted.makespan_s));
//! assert_eq!(predicted.bound.name(), "tasks");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
mod alone;
mod bound;
mod climb;
mod costs;
mod effective;
mod efficiency;
mod exchange;
mod explain;
mod followed;
mod interval;
mod isoefficiency;
mod lines;
mod master_slave;
mod meeting;
mod memory;
mod neighbours;
mod pipeline;
mod predict;
mod rounds;
mod steps;
mod timing;
mod tree;
mod turns;

pub use bound::Bound;
pub use effective::effective;
pub use efficiency::{Efficiency, efficiency};
pub(crate) use interval::largest_normal;
pub use isoefficiency::{Held, Isoefficiency, isoefficiency};
pub use neighbours::{Neighbours, Spent};
pub use predict::{Balance, Prediction, balance, predict, start_up};
pub(crate) use predict::{balanced_share, makespan};
pub use steps::Steps;
