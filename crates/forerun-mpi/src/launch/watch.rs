//! A process that ends a launcher and what it has started where whoever started the launcher was killed (SIGKILL) and cannot.
//!
//! That one holds the writing end of a pipe and says what it has: by what a start is found again, the launcher, that all ranks have begun, that
//! all is over, each a line. Where the pipe closes before that, the launcher is ended as in a run that is cancelled: ranks that have begun hear
//! of it themselves and get time to end in good order, others hear nothing. Where the run was to end already, they have had it.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::leftovers::Traces;
use super::{AGAIN, GRACE, HURRY, LOOK, SIGNALS, STOPPED};

/// How long it is looked for a launcher of which nobody has said whether it was started.
const APPEARS: Duration = Duration::from_secs(3);

/// What a watcher is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Word {
    /// By what a start is found again that is about to be.
    Start(Traces),
    /// The process of the launcher.
    Launcher(u32),
    /// All ranks have begun.
    Begun,
    /// The run is to end.
    Cancelled,
    /// All is over.
    Ended,
}

/// A watcher at work, if there is one. Dropped without [`Watcher::end`] it does what it is for.
#[derive(Debug)]
pub(super) struct Watcher(Option<(Child, ChildStdin)>);

impl Watcher {
    /// Starts one by its command; a run goes on without where that cannot be.
    pub(super) fn start(command: Option<Command>, traces: &Traces) -> Watcher {
        let start = |mut command: Command| {
            // In a group of its own, out of the way of Ctrl-C and of what is sent to the run's group.
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
            let mut child = command.spawn().ok()?;
            let pipe = child.stdin.take()?;
            Some((child, pipe))
        };
        let mut watcher = Watcher(command.and_then(start));
        // Written as it would be read, without a copy of it.
        if let Ok(json) = serde_json::to_string(traces) {
            watcher.write(&format!("{{\"Start\":{json}}}\n"));
        }
        watcher
    }

    /// Tells it a word.
    pub(super) fn tell(&mut self, word: &Word) {
        if let Ok(line) = serde_json::to_string(word) {
            self.write(&(line + "\n"));
        }
    }

    fn write(&mut self, line: &str) {
        // Where somebody ended it the run goes on without.
        let _ = self.0.as_mut().map(|(_, pipe)| pipe.write_all(line.as_bytes()));
    }

    /// Lets it end.
    pub(super) fn end(mut self) {
        self.tell(&Word::Ended);
        if let Some((mut child, pipe)) = self.0.take() {
            drop(pipe);
            let _ = child.wait();
        }
    }
}

/// The life of a watcher (see [`Launch::watcher`](super::Launch::watcher)): reads what a run says in `from`, and where that ends before the run has
/// ended, ends its launcher and puts away what that leaves. Takes some seconds then, half a minute at most where ranks had begun.
pub fn watch(from: impl Read) {
    let (mut start, mut launcher, mut begun, mut cancelled) = (None, None, false, false);
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        // One that was cut off says nothing.
        match serde_json::from_str(&line) {
            Ok(Word::Start(traces)) => start = Some(traces),
            Ok(Word::Launcher(pid)) => launcher = Some(pid),
            Ok(Word::Begun) => begun = true,
            Ok(Word::Cancelled) => cancelled = true,
            Ok(Word::Ended) => return,
            Err(_) => {}
        }
    }
    let Some(mut traces) = start else { return };
    if let Some(launcher) = launcher.or_else(|| appears(&traces)) {
        let graces = match (begun, cancelled) {
            (_, true) => HURRY,
            (true, false) => GRACE,
            (false, false) => [Duration::ZERO, GRACE[1]],
        };
        end(&mut traces, launcher, graces);
    }
}

