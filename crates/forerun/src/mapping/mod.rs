//! Stages of a pipeline onto processors, by the throughput of PEPA models: what is described in files. The models and
//! the search are in `forerun_pepa::mapping`.

mod candidates;
mod description;
mod monitor;
mod shown;

pub use candidates::Candidates;
pub use description::{Description, Link};
pub use monitor::{Reading, Source};
pub use shown::Candidate;
