//! Hosts that get a share of a processor's time, period by period.

use serde::{Deserialize, Serialize};

use crate::json;
use crate::units::Seconds;

/// A limit on the processor time of a host, as cgroups (`cpu.max`, `cpu.cfs_quota_us`) and containers
/// have it: in every period all processes of the host together run for at most the quota, and are
/// stalled for the rest of it.
///
/// Beside making the host slower in the long run, it makes short work uneven: what fits in what is
/// left of the quota runs at full speed, what does not is held up by most of a period.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Throttle {
    /// Processor time that a period gives, above 0; beyond `period` where several cores may run.
    #[serde(
        rename = "quota_s",
        deserialize_with = "json::positive_seconds",
        serialize_with = "json::seconds"
    )]
    pub quota: Seconds,
    /// Time after which the quota is full again, above 0.
    #[serde(
        rename = "period_s",
        deserialize_with = "json::positive_seconds",
        serialize_with = "json::seconds"
    )]
    pub period: Seconds,
}

impl Throttle {
    /// The part of its full speed at which each of `cores` cores runs when all are busy for long:
    /// `quota / (period · cores)`, at most 1.
    ///
    /// ```
    /// use forerun_platform::{Seconds, Throttle};
    /// let tenth = Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) };
    /// assert_eq!(tenth.share(1), 0.1);
    /// assert_eq!(tenth.share(2), 0.05);
    /// ```
    pub fn share(&self, cores: usize) -> f64 {
        (self.quota.0 / (self.period.0 * cores as f64)).min(1.0)
    }

    /// How long one core, alone, takes for work of `work` seconds of processor time that begins when the
    /// quota is full: the work and a stall of `period − quota` after each quota that does not finish it.
    ///
    /// ```
    /// use forerun_platform::{Seconds, Throttle};
    /// let tenth = Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) };
    /// assert_eq!(tenth.elapsed(Seconds(0.5e-3)), Seconds(0.5e-3));
    /// assert_eq!(tenth.elapsed(Seconds(2.5e-3)), Seconds(20.5e-3));
    /// ```
    pub fn elapsed(&self, work: Seconds) -> Seconds {
        if self.quota.0 >= self.period.0 || work.0 <= 0.0 {
            return work;
        }
        let stalls = ((work.0 / self.quota.0).ceil() - 1.0).max(0.0);
        Seconds(work.0 + stalls * (self.period.0 - self.quota.0))
    }
}
