//! How much of this machine other programs use while a command finds out what a job costs.
//!
//! A calibration is kept, and a machine that was idle then may be busy now: ranks then have less of the processors than is
//! predicted. What others use is what all processors worked without what this process and the programs that it ran have used, by
//! the system's own counts. Only Linux tells; elsewhere nothing is said.

use forerun_platform::Interval;

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
    /// How many times as long as alone a run on so many processors takes where others go on; `None` where they are in nobody's way.
    fn stretch(self, processors: usize) -> Option<f64> {
        let (has, needs) = (self.processors as f64, processors.min(self.processors) as f64);
        let lacks = needs + self.others - has;
        (lacks > LITTLE).then(|| (needs + self.others) / has)
    }

    /// Moves the upper end of what is predicted for so many processors to where it is if others go on.
    pub fn widen<'i>(self, predicted: impl IntoIterator<Item = &'i mut Interval>, processors: usize) {
        if let Some(stretch) = self.stretch(processors) {
            predicted.into_iter().for_each(|interval| interval.high_s *= stretch);
        }
    }

    /// What a person should know of it where a run takes so many processors.
    pub fn note(self, processors: usize) -> Option<String> {
        self.stretch(processors)?;
        let has = text::plural(self.processors as u64, "core");
        Some(format!(
            "other programs use {:.1} of {has}: the prediction is less sure, and the run may take longer if they go on",
            self.others
        ))
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
        let said = |others, processors| Load { others, processors: 2 }.note(processors);
        let widened = |others, processors| {
            let mut predicted = Interval { makespan_s: 2.0, low_s: 1.0, high_s: 4.0 };
            Load { others, processors: 2 }.widen([&mut predicted], processors);
            predicted
        };
        for (others, processors, high) in
            [(0.0, 2, 4.0), (0.2, 2, 4.0), (1.2, 1, 4.0), (1.0, 2, 6.0), (2.0, 1, 6.0), (1.0, 8, 6.0)]
        {
            assert_eq!(said(others, processors).is_some(), high > 4.0, "{others} {processors}");
            let Interval { makespan_s, low_s, high_s } = widened(others, processors);
            assert_eq!((makespan_s, low_s, high_s), (2.0, 1.0, high), "{others} {processors}");
        }
        assert!(said(1.27, 2).unwrap().contains("other programs use 1.3 of 2 cores"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_says() {
        let meter = Meter::begin();
        let load = meter.load().unwrap();
        assert!(load.processors > 0 && load.others <= load.processors as f64, "{load:?}");
    }
}
