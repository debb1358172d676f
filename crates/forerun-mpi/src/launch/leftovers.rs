//! What a launcher leaves that was ended while it started ranks: processes that it had begun, which are in groups of their own, the directory of its
//! session, and the memory by which Open MPI's ranks of a host send each other messages.
//!
//! The launcher has a mark in its environment, and so have the ranks that it starts on this host. By it they are found whoever their parent is by
//! now, and the launcher itself where whoever started it is gone. (Those on other hosts are ended by the launcher's daemons there, when these
//! have lost it.)

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf, absolute};
use std::process::{self, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, getpgid, getuid, kill_process, kill_process_group};
use rustix::system::uname;
use serde::{Deserialize, Serialize};

/// The variable of the mark.
const MARK: &str = "FORERUN_LAUNCH";
/// Where ranks of a host share memory, and what the names of their files begin with (Open MPI 4).
const SHARED: (&str, &str) = ("/dev/shm", "vader_segment.");
/// What ranks make there and remove at once, to see whether they can: without content.
const PROBE: &str = "open_mpi.";
/// From when on a probe is nobody's any more.
const STALE: Duration = Duration::from_millis(100);
/// How long it is waited for processes that were killed.
const GONE: Duration = Duration::from_secs(5);
/// The field of a process's parent, and that of when it began, in ticks of the system.
const PARENT: usize = 4;
const BEGUN: usize = 22;
/// How often a process is read at most that seems to begin another program.
const LOOKS: usize = 5;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// What is found again of a start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Traces {
    mark: String,
    begun: SystemTime,
    /// When the process began that starts the launcher, in ticks of the system: none of the start is older.
    parent: u64,
    /// The words of a rank's command line.
    words: Vec<OsString>,
    /// The directory that the launcher makes those of its sessions in.
    sessions: Option<OsString>,
    /// Open MPI's numbers of the jobs of the ranks seen.
    jobs: BTreeSet<u32>,
    /// The command lines seen in the launcher's group: a process that it has begun has one of them until it becomes a rank.
    lines: BTreeSet<Vec<u8>>,
    /// The groups of the launcher, of what it has begun and of the ranks seen.
    groups: BTreeSet<i32>,
}

/// A process with the mark.
struct Marked {
    pid: Pid,
    line: Vec<u8>,
    environment: Vec<u8>,
}

impl Marked {
    fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    fn group(&self) -> Option<i32> {
        getpgid(Some(self.pid)).ok().map(|group| group.as_raw_nonzero().get())
    }

