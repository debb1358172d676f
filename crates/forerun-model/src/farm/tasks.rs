//! The tasks of a farm.

/// Tasks that a master gives out one by one, alike but for the spread of their costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tasks {
    /// Number of tasks.
    pub count: u64,
    /// Seconds that a slave works on one: the mean.
    pub work_s: f64,
    /// Seconds that it waits beside, which are the same on a host of any speed.
    pub wait_s: f64,
    /// Standard deviation of that, as a part of it.
    pub spread: f64,
    /// Bytes of the message that gives a task out.
    pub task_bytes: f64,
    /// Bytes of the message that answers it.
    pub answer_bytes: f64,
    /// Seconds for which its master hands an answer on, when it has given the next task out; on the master's host, whatever its speed.
    pub sink_s: f64,
    /// Seconds for which a master begins to hand answers on before all, and again for which it ends that after all.
    pub open_s: f64,
    /// Tasks that a slave has at a time, at least 1: with 1 it waits for the next while its answer is under
    /// way, with more it works on what it has.
    pub prefetch: u64,
}

impl Tasks {
    /// `count` tasks of `work_s` seconds, without spread and without prefetch, of answers that cost nothing to hand on.
    pub fn new(count: u64, work_s: f64, task_bytes: f64, answer_bytes: f64) -> Tasks {
        Tasks {
            count,
            work_s,
            wait_s: 0.0,
            spread: 0.0,
            task_bytes,
            answer_bytes,
            sink_s: 0.0,
            open_s: 0.0,
            prefetch: 1,
        }
    }
}
