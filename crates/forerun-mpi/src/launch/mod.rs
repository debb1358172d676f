//! Starting a program's ranks by `mpirun` or `srun`, and listening to them.
//!
//! The first rank gets what the others are to know on its standard input, which every launcher forwards to it, and
//! hands it on; so no file needs to be where all hosts see it. The same pipe says when to end: it is closed,
//! by whoever cancels the run or by the system when this process dies, and the first rank ends the run
//! (`Inside`). What the ranks have to say comes back on the first one's standard output, a line a
//! record (`record.rs`).
//!
//! The launcher is in a process group of its own, so that Ctrl-C reaches this process only. Everything else that
//! ranks write is passed on as it comes, but not what the launcher says of itself, which is kept for the one
//! sentence with which a run ends that was cut off.
//!
//! A launcher that is ended while it starts ranks may leave some of them, and files: these are looked for and put away (`leftovers.rs`).
//! Ranks hear of the end of this process when all have begun, and the launcher never does; so another process watches, and where this one is
//! killed (SIGKILL) it does the same in its place (`watch.rs`).
//!
//! A launcher that starts no rank may wait for ever: for a host that does not answer, a password, room in an allocation. That is no
//! error, but it is said once.

mod flavour;
mod hosts;
mod leftovers;
pub(crate) mod record;
mod session;
mod sieve;
mod told;
mod watch;

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};
use rustix::process::Signal;

pub use self::flavour::{Flavour, Launcher, Place};
use self::leftovers::Traces;
use self::record::{Header, Record, Roster};
use self::sieve::Sieve;
pub use self::watch::watch;
use self::watch::{Watcher, Word};

/// How long ranks have to end when the run is cancelled, and then the launcher to end them.
const GRACE: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(3)];
/// The same where it is asked again.
const HURRY: [Duration; 2] = [Duration::from_millis(700), Duration::from_millis(700)];
/// What the launcher gets when these times are over.
const SIGNALS: [Signal; 2] = [Signal::TERM, Signal::KILL];
/// Time between two looks for ranks that somebody has stopped, which do not hear that they are to end.
const STOPPED: Duration = Duration::from_millis(500);
/// Time between two looks for what the launcher has begun, until ranks have.
const NOTED: Duration = Duration::from_secs(1);
/// Time between two looks at the launcher and the flag.
const LOOK: Duration = Duration::from_millis(20);
/// Time between two looks for ranks that have begun though the launcher was told to end.
const AGAIN: Duration = Duration::from_millis(100);

/// A program to be run by several processes.
#[derive(Debug, Clone)]
pub struct Launch {
    /// What starts them.
    pub launcher: Launcher,
    /// How many.
    pub ranks: usize,
    /// The file that names the hosts, in the form that the launcher reads; without it this host, or those of the
    /// allocation that this process runs in.
    pub hostfile: Option<PathBuf>,
    /// The program. It is to call `Inside::enter`.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Ends the run when it is set.
    pub cancel: Cancel,
    /// Has a run that is to end do so within a second or two when it is set: ranks that are still there are killed.
    pub hurry: Cancel,
    /// How long no rank begins until that is said.
    pub begin: Duration,
    /// The command of a process that does nothing but call [`watch()`] on its standard input: it ends the launcher where this process is
    /// killed. Without one, or where it cannot be started, a launcher that is killed over goes on until all ranks have begun.
    pub watcher: Option<fn() -> Command>,
}

/// What has been heard of a start so far.
#[derive(Debug, Default)]
struct Heard {
    /// Whether all ranks have begun.
    begun: bool,
    /// What the launcher has said last.
    said: Option<String>,
}

