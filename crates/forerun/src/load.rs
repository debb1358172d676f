//! How much of this machine other programs use while a command finds out what a job costs.
//!
//! A calibration is kept, and a machine that was idle then may be busy now: ranks then have less of the processors than is
//! predicted. What others use is what all processors worked without what this process and the programs that it ran have used, by
//! the system's own counts. Only Linux tells; elsewhere nothing is said.

use forerun_platform::{Interval, Way};

use crate::text;

/// Processors of others that are no matter: what a system does beside, and what its counts are off.
const LITTLE: f64 = 0.25;
/// Ticks of each processor from which on their counts are believed.
const FEWEST: u64 = 20;

/// Counts of the system so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    /// Processors that this process may use.
    processors: u64,
    /// Ticks of theirs that passed, and in which they worked.
    passed: u64,
    worked: u64,
    /// Ticks that this process worked, and its children that have ended.
    own: u64,
    /// Threads that run or could.
    running: u64,
}

impl Reading {
    /// That of `stat`, of the processors that `may` be used, and of this process's own `stat`. (proc(5): user, nice, system, idle,
    /// iowait, irq, softirq, steal, guests within user.)
    fn of(stat: &str, may: impl Fn(usize) -> bool, own: &str) -> Option<Reading> {
        let mut reading = Reading { processors: 0, passed: 0, worked: 0, own: 0, running: 0 };
        for line in stat.lines() {
            let mut words = line.split_ascii_whitespace();
            let Some(name) = words.next() else { continue };
            if name == "procs_running" {
                reading.running = words.next()?.parse().ok()?;
            }
            let Some(number) = name.strip_prefix("cpu").and_then(|n| n.parse().ok()) else { continue };
            if !may(number) {
                continue;
            }
            let ticks: Vec<u64> = words.map(|t| t.parse().ok()).take(8).collect::<Option<_>>()?;
            let &[user, nice, system, idle, waits, irq, soft, ref stolen @ ..] = &ticks[..] else {
                return None;
            };
            let worked = user + nice + system + irq + soft;
            reading.processors += 1;
            reading.worked += worked;
            reading.passed += worked + idle + waits + stolen.iter().sum::<u64>();
        }
        // The name of a process may have spaces and brackets in it. After it: the state, and 10 figures before the times of itself and
        // of its children, each in programs and in the system.
        let (_, after) = own.rsplit_once(')')?;
        let mut times = after.split_ascii_whitespace().skip(11).map(|t| t.parse::<u64>().ok());
        reading.own = (0..4).map(|_| times.next().flatten()).sum::<Option<u64>>()?;
        (reading.processors > 0).then_some(reading)
    }

    #[cfg(target_os = "linux")]
    fn now() -> Option<Reading> {
        let read = |path| std::fs::read_to_string(path).ok();
        let may = rustix::thread::sched_getaffinity(None).ok()?;
        Reading::of(&read("/proc/stat")?, |cpu| may.is_set(cpu), &read("/proc/self/stat")?)
    }

    #[cfg(not(target_os = "linux"))]
    fn now() -> Option<Reading> {
        None
    }

    /// How busy others were between this and a later reading. In a moment nobody works for a tick: what counts then is who would at both
    /// ends of it.
    fn until(&self, later: &Reading) -> Option<Load> {
        let since = |of: fn(&Reading) -> u64| of(later).saturating_sub(of(self));
        let (passed, processors) = (since(|r| r.passed), later.processors);
        if processors != self.processors {
            return None;
        }
        let others = if passed >= FEWEST * processors {
            let others = since(|r| r.worked).saturating_sub(since(|r| r.own));
            others as f64 / passed as f64 * processors as f64
        } else {
            let running = self.running.min(later.running).saturating_sub(1);
            running.min(processors) as f64
        };
        Some(Load { others, processors: processors as usize })
    }
}

/// What others do from its beginning on.
#[derive(Debug, Clone, Copy)]
pub struct Meter(Option<Reading>);

impl Meter {
    /// Begins now.
    pub fn begin() -> Meter {
        Meter(Reading::now())
    }

    /// How busy others were until now; `None` where the system does not say.
    pub fn load(&self) -> Option<Load> {
        self.0?.until(&Reading::now()?)
    }
}

/// How busy others are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Processors that they use.
    others: f64,
    /// Processors that there are.
    processors: usize,
}

