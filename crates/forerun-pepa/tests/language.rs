//! What is read, what is refused, and what is written.

mod common;

use common::{random, space, system};
use forerun_pepa::check::check;
use forerun_pepa::model::{Settings, compile};
use forerun_pepa::syntax::{Dialect, Severity, parse, print};
use proptest::prelude::*;

fn states(text: &str, dialect: Dialect) -> usize {
    let model = parse(text, dialect).model.unwrap_or_else(|| panic!("{text}"));
    let system = compile(&model, &Settings::new()).system.unwrap_or_else(|| panic!("{text}"));
    common::try_space(&system, false).unwrap().states()
}

fn refused(text: &str, dialect: Dialect) -> String {
    let all = check(text, dialect);
    let errors: Vec<String> =
        all.iter().filter(|d| d.severity == Severity::Error).map(|d| d.message.clone()).collect();
    assert!(!errors.is_empty(), "{text}");
    errors.join("\n")
}

/// Two local states that follow each other at a rate that is defined in `head`.
fn ring(head: &str, rate: &str) -> String {
    format!("{head}\nGo = (go, {rate}).Back; Back = (back, 1).Go;\nGo")
}

#[test]
fn all_ways_to_write_a_rate_are_read() {
    for (head, rate) in [
        ("r = 2;", "r"),
        ("r := 2.0;", "r"),
        ("%r = 2;", "r"),
        ("R = 2.;", "R"),
        ("r = .5; s = 4 * r;", "s"),
        ("r = 1e-3 * 2.0E+3;", "r"),
        ("r = 1; s = -(r - 3);", "s"),
        ("", "2"),
        ("r = 1; // a remark\n/* and\nmore */ {- of it -}\n% and this one", "2*r"),
        ("% r = 3;\nr = 2;", "r"),
    ] {
        let (_, _, measures) = common::solved(&ring(head, rate));
        let go = measures.throughput_of("go").unwrap();
        assert!(common::near(go, 2.0 / 3.0, 1e-12), "{head} {rate}: {go}");
    }
}

#[test]
fn all_ways_to_write_a_passive_rate_are_read() {
    for passive in ["infty", "T", "_", "top", "2 * infty", "infty * 2", "infty 2", "w*T", "(w + 1) * T"] {
        let text = format!("w = 3; P = (go, 2).P2; P2 = (back, 1).P; Q = (go, {passive}).Q; P <go> Q");
        let (_, _, measures) = common::solved(&text);
        assert!(common::near(measures.throughput_of("go").unwrap(), 2.0 / 3.0, 1e-12), "{passive}");
    }
    // A rate that is called `top` is a rate.
    assert_eq!(states(&ring("top = 2;", "top"), Dialect::Any), 2);
    assert!(refused("P = (go, infty + 1).P; P", Dialect::Any).contains("weight"));
}

#[test]
fn cooperation_hiding_and_arrays_are_read_as_they_are_written_anywhere() {
    let p = "P = (a, 1).P1; P1 = (b, 1).P; ";
    for (system, count) in [
        ("P || P", 4),
        ("P <> P", 4),
        ("P <a, b> P", 2),
        ("P <*> P", 2),
        ("P[3]", 4),
        ("P[1 + 2]", 4),
        ("P[3, {a, b}]", 2),
        ("P[3][a, b]", 2),
        ("(P <> P)[2]", 16),
        ("(P <> P) / {a}", 4),
        ("(P <> P) / <a>", 4),
        ("P / {a} <> P", 4),
        ("P <> P;", 4),
        ("# Sys = P <> P; Sys <a> P", 8),
        ("Sys = P <> P; Sys", 4),
        ("\"a name\" = (a, 1).\"a name\"; \"a name\" <a> P", 2),
        ("P' = (a, 1).P'; P' <a> P", 2),
        ("(a, 1).(b, 1).P", 4),
        ("(P + P1) <> P", 6),
    ] {
        assert_eq!(states(&format!("{p}{system}"), Dialect::Any), count, "{system}");
    }
}

