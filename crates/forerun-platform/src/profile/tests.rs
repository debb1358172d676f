//! Profile files: what a good one gives, and that every kind of bad one points at its line.

use proptest::prelude::*;

use super::*;

const GOOD: &str = r#"format = 1
application = "features"
[reduction]
task = { fixed = "150 ms", per_byte = "3 ns/B", spread = 0.05 }
merge = { per_result = "12.8 ms" }
sink = "2 ms"
result_bytes = { fixed = "20.5 B", per_byte = 1.5 }
growth = [1, 0.9]
"#;

#[test]
fn a_file_is_read() {
    let profile = Profile::from_toml(GOOD, "f.toml").unwrap_or_else(|e| panic!("{e}"));
    let r = profile.reduction.clone().unwrap();
    assert_eq!(r.task, Cost { fixed: 0.15, per_byte: 3e-9, spread: 0.05, ..Cost::default() });
    assert_eq!((r.merge.per_result, r.sink, r.finish), (0.0128, Cost::constant(0.002), Cost::default()));
    assert_eq!((r.result_bytes, r.growth), ((20.5, 1.5), vec![1.0, 0.9]));
    assert_eq!(Profile::from_toml(&profile.to_toml(), "x").unwrap_or_else(|e| panic!("{e}")), profile);
}

#[test]
fn every_kind_of_fault_points_at_its_line() {
    for (part, by, line, column, message) in [
        ("format = 1", "format = 2", 1, 10, "the file has format 2; this build of Forerun reads format 1"),
        ("application", "aplication", 2, 1, "did you mean \"application\"?"),
        ("[reduction]", "[reductoin]", 3, 2, "did you mean \"reduction\"?"),
        ("\"150 ms\"", "\"150\"", 4, 18, "fixed = \"150\" has no unit"),
        ("\"150 ms\"", "150", 4, 18, "where a quantity with its unit, such as \"50 us\", is expected"),
        ("\"3 ns/B\"", "\"3 ns\"", 4, 39, "did you mean \"3 ns/B\"?"),
        ("spread = 0.05", "spread = -1", 4, 58, "\"spread\" is a number from 0 to 1000000"),
        ("spread = 0.05", "spraed = 0.05", 4, 49, "did you mean \"spread\"?"),
        ("per_result = \"12.8 ms\"", "", 5, 9, "\"merge\" says no time: add fixed, per_byte or per_result"),
        ("merge = { per_result = \"12.8 ms\" }", "", 3, 1, "[reduction] has no \"merge\""),
        ("\"2 ms\"", "\"2 kB\"", 6, 8, "is a size, where a time is expected"),
        ("per_byte = 1.5", "per_byte = '1.5 B'", 7, 47, "where a number from 0 to 1000000 is expected"),
        ("0.9", "0", 8, 14, "\"growth\" is a number above 0"),
        ("growth", "tried = \"1 us\"\ngrowth", 8, 9, "is a time, where a size is expected"),
        ("0.9", "1e9", 8, 14, "\"growth\" is a number above 0 and up to 1000000"),
        ("\"150 ms\"", "\"1e30 s\"", 4, 18, "and cannot be more than"),
        ("\"3 ns/B\"", "\"1e7 s/B\"", 4, 39, "and cannot be more than 1000000 s/B"),
        ("spread = 0.05", "spread = 1e30", 4, 58, "\"spread\" is a number from 0 to 1000000"),
        ("spread = 0.05", "wait = \"1e30 s\"", 4, 56, "and cannot be more than"),
        ("\"2 ms\"", "\"1e20 h\"", 6, 8, "and cannot be more than"),
        ("per_byte = 1.5", "per_byte = 1e30", 7, 47, "\"per_byte\" is a number from 0 to"),
        ("growth", "contention = 7\ngrowth", 8, 14, "\"contention\" is a number from 0 to 1"),
        (
            "growth",
            "tried = \"0 B\"\ngrowth",
            8,
            9,
            "\"tried\" is 0 B, which is no size of a task: leave it out",
        ),
        ("\"20.5 B\"", "\"1e30 B\"", 7, 26, "is 1000000000000 EB, and cannot be more than 9 EB"),
        ("growth", "tried = \"1e30 B\"\ngrowth", 8, 9, "and cannot be more than 9 EB"),
        ("growth", "grown_from = \"1e30 B\"\ngrowth", 8, 14, "and cannot be more than 9 EB"),
        ("[1, 0.9]", "[1]\n[reduction.spill]\nroom = \"1e30 B\"", 10, 8, "and cannot be more than 9 EB"),
        ("[1, 0.9]", "[]", 8, 10, "\"growth\" is an empty list: give a number, or leave it out"),
        ("fixed = \"150 ms\", per_byte = \"3 ns/B\"", "fixed = \"0 s\"", 4, 8, "\"task\" takes no time"),
        (
            "{ fixed = \"150 ms\", per_byte = \"3 ns/B\", spread = 0.05 }",
            "\"0 s\"",
            4,
            8,
            "\"task\" takes no time",
        ),
        ("growth", "grown_from = \"0 B\"\ngrowth", 8, 14, "which is no size: leave it out"),
        ("[1, 0.9]", "1", 8, 10, "where a list of numbers is expected"),
        ("[1, 0.9]", "[1]\n[reduction.spill]\nrooom = \"1 MB\"", 10, 1, "did you mean \"room\"?"),
    ] {
        let error = Profile::from_toml(&GOOD.replacen(part, by, 1), "f.toml").expect_err(by);
        let all: Vec<_> = error.problems().iter().map(|p| (p.line, p.column, &p.message)).collect();
        assert!(
            error
                .problems()
                .iter()
                .any(|p| p.line == line && p.column == column && p.message.contains(message)),
            "{by:?} should give {line}:{column} {message:?}, gives {all:?}"
        );
        assert!(all.len() <= 2, "{by:?} gives {all:?}");
    }
}

