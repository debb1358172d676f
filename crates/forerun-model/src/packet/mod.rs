//! The packet size of a pipeline: how long an input takes through stages when it is cut into packets, and
//! which size takes least.
//!
//! The model is that of Du and Agrawal, *Packet Size Optimization for Supporting Coarse-Grained Pipelined
//! Parallelism*; their closed forms are in [`crate::du`]. A computing stage and a link are the same thing
//! here: stage i takes
//!
//! ```text
//! t_i(size) = G_i + g_i · size        seconds for a packet of so many bytes       (section 3.2)
//! ```
//!
//! and gives out α_i times what it takes in (a link: 1). An input of N elements of e bytes is cut into
//! k = ⌈N/p⌉ packets of p elements, the last with what is left. Packet j is done at stage i at
//!
//! ```text
//! f(j, i) = max(f(j−1, i), f(j, i−1)) + t(j, i)
//! ```
//!
//! and f(k, n) is the makespan. Two patterns of communication differ in what comes to the next stage:
//!
//! | [`Communication`] | packets | so that |
//! |---|---|---|
//! | `FixedFrequency` | one out for one in, α times as large | f(k, n) has a closed form (`even.rs`) |
//! | `FixedSize` | of one size p; a stage gathers what it gives out | packet j of stage i+1 waits for packet ⌈j/α_i⌉ of stage i; followed packet by packet (`gather.rs`) |
//!
//! The published forms take one stage for the bottleneck, whatever the size is, and all packets for equal.
//! This needs neither: which stage is the bottleneck follows for each size ([`Point::bottleneck`]), and the
//! last packet is as small as it is.
//!
//! # What is assumed
//!
//! - A stage works on one packet at a time, in their order; a link carries one at a time.
//! - Costs are as given, without spread; ratios are the same for all packets.
//! - The input is there from the start, and a stage that waits for room is not modelled. At fixed frequency
//!   room for one packet between two stages is enough: with equal packets the schedule in which every packet
//!   leaves `max t_i` after the one before and never waits is feasible and as short. (At fixed size, room
//!   for what a stage runs ahead.)
//! - Where memory is limited, [`Pipeline::with_memory`] limits the size of packets by it.
//!
//! # Units and exactness
//!
//! Seconds, bytes and whole elements. [`Pipeline::makespan`] is the recursion to rounding, and is tested
//! against pipelines run in virtual time. [`Pipeline::optimum`] is the least over *every* size from 1 to N, and
//! [`Pipeline::flat`] every size within so much of it: sizes are left out only where a lower bound shows that
//! they are longer. At 10⁶ elements and 10 stages an optimum takes some 50 µs at fixed frequency and up to
//! 0.3 s at fixed size with ratios, the flat region up to 1 ms and 0.7 s.
//!
//! # Example
//!
//! ```
//! use forerun_model::packet::{Communication, Pipeline, StageCost};
//!
//! // Read, filter, process: 10 MB in records of 100 bytes over links of 100 MB/s.
//! let link = StageCost::new(50e-6, 10e-9);
//! let stages = vec![
//!     StageCost::new(200e-6, 5e-9),
//!     link,
//!     StageCost::new(100e-6, 20e-9).with_ratio(0.3),
//!     link,
//!     StageCost::new(100e-6, 40e-9),
//! ];
//! let pipeline = Pipeline::new(stages, Communication::FixedFrequency, 100_000, 100.0)?;
//! let best = pipeline.optimum();
//! assert_eq!(best.bottleneck, 2); // the filter
//! assert!((20..100).contains(&best.packets));
//! assert!(pipeline.makespan(1) > 50.0 * best.makespan_s); // a packet a record
//! assert!(pipeline.makespan(100_000) > 1.5 * best.makespan_s); // all in one
//!
//! // Any size in the flat region will do.
//! let flat = pipeline.flat(0.01);
//! assert!(flat.largest() > 2 * flat.smallest());
//! # Ok::<(), forerun_model::ModelError>(())
//! ```

mod communication;
mod cost;
mod even;
mod flow;
mod gather;
mod memory;
mod monotone;
mod path;
mod pipeline;
mod search;

pub use communication::Communication;
pub use cost::StageCost;
pub use pipeline::{Pipeline, Point};
pub use search::Flat;
