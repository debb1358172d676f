//! Closed-form predictions of parallel patterns, and the planners that search over them.
//!
//! Nothing is run here: [`reduction::predict`] says how long a reduction takes in a
//! [`Shape`](forerun_skeleton::reduction::Shape), from a profile of the application and a
//! platform, in microseconds and for any number of ranks. [`plan`] searches for the best shape
//! and grain. [`queueing`] says what waiting for links, and for answers, comes to, [`packet`] the packet
//! size of a pipeline, and [`farm`] how many ranks and masters a farm should have. [`kuntraruk`],
//! [`juhasz`], [`du`] and [`mizutani`] hold published equations, apart and unchanged.
//!
//! ```
//! use forerun_model::{Load, reduction::predict};
//! use forerun_platform::{Cost, Host, Network, Platform, ReductionProfile, Strategy};
//! use forerun_skeleton::reduction::Shape;
//! let hosts = vec![Host::new("node", 8, 1)];
//! let platform = Platform::new("cluster", hosts, Network::default());
//! let profile = ReductionProfile {
//!     task: Cost::constant(0.15),
//!     merge: Cost { per_result: 0.0128, ..Cost::default() },
//!     ..ReductionProfile::default()
//! };
//! let load = Load::new(4096, 5000.0);
//! let slaves = predict(&Shape::new(Strategy::MasterSlave, 8), &load, &profile, &platform)?;
//! let pipeline = predict(&Shape::new(Strategy::ParallelPipeline, 8), &load, &profile, &platform)?;
//! assert!(slaves.makespan_s > 1.3 * pipeline.makespan_s);
//! # Ok::<(), forerun_model::ModelError>(())
//! ```

#![forbid(missing_docs)]

pub mod du;
mod error;
pub mod farm;
pub mod juhasz;
pub mod kuntraruk;
mod landing;
mod leaving;
mod load;
pub mod mizutani;
pub mod packet;
pub mod planner;
pub mod queueing;
pub mod reduction;
pub mod scatter_gather;
mod sharing;
mod speeds;
mod wire;
mod words;

pub use error::ModelError;
pub use load::Load;
pub use planner::plan;
pub use sharing::sharing;
pub use speeds::Speeds;
pub use wire::Wire;