#[test]
fn what_tools_read_differently_is_read_as_the_dialect_says() {
    let p = "P = (a, 1).P1; P1 = (b, 1).P; Q = (c, 1).Q1; Q1 = (a, 1).Q;";
    assert!(refused(&format!("{p} P + Q <a> P"), Dialect::Any).contains("parentheses"));
    assert_eq!(
        states(&format!("{p} P + Q <a> P"), Dialect::Ipc),
        states(&format!("{p} (P + Q) <a> P"), Dialect::Any)
    );
    // From the left, or from the right.
    let chain = format!("{p} P <a> Q <> Q");
    assert_eq!(states(&chain, Dialect::Any), states(&format!("{p} (P <a> Q) <> Q"), Dialect::Any));
    assert_eq!(states(&chain, Dialect::Workbench), states(&format!("{p} P <a> (Q <> Q)"), Dialect::Any));
    // `%` marks or hides a definition.
    let marked = "%r = 2;\nP = (a, r).P; P";
    assert_eq!(states(marked, Dialect::Eclipse), 1);
    assert!(refused(marked, Dialect::Workbench).contains("no rate `r`"));
    // Names with hyphens.
    let hyphens = "#P-1 = (a, r).P-1; P-1";
    assert!(refused(&format!("r = 1;{hyphens}"), Dialect::Any).contains("expected"));
    assert_eq!(states(&format!("r = 1;{hyphens}"), Dialect::Workbench), 1);
}

#[test]
fn several_errors_are_found_at_once_each_at_its_place() {
    let text = "r = 1;\nP = (a, r)P;\nQ = (b, rr).Q;\nS = (c, 2\nU = (d, r).Nowhere;\nQ <b> U";
    let all = parse(text, Dialect::Any).diagnostics;
    let lines: Vec<usize> = all.iter().map(|d| d.problem(text).line).collect();
    assert_eq!(lines, [2, 5], "{all:?}");
    let text = "rate = 1;\nP = (a, rat).Quene;\nQueue = (b, 0).P;\nP <a> Quux";
    let all = check(text, Dialect::Any);
    let errors: Vec<(usize, &str)> = all
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| (d.problem(text).line, d.message.as_str()))
        .collect();
    assert_eq!(errors.iter().map(|e| e.0).collect::<Vec<_>>(), [2, 2, 3, 4], "{errors:?}");
    assert!(errors[0].1.contains("did you mean `rate`"), "{errors:?}");
    assert!(errors[1].1.contains("did you mean `Queue`"), "{errors:?}");
}

#[test]
fn extensions_of_other_tools_are_refused_by_name() {
    for (text, word) in [
        ("P = tau.P; P", "has no rate"),
        ("P = (a, 1:immediate).P; P", "immediate"),
        ("P = (a[2], 1).P; P", "priorities"),
        ("P = (a, if P > 1 then 2 else 3).P; P", "depend on the state"),
        ("P = (a, min(1, 2)).P; P", "functions"),
        ("P = (a, 1).P; P & {a:b}", "renaming"),
        ("P = (a, 1).P; P <tau> P", "tau"),
    ] {
        assert!(refused(text, Dialect::Any).contains(word), "{text}: {}", refused(text, Dialect::Any));
    }
}

#[test]
fn models_that_mean_nothing_are_refused() {
    for (text, word) in [
        ("P = Q; Q = P; P", "unguarded"),
        ("P = P + (a, 1).P; P", "unguarded"),
        ("P = (a, 1).P + (a, infty).P; P", "both active and passive"),
        ("P = (a, 1).(P <> P); P", "cannot follow"),
        ("S = S <> S; S", "contains itself"),
        ("P = (a, 1 - 1).P; P", "positive"),
        ("P = (a, 1/0).P; P", "zero"),
        ("r = s; s = r; P = (a, r).P; P", "by itself"),
        ("P = (a, 1).P; P[1.5]", "whole"),
        ("P = (a, 1).P; P[0]", "whole"),
        ("P = (tau, infty).P; P", "tau"),
        ("P = (a, 1).P; P = (b, 1).P; P", "already"),
        ("P = (a, infty).P; P", "nobody makes it happen"),
        ("", "no system equation"),
        ("P = (a, 1).P; P Q = (b, 1).Q;", "after the system equation"),
    ] {
        assert!(refused(text, Dialect::Any).contains(word), "{text}: {}", refused(text, Dialect::Any));
    }
}

