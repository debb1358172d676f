//! What programs have used that a thread ran.

use std::cell::Cell;
use std::fs;

use forerun_mapped::Used;
use rustix::process::Pid;

/// What programs have used, with those that they started and waited for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Seconds of processor time.
    pub processor_s: f64,
    /// Those of them that were not the programs' first threads': others', or those of programs that they started.
    pub others_s: f64,
    /// Seconds in which their first threads could have run and were not given a processor; of others the system says nothing.
    pub delayed_s: f64,
    /// Whether something was read from a disk for any of them.
    pub read: bool,
    /// Bytes of memory of the largest.
    pub memory: u64,
}

thread_local! {
    /// What the programs have used that this thread ran since it began to count: none where it does not, and how many ran.
    static COUNTED: Cell<Option<(Usage, u64)>> = const { Cell::new(None) };
}

/// Does `f`, and says what programs have used that have ended in it: those that this thread ran by a [`Group`](super::Group). None where there was none,
/// or the system does not say.
///
/// Cost: a file of the system's is read for each program (10 µs).
pub fn of_programs<R>(f: impl FnOnce() -> R) -> (R, Option<Usage>) {
    let before = COUNTED.replace(Some(Default::default()));
    let done = f();
    let counted = COUNTED.replace(before);
    (done, counted.filter(|(_, programs)| *programs > 0).map(|(usage, _)| usage))
}

/// Whether this thread counts.
pub(super) fn is_wanted() -> bool {
    COUNTED.get().is_some()
}

/// Seconds that the first thread of a process, which has ended and was not waited for, was on a processor, and those that it could have been and was not.
pub(super) fn own(pid: Pid) -> Option<(f64, f64)> {
    scheduled(&pid.as_raw_nonzero().to_string())
}

/// Seconds so far that a thread, by its name in /proc (`thread-self`, or a process's number: its first), was on a processor, and those that it
/// could have been and was not, as others were or a quota was used up; `None` where the system does not count them.
pub fn scheduled(thread: &str) -> Option<(f64, f64)> {
    of_schedstat(&fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?)
}

/// The first two figures, in nanoseconds.
fn of_schedstat(line: &str) -> Option<(f64, f64)> {
    let mut nanos = line.split_ascii_whitespace().map(|n| n.parse::<u64>().ok());
    let mut next = || nanos.next().flatten().map(|nanos| nanos as f64 * 1e-9);
    Some((next()?, next()?))
}

/// Counts a program that has ended; nothing is known of this thread's where it is not said what its first thread did.
pub(super) fn add(used: Used, own: Option<(f64, f64)>) {
    let Some((so_far, programs)) = COUNTED.get() else { return };
    let Some((own_s, delayed_s)) = own else { return };
    let processor_s = used.processor.as_secs_f64();
    let usage = Usage {
        processor_s: so_far.processor_s + processor_s,
        others_s: so_far.others_s + (processor_s - own_s).max(0.0),
        delayed_s: so_far.delayed_s + delayed_s,
        read: so_far.read || used.read,
        memory: so_far.memory.max(used.memory),
    };
    COUNTED.set(Some((usage, programs + 1)));
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use super::super::Group;
    use super::*;

    fn run(script: &str) -> (f64, Option<Usage>) {
        let begun = Instant::now();
        let (_, usage) = of_programs(|| {
            Group::spawn(Command::new("sh").args(["-c", script]), None).unwrap().end_by_itself()
        });
        (begun.elapsed().as_secs_f64(), usage)
    }

    impl Group {
        fn end_by_itself(self) {
            while !self.has_ended() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            self.end().unwrap();
        }
    }

    const COUNT: &str = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

    /// However busy the machine is: what a program did not use and was not kept from, it has waited.
    #[test]
    fn what_programs_use_and_are_kept_from_is_not_what_they_wait() {
        let (passed_s, slept) = run("exec sleep 0.2");
        let Some(slept) = slept else { return assert!(own(rustix::process::getpid()).is_none()) };
        assert!(slept.processor_s < 0.1 && passed_s >= 0.2, "{slept:?}");
        let (passed_s, worked) = run(COUNT);
        let worked = worked.unwrap();
        assert!(worked.processor_s + worked.delayed_s < 1.1 * passed_s + 0.01, "{worked:?} in {passed_s}");
        assert!(worked.others_s < 0.1 * worked.processor_s, "{worked:?}");
        let (_, others) = run(&format!("({COUNT}); true"));
        let others = others.unwrap();
        assert!(others.others_s > 0.5 * others.processor_s, "{others:?}");
    }

    #[test]
    fn only_what_is_counted_is_and_all_of_it() {
        assert_eq!(of_programs(|| 7), (7, None));
        assert!(!is_wanted());
        let count = || Group::spawn(Command::new("sh").args(["-c", COUNT]), None).unwrap().end_by_itself();
        let (((), inner), outer) = of_programs(|| {
            count();
            of_programs(count)
        });
        assert_eq!(inner.is_some(), outer.is_some());
        count();
        assert!(!is_wanted());
    }

    #[test]
    fn what_the_system_says_otherwise_is_not_believed() {
        assert_eq!(of_schedstat("1000000 2000000000 3\n"), Some((0.001, 2.0)));
        for wrong in ["", "7", "a 7 7", "7 -1 7"] {
            assert_eq!(of_schedstat(wrong), None, "{wrong}");
        }
    }
}
