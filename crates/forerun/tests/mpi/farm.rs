//! Farms: what threads answer, whoever is a master.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::util::{self, Place};
use crate::{assert_refused, can_run, processes_in, ranks_in};

#[test]
fn a_picture_is_the_same_on_any_number_of_ranks() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    let picture = "run mandelbrot --size 96x120 --iterations 300";
    place.run(&format!("{picture} -o one.png -p 1")).ok();
    for how in ["-p 1", "-p 2", "-p 3 --prefetch 2", "-p 5 --masters 2", "-p 5 --masters dynamic"] {
        let said = place.run(&format!("{picture} -o many.png --on mpi --json out.json {how}")).ok();
        assert!((said.text() + &said.err).contains("many.png: "), "{how}");
        assert!(place.read("many.png") == place.read("one.png"), "{how}");
        let outcome: serde_json::Value = serde_json::from_slice(&place.read("out.json")).unwrap();
        let ranks = outcome[0]["ranks"].as_array().unwrap().len();
        assert!(how.contains(&format!("-p {ranks}")) && outcome[0]["way"] == "mpi", "{how}: {outcome}");
        fs::remove_file(place.path("many.png")).unwrap();
    }
    for how in ["-p 4 --masters 2", "-p 2 --masters dynamic"] {
        place.run(&format!("{picture} -o many.png {how}")).ok();
        assert!(place.read("many.png") == place.read("one.png"), "{how}");
    }
    assert_refused(&place.run(&format!("{picture} -o a.png --on mpi -p 2 --masters 2")), 2, "--masters 2: ");
    assert_refused(&place.run(&format!("{picture} -o a.png --mpirun mpirun")), 2, "--on mpi");
    place.assert_clean();
}

#[test]
fn outputs_of_commands_come_in_order_and_no_task_runs_twice() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    let mut expected = String::new();
    for n in 100..160 {
        place.write(format!("in/{n}"), format!("{n}\n"));
        expected += &format!("{n}\n");
    }
    // Fails the first time for one file.
    let log = place.path("log");
    let command = format!(
        r#"if [ "$1" = in/133 ] && [ ! -e once ]; then touch once; exit 3; fi; echo "$1" >> {}; cat "$1""#,
        log.display()
    );
    for (how, masters) in [("3", "1"), ("5", "2"), ("1", "1")] {
        let _ = fs::remove_file(place.path("once"));
        let words = ["farm", "--shell", &command, "in", "--on", "mpi", "--retries", "1", "-o", "out"];
        place.say(words.iter().chain(&["-p", how, "--masters", masters])).ok();
        assert_eq!(place.text("out"), expected);
        assert_eq!(place.text("log").lines().count(), 60);
        fs::remove_file(&log).unwrap();
    }
    // With a journal, what was finished is not done again.
    let _ = fs::remove_file(place.path("once"));
    let words = ["farm", "--shell", &command, "in", "--on", "mpi", "--resume", "j", "-o", "out", "-p", "3"];
    let said = place.say(words);
    assert_refused(&said, 1, "(in/133) failed on rank");
    let done = place.text("log").lines().count();
    let said = place.say(words).ok();
    assert!((said.text() + &said.err).contains("were finished before"), "{}", said.err);
    assert_eq!(place.text("out"), expected);
    // A task that was under way when the first run ended was not finished.
    let all = place.text("log").lines().count();
    assert!(done > 0 && (60..=63).contains(&all), "{done} {all}");
    assert_refused(&place.say(["farm", "cat {}", "in", "--on", "mpi", "-p", "2"]), 2, "-o FILE");
    place.assert_clean();
}

/// Also where they go into a pipe, whose reader waits for them, and where some fail and are gone on without.
#[test]
fn outputs_go_into_a_pipe_and_without_what_failed() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    (100..140).for_each(|n| drop(place.write(format!("in/{n}"), format!("{n}\n"))));
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let fails = r#"case "$1" in *7) [ -e mended ] || exit 3;; esac; cat "$1""#;
    for masters in ["1", "2"] {
        let pipe = place.path("pipe");
        let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
        let words = ["farm", "cat", "in", "--on", "mpi", "-p", "4", "-o", "pipe", "--masters", masters];
        place.say(words).ok();
        assert_eq!(reader.join().unwrap(), (100..140).map(|n| format!("{n}\n")).collect::<String>());
        let words =
            ["farm", "--shell", fails, "in", "--on", "mpi", "-p", "4", "-o", "out", "-k", "--resume", "j"];
        let words: Vec<&str> = words.into_iter().chain(["--masters", masters]).collect();
        let said = place.say(&words);
        assert_refused(&said, 1, "4 of 40 tasks failed, on in/107, in/117, in/127 and in/137; the first: ");
        let done = (100..140).filter(|n| n % 10 != 7).map(|n| format!("{n}\n"));
        assert_eq!(place.text("out"), done.collect::<String>());
        place.write("mended", "");
        let said = place.say(&words).ok();
        assert!((said.text() + &said.err).contains("36 of 40 tasks were finished before"), "{}", said.err);
        assert_eq!(place.text("out").lines().count(), 40);
        ["mended", "j", "out"].iter().for_each(|name| fs::remove_file(place.path(name)).unwrap());
    }
    place.assert_clean();
}

