//! Commands that do not do their work: one sentence, status 1, nothing left.

use std::fs;

use crate::util::{Place, assert_gone, finish};

fn place() -> Place {
    let place = Place::new();
    place.profile();
    for i in 0..5 {
        place.write(format!("in/{i}"), format!("{i}\n"));
    }
    place
}

fn reduce(place: &Place, map: &str, merge: &str, more: &[&str]) -> crate::util::Said {
    let words = ["reduce", "--map", map, "--merge", merge, "in", "-o", "out", "--grain", "1 B", "-p", "2"];
    place.say(words.iter().chain(more))
}

/// With and without a pilot, which meets the fault first.
const WAYS: [&[&str]; 2] = [&[], &["--profile", "profile.toml"]];

#[test]
fn a_map_that_fails() {
    let place = place();
    for more in WAYS {
        let on_one = "sh -c 'test \"$1\" != in/3 || { echo no such luck >&2; exit 7; }; cat \"$1\"' sh {}";
        reduce(&place, on_one, "cat", more).refused(1, &["map", "in/3", "exit status 7", "no such luck"]);
        reduce(&place, "sh -c 'kill -9 $$'", "cat", more).refused(1, &["map", "in/", "SIGKILL"]);
        reduce(&place, "false", "cat", more).refused(1, &["map command `false`", "in/"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_merge_that_fails() {
    let place = place();
    for more in WAYS {
        reduce(&place, "cat", "false", more).refused(1, &["merge command `false`", "in/", "exit status 1"]);
        reduce(&place, "cat", "sh -c 'cat {1} {2} > /dev/null; exit 3'", more)
            .refused(1, &["merge", "status 3"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn commands_that_hang() {
    let place = place();
    for (i, more) in WAYS.into_iter().enumerate() {
        let mark = format!("6{i}.{}", std::process::id());
        let timeout = [&["--timeout", "0.3 s"], more].concat();
        let hangs = format!("sh -c 'sleep {mark} & sleep {mark}'");
        reduce(&place, &hangs, "cat", &timeout).refused(1, &["map", "in/", "0.3 s", "--timeout"]);
        // Also one that does not want to go.
        let deaf = format!("sh -c 'trap \"\" TERM INT HUP; sleep {mark}; sleep {mark}'");
        reduce(&place, &deaf, "cat", &timeout).refused(1, &["map", "in/", "--timeout"]);
        reduce(&place, "cat", &hangs, &timeout).refused(1, &["merge", "--timeout"]);
        assert_gone(&mark);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_map_that_writes_without_end() {
    let place = place();
    for more in WAYS {
        let limit = [&["--max-output", "5 MB"], more].concat();
        reduce(&place, "cat /dev/zero {}", "cat", &limit)
            .refused(1, &["map", "5000000 bytes", "--max-output"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_map_that_writes_a_gigabyte_does_so_to_the_disk() {
    let place = place();
    place.write("one", "x");
    // Memory for a tenth of it must do.
    let mut command = std::process::Command::new("sh");
    let line = "ulimit -v 600000; exec \"$0\" reduce --map 'head -c 1000000000 /dev/zero' --merge cat one \
                --profile profile.toml -p 1 -o /dev/null";
    command.args(["-c", line, crate::util::FORERUN]).current_dir(place.path(""));
    command.env("TMPDIR", place.path("tmp")).env("XDG_CACHE_HOME", crate::util::home().join("cache"));
    assert!(finish(command).ok().text().contains("1 GB"));
    place.assert_clean();
}

/// What is larger than memory allows is a sentence, and not the end of the process wherever it is.
#[test]
fn what_memory_has_no_room_for_is_said() {
    let place = place();
    place.write(
        "large.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = \"1 us\"\nmerge = \"1 us\"\nresult_bytes = \"3 GiB\"\n",
    );
    place.write(
        "merged.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = \"1 us\"\nmerge = \"1 us\"\nresult_bytes = \"300 MiB\"\n",
    );
    place.write(
        "scatter.toml",
        "format = 1\napplication = \"any\"\n[scatter_gather]\nread = \"1 ns/B\"\nprocess = \"1 ns/B\"\nlocal = \"1 ns/B\"\n\
         global = \"1 ns/B\"\nwrite = \"1 ns/B\"\n",
    );
    // Nothing but holes.
    std::fs::File::create(place.path("numbers")).unwrap().set_len(2 << 30).unwrap();
    let within = |line: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit -v 1500000; exec \"$0\" {line}"), crate::util::FORERUN]);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    for on in ["threads", "emulated"] {
        let run = format!("run tasks 8 -p 2 --strategy reduction-tree --on {on}");
        let said = within(&format!("{run} --profile large.toml"));
        said.refused(1, &["task ", "there is no memory for 3 GiB more"]);
        let said = within(&format!("{run} --profile merged.toml"));
        said.refused(1, &["there is no memory for", "MiB more"]);
    }
    let picture = within("run mandelbrot --size 60000x60000 -o p.png");
    picture.refused(2, &["--size 60000x60000", "no memory for 14.4 GB more"]);
    // Before anything is done.
    for more in [
        "--grain 2GiB --profile profile.toml",
        "--skeleton scatter-gather --block 1GiB --profile scatter.toml",
    ] {
        let sort = within(&format!("run sort numbers -p 1 --memory 64GiB {more}"));
        sort.refused(2, &["--memory 64GiB: a limit (ulimit -v or -d) leaves this process", "give less"]);
    }
    place.assert_clean();
}

/// A sort takes what limits leave this process, less what it has, stacks of threads and what the C library sets aside, into account:
/// it is done, every time, or refused before it begins.
#[test]
fn a_sort_fits_into_what_a_limit_leaves() {
    let place = place();
    let mut numbers: Vec<u32> = (0..4_000_000u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    place.write("numbers", bytes(&numbers));
    numbers.sort_unstable();
    let sorted = bytes(&numbers);
    let within = |limit: &str, kilobytes: u64, more: &str| {
        let mut command = std::process::Command::new("sh");
        let line = format!(
            "ulimit -{limit} {kilobytes}; exec \"$0\" run sort numbers --type u32 -o out -p 2 {more}"
        );
        command.args(["-c", &line, crate::util::FORERUN]).current_dir(place.path(""));
        command.env("TMPDIR", place.path("tmp")).env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    for skeleton in ["reduction", "scatter-gather"] {
        for (limit, kilobytes) in
            [("v", 100_000), ("v", 120_000), ("v", 140_000), ("v", 180_000), ("d", 80_000), ("d", 110_000)]
        {
            for more in ["", "--memory 30MB"] {
                let said = within(limit, kilobytes, &format!("--skeleton {skeleton} {more}"));
                let out = place.path("out");
                if said.status.success() {
                    assert!(std::fs::read(&out).unwrap() == sorted, "{limit} {kilobytes} {skeleton} {more}");
                    std::fs::remove_file(out).unwrap();
                } else {
                    // What the program takes alone depends on the build.
                    assert!(kilobytes < [110_000, 180_000][usize::from(limit == "v")], "{}", said.err);
                    said.refused(2, &["(ulimit -v or -d) leaves this process"]);
                    assert!(!out.exists());
                }
            }
        }
    }
    place.assert_clean();
}

/// Whatever a limit leaves, a command does its work or says in a sentence that it cannot: none is ended by a signal, or panics.
#[test]
fn what_has_no_room_in_a_limit_is_said() {
    let place = place();
    let within = |limit: &str, kilobytes: u64, (cache, line): (&str, &str)| {
        let mut command = std::process::Command::new("sh");
        let line = format!("ulimit -{limit} {kilobytes}; exec \"$0\" {line}");
        command.args(["-c", &line, crate::util::FORERUN]).current_dir(place.path(""));
        command.env("TMPDIR", place.path("tmp")).env("XDG_CACHE_HOME", cache);
        finish(command)
    };
    let known = crate::util::home().join("cache").display().to_string();
    let mut refused = 0;
    for (cache, line) in [
        // The first measures the machine.
        ("cache", "farm cat in -o out"),
        (&known, "farm cat in -o out -p 40"),
        (&known, "reduce --map cat --merge cat in -o out -p 2"),
        (&known, "reduce --map cat --merge cat in -o out -p 64 --grain 1B --profile profile.toml"),
    ] {
        for (limit, kilobytes) in
            [("v", 60_000), ("v", 90_000), ("v", 150_000), ("d", 30_000), ("d", 60_000), ("d", 100_000)]
        {
            let said = within(limit, kilobytes, (cache, line));
            let out = place.path("out");
            if said.status.success() {
                assert_eq!(place.text("out"), "0\n1\n2\n3\n4\n", "{limit} {kilobytes} {line}");
                fs::remove_file(out).unwrap();
            } else {
                refused += 1;
                assert!(!out.exists(), "{limit} {kilobytes} {line}");
                said.refused(1, &["memory does not suffice", "(ulimit -v or -d) leaves this process"]);
            }
            let _ = fs::remove_dir_all(place.path("cache"));
            place.assert_clean();
        }
    }
    // On no machine are there so many stacks in so little memory.
    assert!(refused >= 6, "{refused}");
}

/// A limit of open files is told before any work is done, and leaves no directory behind that nobody could look into any more.
#[test]
fn a_limit_of_open_files_is_said_before_the_work() {
    let place = place();
    let many: String = (0..40).map(|i| format!("many/{i} ")).collect();
    (0..40).for_each(|i| drop(place.write(format!("many/{i}"), "x\n")));
    place.write("numbers", (0..1_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    let within = |files: u64, line: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" {line}"), crate::util::FORERUN]);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    let told = "--profile profile.toml -o out";
    let few = [
        format!("reduce --map 'tee done' --merge cat in/0 -p 1 {told}"),
        format!("farm 'tee done' in/0 -p 2 {told}"),
        format!("run sort numbers --type u32 -p 2 --skeleton reduction {told}"),
    ];
    for line in &few {
        for files in [4, 5, 6, 7, 8, 12, 20, 23] {
            within(files, line).refused(1, &["a limit (ulimit -n) leaves this process", "allow it more"]);
            assert!(!place.path("done").exists() && !place.path("out").exists(), "{files} {line}");
            place.assert_clean();
        }
        within(32, line).ok();
        ["done", "out"].iter().for_each(|name| drop(fs::remove_file(place.path(name))));
    }
    for line in [
        format!("reduce --map 'tee done' --merge cat {many} --grain 1B -p 40 {told}"),
        format!("farm 'tee done' {many} -p 40 {told}"),
    ] {
        within(100, &line).refused(1, &["a limit (ulimit -n) leaves", "40 programs at a time may need 124"]);
        assert!(!place.path("done").exists() && !place.path("out").exists(), "{line}");
        place.assert_clean();
    }
}

/// A limit that would do for what is asked for is said at once, and does.
#[test]
fn of_open_files_the_whole_need_is_said_at_once() {
    let place = place();
    let line = "farm cat in -p 12 --profile profile.toml";
    let within = |files: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" {line}"), crate::util::FORERUN]);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    let said = within("12").refused(1, &["such as ulimit -n "]).err;
    let enough = said.trim_end().rsplit(' ').next().unwrap();
    within(enough).ok();
    place.assert_clean();
}

/// The first thread's stack is the system's to give; with less than the command takes, it has its own.
#[test]
fn a_limit_of_the_stack_is_no_matter() {
    let place = place();
    let within = |kilobytes: u64, line: &str| {
        let mut command = std::process::Command::new("sh");
        let job = format!("ulimit -s {kilobytes}; exec \"$0\" {line}");
        command.args(["-c", &job, crate::util::FORERUN]);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    for kilobytes in [64, 128, 256, 1024] {
        for line in [
            "--version",
            "predict mandelbrot --help",
            "farm cat in/0 --profile profile.toml -p 2",
            "reduce --map cat --merge cat in/0 --profile profile.toml -p 2 --by analytic,simulated",
        ] {
            within(kilobytes, line).ok();
        }
        within(kilobytes, "run sort none").refused(2, &["none"]);
    }
    place.assert_clean();
}

/// As on a full disk: what the limit has no room for is a sentence, wherever it is written, and not the end of the process.
#[test]
fn files_of_more_than_the_limit_are_said() {
    let place = place();
    place.write("numbers", (0..100_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    let within = |line: &str| {
        let mut command = std::process::Command::new("sh");
        // Of 512 or 1024 bytes each, as the shell has it.
        command.args(["-c", &format!("ulimit -f 100; exec \"$0\" {line}"), crate::util::FORERUN]);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        command.env("XDG_CACHE_HOME", crate::util::home().join("cache"));
        finish(command)
    };
    for line in [
        "run sort numbers -p 2 --skeleton reduction --profile profile.toml -o out",
        // By way of the disk.
        "run sort numbers -p 1 --skeleton reduction --profile profile.toml -o out --memory 300KiB",
        "run sort numbers -p 2 --skeleton scatter-gather -o out",
        "reduce --map cat --merge cat numbers --profile profile.toml -o out",
        "farm cat numbers --profile profile.toml -o out",
        "farm cat numbers --profile profile.toml > out",
        "generate numbers 1e6 -o out",
    ] {
        within(line).refused(1, &["ile too large: more than a limit allows (ulimit -f)"]);
        if line.contains('>') {
            std::fs::remove_file(place.path("out")).unwrap();
        }
        assert!(!place.path("out").exists(), "{line}");
        place.assert_clean();
    }
    // Programs that are started meet the limit as ever, and a reader that has gone.
    let said = place.say(["farm", "grep SigIgn: /proc/self/status", "in/0"]).ok().text();
    let ignored = u64::from_str_radix(said.trim_start_matches("SigIgn:").trim(), 16).unwrap();
    for signal in [rustix::process::Signal::XFSZ, rustix::process::Signal::PIPE] {
        assert_eq!(ignored >> (signal.as_raw() - 1) & 1, 0, "{said}");
    }
}

#[test]
fn programs_that_cannot_be_started_in_the_end() {
    let place = place();
    place.script("tool", "no program\n");
    for more in WAYS {
        reduce(&place, "./tool", "cat", more).refused(1, &["./tool", "could not be started"]);
    }
    place.assert_clean();
}

/// Pieces of a file go together, whatever becomes of it; a whole one is the command's.
#[test]
fn an_input_that_is_changed_while_it_runs() {
    let place = place();
    let lines = |n: usize| "a line\n".repeat(n);
    // The system's clock of files goes in steps.
    let put_back = "sleep 0.05; touch -r big/one time; printf b | dd of=big/one conv=notrunc 2> /dev/null; touch -r time big/one; rm time";
    for (change, what) in
        [("echo another >> big/one", "became longer"), (put_back, "was touched, or written to")]
    {
        // One task of several does it.
        let map = format!("cat; mkdir once 2> /dev/null && {{ {change}; }}; true");
        let words =
            ["reduce", "--shell", "--map", &map, "--merge", "cat", "big", "-o", "out", "--grain", "3 kB"];
        for (more, changed) in [(&["--split-lines"][..], true), (&[], false)] {
            place.write("big/one", lines(1000));
            let said = place.say(words.iter().chain(&["--profile", "profile.toml", "-p", "2"]).chain(more));
            if changed {
                let said = said.refused(1, &[what, "while it was being read: leave the inputs alone"]);
                assert!(said.err.contains("big/one ") && !place.path("out").exists(), "{}", said.err);
            } else {
                said.ok();
                assert!(place.text("out").starts_with(&lines(1000)));
                fs::remove_file(place.path("out")).unwrap();
            }
            fs::remove_dir(place.path("once")).unwrap();
            place.assert_clean();
        }
    }
}

#[test]
fn an_input_that_goes_while_it_runs() {
    let place = place();
    // The first task removes the last input.
    let map = "sh -c 'rm -f in/4; cat \"$1\"' sh {}";
    let said = reduce(&place, map, "cat", &["--profile", "profile.toml", "-p", "1"]);
    said.refused(2, &["-p"]);
    let words = ["reduce", "--map", map, "--merge", "cat", "in", "-o", "out", "--grain", "1 B", "-p", "1"];
    place.say(words.iter().chain(WAYS[1])).refused(1, &["in/4", "map"]);
    assert!(!place.path("out").exists());
    place.assert_clean();
}
