//! `forerun farm`: a command for each of many files; and the applications that run as farms.

use std::collections::BTreeMap;
use std::fs;

use rustix::process::Signal;

use crate::util::{Place, ball, eventually, processes_with};

/// So many files of one line, each its name.
fn files(place: &Place, count: usize) -> String {
    let names = (0..count).map(|i| format!("f{i:03}"));
    names
        .map(|name| fs::read_to_string(place.write(format!("in/{name}"), format!("{name}\n"))).unwrap())
        .collect()
}

#[test]
fn outputs_come_in_the_order_of_the_files() {
    for (count, processors) in [(1, "1"), (2, "2"), (40, "1"), (41, "3"), (100, "auto")] {
        let place = Place::new();
        let expected = files(&place, count);
        let said = place.say(["farm", "cat {}", "in", "-p", processors]).ok();
        assert_eq!(String::from_utf8(said.out).unwrap(), expected, "{count} on {processors}");
        let said = place.say(["farm", "cat", "in", "-p", processors, "-o", "out"]).ok();
        assert_eq!((place.text("out"), said.out.is_empty()), (expected, false));
        place.assert_clean();
    }
}

#[test]
fn unordered_outputs_are_whole_and_all_there() {
    let place = Place::new();
    let expected = files(&place, 60);
    let command = "head -n 1; echo end";
    let said = place.say(["farm", "--shell", command, "in", "--unordered", "-p", "3", "-q"]).ok();
    let text = String::from_utf8(said.out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut firsts: Vec<&str> = lines.chunks(2).map(|pair| pair[0]).collect();
    assert!(lines.chunks(2).all(|pair| pair[1] == "end"), "{text}");
    firsts.sort_unstable();
    assert_eq!(firsts, expected.lines().collect::<Vec<_>>());
}

#[test]
fn a_prediction_stands_beside_the_time_and_in_the_json() {
    let place = Place::new();
    files(&place, 100);
    let said = place.say(["farm", "sleep 0.01", "in", "-p", "2", "-o", "out", "--json", "o.json"]).ok();
    let text = String::from_utf8(said.out).unwrap();
    for label in [
        "pilot     task ",
        "plan      farm on 2 processors with 1 master beside",
        "bound by the slaves",
        "measured",
    ] {
        assert!(text.contains(label), "{label}: {text}");
    }
    let outcomes: serde_json::Value = serde_json::from_str(&place.text("o.json")).unwrap();
    let outcome = &outcomes[0];
    assert_eq!((&outcome["job"], &outcome["plan"]["skeleton"]), (&"farm".into(), &"farm".into()));
    assert_eq!((&outcome["plan"]["farm"]["masters"], &outcome["processors"]), (&1.into(), &2.into()));
    let (predicted, measured) =
        (outcome["predicted"]["makespan_s"].as_f64().unwrap(), outcome["makespan_s"].as_f64().unwrap());
    // Sleeping takes what it takes, on any machine; starting a process takes longer on a busy one.
    assert!(predicted > 0.3 && measured > 0.3 && predicted < 3.0 * measured, "{predicted} {measured}");
    place.run("compare o.json").ok();
    place.run("report o.json -o page.html").ok();
}

/// Tasks that sleep need no core, whatever else runs on the machine: more are planned at a time than there are cores, and it is said why.
#[test]
fn more_tasks_that_wait_are_done_at_a_time_than_there_are_cores() {
    let place = Place::new();
    files(&place, 60);
    // Who reads a program from the disk for the first time does not only wait.
    place.run("farm true in -o out").ok();
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    let said = place.say(["farm", "sleep 0.2", "in", "-o", "out", "--json", "o.json"]).ok();
    let outcomes: serde_json::Value = serde_json::from_str(&place.text("o.json")).unwrap();
    let processors = outcomes[0]["processors"].as_u64().unwrap();
    let text = String::from_utf8(said.out).unwrap();
    if !std::path::Path::new("/proc/self/schedstat").exists() {
        return assert!(processors <= cores, "{text}");
    }
    assert!(processors > cores && processors <= 60, "{text}");
    assert!(text.contains("which takes no core") && text.contains("waiting for"), "{text}");
    // By as many as there are cores it takes as long as these sleep, at least.
    let measured = outcomes[0]["makespan_s"].as_f64().unwrap();
    assert!(processors < 2 * cores || measured < 0.2 * 60.0 / cores as f64, "{measured} {text}");
    // A script for it asks for the cores that there are, and has as many at a time.
    let script = ["plan", "farm", "sleep 0.2", "in", "-o", "out", "--sbatch", "job.sh", "--json", "p.json"];
    place.say(script).ok();
    let plan: serde_json::Value = serde_json::from_str(&place.text("p.json")).unwrap();
    let (planned, script) = (plan["processors"].as_u64().unwrap(), place.text("job.sh"));
    assert!(planned > cores && script.contains(&format!("--processors {planned}")), "{script}");
    assert!(script.contains(&format!("--cpus-per-task={cores}\n")), "{script}");
    assert!(place.run_script("job.sh").text().contains(&format!("farm on {planned} processors")));
    // What is asked for is done.
    let said = place.say(["farm", "sleep 0.01", "in", "-o", "out", "-p", "1"]).ok();
    assert!(String::from_utf8(said.out).unwrap().contains("farm on 1 processor,"));
    // What works has a core.
    let count = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    let said = place.say(["farm", "--shell", count, "in", "-o", "out"]).ok();
    let text = String::from_utf8(said.out).unwrap();
    assert!(!text.contains("which takes no core"), "{text}");
}

/// A file that is most of the job is tried as well, where that takes no time: what does not read its files is not charged by their bytes.
#[test]
fn a_large_file_among_small_ones_is_tried() {
    let place = Place::new();
    files(&place, 60);
    for name in ["f010", "f030", "f055"] {
        place.write(format!("in/{name}"), "a line of text\n".repeat(700_000));
    }
    let of = |command: &str| {
        let said = place.say([
            "predict",
            "farm",
            command,
            "in",
            "-p",
            "1",
            "--write-profile",
            "p.toml",
            "--json",
            "-",
        ]);
        let row = said.ok().json();
        let seconds = |of: &str| row[0]["predicted"][of].as_f64().unwrap();
        (seconds("makespan_s"), seconds("high_s"))
    };
    let (reads, _) = of("gzip -9 -c {}");
    let (looks, high) = of("wc -c {}");
    // 32 MB in 60 tasks; by the byte it would be 60 ms at least, of what is a start of a program each.
    assert!(looks < reads && high < 50.0 * looks, "{looks} {high} {reads}");
    let profile = forerun_platform::Profile::load(place.path("p.toml")).unwrap();
    let task = profile.farm.unwrap().task;
    assert!(1e7 * (task.per_byte + task.wait.per_byte) < 50.0 * (task.fixed + task.wait.fixed), "{task:?}");
}

#[test]
fn a_failing_task_is_tried_again_and_then_ends_the_run_with_its_file() {
    let place = Place::new();
    let expected = files(&place, 30);
    // Fails the first two times for one file.
    let command = r#"[ "$1" != in/f017 ] || { echo x >> tries; [ $(wc -l < tries) -gt 2 ] || { echo bad luck >&2; exit 3; }; }; cat "$1""#;
    let said = place.say(["farm", "--shell", command, "in", "--retries", "2", "-p", "2"]).ok();
    assert_eq!(String::from_utf8(said.out).unwrap(), expected);
    fs::remove_file(place.path("tries")).unwrap();
    let said = place.say(["farm", "--shell", command, "in", "--retries", "1", "-p", "2", "-o", "out"]);
    assert_eq!(said.status.code(), Some(1));
    for part in ["task 17 (in/f017) failed", "bad luck", "exit status 3", "(attempt 2 of 2)"] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert!(!place.path("out").exists());
    place.assert_clean();
}

/// How often each file was begun.
fn begun(place: &Place) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for line in fs::read_to_string(place.path("log")).unwrap_or_default().lines() {
        *times.entry(line.to_owned()).or_default() += 1;
    }
    times
}

