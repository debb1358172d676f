//! What bounds a predicted time.

use std::fmt;

/// What the ranks wait for in the long run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Bound {
    /// Running tasks.
    #[default]
    Task,
    /// Merging.
    Merge,
    /// The sink of the rank that delivers.
    Sink,
    /// Sending and receiving.
    Communication,
    /// The master, which merges and delivers all that its slaves compute.
    Master,
    /// The first rank, which receives and delivers every set.
    First,
    /// Too few tasks for the ranks: filling and draining take longer than what is between.
    Depth,
    /// Fewer cores than ranks with something to do.
    Cores,
    /// What the application does when every set is in the sink: it takes longer than all before.
    Finish,
}

impl Bound {
    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Task => "tasks",
            Bound::Merge => "merges",
            Bound::Sink => "sink",
            Bound::Communication => "communication",
            Bound::Master => "master",
            Bound::First => "first rank",
            Bound::Depth => "fill and drain",
            Bound::Cores => "cores",
            Bound::Finish => "finish",
        }
    }

    /// The largest of a cycle's parts.
    pub(crate) fn largest(parts: &[(Bound, f64)]) -> Bound {
        let mut best = (Bound::Task, 0.0);
        for &(bound, seconds) in parts {
            if seconds > best.1 {
                best = (bound, seconds);
            }
        }
        best.0
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
