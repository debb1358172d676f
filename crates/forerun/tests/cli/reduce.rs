//! `reduce` gives what a sequential pipeline gives, and calls each map command once.

use std::process::Command;

use crate::util::{PROCESSORS, Place, STRATEGIES, finish, numbers, runs_on};

/// A tree of documents; its files in the order in which they are taken.
fn documents(place: &Place) -> Vec<String> {
    let words = ["tree", "pipe", "merge", "rank", "task", "sink", "grain"];
    let mut random = numbers(11);
    let mut draw = |n: u64| (random.next().unwrap() % n) as usize;
    let mut names = Vec::new();
    for i in 0..23 {
        let name = format!("docs/{}/f{i}.{}", ["a", "b", "c/d"][i % 3], ["txt", "md"][i % 2]);
        let text: String =
            (0..draw(40)).map(|_| format!("{} {}\n", words[draw(7)], words[draw(7)])).collect();
        place.write(&name, text);
        names.push(name);
    }
    names.sort();
    names
}

/// What a shell says to `script`.
fn shell(place: &Place, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(place.path("")).env("LC_ALL", "C");
    finish(command).ok().text()
}

#[test]
fn a_merge_that_does_not_commute_keeps_the_order_of_the_files() {
    let place = Place::new();
    place.profile();
    let names = documents(&place);
    let whole = shell(&place, &format!("cat {}", names.join(" ")));
    for strategy in STRATEGIES {
        for p in PROCESSORS.into_iter().filter(|&p| runs_on(strategy, p)) {
            let p = p.to_string();
            let words = ["reduce", "--map", "cat", "--merge", "cat {1} {2}", "docs", "--strategy", strategy];
            let said =
                place.say(words.into_iter().chain(["-p", &p, "--profile", "profile.toml", "--grain", "1 B"]));
            assert!(said.ok().text() == whole, "{strategy} on {p}");
        }
    }
    place.assert_clean();
}

#[test]
fn words_are_counted_as_a_pipeline_counts_them() {
    let place = Place::new();
    documents(&place);
    let counted = shell(
        &place,
        "cat $(find docs -type f) | tr -s '[:space:]' '\\n' | sort | uniq -c | awk '{print $1, $2}' | sort",
    );
    let sorted = |text: String| {
        let mut lines: Vec<_> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines.join("\n") + "\n"
    };
    for strategy in STRATEGIES {
        for p in [1, 2, 5].into_iter().filter(|&p| runs_on(strategy, p)) {
            let p = &p.to_string();
            let said = place.say([
                "reduce",
                "--shell",
                "docs",
                "--commutative",
                "-p",
                p,
                "--strategy",
                strategy,
                "--map",
                "tr -s '[:space:]' '\\n' | sort | uniq -c",
                "--merge",
                "awk '{n[$2] += $1} END {for (w in n) print n[w], w}'",
            ]);
            let got = sorted(said.ok().text().lines().map(|l| format!("{}\n", l.trim())).collect());
            let got: String =
                got.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
            assert_eq!(got, counted, "{strategy} on {p}");
        }
    }
    place.assert_clean();
}

#[test]
fn every_way_of_naming_inputs() {
    let place = Place::new();
    let names = documents(&place);
    let words = |text: String| text.trim().to_string();
    let reduce = |more: &[&str]| {
        let line = ["reduce", "--map", "wc -w", "--merge", "awk '{n += $1} END {print n}'"];
        place.command(line.iter().chain(more))
    };
    let all = words(shell(&place, "cat $(find docs -type f) | wc -w"));
    assert_eq!(words(finish(reduce(&["docs"])).ok().text()), all);
    assert_eq!(words(finish(reduce(&["docs/a", "docs/b", "docs/c"])).ok().text()), all);

    let some = words(shell(&place, "cat $(find docs -name '*.md') | wc -w"));
    assert_eq!(words(finish(reduce(&["docs", "--include", "*.md"])).ok().text()), some);
    assert_eq!(words(finish(reduce(&["docs", "--include", "*.md", "--include=*.txt"])).ok().text()), all);
    finish(reduce(&["docs", "--include", "*.rs"])).refused(2, &["*.rs", "docs"]);

    place.write("list", names.join("\n"));
    assert_eq!(words(finish(reduce(&["--files-from", "list"])).ok().text()), all);
    let mut piped = reduce(&["--files-from", "-"]);
    piped.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    piped.stderr(std::process::Stdio::piped());
    let mut running = crate::util::Running::new(piped);
    running.feed((names.join("\0") + "\0").as_bytes());
    assert_eq!(words(running.end().ok().text()), all);

    finish(reduce(&["docs", "-o", "count"])).ok();
    assert_eq!(words(place.text("count")), all);
    let to_file = finish(reduce(&["docs", "-o", "count", "--json", "-"])).ok();
    assert_eq!(to_file.json()[0]["job"], "reduce");
    place.assert_clean();
}

