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
fn what_cannot_be_is_refused() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    place.write("in", [0; 4096]);
    let line = "run sort in --skeleton scatter-gather --profile p.toml";
    place.run(&format!("{line} --strategy adaptive")).refused(2, &["--strategy", "--block"]);
    place.run(&format!("{line} --block 0B")).refused(2, &["--block 0B", "at least 1 B"]);
    place.run("run sort in --block 1kB").refused(2, &["--block", "scatter-gather"]);
    place.run("run reduce in --map cat --merge cat --skeleton scatter-gather").refused(2, &["reduction"]);
    place.run("plan sort in --skeleton auto").refused(2, &["--skeleton auto", "run"]);
}
