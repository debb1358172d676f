//! The nouns of Forerun, their units and their files.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Platform`] | a machine: hosts, network (LogGPS), storage |
//! | [`Profile`] | what an application costs on a host of speed 1 |
//! | [`Plan`] | the way to run a job: strategy, processors, groups, arity, grain |
//! | [`Outcome`] | what a run or a prediction gave: makespan, time by stage and by rank, messages |
//! | [`Machine`] | the computer a measured figure was measured on |
//!
//! Platforms and profiles are TOML files with spelled units ([`units`]), checked when they are
//! read: a [`FileError`] lists everything that is wrong, each at its line. [`presets`] are the
//! platforms shipped. What the nouns serialise to is JSON for other programs: numbers in seconds
//! and bytes, under names that end in `_s` and `_bytes`.
//!
//! This crate depends on no other of the workspace and runs nothing.

#![forbid(missing_docs)]

mod control_group;
mod date;
pub mod file;
mod json;
mod machine;
mod measured;
mod nearest;
mod outcome;
mod plan;
mod platform;
mod preset;
mod profile;
pub mod random;
pub mod statistics;
mod topology;
pub mod units;

pub use control_group::control_groups;
pub use date::today;
pub use file::{FORMAT, FileError, Problem};
pub use machine::Machine;
pub use measured::Measured;
pub use nearest::nearest;
pub use outcome::{Input, Interval, Outcome, RankTimes, Span, Stage, StageTotal, Throughput, Way};
pub use plan::{Deal, FarmPlan, Grain, Plan, Skeleton, Strategy};
pub use platform::{Contention, Host, Network, Overhead, Platform, Sharing, StartUp, Storage, Throttle};
pub use preset::{Preset, preset, presets};
pub use profile::{
    Cost, FarmProfile, Join, JoinAt, PhaseCost, Profile, ReductionProfile, ScatterGatherProfile, Spill,
    Tried, Wait, grown, merged_again, merged_next,
};
pub use topology::{Level, Route, SaturatedLevel, Service, Switching, Topology, TopologyKind};
pub use units::{Bytes, BytesPerSecond, Seconds, SecondsPerByte, Share};
