//! Runs the built command in a directory of its own and looks at what it says and leaves.

#[path = "../../../forerun-platform/tests/common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Longer than anything here takes on a machine with a lot to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The command.
pub(crate) const FORERUN: &str = env!("CARGO_BIN_EXE_forerun");

/// The home of all tests, in which this machine was measured.
pub(crate) fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-home");
        fs::create_dir_all(&home).unwrap();
        // What is measured while others have the processors is not kept; with patience it is measured between two of their turns.
        for _ in 0..10 {
            let said = bare(&home).args(["platform", "show", "this"]).output().unwrap();
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            if ![&said.stdout, &said.stderr].iter().any(|s| String::from_utf8_lossy(s).contains("not kept")) {
                break;
            }
        }
        home
    })
}

fn bare(home: &Path) -> Command {
    let mut command = Command::new(FORERUN);
    // It keeps ignoring what is ignored here, as shells have it of what they run in the background.
    if ignored("self") != 0 {
        command = Command::new("env");
        command.args(["--default-signal=HUP,INT,QUIT,TERM", FORERUN]);
    }
    command.env("HOME", home).env("XDG_CACHE_HOME", home.join("cache")).env("LC_ALL", "C");
    command.stdin(Stdio::null()).current_dir(home);
    command
}

/// The signals that a process ignores, of those that tests send: HUP, INT, QUIT and TERM, the bit 1 << (n - 1) for signal n.
fn ignored(process: &str) -> u64 {
    mask(process, "SigIgn:") & (1 | 1 << 1 | 1 << 2 | 1 << 14)
}

/// Signals of a process, as proc(5) has them.
fn mask(process: &str, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap_or(0)
}

/// A directory of a test.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("forerun-cli-").tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place { dir };
        fs::create_dir(place.path("tmp")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.dir.path().join(name.as_ref())
    }

    /// Writes a file, making the directories on the way.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a program.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        programs::write(&path, text);
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The command with these words; temporary files go to `tmp`.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = bare(home());
        command.args(words).current_dir(self.dir.path()).env("TMPDIR", self.path("tmp"));
        command
    }

    /// Runs it with the words of `line`, which have no spaces.
    pub(crate) fn run(&self, line: &str) -> Said {
        self.say(line.split_whitespace())
    }

    /// Runs it with these words.
    pub(crate) fn say<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Said {
        finish(self.command(words))
    }

    /// Runs a script of a shell, with the command in the path.
    pub(crate) fn run_script(&self, script: &str) -> Said {
        let of_it = self.command([""; 0]);
        let envs: Vec<_> = of_it.get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
        let dir = Path::new(FORERUN).parent().unwrap();
        let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.arg(script).current_dir(self.path("")).envs(envs).env("PATH", path);
        finish(command).ok()
    }

    /// Starts it with these words.
    pub(crate) fn start<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Running {
        let mut command = self.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::new(command)
    }

    /// Makes a named pipe.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let pipe = self.path(name);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        pipe
    }

    /// A profile with which no pilot is needed.
    pub(crate) fn profile(&self) -> PathBuf {
        self.write(
            "profile.toml",
            "format = 1\napplication = \"any\"\n\
             [farm]\ntask = \"1 ms\"\nresult_bytes = \"20 B\"\n[reduction]\n\
             task = { fixed = \"1 ms\", per_byte = \"1 ns/B\" }\n\
             merge = { fixed = \"0.1 ms\", per_byte = \"1 ns/B\" }\n\
             result_bytes = { per_byte = 1.0 }\n",
        )
    }

    /// That no temporary file is left, nor half of a result.
    pub(crate) fn assert_clean(&self) {
        let mut left = Vec::new();
        let mut open = vec![self.dir.path().to_path_buf()];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name();
                if name.as_bytes().starts_with(b".") || dir.ends_with("tmp") {
                    left.push(entry.path());
                }
                if entry.file_type().unwrap().is_dir() {
                    open.push(entry.path());
                }
            }
        }
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Said {
    /// It went well.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.success(), "{:?}: {}\n{}", self.status, self.err, self.text());
        self
    }

    /// It ended with `status` and one sentence that has all of `words`.
    #[track_caller]
    pub(crate) fn refused(self, status: i32, words: &[&str]) -> Self {
        assert_eq!(self.status.code(), Some(status), "{}", self.err);
        assert!(!self.err.contains("panicked at"), "{}", self.err);
        let said = self.err.lines().find(|l| l.starts_with("forerun: ") || l.starts_with("error: "));
        let said = said.unwrap_or_else(|| panic!("no sentence in: {}", self.err));
        assert!(!said.contains("(os error"), "a number of the system is in: {said}");
        for word in words {
            assert!(said.contains(word), "{word:?} is not in: {said}");
        }
        self
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard output, which is JSON and nothing else.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command) -> Said {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::new(command).end()
}

