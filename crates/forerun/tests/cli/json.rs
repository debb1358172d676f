//! `--json` gives valid JSON with the names that do not change, and nothing else.

use serde_json::Value;

use crate::util::Place;

#[track_caller]
fn assert_names(value: &Value, names: &[&str]) {
    for name in names {
        assert!(!value[name].is_null(), "{name} is missing in {value}");
    }
}

const OUTCOME: [&str; 11] = [
    "way",
    "strategy",
    "processors",
    "makespan_s",
    "predicted",
    "messages",
    "bytes",
    "stages",
    "ranks",
    "platform",
    "plan",
];

fn place() -> Place {
    let place = Place::new();
    place.profile();
    place.write("in", vec![7; 40_000]);
    place
}

#[test]
fn outcomes() {
    let place = place();
    let common = "-p 2 --profile profile.toml --json -";
    for on in ["threads", "emulated", "simulated"] {
        let outcome = &place.run(&format!("run sort in --on {on} {common}")).ok().json()[0];
        assert_names(outcome, &OUTCOME);
        assert_names(&outcome["predicted"], &["makespan_s", "low_s", "high_s"]);
        assert_names(&outcome["stages"]["task"], &["count", "total_s"]);
        assert_eq!(outcome["way"], on);
        assert_eq!(outcome["ranks"].as_array().unwrap().len(), 2);
    }
    let predicted = place.run(&format!("predict sort in --by analytic,simulated {common}")).ok().json();
    let ways: Vec<_> = predicted.as_array().unwrap().iter().map(|o| o["way"].clone()).collect();
    assert_eq!(ways, ["analytic", "simulated"]);
    for outcome in predicted.as_array().unwrap() {
        let names: Vec<_> = OUTCOME.into_iter().filter(|n| *n != "ranks").collect();
        assert_names(outcome, &names);
    }
}

/// What a job was given, whoever runs or predicts it, so that runs on other inputs are told apart.
#[test]
fn outcomes_say_what_their_input_was() {
    let place = place();
    place.write("empty", "");
    place.write("less", vec![7; 20_000]);
    for i in 0..5 {
        place.write(format!("docs/{i}"), "a line\n");
    }
    let profile = "--profile profile.toml";
    let of = |line: &str| {
        let outcomes = place.run(&format!("{line} --json -")).ok().json();
        let all: Vec<_> = outcomes.as_array().unwrap().iter().map(|o| o["input"].clone()).collect();
        assert!(!all.is_empty() && all.iter().all(|input| *input == all[0]), "{line}: {all:?}");
        all[0].clone()
    };
    for (job, bytes, items, words) in [
        ("sort in", Some(40_000), None, "1 file, 40 kB of i32"),
        ("sort in --skeleton auto", Some(40_000), None, "1 file, 40 kB of i32"),
        ("reduce --map cat --merge cat docs", Some(35), Some(5), "5 files, 35 B"),
        ("tasks 20 --size 1kB", Some(20_000), Some(20), "20 tasks of 1000 B"),
        ("tasks 20", None, Some(20), "20 tasks"),
        ("farm cat docs", Some(35), Some(5), "5 files, 35 B"),
        ("mandelbrot --size 16x9", None, Some(9), "16 x 9 points"),
    ] {
        let farm = ["farm", "mandelbrot"].iter().any(|name| job.starts_with(name));
        let run = match job {
            _ if job.starts_with("tasks") || job.starts_with("sort") => format!("run {job}"),
            _ if job.starts_with("mandelbrot") => format!("run {job} -o picture.png"),
            _ => format!("{job} -o result"),
        };
        let profile = if job.contains("auto") { "" } else { profile };
        let run = format!("{run} {profile}");
        let mut lines = vec![format!("{run} -p 2 --by analytic,simulated")];
        lines.push(format!("predict {job} {profile} -p 1,2 --by analytic,simulated"));
        lines.extend((!farm).then(|| format!("{run} -p 2 --on emulated")));
        for line in lines {
            let input = of(&line);
            assert_eq!(input["bytes"].as_u64(), bytes, "{line}: {input}");
            assert_eq!(input["items"].as_u64(), items, "{line}: {input}");
            assert!(input["words"].as_str().unwrap().starts_with(words), "{line}: {input}");
        }
    }
    // A pilot's sample is part of the input.
    assert_eq!(of("reduce --map cat --merge cat docs -o result -p 2")["bytes"], 35);
    assert_eq!(of("farm cat docs -o result -p 2")["items"], 5);

    let all = [("in", "a"), ("in", "b"), ("less", "c"), ("empty", "d")];
    for (input, file) in all {
        place.run(&format!("run sort {input} -p 1 --skeleton reduction {profile} --json {file}.json")).ok();
    }
    let said = place.run("compare a.json b.json c.json d.json --csv table.csv").ok().text();
    for size in ["0 B", "20 kB", "40 kB"] {
        assert!(said.contains(&format!("sort (1 file, {size} of i32) on ")), "{size}: {said}");
    }
    let csv = place.text("table.csv");
    let runs: Vec<&str> = csv.lines().filter(|line| line.contains(",threads,2,")).collect();
    assert!(runs.len() == 1 && runs[0].contains("40 kB"), "{csv}");
}

