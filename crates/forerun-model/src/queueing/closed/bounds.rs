//! Bounds that need no solution.

use forerun_platform::Seconds;

use super::Closed;
use crate::queueing::PerSecond;

/// Asymptotic bounds on a closed network (Denning and Buzen, *The Operational Analysis of Queueing
/// Network Models*, 1978), with D the sum of the demands and D_max the largest demand per server:
///
/// ```text
/// N / (N D + Z) ≤ X(N) ≤ min(1 / D_max, N / (D + Z))
/// max(D, N D_max − Z) ≤ R(N) ≤ N D
/// ```
///
/// They hold for any distributions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower and upper bound of the throughput; infinite where nothing takes time.
    pub throughput: (PerSecond, PerSecond),
    /// Lower and upper bound of the response time.
    pub response: (Seconds, Seconds),
    /// N* = (D + Z) / D_max: the population at which the two upper bounds of the throughput meet.
    /// With fewer ranks nobody need wait, with more somebody must. Infinite where there are only
    /// delays.
    pub knee: f64,
}

impl Closed {
    /// The bounds for a population of `n`.
    pub fn bounds(&self, n: u64) -> Bounds {
        let n = n as f64;
        let z = self.think.0;
        let sum: f64 = self.centres.iter().map(|c| c.demand.0).sum();
        let largest = self.centres.iter().map(super::Centre::bounding).fold(0.0, f64::max);
        let slowest = if n == 0.0 { 0.0 } else { n / (n * sum + z) };
        let fastest = (1.0 / largest).min(n / (sum + z));
        Bounds {
            throughput: (PerSecond(slowest), PerSecond(fastest)),
            response: (Seconds(sum.max(n * largest - z)), Seconds((n * sum).max(sum))),
            knee: (sum + z) / largest,
        }
    }
}
