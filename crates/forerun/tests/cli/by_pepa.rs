//! `--by pepa`: predictions by generated PEPA models, and the models.

use std::path::Path;

use crate::util::{Place, STRATEGIES};

const LINE: &str = "tasks 24 --size 5kB --profile profile.toml --platform osaka-fast-ethernet";

/// What `predict` gives, each with its way, processors and makespan.
fn predicted(place: &Place, words: &str) -> Vec<(String, u64, f64, String)> {
    let data = place.run(&format!("predict {LINE} {words} --json -")).ok().json();
    let all = data.as_array().unwrap().iter();
    all.map(|o| {
        let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
        let (p, time) = (o["processors"].as_u64().unwrap(), o["makespan_s"].as_f64().unwrap());
        (text(&o["way"]), p, time, text(&o["plan"]["reason"]))
    })
    .collect()
}

#[test]
fn a_third_prediction_stands_beside_the_others() {
    let place = Place::new();
    place.profile();
    for strategy in STRATEGIES {
        let all = predicted(&place, &format!("-p 1,2,4 --by analytic,simulated,pepa --strategy {strategy}"));
        assert_eq!(all.len(), 9);
        for three in all.chunks(3) {
            let ((way, p, time, reason), analytic) = (&three[2], three[0].2);
            assert_eq!((way.as_str(), *p), ("pepa", three[0].1));
            assert!(reason.contains("the run's model of") && reason.contains("exponential"), "{reason}");
            if *p == 1 {
                // Nobody waits for anybody.
                assert!((time / analytic - 1.0).abs() < 1e-6, "{strategy}: {time} and {analytic}");
            } else {
                // Whoever waits, waits longer where times are exponential. (The adaptive model leaves out that sets of an even deal
                // end together.)
                assert!((0.96..3.0).contains(&(time / analytic)), "{strategy} on {p}: {time} and {analytic}");
            }
        }
    }
    let said = place.run(&format!("predict {LINE} -p 2 --by pepa --strategy adaptive")).ok().text();
    assert!(said.contains("pepa      2 processors: mean time until"), "{said}");
    let plan = place.run(&format!("plan {LINE} --max-processors 4 --by simulated,pepa --json -")).ok().json();
    let ways: Vec<_> =
        plan["predictions"].as_array().unwrap().iter().map(|o| o["way"].as_str().unwrap()).collect();
    assert_eq!(ways, ["simulated", "pepa"]);
    assert!(plan["strategy"].is_string());
}

/// Ranks that have nothing to do take no turns on the cores: of the others each has its part of one.
#[test]
fn ranks_without_work_slow_nobody() {
    let place = Place::new();
    let costs = "task = \"10 ms\"\nmerge = \"1 ms\"\nresult_bytes = \"3 kB\"\n";
    place.write("profile.toml", format!("format = 1\napplication = \"any\"\n[reduction]\n{costs}"));
    let network = "[network]\nlatency = \"5 us\"\nbandwidth = \"1 GB/s\"\n";
    place.write("p.toml", format!("format = 1\nname = \"p\"\n[[host]]\nname = \"h\"\ncores = 2\n{network}"));
    for (strategy, p, groups) in [
        ("adaptive", 8, 1),
        ("adaptive", 40_000, 40_000),
        ("adaptive", 40_000, 20_000),
        ("reduction-tree", 40_000, 20_000),
        ("master-slave", 40_000, 20_000),
        ("adaptive", 64, 1),
    ] {
        let line = format!(
            "predict tasks 16 --profile profile.toml --platform p.toml -p {p} --groups {groups} --strategy {strategy} \
             --by analytic,pepa --json -"
        );
        let data = place.run(&line).ok().json();
        let seconds = |k: usize| data[k]["makespan_s"].as_f64().unwrap();
        // All work is 160 ms of tasks and up to 15 ms of merges, on two cores.
        assert!((0.08..0.2).contains(&seconds(0)), "{strategy} on {p} in {groups}: {}", seconds(0));
        let ratio = seconds(1) / seconds(0);
        assert!(
            (0.9..5.0).contains(&ratio),
            "{strategy} on {p} in {groups}: {} and {}",
            seconds(1),
            seconds(0)
        );
    }
}

#[test]
fn the_model_written_gives_the_prediction() {
    let place = Place::new();
    place.profile();
    for strategy in STRATEGIES {
        let words = format!("-p 4 --by pepa --strategy {strategy} --write-model job.pepa");
        let makespan = predicted(&place, &words)[0].2;
        place.run("pepa check job.pepa").ok();
        let solved = place.run("pepa solve job.pepa --aggregate --json -").ok().json();
        let often = solved["throughput"]["finish"].as_f64().unwrap();
        // Beginning again takes a thousandth of a task for each rank.
        assert!((0.99..1.0).contains(&(often * makespan)), "{strategy}: {often} a second, {makespan} s");
        assert_eq!(solved["long_run"], "every state leads to every other");
        let passage =
            format!("pepa passage job.pepa --aggregate --to finish --until {} --json -", makespan * 3.0);
        let passage = place.run(&passage).ok().json();
        let mean = passage["mean"].as_f64().unwrap();
        assert!((mean / makespan - 1.0).abs() < 1e-3, "{strategy}: {mean} and {makespan}");
        assert!(passage["deviation"].as_f64().unwrap() > 0.0 && passage["open"].as_f64().unwrap() < 1e-3);
        place.run("pepa export job.pepa --as prism --out job.sm").ok();
        assert!(place.text("job.sm").contains("\nctmc\n"));
    }
    place.assert_clean();
}

