//! Ctrl-C, SIGTERM, SIGHUP and Ctrl-\ (SIGQUIT): the first asks the command to end, the second ends the process, which of SIGQUIT is with a
//! core; where other processes do the work, the second has these ended at once, and the third ends this one. What whoever started it has it ignore stays ignored.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use forerun_platform::file::end_waiting_when;
use forerun_skeleton::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::error::CliError;
use crate::file;

/// Signals that come within this time are one: `timeout` sends one to the process and one to its group.
const SAME: Duration = Duration::from_millis(500);

/// Listens for signals from now on.
///
/// Where the input of a run can be ended and the run then ends well ([`Interrupt::closes`]), the first signal does
/// that, and the others count from the second on.
///
/// While there is something to put away (temporary files, processes; [`Interrupt::busy`]) the first
/// signal sets the flag of [`Interrupt::cancel`], and whoever works looks at that. At all other times,
/// such as when a list of inputs is read from a terminal, it ends the process at once.
#[derive(Debug, Clone)]
pub struct Interrupt {
    cancel: Cancel,
    signal: Arc<AtomicI32>,
    /// The signal that came last, as whoever it interrupted has noted it: on a busy machine long before the thread that listens hears it.
    came: Arc<AtomicUsize>,
    busy: Arc<Mutex<Busy>>,
    /// What the first signal sets, where there is something less than to give up.
    close: Arc<OnceLock<Cancel>>,
    /// What the signal after the one that sets `cancel` sets, while somebody heeds it.
    hurry: Cancel,
}

/// What the command is at.
#[derive(Debug, Default)]
struct Busy {
    /// How many pieces of work that leave something to put away are under way.
    pieces: usize,
    /// How many of them end what is not theirs to leave, and do so at once where they are asked again.
    hurrying: usize,
    /// Whether a signal was taken by whoever works, before the thread that listens has heard it.
    taken: bool,
    /// Whether the command has ended, and nothing is to be said any more.
    over: bool,
}

/// The signals so far.
#[derive(Default)]
struct Heard {
    /// Those that came apart from each other.
    steps: u32,
    last: Option<Instant>,
}

/// The signals that this process ignores: a bit each, the lowest that of signal 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ignored(u64);

impl Ignored {
    /// As whoever started it left them, where nothing here has changed that yet: `nohup` has SIGHUP ignored, and a shell without jobs
    /// SIGINT of what it runs in the background. None where the system does not say, as without `/proc`.
    fn here() -> Self {
        Self::told(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
    }

    /// As `/proc/PID/status` says it (proc(5)).
    fn told(status: &str) -> Self {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        Ignored(mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0))
    }

    fn has(self, signal: i32) -> bool {
        self.0 >> (signal - 1) & 1 == 1
    }
}