/// What is wrong is told, and not taken for a cost of nothing.
#[test]
fn a_figure_that_cannot_be_is_one_fault() {
    let task = "{ fixed = \"150 ms\", per_byte = \"3 ns/B\", spread = 0.05 }";
    for by in [
        "\"1e300 s\"",
        "{ fixed = \"1e300 s\" }",
        "{ fixed = \"1e20 s\" }",
        "{ per_byte = \"3 ns\" }",
        "{ wait = { per_result = \"-1 s\" } }",
        "{ fixed = \"0 s\", spread = -1 }",
    ] {
        assert!(GOOD.contains(task));
        let error = Profile::from_toml(&GOOD.replacen(task, by, 1), "f.toml").expect_err(by);
        assert_eq!(error.problems().len(), 1, "{by}: {error}");
    }
    for phases in ["process = \"1e300 s/B\"", "process = \"0 s/B\"\nlocal = { fixed = \"1e300 s\" }"] {
        let text =
            format!("format = 1\napplication = \"a\"\n[scatter_gather]\nread = \"1 ns/B\"\n{phases}\n");
        let error = Profile::from_toml(&text, "f.toml").expect_err(phases);
        assert_eq!(error.problems().len(), 1, "{phases}: {error}");
    }
}

#[test]
fn what_is_waited_for_is_one_time_or_a_line() {
    let sink = |by: &str| {
        let text = GOOD.replacen("\"2 ms\"", by, 1);
        Profile::from_toml(&text, "f.toml").map(|profile| profile.reduction.map(|r| r.sink))
    };
    let wait = |by: &str| sink(by).unwrap_or_else(|e| panic!("{e}")).map(|sink| (sink.fixed, sink.wait));
    let waited = Wait { fixed: 0.02, per_byte: 1e-6, per_result: 0.0 };
    assert_eq!(wait("{ fixed = \"2 ms\", wait = \"20 ms\" }"), Some((0.002, Wait::constant(0.02))));
    assert_eq!(wait("{ wait = { fixed = \"20 ms\", per_byte = \"1 us/B\" } }"), Some((0.0, waited)));
    for (by, message) in [
        ("{ wait = \"20 MB\" }", "is a size, where a time is expected"),
        ("{ wait = { fixd = \"1 s\" } }", "did you mean \"fixed\"?"),
    ] {
        let error = sink(by).expect_err(by);
        assert!(error.problems().iter().any(|p| p.message.contains(message)), "{by}: {error}");
    }
}