#[test]
fn a_killed_run_is_taken_up_where_it_was() {
    // A command that no other test has.
    let command = format!(r#": {}; echo "$1" >> log; sleep 0.02; cat "$1""#, std::process::id());
    let command = command.as_str();
    for unordered in [false, true] {
        let place = Place::new();
        let expected = files(&place, 80);
        let words = ["farm", "--shell", command, "in", "--resume", "journal", "-p", "2", "-o", "out"];
        let words: Vec<&str> = words.into_iter().chain(unordered.then_some("--unordered")).collect();
        let mut running = place.start(&words);
        running.wait_for("some are done", || begun(&place).len() >= 30);
        running.signal(Signal::KILL);
        running.end();
        // A command that had just begun writes its line after its parent is gone.
        eventually("its commands are gone", || processes_with(command).is_empty());
        let before = begun(&place);
        assert!(before.len() < 80 && !place.path("out").exists());
        let said = place.say(&words).ok();
        let text = String::from_utf8(said.out).unwrap();
        let known = text.lines().find_map(|line| line.strip_prefix("resume    ")).expect("it says so");
        let known: usize = known.split(' ').next().unwrap().parse().unwrap();
        // All but those under way when it was killed, or on their way to the journal.
        assert!(known + 4 >= before.len() && known <= before.len(), "{known} of {}", before.len());
        let after = begun(&place);
        assert_eq!(after.len(), 80);
        assert_eq!(after.values().filter(|times| **times > 1).count(), before.len() - known);
        let mut lines: Vec<String> = place.text("out").lines().map(String::from).collect();
        if unordered {
            lines.sort_unstable();
        }
        assert_eq!(lines, expected.lines().collect::<Vec<_>>());
        // Once more: nothing is done, and the result is there again.
        fs::remove_file(place.path("out")).unwrap();
        place.say(&words).ok();
        assert_eq!(begun(&place), after);
        assert_eq!(place.text("out").lines().count(), 80);
        // Another command is another job.
        let said = place.run("farm cat in --resume journal");
        assert_eq!(said.status.code(), Some(2));
        assert!(said.err.contains("the journal is of another command"), "{}", said.err);
    }
}

/// What a user of `make -k` expects: all that can be done is, and the end says what was not.
#[test]
fn a_farm_goes_on_without_tasks_that_fail() {
    // Those that end in 7, until they are mended.
    let command = r#"echo "$1" >> log; case "$1" in *7) [ -e mended ] || { echo bad luck >&2; exit 3; };; esac; cat "$1""#;
    for more in [&[][..], &["--unordered"], &["--resume", "j"], &["--resume", "j", "--unordered"]] {
        let place = Place::new();
        let expected = files(&place, 80);
        let words = ["farm", "--shell", command, "in", "-p", "2", "-o", "out", "--retries", "1", "-k"];
        let words: Vec<&str> = words.iter().chain(more).copied().collect();
        let said = place.say(&words).refused(
            1,
            &["8 of 80 tasks failed, on in/f007, in/f017, in/f027, in/f037, in/f047 and 3 more; the first: ", "bad luck"],
        );
        assert_eq!(
            said.err.contains("the same command again does what is missing"),
            more.contains(&"--resume")
        );
        assert!(said.text().contains("; 8 tasks failed"), "{}", said.text());
        let sorted = |text: String| -> Vec<String> {
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            if more.contains(&"--unordered") {
                lines.sort_unstable();
            }
            lines
        };
        let of = |mended: bool| -> Vec<String> {
            expected.lines().filter(|line| mended || !line.ends_with('7')).map(String::from).collect()
        };
        assert_eq!(sorted(place.text("out")), of(false), "{more:?}");
        assert!(begun(&place).iter().all(|(file, times)| *times == if file.ends_with('7') { 2 } else { 1 }));
        place.write("mended", "");
        fs::remove_file(place.path("log")).unwrap();
        place.say(&words).ok();
        assert_eq!(sorted(place.text("out")), of(true), "{more:?}");
        let again = if more.contains(&"--resume") { 8 } else { 80 };
        assert_eq!(begun(&place).len(), again, "{more:?}");
        place.assert_clean();
    }
    // Where all fail, so do those of the pilot; and a plan runs a pilot as well.
    let place = Place::new();
    files(&place, 30);
    place.run("farm false in -k -o out").refused(1, &["30 of 30 tasks failed"]);
    assert_eq!(place.text("out"), "");
    place.run("predict farm false in -k -p 2").refused(2, &["nothing to predict"]);
    place
        .run("farm false in/f001 -k")
        .refused(1, &["1 of 1 task failed: task command `false` failed on in/f001"]);
    place.assert_clean();
}

/// A journal holds for each file by itself.
#[test]
fn only_files_that_have_changed_are_done_again() {
    let command = r#"echo "$1" >> log; cat "$1""#;
    let place = Place::new();
    files(&place, 20);
    let words = ["farm", "--shell", command, "in", "--resume", "j", "-o", "out", "-p", "2"];
    place.say(words).ok();
    fs::remove_file(place.path("log")).unwrap();
    place.write("in/f003", "another\n");
    place.write("in/f020", "new\n");
    fs::remove_file(place.path("in/f005")).unwrap();
    let said = place.say(words).ok().text();
    assert!(
        said.contains("in/f003 has changed since its output went into the journal, and is done again"),
        "{said}"
    );
    assert!(said.contains("the journal has 1 output of files that are not among these"), "{said}");
    assert!(said.contains("18 of 20 tasks were finished before"), "{said}");
    assert_eq!(begun(&place).keys().collect::<Vec<_>>(), ["in/f003", "in/f020"]);
    let expected = (0..21).filter(|i| *i != 5).map(|i| match i {
        3 => "another\n".into(),
        20 => "new\n".into(),
        i => format!("f{i:03}\n"),
    });
    assert_eq!(place.text("out"), expected.collect::<String>());
    // Nothing is left to do.
    fs::remove_file(place.path("log")).unwrap();
    let said = place.say(words).ok().text();
    assert!(begun(&place).is_empty() && !said.contains("has changed"), "{said}");
    for i in 10..20 {
        place.write(format!("in/f{i:03}"), "all others\n");
    }
    let said = place.say(words).ok().text();
    let named = "in/f010, in/f011, in/f012, in/f013, in/f014 and 5 more have changed since their output";
    assert!(said.contains(named), "{said}");
    place.assert_clean();
}

/// What a task leaves behind with its standard output is waited for, which is said; and no longer than a task may take.
#[test]
fn what_is_left_behind_is_waited_for_and_said() {
    let place = Place::new();
    place.write("in/one", "x\n");
    let words = ["farm", "--shell", "(sleep 7; echo late) & echo early", "in/one"];
    let said = place.say(words).ok();
    assert_eq!(String::from_utf8_lossy(&said.out), "early\nlate\n");
    let told = "has ended, but what it started still has its standard output open";
    assert!(said.err.contains(told) && said.err.contains("on in/one"), "{}", said.err);
    let said = place.say(["farm", "--shell", "sleep 1000 & echo early", "in/one", "--timeout", "1 s"]);
    said.refused(1, &["after 1 s, the time allowed (--timeout)"]);
    place.assert_clean();
}

#[test]
fn farms_are_planned_and_predicted_and_leave_nothing() {
    let place = Place::new();
    for i in 0..40 {
        place.write(format!("in/{i}"), "one\n");
    }
    let planned = place.run("plan mandelbrot --size 120x80 --json -").ok().json();
    assert_eq!((&planned["skeleton"], &planned["grain"]["tasks"]), (&"farm".into(), &80.into()));
    let told = |words: &[&str]| place.say(words).ok().json().as_array().unwrap().clone();
    let seconds = |o: &serde_json::Value| o["makespan_s"].as_f64().unwrap();
    let predicted = told(&["predict", "mandelbrot", "--size", "120x400", "-p", "1,2", "--json", "-"]);
    // Which of the two is shorter is this machine's business.
    assert_eq!(predicted.len(), 2);
    assert!(predicted.iter().all(|o| seconds(o) > 0.0), "{predicted:?}");
    // A command that waits, on more processors; what it writes goes nowhere.
    let command = ["predict", "farm", "--shell", "sleep 0.02; cat", "in", "-p", "1,2"];
    let predicted = told(&[&command[..], &["--resume", "j", "-o", "o", "--json", "-"]].concat());
    assert!(seconds(&predicted[0]) > 40.0 * 0.02 && seconds(&predicted[1]) > 20.0 * 0.02, "{predicted:?}");
    place.run("predict farm cat in/1").refused(2, &["nothing to predict", "too few tasks"]);
    for left in ["mandelbrot.png", "j", "o"] {
        assert!(!place.path(left).exists(), "{left}");
    }
    place.assert_clean();
}

/// What the master takes for outputs of megabytes: tried where they go, in the profile, and what bounds the plan where it is most.
#[test]
fn outputs_of_megabytes_are_in_what_is_predicted() {
    let place = Place::new();
    files(&place, 24);
    let profile = |name: &str| toml::from_str::<toml::Value>(&place.text(name)).unwrap()["farm"].clone();
    for (more, processors) in [
        (&["-o", "out"][..], "1"),
        (&["-o", "out", "--unordered"], "2"),
        (&["-o", "out", "--resume", "j"], "2"),
        // To a pipe.
        (&[], "2"),
    ] {
        let command =
            ["farm", "head -c 4000000 /dev/zero", "in", "-p", processors, "--write-profile", "p.toml"];
        place.say([&["plan"], &command[..], more].concat()).ok();
        assert!(!place.path("out").exists() && !place.path("j").exists(), "nothing of a plan is left");
        let planned = profile("p.toml");
        assert!(planned["sink"].as_table().is_some_and(|sink| sink.contains_key("per_byte")), "{planned}");
        assert_eq!(planned["result_bytes"]["fixed"].as_str(), Some("4000000 B"), "{planned}");
        place.say([&command[..], more, &["-q"]].concat()).ok();
        assert!(profile("p.toml")["sink"].get("per_byte").is_some(), "{more:?}");
        for left in ["out", "j"] {
            let _ = fs::remove_file(place.path(left));
        }
        place.assert_clean();
    }
    // 1 ms each, and 4 ms for the master: however many do tasks, and however many cores they share.
    place.write(
        "sink.toml",
        "format = 1\napplication = \"farm\"\nsource = \"made\"\n[farm]\ntask = \"1 ms\"\n\
         sink = { per_byte = \"1 ns/B\" }\nresult_bytes = \"4 MB\"\n",
    );
    for processors in ["1", "2", "3"] {
        let words = ["predict", "farm", "cat", "in", "--profile", "sink.toml", "-p", processors];
        let words = [&words[..], &["--by", "analytic,simulated", "--json", "-"]].concat();
        let predicted = place.say(words).ok().json();
        let seconds: Vec<f64> =
            predicted.as_array().unwrap().iter().map(|o| o["makespan_s"].as_f64().unwrap()).collect();
        // Of 24 tasks, with what this machine takes for messages; without the master's part 24 ms.
        assert!(seconds.len() == 2 && seconds.iter().all(|s| (0.096..0.2).contains(s)), "{seconds:?}");
        let reason = predicted[0]["plan"]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("output"), "{reason}");
    }
}

