//! Ctrl-C, SIGTERM and Ctrl-\ in every phase: status 128 + signal, soon, one sentence, nothing left.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::util::{FORERUN, MAP, Place, Running, assert_gone, ended_by};

/// How soon it must end; the aim is 2 s on a machine with nothing else to do.
const SOON: Duration = Duration::from_secs(8);

/// Sends the signal and asserts that all ends as it should.
#[track_caller]
fn interrupt(place: &Place, running: Running, signal: Signal) {
    running.signal(signal);
    let begun = Instant::now();
    let said = running.end();
    let took = begun.elapsed();
    assert_eq!(said.status.code(), Some(128 + signal.as_raw()), "{:?} {}", said.status, said.err);
    assert!(took < SOON, "took {took:?}");
    assert!(said.err.contains("forerun: interrupted"), "{}", said.err);
    assert_eq!(said.err.matches("forerun: ").count(), 1, "{}", said.err);
    place.assert_clean();
}

/// A command that says that it has begun and then takes very long.
fn slow(place: &Place, mark: &str) -> String {
    format!("sh -c 'touch {}; sleep {mark}; sleep {mark}'", place.path("begun").display())
}

const ALL: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::QUIT];

#[test]
fn while_the_machine_is_measured() {
    for (signal, words) in
        [(Signal::INT, "calibrate"), (Signal::TERM, "calibrate --out here.toml"), (Signal::QUIT, "calibrate")]
    {
        let place = Place::new();
        let mut command = place.command(words.split(' '));
        command.env("XDG_CACHE_HOME", place.path("cache"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::new(command);
        running.wait_until_listening();
        interrupt(&place, running, signal);
        assert!(!place.path("cache").exists() && !place.path("here.toml").exists());
    }
}

#[test]
fn while_a_file_is_written() {
    for signal in ALL {
        let place = Place::new();
        place.write("m.pepa", "P = (a, 1).P1; P1 = (b, 2).P; P[100] <> P[99] <> P[60]");
        let mut command = place.command("pepa export m.pepa --as transitions --out t.csv --quiet".split(' '));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::new(command);
        let begun = || {
            let names = fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name());
            names.into_iter().any(|name| name.to_string_lossy().starts_with(".forerun-"))
        };
        running.wait_for("it writes", begun);
        interrupt(&place, running, signal);
        assert!(!begun() && !place.path("t.csv").exists());
    }
}

#[test]
fn in_a_pilot_a_task_a_merge_and_the_last_merge() {
    let profile = ["--profile", "profile.toml"];
    for (i, signal) in ALL.into_iter().enumerate() {
        for (j, (map_hangs, more)) in [
            (true, &[][..]),
            (true, &profile),
            (false, &[]),
            (false, &profile),
            (false, &["--profile", "profile.toml", "--groups", "2", "-p", "2"]),
        ]
        .into_iter()
        .enumerate()
        {
            let place = Place::new();
            place.profile();
            place.write("in/a", "a\n");
            place.write("in/b", "b\n");
            let mark = format!("7{i}{j}.{}", std::process::id());
            let hangs = slow(&place, &mark);
            let (map, merge) = if map_hangs { (hangs.as_str(), "cat") } else { ("cat", hangs.as_str()) };
            let words = ["reduce", "--map", map, "--merge", merge, "in", "-o", "out", "--grain", "1 B"];
            let mut running = place.start(words.iter().chain(more));
            running.wait_for("a command has begun", || place.path("begun").exists());
            interrupt(&place, running, signal);
            assert_gone(&mark);
            assert!(!place.path("out").exists());
        }
    }
}

#[test]
fn while_nobody_reads_the_result() {
    for signal in ALL {
        let place = Place::new();
        place.write("in", vec![b'x'; 4 << 20]);
        let mut running = place.start(["reduce", "--map", "cat", "--merge", "cat", "in"]);
        let mut stdout = running.child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        interrupt(&place, running, signal);
    }
    // A named pipe that is open.
    let place = Place::new();
    place.write("in", vec![b'x'; 4 << 20]);
    let pipe = place.pipe("pipe");
    let mut held = std::fs::File::options().read(true).write(true).open(pipe).unwrap();
    let running = place.start(["reduce", "--map", "cat", "--merge", "cat", "in", "-o", "pipe"]);
    held.read_exact(&mut [0]).unwrap();
    interrupt(&place, running, Signal::INT);
}

/// A monitor's command and what it started end with the command that asked it.
#[test]
fn while_a_monitor_is_asked() {
    for signal in ALL {
        for (n, more) in [&[][..], &["--watch"], &["--watch", "--readings", "3"]].into_iter().enumerate() {
            let place = Place::new();
            place.write("map.toml", MAP);
            let mark = format!("7{n}.{}", std::process::id());
            let monitor = format!("sleep {mark} & touch begun; sleep {mark}; sleep {mark}");
            let mut running =
                place.start([&["map", "map.toml", "--monitor-command", &monitor], more].concat());
            let begun = place.path("begun");
            running.wait_for("the monitor is asked", || begun.exists());
            if more.len() == 1 {
                // It has no other end.
                running.signal(signal);
                running.end().ok();
            } else {
                interrupt(&place, running, signal);
            }
            assert_gone(&mark);
        }
    }
}

#[test]
fn while_a_list_of_inputs_is_waited_for() {
    for signal in ALL {
        let place = Place::new();
        let mut command = place.command(["reduce", "--map", "cat", "--merge", "cat", "--files-from", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::new(command);
        let stdin = running.child.stdin.take();
        running.wait_until_listening();
        interrupt(&place, running, signal);
        drop(stdin);
    }
}

#[test]
fn while_a_pipe_is_waited_for() {
    for (i, line) in [
        "plan sort in --profile pipe",
        "run sort in --platform ./pipe",
        "predict sort in --skeleton scatter-gather --profile pipe",
        "plan tasks 5 --profile pipe",
        "plan ./pipe",
        "compare pipe",
        "pepa solve pipe",
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place::new();
        place.write("in", [0; 64]);
        let pipe = place.pipe("pipe");
        // Somebody is there, but writes nothing.
        let silent = fs::File::options().read(true).write(true).open(&pipe).unwrap();
        let mut running = place.start(line.split(' '));
        let id = running.id();
        running.wait_for("it reads", || has_open(id, |path| path == pipe));
        interrupt(&place, running, ALL[i % 3]);
        drop(silent);
    }
}

/// Whether process `id` has a file open that satisfies `is`.
fn has_open(id: u32, is: impl Fn(&Path) -> bool) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{id}/fd")) else { return false };
    open.flatten().any(|fd| fs::read_link(fd.path()).is_ok_and(|path| is(&path)))
}

#[test]
fn while_a_sort_spills_and_writes() {
    for (signal, name) in ALL.into_iter().flat_map(|s| [(s, "(deleted)"), (s, ".partial")]) {
        let place = Place::new();
        let bytes: Vec<u8> =
            crate::util::numbers(1).take(8_000_000).flat_map(|x| (x as u32).to_le_bytes()).collect();
        place.write("in", bytes);
        place.profile();
        let words = ["run", "sort", "in", "--memory", "512 KiB", "-p", "1", "--profile", "profile.toml"];
        let mut running = place.start(words);
        let id = running.id();
        let here = place.path("");
        let ours = |p: &Path| p.starts_with(&here) && p.to_string_lossy().ends_with(name);
        running.wait_for(name, || has_open(id, ours));
        interrupt(&place, running, signal);
        assert!(!place.path("in.sorted").exists());
    }
}

/// What it has begun has the result's directory from the first block on.
#[test]
fn while_a_first_rank_gathers() {
    for signal in ALL {
        let place = Place::new();
        place.write("in", vec![3; 64 << 20]);
        let words = "run sort in -p 2 --skeleton scatter-gather --block 4kB --ahead 1 -q";
        let mut running = place.start(words.split(' '));
        let (id, here) = (running.id(), place.path(""));
        let ours = |p: &Path| p.starts_with(&here) && p.to_string_lossy().ends_with(".partial");
        running.wait_for("it writes", || has_open(id, ours));
        interrupt(&place, running, signal);
        assert!(!place.path("in.sorted").exists());
    }
}

#[test]
fn while_a_sort_runs_in_memory() {
    let place = Place::new();
    place.write("in", vec![3; 64 << 20]);
    place.profile();
    let mut running = place.start(["run", "sort", "in", "-p", "2", "--profile", "profile.toml"]);
    running.wait_until_listening();
    interrupt(&place, running, Signal::INT);
    assert!(!place.path("in.sorted").exists());
}

#[test]
fn while_input_is_made() {
    for signal in ALL {
        let place = Place::new();
        let mut running = place.start(["generate", "numbers", "1e9", "-o", "out"]);
        let dir = place.path("");
        running.wait_for("it writes", || {
            fs::read_dir(&dir)
                .unwrap()
                .flatten()
                .any(|e| e.metadata().is_ok_and(|m| m.is_file() && m.len() > 0))
        });
        interrupt(&place, running, signal);
        assert!(!place.path("out").exists());
    }
}

#[test]
fn while_a_prediction_is_made() {
    for (i, signal) in ALL.into_iter().enumerate() {
        let place = Place::new();
        place.profile();
        let line = "predict tasks 1000000000 --size 1kB --profile profile.toml --platform lehigh-fire";
        let more = ["--by simulated -p 1000", "--by simulated -p 4 --strategy master-slave"][i % 2];
        let mut running = place.start(format!("{line} {more}").split(' '));
        running.wait_until_listening();
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&place, running, signal);
    }
}

#[test]
fn what_comes_twice_at_once_is_one_signal() {
    let place = Place::new();
    place.write("in", "x\n");
    // It does not want to go, and is given a quarter of a second.
    let begun = place.path("begun");
    let map = format!("sh -c 'trap \"\" TERM; touch {}; sleep 3.2107; sleep 1'", begun.display());
    let mut running = place.start(["reduce", "--map", &map, "--merge", "cat", "in", "-o", "out"]);
    running.wait_for("the map has begun", || begun.exists());
    running.signal(Signal::INT);
    interrupt(&place, running, Signal::INT);
    assert!(!place.path("out").exists());
}

#[test]
fn asked_twice_it_ends_at_once() {
    let place = Place::new();
    place.write("in", "x\n");
    // It does not want to go, and is given a quarter of a second, again and again.
    let begun = place.path("begun");
    let map = format!("sh -c 'trap \"\" TERM; touch {}; sleep 3.2108; sleep 1'", begun.display());
    let mut running = place.start(["reduce", "--map", &map, "--merge", "cat", "in", "-o", "out"]);
    running.wait_for("the map has begun", || begun.exists());
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(800));
    running.signal(Signal::INT);
    let begun = Instant::now();
    let said = running.end();
    assert!(ended_by(said.status, Signal::INT.as_raw()), "{:?} {}", said.status, said.err);
    assert!(begun.elapsed() < SOON);
}

