//! Lines of numbers.

use std::cmp::Ordering;

use forerun_apps::sort::{ElementType, SortOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::driver::{Way, options, sort};

fn run(text: &str, way: &Way, memory: u64) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("numbers.txt");
    std::fs::write(&input, text).expect("written");
    let finished = sort(&[input], options(ElementType::Lines, memory), way).expect("sorted");
    std::fs::read_to_string(finished.path).expect("an output")
}

#[test]
fn spelling_is_kept_and_the_order_is_numeric() {
    let text = "10\n9\n-1.50\n 3\n003\n+3\n3.0\n3\n0\n-0\n1e3\n".replace("1e3\n", "100000000000000000000.01");
    let sorted = "-1.50\n-0\n0\n 3\n+3\n003\n3\n3.0\n9\n10\n100000000000000000000.01\n";
    for tasks in [1, 2, 7] {
        assert_eq!(run(&text, &Way { tasks, arity: 2, set: 3 }, 1 << 20), sorted);
    }
}

#[test]
fn files_without_a_last_newline_do_not_run_together() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let inputs = [directory.path().join("a"), directory.path().join("b")];
    std::fs::write(&inputs[0], "2\n12").expect("written");
    std::fs::write(&inputs[1], "34\n1").expect("written");
    let output = Some(directory.path().join("out"));
    let options = SortOptions { output, element: ElementType::Lines, ..SortOptions::default() };
    let finished = sort(&inputs, options, &Way::TWO).expect("sorted");
    assert_eq!(std::fs::read_to_string(finished.path).expect("an output"), "1\n2\n12\n34\n");
}

#[test]
fn a_bad_line_is_named_by_its_file_and_number() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("numbers.txt");
    let good: String = (0..5000).map(|n| format!("{n}\n")).collect();
    for (bad, what) in [("twelve", "\"twelve\" is not a decimal number"), ("", "the line is blank")] {
        std::fs::write(&input, format!("{good}{bad}\n{good}")).expect("written");
        for tasks in [1, 2, 13] {
            let way = Way { tasks, arity: 2, set: 2 };
            let error = sort(std::slice::from_ref(&input), options(ElementType::Lines, 1 << 20), &way)
                .expect_err("a bad line")
                .to_string();
            assert!(error.contains(&format!("numbers.txt:5001: {what}")), "{error}");
            assert_eq!(crate::driver::names(directory.path()), ["numbers.txt"]);
        }
    }
}

/// Whichever piece of the input is looked at first, by whichever rank.
#[test]
fn of_several_bad_lines_the_first_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let inputs = [directory.path().join("a.txt"), directory.path().join("b.txt")];
    let long = "7".repeat(70_000);
    let good: String = (0..3000).map(|n| format!("{n}\n")).collect();
    std::fs::write(&inputs[0], &good).expect("written");
    for (first, what) in [("x", "\"x\" is not"), (&*long, "longer than 64 KiB"), ("", "is blank")] {
        let bad = format!("{good}{first}\n{good}{long}\n{good}y\n{good}z\n\n");
        std::fs::write(&inputs[1], bad).expect("written");
        for (tasks, arity) in [(1, 2), (2, 3), (9, 3), (40, 4)] {
            let options = options(ElementType::Lines, 1 << 22);
            let options = SortOptions { output: Some(directory.path().join("out")), ..options };
            let way = Way { tasks, arity, set: 2 };
            let error = sort(&inputs, options, &way).expect_err("bad lines").to_string();
            assert!(error.contains("b.txt:3001: ") && error.contains(what), "{tasks}, {arity}: {error}");
        }
    }
}

#[test]
fn a_line_without_end_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("zeros");
    std::fs::write(&input, vec![b'0'; 300_000]).expect("written");
    for tasks in [1, 2] {
        let error = sort(
            std::slice::from_ref(&input),
            options(ElementType::Lines, 1 << 24),
            &Way { tasks, arity: 2, set: 1 },
        )
        .expect_err("no line is so long");
        assert!(error.to_string().contains("longer than 64 KiB"), "{error}");
    }
}

/// The value of a small number and its spelling, as the order is defined.
fn by_value_then_bytes(a: &String, b: &String) -> Ordering {
    let value = |s: &String| s.trim().parse::<f64>().expect("a number");
    value(a).partial_cmp(&value(b)).expect("no NaN").then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_cut_gives_the_same_order(
        numbers in vec((-2000i64..2000, 0u32..4), 0..4000),
        tasks in 1u64..12, set in 1usize..5, small in any::<bool>(), newline in any::<bool>(),
    ) {
        let mut lines: Vec<String> = numbers
            .iter()
            .map(|&(x, kind)| match kind {
                0 => format!("{x}"),
                1 => format!("{:.2}", x as f64 / 4.0),
                2 => format!("{x}.000"),
                _ => format!(" {x}"),
            })
            .collect();
        let mut text = lines.join("\n");
        if newline && !lines.is_empty() {
            text.push('\n');
        }
        lines.sort_by(by_value_then_bytes);
        let memory = if small { 64 << 10 } else { 1 << 24 };
        let sorted: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let ours = run(&text, &Way { tasks, arity: 2, set }, memory);
        prop_assert!(ours == sorted);
    }
}
