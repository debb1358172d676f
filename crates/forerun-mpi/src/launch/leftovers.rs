//! What a launcher leaves that was ended while it started ranks: processes that it had begun, which are in groups of their own, the directory of its
//! session, and the memory by which Open MPI's ranks of a host send each other messages.
//!
//! The launcher has a mark in its environment, and so have the ranks that it starts on this host. By it they are found whoever their parent is by
//! now. (Those on other hosts are ended by the launcher's daemons there, when these have lost it.)

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, getuid, kill_process};
use rustix::system::uname;

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
#[derive(Debug)]
pub(super) struct Traces {
    mark: String,
    begun: SystemTime,
    /// The words of a rank's command line.
    words: Vec<OsString>,
    /// The directory that the launcher makes those of its sessions in.
    sessions: Option<PathBuf>,
    /// Open MPI's numbers of the jobs of the ranks seen.
    jobs: BTreeSet<u32>,
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
            sessions,
            jobs: BTreeSet::new(),
        }
    }

    /// Puts the mark into a launcher's environment.
    pub(super) fn put(&self, launcher: &mut Command) {
        launcher.env(MARK, &self.mark);
    }

    /// Kills the ranks that there are on this host; gives how many.
    pub(super) fn kill_ranks(&mut self) -> usize {
        let mut killed = 0;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let place = entry.path();
            if pid == process::id() as i32 || !self.is_rank(&place) {
                continue;
            }
            // Of another user's, or gone.
            let Ok(environment) = fs::read(place.join("environ")) else { continue };
            let value = |name: &str| {
                let mut all = environment.split(|byte| *byte == 0);
                all.find_map(|set| set.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
            };
            if value(MARK) != Some(self.mark.as_bytes()) {
                continue;
            }
            self.jobs.extend(value("PMIX_NAMESPACE").and_then(number));
            if let Some(pid) = Pid::from_raw(pid)
                && kill_process(pid, Signal::KILL).is_ok()
            {
                killed += 1;
            }
        }
        killed
    }

    /// Whether the process has a rank's command line.
    fn is_rank(&self, place: &Path) -> bool {
        let Ok(line) = fs::read(place.join("cmdline")) else { return false };
        let words = line.strip_suffix(b"\0").unwrap_or(&line).split(|byte| *byte == 0);
        words.eq(self.words.iter().map(|word| word.as_bytes()))
    }

    /// Puts away what is left when the launcher, which was the process `launcher`, is gone.
    pub(super) fn put_away(&mut self, launcher: u32) {
        // A process that is about to become a rank does not look like one yet.
        let begun = Instant::now();
        let mut quiet = 0;
        while quiet < 3 && begun.elapsed() < GONE {
            quiet = if self.kill_ranks() == 0 { quiet + 1 } else { 0 };
            thread::sleep(LOOK);
        }
        if let Some(sessions) = &self.sessions {
            self.jobs.extend(end_session(sessions, launcher));
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

/// Removes the session of the launcher that was this process; gives the numbers of its jobs.
pub(super) fn end_session(sessions: &Path, launcher: u32) -> BTreeSet<u32> {
    let name = uname();
    let host = String::from_utf8_lossy(name.nodename().to_bytes()).into_owned();
    let short = host.split('.').next().unwrap_or_default().to_owned();
    let mut jobs = BTreeSet::new();
    for host in BTreeSet::from([host, short]) {
        let of_user = sessions.join(format!("ompi.{host}.{}", getuid().as_raw()));
        let session = of_user.join(format!("pid.{launcher}"));
        if session.is_dir() {
            jobs.extend(jobs_of(&session));
            let _ = fs::remove_dir_all(&session);
        }
        // Others' sessions stay in it; it may have come to remove its own only.
        let _ = fs::remove_dir(&of_user);
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
