//! What part of a processor a rank gets, and whether a quota stalls it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use forerun_platform::statistics::median;
use rustix::time::{ClockId, clock_gettime};

/// Seconds that a rank computes: many periods of any usual quota.
const BUSY_S: f64 = 0.6;
/// A jump of the clock that is a stall: longer than an interrupt, shorter than what is left of a period of any usual quota.
const STALL: Duration = Duration::from_micros(400);
/// Steps of a turn.
const STEPS: u64 = 1000;
/// A rank that gets so much of a processor has all of it.
const WHOLE: f64 = 0.97;
/// Stalls without which nothing is said of how they come.
const FEWEST: usize = 5;
/// How far most periods may be off the median one where a quota sets them.
const REGULAR: f64 = 0.15;

/// Computes for a while: what part of a processor that got, and the quota and the period (in seconds) of a limit that stalls the
/// rank regularly, else zeros.
pub(super) fn share() -> [f64; 3] {
    let (begun, used) = (Instant::now(), thread_seconds());
    let mut sum = 0u64;
    let mut last = begun;
    let (mut stalls, mut used_by) = (Vec::new(), Vec::new());
    while last.duration_since(begun).as_secs_f64() < BUSY_S {
        sum = black_box(turn(sum));
        let now = Instant::now();
        if now.duration_since(last) > STALL {
            stalls.push(now.duration_since(begun).as_secs_f64());
            used_by.push(thread_seconds() - used);
        }
        last = now;
    }
    let all = (thread_seconds() - used, last.duration_since(begun).as_secs_f64());
    let part = part(&stalls, &used_by, all);
    let period = regular(&stalls).unwrap_or(0.0);
    [part, part * period, period]
}

/// The part of a processor that a rank had which was stalled until these instants, by which it had used so many seconds: from the end of
/// the first stall to that of the last, since a rank that begins and ends between stalls has had more than its part. With fewer than two,
/// of what it used in all, in so much time.
fn part(stalls: &[f64], used: &[f64], (all, time): (f64, f64)) -> f64 {
    match (stalls, used) {
        ([first, .., last], [before, .., after]) => (after - before) / (last - first),
        _ => all / time,
    }
}

/// What a rank computes between two looks at the clock.
pub(super) fn turn(sum: u64) -> u64 {
    (0..STEPS).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n))
}

/// Whether a rank that gets this part of a processor is stalled now and then.
pub(super) fn is_stalled(part: f64) -> bool {
    part < WHOLE
}

/// The time from one to the next of events at these instants, where it is nearly always the same.
fn regular(instants: &[f64]) -> Option<f64> {
    if instants.len() <= FEWEST {
        return None;
    }
    let between: Vec<f64> = instants.windows(2).map(|w| w[1] - w[0]).collect();
    let middle = median(&between)?;
    let near = between.iter().filter(|b| (*b - middle).abs() <= REGULAR * middle).count();
    (4 * near >= 3 * between.len()).then_some(middle)
}

/// Seconds of the processor that this process has used, all its threads together.
pub(super) fn process_seconds() -> f64 {
    seconds_by(ClockId::ProcessCPUTime)
}

pub(super) fn thread_seconds() -> f64 {
    seconds_by(ClockId::ThreadCPUTime)
}

/// What a clock of the processor shows.
pub(super) fn seconds_by(clock: ClockId) -> f64 {
    let now = clock_gettime(clock);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_of_a_quota_are_told_from_others() {
        let every: Vec<f64> = (0..20).map(|k| 0.01 * f64::from(k) + 1e-4 * f64::from(k % 3)).collect();
        let period = regular(&every).expect("they are regular");
        assert!((period - 0.01).abs() < 2e-4, "{period}");
        // One in ten is missed.
        let missed: Vec<f64> = (0..20).filter(|k| k % 10 != 4).map(|k| 0.01 * f64::from(k)).collect();
        assert!(regular(&missed).is_some());
        let uneven: Vec<f64> = (0..20).map(|k: i32| 0.001 * f64::from(k * k)).collect();
        assert_eq!(regular(&uneven), None);
        assert_eq!(regular(&every[..3]), None);
    }

    #[test]
    fn a_rank_that_begins_and_ends_between_stalls_has_no_larger_part() {
        // 4 ms of 40 from the begin on, until 2 ms after the last stall.
        let stalls: Vec<f64> = (1..=15).map(|k| 0.04 * f64::from(k)).collect();
        let used: Vec<f64> = (1..=15).map(|k| 0.004 * f64::from(k)).collect();
        let found = part(&stalls, &used, (0.062, 0.602));
        assert!((found - 0.1).abs() < 1e-9, "{found}");
        assert_eq!(part(&stalls[..1], &used[..1], (0.3, 0.6)), 0.5);
        assert_eq!(part(&[], &[], (0.6, 0.6)), 1.0);
    }

    #[test]
    fn a_share_is_a_part() {
        let [part, quota, period] = share();
        assert!(part > 0.0 && part < 1.01, "{part}");
        assert!((quota - part * period).abs() < 1e-12);
    }
}
