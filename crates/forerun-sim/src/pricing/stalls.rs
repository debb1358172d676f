//! Hosts whose processor time has a quota: work runs at full speed until the quota is used, and is then
//! stalled for the rest of the period.

use std::cell::Cell;

use forerun_platform::Host;
use forerun_skeleton::RunError;

use crate::Time;

/// A quota and its period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quota {
    quota: Time,
    period: Time,
}

/// What a rank has used: since when its period runs, and how much of the quota.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Used {
    since: Time,
    used: Time,
}

/// What the ranks have used so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Stalls(Vec<Cell<Used>>);

impl Quota {
    /// The quota of each core of `host`, where it has one that is tighter than what other jobs leave.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a time is negative, not a number, or too long.
    pub(super) fn of(host: &Host) -> Result<Option<Quota>, RunError> {
        let Some(throttle) = host.throttle else { return Ok(None) };
        let share = throttle.share(host.cores);
        if share >= (1.0 - host.background.value.0).min(1.0) {
            return Ok(None);
        }
        let quota = Time::from_seconds(throttle.quota.0 / host.cores as f64)?;
        let period = Time::from_seconds(throttle.period.0)?;
        Ok((quota > Time::ZERO).then_some(Quota { quota, period }))
    }
}

impl Stalls {
    /// Of `ranks` ranks that have used nothing.
    pub(super) fn new(ranks: usize) -> Self {
        Stalls(vec![Cell::default(); ranks])
    }

    /// How long `rank` takes for work of `work`, at full speed, that it begins at `now`. A period begins with the first work
    /// after the last one's end, as a control group's timer is started by work.
    pub(super) fn duration(&self, rank: usize, quota: Quota, now: Time, work: Time) -> Time {
        let Some(cell) = self.0.get(rank) else { return work };
        let Quota { quota, period } = quota;
        let mut state = cell.get();
        // A time that went back is that of another run.
        if now < state.since || now.since(state.since) >= period {
            state = Used { since: now, used: Time::ZERO };
        }
        let left = quota.since(state.used);
        if work <= left {
            cell.set(Used { used: state.used.plus(work), ..state });
            return work;
        }
        let work = work.since(left).picos();
        // The last period is one that is used, in part or all of it.
        let periods = work.div_ceil(quota.picos());
        let last = work - (periods - 1) * quota.picos();
        let passed = Time::from_picos(period.picos().saturating_mul(periods));
        let state = Used { since: state.since.plus(passed), used: Time::from_picos(last) };
        cell.set(state);
        state.since.plus(state.used).since(now)
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Seconds, Share, Throttle};
    use proptest::prelude::*;

    use super::*;

    fn tenth() -> Quota {
        let throttle = Some(Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) });
        let host = Host { throttle, ..Host::new("h", 1, 1) };
        Quota::of(&host).expect("times").expect("a quota")
    }

    fn at(ms: f64) -> Time {
        Time::from_seconds(ms / 1e3).expect("a time")
    }

    #[test]
    fn what_fits_runs_at_full_speed_and_what_does_not_is_stalled() {
        let stalls = Stalls::new(2);
        let took = |rank, now, work| stalls.duration(rank, tenth(), at(now), at(work)).seconds() * 1e3;
        assert_eq!(took(0, 0.0, 0.5), 0.5);
        assert_eq!(took(0, 0.5, 0.5), 0.5);
        // Nothing is left of the first period.
        assert_eq!(took(0, 1.0, 0.25), 9.25);
        assert_eq!(took(0, 12.0, 0.25), 0.25);
        // Half a millisecond of this one, two whole ones, a quarter of another.
        assert_eq!(took(0, 13.0, 2.75), 27.25);
        assert_eq!(
            took(1, 13.0, 2.75),
            Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) }.elapsed(Seconds(2.75e-3)).0 * 1e3
        );
        // Another run.
        assert_eq!(took(0, 0.0, 1.0), 1.0);
    }

    #[test]
    fn a_quota_that_is_not_the_tighter_limit_is_none() {
        let throttle = Some(Throttle { quota: Seconds(5e-3), period: Seconds(10e-3) });
        let host = Host { throttle, background: Share(0.6).into(), ..Host::new("h", 1, 1) };
        assert_eq!(Quota::of(&host), Ok(None));
        assert_eq!(Quota::of(&Host::new("h", 1, 1)), Ok(None));
    }

    proptest! {
        /// However work is cut, a rank that is always busy gets its share, to one period.
        #[test]
        fn in_the_long_run_it_is_the_share(works in prop::collection::vec(1u64..5_000_000_000, 1..60)) {
            let stalls = Stalls::new(1);
            let mut now = Time::ZERO;
            for &work in &works {
                now = now.plus(stalls.duration(0, tenth(), now, Time::from_picos(work)));
            }
            let all: u64 = works.iter().sum();
            let share = now.picos() as f64 / 10.0;
            prop_assert!((share - all as f64).abs() <= 1e9, "{share} {all}");
        }
    }
}
