//! Requests that cannot be met: one sentence, status 2, nothing measured, run or written.

use std::process::Stdio;

use crate::util::{Place, Running, home};

/// What is wrong with the words of a command line.
#[test]
fn options_that_cannot_be() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 4_000]);
    for (line, words) in [
        ("run sort in -p 0", &["--processors", "at least 1"][..]),
        ("run sort in -p many", &["many", "number of processors"]),
        ("predict sort in -p 2,0", &["--processors", "at least 1"]),
        ("predict sort in -p 2,x", &["'x'", "number of processors"]),
        ("predict sort in --by luck", &["luck", "analytic, simulated or pepa"]),
        ("run sort in --on paper", &["paper", "threads, mpi, emulated or simulated"]),
        ("run sort in --strategy fast", &["fast", "parallel-pipeline", "adaptive"]),
        ("run sort in -p 4 --groups 3", &["--groups 3", "4 processors", "divisor"]),
        ("run sort in -p 4 --groups 0", &["--groups 0", "at least 1"]),
        ("run sort in --arity 1", &["--arity 1", "at least 2"]),
        ("run sort in --window 0", &["--window 0", "at least 1"]),
        ("run sort in --set 0", &["--set 0", "at least 1"]),
        ("run sort in -p 18446744073709551615", &["--processors", "at most"]),
        ("run sort in --arity 18446744073709551615", &["--arity", "at most"]),
        ("run sort in --set 18446744073709551615", &["--set", "at most"]),
        ("run sort in --window 18446744073709551615", &["--window", "at most"]),
        ("run sort in --skeleton scatter-gather --ahead 999999999", &["--ahead 999999999", "at most"]),
        ("run sort in --groups 18446744073709551615 -p 2", &["--groups", "divisor of 2"]),
        ("run sort in --memory 18446744073709551615B", &["--memory", "too large"]),
        ("run sort in --repeat 0", &["--repeat 0", "at least once"]),
        ("run sort in --grain 10", &["--grain 10", "unit", "KiB"]),
        ("run sort in --grain 0B", &["--grain 0B", "at least 1 B"]),
        ("farm cat in --retries -1", &["--retries", "expected 0 to 1000"]),
        ("farm cat in --prefetch -1", &["--prefetch", "expected 1 to 1024"]),
        ("farm cat in --masters 9 -p 2", &["--masters 9", "--processors gives 2"]),
        ("map in --at-least abc", &["--at-least", "expected a number"]),
        ("run sort in --grain=-1B", &["--grain -1B"]),
        ("run sort in --memory 1", &["--memory 1", "unit"]),
        ("run sort in --memory 1kB", &["--memory 1kB", "at least 64 KiB"]),
        ("run sort in --type text", &["--type text", "i32", "lines"]),
        ("plan sort in --max-processors 0", &["--max-processors 0", "at least 1"]),
        ("plan sort in --max-processors 2 -p 4", &["--processors 4", "--max-processors 2"]),
        ("run tasks 10", &["--profile"]),
        ("run sort", &["required", "<FILE>", "forerun run sort --help"]),
        ("predict tasks 5 --proces 3", &["--proces", "--processors", "--help"]),
        ("predict tasks 0 --profile profile.toml", &["nothing to predict"]),
        ("plan tasks 0 --profile profile.toml", &["nothing to predict"]),
        ("run tasks 0 --profile profile.toml", &["nothing to predict"]),
        ("run tasks 0 --profile profile.toml --by simulated", &["nothing to predict"]),
        ("run tasks 0 --profile profile.toml --on emulated", &["nothing to predict"]),
        ("run tasks 0 --profile profile.toml --on simulated", &["nothing to predict"]),
        (
            "run tasks 0 --profile profile.toml --on simulated --skeleton scatter-gather",
            &["nothing to predict"],
        ),
        ("predict tasks 0 --profile profile.toml --efficiency 0.5", &["nothing to predict"]),
        (
            "plan tasks 5 --profile profile.toml --platform nonesuch",
            &["nonesuch", "\"this\" for this machine"],
        ),
        ("predict tasks 5 --profile profile.toml --efficiency 0", &["0.8 or 80%"]),
        ("run tasks 70000000 --profile profile.toml", &["--on simulated"]),
        ("run tasks 99999999 --profile profile.toml", &["forerun predict tasks", "by analytic"]),
        ("predict tasks 10 --size 5 --profile profile.toml", &["--size 5", "unit"]),
        ("predict tasks 10 --size 9EB --profile profile.toml", &["--size 9EB", "10 tasks", "more than"]),
        (
            "predict tasks 1 --size 9EB --profile profile.toml --json -",
            &["--size 9EB", "1 task", "more than"],
        ),
        ("run tasks 10 --size 9EB --profile profile.toml", &["--size 9EB", "10 tasks", "more than"]),
        (
            "plan tasks 10 --size 9EB --skeleton scatter-gather --profile profile.toml",
            &["--size 9EB", "10 tasks", "more than"],
        ),
        ("predict tasks 10 --grain 1kB --profile profile.toml", &["--grain 1kB", "--size"]),
        ("run tasks 10 --grain 1B --profile profile.toml", &["--grain 1B", "--size"]),
        ("plan tasks 10 --grain 1kB --size 2kB --profile profile.toml", &["--grain 1kB", "--size 2kB"]),
        ("reduce --map cat --merge cat", &["no input", "--files-from"]),
        ("reduce --map cat --merge cat in ./in", &["./in is given twice"]),
        ("farm cat in in", &["in is given twice"]),
        ("lsi build in in -o model", &["in is given twice"]),
        ("run mandelbrot -o a.JPG", &["a.JPG", "PNG", "a.png"]),
        ("run hip --flexion 0:10:0 --femur in --pelvis in", &["--flexion", "the step 0", "0:10:2"]),
        ("reduce --map cat --merge cat --timeout 3 in", &["--timeout 3", "unit"]),
        ("reduce --map cat --merge cat --timeout 0s in", &["--timeout 0s", "every command takes longer"]),
        ("farm cat --timeout 0ms in", &["--timeout 0ms", "every command takes longer"]),
        ("reduce --map cat --merge cat --max-output 3 in", &["--max-output 3", "unit"]),
        ("reduce --map nonesuch --merge cat in", &["map command", "nonesuch", "PATH"]),
        ("reduce --map cat --merge ./in in", &["merge command", "./in", "chmod +x"]),
        ("reduce --map cat --merge /nowhere/x in", &["/nowhere/x", "does not exist"]),
        ("farm cat in --resume .", &["--resume .", "it is a directory: name a file"]),
        ("calibrate --quick --storage /proc", &["--storage /proc", "no file can be made in it"]),
        ("calibrate --quick --storage nowhere", &["--storage nowhere", "no such file or directory"]),
        ("reduce --map {} --merge cat in", &["map command", "placeholder"]),
        ("reduce --map cat --merge cat --tmp nowhere in", &["nowhere", "--tmp"]),
        ("reduce --map cat --merge cat --include [ in", &["["]),
        ("generate numbers ten -o out", &["ten", "1e6"]),
        ("generate numbers 10 -o out --type i8", &["--type i8", "f64"]),
        ("sing", &["sing"]),
    ] {
        let said = place.run(line).refused(2, words);
        // What is in doubt of this machine is said beside it.
        let in_doubt = |line: &str| line.contains("the figures of this-machine may be off: ");
        assert!(said.text().lines().all(in_doubt), "{line}: {}", said.text());
        let lines: Vec<&str> = said.err.lines().filter(|line| !in_doubt(line)).collect();
        assert!(matches!(lines[..], [one] if one.starts_with("forerun: ")), "{}", said.err);
    }
    assert!(!place.path("out").exists() && !place.path("in.sorted").exists());
    place.assert_clean();
}