#[test]
fn large_files_are_cut_at_line_ends() {
    let place = Place::new();
    place.profile();
    let lines: String = numbers(4).take(5_000).map(|x| format!("{x}\n")).collect();
    place.write("big", &lines);
    place.write("small", "one\ntwo");
    let said = place.say([
        "reduce",
        "--map",
        "cat",
        "--merge",
        "cat",
        "--split-lines",
        "big",
        "small",
        "-p",
        "3",
        "--grain",
        "4 kB",
        "--profile",
        "profile.toml",
        "-o",
        "out",
        "--json",
        "-",
    ]);
    let outcome = &said.ok().json()[0];
    assert!(outcome["stages"]["task"]["count"].as_u64().unwrap() > 10, "{outcome}");
    assert!(place.text("out") == lines + "one\ntwo");
}

#[test]
fn a_map_runs_once_for_each_file_though_there_was_a_pilot() {
    let place = Place::new();
    let names = documents(&place);
    for p in ["1", "2", "4"] {
        let log = place.write("log", "");
        let map = format!("sh -c 'for f do echo \"$f\" >> {}; cat \"$f\"; done' sh {{}}", log.display());
        let said = place.say([
            "reduce",
            "--map",
            &map,
            "--merge",
            "cat {1} {2}",
            "docs",
            "-p",
            p,
            "-o",
            "out",
            "--json",
            "-",
        ]);
        let outcome = &said.ok().json()[0];
        let mut seen: Vec<String> = place.text("log").lines().map(str::to_string).collect();
        seen.sort();
        assert_eq!(seen, names, "on {p}");
        let whole = shell(&place, &format!("cat {}", names.join(" ")));
        assert!(place.text("out") == whole, "on {p}");
        assert_eq!(outcome["stages"]["task"]["count"], outcome["plan"]["grain"]["tasks"], "on {p}");
    }
    place.assert_clean();
}

#[test]
fn a_merge_may_change_its_files() {
    let place = Place::new();
    let lines: String = numbers(4).take(150_000).map(|x| format!("{x:019}\n")).collect();
    for i in 0..5 {
        place.write(format!("in/{i}"), &lines);
    }
    // Results this long are in files, of which the run must find its own copies.
    let merge = "sh -c 'cat \"$2\" >> \"$1\"; cat \"$1\"' sh {1} {2}";
    let said = place.say(["reduce", "--map", "cat", "--merge", merge, "in", "-p", "2", "-o", "out"]);
    said.ok();
    assert!(place.text("out") == lines.repeat(5));
    place.assert_clean();
}

#[test]
fn emulated_commands_cost_the_time_that_passes() {
    let place = Place::new();
    place.profile();
    for i in 0..4 {
        place.write(format!("in/{i}"), "x\n");
    }
    // Processes sleep: this thread takes no CPU time, and two ranks run two tasks each.
    let said = place.say([
        "reduce",
        "--map",
        "sh -c 'sleep 0.1; cat'",
        "--merge",
        "cat",
        "in",
        "-p",
        "2",
        "--grain",
        "1 B",
        "--on",
        "emulated",
        "--profile",
        "profile.toml",
        "-o",
        "out",
        "--json",
        "-",
    ]);
    let took = said.ok().json()[0]["makespan_s"].as_f64().unwrap();
    assert!(took >= 0.2, "{took}");
    assert_eq!(place.text("out"), "x\n".repeat(4));
}

