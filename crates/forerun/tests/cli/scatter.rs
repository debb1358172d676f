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
fn ranks_share_the_cores_that_there_are() {
    let place = Place::new();
    // Of merging the cost does not go by the number of a rank's blocks here.
    place.write("p.toml", PROFILE.replace("463 ns/B", "1 ns/B").replace("per_byte_way", "per_byte"));
    place.write(
        "two.toml",
        "format = 1\n[[host]]\nname = \"h\"\ncores = 2\n[network]\nlatency = \"1 us\"\nbandwidth = \"10 GB/s\"\n",
    );
    let line =
        "predict tasks 1000 --size 64KiB --skeleton scatter-gather --profile p.toml --platform two.toml";
    let said = place.run(&format!("{line} -p 2,8 --by analytic,simulated --json -")).ok();
    let json = said.json();
    let times: Vec<f64> =
        json.as_array().unwrap().iter().map(|o| o["makespan_s"].as_f64().unwrap()).collect();
    assert_eq!(times.len(), 4);
    for pair in times.chunks(2) {
        assert!((pair[0] / pair[1] - 1.0).abs() < 1e-6, "{times:?}");
    }
    assert!(times[2] > 0.9 * times[0], "eight ranks do as much work on as many cores: {times:?}");
}

#[test]
fn a_slow_disk_that_is_described_is_waited_for() {
    let place = Place::new();
    place.write("in", vec![0u8; 1 << 20]);
    let reduction = "[reduction]\ntask = { per_byte = \"1 ns/B\" }\nmerge = { per_byte = \"1 ns/B\" }\n\
        finish = { per_byte = \"1 ns/B\" }\nresult_bytes = { per_byte = 1.0 }\n";
    place.write("p.toml", format!("{}{reduction}", PROFILE.replace("463 ns/B", "1 ns/B")));
    let machine = |storage: &str| {
        let host =
            "[[host]]\nname = \"h\"\ncores = 1\n[network]\nlatency = \"1 us\"\nbandwidth = \"10 GB/s\"\n";
        place.write("m.toml", format!("format = 1\n{host}{storage}"));
    };
    let times = || -> Vec<f64> {
        let line =
            "predict sort in -p 1 --skeleton auto --profile p.toml --platform m.toml --by analytic,simulated";
        let said = place.run(&format!("{line} --json -")).ok();
        said.json().as_array().unwrap().iter().map(|o| o["makespan_s"].as_f64().unwrap()).collect()
    };
    machine("");
    let without = times();
    assert_eq!(without.len(), 4);
    // 1.05 s to read and 0.52 s to write: both come to it, since one core does all.
    machine("[storage]\nread = \"1 MB/s\"\nwrite = \"2 MB/s\"\n");
    for (slow, fast) in times().into_iter().zip(&without) {
        assert!((1.55..1.59).contains(&(slow - fast)), "{slow} and {fast}");
    }
    machine("[storage]\nread = \"100 GB/s\"\nwrite = \"100 GB/s\"\n");
    for (fast, without) in times().into_iter().zip(&without) {
        assert!(
            (fast / without - 1.0).abs() < 0.01,
            "nothing is faster than it was measured: {fast} and {without}"
        );
    }
}

#[test]
fn blocks_have_whole_elements_and_memory_for_all_of_them() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    place.write("in", (0..40_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    let line = "run sort in --type u32 --skeleton scatter-gather -p 1 -o out --memory 1MB";
    place
        .run(&format!("{line} --block 4B"))
        .refused(2, &["--block 4 B", "blocks of this job can have", "--memory"]);
    place.run(&format!("{line} --block 1TB")).refused(2, &["--block 1 TB", "blocks of this job can have"]);
    place
        .run("run sort in --skeleton reduction -p 1 -o out --memory 1MB --grain 4B")
        .refused(2, &["--grain", "4 B"]);
    let said = place.run(&format!("{line} --block 2003B --profile p.toml --json -")).ok();
    let outcome = &said.json()[0];
    let blocks = outcome["plan"]["grain"]["tasks"].as_u64().unwrap();
    assert_eq!((blocks, outcome["plan"]["grain"]["bytes"].as_u64()), (80, Some(2000)));
    assert_eq!(outcome["stages"]["process"]["count"].as_u64(), Some(blocks));
    assert!(place.read("out") == (0..40_000u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
}

#[test]
fn what_small_blocks_cost_beside_their_bytes_is_predicted() {
    let place = Place::new();
    place.write("in", (0..20_000u32).rev().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    for p in [1, 2] {
        let line = format!("run sort in --type u32 --skeleton scatter-gather -p {p} -o out --block");
        let of = |block: &str| -> Vec<f64> {
            let said = place.run(&format!("{line} {block} --by analytic --json -")).ok();
            said.json().as_array().unwrap().iter().map(|o| o["makespan_s"].as_f64().unwrap()).collect()
        };
        // The one was off by a factor of a hundred where it went by the bytes alone.
        let (small, large) = (of("8B"), of("40kB"));
        assert!(small[0] > small[1] / 10.0, "{p}: {small:?}");
        assert!(small[0] > 2.0 * large[0], "{p}: {small:?} and {large:?}");
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

/// Every way follows blocks one by one: so many that it would take hours are refused before that.
#[test]
fn more_blocks_than_can_be_followed_are_refused() {
    let place = Place::new();
    place.write("p.toml", PROFILE);
    let platform = "--profile p.toml --platform bme-pc-cluster";
    for (verb, how) in [("predict", "--by analytic,simulated"), ("plan", ""), ("run", "--on simulated")] {
        let line = format!("{verb} tasks 1e9 --size 1kB --skeleton scatter-gather {platform} {how}");
        place.run(&line).refused(2, &["1,000,000,000 blocks of 1000 B", "at most 4,194,304", "--block"]);
    }
}
