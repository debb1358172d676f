//! The work of a run.

/// The work of a run, once the grain is fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Number of tasks.
    pub tasks: u64,
    /// Bytes of input of a task.
    pub bytes: f64,
    /// Whether the merge commutes; the adaptive strategy deals tasks out otherwise where it does
    /// not.
    pub commutative: bool,
    /// Whether the run knows the number of tasks before it has met the end of its input.
    pub known: bool,
}

impl Load {
    /// `tasks` tasks of `bytes` bytes, of a known number and with a merge that commutes.
    pub fn new(tasks: u64, bytes: f64) -> Self {
        Load { tasks, bytes, commutative: true, known: true }
    }
}
