//! The clock of a pilot.

use std::sync::OnceLock;
use std::time::Instant;

use forerun_apps::ErasedJob;
use forerun_apps::command::{Usage, of_programs, scheduled};
use rustix::time::{ClockId, clock_gettime};

/// What tells how long a call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time that passes.
    Wall,
    /// The same, in which programs do the work, whose processor time is that of no thread here: nothing is taken for
    /// waiting.
    Programs,
    /// Processor time, and what a call waits: where a quota stalls this process, how long a call takes depends on what the quota
    /// had left when it began, and a platform says how much of a processor its hosts have.
    Processor,
}

/// What is less of a call's time than this is not taken for waiting: a page that is read, and what clocks are off.
const LEAST: f64 = 0.02;

/// Part of a call's processor time that other threads have used, from which on they are what is waited for.
const OTHERS: f64 = 0.05;

/// A call under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    clock: Clock,
    /// Seconds that this thread was not given a processor although it could have used one.
    delayed: Option<f64>,
    /// Processor time of this thread, and of all.
    used: (f64, f64),
    wall: Instant,
}

/// How long a call took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Took {
    /// Seconds in all.
    pub(crate) seconds: f64,
    /// Part of them in which nothing of this process worked, nor waited for a processor: it was waiting for a
    /// server or a disk.
    pub(crate) wait: f64,
}

impl Took {
    /// How much of the time was waited for, 0 to 1.
    pub(crate) fn share(self) -> f64 {
        let share = if self.seconds > 0.0 { (self.wait / self.seconds).min(1.0) } else { 0.0 };
        if share < LEAST { 0.0 } else { share }
    }
}

/// How long a call took whose work programs did. Where a quota stalls them, what passed is without the stalls: a platform says how much of a
/// processor its hosts have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TookOutside {
    /// Seconds in all.
    pub(crate) passed: f64,
    /// Processor time, of this thread and of the programs, and that of it which was not these's first threads'.
    pub(crate) worked: f64,
    pub(crate) others: f64,
    /// Seconds that passed in which neither this thread nor the programs' first threads were on a processor, nor could have been, and for
    /// which no disk was read: others of the programs' may have been kept from one in them.
    pub(crate) waited: f64,
}

impl TookOutside {
    /// The same without what a quota has stalled: what was worked, and waited where it is known. (Of other threads and programs than the first
    /// it is not told what they waited and what they were stalled.)
    fn without_stalls(self) -> TookOutside {
        let waited = if self.others > OTHERS * self.worked { 0.0 } else { self.waited };
        TookOutside { passed: self.worked + waited, waited, ..self }
    }
}

impl Clock {
    /// The clock for up to `workers` workers at a time here: the wall's, unless a quota leaves them less than a processor each.
    pub(crate) fn here(workers: usize) -> Clock {
        let held = forerun_mpi::processor_quota().is_some_and(|quota| quota < workers as f64);
        if held { Clock::Processor } else { Clock::Wall }
    }

    /// The clock where `workers` workers at a time share so many cores: what a call waits for its turn, or is stalled by a quota, is none of
    /// its cost, where the system tells.
    pub(crate) fn of_turns(workers: usize, cores: usize) -> Clock {
        match workers > cores && delayed().is_some() || is_held() {
            true => Clock::Processor,
            false => Clock::Programs,
        }
    }

    /// That of [`Clock::here`] for `job`: of work that other processes do, only the wall knows.
    pub(super) fn of(job: &dyn ErasedJob, workers: usize) -> Clock {
        if job.outside() { Clock::Programs } else { Clock::here(workers) }
    }

    /// How many times as long as by this clock a worker's calls take by the wall, in the long run, at least.
    pub(crate) fn stretch(self) -> f64 {
        match self {
            Clock::Wall | Clock::Programs => 1.0,
            Clock::Processor => forerun_mpi::processor_quota().map_or(1.0, |quota| (1.0 / quota).max(1.0)),
        }
    }

    /// Begins a call.
    pub(crate) fn begin(self) -> Begun {
        Begun { clock: self, delayed: delayed(), used: used(), wall: Instant::now() }
    }
}

impl Begun {
    /// Seconds that the call took on this thread, and for a clock of processor time not what it waited.
    pub(crate) fn seconds(self) -> f64 {
        match self.clock {
            Clock::Wall | Clock::Programs => self.wall.elapsed().as_secs_f64(),
            Clock::Processor => used().0 - self.used.0,
        }
    }

    /// How long the call took on this thread.
    pub(crate) fn took(self) -> Took {
        let (passed, used) = (self.wall.elapsed().as_secs_f64(), used().0 - self.used.0);
        self.parted(passed, used)
    }

    /// How long the call took, in which programs used what is said. Waiting for a disk is none: it does not do more for more who wait.
    pub(crate) fn took_outside(self, programs: &Usage) -> TookOutside {
        let passed = self.wall.elapsed().as_secs_f64();
        let worked = used().0 - self.used.0 + programs.processor_s;
        let late = self.delayed.and_then(|before| Some((delayed()? - before).max(0.0)));
        let waited = match late {
            Some(late) if !programs.read => (passed - worked - late - programs.delayed_s).max(0.0),
            _ => 0.0,
        };
        let took = TookOutside { passed, worked, others: programs.others_s, waited };
        if is_held() { took.without_stalls() } else { took }
    }