#[test]
fn odd_names_and_odd_files() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    let odd: [&[u8]; 6] = [b"-n", b"a\nb", b"\xff\xfe", b"sp ace", b"$(touch HERE)", b"q'\"uote"];
    for name in odd {
        place.write(OsStr::from_bytes(&[b"in/", name].concat()), "x\n");
    }
    for (map, shell) in [("cat {}", false), ("cat", false), ("cat -- \"$@\"", true)] {
        let mut words = vec!["reduce", "--map", map, "--merge", "cat", "in", "--grain", "1 B"];
        if shell {
            words.push("--shell");
        }
        assert_eq!(place.say(words).ok().text(), "x\n".repeat(6), "{map}");
    }
    // Named by themselves too.
    let named = [OsStr::from_bytes(b"\xff\xfe"), OsStr::new("-n")];
    let mut command = place.command(["reduce", "--map", "cat {}", "--merge", "cat", "--"]);
    command.args(named).current_dir(place.path("in"));
    assert_eq!(finish(command).ok().text(), "x\nx\n");
    assert!(!place.path("HERE").exists() && !place.path("in/HERE").exists());

    // Deeper than what a path in one call may have is refused by the system, not by a panic.
    let mut deep = place.path("deep");
    for _ in 0..15 {
        deep = deep.join("d".repeat(250));
    }
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("f"), "y\n").unwrap();
    assert_eq!(place.run("reduce --map cat --merge cat deep").ok().text(), "y\n");
    place.assert_clean();
}

#[test]
fn what_wrote_nothing_is_said() {
    let place = Place::new();
    documents(&place);
    let said = place.run("reduce --map true --merge cat docs --grain 1B").ok();
    assert_eq!(said.text(), "");
    // (Where even `true` is slow, as on a busy machine, the pilot may have given some files to one call.)
    let line = said.err.lines().find(|line| line.contains(" map calls wrote nothing")).unwrap_or(&said.err);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(
        words.len() > 3 && words[1] == words[3] && (12..=23).contains(&words[1].parse().unwrap()),
        "{line}"
    );
}

/// What bash says to `line`, pasted as it stands.
fn paste(place: &Place, line: &str) -> String {
    let dir = std::path::Path::new(crate::util::FORERUN).parent().unwrap();
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let like = place.command([""; 0]);
    let mut command = Command::new("bash");
    command.envs(like.get_envs().filter_map(|(k, v)| Some((k, v?))));
    command.args(["-c", line]).current_dir(place.path("")).env("PATH", path);
    finish(command).ok().text()
}

#[test]
fn the_examples_of_the_help_are_right() {
    let place = Place::new();
    documents(&place);
    let words = shell(&place, "cat $(find docs -type f) | wc -w");
    for page in ["--help", "help reduce"] {
        let help = place.run(page).ok().text();
        let line = help.lines().find(|l| l.trim().starts_with("forerun reduce --map \"awk")).unwrap();
        assert_eq!(paste(&place, line).trim(), words.trim(), "{line}");
    }
    let help = place.run("help reduce").ok().text();
    let line = help.lines().find(|l| l.contains("-o sorted.txt")).unwrap();
    paste(&place, line);
    assert_eq!(place.text("sorted.txt"), shell(&place, "cat $(find docs -type f) | sort"));

    let (_, lines) = help.split_once("each word occurs, with a shell for the pipes:\n").unwrap();
    let got = paste(&place, lines);
    let mut counts: Vec<_> = got.lines().collect();
    counts.sort_unstable();
    let expected = "cat $(find docs -name '*.txt') | tr -s '[:space:]' '\\n' | sort | uniq -c";
    let expected = shell(&place, &format!("{expected} | awk '{{print $1, $2}}' | sort"));
    assert_eq!(counts, expected.lines().collect::<Vec<_>>());
}

