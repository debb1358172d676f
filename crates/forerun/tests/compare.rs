//! What `forerun compare` prints and writes, and what is said about files that are not outcomes.

mod sample;

use std::path::Path;

use forerun::compare::{self, By};
use forerun::{drawings, outcomes, report};
use forerun_platform::{Bytes, Input, Outcome, Strategy, Way};
use proptest::prelude::*;
use sample::bare;

#[test]
fn the_verdict_of_a_run_is_one_line() {
    let mut run = bare(Way::Threads, 8, 12.9, Some(12.4));
    if let Some(predicted) = &mut run.predicted {
        (predicted.low_s, predicted.high_s) = (11.6, 13.2);
    }
    assert_eq!(compare::verdict(&run), "predicted 12.4 s ± 0.8, measured 12.9 s (−3.9 %)");
    assert_eq!(compare::verdict(&bare(Way::Mpi, 8, 12.9, None)), "measured 12.9 s, nothing predicted");
    assert_eq!(
        compare::verdict(&bare(Way::Threads, 8, 0.0, Some(1.0))),
        "predicted 1.00 s ± 0.05, measured 0 s"
    );
    assert_eq!(compare::verdict(&bare(Way::Pepa, 8, 2.0, Some(2.0))), "predicted 2.00 s ± 0.10 (pepa)");
}

#[test]
fn pages_of_a_crawl_are_compared_for_as_many_as_came() {
    let pages = |mut outcome: Outcome, pages: u64| {
        outcome.pages = Some(pages);
        outcome.throughput = pages as f64 / outcome.makespan_s;
        outcome
    };
    let run = pages(bare(Way::Threads, 8, 60.0, Some(57.0)), 60);
    assert_eq!(
        compare::verdict(&run),
        "predicted 57.0 s ± 2.9, measured 60.0 s (−5.0 %) from the first request to the end: 60 pages, 1.00 pages/s"
    );
    let nothing = pages(bare(Way::Mpi, 8, 2.0, None), 1);
    let said = compare::verdict(&nothing);
    assert_eq!(
        said,
        "measured 2.00 s from the first request to the end: 1 page, 0.500 pages/s; nothing predicted"
    );
    // A thousand pages were predicted, because nobody knew how many there are; files are another job.
    let all =
        [run, pages(bare(Way::Analytic, 8, 1100.0, Some(1100.0)), 1000), bare(Way::Analytic, 8, 3.0, None)];
    let compared = compare::compare(&all);
    assert_eq!(compared.len(), 2);
    let crawl = compared.iter().find(|c| c.configuration.job.ends_with(" of a crawl")).unwrap();
    let analytic = crawl.predictions.iter().find(|p| p.by == By::Way(Way::Analytic)).unwrap();
    assert!((analytic.makespan.makespan_s - 66.0).abs() < 1e-9, "{analytic:?}");
    let json = compare::json(&all).unwrap();
    assert!((json[1]["relative_error"].as_f64().unwrap() - 0.1).abs() < 1e-9, "{json}");
}

#[test]
fn the_table_sets_every_prediction_beside_the_median() {
    let outcomes = [
        bare(Way::Simulated, 2, 5.5, None),
        bare(Way::Threads, 2, 6.0, Some(4.0)),
        bare(Way::Threads, 2, 4.0, Some(6.0)),
        bare(Way::Threads, 2, 5.0, Some(5.0)),
        bare(Way::Analytic, 2, 4.5, None),
        bare(Way::Analytic, 4, 2.4, Some(2.4)),
    ];
    let expected = "\
sort ints.bin on quad-core laptop

strategy  P  run by   runs  measured     min     max  predicted by  predicted        error  worst run
adaptive  2  threads     3    5.00 s  4.00 s  6.00 s  plan          5.00 s ± 0.25    0.0 %    +25.0 %
                                                      analytic      4.50 s         −10.0 %    −25.0 %
                                                      simulated     5.50 s         +10.0 %    +37.5 %
adaptive  4                                           analytic      2.40 s ± 0.12

plan: off by 0.0 % (adaptive, 2 processors)
analytic: off by −10.0 % (adaptive, 2 processors)
simulated: off by +10.0 % (adaptive, 2 processors)
";
    assert_eq!(compare::table(&outcomes, false), expected);
    assert!(compare::table(&outcomes, true).contains("\x1b[1mstrategy"));
}

