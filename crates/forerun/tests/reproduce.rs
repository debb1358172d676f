//! The shipped studies agree with the papers, edited ones are found out, and wrong ones are told where.

use forerun::reproduce::evaluate::reproduce;
use forerun::reproduce::outcome::{Agrees, Kind, Reproduced, summary};
use forerun::reproduce::study::{Study, shipped};
use forerun::signals::Interrupt;

fn all(studies: &[Study]) -> Vec<Reproduced> {
    let interrupt = Interrupt::listen().unwrap();
    let of = |study: &Study| -> Vec<Reproduced> {
        study
            .entries
            .iter()
            .map(|e| reproduce(study, e, &interrupt).unwrap_or_else(|e| panic!("{e}")))
            .collect()
    };
    studies.iter().flat_map(of).collect()
}

fn study(text: &str) -> Result<Study, String> {
    Study::from_toml(text, "study.toml").map_err(|e| e.to_string())
}

/// A row of what a study gives.
fn row<'a>(
    entries: &'a [Reproduced],
    name: &str,
    label: &str,
) -> &'a forerun::reproduce::outcome::RowOutcome {
    let entry = entries.iter().find(|e| e.name == name).unwrap();
    entry.rows.iter().find(|r| r.label == label).unwrap_or_else(|| panic!("{name}: no row {label}"))
}

#[test]
fn every_formula_row_of_the_shipped_studies_agrees() {
    let entries = all(&shipped().unwrap());
    let sum = summary(&entries);
    assert_eq!(sum.no, Vec::<String>::new());
    assert!(sum.digits > 100 && sum.reason > 50 && sum.measured > 100, "{sum:?}");
    for row in entries.iter().flat_map(|e| &e.rows) {
        assert_eq!(row.kind == Kind::Measured, row.agrees.is_none(), "{}", row.label);
        // A reason carries what it gives, and that is the printed digits.
        if row.agrees == Some(Agrees::Reason) {
            assert!(row.reason.is_some() && row.explained.is_some() && row.digits.is_some(), "{}", row.label);
        }
    }
}

/// Where printed numbers do not follow from their formulas, what follows instead.
#[test]
fn what_follows_is_what_follows() {
    let entries = all(&shipped().unwrap());
    let near = |name: &str, label: &str, ours: f64, explained: Option<f64>| {
        let row = row(&entries, name, label);
        let tolerance = 6e-4 * ours.abs();
        assert!((row.ours.unwrap() - ours).abs() <= tolerance, "{name}, {label}: {:?}", row.ours);
        if let Some(value) = explained {
            assert!((row.explained.unwrap() - value).abs() <= 6e-4 * value, "{label}: {:?}", row.explained);
        }
    };
    near("kuntraruk-equation-12", "total", 9.478, Some(9.61));
    near("kuntraruk-table-1", "16 processors, 4096 documents, predicted", 76.88, Some(77.97));
    near("kuntraruk-table-16", "512 arrays, predicted", 209.06, Some(208.03));
    near("kuntraruk-table-16", "4096 arrays, predicted", 1685.85, Some(1676.08));
    near("kuntraruk-table-5", "32 processors, 16384 documents, relative error", -5.4545, None);
    near("juhasz-equation-13", "t_proc", 0.04797, Some(0.04749));
    near("juhasz-equation-16", "b_gather", 0.387, Some(0.7745));
    near("juhasz-equation-20", "p", 5.13, None);
    near("juhasz-equation-21", "2 N / b_io", 74.07, Some(73.98));
    near("juhasz-figure-1", "p = 2, calculated", 22.33, Some(23.35));
    near("mizutani-overhead", "64 processors over 8", 21.37, None);
    near("du-zbuf-2nd", "k", 11722.4, Some(11726.2));
    let follows = |name: &str, label: &str| {
        let entry = entries.iter().find(|e| e.name == name).unwrap();
        entry.follows.iter().find(|f| f.label == label).unwrap().value
    };
    assert_eq!(format!("{:.1}", follows("mizutani-saturation", "what it needs for all of them")), "51.3");
    assert_eq!(format!("{:.3}", follows("kuntraruk-speedup", "128 processors, speedup")), "119.467");
    let twice = "k by equation 11 as it reads, which counts g_1 twice";
    assert_eq!(follows("du-zbuf-2nd", twice).round(), 12105.0);
    // Paging is refused, not mispredicted.
    let paging = row(&entries, "juhasz-figure-3", "p = 1, time");
    assert!(paging.closed_form.is_none() && paging.refused.as_ref().unwrap().contains("processors"));
    // Equal costs and no contention: both of ours are the same.
    let table = row(&entries, "kuntraruk-table-8", "65536 documents, master-slave");
    let (closed, simulated) = (table.closed_form.unwrap().value, table.simulated.unwrap().value);
    assert!((closed / simulated - 1.0).abs() < 0.01, "{closed} {simulated}");
}

