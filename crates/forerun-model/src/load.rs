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
    /// Standard deviation of the tasks' bytes of input relative to their mean.
    pub uneven: f64,
    /// How many of the tasks are done before the run begins: they cost nothing, their results are
    /// merged like the others.
    pub done: u64,
    /// Bytes of input of those that are done, all together.
    pub done_bytes: f64,
}

impl Load {
    /// `tasks` tasks of `bytes` bytes, of a known number and with a merge that commutes.
    pub fn new(tasks: u64, bytes: f64) -> Self {
        Load { tasks, bytes, commutative: true, known: true, uneven: 0.0, done: 0, done_bytes: 0.0 }
    }

    /// The `uneven` of tasks of these sizes.
    pub fn unevenness(sizes: &[u64]) -> f64 {
        let n = sizes.len() as f64;
        let mean = sizes.iter().map(|&s| s as f64).sum::<f64>() / n;
        let variance = sizes.iter().map(|&s| (s as f64 - mean).powi(2)).sum::<f64>() / n;
        if mean > 0.0 { variance.sqrt() / mean } else { 0.0 }
    }
}
