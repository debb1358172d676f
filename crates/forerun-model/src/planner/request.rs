//! What a plan is asked for.

use forerun_platform::{Platform, ReductionProfile, Strategy};
use forerun_skeleton::Cancel;

/// The input of a job, as far as it can be cut into tasks.
#[derive(Debug, Clone, PartialEq)]
pub enum Divisible {
    /// Can be cut anywhere: `total_bytes` into tasks of any size within the limits.
    Anywhere {
        /// Bytes in all.
        total_bytes: u64,
        /// Least bytes of a task, at least 1.
        min_grain: u64,
        /// Most bytes of a task, for instance what fits in memory.
        max_grain: u64,
    },
    /// Pieces that cannot be cut; neighbours can be put together to make a task.
    Pieces {
        /// Bytes of each piece, in order.
        sizes: Vec<u64>,
        /// Places among them, ascending, that no task goes across: what is before `sizes[k]` is not put together with it.
        breaks: Vec<usize>,
        /// Most bytes of a task; a larger piece is a task by itself.
        max_grain: u64,
    },
    /// Tasks of this size that cannot be changed.
    Tasks {
        /// Their number.
        tasks: u64,
        /// Bytes of each.
        bytes: f64,
    },
}

impl Divisible {
    /// Bytes in all.
    pub fn bytes(&self) -> f64 {
        match self {
            Divisible::Anywhere { total_bytes, .. } => *total_bytes as f64,
            Divisible::Pieces { sizes, .. } => sizes.iter().map(|&s| s as f64).sum(),
            Divisible::Tasks { tasks, bytes } => *tasks as f64 * bytes,
        }
    }
}

/// What the user has fixed; `None` is for the planner to choose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fixed {
    /// Strategy.
    pub strategy: Option<Strategy>,
    /// Ranks of all groups together.
    pub processors: Option<usize>,
    /// Groups.
    pub groups: Option<usize>,
    /// Fan-in of the tree.
    pub arity: Option<usize>,
    /// Bytes of input a task, at most.
    pub grain: Option<u64>,
    /// Results that a delivery of the adaptive strategy holds at least.
    pub set: Option<u64>,
}

/// A job to plan.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The machine.
    pub platform: &'a Platform,
    /// What the application costs.
    pub profile: &'a ReductionProfile,
    /// Its input, without that of tasks that are done.
    pub input: Divisible,
    /// Tasks that are done before the run, and bytes of their input: their results are merged like the
    /// others.
    pub done: (u64, u64),
    /// Most ranks of all groups together.
    pub max_processors: usize,
    /// What the user has fixed.
    pub fixed: Fixed,
    /// Whether the merge commutes.
    pub commutative: bool,
    /// Whether the number of inputs is known before they end.
    pub known_length: bool,
    /// Ends the search, which of very many ranks takes long, before its next prediction.
    pub cancel: Cancel,
}

impl<'a> Request<'a> {
    /// A job whose merge commutes and whose input is known, with nothing fixed, on as many ranks
    /// as the platform has cores.
    pub fn new(platform: &'a Platform, profile: &'a ReductionProfile, input: Divisible) -> Self {
        Request {
            platform,
            profile,
            input,
            done: (0, 0),
            max_processors: platform.cores(),
            fixed: Fixed::default(),
            commutative: true,
            known_length: true,
            cancel: Cancel::new(),
        }
    }
}
