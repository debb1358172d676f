//! Jobs on MPI, under a real `mpirun`.

#[path = "../../../forerun-platform/tests/common/skipped.rs"]
mod skipped;
#[path = "../cli/util.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of the command line")]
mod util;

#[path = "../../../forerun-crawl/tests/server/nginx.rs"]
mod nginx;
#[path = "../../../forerun-apps/tests/features/server.rs"]
#[allow(dead_code, reason = "shared with the tests of the tables")]
mod server;

mod changed;
mod farm;
mod slurm;
mod text;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use skipped::skipped;
use util::{Place, Said};

/// Whether there is an mpirun; says so where there is none.
fn can_run() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|dir| dir.join("mpirun").is_file());
    if !there {
        skipped("jobs on MPI: needs mpirun");
    }
    there
}

#[track_caller]
fn assert_refused(said: &Said, status: i32, what: &str) {
    assert_eq!(said.status.code(), Some(status), "{}", said.err);
    assert!(said.err.contains(what), "{}", said.err);
    assert_eq!(said.err.matches("forerun: ").count(), 1, "{}", said.err);
}

#[test]
fn a_sort_gives_the_same_whatever_the_pattern() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    assert!(place.run("generate numbers 50000 -o numbers").status.success());
    assert!(place.run("run sort numbers -o expected --profile profile.toml -p 1 -q").status.success());
    let expected = place.read("expected");
    let with = "--profile profile.toml --grain 9kB";
    for how in [
        format!("-p 4 --strategy parallel-pipeline {with}"),
        format!("-p 4 --strategy parallel-pipeline --groups 2 {with}"),
        format!("-p 3 --strategy reduction-tree {with}"),
        format!("-p 3 --strategy master-slave {with}"),
        format!("-p 3 --strategy adaptive {with}"),
        format!("-p 1 --strategy adaptive {with}"),
        // Some of it by way of the disk, on both sides of a message.
        format!("-p 4 --strategy reduction-tree --memory 300KiB {with}"),
        "-p 3 --skeleton scatter-gather --block 7kB --ahead 0".to_owned(),
        "-p 3 --skeleton scatter-gather --block 7kB --ahead 2".to_owned(),
    ] {
        let said = place.run(&format!("run sort numbers -o sorted --on mpi --json one.json {how}"));
        assert!(said.status.success(), "{how}: {}", said.err);
        assert!(place.read("sorted") == expected, "{how}");
        let json = place.text("one.json");
        assert!(json.contains("\"mpi\""), "{json}");
        assert!(place.run("compare one.json").status.success());
        fs::remove_file(place.path("sorted")).unwrap();
    }
    place.assert_clean();
}

/// What a run takes begins where its ranks have begun.
#[test]
fn starting_the_ranks_is_not_predicted() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("in", [1; 8]);
    place.write(
        "slow.toml",
        "format = 1\nname = \"slow\"\n[[host]]\nname = \"h\"\ncores = 8\n[network]\nlatency = \"1 us\"\n\
         bandwidth = \"1 GB/s\"\nstart_up = { base = \"30 s\", per_rank = \"30 s\" }\n",
    );
    let sort =
        "run sort in --skeleton reduction -p 2 -o out --platform slow.toml --profile profile.toml --json -";
    for (on, started) in [("emulated", true), ("mpi", false)] {
        let said = place.run(&format!("{sort} --by analytic,simulated --on {on}")).ok();
        for outcome in &said.json().as_array().unwrap()[..2] {
            let predicted = outcome["makespan_s"].as_f64().unwrap();
            assert_eq!(predicted >= 30.0, started, "{on}: {outcome}");
        }
    }
}

#[test]
fn lines_are_sorted() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    // Merged ones are large enough to go as they lie in memory.
    let lines: String =
        (0..30_000u32).map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761) % 5000)).collect();
    place.write("lines", &lines);
    let sort = "run sort lines --type lines --profile profile.toml --grain 5kB";
    assert!(place.run(&format!("{sort} -o expected -p 1")).status.success());
    for memory in ["1GiB", "600KiB"] {
        let said =
            place.run(&format!("{sort} -o sorted -p 4 --on mpi --strategy reduction-tree --memory {memory}"));
        assert!(said.status.success(), "{}", said.err);
        assert_eq!(place.read("sorted"), place.read("expected"));
    }
    // What is wrong with an input is said as on threads.
    place.write("lines", lines + "x\n");
    place
        .run(&format!("{sort} -o sorted -p 4 --on mpi --strategy adaptive"))
        .refused(2, &["forerun: lines:30001: \"x\" is not a decimal number"]);
}