    /// Whether it waits for a signal to go on (proc(5): the state is the field after the name).
    fn is_stopped(&self) -> bool {
        let stat = fs::read_to_string(place_of(self.pid).join("stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
    }

    /// The group of its parent.
    fn group_above(&self) -> Option<i32> {
        let parent = i32::try_from(stat_of(&place_of(self.pid), PARENT)?).ok().and_then(Pid::from_raw);
        getpgid(Some(parent?)).ok().map(|group| group.as_raw_nonzero().get())
    }

    /// When it began, in ticks of the system.
    fn begun(&self) -> Option<u64> {
        stat_of(&place_of(self.pid), BEGUN)
    }
}

fn place_of(pid: Pid) -> PathBuf {
    Path::new("/proc").join(pid.as_raw_nonzero().to_string())
}

/// What a process is to a start.
enum Program {
    /// Of it: its command line and environment.
    Marked { line: Vec<u8>, environment: Vec<u8> },
    /// Between two programs: while the system loads the next one, for longer where that is read from a disk, it has neither line nor environment.
    Begins,
    /// Another start's or user's, the system's own, one that has ended, or one that is not asked for.
    Other,
}

/// What the process of that place in /proc is to the start with that mark, if its command line `may`.
fn program(place: &Path, mark: &str, may: impl Fn(&[u8]) -> bool) -> Program {
    for _ in 0..LOOKS {
        let memory = words_of(place);
        let line = fs::read(place.join("cmdline")).unwrap_or_default();
        if !line.is_empty() && !may(&line) {
            return Program::Other;
        }
        let environment = fs::read(place.join("environ")).unwrap_or_default();
        if value(&environment, MARK) == Some(mark.as_bytes()) {
            return Program::Marked { line, environment };
        }
        // One that has ended has none, and another user's is not told.
        if fs::read_link(place.join("exe")).is_err() {
            return Program::Other;
        }
        // What is read while it begins another program is cut off; then that has come to lie elsewhere.
        if memory.is_some() && memory == words_of(place) {
            return Program::Other;
        }
    }
    Program::Begins
}

/// Where a process has its command line and its environment (proc(5): fields 48 to 51), other places in each program that it becomes; none
/// between two programs. (The environment comes last, and seems to be empty just before.)
fn words_of(place: &Path) -> Option<[u64; 4]> {
    let field = |n| stat_of(place, n);
    let places = [field(48)?, field(49)?, field(50)?, field(51)?];
    (places[2] < places[3]).then_some(places)
}

/// A field of what the system tells of a process, by its number in proc(5), of those after the name (which may have spaces in it).
fn stat_of(place: &Path, number: usize) -> Option<u64> {
    let stat = fs::read_to_string(place.join("stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

/// What a variable is set to in an environment.
fn value<'e>(environment: &'e [u8], name: &str) -> Option<&'e [u8]> {
    let mut all = environment.split(|byte| *byte == 0);
    all.find_map(|set| set.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

impl Traces {
    /// Of a start of that program, by a launcher with sessions in that directory.
    pub(super) fn new(program: &Path, arguments: &[String], sessions: Option<PathBuf>) -> Self {
        let begun = SystemTime::now();
        let now = begun.duration_since(UNIX_EPOCH).unwrap_or_default();
        let words = [program.as_os_str().to_owned()].into_iter();
        Traces {
            mark: format!("{}-{}", process::id(), now.as_nanos()),
            begun,
            parent: stat_of(Path::new("/proc/self"), BEGUN).unwrap_or_default(),
            words: words.chain(arguments.iter().map(OsString::from)).collect(),
            sessions: sessions.map(|place| absolute(&place).unwrap_or(place).into_os_string()),
            jobs: BTreeSet::new(),
            lines: BTreeSet::new(),
            groups: BTreeSet::new(),
        }
    }

    /// Puts the mark into a launcher's environment.
    pub(super) fn put(&self, launcher: &mut Command) {
        launcher.env(MARK, &self.mark);
    }

    /// The processes of this host that have the mark, of those that `may`, by their command lines.
    fn marked(&self, may: impl Fn(&[u8]) -> bool) -> Vec<Marked> {
        self.look(may).0
    }

    /// The same, and whether there was one that is between two programs, which may have the mark.
    fn look(&self, may: impl Fn(&[u8]) -> bool) -> (Vec<Marked>, bool) {
        let (mut all, mut between) = (Vec::new(), false);
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            let Some(pid) = pid.filter(|pid| pid.as_raw_nonzero().get() != process::id() as i32) else {
                continue;
            };
            // One without an environment cannot be told from one that begins.
            if stat_of(&entry.path(), BEGUN).is_none_or(|begun| begun < self.parent) {
                continue;
            }
            match program(&entry.path(), &self.mark, &may) {
                Program::Marked { line, environment } => all.push(Marked { pid, line, environment }),
                Program::Begins => between = true,
                Program::Other => {}
            }
        }
        (all, between)
    }

    /// Kills the ranks that there are on this host; gives how many.
    pub(super) fn kill_ranks(&mut self) -> usize {
        let ranks = self.marked(|line| self.is_rank(line));
        self.kill(&ranks)
    }

    /// Kills the ranks that there are on this host, and what a launcher that is gone has left of itself, or a rank of what it was before; gives
    /// whether there is nothing more that may be one. (What ranks start has groups of its own, and whoever sees to it.)
    fn kill_left(&mut self) -> bool {
        let (mut left, between) = self.look(|_| true);
        left.retain(|of| {
            let in_group = of.group().is_some_and(|group| self.groups.contains(&group));
            in_group || self.is_rank(&of.line) || self.lines.contains(&of.line)
        });
        self.kill(&left) == 0 && !between
    }

    fn kill(&mut self, all: &[Marked]) -> usize {
        self.jobs.extend(all.iter().filter_map(|of| number(value(&of.environment, "PMIX_NAMESPACE")?)));
        self.groups.extend(all.iter().filter_map(Marked::group));
        all.iter().filter(|of| kill_process(of.pid, Signal::KILL).is_ok()).count()
    }

    /// Has ranks of this host go on, and what is in the launcher's group, that somebody has stopped (SIGSTOP): they do not hear that they are to
    /// end.
    pub(super) fn wake(&self, launcher: u32) {
        let own = i32::try_from(launcher).ok();
        for of in self.marked(|_| true).into_iter().filter(Marked::is_stopped) {
            if of.group() == own || self.is_rank(&of.line) {
                let _ = kill_process(of.pid, Signal::CONT);
            }
        }
    }

    /// Whether it is a rank's command line, be it after the words of a program that starts the rank in its own place.
    fn is_rank(&self, line: &[u8]) -> bool {
        let words: Vec<&[u8]> = line.strip_suffix(b"\0").unwrap_or(line).split(|byte| *byte == 0).collect();
        let tail = words.len().saturating_sub(self.words.len());
        words[tail..].iter().copied().eq(self.words.iter().map(|word| word.as_bytes()))
    }

    /// The launcher, by its mark: of those that have it and lead a group, the first that began.
    pub(super) fn launcher(&self) -> Option<u32> {
        let leaders = self.marked(|_| true).into_iter().filter(|of| of.group() == Some(of.number()));
        let first = leaders.min_by_key(|of| (of.begun().unwrap_or(u64::MAX), of.number()))?;
        u32::try_from(first.number()).ok()
    }

    /// Whether that process is still the launcher.
    pub(super) fn is_there(&self, launcher: u32) -> bool {
        // One that begins another program is asked again.
        !matches!(
            program(&Path::new("/proc").join(launcher.to_string()), &self.mark, |_| true),
            Program::Other
        )
    }

    /// Notes by what is found again that the launcher has begun: itself in other words, ranks, and what is to reach other hosts, which does
    /// not end with it while a host does not answer.
    pub(super) fn note(&mut self, launcher: u32) {
        let own = i32::try_from(launcher).ok();
        for of in self.marked(|_| true) {
            let group = of.group();
            if group == own {
                self.lines.insert(of.line);
            } else if self.is_rank(&of.line) || of.group_above() == own {
                self.groups.extend(group);
            }
        }
    }

    /// Asks the launcher to end, or has its group end; before that, notes what it has begun.
    pub(super) fn signal(&mut self, launcher: u32, signal: Signal) {
        self.note(launcher);
        let own = i32::try_from(launcher).ok();
        if let Some(place) = &self.sessions {
            self.jobs
                .extend(sessions_of(Path::new(place), launcher).iter().flat_map(|session| jobs_of(session)));
        }
        let Some(pid) = own.and_then(Pid::from_raw) else { return };
        // The launcher ends its ranks where it is asked to; where it is killed, its daemons do.
        let _ = match signal {
            Signal::KILL => kill_process_group(pid, signal),
            _ => kill_process(pid, signal),
        };
    }

    /// Puts away what is left when the launcher, which was the process `launcher`, is gone.
    pub(super) fn put_away(&mut self, launcher: u32) {
        self.groups.extend(i32::try_from(launcher).ok().filter(|group| *group > 0));
        // A process that is about to become a rank does not look like one yet.
        let begun = Instant::now();
        let mut quiet = 0;
        while quiet < 3 && begun.elapsed() < GONE {
            quiet = if self.kill_left() { quiet + 1 } else { 0 };
            thread::sleep(LOOK);
        }
        if let Some(sessions) = &self.sessions {
            self.jobs.extend(end_session(Path::new(sessions), launcher));
        }
        self.free_shared(Path::new(SHARED.0));
        self.remove_probes(Path::new(SHARED.0));
    }

    /// Removes what ranks were killed over that had just tried whether they can share memory.
    fn remove_probes(&self, place: &Path) {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let is_probe = || {
                let of = fs::symlink_metadata(entry.path()).ok()?;
                let ours = of.is_file() && of.len() == 0 && of.uid() == getuid().as_raw();
                let since = of.modified().ok()?;
                (ours && since >= self.begun).then_some(since)
            };
            if !entry.file_name().as_bytes().starts_with(PROBE.as_bytes()) {
                continue;
            }
            let Some(since) = is_probe() else { continue };
            // That of another run is gone at once.
            thread::sleep(STALE.saturating_sub(since.elapsed().unwrap_or_default()));
            let _ = is_probe().filter(|again| *again == since).map(|_| fs::remove_file(entry.path()));
        }
    }

    /// Removes the memory that ranks of these jobs shared: `vader_segment.HOST.USER.JOB.RANK`, with the last but one in hexadecimal.
    fn free_shared(&self, place: &Path) {
        if self.jobs.is_empty() {
            return;
        }
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let job = name.to_str().filter(|name| name.starts_with(SHARED.1)).and_then(|name| {
                let mut parts = name.rsplit('.').skip(1);
                u32::from_str_radix(parts.next()?, 16).ok()
            });
            if job.is_some_and(|job| self.jobs.contains(&job)) {
                // What is another user's is not ours, and stays.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Where the session of the launcher that is this process can be, as its host's name is written with its domain or without.
fn sessions_of(sessions: &Path, launcher: u32) -> Vec<PathBuf> {
    let name = uname();
    let host = String::from_utf8_lossy(name.nodename().to_bytes()).into_owned();
    let short = host.split('.').next().unwrap_or_default().to_owned();
    let session = |host: &String| {
        sessions.join(format!("ompi.{host}.{}", getuid().as_raw())).join(format!("pid.{launcher}"))
    };
    BTreeSet::from([host, short]).iter().map(session).collect()
}

/// Removes the session of the launcher that was this process; gives the numbers of its jobs.
pub(super) fn end_session(sessions: &Path, launcher: u32) -> BTreeSet<u32> {
    let mut jobs = BTreeSet::new();
    for session in sessions_of(sessions, launcher) {
        if session.is_dir() {
            jobs.extend(jobs_of(&session));
            let _ = fs::remove_dir_all(&session);
        }
        // Others' sessions stay in it; it may have come to remove its own only.
        let _ = session.parent().map(fs::remove_dir);
    }
    jobs
}

/// The numbers of the jobs of a session: its store of what ranks tell each other has files `smseg-JOB-…`.
fn jobs_of(session: &Path) -> BTreeSet<u32> {
    let stores = fs::read_dir(session).into_iter().flatten().flatten();
    let files = stores.flat_map(|store| fs::read_dir(store.path()).into_iter().flatten().flatten());
    let of = |name: OsString| {
        let name = name.into_vec();
        let rest = [&b"smseg-"[..], b"smdataseg-", b"smlockseg-"]
            .into_iter()
            .find_map(|begin| name.strip_prefix(begin))?;
        number(rest.split(|byte| *byte == b'-').next()?)
    };
    files.filter_map(|file| of(file.file_name())).collect()
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{Child, Stdio};

    use super::*;

    fn started(traces: &Traces, mark: bool, seconds: &str) -> Child {
        let mut command = Command::new("/bin/sleep");
        command.arg(seconds).stdin(Stdio::null()).process_group(0);
        if mark {
            traces.put(&mut command);
        }
        command.spawn().expect("it starts")
    }

    #[test]
    fn ranks_are_killed_and_nobody_else() {
        let words = |seconds: &str| Traces::new(Path::new("/bin/sleep"), &[seconds.into()], None);
        let mut traces = words("96.25");
        let mut ranks: Vec<Child> = (0..3).map(|_| started(&traces, true, "96.25")).collect();
        let mut others = [
            // Of another start, without a start, and what a rank has started.
            started(&words("96.25"), true, "96.25"),
            started(&traces, false, "96.25"),
            started(&traces, true, "96.5"),
        ];
        // A child looks like its parent until it has become another program.
        let all = Instant::now();
        let mut killed = 0;
        while killed < 3 && all.elapsed() < GONE {
            killed += traces.kill_ranks();
            for rank in &mut ranks {
                let _ = rank.try_wait();
            }
        }
        assert!(ranks.iter_mut().all(|rank| rank.wait().is_ok_and(|status| status.signal() == Some(9))));
        traces.put_away(0);
        for other in &mut others {
            assert_eq!(other.try_wait().expect("it is ours"), None);
            other.kill().and_then(|()| other.wait()).expect("it ends");
        }
    }

    #[test]
    fn ranks_that_are_stopped_go_on_and_nobody_else() {
        let traces = Traces::new(Path::new("/bin/sleep"), &["96.75".into()], None);
        let mut rank = started(&traces, true, "96.75");
        let mut others = [started(&traces, false, "96.75"), started(&traces, true, "96.5")];
        let state = |child: &Child| {
            let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
            stat.rsplit_once(") ").unwrap().1.chars().next()
        };
        let line = |child: &Child| fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
        let all = Instant::now();
        for child in others.iter().chain([&rank]) {
            // A child looks like its parent until it has become another program.
            while !line(child).starts_with(b"/bin/sleep") && all.elapsed() < GONE {
                thread::sleep(LOOK);
            }
            kill_process(Pid::from_child(child), Signal::STOP).unwrap();
            while state(child) != Some('T') && all.elapsed() < GONE {
                thread::sleep(LOOK);
            }
        }
        traces.wake(0);
        // One that goes on runs for a moment before it sleeps again.
        while state(&rank) != Some('S') && all.elapsed() < GONE {
            thread::sleep(LOOK);
        }
        assert_eq!((state(&rank), others.each_ref().map(state)), (Some('S'), [Some('T'); 2]));
        for child in others.iter_mut().chain([&mut rank]) {
            child.kill().and_then(|()| child.wait()).expect("it ends");
        }
    }

    /// While the system loads a program, the process has neither the line nor the environment of one: it is not taken for another's.
    #[test]
    fn a_process_between_two_programs_is_not_missed() {
        let traces = Traces::new(Path::new("/nonesuch"), &[], None);
        let again = r#"[ "$1" -gt 500 ] || exec /bin/sh -c "$0" "$0" $(($1 + 1))"#;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", again, again, "1"]).stdin(Stdio::null());
        traces.put(&mut command);
        let mut child = command.spawn().expect("it starts");
        let place = Path::new("/proc").join(child.id().to_string());
        let mut seen = 0;
        loop {
            let found = program(&place, &traces.mark, |_| true);
            if child.try_wait().expect("it is ours").is_some() {
                break;
            }
            match found {
                Program::Marked { .. } => seen += 1,
                Program::Begins => {}
                // It has ended, but is not waited for yet.
                Program::Other => {
                    assert!(fs::read_link(place.join("exe")).is_err(), "missed after {seen} looks")
                }
            }
        }
        assert!(seen > 0);
        // One that has ended, one without the mark, one whose line says that it is another's.
        for (place, may) in
            [(&*place, true), (Path::new("/proc/self"), true), (Path::new("/proc/self"), false)]
        {
            assert!(matches!(program(place, &traces.mark, |_| may), Program::Other));
        }
    }

    #[test]
    fn a_session_is_removed_with_the_memory_of_its_jobs() {
        let place = std::env::temp_dir().join(format!("forerun-leftovers-{}", process::id()));
        let name = uname();
        let host = String::from_utf8_lossy(name.nodename().to_bytes()).into_owned();
        let user = place.join(format!("ompi.{host}.{}", getuid().as_raw()));
        let store = user.join("pid.77/pmix_dstor_ds21_77");
        fs::create_dir_all(&store).unwrap();
        fs::create_dir_all(user.join("pid.78")).unwrap();
        fs::write(store.join("smseg-387317761-0"), "").unwrap();
        fs::write(store.join("initial-pmix_shared-segment-0"), "").unwrap();
        let mut traces = Traces::new(Path::new("/nonesuch"), &[], Some(place.clone()));
        traces.put_away(77);
        assert_eq!(traces.jobs, BTreeSet::from([387_317_761]));
        assert!(!user.join("pid.77").exists() && user.join("pid.78").exists());
        // 387317761 is 17160001 in hexadecimal.
        let shared = place.join("shm");
        fs::create_dir(&shared).unwrap();
        let names = ["vader_segment.vm.0.17160001.3", "vader_segment.vm.0.17160002.3", "other.17160001.3"];
        names.iter().for_each(|name| fs::write(shared.join(name), "").unwrap());
        traces.free_shared(&shared);
        let left: BTreeSet<_> = fs::read_dir(&shared).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, names[1..].iter().map(OsString::from).collect());
        fs::write(shared.join("open_mpi.0000"), "").unwrap();
        fs::write(shared.join("open_mpi.0001"), "in use").unwrap();
        traces.remove_probes(&shared);
        assert!(!shared.join("open_mpi.0000").exists() && shared.join("open_mpi.0001").exists());
        fs::remove_dir(user.join("pid.78")).unwrap();
        fs::create_dir(user.join("pid.79")).unwrap();
        traces.put_away(79);
        assert!(!user.exists());
        fs::remove_dir_all(&place).unwrap();
    }
}