/// Has a write that would make a file larger than the limit (`ulimit -f`) fail, as on a full disk, where the signal SIGXFSZ would end
/// the process before anything is put away. It is heard and not ignored: what this process starts has its default again.
///
/// # Errors
/// Where the system refuses.
pub fn outlive_large_files() -> std::io::Result<()> {
    if Ignored::here().has(SIGXFSZ) {
        return Ok(());
    }
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

impl Interrupt {
    /// Starts listening to those of them that are not ignored.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn listen() -> std::io::Result<Self> {
        let (interrupt, mut signals) = Interrupt::noting(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        let cancel = interrupt.cancel.clone();
        end_waiting_when(move || cancel.is_cancelled());
        let here = interrupt.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut heard = Heard::default();
            for signal in &mut signals {
                here.hear(signal, &mut heard);
            }
        })?;
        Ok(interrupt)
    }

    /// Notes those of these signals that are not ignored from now on; with them as they are to be heard.
    fn noting(signals: &[i32]) -> std::io::Result<(Self, Signals)> {
        let interrupt = Interrupt {
            cancel: Cancel::new(),
            signal: Arc::new(AtomicI32::new(0)),
            came: Arc::new(AtomicUsize::new(0)),
            busy: Arc::new(Mutex::new(Busy::default())),
            close: Arc::new(OnceLock::new()),
            hurry: Cancel::new(),
        };
        let ignored = Ignored::here();
        let all = || signals.iter().copied().filter(|&signal| !ignored.has(signal));
        // Those that come before they are noted are heard all the same.
        let heard = Signals::new(all())?;
        for signal in all() {
            flag::register_usize(signal, interrupt.came.clone(), signal.unsigned_abs() as usize)?;
        }
        Ok((interrupt, heard))
    }

    fn hear(&self, signal: i32, heard: &mut Heard) {
        let mut busy = self.lock();
        if busy.over {
            return;
        }
        if std::mem::take(&mut busy.taken) {
            (heard.steps, heard.last) = (heard.steps + 1, Some(Instant::now()));
            return;
        }
        if busy.pieces == 0 {
            // Nothing begins while the lock is held, and nobody else speaks for the flag is not set.
            let _held = file::put_away();
            let interrupted = CliError::Interrupted(signal);
            let _ = writeln!(std::io::stderr(), "forerun: {interrupted}");
            std::process::exit(interrupted.status().into());
        }
        if heard.last.is_some_and(|last| last.elapsed() <= SAME) {
            return;
        }
        heard.last = Some(Instant::now());
        heard.steps += 1;
        match (self.close.get(), heard.steps) {
            (Some(close), 1) => {
                close.cancel();
                let said = "no more inputs are taken; what was taken is finished and written \
                            (once more, Ctrl-C gives up)";
                let _ = writeln!(std::io::stderr(), "forerun: {said}");
            }
            (Some(_), 2) | (None, 1) => {
                self.signal.store(signal, Ordering::SeqCst);
                self.cancel.cancel();
            }
            _ if busy.hurrying > 0 && !self.hurry.is_cancelled() => self.hurry.cancel(),
            // Asked again: whoever asks does not want to wait for things to be put away.
            _ => {
                let _held = file::put_away();
                let _ = emulate_default_handler(signal);
            }
        }
    }

    /// From now on the first signal sets `flag`, and giving up is for the second.
    pub fn closes(&self, flag: Cancel) {
        // One input is followed in a process.
        let _ = self.close.set(flag);
    }

    /// Does work that leaves something to put away, and looks at the flag.
    ///
    /// # Errors
    /// What `work` says; that a signal was heard before it began.
    pub fn busy<T>(&self, work: impl FnOnce() -> Result<T, CliError>) -> Result<T, CliError> {
        /// Counts down however the work ends.
        struct Under<'a>(&'a Interrupt);
        impl Drop for Under<'_> {
            fn drop(&mut self) {
                self.0.lock().pieces -= 1;
            }
        }
        let _under = {
            let mut busy = self.lock();
            if let Some(signal) = self.heard() {
                return Err(CliError::Interrupted(signal));
            }
            busy.pieces += 1;
            Under(self)
        };
        work()
    }

    /// Does work, of which other processes do a part that must not outlive it: a second signal sets the flag that it gets, and does not end this
    /// process, and the work then ends them within a second or two.
    pub fn hurrying<T>(&self, work: impl FnOnce(&Cancel) -> T) -> T {
        /// Counts down however the work ends.
        struct Under<'a>(&'a Interrupt);
        impl Drop for Under<'_> {
            fn drop(&mut self) {
                self.0.lock().hurrying -= 1;
            }
        }
        self.lock().hurrying += 1;
        let _under = Under(self);
        work(&self.hurry)
    }

    fn lock(&self) -> MutexGuard<'_, Busy> {
        // A count is whole whoever panicked beside it.
        self.busy.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The flag that the first signal sets.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The signal that asks the work under way to end, if one has come: also where the thread that listens has not been let run since.
    pub fn signal(&self) -> Option<i32> {
        if self.heard().is_none() && self.came.load(Ordering::SeqCst) != 0 {
            self.take();
        }
        self.heard()
    }

    /// The signal heard, if one was.
    fn heard(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::SeqCst)).filter(|&s| s != 0)
    }

    /// Hears the signal that came, in place of the thread that listens, where it asks work to end.
    fn take(&self) {
        let mut busy = self.lock();
        // The first signal may be for the input alone; and where nothing is under way the other thread ends the process.
        if self.heard().is_some() || self.close.get().is_some() || busy.pieces == 0 || busy.taken {
            return;
        }
        busy.taken = true;
        self.signal.store(self.came.load(Ordering::SeqCst) as i32, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// The command has ended, as its status says: a signal that comes now is too late to end anything, or to say so.
    pub fn over(&self) {
        self.lock().over = true;
    }
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::SIGUSR2;

    use super::*;

    /// On a busy machine the thread that listens may be let run long after the signal has come, and work has ended.
    #[test]
    fn a_signal_ends_work_before_it_is_heard() {
        // One that no other test listens to, and here no thread hears it.
        let (interrupt, _signals) = Interrupt::noting(&[SIGUSR2]).unwrap();
        let mut heard = Heard::default();
        assert_eq!(interrupt.signal(), None);
        let done = interrupt.busy(|| {
            signal_hook::low_level::raise(SIGUSR2).unwrap();
            assert_eq!((interrupt.signal(), interrupt.cancel().is_cancelled()), (Some(SIGUSR2), true));
            interrupt.signal().map_or(Ok(()), |signal| Err(CliError::Interrupted(signal)))
        });
        assert!(matches!(done, Err(CliError::Interrupted(SIGUSR2))));
        // The thread has nothing to add when it does hear it, not even that the process ends.
        interrupt.hear(SIGUSR2, &mut heard);
        assert_eq!((heard.steps, interrupt.signal()), (1, Some(SIGUSR2)));
        // Nor has it when a command is over.
        interrupt.over();
        interrupt.hear(SIGUSR2, &mut heard);
        assert_eq!(heard.steps, 1);
    }

    #[test]
    fn a_second_signal_hurries_what_must_not_be_left() {
        let (interrupt, _signals) = Interrupt::noting(&[]).unwrap();
        let mut heard = Heard::default();
        let done = interrupt.busy(|| {
            interrupt.hurrying(|hurry| {
                interrupt.hear(SIGUSR2, &mut heard);
                assert!(interrupt.cancel().is_cancelled() && !hurry.is_cancelled());
                // Both of `timeout` are one.
                interrupt.hear(SIGUSR2, &mut heard);
                assert!(!hurry.is_cancelled());
                heard.last = Instant::now().checked_sub(2 * SAME);
                interrupt.hear(SIGUSR2, &mut heard);
                assert!(hurry.is_cancelled());
            });
            Ok(())
        });
        assert!(done.is_ok() && interrupt.lock().hurrying == 0);
    }

    #[test]
    fn what_is_ignored_is_read_from_what_the_system_says() {
        let ignored = Ignored::told("Name:\tforerun\nSigBlk:\t0000000000000003\nSigIgn:\t0000000001001001\n");
        assert_eq!([SIGHUP, SIGXFSZ, 13].map(|signal| ignored.has(signal)), [true; 3]);
        assert_eq!([SIGINT, SIGTERM, 64].map(|signal| ignored.has(signal)), [false; 3]);
        for nothing in ["", "Name:\tforerun\n", "SigIgn:\tmany\n"] {
            assert_eq!(Ignored::told(nothing), Ignored(0));
        }
    }
}