const GOOD: &str = r#"format = 1
paper = "somebody, something"

[constants]
t = "2 s"
half = { model = "times", times = 0.5, of = "t" }

[profile.p]
task = "1 s"
merge = "0 s"
result_bytes = "1 B"

[[entry]]
name = "one"
title = "an entry"
over = "n"

[[entry.line]]
label = "first"
n = 4
printed = "2.0"
time = "3 s"

[[entry.row]]
label = "ratio"
paper = "printed"
ours = { model = "ratio", of = "t", to = "1 s" }
because = { reason = "t was 1 s", with = { t = "1 s" } }

[[entry.row]]
label = "sum"
paper = "3.0 s"
ours = { model = "sum", of = ["t", "half"] }

[[entry.row]]
label = "mean"
paper = "2"
ours = { model = "mean", of = { rows = "ratio" } }

[[entry.row]]
label = "time"
kind = "measured"
paper = "time"
theirs = "2 s"
predict = { pattern = "reduction", platform = "lehigh-fire", profile = "p", strategy = "reduction-tree", processors = 2, groups = 1, tasks = "n", size = "1 kB" }
"#;

#[test]
fn an_edited_figure_changes_the_outcome() {
    let agrees = |text: &str| -> Vec<Option<Agrees>> {
        all(&[study(text).unwrap()])[0].rows.iter().map(|r| r.agrees).collect()
    };
    let (digits, reason, no) = (Some(Agrees::Digits), Some(Agrees::Reason), Some(Agrees::No));
    assert_eq!(agrees(GOOD), [digits, digits, digits, None]);
    // Half of t follows t.
    assert_eq!(agrees(&GOOD.replace("t = \"2 s\"", "t = \"1 s\"")), [no, no, no, None]);
    assert_eq!(agrees(&GOOD.replace("2.0", "1.0")), [reason, digits, digits, None]);
    // The one decimal that is printed is compared.
    assert_eq!(agrees(&GOOD.replace("t = \"2 s\"", "t = \"2.04 s\""))[0], digits);
    assert_eq!(agrees(&GOOD.replace("t = \"2 s\"", "t = \"2.11 s\""))[0], no);
    let shipped = include_str!("../studies/juhasz-equations.toml");
    let edited = study(&shipped.replace("b_gather = \"0.387 M/s\"", "b_gather = \"0.4 M/s\"")).unwrap();
    assert_eq!(row(&all(&[edited]), "juhasz-equation-20", "p").agrees, no);
}

/// The line of `text` that `error` points at, from 1.
fn line_of(error: &str) -> usize {
    error
        .strip_prefix("study.toml:")
        .and_then(|e| e.split(':').next())
        .and_then(|n| n.parse().ok())
        .expect(error)
}