#[test]
fn what_is_probably_not_meant_is_said() {
    for (text, kind) in [
        ("r = 1; P = (a, 1).P; P", "unused"),
        ("P = (a, 1).P; Q = (b, 1).Q; P", "unused"),
        ("P = (a, 1).P; Q = (b, 1).Q; P <a> Q", "blocked"),
        ("P = (a, 1).P; P <b> P", "redundant"),
        ("P = (a, 1).P; P / {b}", "hiding"),
        ("P = (a, 1).P1; P1 = (b, 1).P1; P", "transient"),
        ("P = (a, 1).P1; P1 = (b, 1).P1 + (c, 1).P; P", "self-loop"),
        ("P = (a, 1).P1; P1 = (b, 1).P; Q = (b, 1).Q1; Q1 = (a, 1).Q; P <a, b> Q", "deadlock"),
    ] {
        let all = check(text, Dialect::Any);
        assert!(all.iter().any(|d| d.kind == kind), "{text}: {all:?}");
    }
    assert_eq!(check("r = 1; P = (a, r).P1; P1 = (b, 2).P; P <a> P", Dialect::Any), []);
}

#[test]
fn comments_stay_where_they_are() {
    let text =
        "// head\nr = 1; // fast\n\n/* about\n * P */\nP = (a, r).P; % beside\n\nP // system\n// end\n";
    let model = parse(text, Dialect::Any).model.unwrap();
    let expected =
        "// head\nr = 1; // fast\n\n// about\n// P\nP = (a, r).P; // beside\n\nP // system\n// end\n";
    assert_eq!(print(&model), expected);
}

fn written_is_read(text: &str) {
    let model = parse(text, Dialect::Any).model.unwrap();
    let canonical = print(&model);
    let again = parse(&canonical, Dialect::Any);
    assert_eq!(again.model.as_ref(), Some(&model), "{canonical}\n{:?}", again.diagnostics);
    assert_eq!(print(&again.model.unwrap()), canonical);
}

#[test]
fn precedence_survives_printing() {
    for text in [
        "r = 1 - (2 - 3) * (4 / (5 / 6)) - -7; P = (a, r).P; P",
        "P = (a, 1).((b, 1).P + (c, 2 * (1 + 1) * infty).(d, 1).P) + (a, 1).P; P[2, {a}] / {a} <> (P <a> P[3] <b> P) <> P",
        "P = (a, 1).P; (P <a> P) <> P",
        "P = (a, 1).P; P <a> (P <> P)",
        "P = (a, 1).P; ((P <> P)[2])[3]",
        "\"tau\" = (\"x y\", 1).\"tau\"; \"tau\"",
    ] {
        written_is_read(text);
    }
}

#[test]
fn definitions_of_names_alone_keep_their_sort() {
    for text in [
        "% Fileinfr =a1;\naleinfr =a1;a",
        "% Fast = slow;\nslow = 2; P = (a, Fast).P; P",
        "% Fast = Other;\nOther = Fast + Fast; P = (a, 1).P; P",
        "# x = y; # y = (a, 1).x; z = x; x",
        "# x = y; # y = x; z = x; x",
    ] {
        let parsed = parse(text, Dialect::Any);
        let model = parsed.model.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
        let again = parse(&print(&model), Dialect::Any).model.unwrap();
        assert_eq!(print(&again), print(&model), "{text}");
        assert_eq!(again.rates.len(), model.rates.len(), "{text}");
    }
}