/// Plans that only the job rules out.
#[test]
fn plans_that_cannot_be() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 4_000]);
    place.write("large", vec![1; 1_000_000]);
    for (line, words) in [
        ("run sort large --memory 1MB --grain 1000TB", &["--grain", "at most", "909 TiB are asked"][..]),
        ("run sort in --grain 1B", &["--grain", "at least 4 B", "1 B are asked"]),
        ("run sort in -p 3 --groups 1 --arity 2 --strategy parallel-pipeline", &["3", "power"]),
        ("run sort in -p 4 --groups 1 --arity 3 --strategy parallel-pipeline", &["4", "power"]),
    ] {
        place.run(&format!("{line} --profile profile.toml")).refused(2, words);
    }
    assert!(!place.path("in.sorted").exists());
}

/// Where there is less work than processors, that is no fault.
#[test]
fn far_more_processors_than_tasks() {
    let place = Place::new();
    place.write("in", 7i32.to_le_bytes());
    for strategy in ["reduction-tree", "master-slave", "adaptive"] {
        place.run(&format!("run sort in -p 1000 --strategy {strategy}")).ok();
        assert_eq!(place.read("in.sorted"), 7i32.to_le_bytes());
    }
    place.run("run sort in -p 512 --strategy parallel-pipeline --groups 1").ok();
    assert_eq!(place.read("in.sorted"), 7i32.to_le_bytes());
}

