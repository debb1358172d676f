//! What messages that leave take of their sender's processor, where the network has such.

use crate::Time;

/// What a rank's port still takes of its processor: evenly over the time until the port is free.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Leaving {
    since: Time,
    /// What was left of it at `since`, if the rank computed from then on.
    toll: Time,
}

impl Leaving {
    /// The same later, at `now`, of a port that is free from `port` on.
    fn at(self, now: Time, port: Time) -> Leaving {
        let (left, whole) = (port.since(now).picos(), port.since(self.since).picos());
        let toll = if left < whole { part(self.toll, left, whole) } else { self.toll };
        Leaving { since: now, toll: if left == 0 { Time::ZERO } else { toll } }
    }

    /// The same when at `now` a message is put on it that takes this.
    pub(super) fn put(self, now: Time, port: Time, toll: Time) -> Leaving {
        let before = self.at(now, port);
        Leaving { toll: before.toll.plus(toll), ..before }
    }

    /// How long work takes that would take `work` and begins at `now`.
    pub(super) fn longer(self, now: Time, port: Time, work: Time) -> Time {
        let whole = port.since(now);
        let toll = self.at(now, port).toll.min(whole);
        if toll == Time::ZERO || work == Time::ZERO {
            return work;
        }
        let free = whole.since(toll);
        if work >= free { work.plus(toll) } else { part(work, whole.picos(), free.picos()) }
    }
}

/// `of` times `numerator` by `denominator`.
fn part(of: Time, numerator: u64, denominator: u64) -> Time {
    let part = u128::from(of.picos()) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(part).map_or(Time::MAX, Time::from_picos)
}