/// Messages between whose hosts cost so much that no second processor is of use, and those of a usual network.
fn platforms(place: &Place) {
    for (name, gap, latency) in [("far", "5 ms", "1 ms"), ("near", "1 us", "1 us")] {
        place.write(
            format!("{name}.toml"),
            format!(
                "format = 1\nname = \"{name}\"\n[network]\nbandwidth = \"1 Gbit/s\"\nlatency = \"{latency}\"\n\
                 send_overhead = \"1 us\"\nreceive_overhead = \"1 us\"\ngap = \"{gap}\"\n\
                 [[host]]\nname = \"h\"\ncount = 8\ncores = 1\n"
            ),
        );
    }
}

#[test]
fn a_plan_is_the_shortest_prediction_one_processor_included() {
    let place = Place::new();
    platforms(&place);
    let picture = "mandelbrot --size 64x600 --iterations 5000 --tasks-per-message 1";
    for platform in ["far", "near"] {
        let of = |verb: &str, more: &str| {
            place.run(&format!("{verb} {picture} --platform {platform}.toml --json - {more}")).ok().json()
        };
        let rows = of("predict", "-p 1,2,3,4,5,6,7,8");
        let seconds = |o: &serde_json::Value| o["makespan_s"].as_f64().unwrap();
        let best = rows.as_array().unwrap().iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b))).unwrap();
        let plan = of("plan", "");
        // Each has a pilot of its own; only where much is between them, both must say the same.
        match platform {
            "far" => assert_eq!((&plan["processors"], &best["processors"]), (&1.into(), &1.into())),
            _ => assert!(plan["processors"].as_u64().unwrap() > 3, "{plan}"),
        }
    }
    let said = place.run(&format!("plan {picture} --platform far.toml")).ok().text();
    assert!(said.contains("farm on 1 processor,") && said.contains("8 processors would take"), "{said}");
    // What is asked for is planned.
    let plan = place.run(&format!("plan {picture} --platform far.toml -p 3 --json -")).ok().json();
    assert_eq!((&plan["processors"], &plan["farm"]["masters"]), (&3.into(), &1.into()));
    place.run(&format!("plan {picture} --platform far.toml --masters 3")).ok();
}