#[test]
fn files_that_are_no_platform_profile_or_outcomes() {
    let place = Place::new();
    place.write("in", vec![1; 4_000]);
    let binary: Vec<u8> = (0..=255).cycle().take(3_000).collect();
    for (name, bytes) in [
        ("other.toml", &b"format = 99\n"[..]),
        ("key.toml", b"format = 1\nnonsense = 1\n"),
        ("empty.toml", b""),
        ("no.toml", b"this is no TOML\n"),
        ("binary.toml", &binary),
        ("object.json", b"{}"),
        ("none.json", b"[]"),
        ("half.json", b"[{\"way\": \"threads\", "),
        ("strange.json", b"[{\"way\": \"flight\"}]"),
    ] {
        place.write(name, bytes);
        for line in [
            format!("run sort in --platform {name}"),
            format!("run sort in --profile {name}"),
            format!("platform check {name}"),
            format!("compare {name}"),
            format!("report {name} -o page.html"),
        ] {
            let said = place.run(&line).refused(2, &[name]);
            assert!(said.out.is_empty(), "{line}: {}", said.text());
        }
    }
    place.run("run sort in --platform .").refused(2, &["."]);
    place.run("run sort in --profile gone.toml").refused(2, &["gone.toml"]);
    place.run("compare gone.json").refused(2, &["gone.json"]);
    assert!(!place.path("page.html").exists() && !place.path("in.sorted").exists());
    place.assert_clean();
}

#[test]
fn a_home_that_cannot_be_used_is_no_reason_to_stop() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 4_000]);
    // No user can make a directory in a file.
    for homeless in [None, Some("/dev/null")] {
        let mut command = place.command(["run", "sort", "in", "-p", "1", "--profile", "profile.toml"]);
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
        if let Some(home) = homeless {
            command.env("HOME", home);
        }
        let said = crate::util::finish(command).ok();
        assert!(said.text().contains("will be measured again next time"), "{}", said.text());
    }
    // A damaged calibration is made anew.
    let cache = place.path("cache/forerun/platforms");
    std::fs::create_dir_all(&cache).unwrap();
    for kept in std::fs::read_dir(home().join("cache/forerun/platforms")).unwrap() {
        std::fs::write(cache.join(kept.unwrap().file_name()), "damaged").unwrap();
    }
    let mut command = place.command(["run", "sort", "in", "-p", "1", "--profile", "profile.toml"]);
    command.env("XDG_CACHE_HOME", place.path("cache"));
    assert!(crate::util::finish(command).ok().text().contains("was measured"));
    place.assert_clean();
}