/// What several groups have is brought together at the end, whoever says how long that takes.
#[test]
fn emulated_groups_send_what_simulated_ones_do() {
    let place = Place::new();
    let profile = "format = 1\napplication = \"any\"\n[reduction]\ntask = \"1 us\"\nmerge = \"1 us\"\n\
                   result_bytes = \"100 kB\"\n";
    place.write("profile.toml", profile);
    for (strategy, p, groups, tasks) in [
        ("reduction-tree", 6, 3, 24),
        ("parallel-pipeline", 4, 2, 24),
        ("master-slave", 8, 2, 24),
        ("adaptive", 4, 4, 24),
        // Most groups have two tasks, and some one.
        ("adaptive", 33, 33, 64),
        // Some have none.
        ("adaptive", 12, 12, 7),
    ] {
        let of = |on: &str| {
            let line = format!(
                "run tasks {tasks} --size 1kB --profile profile.toml --platform osaka-fast-ethernet -p {p} --groups {groups} \
                 --strategy {strategy} --on {on} --json -"
            );
            place.run(&line).ok().json().as_array().unwrap().last().unwrap().clone()
        };
        let (emulated, simulated) = (of("emulated"), of("simulated"));
        for what in ["messages", "bytes"] {
            assert_eq!(emulated[what], simulated[what], "{what} of {strategy} on {p} in {groups} groups");
        }
        let finish = |of: &serde_json::Value| of["stages"]["finish"]["total_s"].as_f64().unwrap();
        let (emulated, simulated) = (finish(&emulated), finish(&simulated));
        // The results of all groups but one at 100 Mbit/s; the finish itself takes next to nothing.
        assert!(
            simulated > 0.03 && (emulated / simulated - 1.0).abs() < 0.1,
            "{strategy} in {groups} groups: {emulated}, {simulated}"
        );
    }
}

/// What a platform says of starting is charged by every way that predicts.
#[test]
fn emulated_ranks_are_started_as_simulated_ones_are() {
    let place = Place::new();
    let costs = "task = \"1 us\"\nmerge = \"1 us\"\nresult_bytes = \"8 B\"\n";
    place.write("profile.toml", format!("format = 1\napplication = \"any\"\n[reduction]\n{costs}"));
    let network = "[network]\nlatency = \"1 us\"\nbandwidth = \"10 GB/s\"\nwake_up = \"40 s\"\n";
    place.write("p.toml", format!("format = 1\nname = \"p\"\n[[host]]\nname = \"h\"\ncores = 4\n{network}"));
    for on in ["emulated", "simulated"] {
        let line = format!(
            "run tasks 16 --size 1kB -p 4 --profile profile.toml --platform p.toml --by analytic --on {on} --json -"
        );
        let said = place.run(&line).ok().json();
        for outcome in said.as_array().unwrap() {
            // Four are woken, and whoever started them; what is done takes less than a second of work.
            let seconds = outcome["makespan_s"].as_f64().unwrap();
            assert!((200.0..220.0).contains(&seconds), "{on}: {seconds}");
        }
    }
}

/// A rank that waits until there is room for what it sends needs no core meanwhile.
#[test]
fn how_far_ranks_may_be_ahead_makes_no_turns() {
    let place = Place::new();
    let costs = "task = \"10 ms\"\nmerge = \"10 ms\"\nresult_bytes = \"3 kB\"\n";
    place.write("profile.toml", format!("format = 1\napplication = \"any\"\n[reduction]\n{costs}"));
    let network = "[network]\nlatency = \"1 us\"\nbandwidth = \"10 GB/s\"\n";
    place.write("p.toml", format!("format = 1\nname = \"p\"\n[[host]]\nname = \"h\"\ncores = 2\n{network}"));
    for strategy in ["reduction-tree", "master-slave"] {
        for p in [3, 4, 5, 7, 8] {
            let of = |window: u32| {
                let line = format!(
                    "run tasks 64 -p {p} --groups 1 --strategy {strategy} --window {window} --profile profile.toml \
                     --platform p.toml --on simulated --json -"
                );
                place.run(&line).ok().json()[0]["makespan_s"].as_f64().unwrap()
            };
            let (near, far) = (of(4), of(1000));
            assert!((near / far - 1.0).abs() < 0.02, "{strategy} on {p}: {near} and {far}");
        }
    }
}

