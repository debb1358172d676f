//! Calls per second of short programs, beside `xargs` and, where it is installed, GNU parallel;
//! bytes per second through a program's pipes, beside a shell's pipe.
//!
//! `cargo bench -p forerun-apps --bench command`

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use forerun_apps::command::{Commands, Grain, Inputs, Selection, Settings, Tasks};
use forerun_skeleton::Cancel;
use forerun_skeleton::reduction::Reduce;

const CALLS: usize = 500;
const ROUNDS: usize = 5;

fn main() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for i in 0..CALLS {
        std::fs::write(dir.path().join(format!("{i}")), "a line\n").expect("a small file");
    }
    println!("{CALLS} calls, the median of {ROUNDS} rounds (lowest, highest), in calls per second");
    for (what, map) in [("true, name", "true {}"), ("cat, name", "cat {}"), ("cat, standard input", "cat")] {
        for threads in [1, 2] {
            report(&format!("forerun, {what}, {threads} threads"), || ours(dir.path(), map, threads));
        }
    }
    let list = "find \"$0\" -type f -print0 | ";
    for jobs in [1, 2] {
        for program in ["true", "cat"] {
            let script = format!("{list} xargs -0 -n1 -P{jobs} {program} > /dev/null");
            report(&format!("xargs, {program}, {jobs} jobs"), || shell(dir.path(), &script));
        }
    }
    if Command::new("parallel").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success()) {
        for jobs in [1, 2] {
            let script = format!("{list} head -z -n 100 | parallel -0 -j{jobs} cat > /dev/null");
            report(&format!("parallel, cat, {jobs} jobs"), || shell(dir.path(), &script) / 5.0);
        }
    }

    let big = tempfile::tempdir().expect("a temporary directory");
    let half = vec![b'x'; 1 << 29];
    for name in ["a", "b"] {
        std::fs::write(big.path().join(name), &half).expect("a large file");
    }
    println!("1 GiB fed to a program, and 1 GiB through `cat` into a temporary file, in bytes per second");
    for (what, map) in [("fed to `wc -c`", "wc -c"), ("through `cat`", "cat")] {
        report(&format!("forerun, {what}"), || bytes(big.path(), map));
    }
    for (what, script) in [
        ("cat | wc -c", "cat \"$0\"/a \"$0\"/b | wc -c > /dev/null"),
        ("cat | cat > file", "cat \"$0\"/a \"$0\"/b | cat > \"$0\"/c; rm \"$0\"/c"),
    ] {
        report(&format!("shell, {what}"), || (1u64 << 30) as f64 / CALLS as f64 * shell(big.path(), script));
    }
}

fn report(what: &str, mut rate: impl FnMut() -> f64) {
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| rate()).collect();
    rates.sort_by(f64::total_cmp);
    println!("{what:<40} {:>14.0} ({:.0}, {:.0})", rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
}

fn set_up(dir: &std::path::Path, map: &str, grain: Grain) -> (Commands, Tasks) {
    let selection = Selection { paths: vec![dir.to_path_buf()], include: Vec::new() };
    let inputs = Inputs::open(&selection).expect("the files made above");
    let commands = Commands::new(Settings::new(map, "cat"), &inputs, Cancel::new()).expect("usual programs");
    let tasks = Tasks::cut(&inputs, grain, commands.takes(), &[]).expect("whole files");
    (commands, tasks)
}

fn ours(dir: &std::path::Path, map: &str, threads: usize) -> f64 {
    let begun = Instant::now();
    let (commands, tasks) = set_up(dir, map, Grain::ONE_FILE);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(extent) = tasks.extents().get(next.fetch_add(1, Ordering::Relaxed)) {
                    commands.task(0, *extent).expect("a usual program");
                }
            });
        }
    });
    CALLS as f64 / begun.elapsed().as_secs_f64()
}

fn bytes(dir: &std::path::Path, map: &str) -> f64 {
    let begun = Instant::now();
    let grain = Grain { bytes: u64::MAX, files: 2, split_lines: false };
    let (commands, tasks) = set_up(dir, map, grain);
    commands.task(0, tasks.extents()[0]).expect("a usual program");
    (1u64 << 30) as f64 / begun.elapsed().as_secs_f64()
}

/// Rounds of [`CALLS`] per second of a shell script.
fn shell(dir: &std::path::Path, script: &str) -> f64 {
    let begun = Instant::now();
    let status = Command::new("sh").args(["-c", script]).arg(dir).status().expect("a shell");
    assert!(status.success());
    CALLS as f64 / begun.elapsed().as_secs_f64()
}