/// A command that runs; killed if it is dropped before its end.
pub(crate) struct Running {
    pub(crate) child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub(crate) fn new(mut command: Command) -> Self {
        Running { child: command.spawn().unwrap() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Until it handles SIGINT itself.
    pub(crate) fn wait_until_listening(&mut self) {
        let id = self.id().to_string();
        // To SIGQUIT last.
        self.wait_for("it listens to signals", || mask(&id, "SigCgt:") & 0b110 == 0b110);
    }

    /// Until `is` is true; it must still run then.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, what: &str, mut is: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is() {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut err = String::new();
                let _ = self.child.stderr.take().map(|mut e| e.read_to_string(&mut err));
                panic!("it ended ({status}) before {what}: {err}");
            }
            assert!(Instant::now() < until, "not in time: {what}");
            sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end, reading what it says.
    #[track_caller]
    pub(crate) fn end(mut self) -> Said {
        let (mut stdout, mut stderr) = (self.child.stdout.take(), self.child.stderr.take());
        drop(self.child.stdin.take());
        let reader = thread::spawn(move || {
            let mut out = Vec::new();
            let _ = stdout.as_mut().map(|s| s.read_to_end(&mut out));
            out
        });
        let errors = thread::spawn(move || {
            let mut err = Vec::new();
            let _ = stderr.as_mut().map(|s| s.read_to_end(&mut err));
            String::from_utf8_lossy(&err).into_owned()
        });
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it does not end");
            sleep(Duration::from_millis(1));
        };
        Said { status, out: reader.join().unwrap(), err: errors.join().unwrap() }
    }

    /// Feeds standard input, which is a pipe, and closes it.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let _ = self.child.stdin.take().unwrap().write_all(bytes);
    }
}

/// Whether it ended as a shell says `128 + signal`.
pub(crate) fn ended_by(status: ExitStatus, signal: i32) -> bool {
    status.code() == Some(128 + signal) || status.signal() == Some(signal)
}

/// Processes one of whose words is `word`.
pub(crate) fn processes_with(word: &str) -> Vec<String> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let has = line.split(|&b| b == 0).any(|w| w == word.as_bytes());
            has.then(|| entry.file_name().to_string_lossy().into_owned())
        })
        .collect()
}

/// Waits until `is` is true.
#[track_caller]
pub(crate) fn eventually(what: &str, is: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < until, "not in time: {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Asserts that no process with this word is left.
#[track_caller]
pub(crate) fn assert_gone(word: &str) {
    let left = processes_with(word);
    assert!(left.is_empty(), "processes {left:?} are left");
}

/// Pseudo-random numbers, always the same ones.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    })
}

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The command as a user whom permissions bind, if that can be.
pub(crate) fn as_nobody(place: &Place, words: &[&str]) -> Option<Command> {
    as_user(65534, place, words)
}

/// The same, as the user of that number where it is run by root, which no other test may be at the same time.
pub(crate) fn as_user(user: u32, place: &Place, words: &[&str]) -> Option<Command> {
    let command = place.command(words);
    if !is_root() {
        return Some(command);
    }
    let nobody = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command
            .args([&format!("--reuid={user}"), "--regid=65534", "--clear-groups", "--", FORERUN])
            .args(words);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", home().join("cache")).stdin(Stdio::null());
        command
    };
    let works = nobody(&["--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    works.is_ok_and(|s| s.success()).then(|| nobody(words))
}

/// Names of the four strategies.
pub(crate) const STRATEGIES: [&str; 4] = ["parallel-pipeline", "reduction-tree", "master-slave", "adaptive"];

/// Whether a strategy runs on so many processors in one group.
pub(crate) fn runs_on(strategy: &str, processors: usize) -> bool {
    strategy != "parallel-pipeline" || processors.is_power_of_two()
}

/// Numbers of processors, powers of 2 and others.
pub(crate) const PROCESSORS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// Two stages on two processors, for `map`.
pub(crate) const MAP: &str = "format = 1\nstages = 2\ncandidates = \"all\"\n\
    [[processor]]\ntime = \"100 ms\"\n[[processor]]\ntime = \"50 ms\"\n";

/// An STL file of a ball.
pub(crate) fn ball(radius: f64, middle: [f64; 3], rings: usize) -> String {
    let at = |i: usize, j: usize| {
        let (a, b) =
            (std::f64::consts::PI * i as f64 / rings as f64, std::f64::consts::TAU * j as f64 / rings as f64);
        [a.sin() * b.cos(), a.cos(), a.sin() * b.sin()].map(|x| x * radius)
    };
    let vertex =
        |p: [f64; 3]| format!("vertex {} {} {}\n", p[0] + middle[0], p[1] + middle[1], p[2] + middle[2]);
    let mut text = String::from("solid ball\n");
    for i in 0..rings {
        for j in 0..rings {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            for [p, q, r] in [[a, b, c], [a, c, d]] {
                text +=
                    &format!("facet\nouter loop\n{}{}{}endloop\nendfacet\n", vertex(p), vertex(q), vertex(r));
            }
        }
    }
    text + "endsolid\n"
}
