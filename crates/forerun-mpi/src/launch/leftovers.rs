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
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// What is found again of a start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Traces {
    mark: String,
    begun: SystemTime,
    /// The words of a rank's command line.
    words: Vec<OsString>,
    /// The directory that the launcher makes those of its sessions in.
    sessions: Option<OsString>,
    /// Open MPI's numbers of the jobs of the ranks seen.
    jobs: BTreeSet<u32>,
    /// The command lines seen in the launcher's group: a process that it has begun has one of them until it becomes a rank.
    lines: BTreeSet<Vec<u8>>,
    /// The groups of the launcher and of the ranks seen.
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

    /// When it began, in ticks of the system (proc(5): field 22, the 20th after the name, which may have spaces in it).
    fn begun(&self) -> Option<u64> {
        let stat = fs::read_to_string(place_of(self.pid).join("stat")).ok()?;
        stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
    }
}

fn place_of(pid: Pid) -> PathBuf {
    Path::new("/proc").join(pid.as_raw_nonzero().to_string())
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
        let mut all = Vec::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            let Some(pid) = pid.filter(|pid| pid.as_raw_nonzero().get() != process::id() as i32) else {
                continue;
            };
            let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
            if !may(&line) {
                continue;
            }
            // Another user's, or gone: one that has ended has none.
            let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
            if value(&environment, MARK) == Some(self.mark.as_bytes()) {
                all.push(Marked { pid, line, environment });
            }
        }
        all
    }

    /// Kills the ranks that there are on this host; gives how many.
    pub(super) fn kill_ranks(&mut self) -> usize {
        let ranks = self.marked(|line| self.is_rank(line));
        self.kill(&ranks)
    }

    /// Kills the ranks that there are on this host, and what a launcher that is gone has left of itself, or a rank of what it was before; gives how
    /// many. (What ranks start has groups of its own, and whoever sees to it.)
    fn kill_left(&mut self) -> usize {
        let mut left = self.marked(|_| true);
        left.retain(|of| {
            let in_group = of.group().is_some_and(|group| self.groups.contains(&group));
            in_group || self.is_rank(&of.line) || self.lines.contains(&of.line)
        });
        self.kill(&left)
    }

    fn kill(&mut self, all: &[Marked]) -> usize {
        self.jobs.extend(all.iter().filter_map(|of| number(value(&of.environment, "PMIX_NAMESPACE")?)));
        self.groups.extend(all.iter().filter_map(Marked::group));
        all.iter().filter(|of| kill_process(of.pid, Signal::KILL).is_ok()).count()
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
        let environment = fs::read(format!("/proc/{launcher}/environ")).unwrap_or_default();
        value(&environment, MARK) == Some(self.mark.as_bytes())
    }

    /// Asks the launcher to end, or has its group end; before that, notes by what is found again that it has begun.
    pub(super) fn signal(&mut self, launcher: u32, signal: Signal) {
        let own = i32::try_from(launcher).ok();
        for of in self.marked(|_| true) {
            let group = of.group();
            if group == own {
                self.lines.insert(of.line);
            } else if self.is_rank(&of.line) {
                self.groups.extend(group);
            }
        }
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
            quiet = if self.kill_left() == 0 { quiet + 1 } else { 0 };
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
