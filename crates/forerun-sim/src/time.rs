//! Virtual time in whole picoseconds.

use forerun_skeleton::RunError;

/// Picoseconds in a second.
const PER_SECOND: f64 = 1e12;

/// An instant or a duration of virtual time, in picoseconds.
///
/// Whole numbers make runs reproducible to the last digit. 2^64 ps are 213 days; sums that would
/// be larger stay at [`Time::MAX`], which a run reports as an error and never takes for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of a run; no time at all.
    pub const ZERO: Time = Time(0);
    /// Past the end of virtual time.
    pub const MAX: Time = Time(u64::MAX);
    /// The last 4 ms of virtual time begin here, in which no message is received any more: larger
    /// numbers stand for messages where a time could be as well.
    pub(crate) const END: Time = Time(u64::MAX - (1 << 32));

    /// A time of `ps` picoseconds.
    #[inline]
    pub const fn from_picos(ps: u64) -> Time {
        Time(ps)
    }

    /// A time of `s` seconds, to the nearest picosecond.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if `s` is negative, not a number or 213 days (2^64 ps) or longer.
    pub fn from_seconds(s: f64) -> Result<Time, RunError> {
        let ps = (s * PER_SECOND).round();
        if s >= 0.0 && ps < u64::MAX as f64 {
            Ok(Time(ps as u64))
        } else {
            Err(RunError::Invalid(format!(
                "a duration of {s} s: expected one from 0 s to less than 213 days (2^64 ps)"
            )))
        }
    }

    /// The time in picoseconds.
    #[inline]
    pub const fn picos(self) -> u64 {
        self.0
    }

    /// The time in seconds, to the nearest that an `f64` can hold.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PER_SECOND
    }

    /// This and `other` together; [`Time::MAX`] if that is too long.
    #[must_use]
    #[inline]
    pub const fn plus(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }

    /// From `earlier` until this instant; nothing if `earlier` is later.
    #[must_use]
    #[inline]
    pub const fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
}

impl Time {
    /// From `earlier`, which is not later, until this instant.
    #[inline(always)]
    pub(crate) fn after(self, earlier: Time) -> Time {
        debug_assert!(earlier <= self);
        Time(self.0.wrapping_sub(earlier.0))
    }

    /// This and `other` together, if that is less than 2^64 ps.
    #[inline(always)]
    pub(crate) fn and(self, other: Time) -> Option<Time> {
        self.0.checked_add(other.0).map(Time)
    }

    /// This and `other` together, which are known to be less than 2^64 ps.
    #[inline(always)]
    pub(crate) fn with(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

/// A duration per byte or per result, in 2^−FRACTION ps. Whole numbers keep times exact, and are
/// faster than converting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate<const FRACTION: u32> {
    scaled: u64,
    /// Up to so many units the product fits into 64 bits.
    few: u64,
}

impl<const FRACTION: u32> Default for Rate<FRACTION> {
    fn default() -> Self {
        Rate::new(0)
    }
}

/// Up to a second a byte, in steps of 2^−24 ps: exact to 3 parts in 10^9 at 100 GB/s.
pub(crate) type PerByte = Rate<24>;

/// Up to 75 minutes a result, in steps of 2^−12 ps.
pub(crate) type PerResult = Rate<12>;

impl<const FRACTION: u32> Rate<FRACTION> {
    fn new(scaled: u64) -> Self {
        Rate { scaled, few: u64::MAX.checked_div(scaled).unwrap_or(u64::MAX) }
    }

    /// `s` seconds per unit; the error names it as `what`.
    pub(crate) fn from_seconds(s: f64, what: &str) -> Result<Self, RunError> {
        let scale = (1u64 << FRACTION) as f64;
        let scaled = (s * PER_SECOND * scale).round();
        if s >= 0.0 && scaled < u64::MAX as f64 {
            Ok(Rate::new(scaled as u64))
        } else {
            let most = u64::MAX as f64 / scale / PER_SECOND;
            Err(RunError::Invalid(format!(
                "the {what} is {s} s: expected one from 0 s to less than {most:.0} s"
            )))
        }
    }

    /// The time that `units` take; a fraction of a picosecond is dropped.
    #[inline(always)]
    pub(crate) fn times(self, units: u64) -> Time {
        if units <= self.few { Time((self.scaled * units) >> FRACTION) } else { self.times_many(units) }
    }

    /// Up to so many units, [`Rate::times_few`] is right.
    pub(crate) fn few(self) -> u64 {
        self.few
    }

    /// The time that `units` take, of which there are few.
    #[inline(always)]
    pub(crate) fn times_few(self, units: u64) -> Time {
        debug_assert!(units <= self.few);
        Time(self.scaled.wrapping_mul(units) >> FRACTION)
    }

    #[cold]
    fn times_many(self, units: u64) -> Time {
        let scaled = u128::from(self.scaled) * u128::from(units);
        let ps = (scaled >> FRACTION) as u64;
        Time(if scaled >> (64 + FRACTION) == 0 { ps } else { u64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_that_do_not_fit_are_refused_or_stay_at_the_end() {
        for bad in [-1e-12, f64::NAN, f64::INFINITY, 2e7] {
            assert!(Time::from_seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(Time::from_seconds(1.5e-12), Ok(Time(2)));
        assert_eq!(Time::from_seconds(1.8e7), Ok(Time(18_000_000_000_000_000_000)));
        assert_eq!(Time::MAX.plus(Time(1)), Time::MAX);
        assert_eq!(Time(3).since(Time(5)), Time::ZERO);
        let rate = PerByte::from_seconds(0.5, "rate").expect("fits");
        assert_eq!(rate.times(u64::MAX), Time::MAX);
        assert_eq!(rate.times(4), Time(2_000_000_000_000));
    }

    proptest! {
        #[test]
        fn a_rate_times_units_is_their_product(ps in 0.0..1e9f64, units in 0..1_000_000_000u64) {
            let rate = PerByte::from_seconds(ps * 1e-12, "rate").expect("fits");
            let exact = ps * units as f64;
            let got = rate.times(units).picos() as f64;
            let tolerance = 1.0 + units as f64 / f64::from(1u32 << 24) + exact * 1e-12;
            prop_assert!((got - exact).abs() <= tolerance, "{got} {exact}");
        }
    }
}