impl Load {
    /// Others that use so many of so many processors.
    #[cfg(test)]
    pub(crate) fn of(others: f64, processors: usize) -> Load {
        Load { others, processors }
    }

    /// Processors that others use.
    pub fn others(self) -> f64 {
        self.others
    }

    /// Whether so many at a time, of which each needs a processor, have one each beside others.
    pub fn has_room(self, running: usize) -> bool {
        running as f64 + self.others <= self.processors as f64 + LITTLE
    }

    /// How many times as long as alone a run on so many processors takes where others go on; `None` where they are in nobody's way.
    fn stretch(self, processors: usize) -> Option<f64> {
        let (has, needs) = (self.processors as f64, processors.min(self.processors) as f64);
        let lacks = needs + self.others - has;
        (lacks > LITTLE).then(|| (needs + self.others) / has)
    }
}

/// How busy others are, and in whose way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    load: Load,
    /// Whether what is predicted would run here, beside them.
    runs: bool,
    /// Processors on which a pilot here tried what is predicted for elsewhere; 0 where none did.
    tried: usize,
}

impl Beside {
    /// Others beside a job that would run here, or else was tried here on so many processors.
    pub fn new(load: Load, runs: bool, tried: usize) -> Beside {
        Beside { load, runs, tried: if runs { 0 } else { tried } }
    }

    /// Beside a run of that way, whatever it is predicted for; where that is by MPI, all its processes may be on this machine or not. What is
    /// emulated takes no longer where others run, and is measured beside them as the pilot was.
    pub fn of_run(self, on: Way, here: bool) -> Option<Beside> {
        match on {
            Way::Mpi if here => Some(Beside { runs: true, ..self }),
            Way::Threads => Some(Beside { runs: true, ..self }),
            Way::Emulated => None,
            _ => Some(self),
        }
    }

    /// How many times as long as alone a run here takes that needs so many processors, and the pilot took.
    fn stretches(self, processors: usize) -> (Option<f64>, Option<f64>) {
        let of = |processors| self.load.stretch(processors);
        (of(processors).filter(|_| self.runs), of(self.tried).filter(|_| self.tried > 0))
    }

