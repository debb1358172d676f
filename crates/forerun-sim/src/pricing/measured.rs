//! The price that was measured.

use std::time::Instant;

use forerun_platform::{Platform, Stage};
use forerun_skeleton::{Charge, RunError};
use rustix::time::{ClockId, clock_gettime};

use super::Pricing;
use super::availability::Speeds;
use crate::Time;

/// Charges the time that the work took here, divided by the speed of the core that the rank is
/// placed on relative to this one, and by its availability at the time: emulation.
///
/// The time is the CPU time of the calling thread, so what else runs on this machine matters
/// little; it does not see work that the application has done by other processes or threads, for
/// which there is [`Measured::by_wall_clock`]. What a delivery takes beside its CPU time, as it waits for a
/// server or a disk, is charged as it is, whatever the speed. Its clock readings cost less than a microsecond.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    speeds: Speeds,
    wall: bool,
    input: bool,
}

impl Measured {
    /// Prices for `ranks` ranks on a platform whose speeds are relative to this machine. Getting
    /// inputs is free; see [`Measured::with_input`].
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a host has no speed.
    pub fn new(platform: &Platform, ranks: usize) -> Result<Self, RunError> {
        Ok(Measured { speeds: Speeds::new(platform, ranks)?, wall: false, input: false })
    }

    /// Charges elapsed time instead of CPU time.
    #[must_use]
    pub fn by_wall_clock(self) -> Self {
        Measured { wall: true, ..self }
    }

    /// Charges the elapsed time of getting inputs, not scaled: it is the storage's, not the core's.
    #[must_use]
    pub fn with_input(self) -> Self {
        Measured { input: true, ..self }
    }
}

impl Pricing for Measured {
    fn price<T>(&self, rank: usize, now: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        if charge.stage == Stage::Input {
            let start = Instant::now();
            let value = f();
            let took = if self.input { start.elapsed().as_nanos() as u64 } else { 0 };
            return (value, Time::from_picos(took.saturating_mul(1000)));
        }
        let start = (Instant::now(), cpu_nanos());
        let value = f();
        let used = cpu_nanos().saturating_sub(start.1);
        let passed = start.0.elapsed().as_nanos() as u64;
        let work = if self.wall { passed } else { used };
        let waits = if charge.stage == Stage::Sink { passed.saturating_sub(work) } else { 0 };
        let speed = &self.speeds.hosts()[self.speeds.host(rank)];
        let worked = self.speeds.duration(rank, now, work as f64 * 1e3 / speed.relative);
        (value, worked.plus(Time::from_picos(waits.saturating_mul(1000))))
    }
}

/// CPU time of this thread in nanoseconds.
fn cpu_nanos() -> u64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