#[test]
fn results_of_commands_keep_their_order_and_no_map_runs_twice() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    let mut expected = String::new();
    for n in 10..40 {
        // Small ones, which are large when merged.
        let text = format!("{n}\n").repeat(1000);
        place.write(format!("in/{n}"), &text);
        expected += &text;
    }
    let map =
        format!("sh -c 'for f; do echo $f; done >> {}; cat \"$@\"' x {{}}", place.path("log").display());
    for strategy in ["parallel-pipeline", "adaptive"] {
        // With a pilot, whose results are handed over.
        let said = place.say([
            "reduce",
            "--map",
            &map,
            "--merge",
            "cat {1} {2}",
            "--on",
            "mpi",
            "-p",
            "2",
            "--strategy",
            strategy,
            "-o",
            "out",
            "in",
        ]);
        assert!(said.status.success(), "{}", said.err);
        assert_eq!(place.text("out"), expected);
        assert_eq!(place.text("log").lines().count(), 30);
        fs::remove_file(place.path("log")).unwrap();
    }
    place.assert_clean();
}

#[test]
fn what_goes_wrong_is_one_sentence() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    for n in 10..20 {
        place.write(format!("in/{n}"), "x\n");
    }
    let reduce = |map: &str, more: &[&str]| {
        let fixed = [
            "reduce",
            "--map",
            map,
            "--merge",
            "cat",
            "--on",
            "mpi",
            "-p",
            "3",
            "--profile",
            "profile.toml",
            "in",
        ];
        place.say(fixed.iter().chain(more))
    };
    let fails = "sh -c 'case \"$*\" in *17*) echo no such thing >&2; exit 3;; esac; cat \"$@\"' x {}";
    assert_refused(&reduce(fails, &["-o", "out"]), 1, "no such thing");
    assert_refused(&reduce("sh -c 'kill -9 $PPID; sleep 1' x {}", &["-o", "out"]), 1, "signal 9");
    assert_refused(&reduce("cat {}", &[]), 2, "-o FILE");
    assert_refused(&reduce("cat {}", &["-o", "out", "--every", "2"]), 2, "--every");
    assert_refused(&reduce("cat {}", &["-o", "out", "--mpirun", "no-such-launcher"]), 2, "no-such-launcher");
    // An input that is there for the launching process and not for the ranks.
    let launcher = place.script(
        "launcher",
        &format!(
            "#!/bin/sh\n[ \"$1\" = --version ] || rm -f {}\nexec mpirun \"$@\"\n",
            place.path("in/15").display()
        ),
    );
    let said = reduce("cat {}", &["-o", "out", "--mpirun", &launcher.display().to_string()]);
    assert_refused(&said, 2, "in/15 does not exist");
    assert!(said.err.contains("(on rank "), "{}", said.err);
    assert!(!place.path("out").exists());
    let without = place.run("run sort in/10 --type lines -o out --mpirun mpirun");
    assert_refused(&without, 2, "--on mpi");
}

/// A launcher of Open MPI that starts nothing.
fn silent(place: &Place) -> String {
    let script =
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit\nexec sleep 97.3\n";
    place.script("silent", script).display().to_string()
}