/// In virtual time every rank has a core of its own; those that are more than the cores of the platform take turns.
#[test]
fn emulated_ranks_take_turns_on_the_cores_that_there_are() {
    let place = Place::new();
    let profile = "format = 1\napplication = \"any\"\n[reduction]\ntask = { fixed = \"1 ms\", spread = 0.2 }\n\
                   merge = \"10 us\"\nresult_bytes = \"8 B\"\n[scatter_gather]\nread = \"1 ns/B\"\n\
                   process = \"100 ns/B\"\nlocal = \"10 ns/B\"\nglobal = \"1 ns/B\"\nwrite = \"1 ns/B\"\nelement = \"4 B\"\n";
    place.write("profile.toml", profile);
    place.write("in", numbers(5).take(40_000).flat_map(u64::to_le_bytes).collect::<Vec<_>>());
    for i in 0..8 {
        place.write(format!("docs/{i}"), "a line\n");
    }
    for cores in [1, 16] {
        let host = format!("[[host]]\nname = \"h\"\ncores = {cores}\n");
        let network = "[network]\nlatency = \"1 us\"\nbandwidth = \"10 GB/s\"\n";
        place.write(format!("{cores}.toml"), format!("format = 1\nname = \"p\"\n{host}{network}"));
    }
    let tasks = "run tasks 64 --size 1kB -p 16";
    for job in [
        tasks,
        "run sort in --type u32 --skeleton reduction --grain 10kB -p 8",
        "run sort in --type u32 --skeleton scatter-gather --block 10kB -p 8",
        "reduce --map cat --merge cat docs --grain 1B -p 8 -o out",
    ] {
        let of = |cores: usize, on: &str| {
            let how = format!("--profile profile.toml --platform {cores}.toml --on {on} --json -");
            place.run(&format!("{job} {how}")).ok().json()[0].clone()
        };
        let seconds = |of: &serde_json::Value| of["makespan_s"].as_f64().unwrap();
        let work = |of: &serde_json::Value| -> f64 {
            let stages = of["stages"].as_object().unwrap().iter();
            // Sending has the wait for room in it.
            let busy = stages.filter(|(name, _)| !["wait", "input", "send"].contains(&name.as_str()));
            busy.map(|(_, stage)| stage["total_s"].as_f64().unwrap()).sum()
        };
        let one = of(1, "emulated");
        assert!(seconds(&one) >= work(&one) * (1.0 - 1e-9), "{job}: {} of {}", seconds(&one), work(&one));
        let predicted = |end: &str| one["predicted"][end].as_f64().unwrap();
        assert_eq!(predicted("makespan_s"), seconds(&one), "{job}");
        if job == tasks {
            assert!(predicted("low_s") < seconds(&one) && seconds(&one) < predicted("high_s"));
            let ratio = seconds(&one) / seconds(&of(1, "simulated"));
            assert!((0.8..1.6).contains(&ratio), "{ratio}");
            // With a core each they do not.
            let many = of(16, "emulated");
            assert!(seconds(&many) < work(&many) / 4.0, "{} of {}", seconds(&many), work(&many));
        }
    }
}

/// Also where the pilot does the whole job, so that nothing of it is left to be cut.
#[test]
fn a_grain_of_more_than_there_is_takes_all_of_it() {
    let place = Place::new();
    place.profile();
    let lines: Vec<String> = (1..=1000).map(|n| format!("{n}\n")).collect();
    place.write("in", lines.concat());
    place.write("two/a", lines[..500].concat());
    place.write("two/b", lines[500..].concat());
    for (map, inputs, split) in [
        ("sort -n {}", "in", None),
        ("sort -n", "in", Some("--split-lines")),
        ("sort -n {}", "two", None),
        ("sort -n", "two", Some("--split-lines")),
        // One name a task.
        ("sort -n ./{}", "two", None),
    ] {
        for grain in ["1kB", "1000TB"] {
            for profile in [&[][..], &["--profile", "profile.toml"]] {
                let words = ["reduce", "--map", map, "--merge", "sort -n -m {1} {2}", inputs, "-o", "out"];
                let more = ["--grain", grain];
                let words = words.iter().chain(&split).chain(&more).chain(profile);
                place.say(words).ok();
                assert_eq!(place.text("out"), lines.concat(), "{map} {inputs} {grain}");
            }
        }
    }
    // A block of scatter-gather as well.
    let numbers: Vec<u8> = (0..1000u32).rev().flat_map(u32::to_le_bytes).collect();
    place.write("numbers", &numbers);
    for how in ["--skeleton reduction --grain", "--skeleton scatter-gather --block"] {
        let said = place.run(&format!("run sort numbers --type u32 -p 2 -o out --json - {how} 1TB")).ok();
        let plan = &said.json()[0]["plan"];
        assert_eq!([&plan["grain"]["tasks"], &plan["grain"]["bytes"]], [1, 4000], "{how}");
        assert!(place.read("out") == (0..1000u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    }
}
