//! `run sort` gives what a sequential sort gives.

use crate::util::{PROCESSORS, Place, STRATEGIES, finish, numbers, runs_on};

/// `n` elements of a type as a file holds them, and the same sorted.
fn input(element: &str, n: usize, seed: u64) -> (Vec<u8>, Vec<u8>) {
    fn of<T: Copy, const W: usize>(
        n: usize,
        seed: u64,
        make: impl Fn(u64) -> T,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
        bytes: impl Fn(T) -> [u8; W],
    ) -> (Vec<u8>, Vec<u8>) {
        let mut all: Vec<T> = numbers(seed).take(n).map(make).collect();
        let as_file = |all: &[T]| all.iter().flat_map(|&x| bytes(x)).collect();
        let unsorted = as_file(&all);
        all.sort_by(order);
        (unsorted, as_file(&all))
    }
    match element {
        "i32" => of(n, seed, |x| x as i32, Ord::cmp, i32::to_le_bytes),
        // Many equal ones.
        "i64" => of(n, seed, |x| (x % 17) as i64 - 8, Ord::cmp, i64::to_le_bytes),
        "u32" => of(n, seed, |x| x as u32, Ord::cmp, u32::to_le_bytes),
        "u64" => of(n, seed, |x| x, Ord::cmp, u64::to_le_bytes),
        "f64" => of(n, seed, f64::from_bits, f64::total_cmp, f64::to_le_bytes),
        "lines" => {
            let mut all: Vec<i64> = numbers(seed).take(n).map(|x| x as i64 >> (x % 60)).collect();
            let as_file = |all: &[i64]| all.iter().flat_map(|x| format!("{x}\n").into_bytes()).collect();
            let unsorted = as_file(&all);
            all.sort_unstable();
            (unsorted, as_file(&all))
        }
        _ => unreachable!(),
    }
}

#[test]
fn every_type_and_size() {
    let place = Place::new();
    place.profile();
    for element in ["i32", "i64", "u32", "u64", "f64", "lines"] {
        for n in [0, 1, 2, 997, 20_011] {
            let (unsorted, sorted) = input(element, n, n as u64);
            place.write("in", unsorted);
            place.run(&format!("run sort in --type {element} -p 2 --profile profile.toml --grain 8kB")).ok();
            assert!(place.read("in.sorted") == sorted, "{n} {element}");
        }
    }
    place.assert_clean();
}

#[test]
fn every_strategy_on_every_number_of_processors() {
    let place = Place::new();
    place.profile();
    let (unsorted, sorted) = input("i32", 20_011, 7);
    place.write("in", unsorted);
    for strategy in STRATEGIES {
        for p in PROCESSORS {
            if !runs_on(strategy, p) {
                let line = format!("run sort in --strategy {strategy} -p {p} --arity 2");
                place.run(&format!("{line} --profile profile.toml")).refused(2, &["power of 2"]);
                continue;
            }
            let line = format!("run sort in --strategy {strategy} -p {p} --profile profile.toml");
            place.run(&format!("{line} --grain 3kB -o out{p} --json out.json")).ok();
            assert!(place.read(&format!("out{p}")) == sorted, "{strategy} on {p}");
            let outcome = &serde_json::from_slice::<serde_json::Value>(&place.read("out.json")).unwrap()[0];
            assert_eq!(outcome["strategy"], strategy);
            assert_eq!(outcome["processors"], p);
            let tasks = outcome["plan"]["grain"]["tasks"].as_u64();
            assert_eq!(outcome["stages"]["task"]["count"].as_u64(), tasks, "{strategy} on {p}");
        }
    }
    place.assert_clean();
}

