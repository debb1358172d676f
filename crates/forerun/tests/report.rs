//! What the report holds whatever the outcomes, and that its file is whole or not there.

mod sample;

use std::path::Path;

use forerun::report;
use forerun_platform::{Interval, Outcome, Strategy, Way};
use proptest::prelude::*;

/// The opening tags of a page in their order; fails where one is not closed in its place or an attribute
/// is not quoted.
fn elements(page: &str) -> Result<Vec<String>, String> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let mut rest = page.split_once("<!DOCTYPE html>").ok_or("no doctype")?.1;
    while let Some((text, after)) = rest.split_once('<') {
        if text.contains('>') && open.last().is_none_or(|name| name != "style") {
            return Err(format!("a bare > in {text:?}"));
        }
        let (tag, after) = after.split_once('>').ok_or("a tag that does not end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last.as_deref() != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
            continue;
        }
        if tag.matches('"').count() % 2 != 0 {
            return Err(format!("a quote too many in <{tag}>"));
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default().to_string();
        if !tag.ends_with('/') && name != "meta" {
            open.push(name.clone());
        }
        all.push(tag.to_string());
    }
    if open.is_empty() { Ok(all) } else { Err(format!("left open: {open:?}")) }
}

/// What must hold of every page.
fn check(page: &str) -> Result<(), String> {
    let tags = elements(page)?;
    let style =
        page.split_once("<style>").and_then(|(_, after)| after.split_once("</style>")).ok_or("no style")?.0;
    for tag in tags.iter().map(String::as_str).chain([style]) {
        for banned in [
            "url(", "@import", "http:", "https:", " src=", " style=", " on", "NaN", "inf ", "inf\"", "\"-inf",
        ] {
            if tag.contains(banned) && !tag.contains("aria-label") {
                return Err(format!("{banned:?} in <{tag}>"));
            }
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if ["script", "img", "link", "iframe", "object", "base"].contains(&name) {
            return Err(format!("an element <{tag}>"));
        }
    }
    match page.len() {
        0..2_000_000 => Ok(()),
        long => Err(format!("{long} bytes")),
    }
}

#[test]
fn a_page_of_many_outcomes_has_every_part() {
    let page = report::html(&sample::many());
    check(&page).expect("a sound page");
    for part in [
        "<h1>sort ints.bin</h1>",
        "Makespan</h2>",
        "Relative error</h2>",
        "Where the time went</h2>",
        "Ranks over time</h2>",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    assert_eq!(
        page.matches("<figcaption><b>").count(),
        4 + 32,
        "a panel a strategy, a timeline a threaded or simulated configuration"
    );
    assert_eq!(page.matches("<details>").count(), 15, "all timelines but the fastest's are folded");
    assert!(page.contains("off by"), "how far off each predictor was");
}

#[test]
fn names_from_outside_stay_text_and_long_timelines_stay_small() {
    let page = report::html(&sample::awkward());
    check(&page).expect("a sound page");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; &amp; &#39;more&#39;"));
    assert!(page.contains("share of ranks in each stage"), "1,000 ranks are put together");
    assert!(page.contains("spans put together in slices of time"), "4,000 tasks on 4 ranks are put together");
    assert!(page.contains("reduction-tree, 2 groups, arity 4"));
}

#[test]
fn hundreds_of_outcomes_with_timelines_stay_under_two_megabytes() {
    let all: Vec<Outcome> =
        (1..=150).map(|p| sample::outcome(Way::Threads, Strategy::Adaptive, p, 1500, 1.0, 1)).collect();
    let page = report::html(&all);
    check(&page).expect("a sound page");
    assert!(page.contains("more would make this file too large"), "what is left out is said");
}

#[test]
fn one_outcome_without_anything_else_is_a_page() {
    for predicted in [None, Some(4.0)] {
        for way in [Way::Threads, Way::Analytic] {
            let page = report::html(&[sample::bare(way, 3, 5.0, predicted)]);
            check(&page).expect("a sound page");
            assert!(page.contains("5.00 s"));
        }
    }
}

#[test]
fn a_file_is_replaced_whole_or_left_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let outcomes = [sample::bare(Way::Threads, 3, 5.0, None)];
    let file = dir.path().join("report.html");
    std::fs::write(&file, "before").expect("written");
    let said = report::write(&[], &file).expect_err("nothing to report").to_string();
    assert!(said.contains("there are no outcomes"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "before");
    report::write(&outcomes, &file).expect("written");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), report::html(&outcomes));
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).expect("listed").map(|e| e.expect("entry").file_name()).collect();
    assert_eq!(left, ["report.html"], "no temporary file stays");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let outcomes = [sample::bare(Way::Threads, 3, 5.0, None)];
    let said = |file: &Path| report::write(&outcomes, file).expect_err("cannot be written").to_string();
    let nowhere = dir.path().join("no/such/report.html");
    assert_eq!(
        said(&nowhere),
        format!(
            "{}: cannot be written (no such file or directory); give `-o` a file in a directory you may write to",
            nowhere.display()
        )
    );
    assert!(said(dir.path()).contains("cannot be written (it is a directory)"));
}

#[cfg(unix)]
#[test]
fn links_devices_and_permissions_are_kept() {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let dir = tempfile::tempdir().expect("a directory");
    let outcomes = [sample::bare(Way::Threads, 3, 5.0, None)];
    let (plain, link) = (dir.path().join("plain.html"), dir.path().join("link.html"));
    std::fs::write(&plain, "before").expect("written");
    let usual = std::fs::metadata(&plain).expect("there").mode();
    std::os::unix::fs::symlink(&plain, &link).expect("linked");
    report::write(&outcomes, &link).expect("written");
    assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(std::fs::read_to_string(&plain).expect("read"), report::html(&outcomes));
    assert_eq!(std::fs::metadata(&plain).expect("there").mode(), usual, "readable by whom a plain file is");
    report::write(&outcomes, Path::new("/dev/null")).expect("written");
    assert!(std::fs::metadata("/dev/null").expect("there").file_type().is_char_device());
}

prop_compose! {
    /// An outcome of any size, from nothing to years.
    fn any_outcome()(
        way in 0usize..6, strategy in 0usize..4, processors in 1usize..5000, power in -10i32..10,
        digits in 0.0f64..10.0, width in 0.0f64..1.5, planned in any::<bool>(), timed in any::<bool>(),
    ) -> Outcome {
        let ways = [Way::Threads, Way::Mpi, Way::Emulated, Way::Simulated, Way::Analytic, Way::Pepa];
        let makespan_s = digits * 10f64.powi(power);
        let mut one = if timed {
            sample::outcome(ways[way], Strategy::ALL[strategy], processors % 90 + 1, 200, makespan_s, 3)
        } else {
            sample::bare(ways[way], processors, makespan_s, None)
        };
        one.strategy = Strategy::ALL[strategy];
        let low_s = (one.makespan_s * (1.0 - width)).max(0.0);
        one.predicted = planned.then_some(Interval { makespan_s: one.makespan_s, low_s, high_s: one.makespan_s * (1.0 + width) });
        one
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the outcomes: elements closed in order, no coordinate that is not a number, no network, small.
    #[test]
    fn every_page_is_sound(outcomes in prop::collection::vec(any_outcome(), 1..12)) {
        let page = report::html(&outcomes);
        prop_assert!(check(&page).is_ok(), "{:?}", check(&page));
    }
}