/// That tasks are left is said where some were done before.
#[test]
fn tasks_are_left_where_a_run_was_taken_up_again() {
    let place = Place::new();
    for i in 0..12 {
        place.write(format!("in/{i:02}"), "1\n");
    }
    let fresh = place.run("plan farm cat in").ok().text();
    assert!(fresh.contains(", 12 tasks\n") && !fresh.contains("left"), "{fresh}");
    let words = |resume: &[&'static str]| {
        let command = "case \"$1\" in *07) test -e ok;; esac && cat \"$1\"";
        [&["farm", "--shell", command, "in", "-o", "out", "-p", "1"], resume].concat()
    };
    place.say(words(&["--resume", "j"])).refused(1, &["07"]);
    place.write("ok", "");
    let again = place.say(words(&["--resume", "j"])).ok().text();
    assert!(again.contains("were finished before") && again.contains(" left"), "{again}");
    let fresh = place.say(words(&[])).ok().text();
    assert!(!fresh.contains(" left"), "{fresh}");
}

#[test]
fn rows_are_those_processors_that_were_asked_for() {
    let place = Place::new();
    platforms(&place);
    for (asked, masters, expected) in
        [("-p 1,2,4,8", "1", vec![1, 2, 4, 8]), ("", "1", vec![1, 2, 4, 8]), ("", "2", vec![4, 8])]
    {
        let line =
            format!("predict mandelbrot --size 64x200 --platform near.toml {asked} --masters {masters}");
        let rows = place.run(&format!("{line} --json -")).ok().json();
        let processors: Vec<u64> =
            rows.as_array().unwrap().iter().map(|o| o["processors"].as_u64().unwrap()).collect();
        assert_eq!(processors, expected, "{line}");
        let said = place.run(&line).ok().text();
        assert!(said.contains(if masters == "1" { ", 7 slaves" } else { ", 6 slaves" }), "{said}");
    }
}