/// Open MPI's start hangs where it has no room for its session, and MPI says nothing of it.
#[test]
fn a_start_that_would_hang_is_refused() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.write("in/1", "x\n");
    let silent = silent(&place);
    for words in [
        vec!["farm", "cat {}", "in", "-o", "out", "--on", "mpi", "-p", "2", "--mpirun", &silent],
        vec!["calibrate", "--on", "mpi", "-p", "2", "--out", "here.toml", "--mpirun", &silent],
    ] {
        let (missing, file) =
            (place.path("none/yet").display().to_string(), place.path("in/1").display().to_string());
        for (directory, what) in [
            ("/proc", "in /proc, where it has its session, nothing can be written".to_owned()),
            (&missing, format!("{missing}, where it would have its session, does not exist")),
            (&file, format!("{file}, where it would have its session, is no directory")),
        ] {
            for name in ["OMPI_MCA_orte_tmpdir_base", "TMPDIR"] {
                let mut command = place.command(&words);
                command.env(name, directory);
                let said = util::finish(command);
                assert_refused(&said, 2, &format!("cannot start ranks: {what}"));
                assert!(said.err.contains(&format!("name another directory with {name}")), "{}", said.err);
                assert!(!said.err.contains("pilot") && !place.path("none").exists(), "{}", said.err);
            }
        }
    }
    assert!(!place.path("out").exists());
    place.assert_clean();
}

/// Before the pilot, and in a sentence, not in a page.
#[test]
fn a_launcher_that_would_refuse_is_found_before_the_pilot() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.write("in/1", "x\n");
    // Too long for a name, whether any server of names answers or none.
    let gone = format!("{}.invalid", "x".repeat(64));
    place.write("hosts", format!("localhost slots=2\n{gone} slots=4\n"));
    place.write("garbled", "localhost slots=many\n");
    let (of_gone, unknown) =
        (format!("mpirun -H localhost,{gone}:4"), format!("nobody knows the host {gone}"));
    let refused: [([&str; 2], &str); 7] = [
        (["--mpirun", "mpirun --nonesuch"], "unknown option \"--nonesuch\""),
        (["--mpirun", "mpirun --mca nonesuch"], "unable to find the specified executable file"),
        (["--mpirun", "mpirun --map-by nonesuch"], "mapping policy is not recognized: Policy: nonesuch"),
        (["--mpirun", "mpirun --mca plm_base_verbose x"], "Variable: plm_base_verbose, Value: x"),
        (["--mpirun", &of_gone], &unknown),
        (["--hostfile", "hosts"], &unknown),
        (["--hostfile", "garbled"], "bad parameter in the hostfile: garbled"),
    ];
    for (words, what) in refused {
        let fixed = ["farm", "cat {}", "in", "-o", "out", "--on", "mpi", "-p", "2"];
        let said = place.say(fixed.iter().chain(&words));
        assert_refused(&said, 2, what);
        assert!(said.err.lines().count() == 1 && said.err.len() < 400, "{}", said.err);
        assert!(!place.path("out").exists());
    }
    // Whoever reaches hosts in another way than by their addresses is not asked.
    let mut command =
        place.command(["farm", "cat {}", "in", "-o", "out", "--on", "mpi", "-p", "2", "--hostfile", "hosts"]);
    command.env("OMPI_MCA_plm_rsh_agent", "false");
    let said = util::finish(command);
    assert_refused(&said, 1, "ended without a result");
    assert!(said.err.lines().last().is_some_and(|line| line.len() < 250), "{}", said.err);
    place.assert_clean();
}

/// Before anything is tried where they do not fit, and with a word where they take turns.
#[test]
fn more_ranks_than_a_host_has_room_for_are_told_of() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("in/1", "x\n");
    let fails = place.script(
        "fails",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 5.0.1' && exit\nexit 3\n",
    );
    let fails = fails.display().to_string();
    let cores = std::thread::available_parallelism().unwrap().get();
    let tasks = |ranks: usize, more: &[&str]| {
        let ranks = ranks.to_string();
        let fixed =
            ["run", "tasks", "50", "--size", "1kB", "--profile", "profile.toml", "--strategy", "adaptive"];
        place.say(fixed.iter().chain(&["--on", "mpi", "--mpirun", &fails, "-p", &ranks]).chain(more))
    };
    for (ranks, more, expected) in [
        (4 * cores, &[][..], 0),
        (4 * cores + 1, &[], 1),
        (4 * cores + 1, &["-q"], 0),
        (4 * cores + 1, &["--json", "-"], 1),
    ] {
        let said = tasks(ranks, more);
        assert_refused(&said, 1, "ended with status 3");
        let told = format!("all {ranks} ranks are started on this host");
        assert_eq!(said.err.matches(&told).count(), expected, "{ranks} ranks, {more:?}: {}", said.err);
    }
    for words in [
        "run tasks 50 --size 1kB --profile profile.toml --on mpi -p 4194304 --mpirun",
        "farm cat in -o out --on mpi -p 4194304 --mpirun",
        "calibrate --on mpi -p 4194304 --mpirun",
    ] {
        let said = place.say(words.split_whitespace().chain([&*fails]));
        assert_refused(&said, 2, "4,194,304 ranks do not fit into the");
        assert!(!said.err.contains("pilot") && said.text().is_empty(), "{}{}", said.err, said.text());
    }
}