    /// Moves the upper end of what is predicted for so many processors to where it is if others go on where it runs, and the lower
    /// end to where it is if they drew out all that the pilot measured.
    pub fn widen<'i>(self, predicted: impl IntoIterator<Item = &'i mut Interval>, processors: usize) {
        let (run, pilot) = self.stretches(processors);
        for interval in predicted {
            interval.high_s *= run.unwrap_or(1.0);
            interval.low_s /= pilot.unwrap_or(1.0);
        }
    }

    /// What a person should know of it where a run takes so many processors.
    pub fn note(self, processors: usize) -> Option<String> {
        let then = match self.stretches(processors) {
            (None, None) => return None,
            (Some(_), None) => "the prediction is less sure, and the run may take longer if they go on",
            (None, Some(_)) => {
                "the pilot ran here beside them, so that the prediction is less sure and may be too long"
            }
            (Some(_), Some(_)) => {
                "the pilot ran beside them, so that the prediction is less sure and may be too long, and the run may take longer \
                 if they go on"
            }
        };
        let has = text::plural(self.load.processors as u64, "core");
        Some(format!("other programs use {:.1} of {has}: {then}", self.load.others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a system of two processors says after so many ticks, of which each worked so many, and this process so many.
    fn reading(passed: u64, worked: [u64; 2], own: u64, running: u64) -> Reading {
        let cpu = |worked: u64| format!("{} 0 0 {} 0 0 0 0 0 0", 100 + worked, 900 + passed - worked);
        let stat = format!(
            "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 {}\ncpu1 {}\ncpu2 9999 0 0 0 0 0 0 0\nintr 5 0\nprocs_running {running}\n",
            cpu(worked[0]),
            cpu(worked[1])
        );
        let of_own = format!("7 (a b) c) R 1 2 3 4 5 6 7 8 9 10 5 0 {own} 0 20 0 1");
        Reading::of(&stat, |cpu| cpu < 2, &of_own).unwrap()
    }

    fn load(passed: u64, worked: [u64; 2], own: u64, running: [u64; 2]) -> Load {
        reading(0, [0, 0], 0, running[0]).until(&reading(passed, worked, own, running[1])).unwrap()
    }

    #[test]
    fn others_use_what_is_not_of_this_process_or_its_children() {
        let others = |worked, own| load(100, worked, own, [1, 9]).others;
        assert_eq!(others([100, 100], 200), 0.0);
        assert_eq!(others([100, 100], 100), 1.0);
        assert_eq!(others([100, 30], 0), 1.3);
        assert_eq!(others([0, 0], 3), 0.0);
        // Between two ticks: the one that runs beside, unless it has gone.
        assert_eq!(load(3, [3, 0], 0, [2, 3]).others, 1.0);
        assert_eq!(load(3, [3, 0], 0, [5, 1]).others, 0.0);
        assert_eq!(load(3, [3, 0], 0, [9, 9]).others, 2.0);
    }

    #[test]
    fn what_the_system_says_otherwise_is_not_believed() {
        let own = "7 (x) R 1 2 3 4 5 6 7 8 9 10 5 0 1 0 20 0 1";
        let stat = "cpu0 1 2 3 4 5 6 7 8\n";
        assert!(Reading::of(stat, |_| true, own).is_some());
        for (stat, own) in [
            ("", own),
            ("cpu0 1 2 3\n", own),
            ("cpu0 1 2 x 4 5 6 7 8\n", own),
            (stat, ""),
            (stat, "7 (x) R a b"),
        ] {
            assert_eq!(Reading::of(stat, |_| true, own), None, "{stat:?} {own:?}");
        }
        assert_eq!(Reading::of(stat, |_| false, own), None);
    }

    #[test]
    fn only_who_is_in_the_way_is_spoken_of() {
        let here = |others| Beside::new(Load { others, processors: 2 }, true, 2);
        let said = |others, processors| here(others).note(processors);
        let widened = |others, processors| widened(here(others), processors);
        for (others, processors, high) in
            [(0.0, 2, 4.0), (0.2, 2, 4.0), (1.2, 1, 4.0), (1.0, 2, 6.0), (2.0, 1, 6.0), (1.0, 8, 6.0)]
        {
            assert_eq!(said(others, processors).is_some(), high > 4.0, "{others} {processors}");
            let Interval { makespan_s, low_s, high_s } = widened(others, processors);
            assert_eq!((makespan_s, low_s, high_s), (2.0, 1.0, high), "{others} {processors}");
        }
        assert!(said(1.27, 2).unwrap().contains("other programs use 1.3 of 2 cores"));
    }

    fn widened(beside: Beside, processors: usize) -> Interval {
        let mut predicted = Interval { makespan_s: 2.0, low_s: 1.0, high_s: 4.0 };
        beside.widen([&mut predicted], processors);
        predicted
    }

    /// Elsewhere nobody is in the way of the run, but what a pilot measured here may be too much.
    #[test]
    fn a_pilot_that_others_drew_out_makes_predictions_for_elsewhere_too_long() {
        let of = |others, tried| Beside::new(Load { others, processors: 2 }, false, tried);
        let ends = |beside: Beside| {
            let Interval { low_s, high_s, .. } = widened(beside, 64);
            (low_s, high_s)
        };
        assert_eq!(ends(of(2.0, 2)), (0.5, 4.0));
        // One processor was free for it; or nothing was tried here.
        for beside in [of(1.0, 1), of(0.1, 2), of(2.0, 0)] {
            assert_eq!((ends(beside), beside.note(64)), ((1.0, 4.0), None), "{beside:?}");
        }
        let said = of(2.0, 2).note(64).unwrap();
        assert!(said.contains("other programs use 2.0 of 2 cores") && said.contains("too long"), "{said}");
        assert!(!said.contains("take longer"), "{said}");
        // What is predicted for elsewhere and run here is uncertain at both ends.
        let run = of(2.0, 2).of_run(Way::Threads, false).unwrap();
        assert_eq!(ends(run), (0.5, 8.0));
        let said = run.note(64).unwrap();
        assert!(said.contains("too long") && said.contains("take longer"), "{said}");
        // So are processes, if they are here.
        assert_eq!(of(2.0, 2).of_run(Way::Mpi, true), Some(run));
        assert_eq!(of(2.0, 2).of_run(Way::Mpi, false), Some(of(2.0, 2)));
        assert_eq!(of(2.0, 2).of_run(Way::Emulated, true), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_says() {
        let meter = Meter::begin();
        let load = meter.load().unwrap();
        assert!(load.processors > 0 && load.others <= load.processors as f64, "{load:?}");
    }
}