#[test]
fn groups_arity_sets_and_fewer_tasks_than_processors() {
    let place = Place::new();
    place.profile();
    let (unsorted, sorted) = input("u64", 9_973, 3);
    place.write("in", unsorted);
    for shape in [
        "-p 8 --groups 2 --strategy parallel-pipeline --grain 2kB",
        "-p 9 --arity 3 --strategy parallel-pipeline --groups 1 --grain 1kB",
        "-p 8 --groups 4 --strategy reduction-tree --grain 1kB",
        "-p 6 --groups 3 --strategy master-slave --grain 1kB --window 1",
        "-p 8 --groups 2 --strategy adaptive --set 3 --grain 1kB",
        "-p 8 --strategy reduction-tree --arity 5 --grain 1kB",
        "-p 7 --groups 7 --strategy parallel-pipeline --grain 1kB",
        "-p 100 --grain 20kB",
    ] {
        place.run(&format!("run sort in --type u64 {shape} --profile profile.toml")).ok();
        assert!(place.read("in.sorted") == sorted, "{shape}");
    }
    place.assert_clean();
}

#[test]
fn emulated_on_another_machine() {
    let place = Place::new();
    place.profile();
    let (unsorted, sorted) = input("i64", 5_003, 1);
    place.write("in", unsorted);
    let line = "run sort in --type i64 --on emulated --platform osaka-fast-ethernet --grain 2kB";
    for strategy in STRATEGIES {
        let said =
            place.run(&format!("{line} -p 4 --strategy {strategy} --profile profile.toml --json -")).ok();
        assert!(place.read("in.sorted") == sorted, "{strategy}");
        assert_eq!(said.json()[0]["way"], "emulated");
        assert_eq!(said.json()[0]["platform"], "osaka-fast-ethernet");
    }
    place.assert_clean();
}

#[test]
fn short_of_memory_it_goes_by_way_of_the_disk() {
    let place = Place::new();
    let (unsorted, sorted) = input("i32", 400_009, 5);
    place.write("in", unsorted);
    for p in [1, 2] {
        let said = place.say(["run", "sort", "in", "--memory", "256 KiB", "-p", &p.to_string()]).ok();
        let text = said.text();
        assert!(text.contains("by way of the disk"), "{text}");
        assert!(place.read("in.sorted") == sorted, "on {p}");
        // There is room to merge 9 results of some tens of kB at a time: most are merged again, which the plan says before.
        let before = |words: &str| {
            let (size, _) = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}"));
            let size: Vec<&str> = size.rsplit(' ').take(2).collect();
            assert_eq!(size[0], "MB", "{text}");
            size[1].parse::<f64>().unwrap()
        };
        let (planned, went) = (before(" in all since only"), before(" of it by way of the disk"));
        assert!(
            planned > 1.6 && (planned / went - 1.0).abs() < 0.25,
            "{planned} planned, {went} went: {text}"
        );
    }
    place.assert_clean();
}

#[test]
fn a_plan_says_what_goes_by_way_of_the_disk() {
    let place = Place::new();
    place.write("in", input("i32", 400_009, 5).0);
    // 0.1 MB of 1.6 MB may rest in memory: the pilot measures the way of the others to the disk and back.
    let short =
        place.say(["plan", "sort", "in", "--memory", "256 KiB", "-p", "1", "--write-profile", "short"]).ok();
    assert!(short.text().contains("by way of the disk"), "{}", short.text());
    let profile = String::from_utf8(place.read("short")).unwrap();
    assert!(profile.contains("[reduction.spill]"), "{profile}");
    let ample = place.run("plan sort in -p 1 --write-profile ample").ok();
    assert!(!ample.text().contains("by way of the disk"), "{}", ample.text());
    assert!(!String::from_utf8(place.read("ample")).unwrap().contains("spill"));
    // A written profile says the same again, in both predictions: a disk that is slow costs as much.
    let slow = "format = 1\napplication = \"any\"\n[reduction]\ntask = { per_byte = \"1 ns/B\" }\nmerge = \"0 s\"\n\
                result_bytes = { per_byte = 1.0 }\n[reduction.spill]\nroom = \"0 B\"\nwrite = { per_byte = \"1 us/B\" }\n\
                read = { per_byte = \"1 us/B\" }\n";
    place.write("slow", slow);
    let line = "predict sort in -p 1 --profile slow --by analytic,simulated --json out.json";
    place.run(line).ok();
    let outcomes = serde_json::from_slice::<serde_json::Value>(&place.read("out.json")).unwrap();
    for outcome in outcomes.as_array().unwrap() {
        let seconds = outcome["makespan_s"].as_f64().unwrap();
        // 1.6 MB, 2 µs a byte there and back, and what its tasks cost.
        let expected = 1_600_036.0 * (2e-6 + 1e-9);
        assert!((seconds / expected - 1.0).abs() < 0.01, "{seconds} for {expected}: {outcome}");
    }
    place.assert_clean();
}