#[test]
fn of_so_few_tasks_that_none_is_tried_nothing_is_predicted_and_it_is_said_why() {
    let place = Place::new();
    place.write("in/one", "1\n");
    let said = place.run("farm cat in -o out --resume j").ok().text();
    for part in ["farm on 1 processor, 1 task\n", "too few tasks are left to try some", "nothing predicted"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = place.run("farm cat in -o out --resume j").ok().text();
    assert!(said.contains("no task is left, so that nothing is predicted"), "{said}");
    assert!(!said.contains("too few"), "{said}");
    place.run("predict farm cat in --resume j").refused(2, &["all tasks are done"]);
    // What one of the ways predicts is not nothing.
    let dynamic = "run mandelbrot --size 64x300 --masters dynamic --by simulated -o of.png";
    let said = place.run(dynamic).ok().text();
    assert!(said.contains("measured") && !said.contains("nothing predicted"), "{said}");
}

#[test]
fn farms_are_predicted_by_each_way() {
    let place = Place::new();
    let of = |line: &str| place.run(&format!("{line} --size 120x600 --json -")).ok().json();
    let ways = |told: &serde_json::Value| -> Vec<(String, u64)> {
        let way = |o: &serde_json::Value| {
            (o["way"].as_str().unwrap().to_owned(), o["processors"].as_u64().unwrap())
        };
        told.as_array().unwrap().iter().map(way).collect()
    };
    let told = of("predict mandelbrot --by analytic,simulated,pepa -p 1,2");
    let expected = [("analytic", 1), ("simulated", 1), ("analytic", 2), ("simulated", 2), ("pepa", 2)];
    assert_eq!(ways(&told), expected.map(|(way, p)| (way.to_owned(), p)));
    let planned = of("plan mandelbrot --by simulated -p 2");
    assert_eq!(ways(&planned["predictions"]), [("simulated".to_owned(), 2)]);
    let told = of("run mandelbrot --by analytic,simulated -p 2 -o of.png");
    assert_eq!(ways(&told)[..2], [("analytic".to_owned(), 2), ("simulated".to_owned(), 2)]);
    assert_eq!(told.as_array().unwrap().len(), 3);
    // Masters that change have no closed form, and a time nevertheless.
    let dynamic = "predict mandelbrot --size 120x600 --masters dynamic -p 2";
    place.run(dynamic).refused(2, &["nothing to predict", "--by simulated"]);
    let told = of("predict mandelbrot --masters dynamic -p 2 --by simulated");
    assert!(told[0]["makespan_s"].as_f64().unwrap() > 0.0, "{told}");
}

/// What --write-profile writes of a farm, --profile reads: nothing is tried then, and the plan is the same.
#[test]
fn a_farm_is_planned_by_the_profile_that_it_wrote() {
    let place = Place::new();
    files(&place, 40);
    for job in ["farm cat in".to_string(), "mandelbrot --size 200x200 --iterations 50".to_string()] {
        place.run(&format!("plan {job} -p 2 --write-profile farm.toml")).ok();
        let plan = |name: &str| {
            place
                .run(&format!("plan {job} -p 2 --profile farm.toml --write-profile again.toml --json {name}"))
                .ok()
        };
        let (one, two) = (plan("one.json"), plan("two.json"));
        for said in [&one, &two] {
            assert!(!said.err.contains("pilot ") && !said.text().contains("pilot "), "{}", said.err);
        }
        assert_eq!(place.read("farm.toml"), place.read("again.toml"));
        let shape = |name: &str| -> serde_json::Value { serde_json::from_slice(&place.read(name)).unwrap() };
        assert_eq!(
            shape("one.json")["predicted"]["makespan_s"],
            shape("two.json")["predicted"]["makespan_s"]
        );
        place.run(&format!("predict {job} -p 1,2 --profile farm.toml --by analytic,simulated")).ok();
    }
    let said = place.run("farm cat in --profile farm.toml");
    said.refused(2, &["farm.toml", "\"mandelbrot\"", "\"farm\""]);
    place.run("plan farm cat in -p 2 --write-profile farm.toml").ok();
    let said = place.run("farm cat in --profile farm.toml").ok();
    assert!(!said.err.contains("pilot ") && said.text().lines().count() > 0, "{}", said.err);
    let with = |farm: &str| place.write("odd.toml", format!("format = 1\napplication = \"any\"\n{farm}"));
    for (costs, words) in [
        ("[reduction]\ntask = \"1 s\"\nmerge = \"1 s\"\nresult_bytes = \"1 B\"\n", "no costs of a farm"),
        ("[farm]\ntask = { per_byte = \"1 ns/B\" }\nresult_bytes = \"1 B\"\n", "not by the byte"),
        ("[farm]\ntask = { wait = { per_byte = \"1 ns/B\" } }\nresult_bytes = \"1 B\"\n", "not by the byte"),
    ] {
        with(costs);
        // Tasks of files have bytes.
        let job = if words == "not by the byte" { "mandelbrot --size 40x30" } else { "farm cat in" };
        for verb in ["plan", "predict", "run"] {
            place.run(&format!("{verb} {job} --profile odd.toml")).refused(2, &["--profile odd.toml", words]);
        }
    }
    // A task has one result.
    with("[farm]\ntask = { per_result = \"3 s\" }\nresult_bytes = \"1 B\"\n");
    place.run("plan farm cat in -p 1 --profile odd.toml --json odd.json").ok();
    let odd: serde_json::Value = serde_json::from_slice(&place.read("odd.json")).unwrap();
    assert!(odd["predicted"]["makespan_s"].as_f64().unwrap() > 119.0, "{odd}");
}

/// Of the tasks in a message there are no more than are left.
#[test]
fn a_message_has_no_more_tasks_than_there_are() {
    let place = Place::new();
    for file in 0..30 {
        place.write(format!("in/{file}"), "x\n");
    }
    let farm = "[farm]\ntask = { fixed = \"100 ms\" }\nresult_bytes = { fixed = \"2 B\" }\n";
    place.write("costs.toml", format!("format = 1\napplication = \"farm\"\n{farm}"));
    for (in_one, expected) in [(99_999_999_999u64, 3.0), (1000, 3.0), (23, 2.3), (16, 1.6), (15, 1.5)] {
        let by = "--profile costs.toml --by analytic,simulated --json o.json";
        place.run(&format!("predict farm cat in -p 2 --tasks-per-message {in_one} {by}")).ok();
        let outcomes: serde_json::Value = serde_json::from_str(&place.text("o.json")).unwrap();
        for outcome in outcomes.as_array().unwrap() {
            let found = outcome["makespan_s"].as_f64().unwrap();
            assert!((found / expected - 1.0).abs() < 0.02, "{in_one}: {found} for {expected}: {outcome}");
        }
    }
}

/// Empty files among others, for which a program says nothing, or most of all.
#[test]
fn empty_files_are_tasks_like_others() {
    let place = Place::new();
    let large = "x".repeat(99_999) + "\n";
    for file in 0..12 {
        place.write(format!("few/{file:02}"), if file == 5 || file == 8 { large.as_str() } else { "" });
        place.write(
            format!("one/{file:02}"),
            if file == 3 { "" } else { &large[large.len() - 1000 * file - 2..] },
        );
    }
    for ranks in [1, 2, 3, 5, 7, 12] {
        for (of, bytes) in
            [("few", 200_000), ("one", (0..12).filter(|&f| f != 3).map(|f| 1000 * f + 2).sum())]
        {
            place.run(&format!("farm cat {of} -p {ranks} -o out --by analytic,simulated")).ok();
            assert_eq!(place.text("out").len(), bytes, "{of} on {ranks}");
            place.run(&format!("predict farm cat {of} -p {ranks}")).ok();
        }
    }
}

/// Wherever the largest comes, it takes what its bytes do, and who has it is the last that is ready or not.
#[test]
fn files_of_different_sizes_cost_by_the_byte() {
    let place = Place::new();
    let large: String = "x".repeat(999) + "\n";
    for (file, text) in [("a", "x\n"), ("b", &large), ("c", "x\n")] {
        place.write(format!("in/{file}"), text);
    }
    let farm = "[farm]\ntask = { fixed = \"100 ms\", per_byte = \"1 ms/B\" }\nresult_bytes = { fixed = \"0 B\", per_byte = 1.0 }\n";
    place.write("by-bytes.toml", format!("format = 1\napplication = \"farm\"\n{farm}"));
    for (files, expected) in [("in/a in/b in/c", 1.1), ("in/b in/a in/c", 1.1), ("in/a in/c in/b", 1.202)] {
        let by = "--profile by-bytes.toml --by analytic,simulated --json o.json";
        place.run(&format!("predict farm cat {files} -p 1,2 {by}")).ok();
        let outcomes: serde_json::Value = serde_json::from_str(&place.text("o.json")).unwrap();
        for outcome in outcomes.as_array().unwrap() {
            let one = outcome["processors"] == 1;
            let (found, expected) =
                (outcome["makespan_s"].as_f64().unwrap(), if one { 1.304 } else { expected });
            assert!((found / expected - 1.0).abs() < 0.01, "{files}: {found} for {expected}: {outcome}");
        }
    }
    let said = place.run("farm cat in --profile by-bytes.toml -p 1 -o out").ok();
    assert!(said.text().contains("predicted") || said.err.contains("100 ms + "), "{}", said.err);
}

#[test]
fn a_mandelbrot_set_becomes_a_picture() {
    let place = Place::new();
    let said = place.run("run mandelbrot --size 120x80 -o set.png --json o.json").ok();
    assert!(String::from_utf8(said.out).unwrap().contains("set.png: "));
    assert_eq!(&place.read("set.png")[..8], b"\x89PNG\r\n\x1a\n");
    place
        .run("run mandelbrot --centre=0,1 --width 1e-50 --size 40x30 --iterations 2000 -p 1 -o deep.png")
        .ok();
    for (line, said) in [
        ("--size 12 -o a.png", "--size 12: expected points a row and rows"),
        ("--centre 3 -o a.png", "expected RE,IM"),
        ("--centre=x,0 -o a.png", "`x` is no number"),
        ("--width 0 -o a.png", "--width 0: the part of the plane is 1e-280 to 1000 wide"),
        ("--width 1e9 -o a.png", "--width 1e9: the part"),
        ("--size 0x5 -o a.png", "--size 0x5: expected 1 to 65536"),
        ("-o no/a.png", "no/a.png"),
    ] {
        let refused = place.run(&format!("run mandelbrot {line}"));
        assert_eq!(refused.status.code(), Some(2), "{line}");
        assert!(refused.err.contains(said), "{line}: {}", refused.err);
    }
    place.assert_clean();
}

#[test]
fn a_hip_has_a_range_of_motion() {
    let place = Place::new();
    // A head, a knee far below, and a pelvis to the side of the thigh's way: in the frame of the joint.
    let head = ball(22.0, [0.0; 3], 20);
    let knee = ball(20.0, [0.0, -380.0, 20.0], 12);
    place.write("femur.stl", head + &knee);
    place.write("pelvis.stl", ball(40.0, [0.0, 60.0, -60.0], 16) + &ball(30.0, [330.0, -190.0, 20.0], 16));
    let line =
        "run hip --femur femur.stl --pelvis pelvis.stl --rotation 0:0:1 --abduction 0:0:1 --flexion -20:90:5";
    let said = place.run(&format!("{line} -o motion.csv --svg motion.svg")).ok();
    let text = String::from_utf8(said.out).unwrap();
    // The knee meets a ball that is 60 degrees to the front.
    assert!(text.contains("head of 22.0 mm radius") && text.contains("flexion -20° to 50°"), "{text}");
    assert!(place.text("motion.svg").contains("most internal rotation"));
    let table = place.text("motion.csv");
    assert_eq!(table.lines().count(), 1 + 23);
    assert!(
        table.contains("55,0,0,0\n") && table.contains("0,0,0,1\n") && table.contains("90,0,0,1\n"),
        "{table}"
    );
    place.write("text.stl", "solid x\nvertex 1 2\n");
    for (line, said) in [
        ("--femur text.stl --pelvis pelvis.stl", "line 2: `vertex` is followed by three numbers"),
        ("--femur none.stl --pelvis pelvis.stl", "none.stl does not exist"),
        ("--femur pelvis.stl --pelvis pelvis.stl", "no femoral head is found"),
        ("--femur femur.stl --pelvis pelvis.stl --head 30", "expected more than the head's radius"),
        ("--femur femur.stl --pelvis pelvis.stl --flexion 1:2", "expected FROM:TO:STEP"),
        ("--femur femur.stl --pelvis pelvis.stl --pelvis-centre=0,440,0", "from the middle of the joint"),
    ] {
        let refused = place.run(&format!("run hip {line}"));
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", refused.err);
        assert!(refused.err.contains(said), "{line}: {}", refused.err);
    }
    place.assert_clean();
}
