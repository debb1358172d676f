//! The packet size of a pipeline.

mod cost;

pub use cost::StageCost;