#[test]
fn what_is_wrong_in_a_study_is_told_with_its_place() {
    study(GOOD).unwrap();
    // What is right, what is wrong, what must stand in the line that is pointed at, what must be said.
    let cases = [
        ("format = 1", "format = 2", "format = 2", "format 2"),
        ("paper = \"somebody, something\"\n", "", "format = 1", "\"paper\""),
        ("t = \"2 s\"", "t = \"2 sec\"", "2 sec", "unit"),
        ("t = \"2 s\"", "t = \"2 B\"", "model = \"ratio\"", "a time"),
        ("t = \"2 s\"", "t = \"2 s", "t = \"2 s", "not TOML"),
        ("times = 0.5", "times = \"t\"", "half", "a number"),
        ("of = \"t\" }", "of = \"half\" }", "half", "made of itself"),
        ("model = \"ratio\"", "model = \"ration\"", "ration\"", "did you mean \"ratio\"?"),
        ("of = \"t\", to", "of = \"tt\", to", "\"tt\"", "no value \"tt\""),
        ("of = \"t\", to = \"1 s\"", "of = \"t\"", "model = \"ratio\"", "needs \"to\""),
        ("of = \"t\", to", "off = \"t\", to", "off", "\"of\""),
        ("to = \"1 s\"", "to = \"1 B\"", "1 B", "as for the others"),
        ("of = [\"t\", \"half\"]", "of = \"t\"", "\"sum\", of", "a list"),
        ("of = [\"t\", \"half\"]", "of = [\"t\", 1]", "\"sum\", of", "do not count the same"),
        ("paper = \"printed\"", "paper = \"print\"", "\"print\"", "no line has"),
        ("paper = \"3.0 s\"", "paper = \"3.0 B\"", "\"sum\", of", "where a size"),
        ("rows = \"ratio\"", "rows = \"ratios\"", "ratios", "did you mean \"ratio\"?"),
        ("kind = \"measured\"", "kind = \"guessed\"", "guessed", "\"formula\" or \"measured\""),
        ("pattern = \"reduction\"", "pattern = \"star\"", "star", "\"pattern\" is"),
        ("platform = \"lehigh-fire\"", "platform = \"lehigh-fir\"", "lehigh-fir\"", "lehigh-fire"),
        ("profile = \"p\"", "profile = \"q\"", "\"q\"", "no profile \"q\""),
        ("task = \"1 s\"", "task = 1", "task = 1", "quantity with its unit"),
        ("strategy = \"reduction-tree\"", "strategy = \"tree\"", "\"tree\"", "no strategy \"tree\""),
        ("with = { t = \"1 s\" }", "with = { u = \"1 s\" }", "{ u", "no value \"u\""),
        ("with = { t = \"1 s\" }", "with = { t = \"1 B\" }", "1 B", "does not count"),
        (", with = { t = \"1 s\" }", "", "because", "\"with\""),
        ("reason = \"t was 1 s\", ", "", "because", "\"reason\""),
        ("over = \"n\"", "over = \"m\"", "\"m\"", "\"m\""),
        ("title = \"an entry\"\n", "", "[[entry]]", "\"title\""),
        ("label = \"sum\"", "label = \"sum\"\ndigits = \"up\"", "\"up\"", "\"rounded\" or \"cut\""),
    ];
    for (right, wrong, pointed, what) in cases {
        assert!(GOOD.contains(right), "{right}");
        let text = GOOD.replacen(right, wrong, 1);
        let error = study(&text).map(|_| ()).expect_err(wrong);
        let line = text.lines().nth(line_of(&error) - 1).unwrap();
        assert!(line.contains(pointed) && error.contains(what), "{wrong}\n{error}");
        // One fault is told once; a constant of another kind is wrong wherever it is used.
        let told = error.lines().filter(|l| l.starts_with("study.toml:")).count();
        assert!(told == 1 || wrong.contains("2 B") || wrong.contains("off"), "{error}");
    }
}

#[test]
fn what_cannot_be_calculated_is_told_with_its_place() {
    let interrupt = Interrupt::listen().unwrap();
    let text = GOOD.replace("to = \"1 s\"", "to = \"0 s\"");
    let of = study(&text).unwrap();
    let error = reproduce(&of, &of.entries[0], &interrupt).unwrap_err().to_string();
    assert_eq!(text.lines().nth(line_of(&error) - 1), Some("[[entry.row]]"), "{error}");
    assert!(error.contains(": one, first, ratio: ratio: there is no ratio to 0\n"), "{error}");
    let shipped = include_str!("../studies/kuntraruk-sorting.toml");
    let of = study(&shipped.replace("message = \"8 MB\"", "message = \"80 MB\"")).unwrap();
    let error = reproduce(&of, &of.entries[0], &interrupt).unwrap_err().to_string();
    // No steady state: said, and no negative time.
    assert!(error.contains("kuntraruk-equation-11: ") && error.contains("saturated"), "{error}");
}
