//! A testbed keeps what its file promises and leaves nothing behind. Needs root and a kernel with
//! namespaces, tbf and control groups; without, the tests report themselves skipped.

#[path = "../../forerun-platform/tests/common/programs.rs"]
mod programs;
#[path = "../../forerun-platform/tests/common/skipped.rs"]
mod skipped;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use skipped::skipped;

const FILE: &str = r#"format = 1
[[host]]
name = "box"
count = 3
throttle = { quota = "4 ms", period = "20 ms" }
[network]
latency = "50 us"
bandwidth = "40 Mbit/s"
"#;

/// A testbed of a test, gone with it.
struct Testbed {
    name: String,
    file: PathBuf,
}

impl Testbed {
    /// The testbed of this description, up; `None` where there can be none.
    fn up(test: &str, text: &str) -> Option<Testbed> {
        let testbed = Testbed::down(test, text);
        let output = testbed.say("up", &[]);
        if output.status.success() {
            return Some(testbed);
        }
        let reason = String::from_utf8_lossy(&output.stderr).into_owned();
        let lacking = ["only root", "this kernel", "is mounted", "is missing", "not permitted", "`losetup"];
        assert!(lacking.iter().any(|l| reason.contains(l)), "{reason}");
        skipped(reason.trim());
        None
    }

    /// Its description only.
    fn down(test: &str, text: &str) -> Testbed {
        let name = format!("test-{test}-{}", std::process::id());
        let file = std::env::temp_dir().join(format!("{name}.toml"));
        fs::write(&file, text).expect("a file in the temporary directory");
        Testbed { name, file }
    }

    fn command(&self, verb: &str, rest: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forerun-testbed"));
        command.arg(verb).arg(&self.file).args(rest);
        command
    }

    fn say(&self, verb: &str, rest: &[&str]) -> Output {
        self.command(verb, rest).output().expect("it starts")
    }

