//! `--skeleton scatter-gather`: the same result, predictions, and what is refused.

use crate::util::{Place, numbers};

/// Costs with which no pilot is needed.
const PROFILE: &str = "format = 1\napplication = \"sort\"\n[scatter_gather]\n\
    read = \"463 ns/B\"\nprocess = { per_byte_ln = \"16.5 ns/B\" }\n\
    local = { per_byte_way = \"10 ns/B\" }\nglobal = { per_byte_way = \"10 ns/B\" }\n\
    write = \"463 ns/B\"\nelement = \"4 B\"\n";

#[test]
fn a_sort_is_the_same_file() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    let mut all: Vec<u32> = numbers(3).take(20_011).map(|x| x as u32).collect();
    place.write("in", all.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    all.sort_unstable();
    let sorted: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
    let line = "run sort in --type u32 --skeleton scatter-gather --profile p.toml";
    for how in ["-p 1", "-p 2 --block 4kB", "-p 3 --block 1kB --ahead 2", "-p 2 --on emulated"] {
        let said = place.run(&format!("{line} {how} -o out --json -")).ok();
        assert!(place.read("out") == sorted, "{how}");
        let outcome = &said.json()[0];
        assert_eq!(outcome["plan"]["skeleton"], "scatter-gather");
        for stage in ["read", "process", "resolve-local", "write"] {
            assert!(outcome["stages"][stage]["count"].as_u64() > Some(0), "{how}: no {stage}");
        }
    }
}

#[test]
fn the_papers_cluster_is_predicted_where_it_does_not_page() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    let line = "predict tasks 306 --size 256KiB --skeleton scatter-gather --profile p.toml";
    let said = place
        .run(&format!("{line} --platform bme-pc-cluster -p 1,3,6 --ahead 2 --by analytic,simulated --json -"))
        .ok();
    let outcomes = said.json();
    let outcomes = outcomes.as_array().unwrap();
    // One node has too little memory.
    assert_eq!(outcomes.len(), 4);
    for pair in outcomes.chunks(2) {
        let time = |i: usize| pair[i]["makespan_s"].as_f64().unwrap();
        assert!((time(0) / time(1) - 1.0).abs() < 1e-6, "{} and {}", time(0), time(1));
        assert!(time(0) > 74.0);
    }
    let one = format!("{line} --platform bme-pc-cluster -p 1");
    place.run(&one).refused(2, &["host pc", "use at least 3 processors"]);
}

#[test]
fn auto_takes_the_skeleton_with_the_shorter_prediction() {
    let place = Place::new();
    place.write("in", vec![0u8; 1 << 20]);
    let reduction = "[reduction]\ntask = { per_byte = \"TASK\" }\nmerge = { per_byte = \"1 ns/B\" }\n\
        result_bytes = { per_byte = 1.0 }\n";
    // Scatter-gather takes about a microsecond a byte.
    for (task, skeleton) in [("1 ns/B", "reduction"), ("1 ms/B", "scatter-gather")] {
        place.write("p.toml", format!("{PROFILE}{}", reduction.replace("TASK", task)));
        for line in ["plan sort in", "run sort in -o out -p 2 --on simulated"] {
            let said = place.run(&format!("{line} --skeleton auto --profile p.toml --json -")).ok();
            let json = said.json();
            let plan = if line.starts_with("plan") { &json } else { &json[0]["plan"] };
            assert_eq!(plan["skeleton"], skeleton, "{line}, {task}");
        }
    }
    let said = place.run("predict sort in -p 1,2 --skeleton auto --profile p.toml --json -").ok();
    let json = said.json();
    let predicted: Vec<(&str, u64)> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (o["plan"]["skeleton"].as_str().unwrap(), o["processors"].as_u64().unwrap()))
        .collect();
    let all = [("reduction", 1), ("reduction", 2), ("scatter-gather", 1), ("scatter-gather", 2)];
    assert_eq!(predicted, all);
}

#[test]
fn a_pilot_of_few_bytes_ends() {
    let place = Place::new();
    // None, one element, fewer blocks than the pilot would have, and some.
    for count in [0u32, 1, 7, 300, 40_000] {
        place.write("in", (0..count).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
        for p in [1, 2] {
            place.run(&format!("run sort in --type u32 --skeleton scatter-gather -p {p} -o out")).ok();
            assert!(
                place.read("out") == (0..count).flat_map(u32::to_le_bytes).collect::<Vec<_>>(),
                "{count}"
            );
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    place.write("in", [0; 4096]);
    let line = "run sort in --skeleton scatter-gather --profile p.toml";
    place.run(&format!("{line} --strategy adaptive")).refused(2, &["--strategy", "--block"]);
    place.run(&format!("{line} --block 0B")).refused(2, &["--block 0B", "at least 1 B"]);
    place.run("run sort in --block 1kB").refused(2, &["--block", "scatter-gather"]);
    place.run("run reduce in --map cat --merge cat --skeleton scatter-gather").refused(2, &["reduction"]);
    place.run("run reduce in --map cat --merge cat --block 1kB").refused(2, &["--block", "scatter-gather"]);
    let efficiency = "predict sort in --skeleton scatter-gather --profile p.toml --efficiency 0.5";
    place.run(efficiency).refused(2, &["--efficiency", "--skeleton"]);
    let tasks = "predict tasks 9 --size 1kB --skeleton auto --profile p.toml";
    place.run(tasks).refused(2, &["--skeleton auto", "reduction and scatter-gather"]);
}
