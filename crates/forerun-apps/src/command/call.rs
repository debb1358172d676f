//! One run of a program: feeds it, keeps what it writes, ends it.

use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use super::capture::{Capture, Read, Tail};
use super::feed::{self, Fed, Feeder, Part};
use super::group::Group;
use super::guardian::Guardian;
use super::output::Body;
use super::scratch::Scratch;

/// How often the cancel flags are looked at while a process runs.
const TICK: Duration = Duration::from_millis(20);
/// The same where the system cannot tell that a process has ended.
const BLIND_TICK: Duration = Duration::from_millis(2);
/// Time that a process has to clean up between being asked to end and being killed.
const GRACE: Duration = Duration::from_millis(250);

/// How long standard output may stay open after its process has ended until that is told.
const OPEN: Duration = Duration::from_secs(5);

type Teller = Box<dyn Fn(&str) + Send + Sync>;
static TELLER: OnceLock<Teller> = OnceLock::new();

/// From now on, `tell` is told in a sentence what a call waits for where that takes long: a process that another one left behind with
/// its standard output. Only the first that is given is told.
pub fn tell_waits(tell: impl Fn(&str) + Send + Sync + 'static) {
    let _ = TELLER.set(Box::new(tell));
}

/// What bounds a call.
pub(crate) struct Limits<'a> {
    /// What is run on what, for whoever is told.
    pub(crate) on: &'a dyn Fn() -> String,
    pub(crate) scratch: &'a Arc<Scratch>,
    pub(crate) keep: u64,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_output: Option<u64>,
    /// Each ends the call.
    pub(crate) cancels: [&'a Cancel; 2],
    pub(crate) guardian: Option<&'a Arc<Guardian>>,
}

impl Limits<'_> {
    fn check_cancel(&self) -> Result<(), GaveUp> {
        if self.cancels.iter().any(|c| c.is_cancelled()) { Err(GaveUp::Cancelled) } else { Ok(()) }
    }
}

/// A process that has ended by itself.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: Body,
    pub(crate) stderr: Vec<u8>,
}

/// Why there is none.
pub(crate) enum GaveUp {
    /// The process did not start.
    Spawn(std::io::Error),
    /// It ran longer than the limit.
    Timeout(Duration),
    /// It wrote more than the limit.
    Output(u64),
    /// A cancel flag was set.
    Cancelled,
    /// Something round it went wrong.
    Trouble(AppError),
}

impl From<AppError> for GaveUp {
    fn from(e: AppError) -> Self {
        GaveUp::Trouble(e)
    }
}

/// Runs `command` with `parts` on its standard input.
///
/// Whatever happens, nothing of the process's group is left when this returns.
pub(crate) fn call(
    command: &mut Command,
    parts: Vec<Part<'_>>,
    limits: &Limits<'_>,
) -> Result<Ended, GaveUp> {
    let begun = Instant::now();
    limits.check_cancel()?;
    let feeder = match parts[..] {
        [] => {
            command.stdin(Stdio::null());
            None
        }
        // One whole file needs nobody to copy it.
        [Part::Whole(path)] => {
            command.stdin(feed::open(path)?);
            None
        }
        _ => {
            command.stdin(Stdio::piped());
            Some(Feeder::new(parts))
        }
    };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group::spawn(command, limits.guardian.cloned()).map_err(GaveUp::Spawn)?;
    // The command keeps its copy of a file given as standard input open otherwise.
    command.stdin(Stdio::null());

    let mut talk = Talk::new(&mut group, feeder, limits)?;
    match talk.run(&group, begun, limits) {
        Ok(()) => {
            let status =
                group.end().map_err(|e| AppError::new(format!("cannot wait for the process: {e}")))?;
            Ok(Ended { status, output: talk.capture.finish(), stderr: talk.tail.finish() })
        }
        Err(why) => {
            talk.hush(&group);
            Err(why)
        }
    }
}

/// The pipes to a process, and what goes through them.
struct Talk<'a> {
    stdin: Option<(ChildStdin, Feeder<'a>)>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    capture: Capture<'a>,
    tail: Tail,
    ended: bool,
    /// Whether it was told that it is waited for what the process left behind.
    told: bool,
}

impl<'a> Talk<'a> {
    fn new(group: &mut Group, feeder: Option<Feeder<'a>>, limits: &Limits<'a>) -> Result<Self, AppError> {
        let (stdin, stdout, stderr) = group.pipes();
        let mut talk = Talk {
            stdin: stdin.zip(feeder),
            stdout,
            stderr,
            capture: Capture::new(limits.scratch, limits.keep),
            tail: Tail::default(),
            ended: false,
            told: false,
        };
        if let Some((pipe, _)) = &talk.stdin {
            fcntl_setfl(pipe, OFlags::NONBLOCK)
                .map_err(|e| AppError::new(format!("cannot set up a pipe: {e}")))?;
            talk.feed()?;
        }
        Ok(talk)
    }