impl Launch {
    /// Runs the program; all ranks get `input`. What they write to standard output goes to `out`. Gives the first
    /// rank's report. `late` gets a sentence where no rank has begun for long: what is waited for.
    ///
    /// # Errors
    /// One sentence: that the launcher cannot be started, or which rank ended without a report and what the
    /// launcher says of it.
    pub fn run(
        &self,
        input: &[u8],
        out: impl Write + Send,
        late: impl FnOnce(&str),
    ) -> Result<String, AppError> {
        let header = Header::new(input.len())?;
        let mut traces = Traces::new(&self.program, &self.arguments, self.launcher.sessions());
        let mut command = self.command();
        traces.put(&mut command);
        // Before the launcher, so that at no moment there is one that nobody would end.
        let mut watcher = Watcher::start(self.watcher.map(|command| command()), &traces);
        let child = command.spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(e) => {
                watcher.end();
                if e.kind() == io::ErrorKind::WouldBlock {
                    return Err(flavour::no_process(self.launcher.name()));
                }
                return Err(AppError::new(format!(
                    "{} cannot be started: {e}; name another with --mpirun",
                    self.launcher.name()
                )));
            }
        };
        watcher.tell(&Word::Launcher(child.id()));
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let header = &header;
        let token = header.token();
        let heard = &Mutex::new(Heard::default());
        let (records, mut said, status) = thread::scope(|scope| {
            let named = || thread::Builder::new().name("launcher".into());
            let listen = named().spawn_scoped(scope, move || listened(stdout, out, token, heard));
            let errors = named().spawn_scoped(scope, move || listened(stderr, io::stderr(), token, heard));
            // What is not read, as where no rank begins, must not keep from looking at the flag.
            let (open, to_close) = mpsc::channel::<()>();
            let teller =
                named().spawn_scoped(scope, move || tell(stdin, header.line().as_bytes(), input, &to_close));
            let (status, listen, errors) = match (listen, errors, teller) {
                (Ok(listen), Ok(errors), Ok(_)) => {
                    let status = self.attend(&mut child, open, heard, (&mut traces, &mut watcher), late);
                    (status, Some(listen), Some(errors))
                }
                (listen, errors, teller) => {
                    // Nobody would hear what the ranks say.
                    drop(open);
                    let _ = child.kill().and_then(|()| child.wait());
                    let why = [listen.as_ref().err(), errors.as_ref().err(), teller.as_ref().err()];
                    let why = why.into_iter().flatten().next().map_or(String::new(), ToString::to_string);
                    let why = format!("threads that listen to it could not be started ({why})");
                    (Err(io::Error::other(why)), listen.ok(), errors.ok())
                }
            };
            // What a launcher left that was ended, or that fell; before it is waited for ranks that hold its pipes.
            if !status.as_ref().is_ok_and(ExitStatus::success) || self.cancel.is_cancelled() {
                traces.put_away(child.id());
            }
            let joined = |one: Option<ScopedJoinHandle<'_, _>>| {
                one.map_or_else(Default::default, |one| one.join().unwrap_or_default())
            };
            let (records, mut said): (_, Vec<String>) = joined(listen);
            said.extend(joined(errors).1);
            (records, said, status)
        });
        watcher.end();
        let status = status.map_err(|e| AppError::new(format!("{}: {e}", self.launcher.name())))?;
        let mut roster = Roster::default();
        for record in records {
            match record {
                Record::Report(report) => return Ok(report),
                Record::Roster(there) => roster = there,
            }
        }
        if self.cancel.is_cancelled() {
            return Err(AppError::new("the run was cancelled"));
        }
        said.retain(|line| !line.is_empty());
        Err(AppError::new(told::sentence(self.launcher.name(), self.ranks, status, &said, &roster)))
    }

    fn command(&self) -> Command {
        let mut command = self.launcher.command(self.ranks, self.hostfile.as_deref());
        command.arg(&self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command
    }

    /// Waits for the end, sooner if the flag is set; the input is closed with `open`.
    fn attend(
        &self,
        child: &mut Child,
        open: Sender<()>,
        heard: &Mutex<Heard>,
        (traces, watcher): (&mut Traces, &mut Watcher),
        late: impl FnOnce(&str),
    ) -> io::Result<ExitStatus> {
        let (mut open, mut late) = (Some(open), Some(late));
        let started = Instant::now();
        let (mut told, mut noted) = (false, started);
        // Since when it is to end, and the last signal or haste after that.
        let mut cancelled: Option<Instant> = None;
        let mut steps = SIGNALS.into_iter().enumerate();
        let mut next = steps.next();
        let (mut ending, mut woken): (Option<Instant>, Option<Instant>) = (None, None);
        let mut graces = GRACE;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if cancelled.is_none() && self.cancel.is_cancelled() {
                open = None;
                cancelled = Some(Instant::now());
                watcher.tell(&Word::Cancelled);
            }
            if cancelled.is_some() && graces == GRACE && self.hurry.is_cancelled() {
                (graces, cancelled) = (HURRY, Some(Instant::now()));
            }
            if cancelled.is_some() && woken.is_none_or(|at| at.elapsed() > STOPPED) {
                traces.wake(child.id());
                woken = Some(Instant::now());
            }
            let heard = lock(heard);
            if !heard.begun && noted.elapsed() > NOTED {
                traces.note(child.id());
                noted = Instant::now();
            }
            if heard.begun && !told {
                watcher.tell(&Word::Begun);
                told = true;
            }
            if cancelled.is_none()
                && !heard.begun
                && started.elapsed() > self.begin
                && let Some(late) = late.take()
            {
                late(&self.not_begun(heard.said.as_deref()));
            }
            // Ranks that have not begun do not hear that they are to end.
            if let (Some(since), Some((step, signal))) = (cancelled, next)
                && (since.elapsed() > graces[step] || (signal == Signal::TERM && !heard.begun))
            {
                traces.signal(child.id(), signal);
                cancelled = Some(Instant::now());
                next = steps.next();
                ending = ending.or(cancelled);
            }
            drop(heard);
            // It starts those that it is at before it hears, and waits for them: they take its processors.
            if ending.is_some_and(|since| since.elapsed() > AGAIN) {
                traces.kill_ranks();
                ending = Some(Instant::now());
            }
            let _ = &open;
            thread::sleep(LOOK);
        }
    }

    /// That no rank has begun, in a sentence.
    fn not_begun(&self, said: Option<&str>) -> String {
        let awaited = self.launcher.awaited(self.ranks, self.hostfile.as_deref());
        let says = said.map(|said| format!(", and says: {said}")).unwrap_or_default();
        format!("no rank has begun after {} s: {awaited}{says}", self.begin.as_secs())
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the input, and keeps it open until nobody holds the other end of `to_close`.
fn tell(stdin: Option<ChildStdin>, line: &[u8], input: &[u8], to_close: &Receiver<()>) {
    if let Some(mut pipe) = stdin {
        // Ranks that end at once do not read it; they say why.
        let _ = pipe.write_all(line).and_then(|()| pipe.write_all(input)).and_then(|()| pipe.flush());
        let _ = to_close.recv();
    }
}

/// Passes on what comes from `from`; the records in it, and what the launcher says of itself.
fn listened(
    from: Option<impl Read>,
    to: impl Write,
    token: &str,
    heard: &Mutex<Heard>,
) -> (Vec<Record>, Vec<String>) {
    let mut sieve = Sieve::new(to, token);
    let mut buffer = vec![0; 64 << 10];
    if let Some(mut from) = from {
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            if lock(heard).begun {
                sieve.begin();
            }
            sieve.put(&buffer[..n]);
            let mut heard = lock(heard);
            heard.begun |= sieve.has_records();
            heard.said = sieve.last_said().map(str::to_owned).or(heard.said.take());
        }
    }
    sieve.end()
}
