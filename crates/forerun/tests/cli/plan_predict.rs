//! `plan`, `predict`, `compare`, `report` and what goes from one to the next.

use std::io::{BufRead as _, BufReader};

use crate::util::{Place, STRATEGIES, finish};

fn place() -> Place {
    let place = Place::new();
    place.write("in", (0..200_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    place
}

#[test]
fn predictions_of_known_costs_on_shipped_machines() {
    let place = Place::new();
    place.profile();
    for strategy in STRATEGIES {
        let line = "predict tasks 500 --size 5kB --profile profile.toml --platform osaka-fast-ethernet";
        let said = place
            .run(&format!("{line} -p 1,2,8 --by analytic,simulated --strategy {strategy} --json -"))
            .ok();
        let outcomes = said.json();
        let outcomes = outcomes.as_array().unwrap();
        assert_eq!(outcomes.len(), 6);
        for pair in outcomes.chunks(2) {
            let time = |i: usize| pair[i]["makespan_s"].as_f64().unwrap();
            assert_eq!(pair[0]["processors"], pair[1]["processors"]);
            assert!((time(0) / time(1) - 1.0).abs() < 0.25, "{strategy}: {} and {}", time(0), time(1));
        }
        let times: Vec<_> = outcomes.iter().map(|o| o["makespan_s"].as_f64().unwrap()).collect();
        assert!(times[4] < times[0] && times[5] < times[1], "{strategy}: 8 are not faster than 1: {times:?}");
    }
}

/// Costs that spread, more ranks than cores, ranks that have to start, and a finish: what is shown of the ranks is a run as long as is said.
#[test]
fn a_simulated_timeline_ends_with_the_makespan() {
    let place = place();
    place.write("profile.toml", PROFILE_THAT_SPREADS);
    for (processors, more) in [(1, ""), (2, ""), (4, ""), (4, " --platform osaka-fast-ethernet")] {
        let line = "predict sort in --type u32 --skeleton reduction --grain 80kB --profile profile.toml --by simulated --json -";
        let outcome = place.run(&format!("{line} -p {processors}{more}")).ok().json()[0].clone();
        // A rank that has nothing to do has none.
        let ranks = outcome["ranks"].as_array().unwrap().iter();
        let ends = ranks.filter_map(|rank| rank["timeline"].as_array()).flatten();
        let last = ends.map(|span| span["end_s"].as_f64().unwrap()).fold(0.0, f64::max);
        let makespan = outcome["makespan_s"].as_f64().unwrap();
        assert!((last / makespan - 1.0).abs() < 1e-9, "{processors}{more}: {last} of {makespan}");
    }
}

/// Of a sort whose tasks differ much.
const PROFILE_THAT_SPREADS: &str = r#"format = 1
application = "sort"
[reduction]
task = { per_byte = "100 ns/B", spread = 0.5 }
merge = { per_byte = "10 ns/B", spread = 0.3 }
sink = { fixed = "1 us" }
finish = { fixed = "2 ms", per_byte = "20 ns/B" }
result_bytes = { per_byte = 1.0 }
"#;

#[test]
fn a_profile_written_is_the_profile_read() {
    let place = place();
    // Much more than a pilot takes: a plan by it goes not far beyond the tasks and blocks that it saw.
    place.write("large", (0..6_000_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    for file in 0..40 {
        let lines: String = (0..2000).map(|line| format!("{} word\n", (line * 7919 + file) % 1000)).collect();
        place.write(format!("texts/{file}"), lines.repeat(1 + file % 5));
    }
    let large = (0..300).map(|line| format!("{line} and what there is to count\n")).collect::<String>();
    place.write("whole", large.repeat(1000));
    let reduce = ["--map", "sort", "--merge", "sort -m {1} {2}"];
    let platform = ["--platform", "osaka-fast-ethernet"];
    let jobs: [(&[&str], &[&str]); 7] = [
        (&["sort", "in", "--type", "u32"], &["-p", "2", "--strategy", "reduction-tree", "--grain", "80kB"]),
        (&["sort", "large", "--type", "u32"], &["--skeleton", "reduction"]),
        (&["sort", "large", "--type", "u32", "--memory", "8 MB"], &["--skeleton", "reduction"]),
        (&["sort", "large", "--type", "u32"], &["--skeleton", "scatter-gather"]),
        (&["sort", "large", "--type", "u32"], &["--skeleton", "auto"]),
        (&["reduce", "texts"], &reduce),
        (&["reduce", "whole", "--split-lines"], &reduce),
    ];
    for (job, options) in jobs {
        for platform in [&[][..], &platform] {
            let line: Vec<&str> = [&["plan"], job, options, platform, &["--json", "-"]].concat();
            let by_pilot = place.say([&line[..], &["--write-profile", "p.toml"]].concat()).ok().json();
            let by_file = place
                .say([&line[..], &["--profile", "p.toml", "--write-profile", "q.toml"]].concat())
                .ok()
                .json();
            let predicted = |plan: &serde_json::Value| plan["predicted"]["makespan_s"].as_f64().unwrap();
            let (a, b) = (predicted(&by_pilot), predicted(&by_file));
            assert!((a / b - 1.0).abs() < 1e-6, "{line:?}: {a} by the pilot, {b} by its profile");
            for part in ["skeleton", "strategy", "processors", "groups", "arity", "set", "grain", "ahead"] {
                assert_eq!(by_pilot[part], by_file[part], "{line:?}: {part}");
            }
            assert_eq!(place.text("p.toml"), place.text("q.toml"), "{line:?}");
            assert!(place.text("p.toml").contains("\ntried = "), "{}", place.text("p.toml"));
        }
    }
    place.assert_clean();
}

/// A profile written by an earlier build does not say how large its tasks were.
#[test]
fn a_profile_that_does_not_say_what_was_tried_holds_for_tasks_of_any_size() {
    let place = place();
    place.profile();
    let of = |profile: &str| {
        let line = "plan sort in --type u32 -p 1 --strategy reduction-tree --json -";
        place.run(&format!("{line} --profile {profile}")).ok().json()["grain"]["bytes"].as_u64().unwrap()
    };
    assert_eq!(of("profile.toml"), 800_000);
    place.write("tried", place.text("profile.toml") + "tried = \"10 kB\"\n");
    assert_eq!(of("tried"), 40_000);
}

/// Where a plan has smaller tasks than it could, since larger ones were not tried, it says so.
#[test]
fn that_larger_tasks_were_not_tried_is_said() {
    let place = place();
    place.profile();
    let untried = "tasks of more than 40 kB are not planned, since none of more than 10 kB was tried, and costs are believed up to 4 times as far";
    for (tried, more, said) in [
        ("", "", false),
        ("tried = \"10 kB\"\n", "", true),
        ("tried = \"10 kB\"\n", "--grain 20kB", false),
        ("tried = \"1 MB\"\n", "", false),
    ] {
        place.write("p.toml", place.text("profile.toml") + tried);
        let line = format!(
            "plan sort in --type u32 -p 1 --strategy reduction-tree {more} --profile p.toml --json p.json"
        );
        let plan = place.run(&line).ok();
        let shown = plan.text() + &plan.err;
        assert_eq!(shown.contains(untried), said, "{tried} {more}: {shown}");
        assert_eq!(place.text("p.json").contains(untried), said, "{tried} {more}: {}", place.text("p.json"));
    }
}

#[test]
fn a_platform_shown_is_a_platform_read() {
    let place = Place::new();
    let shown = place.run("platform show osu-myrinet").ok();
    place.write("p.toml", &shown.out);
    place.run("platform check p.toml").ok();
    assert_eq!(place.run("platform show p.toml").ok().text(), shown.text());
    place.run("platform show this").ok();
    place.run("platform show nonesuch").refused(2, &["nonesuch", "lehigh-fire"]);
}

#[test]
fn outcomes_are_compared_and_reported() {
    let place = place();
    place.run("run sort in --type u32 -p 2 --strategy adaptive --repeat 2 --json ran.json").ok();
    let line = "predict sort in --type u32 -p 2 --strategy adaptive --by analytic,simulated";
    place.run(&format!("{line} --json predicted.json")).ok();
    let table = place.run("compare ran.json predicted.json").ok().text();
    for word in ["adaptive", "analytic", "simulated"] {
        assert!(table.contains(word), "{word} is not in {table}");
    }
    place.run("report ran.json predicted.json -o page.html").ok();
    let page = place.text("page.html");
    assert!(page.starts_with("<!") && page.contains("adaptive") && page.trim_end().ends_with("</html>"));
    place.assert_clean();
}

#[test]
fn a_batch_script_runs_the_job_as_planned() {
    let place = place();
    let said = place.say([
        "plan",
        "sort",
        "in",
        "--type",
        "u32",
        "-o",
        "it's sorted",
        "-p2",
        "--sbatch",
        "job.sh",
        "--json",
        "-",
    ]);
    let plan = said.ok().json();
    let script = place.text("job.sh");
    assert!(script.starts_with("#!/bin/bash\n#SBATCH "), "{script}");
    // It is a script that a shell runs: once with the command in the path, without Slurm.
    let ran = place.run_script("job.sh").text();
    assert!(ran.contains(&format!("{} on 2 processors", plan["strategy"].as_str().unwrap())), "{ran}");
    assert_eq!(place.read("it's sorted").len(), 800_000);
}

/// What cannot have a script is refused before anything is planned or tried.
#[test]
fn a_script_that_cannot_be_is_refused_before_any_work() {
    let place = place();
    place.profile();
    place.write("text", "a word\n");
    place.pipe("pipe");
    let reduce = "reduce --map cat --merge cat text --profile profile.toml";
    for (line, words) in [
        ("tasks 10 --profile profile.toml --platform lehigh-fire --sbatch tasks.sh", ["--sbatch", "costs"]),
        ("tasks 10 --profile profile.toml --sbatch -", ["--sbatch", "costs"]),
        ("sort in --type u32 -p 9 --platform osaka-fast-ethernet --sbatch x/y", ["--sbatch", "x/y"]),
        ("sort in --type u32 -p 1000 --sbatch job.sh", ["with -p", "this machine"]),
        (
            "sort in --type u32 -p 12 --platform bme-pc-cluster --sbatch job.sh",
            ["12", "bme-pc-cluster has 11"],
        ),
        ("farm cat in -p 12 --platform bme-pc-cluster -o x --sbatch job.sh", ["12", "bme-pc-cluster has 11"]),
        // Ranks on several hosts are processes, whose standard output is not the command's.
        (&format!("{reduce} --platform bme-pc-cluster --sbatch job.sh"), ["--sbatch", "-o FILE"]),
        ("farm cat in --platform bme-pc-cluster --sbatch job.sh", ["--sbatch", "-o FILE"]),
        // What is read now is not there when the script runs.
        ("sort in --type u32 --profile - --sbatch job.sh", ["--sbatch", "name a file"]),
        ("farm cat --files-from - -o x --sbatch job.sh", ["--sbatch", "name a file"]),
        ("sort in --type u32 --profile pipe --sbatch job.sh", ["--sbatch", "pipe"]),
    ] {
        let said = place.run(&format!("plan {line}")).refused(2, &words);
        assert!(said.out.is_empty(), "{line}: {}", said.text());
        let tried = ["machine", "pilot", "plan", "profile"];
        assert!(!said.err.lines().any(|l| tried.iter().any(|t| l.starts_with(t))), "{line}: {}", said.err);
        assert!(!place.path("job.sh").exists(), "{line}");
    }
    // One host needs no file for it.
    place.run(&format!("plan {reduce} -p 1 --sbatch job.sh")).ok();
    assert!(place.text("job.sh").contains("forerun run reduce"));
}

#[test]
fn a_batch_script_of_a_farm_runs_it_as_planned() {
    let place = place();
    place.profile();
    for (line, parts) in [
        (
            "plan farm cat in -o out --profile profile.toml -p 1 --sbatch job.sh",
            ["forerun run farm cat in -o out --profile profile.toml", "--cpus-per-task=1", "--processors 1"],
        ),
        (
            "plan mandelbrot --size 8x8 -o p.png --profile profile.toml --platform bme-pc-cluster -p 4 --prefetch 2 --sbatch job.sh",
            ["--on mpi", "--ntasks=4", "--prefetch 2"],
        ),
    ] {
        place.run(line).ok();
        let script = place.text("job.sh");
        assert!(parts.iter().all(|part| script.matches(part).count() == 1), "{script}");
        assert!(script.contains("#SBATCH --time=") && !script.contains("job.sh"), "{script}");
    }
    // Of every skeleton it says what the terminal is told.
    place.write("ints", [7; 40_000]);
    for (line, name) in [
        ("mandelbrot --size 8x8 -o p.png --profile profile.toml", "farm on "),
        ("sort ints --type i32 -p 2 --skeleton scatter-gather", "scatter-gather on 2 processors"),
        ("sort ints --type i32 -p 1 --strategy adaptive", "adaptive on 1 processor"),
    ] {
        let said = place.run(&format!("plan {line} --sbatch job.sh")).ok().text();
        let plan = said.lines().find_map(|l| l.strip_prefix("plan ")).expect(&said).trim();
        let script = place.text("job.sh");
        assert!(plan.starts_with(name) && script.contains(&format!("\n# {plan}\n")), "{said}\n{script}");
    }
    // It is a script that a shell runs, without Slurm.
    place.run("plan farm cat in -o out --profile profile.toml -p 1 --sbatch job.sh").ok();
    place.run_script("job.sh");
    assert_eq!(place.read("out"), place.read("in"));
}

/// A time limit that nobody predicted would end a job that takes longer: none is asked for, and that is said.
#[test]
fn a_batch_script_has_no_time_limit_that_nobody_predicted() {
    let place = place();
    place.profile();
    for n in 0..40 {
        place.write(format!("files/{n}"), "1");
    }
    let plan = "plan farm cat files -o out --masters dynamic --profile profile.toml -p 2 --sbatch job.sh";
    let nothing =
        "none is predicted, so no limit is asked for; add #SBATCH --time where the default does not do";
    for quiet in ["", " -q"] {
        let said = place.run(&format!("{plan}{quiet}")).ok().text();
        let script = place.text("job.sh");
        assert!(!script.contains("--time=") && script.contains(nothing), "{script}");
        assert!(said.contains(nothing), "{said}");
    }
    // Of few tasks nothing is known.
    place.run("plan farm cat in -o out -p 1 --sbatch job.sh").ok();
    assert!(!place.text("job.sh").contains("--time="), "{}", place.text("job.sh"));
    // What another way predicts is a prediction.
    let said = place.run(&format!("{plan} --by simulated")).ok().text();
    assert!(!said.contains(nothing), "{said}");
    assert!(place.text("job.sh").contains("#SBATCH --time="), "{}", place.text("job.sh"));
}

/// What is advised can be done, and one skeleton that is not followed does not silence the other.
#[test]
fn advice_is_true_and_a_refusal_is_not_the_other_skeleton_s() {
    let place = Place::new();
    place.write(
        "profile.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = { fixed = \"1 ms\" }\nmerge = { fixed = \"0.1 ms\" }\n\
         result_bytes = \"20 B\"\n[scatter_gather]\nread = \"1 ns/B\"\nprocess = \"100 ns/B\"\nlocal = \"10 ns/B\"\n\
         global = \"1 ns/B\"\nwrite = \"1 ns/B\"\n",
    );
    let tasks = "--profile profile.toml --platform bme-pc-cluster -p 2";
    for (count, advice) in [("2e7", "--on simulated"), ("1e18", "forerun predict tasks, by analytic")] {
        place.run(&format!("run tasks {count} {tasks}")).refused(2, &[advice]);
    }
    place.run(&format!("predict tasks 1e18 {tasks} --by analytic")).ok();
    place.run(&format!("run tasks 2e7 {tasks} --on simulated")).ok();

    // Of 4e9 tasks, without a byte on the disk.
    std::fs::File::create(place.path("large")).unwrap().set_len(16 << 30).unwrap();
    let tasks = tasks.replace("bme-pc-cluster", "lehigh-fire");
    let pinned = "--strategy reduction-tree --grain 4B --memory 64TiB";
    let both = format!("sort large --skeleton auto {pinned} {tasks}");
    let refused = "simulated: virtual time would follow";
    for quiet in ["", " -q"] {
        let said = place.run(&format!("predict {both} --by simulated{quiet}")).ok().text();
        assert!(said.contains(refused), "{said}");
        assert!(said.contains("scatter-gather") && !said.contains("reduction-tree"), "{said}");
    }
    let outcomes = place.run(&format!("predict {both} --by simulated --json -")).ok();
    assert!(outcomes.err.contains(refused), "{}", outcomes.err);
    assert_eq!(outcomes.json().as_array().unwrap().len(), 1);
    // Where nobody answers, it is refused.
    let reduction = both.replace("auto", "reduction");
    place.run(&format!("predict {reduction} --by simulated")).refused(2, &[refused]);
    // A plan is still one.
    let plan = format!("plan {reduction} --by simulated -q --json");
    let said = place.run(&format!("{plan} plan.json")).ok().text();
    assert!(said.contains(refused), "{said}");
    let data: serde_json::Value = serde_json::from_slice(&place.read("plan.json")).unwrap();
    assert!(data["refused"][0].as_str().unwrap().starts_with(refused), "{data}");
}

/// Of tasks that are known only by their costs it is said as of any job what they are, on what, and at which costs.
#[test]
fn tasks_are_introduced_as_other_jobs_are() {
    let place = Place::new();
    place.write(
        "profile.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = { fixed = \"1 ms\", per_byte = \"1e-22 s/B\" }\n\
         merge = { fixed = \"0.1 ms\" }\nresult_bytes = \"20 B\"\n[scatter_gather]\nread = \"1 ns/B\"\nprocess = \"100 ns/B\"\n\
         local = \"10 ns/B\"\nglobal = \"1 ns/B\"\nwrite = \"1 ns/B\"\n",
    );
    let tasks = "tasks 9 --size 1kB --profile profile.toml -p 2";
    for line in [
        "predict {} --platform bme-pc-cluster",
        "plan {} --platform bme-pc-cluster",
        "run {} --on simulated",
        "run {}",
    ] {
        for skeleton in ["", " --skeleton scatter-gather"] {
            if line == "run {}" && !skeleton.is_empty() {
                continue;
            }
            let line = format!("{}{skeleton}", line.replace("{}", tasks));
            let said = place.run(&line).ok().text();
            for label in ["machine", "job", "profile"] {
                assert_eq!(
                    said.lines().filter(|l| l.starts_with(&format!("{label:<9} "))).count(),
                    1,
                    "{line}: {said}"
                );
            }
            assert!(said.contains("job       tasks: 9 tasks of 1000 B, "), "{line}: {said}");
            // Next to nothing by the byte has a unit in which it is something.
            assert!(!skeleton.is_empty() || said.contains("1.00 ms + 100 ns/PB"), "{line}: {said}");
        }
    }
}

/// Of the plans that are shown, none is shorter than the one that is taken.
#[test]
fn the_plan_is_the_shortest_that_is_shown() {
    let place = Place::new();
    for (tasks, task, merge, sink, more) in [
        (50, "{ fixed = \"1 ms\", spread = 0.5 }", "10 us", "0 s", "--ordered --platform bme-pc-cluster"),
        (100, "\"10 s\"", "20 s", "20 s", "--platform bme-pc-cluster"),
        (100, "\"100 ms\"", "30 ms", "0 s", "--platform bme-pc-cluster -p 11"),
        (10, "{ fixed = \"10 s\", spread = 0.1 }", "1 s", "1 s", "-p 8 --platform lehigh-fire"),
        (20, "{ fixed = \"10 s\", spread = 0.1 }", "10 s", "10 s", "--platform lehigh-fire"),
    ] {
        place.write(
            "p.toml",
            format!(
                "format = 1\napplication = \"any\"\n[reduction]\ntask = {task}\nmerge = \"{merge}\"\nsink = \"{sink}\"\n\
                 result_bytes = \"1 kB\"\n"
            ),
        );
        let shown = place.run(&format!("plan tasks {tasks} --profile p.toml {more}")).ok().text();
        let rows = shown.lines().skip_while(|l| !l.contains("predicted") || !l.contains("tasks  ")).skip(1);
        let rows: Vec<&str> = rows.collect();
        assert!(rows.len() >= 3, "{shown}");
        assert!(rows.iter().all(|row| !row.contains('−')), "{shown}");
    }
}

#[test]
fn more_ranks_than_cores_are_said() {
    let place = Place::new();
    place.profile();
    let job = "tasks 50 --profile profile.toml --platform bme-pc-cluster";
    for line in [
        "predict {} -p 4,20",
        "plan {} -p 20",
        "run {} -p 20 --on simulated",
        "predict {} -p 20 --efficiency 0.5",
    ] {
        let said = place.run(&line.replace("{}", job)).ok().text();
        assert!(said.contains("bme-pc-cluster has 11 cores: of more ranks (20)"), "{line}: {said}");
    }
    place.write("in", [1; 40_000]);
    let sort = "in --platform bme-pc-cluster --skeleton scatter-gather -p 20";
    let said = place.run(&format!("plan sort {sort}")).ok().text();
    assert!(said.contains("bme-pc-cluster has 11 cores: of more ranks (20)"), "{said}");
    let said = place.run(&format!("predict {job} -p 11")).ok().text();
    assert!(!said.contains("cores"), "{said}");
}

/// One processor has nobody to share with, and no strategy is another.
#[test]
fn on_one_processor_all_strategies_are_one_row() {
    let place = Place::new();
    place.profile();
    let line = "plan tasks 50 --size 5kB --profile profile.toml --platform osaka-fast-ethernet";
    let said = place.run(&format!("{line} -p 1")).ok().text();
    assert_eq!(said.matches("any").count(), 2, "{said}");
    assert!(said.contains("predicted by any strategy;"), "{said}");
    let rows = |said: &str| said.lines().skip_while(|line| !line.contains("processors  tasks")).count() - 1;
    assert_eq!(rows(&said), 1, "{said}");
    let said = place.run(&format!("{line} -p 1 --strategy master-slave")).ok().text();
    assert!(rows(&said) == 1 && !said.contains("any"), "{said}");
    let said = place.run(&format!("{line} -p 4")).ok().text();
    assert!(rows(&said) == 4 && !said.contains("any"), "{said}");
}

/// A number of processors that is named twice is one.
#[test]
fn numbers_that_are_named_twice_are_predicted_once() {
    let place = place();
    place.profile();
    for n in 0..40 {
        place.write(format!("files/{n}"), "1");
    }
    for line in [
        "predict tasks 50 --size 5kB --profile profile.toml -p 2,2",
        "predict sort in --type u32 -p 2,2 --skeleton scatter-gather",
        "predict farm cat files -p 2,2",
    ] {
        let outcomes = place.run(&format!("{line} --json -")).ok().json();
        assert_eq!(outcomes.as_array().unwrap().len(), 1, "{line}: {outcomes}");
    }
    place.run("predict tasks 50 --profile profile.toml -p 2,2 --write-model m.pepa").ok();
}

/// What others use of this machine is said where a run needs it, and the interval reaches as far as that makes it take.
#[test]
#[cfg(target_os = "linux")]
fn others_that_have_the_processors_are_spoken_of() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = place();
    place.profile();
    for n in 0..40 {
        place.write(format!("files/{n}"), "1");
    }
    crate::util::home();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (over, places) = (AtomicBool::new(false), (0..cores).collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for _ in &places {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let said = [
            place.run("plan sort in --type u32 -p 1"),
            place.run("predict sort in --type u32 -p 1"),
            place.run("predict sort in --type u32 -p 1 --skeleton scatter-gather"),
            place.run("run sort in --type u32 -p 1 -o out"),
            place.run("plan farm cat files -p 1"),
            place.run("predict farm cat files -p 1"),
            place.run("farm cat files -p 1 -o out"),
        ];
        // Elsewhere they are in nobody's way, but here they were in the pilot's.
        let elsewhere = [
            place.run("plan sort in --type u32 -p 1 --platform osaka-fast-ethernet"),
            place.run("predict sort in --type u32 -p 1 --platform osaka-fast-ethernet"),
            place.run(
                "predict sort in --type u32 -p 1 --skeleton scatter-gather --platform osaka-fast-ethernet",
            ),
            place.run("predict sort in --type u32 -p 1 --skeleton auto --platform osaka-fast-ethernet"),
            place.run("run sort in --type u32 -p 1 --on simulated --platform osaka-fast-ethernet"),
            place.run("plan farm cat files -p 1 --platform osaka-fast-ethernet"),
            place.run("predict farm cat files -p 1 --platform osaka-fast-ethernet"),
        ];
        let both = [
            place.run("run sort in --type u32 -p 1 -o out --platform osaka-fast-ethernet"),
            place.run(
                "run sort in --type u32 -p 1 -o out --skeleton scatter-gather --platform osaka-fast-ethernet",
            ),
        ];
        let nobody = [
            place.run("plan sort in --type u32 -p 1 --platform osaka-fast-ethernet --profile profile.toml"),
            place.run("run sort in --type u32 -p 1 -o out --on emulated --platform osaka-fast-ethernet"),
        ];
        over.store(true, Ordering::Relaxed);
        let of = [
            (&said[..], true, false),
            (&elsewhere, false, true),
            (&both, true, true),
            (&nobody, false, false),
        ];
        for (said, run, pilot) in of {
            for said in said {
                assert!(said.status.success(), "{}", said.err);
                let said = said.text() + &said.err;
                assert_eq!(said.contains("other programs use"), run || pilot, "{said}");
                assert_eq!(said.contains("may take longer if they go on"), run, "{said}");
                assert_eq!(said.contains("may be too long"), pilot, "{said}");
            }
        }
    });
    place.assert_clean();
}

/// Tasks of which nothing is known but their costs have those of any application; others only their own, whatever the command.
#[test]
fn costs_of_another_application_are_taken_by_all_commands_or_none() {
    let place = place();
    place.profile();
    place.write("c.png", "");
    for application in ["hip", "sort", "any"] {
        let costs = place.text("profile.toml").replace("any", application).replace("1 ms", "1 us");
        place.write("p.toml", costs);
        for verb in ["run", "plan", "predict"] {
            for (job, name) in [
                ("sort in --type u32", "sort"),
                ("reduce --map cat --merge cat in", "reduce"),
                ("farm cat in", "farm"),
                ("mandelbrot --size 8x8 --iterations 9 -o m.png", "mandelbrot"),
                ("tasks 9", "tasks"),
            ] {
                let out = if verb == "run" && ["reduce", "farm"].contains(&name) { "-o out" } else { "" };
                let said = place.run(&format!("{verb} {job} {out} --profile p.toml"));
                if ["tasks", application].contains(&name) || application == "any" {
                    said.ok();
                } else {
                    said.refused(2, &["has the costs of", application, name]);
                }
            }
        }
    }
}

/// What nothing can have is refused where the profile is given.
#[test]
fn a_task_that_was_tried_has_an_element() {
    let place = place();
    place.profile();
    for verb in ["run", "plan", "predict"] {
        for (tried, fits) in [("1 B", false), ("3 B", false), ("4 B", true)] {
            place.write("p.toml", place.text("profile.toml") + &format!("tried = \"{tried}\"\n"));
            let said = place.run(&format!("{verb} sort in --type u32 --profile p.toml"));
            match fits {
                true => drop(said.ok()),
                false => drop(said.refused(2, &["p.toml", "less than an element of this job, 4 B"])),
            }
        }
    }
}

/// The figures of this machine that are kept are in doubt as those of a file are.
#[test]
fn what_is_in_doubt_of_this_machine_is_said_whenever_it_is_used() {
    let place = place();
    place.profile();
    let kept = crate::util::home().join("cache/forerun/platforms");
    let of = |doubt: &str| {
        let cache = place.path("cache/forerun/platforms");
        std::fs::create_dir_all(&cache).unwrap();
        let mut files = 0;
        for file in std::fs::read_dir(&kept).unwrap().map(|file| file.unwrap().path()) {
            let text = std::fs::read_to_string(&file).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with("doubt = "));
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            let text = text.replacen("\nname = ", &format!("\n{doubt}name = "), 1);
            std::fs::write(cache.join(file.file_name().unwrap()), text).unwrap();
            files += 1;
        }
        assert!(files > 0, "nothing is kept in {}", kept.display());
        let said = |line: &str| {
            let mut command = place.command(line.split_whitespace());
            command.env("XDG_CACHE_HOME", place.path("cache"));
            finish(command).ok().text()
        };
        ["predict sort in --type u32 --profile profile.toml", "plan farm cat in --profile profile.toml"]
            .map(|line| said(line).matches("the figures of this-machine may be off: it was busy").count())
    };
    assert_eq!(of("doubt = \"it was busy\"\n"), [1, 1]);
    assert_eq!(of(""), [0, 0]);
}

/// What is known is said while the rest takes long, and what is under way.
#[test]
fn a_prediction_that_takes_long_says_how_far_it_is() {
    let place = place();
    place.profile();
    let long = "predict tasks 3000000 --profile profile.toml --strategy parallel-pipeline --by simulated -p 1,2,1048576";
    let said = place.run(long).ok();
    assert!(said.err.contains("under way: 1,048,576 processors by simulated"), "{}", said.err);
    let quiet = place.run(&format!("{long} -q")).ok();
    assert!(!quiet.err.contains("under way"), "{}", quiet.err);
    let short = place.run("predict sort in --type u32 --profile profile.toml -p 1,2").ok();
    assert!(!short.err.contains("under way"), "{}", short.err);
}

/// How long virtual time takes is said before it is begun, and not where that is a moment.
#[test]
fn what_takes_some_seconds_is_told_before() {
    let place = place();
    place.profile();
    let costs = "--profile profile.toml --platform lehigh-fire --strategy reduction-tree --by simulated -p 8";
    let line = format!("predict tasks 30000000 {costs}");
    let mut running = place.start(line.split_whitespace());
    let mut told = BufReader::new(running.child.stderr.take().unwrap()).lines();
    let told = told.find_map(|line| line.ok().filter(|line| line.contains("it takes some")));
    drop(running);
    let told = told.expect("what it takes");
    assert!(
        told.starts_with("simulated 30,000,000 tasks and ") && told.contains("on 8 processors"),
        "{told}"
    );
    assert!(!place.run(&format!("predict tasks 1e5 {costs}")).ok().err.contains("it takes some"));
}

/// What would take years is told before it is begun, and other ways predict all the same.
#[test]
fn what_takes_too_long_is_refused_and_other_ways_predict() {
    let place = place();
    place.profile();
    let costs = "--profile profile.toml --platform lehigh-fire";
    let words =
        ["virtual time would follow 1,000,000,000,000,000,000 tasks", "years", "2,400,000,000 in all"];
    place.run(&format!("predict tasks 1e18 {costs} --by simulated -p 2")).refused(2, &words);
    place.run(&format!("run tasks 1e18 {costs} --on simulated")).refused(2, &words);
    for strategy in STRATEGIES {
        let line = format!("{costs} --strategy {strategy} --size 1B --by analytic,simulated");
        let said = place.run(&format!("predict tasks 1e18 {line} -p 8,16 --json o.json")).ok().text();
        assert!(words.iter().all(|word| said.contains(word)) && said.contains("predict fewer"), "{said}");
        assert_eq!(place.text("o.json").matches("\"way\": \"analytic\"").count(), 2);
        let said = place.run(&format!("plan tasks 1e18 {line}")).ok().text();
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    }
    // What is no more than that is followed.
    let said = place.run(&format!("predict tasks 1e5 {costs} --by simulated -p 2")).ok().text();
    assert!(said.contains("simulated") && !said.contains("would follow"), "{said}");
}

/// A platform that was measured badly says so in its file, and predictions from it do.
#[test]
fn what_is_in_doubt_of_a_platform_is_said_with_predictions() {
    let place = place();
    place.profile();
    let shown = place.run("platform show osu-myrinet").ok().text();
    place.write("sure.toml", &shown);
    place.write("doubt.toml", shown.replacen("name = ", "doubt = \"measured beside others\"\nname = ", 1));
    for verb in ["plan", "predict"] {
        for job in ["sort in --type u32", "farm cat in", "tasks 9"] {
            let of = |file: &str| {
                place.run(&format!("{verb} {job} --profile profile.toml --platform {file}")).ok()
            };
            let said = of("doubt.toml").text();
            assert!(said.contains("the figures of osu-myrinet may be off: measured beside others"), "{said}");
            assert!(!of("sure.toml").text().contains("may be off"));
        }
    }
    let again = place.run("platform show doubt.toml").ok();
    assert!(again.text().contains("doubt = \"measured beside others\""), "{}", again.text());
    place.write("again.toml", &again.out);
    place.run("platform check again.toml").ok();
}

/// Of tasks whose size nobody said, none is said; the closed form of a farm counts the messages that virtual time does.
#[test]
fn what_nobody_said_is_not_told() {
    let place = Place::new();
    place.write(
        "p.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = \"0.2 ms\"\nmerge = \"1 us\"\nresult_bytes = \"80 B\"\n\
         [farm]\ntask = \"1 ms\"\nresult_bytes = \"20 B\"\n",
    );
    let sizes = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let sizes =
            words.windows(2).filter(|two| ["0 B", "1 B"].contains(&&*two.join(" ").replace([',', '.'], "")));
        sizes.map(|two| two.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(sizes("20 tasks of 1 B, of 0 B."), ["1 B,", "0 B."]);
    for line in [
        "plan tasks 20",
        "predict tasks 20 -p 1,2",
        "run tasks 20 -p 2 --json o.json",
        "run tasks 20 -p 2 --on emulated",
        "run tasks 20 -p 2 --on simulated",
    ] {
        let said = place.run(&format!("{line} --profile p.toml")).ok();
        let all = said.text() + &said.err;
        assert!(sizes(&all).is_empty() && all.contains("20"), "{line}: {all}");
    }
    place.run("run mandelbrot --size 8x8 -o m.png --profile p.toml -p 2 --json farm.json").ok();
    for outcomes in ["o.json", "farm.json"] {
        place.run(&format!("report {outcomes} -o page.html")).ok();
        let page = place.text("page.html");
        assert!(sizes(&page).is_empty() && !page.contains("of input a task"), "{outcomes}");
    }
    for how in ["", "--masters 2", "--tasks-per-message 7", "--tasks-per-message 3 --masters 3 --prefetch 2"]
    {
        let line = format!(
            "predict mandelbrot --size 8x100 --profile p.toml -p 4,7 --by analytic,simulated {how} --json -"
        );
        let told = place.run(&line).ok().json();
        for two in told.as_array().unwrap().chunks(2) {
            assert!(two[0]["messages"].as_u64() > Some(0), "{how}");
            assert_eq!(two[0]["messages"], two[1]["messages"], "{how}");
            assert_eq!(two[0]["bytes"], two[1]["bytes"], "{how}");
        }
    }
}
