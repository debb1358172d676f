//! What every way of running a program gives back.

use forerun_platform::RankTimes;

/// How to run a program, whatever the way.
#[derive(Debug, Clone)]
pub struct Options {
    /// Number of ranks, at least 1.
    pub ranks: usize,
    /// Messages that a sender may be ahead of each receiver, at least 1.
    pub window: usize,
    /// Spans kept of each rank's timeline, put together where there are more; 0 keeps none.
    pub timeline: usize,
    /// Ends the run early when it is set.
    pub cancel: crate::Cancel,
}

impl Options {
    /// Options for `ranks` ranks: window 4, no timeline.
    pub fn new(ranks: usize) -> Self {
        Options { ranks, window: 4, timeline: 0, cancel: crate::Cancel::new() }
    }
}

/// What a program gave and how long it took, in real or in virtual time.
#[derive(Debug, Clone)]
pub struct Ran<O> {
    /// What each rank returned.
    pub outs: Vec<O>,
    /// Seconds from the start to the end of the last rank.
    pub makespan_s: f64,
    /// Where each rank's time went.
    pub ranks: Vec<RankTimes>,
}

impl Options {
    /// Checks what any way needs.
    ///
    /// # Errors
    /// [`crate::RunError::Invalid`] for no ranks, more than 2^32, or no window.
    pub fn check(&self) -> Result<(), crate::RunError> {
        let what = match self {
            Options { ranks: 0, .. } => "a run needs at least 1 rank",
            Options { ranks, .. } if u32::try_from(*ranks).is_err() => "a run has at most 2^32 ranks",
            Options { window: 0, .. } => "a window holds at least 1 message",
            _ => return Ok(()),
        };
        Err(crate::RunError::Invalid(what.into()))
    }
}