#[test]
fn every_file_is_checked_and_one_bad_one_is_enough() {
    let place = Place::new();
    let good = place.run("platform show lehigh-fire").ok().text();
    place.write("good.toml", &good);
    place.write("bad.toml", "format = 1\n");
    place.write("binary.toml", b"\xff\xfe\x00");
    place.run("platform check good.toml good.toml").ok();
    for order in ["bad.toml gone.toml binary.toml good.toml", "good.toml binary.toml gone.toml bad.toml"] {
        let said = place.run(&format!("platform check {order}")).refused(2, &[]);
        for word in ["bad.toml", "gone.toml", "binary.toml is not text", "3 of 4 files"] {
            assert!(said.err.contains(word), "{word}: {}", said.err);
        }
        assert!(said.text().contains("good.toml is as it should be"), "{}", said.text());
    }
}

#[test]
fn a_file_that_is_no_text_is_said_to_be_none() {
    let place = Place::new();
    place.write("binary", b"\xff\xfe\x00\x01");
    place.write("in", "1234");
    for line in [
        "run sort in --profile binary",
        "run sort in --platform ./binary",
        "plan tasks 4 --profile binary",
        "platform check binary",
        "platform show ./binary",
        "compare binary",
        "report binary -o x.html",
        "run binary",
    ] {
        let said = place.run(line).refused(2, &["binary", "not text"]);
        assert!(!said.err.contains("UTF-8"), "{line}: {}", said.err);
    }
    for line in ["compare binary", "report binary -o x.html"] {
        let said = place.run(line).refused(2, &["no list of outcomes", "forerun run --json FILE"]);
        assert!(!said.err.contains("name another"), "{line}: {}", said.err);
    }
}

/// Where a profile is of other programs than those of the job, or charges by bytes that there are none of, that is said.
#[test]
fn what_a_profile_is_of_is_said_where_it_matters() {
    let place = Place::new();
    for i in 0..8 {
        place.write(format!("in/{i}"), "x\n".repeat(40));
    }
    let job = |of: &str, program: &str| match of {
        "reduce" => format!("reduce in --merge cat --map {program}"),
        _ => format!("farm {program} in"),
    };
    for (of, written) in [("reduce", "program = \"cat, merged by cat\"\n"), ("farm", "program = \"cat\"\n")] {
        place.run(&format!("plan {} --write-profile {of}.toml", job(of, "cat"))).ok();
        let profile = place.text(&format!("{of}.toml"));
        assert!(profile.contains(written), "{profile}");
        for verb in ["plan", "predict", "run"] {
            for (program, other) in [("cat", false), ("tac", true)] {
                let line = format!("{verb} {} --profile {of}.toml", job(of, program));
                let said = place.run(&line).ok();
                let all = said.text() + &said.err;
                assert_eq!(all.contains("the profile has the costs of "), other, "{line}: {all}");
            }
        }
    }
    place.profile();
    place.write("flat.toml", "format = 1\napplication = \"any\"\n[reduction]\ntask = \"1 ms\"\nmerge = \"1 ms\"\nresult_bytes = \"1 B\"\n");
    for (line, noted) in [
        ("tasks 9 --profile profile.toml", true),
        ("tasks 9 --size 4kB --profile profile.toml", false),
        ("tasks 9 --profile flat.toml", false),
    ] {
        for (verb, on) in [("plan", ""), ("predict", ""), ("run", ""), ("run", "--on simulated")] {
            let said = place.run(&format!("{verb} {line} {on}")).ok();
            assert_eq!(
                (said.err + &String::from_utf8_lossy(&said.out)).contains("how large tasks are is not said"),
                noted,
                "{verb} {line}"
            );
        }
    }
}

