//! The clocks that measure.

use std::hint::black_box;
use std::time::Instant;

use forerun_platform::statistics::median;
use rustix::time::{ClockId, clock_getres, clock_gettime};

/// Processor time that this thread has used so far, in seconds: it does not go on while another
/// thread has the core.
pub(super) fn thread_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Seconds that reading the clock twice in a row puts between the two readings.
pub(super) fn reading() -> f64 {
    let once = || {
        let begun = Instant::now();
        for _ in 0..100 {
            black_box(Instant::now());
        }
        begun.elapsed().as_secs_f64() / 100.0
    };
    let times: Vec<f64> = (0..25).map(|_| once()).collect();
    median(&times).unwrap_or_default()
}

/// What measured, in words.
pub(super) fn describe(reading: f64) -> String {
    let resolution = clock_getres(ClockId::Monotonic);
    let nanos = resolution.tv_sec as f64 * 1e9 + resolution.tv_nsec as f64;
    format!(
        "monotonic clock, resolution {nanos:.0} ns, {:.0} ns a reading; contention and the kernel by the thread's processor time",
        reading * 1e9
    )
}