proptest! {
    #[test]
    fn printing_and_reading_give_the_same_model(model in random(), arrays in any::<bool>()) {
        written_is_read(&model.write(arrays));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[PQab1.;=+<>()\\[\\]{}/*%#, \n\"T_-]{0,80}") {
        for dialect in Dialect::ALL {
            if let Some(model) = parse(&text, dialect).model {
                let again = parse(&print(&model), Dialect::Any).model;
                prop_assert_eq!(again.map(|m| print(&m)), Some(print(&model)), "{}", text);
            }
            check(&text, dialect);
        }
    }

    #[test]
    fn a_broken_model_is_refused_or_means_something(model in random(), at in 0usize..400, with in "[;.,()<>Pa1]?") {
        let text = model.write(true);
        let at = at.min(text.len() - 1);
        let broken = format!("{}{with}{}", &text[..at], &text[at + 1..]);
        check(&broken, Dialect::Any);
    }
}

#[test]
fn deep_and_long_texts_are_refused_or_read_without_overflow() {
    let deep = format!("P = (a, 1).P; {}P{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(refused(&deep, Dialect::Any).contains("nested"));
    let long = format!("P = (a, {}1).P; P", "1 + ".repeat(100_000));
    assert!(refused(&long, Dialect::Any).contains("more than"));
    let (_, found) = space(&format!("P = {}P; P", "(a, 1).".repeat(300)));
    assert_eq!(found.states(), 300);
    let wide = system(&format!("P = {}(a, 1).P; P", "(a, 1).P + ".repeat(20_000)));
    assert_eq!(wide.locals[0].moves.len(), 1);
}

/// Texts of which something grows with the square of their length, or doubles with every line, if it is done the simple way.
#[test]
fn large_and_winding_texts_are_read_and_checked_in_no_time() {
    let row: String = (0..5000).map(|i| format!("(a{i}, 1).")).collect();
    let doubled = |line: &dyn Fn(usize) -> String| (0..60).map(line).collect::<String>();
    let texts = [
        (format!("P = {row}P;\nP"), None),
        (
            (0..100_000).map(|i| format!("P{i} = (a, 1).P{};\n", (i + 1) % 100_000)).collect::<String>()
                + "P0",
            None,
        ),
        (
            doubled(&|i| format!("r{i} = 0.4 * r{0} + 0.4 * r{0};\n", i + 1))
                + "r60 = 1; P = (a, r0).Q; Q = (b, 1).P; P",
            None,
        ),
        (
            doubled(&|i| format!("P{i} = P{0} + P{0};\n", i + 1)) + "P60 = (a, 1e-9).Q; Q = (b, 1).P0; P0",
            None,
        ),
        (
            doubled(&|i| format!("S{i} = S{0} <> S{0};\n", i + 1)) + "S60 = P <> P; P = (a, 1).P; S0",
            Some("components"),
        ),
        (
            (0..3000).map(|i| format!("P{i} = P{};\n", i + 1)).collect::<String>() + "P3000 = (a, 1).P0; P0",
            Some("depth"),
        ),
        (format!("P = {}P{}; P", "(a, 1).(".repeat(3000), ")".repeat(3000)), Some("depth")),
        (format!("P = (a, 1).P; {}P{}", "(".repeat(20_000), ")".repeat(20_000)), Some("depth")),
    ];
    for (text, wrong) in texts {
        let begin = std::time::Instant::now();
        let found = check(&text, Dialect::Any);
        let error = found.iter().find(|d| d.severity == Severity::Error).map(|d| d.kind);
        assert_eq!(error, wrong, "{}: {:?}", &text[..40], found.first());
        // Some seconds where nothing is optimised; minutes and more, or for ever, before.
        assert!(begin.elapsed().as_secs() < 60, "{}: {:?}", &text[..40], begin.elapsed());
    }
}

#[test]
fn a_rate_that_is_defined_by_itself_is_named_once() {
    for text in ["r = r; P = (a, r).P; P", "c = a + 1; a = b; b = a; P = (x, c).P; P"] {
        let found = check(text, Dialect::Any);
        let named = found.iter().filter(|d| d.kind == "recursion").count();
        assert_eq!(named, 1, "{found:?}");
    }
}

/// Long rows of activities have labels that are short, and differ.
#[test]
fn local_states_of_a_long_row_can_be_told_apart() {
    let row: String = (0..120).map(|i| format!("(a{}, 1).", i % 7)).collect();
    let text = format!("P = {row}P; Q = (a1, 2).{row}P; P <> Q");
    let model = parse(&text, Dialect::Any).model.unwrap();
    let system = compile(&model, &Settings::new()).system.unwrap();
    let mut labels: Vec<&str> = system.locals.iter().map(|l| l.label.as_str()).collect();
    assert!(labels.iter().all(|l| l.len() < 1000));
    labels.sort_unstable();
    let all = labels.len();
    labels.dedup();
    assert_eq!(labels.len(), all);
}