/// Without room for the library of MPI, or with few open files, its launcher would wait for ever, or ranks would fall.
#[test]
fn limits_without_room_for_mpi_are_said() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("in", "x\n".repeat(50));
    for job in
        ["farm cat in -o out --on mpi -p 2 --profile profile.toml", "calibrate --on mpi -p 2 --out here.toml"]
    {
        for (limit, what) in [
            ("v 80000", "memory does not suffice: a limit (ulimit -v)"),
            ("v 120000", "memory does not suffice: a limit (ulimit -v)"),
            ("v 170000", "memory does not suffice: a limit (ulimit -v)"),
            ("n 8", "a limit (ulimit -n) leaves this process 5 files to open"),
            // In blocks of 512 bytes: 0.5 and 4.1 MB.
            ("f 1000", "a limit (ulimit -f) allows a process files of"),
            ("f 8000", "a limit (ulimit -f) allows a process files of"),
            ("n 28", "a limit (ulimit -n) allows a process 28 open files"),
            ("n 32", "a limit (ulimit -n) allows a process 32 open files"),
        ] {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &format!("ulimit -{limit}; exec \"$0\" {job}"), util::FORERUN]);
            command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
            command.env("XDG_CACHE_HOME", util::home().join("cache"));
            assert_refused(&util::finish(command), 1, what);
        }
    }
    assert!(!place.path("out").exists());
    place.assert_clean();
}

/// Nor has a limit of processes, which binds all users but root: launchers or ranks that may begin no thread fall with many lines, or wait for ever.
#[test]
fn a_limit_of_processes_is_said() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("in", "x\n".repeat(50));
    for dir in ["", "tmp"] {
        fs::set_permissions(place.path(dir), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let job = "run tasks 20 --profile profile.toml --on mpi -p 3".split(' ').collect::<Vec<_>>();
    // Of a user of whom nobody else runs anything: what others run counts as well.
    let user = util::as_user(65_432, &place, &job).filter(|_| util::is_root());
    let Some(user) = user else {
        skipped("the command cannot be run as another user here");
        return;
    };
    let within = |limit: u32| {
        // (`ulimit -u` is not in every shell.)
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &format!("ulimit -u {limit}; exec \"$@\""), "sh"]).arg(user.get_program());
        command.args(user.get_args()).current_dir(place.path(""));
        command.envs(user.get_envs().filter_map(|(name, value)| Some((name, value?))));
        util::finish(command)
    };
    let none = "a limit (ulimit -u, or of a control group) allows no further process";
    for (limit, status, what) in [(2, 2, none), (9, 1, "3 ranks take 18"), (15, 1, "3 ranks take 18")] {
        assert_refused(&within(limit), status, what);
        place.assert_clean();
    }
    within(200).ok();
    place.assert_clean();
}

/// Memory that ranks share and that no process has any more, of files that were not there `before`.
fn ownerless(before: &BTreeSet<OsString>) -> BTreeSet<OsString> {
    let mut all = shared();
    all.retain(|name| !before.contains(name));
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let maps = fs::read_to_string(entry.path().join("maps")).unwrap_or_default();
        all.retain(|name| !maps.contains(&*name.to_string_lossy()));
    }
    all
}

fn shared() -> BTreeSet<OsString> {
    let all = fs::read_dir("/dev/shm").into_iter().flatten().flatten().map(|entry| entry.file_name());
    all.filter(|name| name.to_string_lossy().starts_with("vader_segment.")).collect()
}

/// Processes with their temporary files there.
fn processes_in(place: &Path) -> Vec<String> {
    let set = format!("TMPDIR={}", place.display());
    let all =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_there = |pid: &String| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|of| of == set.as_bytes())
    };
    all.filter(is_there).collect()
}

