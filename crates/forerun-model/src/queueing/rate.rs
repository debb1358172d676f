//! Rates of events.

use std::fmt;
use std::ops::Mul;

use forerun_platform::Seconds;

/// So many a second: arrivals, messages, jobs.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct PerSecond(pub f64);

impl PerSecond {
    /// One in every `interval`; infinite for an interval of 0.
    pub fn every(interval: Seconds) -> Self {
        PerSecond(interval.0.recip())
    }

    /// The mean time from one to the next; infinite at rate 0.
    pub fn interval(self) -> Seconds {
        Seconds(self.0.recip())
    }
}

/// How many there are in a time, on average.
impl Mul<Seconds> for PerSecond {
    type Output = f64;
    fn mul(self, time: Seconds) -> f64 {
        self.0 * time.0
    }
}

impl Mul<f64> for PerSecond {
    type Output = PerSecond;
    fn mul(self, factor: f64) -> PerSecond {
        PerSecond(self.0 * factor)
    }
}

impl fmt::Display for PerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/s", crate::words::digits(self.0)))
    }
}