#[test]
fn a_profile_is_of_one_application() {
    let place = Place::new();
    place.write("in", "2\n1\n");
    let costs = |application: &str| {
        format!(
            "format = 1\napplication = \"{application}\"\n[reduction]\ntask = {{ fixed = \"1 ms\" }}\nmerge = {{ fixed = \"1 ms\" }}\nresult_bytes = \"20 B\"\n\
             [scatter_gather]\nread = \"1 ns/B\"\nprocess = \"1 ns/B\"\n[farm]\ntask = \"1 ms\"\nresult_bytes = \"20 B\"\n"
        )
    };
    place.write("binary", [7; 64]);
    for (application, sort, reduce) in
        [("sort", true, false), ("reduce", false, true), ("any", true, true), ("features", false, false)]
    {
        place.write("costs.toml", costs(application));
        let runs = [
            ("run sort in --type lines -o out", sort),
            ("plan sort binary --skeleton scatter-gather", sort),
            ("plan sort binary", sort),
            ("reduce --map cat --merge cat in", reduce),
            ("plan farm cat in", application == "any"),
            // Tasks that are known by their costs only are whatever the costs are of.
            ("plan tasks 9", true),
        ];
        for (line, accepted) in runs {
            let said = place.run(&format!("{line} --profile costs.toml"));
            if accepted {
                said.ok()
            } else {
                said.refused(2, &["costs.toml", application])
            };
        }
    }
}

