//! How long a rank sleeps while it waits, which is by how much what it waits for may be found late.

use std::time::Duration;

/// The shortest and the longest sleep of a rank that has a core.
pub(crate) const SHORTEST: Duration = Duration::from_micros(20);
pub(crate) const LONGEST: Duration = Duration::from_millis(1);
/// The part of the time waited so far for which a rank sleeps.
const PART: u32 = 8;

/// How long a rank sleeps that has waited so long, within its shortest and longest sleep.
pub(crate) fn nap(waited: Duration, (shortest, longest): (Duration, Duration)) -> Duration {
    (waited / PART).clamp(shortest, longest)
}

/// By how many seconds a message may be found late by a rank that has a core and has waited for it for `waited` seconds: 20 us to 1 ms.
///
/// ```
/// assert_eq!(forerun_mpi::late_s(8e-3), 1e-3);
/// assert_eq!(forerun_mpi::late_s(4e-3), 0.5e-3);
/// assert_eq!(forerun_mpi::late_s(0.0), 20e-6);
/// ```
pub fn late_s(waited: f64) -> f64 {
    // What is too long for a duration is slept through in the longest.
    Duration::try_from_secs_f64(waited)
        .map_or(LONGEST, |waited| nap(waited, (SHORTEST, LONGEST)))
        .as_secs_f64()
}