/// As `nohup` has it, and a shell without jobs of what it runs in the background.
#[test]
fn what_is_ignored_from_the_start_stays_ignored() {
    for (ignored, sent) in [
        ("HUP", &[Signal::HUP][..]),
        ("HUP INT QUIT", &[Signal::INT, Signal::HUP, Signal::QUIT, Signal::INT]),
    ] {
        for ends in [false, true] {
            let place = Place::new();
            place.write("in", "x\n");
            let (begun, go) = (place.path("begun"), place.path("go"));
            let waits = format!(
                "sh -c 'touch {}; until [ -e {} ]; do sleep 0.02; done; cat'",
                begun.display(),
                go.display()
            );
            let mut command = Command::new("sh");
            command.args(["-c", &format!("trap '' {ignored}; exec \"$0\" \"$@\""), FORERUN]);
            command.args(["farm", &waits, "in", "-o", "out", "-q"]).current_dir(place.path(""));
            let plain = place.command([""; 0]);
            command.envs(plain.get_envs().map(|(name, value)| (name, value.unwrap())));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut running = Running::new(command);
            running.wait_for("the task has begun", || begun.exists());
            for &signal in sent {
                running.signal(signal);
            }
            std::thread::sleep(Duration::from_millis(300));
            // The others end it as ever.
            if ends {
                interrupt(&place, running, Signal::TERM);
                continue;
            }
            place.write("go", "");
            running.end().ok();
            assert_eq!(place.text("out"), "x\n");
        }
    }
}