#[test]
fn several_inputs_make_one_output_which_may_be_one_of_them() {
    let place = Place::new();
    let (unsorted, sorted) = input("u32", 10_007, 9);
    let (a, b) = unsorted.split_at(4 * 3_001);
    place.write("a", a);
    place.write("b", b);
    place.write("empty", "");
    place.run("run sort a empty b --type u32 -o c").ok();
    assert!(place.read("c") == sorted);
    assert!(place.read("a") == a && place.read("b") == b);
    place.run("run sort a b --type u32 -o a").ok();
    assert!(place.read("a") == sorted);
    place.run("run sort a b --type u32").refused(2, &["-o"]);
    place.run("run sort a ./a --type u32 -o c").refused(2, &["twice"]);
    place.assert_clean();
}

#[test]
fn each_repeat_is_an_outcome() {
    let place = Place::new();
    let (unsorted, sorted) = input("i32", 1_009, 2);
    place.write("in", unsorted);
    let said = place.run("run sort in --repeat 3 --json - -q").ok();
    assert_eq!(said.json().as_array().unwrap().len(), 3);
    assert!(place.read("in.sorted") == sorted);
}

/// Where no result is written, none need be possible beside the input: not even root can make files there.
#[test]
fn what_is_only_foreseen_needs_no_place_for_a_result() {
    let place = Place::new();
    place.write("in", input("i32", 20_011, 3).0);
    let from = |line: &str| {
        let mut command = place.command(line.split_whitespace());
        command.stdin(std::fs::File::open(place.path("in")).unwrap());
        finish(command)
    };
    for skeleton in ["reduction", "scatter-gather", "auto"] {
        for line in [
            "predict sort /dev/fd/0 -p 1",
            "plan sort /dev/fd/0 -p 1",
            "run sort /dev/fd/0 -p 1 --on simulated",
        ] {
            from(&format!("{line} --skeleton {skeleton}")).ok();
        }
        let run = format!("run sort /dev/fd/0 -p 1 --skeleton {skeleton}");
        from(&run).refused(2, &["/dev/fd/0", "name the output"]);
        from(&format!("{run} -o out")).ok();
        assert_eq!(place.read("out"), input("i32", 20_011, 3).1);
    }
    // One that is named is meant to be.
    place.run("predict sort in -o none/out").refused(2, &["none"]);
    place.assert_clean();
}

/// What is no regular file gets the result as other programs give it.
#[test]
fn a_result_goes_to_a_device_and_through_a_pipe() {
    let place = Place::new();
    place.profile();
    let (unsorted, sorted) = input("i64", 40_011, 5);
    place.write("in", unsorted);
    for more in ["--profile profile.toml", "--skeleton scatter-gather", "", "--memory 128KiB -p 1"] {
        let line = format!("run sort in --type i64 {more} -o");
        place.run(&format!("{line} /dev/null")).ok();
        assert!(!std::path::Path::new("/dev/null").is_file());
        let pipe = place.pipe("pipe");
        let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
        place.run(&format!("{line} pipe")).ok();
        assert!(reader.join().unwrap() == sorted, "{more}");
        assert!(!place.path("pipe").is_file());
        std::fs::remove_file(place.path("pipe")).unwrap();
    }
    place.assert_clean();
}