    /// How long `f` took, which began with this: by the clock of programs, of what those have used that it ran, where a quota stalls them.
    pub(super) fn during<R>(self, f: impl FnOnce() -> R) -> (R, Took) {
        if self.clock != Clock::Programs || !is_held() {
            return (f(), self.took());
        }
        let (done, programs) = of_programs(f);
        let took = match programs.map(|programs| self.took_outside(&programs)) {
            Some(TookOutside { passed, waited, .. }) => Took { seconds: passed, wait: waited },
            None => self.took(),
        };
        (done, took)
    }

    /// How long the call took, of whose work other threads may have done a part; then this thread waits for them, and no
    /// more is known.
    pub(super) fn took_of_all(self) -> Took {
        let (passed, now) = (self.wall.elapsed().as_secs_f64(), used());
        let (own, all) = (now.0 - self.used.0, now.1 - self.used.1);
        let took = self.parted(passed, all);
        match all - own > OTHERS * all {
            true => Took { seconds: if self.clock == Clock::Processor { all } else { passed }, wait: 0.0 },
            false => took,
        }
    }

    /// A call in which so many seconds passed, of which so many were worked.
    fn parted(self, passed: f64, used: f64) -> Took {
        let late = || self.delayed.and_then(|before| Some((delayed()? - before).max(0.0)));
        let rest = (passed - used).max(0.0);
        match self.clock {
            Clock::Programs => Took { seconds: passed, wait: 0.0 },
            Clock::Wall => Took { seconds: passed, wait: (rest - late().unwrap_or(0.0)).max(0.0) },
            // What is stalled and what waits are not told apart where the system says nothing of it.
            Clock::Processor => {
                let wait = late().map_or(0.0, |late| (rest - late).max(0.0));
                Took { seconds: used + wait, wait }
            }
        }
    }
}

/// Whether a quota leaves this process less than one processor.
fn is_held() -> bool {
    static HELD: OnceLock<bool> = OnceLock::new();
    *HELD.get_or_init(|| forerun_mpi::processor_quota().is_some_and(|quota| quota < 1.0))
}

fn used() -> (f64, f64) {
    let of = |clock| {
        let now = clock_gettime(clock);
        now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
    };
    (of(ClockId::ThreadCPUTime), of(ClockId::ProcessCPUTime))
}

/// Seconds so far that this thread could have run and did not; `None` where the system does not count them.
fn delayed() -> Option<f64> {
    scheduled("thread-self").map(|(_, delayed_s)| delayed_s)
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
        assert!(wall.seconds() >= 0.02);
        assert!(processor.seconds() < 0.01, "{}", processor.seconds());
        assert_eq!(Clock::Wall.stretch(), 1.0);
        assert!(Clock::Processor.stretch() >= 1.0);
    }
    #[test]
    fn what_is_waited_for_is_no_work() {
        let run = |clock: Clock, f: &dyn Fn()| {
            let begun = clock.begin();
            f();
            begun.took()
        };
        let idle = || sleep(Duration::from_millis(20));
        let busy = || {
            let begun = used().0;
            while used().0 - begun < 0.02 {
                std::hint::spin_loop();
            }
        };
        let (waited, worked) = (run(Clock::Wall, &idle), run(Clock::Wall, &busy));
        assert!(waited.seconds >= 0.02 && waited.wait > 0.015, "{waited:?}");
        // However busy the machine is: not to be given a processor is no waiting.
        assert!(worked.seconds >= 0.02 && (delayed().is_none() || worked.wait < 0.01), "{worked:?}");
        assert_eq!(run(Clock::Programs, &idle).wait, 0.0);
        let parted = run(Clock::Processor, &|| [&idle as &dyn Fn(), &busy].iter().for_each(|f| f()));
        let wait = if delayed().is_some() { 0.015..0.1 } else { 0.0..1e-9 };
        assert!(wait.contains(&parted.wait), "{parted:?}");
        assert!((0.02..0.03).contains(&(parted.seconds - parted.wait)), "{parted:?}");
    }

    /// A program of 5 ms that a quota stalls takes 5 ms, whatever passes, and one that sleeps as long as it sleeps. What it has others do may be
    /// stalled as well.
    #[test]
    fn stalls_of_programs_are_left_out() {
        let of =
            |worked, others, waited| TookOutside { passed: 0.05, worked, others, waited }.without_stalls();
        assert_eq!((of(0.005, 0.0, 0.0).passed, of(0.005, 0.0, 0.0).waited), (0.005, 0.0));
        assert_eq!((of(0.002, 0.0, 0.03).passed, of(0.002, 0.0, 0.03).waited), (0.032, 0.03));
        assert_eq!((of(0.005, 0.004, 0.045).passed, of(0.005, 0.004, 0.045).waited), (0.005, 0.0));
    }

    /// A thread that waits for another of its own process waits for nothing outside.
    #[test]
    fn what_other_threads_work_is_not_waited_for() {
        let begun = Clock::Wall.begin();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let begun = used().0;
                while used().0 - begun < 0.03 {
                    std::hint::spin_loop();
                }
            });
        });
        let took = begun.took_of_all();
        assert!(took.seconds >= 0.03 && took.wait == 0.0, "{took:?}");
    }
}
