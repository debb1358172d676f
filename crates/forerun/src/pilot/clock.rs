//! The clock of a pilot.

use std::time::Instant;

use forerun_apps::ErasedJob;
use rustix::time::{ClockId, clock_gettime};

/// What tells how long a call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time that passes.
    Wall,
    /// Processor time: where a quota stalls this process, how long a call takes depends on what the quota had left when it began,
    /// and a platform says how much of a processor its hosts have.
    Processor,
}

/// A call under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    clock: Clock,
    wall: Instant,
    /// Processor time of this thread, and of all.
    used: (f64, f64),
}

impl Clock {
    /// The clock for up to `workers` workers at a time here: the wall's, unless a quota leaves them less than a processor each.
    pub(crate) fn here(workers: usize) -> Clock {
        let held = forerun_mpi::processor_quota().is_some_and(|quota| quota < workers as f64);
        if held { Clock::Processor } else { Clock::Wall }
    }

    /// The same for `job`: of work that other processes do, only the wall knows.
    pub(super) fn of(job: &dyn ErasedJob, workers: usize) -> Clock {
        if job.outside() { Clock::Wall } else { Clock::here(workers) }
    }

    /// How many times as long as by this clock a worker's calls take by the wall, in the long run, at least.
    pub(super) fn stretch(self) -> f64 {
        match self {
            Clock::Wall => 1.0,
            Clock::Processor => forerun_mpi::processor_quota().map_or(1.0, |quota| (1.0 / quota).max(1.0)),
        }
    }

    /// Begins a call.
    pub(crate) fn begin(self) -> Begun {
        Begun { clock: self, wall: Instant::now(), used: used() }
    }
}

impl Begun {
    /// Seconds that the call took on this thread.
    pub(crate) fn seconds(self) -> f64 {
        match self.clock {
            Clock::Wall => self.wall.elapsed().as_secs_f64(),
            Clock::Processor => used().0 - self.used.0,
        }
    }

    /// Seconds that the call took, of whose work other threads may have done a part.
    pub(super) fn seconds_of_all(self) -> f64 {
        match self.clock {
            Clock::Wall => self.wall.elapsed().as_secs_f64(),
            Clock::Processor => used().1 - self.used.1,
        }
    }
}

fn used() -> (f64, f64) {
    let of = |clock| {
        let now = clock_gettime(clock);
        now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
    };
    (of(ClockId::ThreadCPUTime), of(ClockId::ProcessCPUTime))
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stall_counts_by_the_wall_only() {
        let (wall, processor) = (Clock::Wall.begin(), Clock::Processor.begin());
        sleep(Duration::from_millis(20));
        assert!(wall.seconds() >= 0.02 && wall.seconds_of_all() >= 0.02);
        assert!(processor.seconds() < 0.01, "{}", processor.seconds());
        assert_eq!(Clock::Wall.stretch(), 1.0);
        assert!(Clock::Processor.stretch() >= 1.0);
    }
}