    /// What a shell on a host prints.
    fn shell(&self, host: &str, script: &str) -> String {
        let output = self.say("run", &["--host", host, "--", "sh", "-c", script]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    }

    /// Everything of it that can be seen on the machine.
    fn traces(&self) -> Vec<String> {
        let list = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
        let mut all: Vec<PathBuf> = list(Path::new("/run/netns")).collect();
        all.extend(list(Path::new("/var/lib/forerun-testbed")));
        for controller in list(Path::new("/sys/fs/cgroup")).chain([PathBuf::from("/sys/fs/cgroup")]) {
            all.extend(list(&controller.join("forerun-testbed")));
        }
        let mut all: Vec<String> = all.into_iter().map(|p| p.to_string_lossy().into_owned()).collect();
        for file in ["/proc/self/mounts", "/proc/net/dev"] {
            all.extend(fs::read_to_string(file).unwrap_or_default().lines().map(String::from));
        }
        all.retain(|line| line.contains(&self.name));
        all
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        let _ = self.say("down", &[]);
        let _ = fs::remove_file(&self.file);
    }
}

#[test]
fn hosts_have_names_rates_and_shares_and_nothing_is_left() {
    let Some(testbed) = Testbed::up("keeps", FILE) else { return };
    let again = testbed.say("up", &[]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("is up already"), "{again:?}");

    assert_eq!(testbed.shell("box1", "hostname"), "box1");
    assert_eq!(
        testbed.shell("box3", "cat /proc/sys/kernel/hostname; echo $FORERUN_TESTBED_HOST"),
        "box3\nbox3"
    );
    assert_ne!(fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim(), "box3");
    assert_eq!(testbed.shell("10.213.0.2", "grep box2 /etc/hosts"), "10.213.0.2 box2");

    // A share: processor time over time, once the first quota is used.
    let spin = testbed.shell(
        "box2",
        "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
         read begin _ < /proc/uptime; set -- $(cat /proc/$$/stat); before=$((${14} + ${15}))
         i=0; while [ $i -lt 250000 ]; do i=$((i+1)); done
         read end _ < /proc/uptime; set -- $(cat /proc/$$/stat)
         echo $((${14} + ${15} - before)) $begin $end $(getconf CLK_TCK)",
    );
    let numbers: Vec<f64> = spin.split(' ').map(|n| n.parse().expect("a number")).collect();
    let (used, elapsed) = (numbers[0] / numbers[3], numbers[2] - numbers[1]);
    let share = used / elapsed;
    assert!(elapsed > 0.5 && (share / 0.2 - 1.0).abs() < 0.15, "{used} of {elapsed} s is {share}, not 0.2");

    // A rate: a stream below that of the link gets what it asks for …
    let near = |got: f64, expected: f64| (got / expected - 1.0).abs() < 0.1;
    let load = |to: &str, rate: &str, tcp: &[&str]| {
        let before = received(&testbed, to);
        let words = ["--from", "box1", "--to", to, "--rate", rate, "--for", "1.5 s"];
        let output = testbed.say("load", &[&words[..], tcp].concat());
        assert!(output.status.success(), "{output:?}");
        received(&testbed, to) - before
    };
    // (Where other work takes the processors for long, too little is sent: then once more.)
    let reaches = |to: &str, rate: &str, tcp: &[&str], expected: f64| {
        let mut got = Vec::new();
        while got.len() < 4 && !got.last().is_some_and(|&bytes| near(bytes, expected)) {
            got.push(load(to, rate, tcp));
        }
        assert!(got.last().is_some_and(|&bytes| near(bytes, expected)), "{got:?} bytes, not {expected}");
    };
    reaches("box2", "30 Mbit/s", &["--tcp"], 30e6 / 8.0 * 1.5 * 1514.0 / 1448.0);
    // … and packets above it get the link's, and those that then wait before it: 256 KiB from each host.
    reaches("box3", "80 Mbit/s", &[], 40e6 / 8.0 * 1.5 + 3.0 * 262_144.0);

    assert!(!testbed.traces().is_empty());
    let down = testbed.say("down", &[]);
    assert!(down.status.success(), "{down:?}");
    assert_eq!(testbed.traces(), Vec::<String>::new());
    let twice = testbed.say("down", &[]);
    assert!(
        twice.status.success() && String::from_utf8_lossy(&twice.stdout).contains("is not up"),
        "{twice:?}"
    );
}

/// Bytes that have come in at a host.
fn received(testbed: &Testbed, host: &str) -> f64 {
    let output = testbed.say("status", &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|l| l.starts_with(host)).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    // From the end: "N of M" stalled periods, before them what was received.
    words[words.len() - 4].parse().expect("a number of bytes")
}

#[test]
fn disks_have_a_rate_and_memory_ends() {
    let text = FILE.replace("count = 3", "count = 1\nmemory = \"32 MiB\"")
        + "[storage]\nread = \"8 MB/s\"\nwrite = \"4 MB/s\"\n";
    let Some(testbed) = Testbed::up("limits", &text) else { return };
    // Buffered, and read by the kernel's readahead: with what is ahead of the first byte.
    let times = testbed.shell(
        "box",
        "cd \"$FORERUN_TESTBED_DISK\" || exit 1
         read a _ < /proc/uptime; dd if=/dev/zero of=f bs=64k count=96 conv=fsync 2>/dev/null
         read b _ < /proc/uptime; dd if=f of=/dev/null bs=64k iflag=direct 2>/dev/null
         read c _ < /proc/uptime; echo $a $b $c",
    );
    let at: Vec<f64> = times.split(' ').map(|n| n.parse().expect("a number")).collect();
    let bytes = 96.0 * 65536.0;
    let (written, read) = (bytes / (at[1] - at[0]), bytes / (at[2] - at[1]));
    assert!((3.2e6..4.8e6).contains(&written) && (6.4e6..9.6e6).contains(&read), "{written} and {read} B/s");

    let fits = ["run", "--host", "box", "--", "sh", "-c"];
    let take = |megabytes: usize| {
        let script = format!("x=$(head -c {megabytes}000000 /dev/zero | tr '\\0' x); echo ${{#x}}");
        testbed.say("run", &[&fits[1..], &[script.as_str()]].concat())
    };
    assert_eq!(String::from_utf8_lossy(&take(2).stdout).trim(), "2000000");
    assert!(!take(50).status.success(), "50 MB in 32 MiB");

    assert!(testbed.say("down", &[]).status.success());
    assert_eq!(testbed.traces(), Vec::<String>::new());
    let loops = Command::new("losetup").arg("-l").output().expect("losetup starts");
    assert!(!String::from_utf8_lossy(&loops.stdout).contains(&testbed.name), "{loops:?}");
}

#[test]
fn a_killed_run_and_a_killed_up_are_cleaned_by_down() {
    let Some(testbed) = Testbed::up("killed", FILE) else { return };
    // What a run leaves when it is killed: a process that has left its group.
    let mut run = testbed
        .command("run", &["--host", "box2", "--", "sh", "-c", "setsid sleep 4242 & echo on; wait"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut on = [0; 2];
    std::io::Read::read_exact(run.stdout.as_mut().expect("a pipe"), &mut on).expect("it says that it is on");
    run.kill().expect("it is killed");
    run.wait().expect("it ends");
    let down = testbed.say("down", &[]);
    let told = String::from_utf8_lossy(&down.stdout).into_owned();
    assert!(down.status.success() && told.contains("processes on it are ended"), "{down:?}");
    assert_eq!(testbed.traces(), Vec::<String>::new());

    // An up killed at several moments; the next one is whole, and so is what down leaves.
    for after in [2, 10, 20, 35] {
        let mut up = testbed.command("up", &[]).stdout(Stdio::null()).spawn().expect("it starts");
        sleep(Duration::from_millis(after));
        let _ = up.kill();
        up.wait().expect("it ends");
        if after == 20 {
            assert!(testbed.say("up", &[]).status.success());
            assert_eq!(testbed.shell("box1", "hostname"), "box1");
        }
        assert!(testbed.say("down", &[]).status.success());
        assert_eq!(testbed.traces(), Vec::<String>::new(), "killed after {after} ms");
    }
}

#[test]
fn what_fails_half_way_is_taken_down_again() {
    let Some(testbed) = Testbed::up("half", FILE) else { return };
    assert!(testbed.say("down", &[]).status.success());
    // Tools as they are but `tc`, which has no tbf.
    let tools = std::env::temp_dir().join(&testbed.name);
    fs::create_dir_all(&tools).expect("a directory");
    let tc = tools.join("tc");
    let text = "#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2\nexit 2\n";
    programs::write(&tc, text);
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let up = testbed.command("up", &[]).env("PATH", path).output().expect("it starts");
    let told = String::from_utf8_lossy(&up.stderr).into_owned();
    assert!(!up.status.success() && told.contains("this kernel has no tbf"), "{told}");
    assert_eq!(told.trim().lines().count(), 1, "{told}");
    // The directory of the tools has the testbed's name as well, and is no trace.
    assert_eq!(testbed.traces(), Vec::<String>::new());
    let _ = fs::remove_dir_all(tools);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_built() {
    let refused = |from: &str, to: &str, sentence: &str| {
        let testbed = Testbed::down("refused", &FILE.replace(from, to));
        let up = testbed.say("up", &[]);
        let told = String::from_utf8_lossy(&up.stderr).into_owned();
        assert!(!up.status.success() && told.contains(sentence), "{told}");
        assert_eq!(testbed.traces(), Vec::<String>::new());
    };
    refused("\"4 ms\"", "\"0.5 ms\"", "has a quota of 500 µs, and the kernel takes none below 1 ms");
    refused("\"4 ms\"", "\"0 ms\"", ":5:22: the quota is 0 s");
    if rustix::process::geteuid().is_root() {
        refused("count = 3", "count = 900", "hosts take 180.00 processors");
    } else {
        refused("count = 3", "count = 3", "only root");
    }
}
