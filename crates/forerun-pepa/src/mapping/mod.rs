//! Where the stages of a pipeline go, by the throughput of PEPA models (Benoit, Cole, Gilmore and Hillston,
//! *Evaluating the Performance of Skeleton-Based High Level Parallel Programs*, ICCS 2004): one model a mapping
//! ([`Line::model`]), solved, the best mapping first ([`rank`]), or the best of all mappings without solving most of
//! them ([`search()`]).
//!
//! Why the search loses nothing is argued in `README.md` beside this file.
//!
//! ```
//! use forerun_pepa::mapping::{Grid, Objective, Search, search};
//!
//! // Two stages, two processors: the second is slower and 10 ms away, and still better than sharing the first.
//! let grid = Grid {
//!     times: vec![vec![0.1, 0.2], vec![0.1, 0.2]],
//!     transfers: vec![vec![1e-4, 0.01], vec![0.01, 1e-4]],
//!     input: vec![1e-4, 1e-4],
//!     output: vec![1e-4, 1e-4],
//!     replicas: vec![1, 1],
//! };
//! let how = Search { objective: Objective::Throughput, ..Search::default() };
//! let found = search(&grid, &how, &|| false, &mut |_| {})?;
//! assert_eq!(found.best[0].mapping, vec![vec![0], vec![1]]);
//! # Ok::<(), forerun_pepa::mapping::MappingError>(())
//! ```

mod alike;
mod bound;
mod grid;
mod line;
mod listed;
mod open;
mod pair;
mod search;
mod shape;
mod solved;
mod text;

use std::fmt;

pub use grid::{Grid, Mapping};
pub use line::{Line, Replica};
pub use listed::rank;
pub use search::{Counts, Found, Objective, Search, search};
pub use solved::Solved;

/// A mapping and what its model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// For each stage the processors that it is on, from 0.
    pub mapping: Mapping,
    /// What its model says.
    pub solved: Solved,
    /// How many mappings it stands for, itself among them: those in which other processors of the same kind take the
    /// places of its own.
    pub alike: f64,
}

/// Why there is no ranking.
#[derive(Debug, Clone, PartialEq)]
pub enum MappingError {
    /// A mapping's model could not be solved.
    Unsolved {
        /// The mapping, processors from 0.
        mapping: Mapping,
        /// Why, as a sentence.
        why: String,
    },
    /// More mappings than this stay open in a search: their bounds do not tell them apart.
    TooMany(usize),
    /// It was stopped from outside.
    Stopped,
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MappingError::Unsolved { mapping, why } => write!(f, "mapping {}: {why}", named(mapping)),
            MappingError::TooMany(open) => write!(
                f,
                "more than {open} mappings are as good as each other as far as bounds tell; name candidates, or \
                 describe fewer processors"
            ),
            MappingError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for MappingError {}

/// A mapping as it is written for people: processors from 1, replicas of a stage joined by `+`, such as (1, 2+3, 1).
pub fn named(mapping: &Mapping) -> String {
    let stage = |of: &Vec<usize>| of.iter().map(|p| (p + 1).to_string()).collect::<Vec<_>>().join("+");
    format!("({})", mapping.iter().map(stage).collect::<Vec<_>>().join(", "))
}