#[test]
fn counts_are_read_the_same_everywhere() {
    let place = Place::new();
    place.profile();
    for line in [
        "predict tasks {} --profile profile.toml -p 2",
        "run tasks 100 --on simulated --profile profile.toml -p {}",
        "run tasks 100 --on simulated --profile profile.toml -p 2 --repeat {}",
        "plan tasks 100 --profile profile.toml --max-processors {} --platform ncsa-ia32-myrinet",
        "predict tasks 100 --profile profile.toml -p 2 --window {} --set {}",
        "generate numbers {} -o x --seed {}",
    ] {
        let mut said = Vec::new();
        for count in ["16", "1.6e1", "2^4", "0.016k"] {
            said.push(place.run(&line.replace("{}", count)).ok().text());
        }
        assert!(said.iter().all(|s| *s == said[0]), "{line}: {said:?}");
        for count in ["1.5", "-1", "many", "1e99", ""] {
            place.say(line.split(' ').map(|w| w.replace("{}", count))).refused(2, &[]);
        }
    }
    let outcomes =
        place.run("predict tasks 100 --profile profile.toml -p 2,1,2 --by analytic,analytic --json -");
    assert_eq!(outcomes.ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_sample_that_is_the_whole_job_is_said_to_be_it() {
    let place = Place::new();
    place.write("in/a", "x\n");
    place.write("empty", "");
    for (line, words) in [
        ("reduce --map cat --merge cat in -o out --json o.json", "the pilot's sample was the whole job"),
        ("run sort empty -o out --json o.json", "the input is empty"),
    ] {
        let said = place.run(line).ok();
        assert!(said.text().contains(words), "{}", said.text());
        assert!(!said.text().contains("predicted 0"), "{}", said.text());
        let compared = place.run("compare o.json --json -").ok().json();
        assert_eq!(compared[0]["relative_error"], serde_json::Value::Null);
        place.run("report o.json -o o.html").ok();
    }
}

#[test]
fn more_processors_than_there_are_cores_are_not_searched_over() {
    let place = Place::new();
    place.profile();
    let line =
        "plan tasks 1000 --profile profile.toml --platform lehigh-fire --max-processors 1M --json plan.json";
    let said = place.run(line).ok();
    assert!(said.text().contains("has 48 cores"), "{}", said.text());
    let plan: serde_json::Value = serde_json::from_slice(&place.read("plan.json")).unwrap();
    assert!(plan["processors"].as_u64().unwrap() <= 48, "{plan}");
}

/// What is written into a directory that is read would be an input of the next run.
#[test]
fn nothing_is_written_where_inputs_are_searched_for() {
    let place = Place::new();
    place.profile();
    place.write("d/deep/a.txt", "1\n2\n");
    place.write("d/b.txt", "3\n");
    std::os::unix::fs::symlink(place.path("d/deep"), place.path("link")).unwrap();
    let reduce = "reduce --map cat --merge cat --profile profile.toml";
    let features = "run features d --include * --model none";
    for (line, option) in [
        (format!("{reduce} d -o d/out"), "--out d/out"),
        (format!("{reduce} d/ -o ./d/deep/../out"), "--out"),
        (format!("{reduce} link -o d/deep/out"), "--out d/deep/out"),
        (format!("{reduce} d -o link/out"), "--out link/out"),
        (format!("{reduce} . -o out"), "--out out"),
        (format!("{reduce} d --include *.txt -o d/out.txt"), "--out d/out.txt"),
        (format!("{reduce} d --include deep/* -o d/deep/out"), "--out d/deep/out"),
        (format!("{reduce} d --deliver d/parts"), "--deliver d/parts"),
        (format!("{reduce} d -o out --json d/out.json"), "--json d/out.json"),
        ("farm cat d -o d/out".into(), "--out d/out"),
        ("farm cat d -o out --resume d/journal".into(), "--resume d/journal"),
        (format!("{features} --db d/deep/f.db"), "--db d/deep/f.db"),
    ] {
        let said =
            place.run(&line).refused(2, &[option, "would be one of the next run", "name another file"]);
        assert!(!said.err.contains("pilot"), "{}", said.err);
    }
    assert_eq!(std::fs::read_dir(place.path("d")).unwrap().count(), 2);
    // What no pattern finds is none, nor what has the directory's name in its own.
    for line in ["d --include *.txt -o d/out", "d --include deep/*.txt -o d/out.txt", "d -o d.out"] {
        for _ in 0..2 {
            place.run(&format!("{reduce} {line}")).ok();
        }
    }
    place.assert_clean();
}

/// What is pinned and cannot be is said before a pilot runs.
#[test]
fn what_no_plan_can_have_is_said_before_the_pilot() {
    let place = Place::new();
    place.write("in", vec![1; 400_000]);
    for n in 0..40 {
        place.write(format!("files/{n}"), "1");
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let groups = cores + 1;
    for line in [
        format!("run sort in --groups {groups}"),
        format!("plan sort in --groups {groups}"),
        format!("predict sort in --groups {groups}"),
        "run sort in --strategy parallel-pipeline -p 7".into(),
        "run sort in --strategy parallel-pipeline -p 5003".into(),
        "run sort in --skeleton auto --block 1TB --memory 300KiB".into(),
        "plan sort in --skeleton auto --block 1".into(),
        "predict sort in --skeleton auto --ahead 2000000".into(),
        // Of several numbers each.
        "predict sort in --strategy parallel-pipeline -p 1,2,7".into(),
        "predict sort in --strategy parallel-pipeline -p 7,2 --skeleton auto".into(),
        "predict sort in --strategy parallel-pipeline -p 2,5003".into(),
        "predict sort in --strategy parallel-pipeline -p 2,9 --efficiency 0.5".into(),
        "predict farm cat files --masters 2 -p 4,1".into(),
        "predict farm cat files --masters dynamic -p 2,4".into(),
        "predict farm cat files --masters 2 -p 4 --by pepa".into(),
        "predict farm cat files -p 1 --by pepa".into(),
    ] {
        let said = place.run(&line).refused(2, &[]);
        assert!(!said.text().contains("pilot     "), "{line}: {}", said.text());
    }
    // More masters than cores here are no reason to refuse.
    let masters = format!("predict farm cat files --masters {} -p {}", cores + 1, 2 * cores + 2);
    place.run(&masters).ok();
    place.run("plan sort in --groups 2 --max-processors 1").refused(2, &["--groups 2", "--max-processors 1"]);
    place.assert_clean();
}

/// A path of any length is said by its ends.
#[test]
fn a_path_that_is_too_long_is_not_said_whole() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 400]);
    let long = "x".repeat(5_000);
    for line in [
        format!("run sort {long}"),
        format!("run sort in -o {long}"),
        format!("reduce --map cat --merge cat {long}"),
        format!("farm cat {long}"),
        format!("compare {long}"),
        format!("report {long} -o r.html"),
        format!("plan sort in --platform {long}/p.toml"),
        format!("plan sort in --profile {long}"),
    ] {
        let said = place.run(&line).refused(2, &["…"]);
        assert!(said.err.chars().count() < 1_000, "{}", said.err);
    }
}