/// The launcher of a run that was killed about when it started one: between two programs it has no mark.
fn appears(traces: &Traces) -> Option<u32> {
    let since = Instant::now();
    loop {
        let found = traces.launcher();
        if found.is_some() || since.elapsed() > APPEARS {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// Ends a launcher, which has `graces` before it gets each signal, and puts away what it leaves.
fn end(traces: &mut Traces, launcher: u32, graces: [Duration; 2]) {
    let mut steps = graces.into_iter().zip(SIGNALS);
    let mut next = steps.next();
    let (mut since, mut looked, mut woken) = (Instant::now(), None::<Instant>, None::<Instant>);
    // One that no signal ends waits for the system, and cannot be helped.
    while traces.is_there(launcher) && (next.is_some() || since.elapsed() < GRACE[1]) {
        if woken.is_none_or(|at| at.elapsed() > STOPPED) {
            traces.wake(launcher);
            woken = Some(Instant::now());
        }
        if let Some((grace, signal)) = next
            && since.elapsed() >= grace
        {
            traces.signal(launcher, signal);
            since = Instant::now();
            looked = looked.or(Some(since));
            next = steps.next();
        }
        // It starts those that it is at before it hears, and waits for them: they take its processors.
        if looked.is_some_and(|at| at.elapsed() > AGAIN) {
            traces.kill_ranks();
            looked = Some(Instant::now());
        }
        thread::sleep(LOOK);
    }
    traces.put_away(launcher);
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::path::Path;

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    /// A process in a group of its own, with the mark of a start or without.
    fn started(of: Option<&Traces>, words: &[&str]) -> Child {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
        of.inspect(|traces| traces.put(&mut command));
        command.spawn().expect("it starts")
    }

    fn traces() -> Traces {
        Traces::new(Path::new("sleep"), &["95.25".into()], None)
    }

    /// What a watcher hears of a run that was killed then, which is in the middle of a line.
    fn heard(traces: &Traces, words: &[Word]) -> Vec<u8> {
        let mut all = format!("{{\"Start\":{}}}\n", serde_json::to_string(traces).unwrap());
        words.iter().for_each(|word| all += &(serde_json::to_string(word).unwrap() + "\n"));
        (all + "\"End").into_bytes()
    }

    /// Watches, while a launcher that ends is waited for as the system does for one whose parent is gone; gives how long it took.
    fn watched(heard: &[u8], launcher: &mut Child) -> Duration {
        let since = Instant::now();
        thread::scope(|scope| {
            let watching = scope.spawn(|| watch(heard));
            while !watching.is_finished() {
                let _ = launcher.try_wait();
                thread::sleep(LOOK);
            }
        });
        since.elapsed()
    }

    /// Ends what a test has not, and says whether it was still there.
    fn is_left(child: &mut Child) -> bool {
        let left = child.try_wait().expect("it is ours").is_none();
        let _ = Pid::from_raw(child.id() as i32).map(|group| kill_process_group(group, Signal::KILL));
        let _ = child.wait();
        left
    }

    /// Waits until a shell has begun another program.
    fn has_begun(child: &Child) -> u32 {
        let list = format!("/proc/{0}/task/{0}/children", child.id());
        for _ in 0..1000 {
            if let Some(pid) = fs::read_to_string(&list).unwrap_or_default().split_whitespace().next() {
                return pid.parse().unwrap();
            }
            thread::sleep(LOOK);
        }
        panic!("it begins nothing");
    }

    /// Whether a process is there that is not only waited for.
    fn is_running(pid: u32) -> bool {
        fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, after)| !after.starts_with(" Z")))
    }

    /// Whether or not the run came to say which process it is, and also one that does not hear and has others do its work.
    #[test]
    fn a_launcher_that_starts_ranks_is_ended_with_all_it_has() {
        for (script, is_told) in [
            ("sleep 95.5; :", true),
            ("sleep 95.5; :", false),
            ("trap '' TERM; sleep 95.5; :", true),
            // As what is to reach another host, which does not answer.
            ("setsid sleep 95.5; :", true),
        ] {
            let (traces, other) = (traces(), self::traces());
            let mut launcher = started(Some(&traces), &["sh", "-c", script]);
            let child = has_begun(&launcher);
            let mut rank = started(Some(&traces), &["sleep", "95.25"]);
            let mut wrapped = started(Some(&traces), &["sh", "-c", ":; read x", "sleep", "95.25"]);
            let mut others = [
                started(Some(&other), &["sleep", "95.25"]),
                started(None, &["sleep", "95.25"]),
                started(Some(&traces), &["sleep", "95.75"]),
            ];
            let told: &[Word] = if is_told { &[Word::Launcher(launcher.id())] } else { &[] };
            let took = watched(&heard(&traces, told), &mut launcher);
            assert!(!is_left(&mut launcher) && !is_running(child), "{script}");
            assert!(!is_left(&mut rank) && !is_left(&mut wrapped), "{script}");
            assert!(took < Duration::from_secs(10), "{script}: {took:?}");
            assert!(others.iter_mut().all(is_left), "{script}");
        }
    }

    #[test]
    fn a_run_that_has_ended_leaves_its_watcher_nothing_to_do() {
        let traces = traces();
        let mut launcher = started(Some(&traces), &["sleep", "95.5"]);
        watched(&heard(&traces, &[Word::Launcher(launcher.id()), Word::Ended]), &mut launcher);
        assert!(is_left(&mut launcher));
        // Nor has one that has not begun, or whose number another process has.
        let mut other = started(None, &["sleep", "95.5"]);
        watched(&heard(&traces, &[Word::Launcher(other.id())]), &mut other);
        watch(io::empty());
        watched(&heard(&traces, &[]), &mut other);
        assert!(is_left(&mut other));
    }

    #[test]
    fn ranks_that_have_begun_have_time_to_end() {
        let traces = traces();
        let mut launcher = started(Some(&traces), &["sh", "-c", "trap 'exit 7' TERM; sleep 1; exit 3"]);
        let words = [Word::Launcher(launcher.id()), Word::Begun];
        watched(&heard(&traces, &words), &mut launcher);
        assert_eq!(launcher.wait().expect("it ends").code(), Some(3));
    }

    /// Where the run was to end already, ranks have had their time.
    #[test]
    fn a_run_that_was_cancelled_before_ends_soon() {
        let traces = traces();
        let mut launcher = started(Some(&traces), &["sh", "-c", "trap '' TERM; sleep 95.125; exit 3"]);
        let words = [Word::Launcher(launcher.id()), Word::Begun, Word::Cancelled];
        let took = watched(&heard(&traces, &words), &mut launcher);
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert!(!is_left(&mut launcher));
    }
}
