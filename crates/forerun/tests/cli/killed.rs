//! SIGKILL, of which nobody is told.

use std::fs;

use rustix::process::Signal;

use crate::util::{MAP, Place, eventually, processes_with};

#[test]
fn nothing_of_a_killed_run_is_left() {
    let place = Place::new();
    place.write("in/a", "a\n");
    let mark = format!("78.{}", std::process::id());
    let map = format!("touch begun; sleep {mark} | cat");
    let mut running = place.start(["reduce", "--shell", "--map", &map, "--merge", "cat", "in", "-o", "out"]);
    let begun = place.path("begun");
    running.wait_for("a command has begun", || begun.exists());
    running.signal(Signal::KILL);
    running.end();
    eventually("its commands are gone", || processes_with(&mark).is_empty());
    eventually("its temporary files are gone", || fs::read_dir(place.path("tmp")).unwrap().count() == 0);
}

#[test]
fn nothing_of_a_killed_watch_is_left() {
    let place = Place::new();
    place.write("map.toml", MAP);
    let mark = format!("79.{}", std::process::id());
    let monitor = format!("sleep {mark} & touch begun; sleep {mark}; sleep {mark}");
    let mut running = place.start(["map", "map.toml", "--watch", "--monitor-command", &monitor]);
    let begun = place.path("begun");
    running.wait_for("the monitor is asked", || begun.exists());
    running.signal(Signal::KILL);
    running.end();
    eventually("its monitor is gone", || processes_with(&mark).is_empty());
}

#[test]
fn what_a_dead_run_left_is_removed_by_the_next() {
    let place = Place::new();
    place.write("in/a", "a\n");
    place.write("tmp/forerun-1-dead/lock", "");
    place.write("tmp/forerun-1-dead/0", "left");
    place.write("tmp/forerun-notes/0", "of somebody else");
    place.run("reduce --map cat --merge cat in").ok();
    let left: Vec<_> = fs::read_dir(place.path("tmp")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["forerun-notes"]);
}

/// Whatever is written under another name than its own: the sort's result and what is written beside it.
#[test]
fn half_of_a_dead_run_s_result_is_removed_by_the_next() {
    let place = Place::new();
    place.profile();
    place.write("in", [1u8, 0, 0, 0].repeat(5000));
    place.write("d/in", "a\n");
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host: String =
        host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
    let half = |name: &str| place.write(format!("{name}/.forerun-{host}-half.partial"), "half");
    for (line, at) in [
        ("run sort in --profile profile.toml -p 1 -o at/out", "at"),
        ("run sort in --skeleton scatter-gather -p 1 -o at/out", "at"),
        ("plan sort in --profile profile.toml --json at/plan", "at"),
        ("reduce --map cat --merge cat d -o at/out", "at"),
        ("farm cat d -o at/out", "at"),
    ] {
        half(at);
        let alive = place.write("at/.forerun-alive", "");
        let lock = place.write(format!("at/.forerun-{host}-alive.partial"), "half");
        let held = fs::File::open(&lock).unwrap();
        held.try_lock().unwrap();
        place.run(line).ok();
        assert!(lock.exists() && alive.exists(), "{line}: what is written elsewhere is left");
        drop(held);
        // A program that another test starts at this moment has the lock for as long as it takes to start.
        eventually("what nobody holds is removed", || {
            place.run(line).ok();
            !lock.exists()
        });
        fs::remove_file(alive).unwrap();
        place.assert_clean();
    }
}