    /// Until the process has ended and its standard output is closed.
    fn run(&mut self, group: &Group, begun: Instant, limits: &Limits<'_>) -> Result<(), GaveUp> {
        let mut ended_at = None;
        while !(self.ended && self.stdout.is_none()) {
            limits.check_cancel()?;
            if self.ended && ended_at.get_or_insert_with(Instant::now).elapsed() >= OPEN && !self.told {
                self.told = true;
                if let Some(tell) = TELLER.get() {
                    tell(&format!(
                        "{} has ended, but what it started still has its standard output open: that is waited for (--timeout bounds it)",
                        (limits.on)()
                    ));
                }
            }
            let mut wait = TICK;
            if let Some(timeout) = limits.timeout {
                let left = timeout.saturating_sub(begun.elapsed());
                if left.is_zero() {
                    return Err(GaveUp::Timeout(timeout));
                }
                wait = wait.min(left);
            }
            self.step(group, wait)?;
            if let Some(most) = limits.max_output.filter(|&most| self.capture.bytes() > most) {
                return Err(GaveUp::Output(most));
            }
        }
        self.drain_stderr(group)?;
        Ok(())
    }

    /// Waits for something to happen, at most `wait`, and deals with it.
    fn step(&mut self, group: &Group, wait: Duration) -> Result<(), AppError> {
        for what in self.wait(group, wait, PollFlags::IN)? {
            match what {
                Event::Stdin => self.feed()?,
                Event::Stdout => {
                    if let Some(pipe) = &self.stdout
                        && self.capture.read(pipe)? == Read::End
                    {
                        self.stdout = None;
                    }
                }
                Event::Stderr => self.read_stderr()?,
                Event::Ended => self.ended = group.has_ended(),
            }
        }
        Ok(())
    }

    /// What happens within `wait`; for the pipes that are read, what `reading` asks for.
    fn wait(&self, group: &Group, wait: Duration, reading: PollFlags) -> Result<Vec<Event>, AppError> {
        let ended = group.ended_fd().filter(|_| !self.ended);
        let watched = [
            (Event::Stdin, self.stdin.as_ref().map(|(pipe, _)| pipe.as_fd()), PollFlags::OUT),
            (Event::Stdout, self.stdout.as_ref().map(|pipe| pipe.as_fd()), reading),
            (Event::Stderr, self.stderr.as_ref().map(|pipe| pipe.as_fd()), reading),
            (Event::Ended, ended, PollFlags::IN),
        ];
        let mut fds = Vec::with_capacity(watched.len());
        let mut events = Vec::with_capacity(watched.len());
        for (event, fd, flags) in watched {
            if let Some(fd) = fd {
                events.push(event);
                fds.push(PollFd::from_borrowed_fd(fd, flags));
            }
        }

        let blind = !self.ended && ended.is_none();
        let wait = if blind { wait.min(BLIND_TICK) } else { wait };
        let wait = Timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ };
        match poll(&mut fds, Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(AppError::new(format!("cannot wait for a process: {e}"))),
        }
        let mut happened = fds.iter().map(|fd| !fd.revents().is_empty());
        events.retain(|_| happened.next().unwrap_or(false));
        if blind {
            events.push(Event::Ended);
        }
        Ok(events)
    }

    fn feed(&mut self) -> Result<(), AppError> {
        if let Some((pipe, feeder)) = &mut self.stdin
            && feeder.write(&*pipe)? == Fed::All
        {
            self.stdin = None;
        }
        Ok(())
    }

    fn read_stderr(&mut self) -> Result<(), AppError> {
        if let Some(pipe) = &self.stderr
            && self.tail.read(pipe)? == Read::End
        {
            self.stderr = None;
        }
        Ok(())
    }

    /// Reads what is there of standard error; a child that the process left behind may hold it open.
    fn drain_stderr(&mut self, group: &Group) -> Result<(), AppError> {
        while self.stderr.is_some()
            && self.wait(group, Duration::ZERO, PollFlags::IN)?.contains(&Event::Stderr)
        {
            self.read_stderr()?;
        }
        Ok(())
    }

    /// Asks the group to end and gives it some time to clean up after itself.
    fn hush(&mut self, group: &Group) {
        self.stdin = None;
        group.ask_to_end();
        let until = Instant::now() + GRACE;
        while !(self.ended && self.stdout.is_none() && self.stderr.is_none()) {
            let left = until.saturating_duration_since(Instant::now());
            // Nothing is read any more: a pipe tells only that nobody writes to it.
            let Ok(events) = self.wait(group, left.min(TICK), PollFlags::empty()) else { return };
            for event in events {
                match event {
                    Event::Stdin => {}
                    Event::Stdout => self.stdout = None,
                    Event::Stderr => self.stderr = None,
                    Event::Ended => self.ended = group.has_ended(),
                }
            }
            if left.is_zero() {
                return;
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Stdin,
    Stdout,
    Stderr,
    Ended,
}