/// Ranks with their temporary files there.
fn ranks_in(place: &Path) -> Vec<String> {
    let ranks = util::processes_with("=mpi-rank");
    processes_in(place).into_iter().filter(|pid| ranks.contains(pid)).collect()
}

/// What is left there of a start: processes, a session, memory that ranks shared which was not there `before`.
fn left_in(session: &Path, before: &BTreeSet<OsString>) -> Vec<String> {
    let entries = fs::read_dir(session).unwrap().flatten().map(|entry| entry.path().display().to_string());
    let shared = shared().into_iter().filter(|name| !before.contains(name));
    let shared = shared.map(|name| name.to_string_lossy().into_owned());
    let others = ownerless(before);
    let shared = shared.filter(|name| others.contains(&OsString::from(name)));
    processes_in(session)
        .into_iter()
        .map(|pid| format!("process {pid}"))
        .chain(entries)
        .chain(shared)
        .collect()
}

/// An `mpirun` that takes a while before it starts any rank, whose ranks take a while before they are programs of MPI, the last ones longer;
/// each tells in `begun` that it is there.
fn slow(place: &Place, launcher_s: f64, (first_s, last_s): (f64, f64)) -> String {
    let begun = place.path("begun").display().to_string();
    fs::create_dir_all(&begun).unwrap();
    let delay = place.script(
        "delay",
        &format!(
            "#!/bin/sh\n[ $OMPI_COMM_WORLD_RANK -lt 4 ] && wait={first_s} || wait={last_s}\n\
             : > {begun}/rank-$OMPI_COMM_WORLD_RANK\nsleep $wait\nexec \"$@\"\n"
        ),
    );
    // The last two words are a rank's command line.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec mpirun \"$@\"\nleft=$#\nfor word; do\n\
         [ $left = 2 ] && set -- \"$@\" {}\nset -- \"$@\" \"$word\"\nshift\nleft=$((left - 1))\ndone\n\
         : > {begun}/launcher\nsleep {launcher_s}\n: > {begun}/mpirun\nexec mpirun \"$@\"\n",
        delay.display()
    );
    place.script("slow", &script).display().to_string()
}

/// A command that is killed (SIGKILL) can do nothing any more; whatever its launcher is at, and whether or not ranks are there to hear of it,
/// nothing is left soon: no process, no session and no memory that ranks share.
#[test]
fn a_command_that_is_killed_while_ranks_are_started_leaves_nothing() {
    if !can_run() {
        return;
    }
    // What there is when the command is killed, and how long after it.
    let moments: [(&str, f64, (f64, f64), f64); 8] = [
        ("launcher", 60.0, (0.0, 0.0), 0.0),
        ("mpirun", 0.0, (0.0, 0.0), 0.05),
        ("mpirun", 0.0, (0.0, 0.0), 0.2),
        ("mpirun", 0.0, (0.0, 0.0), 0.5),
        ("rank-0", 0.0, (0.0, 60.0), 0.0),
        ("rank-11", 0.0, (0.0, 60.0), 0.5),
        ("rank-11", 0.0, (60.0, 60.0), 0.0),
        ("rank-11", 0.0, (0.0, 0.0), 2.0),
    ];
    for (what, launcher_s, ranks_s, seconds) in moments {
        let place = Place::new();
        place.profile();
        let session = place.path("session");
        fs::create_dir(&session).unwrap();
        let before = shared();
        let slow = slow(&place, launcher_s, ranks_s);
        let words = "run tasks 50000 --size 1kB --profile profile.toml --on mpi -p 12 --mpirun";
        let mut command = place.command(words.split_whitespace().chain([&*slow]));
        command.env("TMPDIR", &session).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = util::Running::new(command);
        let there = place.path("begun").join(what);
        running.wait_for(what, || there.exists());
        std::thread::sleep(Duration::from_secs_f64(seconds));
        running.signal(Signal::KILL);
        let killed = Instant::now();
        running.end();
        let mut left = left_in(&session, &before);
        while !left.is_empty() && killed.elapsed() < Duration::from_secs(25) {
            std::thread::sleep(Duration::from_millis(100));
            left = left_in(&session, &before);
        }
        println!("{what} and {seconds} s: {:?}", killed.elapsed());
        assert_eq!(left, Vec::<String>::new(), "{what} and {seconds} s");
    }
}