#[test]
fn results_rest_as_a_whole_or_not() {
    let spill = Spill { room: 25.0, ..Spill::default() };
    for (results, bytes, spilled) in [(2, 10.0, 0), (3, 10.0, 1), (7, 26.0, 7), (7, 0.0, 0), (0, 1.0, 0)] {
        assert_eq!(spill.spilled(results, bytes), spilled, "{results} of {bytes}");
    }
}

#[test]
fn json_has_units_in_its_names() {
    let profile = Profile::from_toml(GOOD, "f.toml").unwrap();
    let json = serde_json::to_value(&profile).unwrap();
    assert_eq!(json["reduction"]["task"]["fixed_s"], 0.15);
    assert_eq!(json["reduction"]["task"]["per_byte_s"], 3e-9);
    assert_eq!(json["reduction"]["merge"]["per_result_s"], 0.0128);
    assert_eq!(json["reduction"]["result_bytes"], serde_json::json!({"fixed_bytes": 20.5, "per_byte": 1.5}));
    assert_eq!(serde_json::from_value::<Profile>(json).unwrap(), profile);
}

prop_compose! {
    fn costs()(
        fixed in 0.0..1e3f64, per_byte in 0.0..1e-6f64, per_result in 0.0..1.0f64, spread in 0.0..2.0f64,
        error in 0.0..1.0f64, waits in proptest::option::of((0.0..1e3f64, 0.0..1e-6f64, 0.0..1.0f64)),
    ) -> Cost {
        let (waited, each, result) = waits.unwrap_or_default();
        let wait = Wait { fixed: waited, per_byte: each, per_result: result };
        Cost { fixed, per_byte, per_result, wait, spread, error }
    }
}

proptest! {
    #[test]
    fn a_written_file_reads_back_as_the_same(
        task in costs(), merge in costs(), sink in costs(), finish in costs(),
        result_bytes in (0.0..1e9f64, 0.0..9.0f64), growth in proptest::collection::vec(1e-3..2.0f64, 0..4),
        grown_from in proptest::option::of(1e-3..1e12f64),
        join in proptest::option::of((any::<bool>(), costs(), 0.0..1e-6f64)), contention in 0.0..=1.0f64, new_memory in prop_oneof![Just(0.0), 0.0..1e-6f64],
        program in proptest::option::of("\\PC{1,20}"), spill in proptest::option::of((0.0..1e12f64, 0u32..1000, costs(), costs())), tried in proptest::option::of(0u64..1 << 50),
    ) {
        let join = join.map(|(at, cost, beside)| Join { at: if at { JoinAt::Sink } else { JoinAt::Finish }, cost, beside });
        let spill = spill.map(|(room, ways, write, read)| Spill { room, ways: f64::from(ways), write, read });
        let grown_from = grown_from.unwrap_or(0.0);
        let tried = tried.unwrap_or(0) as f64;
        let reduction = Some(ReductionProfile { task, merge, sink, finish, result_bytes, growth, grown_from, join, contention, new_memory, spill, tried });
        let source = "a \"pilot\"\nrun".into();
        let profile = Profile { application: "sort".into(), source, program, reduction, ..Profile::default() };
        let text = profile.to_toml();
        let again = Profile::from_toml(&text, "x").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(again, profile);
    }
}