#[test]
fn plans_platforms_and_comparisons() {
    let place = place();
    let plan = place.run("plan sort in --profile profile.toml --json -").ok().json();
    assert_names(&plan, &["strategy", "processors", "groups", "arity", "grain", "predicted", "reason"]);
    let one = place.run("platform show lehigh-fire --json -").ok().json();
    assert_eq!(one["name"], "lehigh-fire");
    assert!(place.run("platform list --json -").ok().json().as_array().unwrap().len() >= 5);
    place.run("run sort in -p 1 --json out.json").ok();
    let compared = place.run("compare out.json --json -").ok().json();
    assert!(compared.to_string().contains("\"relative_error\""), "{compared}");
    let calibrated = place.run("calibrate --quick --json -").ok().json();
    assert_names(&calibrated, &["name", "network"]);
}

#[test]
fn the_result_and_the_data_do_not_share_standard_output() {
    let place = place();
    let line = "reduce --map cat --merge cat in --json -";
    let said = place.run(line).refused(2, &["--json -", "-o"]);
    assert!(said.out.is_empty());
    place.run(&format!("{line} -o -")).refused(2, &["--json -"]);
    place.run(&format!("{line} -o out")).ok().json();
    // Plans and predictions give no result, so nothing is in the way.
    place.run(&line.replace("reduce", "plan reduce")).ok().json();
    assert!(place.run("plan reduce --map cat --merge cat in").ok().text().contains("strategy"));
    place.run("run sort in -o x --json x").refused(2, &["--json x", "result"]);
    assert!(!place.path("x").exists());
    let before = place.read("in");
    place.run("run sort in --json ./in").refused(2, &["--json ./in", "input"]);
    place.run("reduce --map cat --merge cat in -o x --json ./in").refused(2, &["--json ./in", "input"]);
    assert!(place.read("in") == before);
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_run() {
    let place = place();
    place.write("dir/file", "");
    let marker = place.path("ran");
    let map = format!("touch {}", marker.display());
    for bad in ["no/out.json", "dir", "dir/file/x", ""] {
        for option in ["--json", "--write-profile"] {
            let said = place.say(["reduce", "--map", &map, "--merge", "cat", "in", option, bad]);
            said.refused(2, &[option]);
        }
        let said = place.say(["plan", "reduce", "--map", &map, "--merge", "cat", "in", "--sbatch", bad]);
        said.refused(2, &["--sbatch"]);
    }
    for bad in ["no/out", "dir", "dir/file/x"] {
        place.say(["reduce", "--map", &map, "--merge", "cat", "in", "-o", bad]).refused(2, &[bad]);
        place.say(["run", "sort", "in", "-o", bad]).refused(2, &["output"]);
        place.say(["generate", "numbers", "10", "-o", bad]).refused(2, &[bad]);
    }
    assert!(!marker.exists());
    place.assert_clean();
}
