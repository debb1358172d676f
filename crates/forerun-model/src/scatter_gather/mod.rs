//! The closed form of scatter-gather: [`predict()`], what memory allows ([`memory`]), the best number
//! of ranks ([`best`]), and the planner ([`plan()`]).
//!
//! The published equations are in [`crate::juhasz`]. They add up the phases at the pace of their
//! slowest part, `N/min(b_io, b_dist, b_proc) + t_proc(s) + t_local(N/p) + N/min(b_io, b_gather,
//! b_resolution)` (equation 4); b_proc is that of one node there, and t_local reckons with the
//! merge of a whole part before its first packet. [`predict()`] follows each block instead.
//!
//! | | published | here |
//! |---|---|---|
//! | processing | one node keeps up with all blocks, or bounds them | every rank with its own, windows that fill up |
//! | resolution | the first rank merges its own blocks for every packet of the result | for its share of them |
//! | first packets | after `c_m N/p` | after the packet's own merge |
//! | first rank | does everything beside everything | storage beside it (`ahead`) or not; the rest in turn |
//! | hosts | equal | a block goes to who would finish it first |
//! | cores | one a rank | ranks beyond the cores share them |
//! | memory | fits | refused, or put on a disk at its cost, what is too much to be merged at a time more than once |
//!
//! Assumptions: costs do not vary from call to call, links are not shared (but a host's own), keys do not depend on
//! their place in the input, so that all ranks' parts go into the result evenly. Then the simulated
//! program takes the same time, to rounding.
//!
//! Units: seconds, bytes, bytes a second.
//!
//! ```
//! use forerun_model::scatter_gather::{Blocks, Setting, best, predict};
//! use forerun_platform::{Platform, Profile};
//!
//! // The paper's cluster and constants, in bytes of 32-bit integers.
//! let profile = Profile::from_toml(
//!     r#"
//!     format = 1
//!     application = "sort"
//!     [scatter_gather]
//!     read = "463 ns/B"                            # 1 / (4 B · 0.54 M/s)
//!     process = { per_byte_ln = "16.5 ns/B" }      # c_q / 4 B
//!     local = { per_byte_way = "10 ns/B" }         # c_m / 4 B
//!     global = { per_byte_way = "10 ns/B" }
//!     write = "463 ns/B"
//!     element = "4 B"
//!     "#,
//!     "sort.toml",
//! )?
//! .scatter_gather
//! .expect("the section above");
//! let cluster = Platform::resolve("bme-pc-cluster")?;
//! let blocks = Blocks::of(4 * 20_000_000, 1 << 18);
//!
//! // One node would page: 80 MB in 64 MiB. That is said, not mispredicted.
//! let refused = predict(&Setting::new(1), &blocks, &profile, &cluster).unwrap_err();
//! assert!(refused.to_string().contains("use at least 3 processors"), "{refused}");
//!
//! let six = predict(&Setting { ahead: 2, ..Setting::new(6) }, &blocks, &profile, &cluster)?;
//! assert!(six.makespan_s > 74.07); // reading and writing alone (equation 21)
//!
//! // Beyond a few nodes nothing is gained: the best number, over integers, and all that are as good.
//! let (p, prediction) = best(11, &Setting { ahead: 2, ..Setting::new(1) }, &blocks, &profile, &cluster)?;
//! assert!(p <= 11 && prediction.makespan_s <= six.makespan_s);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod bound;
mod deal;
mod device;
mod effective;
mod explain;
mod gather;
mod interval;
pub mod memory;
mod optimum;
mod planner;
mod predict;
mod team;

pub use blocks::Blocks;
pub use bound::{Bandwidths, Bound};
pub use effective::effective;
pub use optimum::{best, shares};
pub use planner::{Choice, Fixed, Planned, Request, ahead, plan};
pub use predict::{Prediction, Setting, predict};
