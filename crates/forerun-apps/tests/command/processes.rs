//! Processes that write much, hang, are killed, leave children, or do not read.

use std::path::Path;
use std::time::{Duration, Instant};

use forerun_apps::command::{Commands, Extent, Grain, Settings, Tasks};
use forerun_skeleton::reduction::Reduce;
use forerun_skeleton::{Cancel, Message};

use crate::util::{Place, fold};

fn task(place: &Place, settings: Settings) -> (Commands, Extent) {
    let inputs = place.open();
    let commands = Commands::new(settings, &inputs, Cancel::new()).unwrap();
    let tasks = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    (commands, tasks.extents()[0])
}

fn shell(place: &Place, map: &str) -> Settings {
    Settings { shell: true, ..place.settings(map, "cat") }
}

/// Memory of this process in bytes, at its highest so far.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    1024 * line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
}

/// Process numbers that a command wrote into `file`, once there are `count` of them.
fn numbers(file: &Path, count: usize) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') && text.lines().count() == count {
            return text.lines().map(str::to_owned).collect();
        }
        assert!(Instant::now() < until, "the command did not start: {text:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether none of the processes runs any more. One whose parent died is waited for by the
/// system's first process, which may take a moment, so a zombie that is not our child counts as gone.
fn gone(pids: &[String]) -> bool {
    let me = format!("{}", std::process::id());
    let there = |pid: &String| {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let after: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        after[0] != "Z" || after[1] == me
    };
    let until = Instant::now() + Duration::from_secs(2);
    while pids.iter().any(there) {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

#[test]
fn two_hundred_megabytes_go_to_a_file() {
    let place = Place::new();
    place.file("n", "x");
    let (commands, extent) = task(&place, shell(&place, "yes | head -c 200000000"));
    let before = peak_memory();
    let out = commands.task(0, extent).unwrap();
    assert_eq!(out.bytes(), 200_000_000);
    assert!(!out.in_memory());
    // Merged as well, from file to file.
    let small = commands.task(0, extent).unwrap();
    let both = commands.merge(out, small).unwrap();
    assert_eq!(both.bytes(), 400_000_000);
    let grown = peak_memory() - before;
    assert!(grown < 64 << 20, "memory grew by {grown} bytes");
    assert_eq!(commands.tally().spilled_bytes, 800_000_000);
    let mut seen = Count(0);
    both.copy_to(&mut seen).unwrap();
    assert_eq!(seen.0, 400_000_000);
    drop(commands);
    drop(both);
    place.assert_clean();
}

struct Count(u64);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        assert!(bytes.iter().all(|b| b"y\n".contains(b)));
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_limit_ends_the_process() {
    let place = Place::new();
    place.file("n", "x");
    let settings = Settings { max_output: Some(100_000), ..place.settings("yes", "cat") };
    let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
    assert!(said.contains("wrote more than 100000 bytes"), "{said}");
    place.assert_clean();
}

#[test]
fn no_deadlock_when_both_ends_are_full() {
    // `cat` writes while it reads: whoever feeds without draining would hang.
    let place = Place::new();
    let long = "0123456789abcde\n".repeat(1 << 17);
    place.file("a", &long);
    place.file("b", &long);
    let grain = Grain { bytes: u64::MAX, files: 10, split_lines: false };
    assert_eq!(place.reduce(place.settings("cat", "cat"), grain).unwrap(), long.repeat(2));
    let noisy = shell(&place, "cat | tee /dev/stderr");
    assert_eq!(place.reduce(noisy, grain).unwrap(), long.repeat(2));
}

#[test]
fn a_timeout_ends_the_process_and_its_children() {
    let place = Place::new();
    place.file("slow", "x");
    let pids = place.dir.path().join("pids");
    // The grandchild ignores the polite signal.
    let map = format!(
        "(trap '' TERM; echo $$ >> {0}; exec sleep 300) & sh -c 'echo $$ >> {0}; trap \"\" TERM; sleep 301' & wait",
        pids.display()
    );
    let settings = Settings { timeout: Some(Duration::from_millis(300)), ..shell(&place, &map) };
    let begun = Instant::now();
    let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(said.contains("slow after 0.3 s, the time allowed (--timeout)"), "{said}");
    assert!(gone(&numbers(&pids, 2)));
    place.assert_clean();
}

#[test]
fn a_process_may_clean_up_when_its_time_is_over() {
    let place = Place::new();
    place.file("x", "x");
    let mark = place.dir.path().join("mark");
    let map = format!(
        "trap 'sleep 0.05; rm {0}; exit 1' TERM; touch {0}; while :; do sleep 0.01; done",
        mark.display()
    );
    let settings = Settings { timeout: Some(Duration::from_millis(300)), ..shell(&place, &map) };
    place.reduce(settings, Grain::ONE_FILE).unwrap_err();
    assert!(!mark.exists());
}

#[test]
fn children_left_behind_are_ended() {
    let place = Place::new();
    place.file("x", "x");
    let pids = place.dir.path().join("pids");
    // It holds standard error but not standard output, so the call need not wait for it.
    let map = format!("sleep 300 >/dev/null & echo $! > {}; echo done", pids.display());
    let begun = Instant::now();
    assert_eq!(place.reduce(shell(&place, &map), Grain::ONE_FILE).unwrap(), "done\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(gone(&numbers(&pids, 1)));
}

#[test]
fn output_of_a_child_that_outlives_the_process_is_kept() {
    let place = Place::new();
    place.file("x", "x");
    let settings = shell(&place, "(sleep 0.2; echo late) & echo early");
    assert_eq!(place.reduce(settings, Grain::ONE_FILE).unwrap(), "early\nlate\n");
}

#[test]
fn not_reading_standard_input_is_no_error() {
    let place = Place::new();
    let long = "line\n".repeat(1 << 18);
    place.file("a", &long);
    place.file("b", &long);
    let grain = Grain { bytes: u64::MAX, files: 2, split_lines: false };
    for map in ["true", "head -n 1", "sh -c 'exec <&-; sleep 0.1; echo hi'"] {
        let out = place.reduce(place.settings(map, "cat"), grain).unwrap();
        assert!(out.len() < 10, "{map}: {out}");
    }
}

#[test]
fn a_process_that_closes_its_output_is_still_waited_for() {
    let place = Place::new();
    place.file("x", "x");
    let settings = shell(&place, "exec >&- 2>&-; sleep 0.2; exit 3");
    let begun = Instant::now();
    let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
    assert!(said.contains("(exit status 3)"), "{said}");
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[test]
fn a_signal_is_named() {
    let place = Place::new();
    let file = place.file("x", "x");
    let said = place.reduce(shell(&place, "echo bye >&2; kill -KILL $$"), Grain::ONE_FILE).unwrap_err();
    assert_eq!(
        said.to_string(),
        format!(
            "map command `echo bye >&2; kill -KILL $$` failed on {} (killed by signal 9 (SIGKILL)): bye",
            file.display()
        )
    );
}

#[test]
fn cancelling_leaves_no_process_and_no_file() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.file(name, "x");
    }
    let pids = place.dir.path().join("pids");
    let map = format!(
        "yes | head -c 3000000; (sleep 300; :) & echo $! >> {0}; echo $$ >> {0}; sleep 300",
        pids.display()
    );
    let inputs = place.open();
    let cancel = Cancel::new();
    let commands = Commands::new(shell(&place, &map), &inputs, cancel.clone()).unwrap();
    let tasks = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| fold(&commands, &tasks));
        let started = numbers(&pids, 2);
        cancel.cancel();
        let begun = Instant::now();
        let said = run.join().unwrap().unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(2));
        assert!(said.contains("because the run was cancelled"), "{said}");
        assert!(gone(&started));
    });
    let left: Vec<_> =
        std::fs::read_dir(commands.scratch_dir()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"], "beside what says that the run lives");
    drop(commands);
    place.assert_clean();
}

#[test]
fn a_failure_ends_the_other_calls() {
    let place = Place::new();
    place.file("bad", "x");
    place.file("slow", "x");
    let inputs = place.open();
    let map = "case $1 in *bad) sleep 0.3; echo no >&2; exit 1;; *) sleep 300;; esac";
    let commands = Commands::new(shell(&place, map), &inputs, Cancel::new()).unwrap();
    let tasks = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    let begun = Instant::now();
    let commands = &commands;
    let said: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = tasks
            .extents()
            .iter()
            .map(|&extent| scope.spawn(move || commands.task(0, extent).map(drop).unwrap_err().to_string()))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert!(said[0].contains("bad (exit status 1): no"), "{said:?}");
    assert_eq!(said[0], said[1]);
}
