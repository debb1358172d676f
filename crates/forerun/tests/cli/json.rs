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