/// No table and no plot goes over what a command reads.
#[test]
fn what_is_drawn_goes_over_no_input() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 4_000]);
    place.run("predict tasks 5 --profile profile.toml -p 1 --json r.json").ok();
    for option in ["--csv", "--svg"] {
        for (line, file) in [
            ("compare r.json", "r.json"),
            ("predict sort in -p 1", "in"),
            ("predict tasks 5 -p 1 --profile profile.toml", "profile.toml"),
        ] {
            let before = place.read(file);
            let said = place.run(&format!("{line} {option} ./{file}"));
            said.refused(2, &[option, "that is an input"]);
            assert_eq!(place.read(file), before);
        }
    }
    for line in ["compare r.json ./r.json", "report r.json r.json -o r.html"] {
        place.run(line).refused(2, &["is given twice"]);
    }
}

/// No output goes over an input, whichever way that was named and whatever the output is called, and nothing is run before that is said.
#[test]
fn what_is_written_goes_over_no_input_of_a_list_or_a_collection() {
    let place = Place::new();
    place.profile();
    for name in ["a", "b", "listed/c"] {
        place.write(name, "1\n");
    }
    place.write("list", "a\nb\n");
    place.write("dirs", "a\nlisted\n");
    place.write("med.all", ".I 1\n.W\none two\n.I 2\n.W\ntwo three\n");
    place.write("med.qry", ".I 1\n.W\none\n");
    place.write("med.rel", "1 1\n");
    let all = ["a", "b", "listed/c", "list", "dirs", "med.all", "med.qry", "med.rel"];
    let before = all.map(|name| place.read(name));
    for (at, name) in all.into_iter().enumerate() {
        std::os::unix::fs::symlink(place.path(name), place.path(format!("s{at}"))).unwrap();
        std::fs::hard_link(place.path(name), place.path(format!("h{at}"))).unwrap();
    }
    // What is run leaves a mark.
    let map = ["--map", "touch ran", "--merge", "touch ran"];
    let reduce = |from: &str, words: &[&str]| {
        let line = ["reduce", "--files-from", from].into_iter().chain(map).chain(words.iter().copied());
        place.say(line)
    };
    let of = |command: &str, from: &str, words: &[&str]| {
        let line = [command, "reduce", "--files-from", from].into_iter().chain(map);
        place.say(line.chain(words.iter().copied()))
    };
    let farm = |from: &str, words: &[&str]| {
        place.say(["farm", "touch ran", "--files-from", from].into_iter().chain(words.iter().copied()))
    };
    let names = |at: usize| [format!("./{}", all[at]), format!("s{at}"), format!("h{at}")];
    for (at, from) in [(0, "list"), (1, "list"), (2, "dirs"), (3, "list"), (4, "dirs")] {
        for file in names(at) {
            for option in ["--out", "--json", "--write-profile"] {
                reduce(from, &[option, &file]).refused(2, &[option, "that is an input"]);
            }
            for option in ["--out", "--json", "--resume", "--write-profile"] {
                farm(from, &[option, &file]).refused(2, &[option, "that is an input"]);
            }
            for option in ["--json", "--write-profile", "--sbatch"] {
                of("plan", from, &[option, &file]).refused(2, &[option, "that is an input"]);
            }
            for option in ["--json", "--write-profile", "--csv", "--svg", "--write-model"] {
                let said = of("predict", from, &["-p", "1", option, &file]);
                said.refused(2, &[option, "that is an input"]);
            }
        }
    }
    // In a directory of a list, too, there would be one more input.
    for said in [
        reduce("dirs", &["--out", "listed/new"]),
        reduce("dirs", &["--json", "listed/new"]),
        farm("dirs", &["--out", "listed/new"]),
        of("predict", "dirs", &["--csv", "listed/new"]),
    ] {
        said.refused(2, &["listed/new", "where each file is an input"]);
    }
    for (at, name) in all.into_iter().enumerate().skip(5) {
        for file in names(at) {
            for option in ["--json", "--csv", "--svg"] {
                let line = ["lsi", "eval", "--collection", "med", ".", "-k", "1", option, &file];
                place.say(line).refused(2, &[option, "that is an input"]);
            }
            for option in ["--json", "--out"] {
                let line = ["lsi", "build", name, "-k", "1", option, &file];
                let out: &[&str] = if option == "--out" { &[] } else { &["--out", "model"] };
                place.say(line.iter().chain(out)).refused(2, &[option, "that is an input"]);
            }
        }
    }
    assert_eq!(before, all.map(|name| place.read(name)));
    for made in ["ran", "model", "listed/new"] {
        assert!(!place.path(made).exists(), "{made}");
    }
    place.assert_clean();
}

