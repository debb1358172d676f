//! What one call of a stage costs.

use serde::{Deserialize, Serialize};

use crate::json;

/// Time of one call of a stage on a host of speed 1:
/// `fixed + per_byte · bytes + per_result · results` seconds of processor time, and beside it what it waits.
///
/// For a task, `bytes` is the size of its input and `results` is 1. For a merge they are the
/// bytes and the task results of *both* parts together, for a sink those of what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Seconds that every call costs.
    #[serde(rename = "fixed_s", default, deserialize_with = "json::not_negative")]
    pub fixed: f64,
    /// Seconds per byte.
    #[serde(rename = "per_byte_s", default, deserialize_with = "json::not_negative")]
    pub per_byte: f64,
    /// Seconds per task result.
    #[serde(rename = "per_result_s", default, deserialize_with = "json::not_negative")]
    pub per_result: f64,
    /// What a call waits beside its processor time.
    #[serde(default, skip_serializing_if = "Wait::is_none")]
    pub wait: Wait,
    /// Standard deviation of a call's time relative to its expectation.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub spread: f64,
    /// Relative standard error of the expectation itself: what every call may be off by in common,
    /// because the figures come from few measurements. 0 where they are stated.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub error: f64,
}

/// What a call waits for something that is no part of its host's processors, a server or a disk:
/// `fixed + per_byte · bytes + per_result · results` seconds, which are the same on a host of any speed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Seconds that every call waits.
    #[serde(rename = "fixed_s", default, deserialize_with = "json::not_negative")]
    pub fixed: f64,
    /// Seconds per byte.
    #[serde(rename = "per_byte_s", default, deserialize_with = "json::not_negative")]
    pub per_byte: f64,
    /// Seconds per task result.
    #[serde(rename = "per_result_s", default, deserialize_with = "json::not_negative")]
    pub per_result: f64,
}

impl Cost {
    /// A cost that is the same processor time for every call.
    pub fn constant(seconds: f64) -> Self {
        Cost { fixed: seconds, ..Cost::default() }
    }

    /// Expected seconds of a call on a host of speed 1, with what it waits.
    #[inline]
    pub fn seconds(&self, bytes: f64, results: f64) -> f64 {
        let Wait { fixed, per_byte, per_result } = self.wait;
        (self.fixed + fixed) + (self.per_byte + per_byte) * bytes + (self.per_result + per_result) * results
    }

    /// The same call on a host of this speed, all of it as time of that host: processor time is divided by
    /// the speed, and what it waits is not.
    #[must_use]
    pub fn on(&self, speed: f64) -> Self {
        let Wait { fixed, per_byte, per_result } = self.wait;
        Cost {
            fixed: self.fixed / speed + fixed,
            per_byte: self.per_byte / speed + per_byte,
            per_result: self.per_result / speed + per_result,
            wait: Wait::default(),
            ..*self
        }
    }

    /// Its processor time alone, without what it waits.
    #[must_use]
    pub fn work(&self) -> Self {
        Cost { wait: Wait::default(), ..*self }
    }

    /// What it waits alone, without its processor time.
    #[must_use]
    pub fn waits(&self) -> Self {
        Cost { fixed: 0.0, per_byte: 0.0, per_result: 0.0, ..*self }
    }

    /// So many times the cost.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let Wait { fixed, per_byte, per_result } = self.wait;
        Cost {
            fixed: self.fixed * factor,
            per_byte: self.per_byte * factor,
            per_result: self.per_result * factor,
            wait: Wait {
                fixed: fixed * factor,
                per_byte: per_byte * factor,
                per_result: per_result * factor,
            },
            ..*self
        }
    }

    /// The same time, of which so much, 0 to 1, is waited for.
    #[must_use]
    pub fn waiting(&self, share: f64) -> Self {
        let all = self.on(1.0);
        let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
        let Cost { fixed, per_byte, per_result, .. } = all.times(share);
        Cost { wait: Wait { fixed, per_byte, per_result }, ..all.times(1.0 - share) }
    }

    /// All that a cost says but its error: what must be a number from 0 each.
    pub fn figures(&self) -> [f64; 7] {
        let Wait { fixed, per_byte, per_result } = self.wait;
        [self.fixed, self.per_byte, self.per_result, self.spread, fixed, per_byte, per_result]
    }
}

impl Wait {
    /// A wait that is the same for every call.
    pub fn constant(seconds: f64) -> Self {
        Wait { fixed: seconds, ..Wait::default() }
    }

    /// Whether nothing is waited for.
    pub fn is_none(&self) -> bool {
        *self == Wait::default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cost, Wait};

    prop_compose! {
        fn costs()(
            fixed in 0.0..1.0f64, per_byte in 0.0..1e-6f64, per_result in 0.0..0.1f64,
            waits in (0.0..1.0f64, 0.0..1e-6f64, 0.0..0.1f64),
        ) -> Cost {
            let wait = Wait { fixed: waits.0, per_byte: waits.1, per_result: waits.2 };
            Cost { fixed, per_byte, per_result, wait, ..Cost::default() }
        }
    }

    proptest! {
        #[test]
        fn processor_time_alone_grows_on_a_slower_host(
            cost in costs(), bytes in 0.0..1e7f64, results in 0.0..50.0f64, speed in 0.05..4.0f64,
        ) {
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + a.abs());
            let work = Cost { wait: Wait::default(), ..cost }.seconds(bytes, results);
            let all = cost.seconds(bytes, results);
            prop_assert!(close(cost.on(1.0).seconds(bytes, results), all));
            prop_assert!(close(cost.on(speed).seconds(bytes, results), work / speed + (all - work)));
            prop_assert!(close(cost.on(0.1).seconds(bytes, results), all + 9.0 * work));
            prop_assert!(cost.on(speed).wait.is_none());
        }

        #[test]
        fn a_share_that_is_waited_for_leaves_the_time_as_it_was(
            cost in costs(), bytes in 0.0..1e7f64, share in 0.0..=1.0f64,
        ) {
            let (all, of) = (cost.seconds(bytes, 1.0), cost.waiting(share));
            prop_assert!((of.seconds(bytes, 1.0) - all).abs() <= 1e-12 * (1.0 + all));
            let waits = all - Cost { wait: Wait::default(), ..of }.seconds(bytes, 1.0);
            prop_assert!((waits - share * all).abs() <= 1e-12 * (1.0 + all));
            prop_assert!((cost.times(3.0).seconds(bytes, 1.0) - 3.0 * all).abs() <= 1e-11 * (1.0 + all));
        }
    }
}