/// What is put together of several plans, or of several predictions, is said in the table and in the report, which agree.
#[test]
fn a_median_over_several_plans_says_so() {
    let of = |way, seconds, tasks| {
        let mut outcome = sample::outcome(way, Strategy::Adaptive, 2, tasks, 1.0, 1);
        (outcome.makespan_s, outcome.predicted) = (seconds, None);
        outcome
    };
    let mut all = vec![of(Way::Threads, 5.0, 8), of(Way::Analytic, 4.0, 8), of(Way::Simulated, 3.0, 8)];
    let note = |all: &[Outcome]| {
        let (table, page) = (compare::table(all, false), report::html(all));
        let lines: Vec<String> =
            table.lines().filter(|l| l.contains(": the median of ")).map(String::from).collect();
        assert!(lines.iter().all(|line| page.contains(&format!("<li>{line}</li>"))), "{lines:?}");
        (lines, page)
    };
    let (lines, page) = note(&all);
    assert!(lines.is_empty() && !page.contains("1 of "), "{lines:?}");
    // The same again is nothing to be told.
    all.extend([of(Way::Threads, 6.0, 8), of(Way::Simulated, 3.0, 8)]);
    assert_eq!(note(&all).0, [""; 0]);
    all.extend([of(Way::Analytic, 7.0, 8), of(Way::Simulated, 3.5, 40)]);
    let (lines, page) = note(&all);
    let expected = [
        "adaptive on 2 processors, simulated: the median of 3 predictions of 2 plans (8 to 40 tasks)",
        "adaptive on 2 processors, analytic: the median of 2 predictions of one plan by different figures",
    ];
    assert_eq!(lines, expected);
    for part in ["threads, 1 of 2", "simulated, 1 of 3", "the shorter of the middle two"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn another_platform_is_not_compared() {
    let mut elsewhere = bare(Way::Simulated, 2, 1.0, None);
    elsewhere.platform = "a cluster\x1b[31m".into();
    let both = [bare(Way::Threads, 2, 5.0, None), elsewhere];
    assert!(compare::summaries(&compare::compare(&both)).is_empty());
    let table = compare::table(&both, false);
    assert_eq!(table.matches("Nothing here was both predicted and measured").count(), 2, "{table}");
    assert!(!table.contains('\x1b'), "a name must not reach the terminal as a command");
}

/// The outcome on an input of so many bytes.
fn on(bytes: u64, mut outcome: Outcome) -> Outcome {
    let words = format!("1 file, {} of i32", Bytes(bytes));
    outcome.input = Some(Input { bytes: Some(bytes), items: None, words });
    outcome
}

#[test]
fn another_input_is_not_another_run_of_the_same() {
    let run = |bytes, seconds| on(bytes, bare(Way::Threads, 2, seconds, None));
    let all = [
        run(400_004, 4.0),
        run(0, 0.001),
        run(400_000, 5.0),
        run(400_000, 7.0),
        on(400_000, bare(Way::Analytic, 2, 3.0, None)),
        // Of files of earlier builds.
        bare(Way::Threads, 2, 50.0, None),
        bare(Way::Threads, 2, 70.0, None),
    ];
    let compared = compare::compare(&all);
    let medians: Vec<Vec<f64>> =
        compared.iter().map(|c| c.measured.iter().map(|runs| runs.median()).collect()).collect();
    // What is not known first, then by size.
    assert_eq!(medians, [[60.0], [0.001], [6.0], [4.0]]);
    let predicted: Vec<usize> = compared.iter().map(|c| c.predictions.len()).collect();
    assert_eq!(predicted, [0, 0, 1, 0]);
    let json = compare::json(&all).expect("outcomes are JSON");
    assert_eq!(json[4]["relative_error"].as_f64(), Some(-0.5));
    let table = compare::table(&all, false);
    let titles: Vec<&str> = table.lines().filter(|line| line.ends_with("quad-core laptop")).collect();
    let expected = [
        "sort ints.bin on quad-core laptop",
        "sort ints.bin (1 file, 0 B of i32) on quad-core laptop",
        "sort ints.bin (1 file, 400 kB of i32) on quad-core laptop",
        // Which words round to the same.
        "sort ints.bin (1 file, 400 kB of i32: 400,004 B) on quad-core laptop",
    ];
    assert_eq!(titles, expected, "{table}");
    let page = report::html(&all);
    for title in expected {
        assert!(page.contains(&format!("{title}</a>")), "{title}");
    }
    let sheet = drawings::compared_sheet(&all);
    assert_eq!(sheet.rows.len(), 4);
}

#[test]
fn outcomes_that_do_not_say_what_their_input_was_are_read() {
    let known = on(7, bare(Way::Threads, 2, 5.0, None));
    let mut json = serde_json::to_value([&known]).expect("JSON");
    let read = |json: &serde_json::Value| outcomes::parse(Path::new("o.json"), &json.to_string());
    assert_eq!(read(&json).expect("outcomes"), std::slice::from_ref(&known));
    json[0].as_object_mut().expect("an outcome").remove("input").expect("an input");
    assert_eq!(read(&json).expect("outcomes"), [Outcome { input: None, ..known }]);
}

#[test]
fn summaries_name_the_worst() {
    let outcomes = sample::many();
    let all = compare::summaries(&compare::compare(&outcomes));
    assert_eq!(
        all.iter().map(|s| s.by).collect::<Vec<_>>(),
        [By::Plan, By::Way(Way::Analytic), By::Way(Way::Simulated)]
    );
    for s in all {
        assert_eq!(s.pairs, 16);
        assert!(s.median <= s.worst.abs() && s.median > 0.0, "{s:?}");
    }
}

#[test]
fn json_adds_the_error_and_reads_back() {
    let outcomes = [
        bare(Way::Threads, 2, 5.0, Some(4.0)),
        bare(Way::Analytic, 2, 6.0, None),
        bare(Way::Analytic, 4, 6.0, None),
    ];
    let json = compare::json(&outcomes).expect("outcomes are JSON");
    let errors: Vec<_> =
        json.as_array().expect("a list").iter().map(|o| o["relative_error"].as_f64()).collect();
    assert_eq!(errors, [Some(-0.2), Some(0.2), None]);
    let back = outcomes::parse(Path::new("back.json"), &json.to_string()).expect("reads back");
    assert_eq!(back, outcomes);
}

/// The message about some text that is not a list of outcomes.
fn complaint(text: &str) -> String {
    outcomes::parse(Path::new("bad.json"), text).expect_err("not outcomes").to_string()
}

#[test]
fn files_that_are_not_outcomes_are_told_what_was_expected_and_where() {
    let good = serde_json::to_string(&bare(Way::Threads, 2, 5.0, None)).expect("JSON");
    for (text, begins) in [
        ("", "bad.json: it is empty; expected a JSON list of outcomes"),
        ("way = 1", "bad.json, line 1: this is not JSON; expected a list of outcomes"),
        ("[\n{\"way\": \"threads\",\n", "bad.json, line 3: the JSON ends at column 0 before it is complete"),
        ("1\n2\n", "bad.json, line 2: this is not JSON; expected a list of outcomes"),
        ("[\n{\"way\" 1}]", "bad.json, line 2: the JSON is broken at column 8 (expected `:`)"),
        ("[]", "bad.json: it holds an empty list"),
        (
            "{\"way\": \"threads\"}",
            "bad.json, line 1: expected a list of outcomes `[{\"way\": …}, …]`, found one object",
        ),
        ("7", "bad.json, line 1: expected a list of outcomes `[{\"way\": …}, …]`, found a number"),
        (
            &format!("[{good},\n{{\"way\": \"magic\"}}]"),
            "bad.json, line 2: outcome 2 of the list is not one (unknown variant `magic`",
        ),
        (
            &format!("[{good},\n{{\"way\": \"mpi\"}}]"),
            "bad.json, line 2: outcome 2 of the list is not one (missing field",
        ),
        (
            &format!("[{}]", good.replace("\"makespan_s\":5.0", "\"makespan_s\":-5.0")),
            "bad.json: outcome 1 has `makespan_s` -5",
        ),
        (
            &format!("[{}]", good.replace("\"processors\":2", "\"processors\":0")),
            "bad.json: outcome 1 has `processors` 0",
        ),
    ] {
        let said = complaint(text);
        assert!(said.starts_with(begins), "{text:?} gave {said:?}");
        assert!(said.contains("expected"), "{said:?} does not say what was expected");
    }
    let said = outcomes::read(&["no/such/file.json"]).expect_err("missing").to_string();
    assert!(said.starts_with("no/such/file.json does not exist"), "{said}");
}

#[test]
fn several_files_are_read_in_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = [1.0, 2.0].map(|s| {
        let file = dir.path().join(format!("{s}.json"));
        let list: [Outcome; 1] = [bare(Way::Threads, 2, s, None)];
        std::fs::write(&file, serde_json::to_string(&list).expect("JSON")).expect("written");
        file
    });
    let times: Vec<f64> = outcomes::read(&files).expect("outcomes").iter().map(|o| o.makespan_s).collect();
    assert_eq!(times, [1.0, 2.0]);
}

proptest! {
    /// Whatever the order of the files, the comparison is the same.
    #[test]
    fn order_does_not_matter(times in prop::collection::vec((1usize..4, 0.001f64..100.0, 0usize..3), 1..20), turn in 0usize..20) {
        let ways = [Way::Threads, Way::Simulated, Way::Analytic];
        let mut outcomes: Vec<_> = times.iter().map(|(p, s, way)| bare(ways[*way], *p, *s, Some(1.1 * s))).collect();
        let before = compare::compare(&outcomes);
        let turn = turn % outcomes.len();
        outcomes.rotate_left(turn);
        prop_assert_eq!(before, compare::compare(&outcomes));
    }

    /// Scaling all times changes no error.
    #[test]
    fn errors_have_no_unit(predicted in 0.001f64..1e3, measured in 0.001f64..1e3, scale in 0.001f64..1e3) {
        let plain = compare::relative_error(predicted, measured).unwrap_or(f64::NAN);
        let scaled = compare::relative_error(predicted * scale, measured * scale).unwrap_or(f64::NAN);
        prop_assert!((plain - scaled).abs() <= 1e-9 * (1.0 + plain.abs()));
    }
}