/// Whatever it is called and whoever names it: by itself, in a list, or by a directory that it is in.
#[test]
fn a_file_is_named_once() {
    let place = Place::new();
    place.profile();
    for name in ["dy/f1.txt", "dy/f2.txt", "dy/sub/f3.txt", "more/g"] {
        place.write(name, format!("{name}\n"));
    }
    std::os::unix::fs::symlink("dy/f1.txt", place.path("link")).unwrap();
    std::fs::hard_link(place.path("dy/f1.txt"), place.path("hard")).unwrap();
    place.write("list", "dy/f1.txt\nmore/g\n./dy/f1.txt\n");
    place.write("same", "more/g\nmore/g\n");
    place.write("one", "dy/f2.txt\n");
    let reduce = "reduce --map cat --merge cat --profile profile.toml";
    let farm = "farm cat --profile profile.toml";
    for (inputs, words) in [
        ("dy dy/f2.txt", "dy/f2.txt is given twice, also in dy: name each input once"),
        ("dy/f2.txt dy", "dy/f2.txt is given twice, also in dy: name each input once"),
        ("more dy dy/sub", "dy/sub/f3.txt is given twice, in dy and in dy/sub: "),
        ("dy/sub dy", "dy/sub/f3.txt is given twice, in dy/sub and in dy: "),
        ("dy link", "link is given twice, also in dy: "),
        ("hard dy", "hard is given twice, also in dy: "),
        ("dy --include *.txt dy/f2.txt", "dy/f2.txt is given twice, also in dy: "),
        ("--files-from list", "./dy/f1.txt is given twice, also as dy/f1.txt: "),
        ("--files-from same", "more/g is given twice: "),
        ("--files-from one dy/f2.txt", "dy/f2.txt is given twice: "),
        ("--files-from one dy", "dy/f2.txt is given twice, also in dy: "),
    ] {
        let of = |verb: &str| place.run(&format!("{verb} {inputs}")).refused(2, &[words]);
        for verb in [&format!("{reduce} -o out"), &format!("{farm} -o out"), &format!("plan {farm}")] {
            of(verb);
        }
        of(&format!("predict {reduce} -p 2"));
    }
    for line in [reduce, farm] {
        let mut command = place.command(format!("{line} --files-from - -o out").split(' '));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::new(command);
        running.feed(b"dy/f1.txt\nmore/g\ndy/f1.txt\n");
        running.end().refused(2, &["dy/f1.txt is given twice: name each input once"]);
    }
    assert!(!place.path("out").exists());
    // Names that directories have of one file are several.
    std::fs::hard_link(place.path("dy/f1.txt"), place.path("more/h")).unwrap();
    std::os::unix::fs::symlink("g", place.path("more/i")).unwrap();
    std::os::unix::fs::symlink("../dy/f2.txt", place.path("more/j")).unwrap();
    let all: String =
        ["dy/f1.txt", "dy/f2.txt", "dy/sub/f3.txt", "more/g", "dy/f1.txt", "more/g", "dy/f2.txt"]
            .map(|name| format!("{name}\n"))
            .concat();
    for line in [reduce, farm] {
        place.run(&format!("{line} dy more -o out")).ok();
        assert_eq!(place.text("out"), all);
    }
    place.assert_clean();
}