/// Ranks that are killed put nothing away themselves.
#[test]
fn a_rank_that_is_killed_leaves_no_part_of_a_result() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    for n in 10..20 {
        place.write(format!("in/{n}"), "x\n");
    }
    let kills = "sh -c 'kill -9 $PPID; sleep 1' x {}";
    let words = ["farm", kills, "in", "--on", "mpi", "-p", "3", "--profile", "profile.toml", "-o", "out"];
    assert_refused(&place.say(words), 1, "signal 9");
    assert!(!place.path("out").exists());
    place.assert_clean();
}

/// A rank that somebody has stopped hears nothing. Whether the first signal has it go on, or it is stopped ever again and the command is asked a
/// second time, or killed then, nothing is left soon: much sooner than ranks have to end by themselves.
#[test]
fn a_rank_that_is_stopped_does_not_hold_up_the_end() {
    if !can_run() {
        return;
    }
    for (again, second) in
        [(false, None), (true, Some(Signal::INT)), (true, Some(Signal::TERM)), (true, Some(Signal::KILL))]
    {
        for stopped in [0, 1] {
            let place = Place::new();
            place.profile();
            let session = place.path("tmp");
            (10..20).for_each(|n| drop(place.write(format!("in/{n}"), "x\n")));
            let command = format!("sh -c 'touch {}; sleep 98.3' x {{}}", place.path("begun").display());
            let words =
                ["farm", &command, "in", "--on", "mpi", "-p", "3", "--profile", "profile.toml", "-o", "out"];
            let mut running = place.start(words);
            let begun = place.path("begun");
            running.wait_for("tasks have begun", || begun.exists());
            let mut ranks: Vec<i32> = ranks_in(&session).iter().map(|pid| pid.parse().unwrap()).collect();
            ranks.sort_unstable();
            let rank = Pid::from_raw(ranks[stopped]).unwrap();
            let over = AtomicBool::new(false);
            let took = std::thread::scope(|scope| {
                kill_process(rank, Signal::STOP).unwrap();
                scope.spawn(|| {
                    while again && !over.load(Ordering::SeqCst) && kill_process(rank, Signal::STOP).is_ok() {
                        std::thread::sleep(Duration::from_micros(200));
                    }
                });
                let mut since = Instant::now();
                running.signal(Signal::INT);
                if let Some(second) = second {
                    std::thread::sleep(Duration::from_secs(1));
                    since = Instant::now();
                    running.signal(second);
                }
                let said = running.end();
                if second != Some(Signal::KILL) {
                    assert_refused(&said, 130, "interrupted");
                }
                while !processes_in(&session).is_empty() && since.elapsed() < Duration::from_secs(20) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                over.store(true, Ordering::SeqCst);
                since.elapsed()
            });
            println!("{stopped} {again} {second:?}: {took:?}");
            assert!(took < Duration::from_secs(10), "{stopped} {again} {second:?}: {took:?}");
            assert_eq!(processes_in(&session), Vec::<String>::new(), "{stopped} {again} {second:?}");
            assert!(!place.path("out").exists());
            util::assert_gone("98.3");
            // What a killed command was writing is removed with the next file that is begun there.
            if second != Some(Signal::KILL) {
                place.assert_clean();
            }
        }
    }
}

#[test]
fn hosts_that_cannot_be_are_said_before_anything_is_tried() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.write("in/a", "a\n");
    place.write("empty", "\n");
    for (hosts, why) in [("none", "does not exist"), ("in", "directory"), ("empty", "names no host")] {
        for job in
            ["farm cat in -o out", "run mandelbrot -o out.png", "reduce --map cat --merge cat in -o out"]
        {
            let said = place.run(&format!("{job} --on mpi -p 2 --hostfile {hosts}"));
            assert_refused(&said, 2, &format!("--hostfile {hosts}: "));
            assert!(said.err.contains(why) && !said.text().contains("pilot"), "{}", said.err);
        }
    }
    place.write("wrong", "localhost %%% :::\n");
    assert_refused(
        &place.run("farm cat in -o out --on mpi -p 2 --hostfile wrong"),
        2,
        "parse error in the hostfile: wrong",
    );
    assert!(!place.path("out").exists());
    place.assert_clean();
}