/// Whatever the launcher was at when the signal came, nothing is left: no rank, no session and no memory that ranks share.
#[test]
fn a_signal_while_ranks_are_started_leaves_nothing() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    let session = place.path("session");
    fs::create_dir(&session).unwrap();
    for (ranks, seconds, signal) in [
        ("100", 0.1, Signal::INT),
        ("100", 0.5, Signal::TERM),
        ("150", 1.0, Signal::HUP),
        ("100", 2.0, Signal::INT),
        ("150", 4.0, Signal::TERM),
    ] {
        let before = shared();
        let words = format!("run tasks 50000 --size 1kB --profile profile.toml --on mpi -p {ranks}");
        let mut command = place.command(words.split_whitespace());
        command.env("TMPDIR", &session).stdout(Stdio::piped()).stderr(Stdio::piped());
        let running = util::Running::new(command);
        std::thread::sleep(Duration::from_secs_f64(seconds));
        running.signal(signal);
        let begun = Instant::now();
        let said = running.end();
        let what =
            format!("{ranks} ranks, {signal:?} after {seconds} s, {:?}: {}", begun.elapsed(), said.err);
        assert!(!said.status.success(), "{what}");
        // Ranks that have begun end by themselves, and so many take their time.
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        assert_eq!(ranks_in(&session), Vec::<String>::new(), "{what}");
        let left: Vec<_> = fs::read_dir(&session).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{what}: {left:?}");
        // Another run may be about to take what it has made.
        let until = Instant::now() + Duration::from_secs(5);
        while !ownerless(&before).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(ownerless(&before), BTreeSet::new(), "{what}");
        let probes = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
        let probe = |name: OsString| name.to_string_lossy().starts_with("open_mpi.");
        assert!(!probes.map(|entry| entry.file_name()).any(probe), "{what}");
    }
}

#[test]
fn a_start_that_hangs_is_told_of_and_ends_at_once() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.write("in/1", "x\n");
    let silent = silent(&place);
    let begin = |more: &[&str]| {
        let words = ["farm", "cat {}", "in", "-o", "out", "--on", "mpi", "-p", "2", "--mpirun", &silent];
        place.start(words.iter().chain(more))
    };
    let (told, quiet) = (begin(&["--json", "-"]), begin(&["--quiet"]));
    std::thread::sleep(Duration::from_secs(13));
    for (running, expected) in [(told, 1), (quiet, 0)] {
        running.signal(Signal::INT);
        let begun = Instant::now();
        let said = running.end();
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
        assert_refused(&said, 130, "interrupted");
        assert_eq!(said.err.matches("no rank has begun after 10 s").count(), expected, "{}", said.err);
        assert_eq!(String::from_utf8_lossy(&said.out), "");
    }
    assert!(util::processes_with("97.3").is_empty());
}

#[test]
fn ctrl_c_ends_all_ranks_and_what_they_started() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    for n in 10..20 {
        place.write(format!("in/{n}"), "x\n");
    }
    let map = format!("sh -c 'touch {}; sleep 98.7' x {{}}", place.path("begun").display());
    let running = place.start([
        "reduce",
        "--map",
        &map,
        "--merge",
        "cat",
        "--on",
        "mpi",
        "-p",
        "3",
        "--profile",
        "profile.toml",
        "-o",
        "out",
        "in",
    ]);
    wait_for(&place.path("begun"));
    running.signal(Signal::INT);
    let begun = Instant::now();
    let said = running.end();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_refused(&said, 130, "interrupted");
    assert!(!place.path("out").exists());
    place.assert_clean();
}