#[test]
fn what_has_too_many_states_is_simulated_and_says_so() {
    let place = Place::new();
    place.profile();
    let large = format!("predict {LINE} -p 32 --strategy reduction-tree --groups 1 --grain 5kB");
    place.run(&format!("{large} --by analytic,pepa --json both.json")).ok();
    let both = place.text("both.json");
    assert!(both.contains("too many states to be solved and was simulated"), "{both}");
    let told = place.run(&format!("{large} --write-model large.pepa")).ok().text();
    let words = ["1,000,000 states", "--by pepa simulates it", "forerun pepa simulate"];
    assert!(words.iter().all(|word| told.contains(word)), "{told}");
    assert!(place.text("large.pepa").contains("Rank_32 ="));
    // Groups are smaller.
    place.run(&format!("{} --by pepa", large.replace("--groups 1", "--groups 8"))).ok();
}

/// A model with a component for each of very many ranks is not begun, whether its states or a simulation would take for ever.
#[test]
fn what_would_take_too_long_is_refused_and_other_ways_predict() {
    let place = Place::new();
    place.profile();
    for (strategy, more) in [("reduction-tree", ""), ("master-slave", "--ordered"), ("parallel-pipeline", "")]
    {
        let ranks = if strategy == "parallel-pipeline" { 2048 } else { 1021 };
        let line = format!("--strategy {strategy} --groups 1 -p {ranks} {more}");
        let line = format!("predict {} {line}", LINE.replace("tasks 24", "tasks 4e6"));
        let said = place.run(&format!("{line} --by analytic,pepa --json o.json")).ok().text();
        let words =
            [strategy, "1,000,000 states", "to simulate it would take some", "predict fewer processors"];
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert_eq!(place.text("o.json").matches("\"way\": \"analytic\"").count(), 1);
        place.run(&format!("{line} --by pepa")).refused(2, &words);
    }
}

#[test]
fn what_has_no_model_is_refused() {
    let place = Place::new();
    place.profile();
    let predict = format!("predict {LINE}");
    for (line, words) in [
        (format!("{predict} -p 1,2 --write-model m.pepa"), ["--write-model", "one number of processors"]),
        (format!("{predict} --write-model m.pepa"), ["--write-model", "one number of processors"]),
        (format!("{predict} -p 2 --skeleton scatter-gather --by pepa"), ["scatter-gather", "leave pepa out"]),
        (
            format!("{predict} -p 2 --skeleton scatter-gather --write-model m.pepa"),
            ["scatter-gather", "--write-model"],
        ),
        (format!("{predict} -p 2 --write-model nowhere/m.pepa"), ["--write-model", "nowhere"]),
    ] {
        place.run(&line).refused(2, &words);
    }
    place.assert_clean();
}

#[test]
fn a_run_is_compared_with_it() {
    let place = Place::new();
    place.write("in", (0..200_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    let line = "run sort in --type u32 -p 2 --by analytic,simulated,pepa --json ran.json";
    let said = place.run(line).ok().text();
    assert!(said.contains("(pepa)"), "{said}");
    let table = place.run("compare ran.json").ok().text();
    assert!(table.contains("pepa"), "{table}");
    place.run("report ran.json -o page.html").ok();
    assert!(place.text("page.html").contains("pepa"));
}

/// Whether it is run or only simulated, and whatever the skeleton.
#[test]
fn a_run_in_virtual_time_is_compared_too() {
    let place = Place::new();
    place.profile();
    place.write("in", (0..20_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    let sort = "run sort in --type u32 -o out -p 4 --platform lehigh-fire --repeat 2";
    let tasks = "run tasks 20 --size 1kB --profile profile.toml -p 4 --platform lehigh-fire --repeat 2";
    for on in ["emulated", "simulated"] {
        for (line, by) in [
            (format!("{sort} --skeleton reduction --grain 20kB"), "analytic,simulated,pepa"),
            (format!("{sort} --skeleton scatter-gather"), "analytic,simulated"),
            (format!("{sort} --skeleton auto"), "simulated,analytic"),
            (tasks.to_owned(), "pepa"),
            (tasks.to_owned(), ""),
        ] {
            let by_ways = if by.is_empty() { String::new() } else { format!("--by {by}") };
            let outcomes = place.run(&format!("{line} {by_ways} --on {on} --json -")).ok().json();
            let outcomes = outcomes.as_array().unwrap();
            let ways: Vec<&str> = outcomes.iter().map(|o| o["way"].as_str().unwrap()).collect();
            let asked = by.split(',').filter(|way| !way.is_empty());
            assert_eq!(ways, asked.chain([on; 2]).collect::<Vec<_>>(), "{line} {by_ways}");
        }
    }
}

#[test]
fn a_farm_has_one_too() {
    let place = Place::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mandelbrot-farm.toml");
    let file = file.display().to_string();
    let words = [
        "model",
        "farm",
        &file,
        "-p",
        "8",
        "--by",
        "analytic,pepa",
        "--write-model",
        "farm.pepa",
        "--json",
        "-",
    ];
    let data = place.say(words).ok().json();
    let row = &data["by_processors"][0];
    let (analytic, pepa) = (row["makespan_s"].as_f64().unwrap(), row["pepa_s"].as_f64().unwrap());
    assert!((0.9..1.5).contains(&(pepa / analytic)), "{analytic} and {pepa}");
    place.run("pepa check farm.pepa").ok();
    let solved = place.run("pepa solve farm.pepa --json -").ok().json();
    let tasks = data["tasks"].as_f64().unwrap();
    let by_model = tasks / solved["throughput"]["work"].as_f64().unwrap();
    assert!((by_model / pepa - 1.0).abs() < 1e-6, "{by_model} and {pepa}");
    let words = ["model", "farm", &file, "--write-model", "farm.pepa"];
    place.say(words).refused(2, &["--write-model", "one number"]);
}