#[test]
fn messages_are_measured_and_a_run_is_predicted_from_them() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    let said = place.run("calibrate --on mpi -p 4 --quick --out here.toml --svg drawn.svg");
    assert!(said.status.success(), "{}", said.err);
    assert_eq!(place.text("drawn.svg").matches("<title>Overheads").count(), 2);
    let told = String::from_utf8_lossy(&said.out).into_owned() + &said.err;
    for figure in ["latency L", "send overhead, per rank", "gap, per byte", "wait", "topology"] {
        assert!(told.contains(figure), "{told}");
    }
    assert!(place.run("platform check here.toml").status.success());
    assert!(place.run("generate numbers 5000 -o numbers").status.success());
    let run =
        "run sort numbers -o sorted --on mpi -p 3 --profile profile.toml --platform here.toml --by simulated";
    let said = place.run(run);
    assert!(said.status.success(), "{}", said.err);
    assert_refused(&place.run("calibrate --on mpi -p 1"), 2, "at least 2 ranks");
    assert_refused(&place.run("calibrate -p 3"), 2, "--on mpi");
    assert_refused(&place.run("calibrate --svg drawn.svg"), 2, "--on mpi");
}

/// Also while few of the ranks measure and the others wait for their turn.
#[test]
fn ctrl_c_ends_a_calibration_of_any_number_of_ranks() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    for (ranks, seconds) in [("2", 3), ("3", 2), ("5", 4)] {
        let running = place.start(["calibrate", "--on", "mpi", "-p", ranks, "--out", "here.toml"]);
        std::thread::sleep(Duration::from_secs(seconds));
        running.signal(Signal::INT);
        let begun = Instant::now();
        let said = running.end();
        assert!(begun.elapsed() < Duration::from_secs(8), "{ranks} ranks: {:?}", begun.elapsed());
        assert_refused(&said, 130, "interrupted");
        assert!(!place.path("here.toml").exists());
    }
}

#[test]
fn tasks_known_by_their_costs_take_as_long() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    for strategy in ["parallel-pipeline", "reduction-tree", "master-slave", "adaptive"] {
        let how = format!("-p 2 --strategy {strategy} --profile profile.toml --by analytic --json one.json");
        for on in ["mpi", "threads"] {
            let said = place.run(&format!("run tasks 12 --size 3kB --on {on} {how}"));
            assert!(said.status.success(), "{}", said.err);
            let told = String::from_utf8_lossy(&said.out).into_owned() + &said.err;
            assert!(told.contains("12 results"), "{told}");
        }
    }
}

#[track_caller]
fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < util::PATIENCE, "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A host that takes a connection and never says a word keeps nobody: a signal ends the command in some seconds, and what was to reach the host
/// ends with it, also where the command is killed or the launcher has fallen.
#[test]
fn a_host_that_never_answers_keeps_no_command() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("hosts", "elsewhere slots=4\n");
    let agent = place.script("agent", "#!/bin/sh\n: > reached\nexec sleep 97.625\n");
    let session = place.path("session");
    for (signal, waits_s, falls) in [
        (Signal::INT, 0.0, false),
        (Signal::TERM, 2.0, false),
        (Signal::KILL, 0.5, false),
        (Signal::HUP, 2.5, true),
    ] {
        fs::create_dir(&session).unwrap();
        let words = "run tasks 50 --size 1kB --profile profile.toml --on mpi -p 4 --hostfile hosts";
        let mut command = place.command(words.split_whitespace());
        command.env("TMPDIR", &session).env("OMPI_MCA_plm_rsh_agent", &agent);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = util::Running::new(command);
        let reached = place.path("reached");
        running.wait_for("the agent", || reached.exists());
        std::thread::sleep(Duration::from_secs_f64(waits_s));
        let begun = Instant::now();
        if falls {
            let launchers = util::processes_with("mpirun");
            let ours: Vec<String> =
                processes_in(&session).into_iter().filter(|pid| launchers.contains(pid)).collect();
            assert!(!ours.is_empty());
            for pid in ours {
                let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        } else {
            running.signal(signal);
        }
        let said = running.end();
        assert!(begun.elapsed() < Duration::from_secs(15), "{signal:?}: {:?}", begun.elapsed());
        assert!(!said.status.success(), "{signal:?}: {}", said.err);
        let mut left = processes_in(&session);
        while !left.is_empty() && begun.elapsed() < Duration::from_secs(25) {
            std::thread::sleep(Duration::from_millis(100));
            left = processes_in(&session);
        }
        assert_eq!(left, Vec::<String>::new(), "{signal:?}");
        fs::remove_file(&reached).unwrap();
        fs::remove_dir_all(&session).unwrap();
    }
}
