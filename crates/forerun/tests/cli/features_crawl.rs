//! `run features URL`: documents of a real web server, nginx, extracted while the crawl goes on.

#[path = "../../../forerun-crawl/tests/server/nginx.rs"]
mod nginx;

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::util::Place;

/// Pages of a small site, in a tree.
const PAGES: usize = 60;

/// A site in the directory `site`: each page differs, and links to two others, to one that is missing, and to another host.
fn site(place: &Place, pages: usize) {
    for n in 0..pages {
        let links: String =
            [2 * n + 1, 2 * n + 2, pages + n].map(|to| format!("<a href='{to}.html'>next</a> ")).concat();
        let text = format!("<p>A parallel program waits for {n} fast networks.</p>").repeat(10);
        let page =
            format!("<html><h1>Page {n}</h1>{text}{links}<a href='http://elsewhere.invalid/'>no</a></html>");
        place.write(format!("site/{n}.html"), page);
    }
}

fn words(url: &str, db: &str, more: &str) -> Vec<String> {
    asked("run", url, db, &format!("-p 2 {more}"))
}

fn asked(command: &str, url: &str, db: &str, more: &str) -> Vec<String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger");
    let model = model.to_str().unwrap().to_owned();
    let line = format!("{command} features {url} --db {db} --allow-private {more}");
    let words = line.split_whitespace().map(str::to_owned);
    words.chain(["--model".into(), model]).collect()
}

/// All that the database answers.
fn all(place: &Place, db: &str) -> [serde_json::Value; 2] {
    let ask = |what: &str| place.run(&format!("features {what} -n 100000 --json -")).ok().json();
    [ask(&format!("top {db}")), ask(&format!("search {db} parallel program"))]
}

#[test]
fn a_site_is_extracted_while_it_is_crawled_and_a_killed_run_leaves_the_same() {
    let place = Place::new();
    site(&place, PAGES);
    let Some(nginx) = nginx::nginx(&place.path("site")) else { return };
    let url = format!("http://127.0.0.1:{}/0.html", nginx.port);

    // With a pilot of what comes at first.
    let said = place.say(words(&url, "pilot.db", "--json out.json --delay=40ms")).ok().text();
    for part in
        ["so far, and more to come", "the crawl kept 60 pages", "61 URLs could not be had", "of 60 documents"]
    {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    let outcome = serde_json::from_slice::<serde_json::Value>(&place.read("out.json")).unwrap();
    assert!(outcome[0]["predicted_throughput"]["tasks_per_s"].as_f64().unwrap() > 0.0, "{outcome}");

    place.profile();
    let run = |db: &str| words(&url, db, "--profile profile.toml --delay=10ms");
    place.say(run("whole.db")).ok();
    let expected = all(&place, "whole.db");
    assert_eq!(all(&place, "pilot.db"), expected);
    assert!(expected[1].to_string().contains("/59.html"), "{}", expected[1]);

    let mut killed = 0;
    for lines in [5, 40, 80] {
        let mut running = place.start(run("killed.db"));
        let journal = place.path("killed.db.crawl/journal.jsonl");
        running.wait_for("pages have come", || {
            fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() > lines)
        });
        running.signal(Signal::KILL);
        killed += u32::from(!running.end().status.success());
    }
    assert_eq!(killed, 3, "all were under way");
    place.say(run("killed.db")).ok();
    assert_eq!(all(&place, "killed.db"), expected);

    // Nothing is left to do.
    let said = place.say(run("killed.db")).ok().text();
    assert!(said.contains("60 pages in the database already"), "{said}");
    assert_eq!(all(&place, "killed.db"), expected);
}

#[test]
fn what_cannot_be_crawled_is_said() {
    let place = Place::new();
    place.write("a.txt", "A parallel program.");
    let refused = |line: &str, part: &str| {
        let words = words("http://127.0.0.1:1/", "f.db", line);
        drop(place.say(words).refused(2, &[part]));
    };
    refused("a.txt", "a URL, and files are named as well");
    refused("--repeat 2", "forerun crawl http://127.0.0.1:1/ -o DIR");
    refused("--delay soon", "--delay soon");
    refused("--tries 1", "no page was kept");
    for (command, more, part) in [
        ("run", "--on simulated", "pages are crawled once"),
        ("run", "--by simulated", "pages are crawled once"),
        ("plan", "--sbatch job.sh", "--sbatch is of inputs that are there"),
        ("predict", "-p 2 --write-model m.pepa", "--write-model and --efficiency"),
        ("plan", "--tries 1", "no page was kept"),
        ("plan", "--delay soon", "--delay soon"),
    ] {
        let status = if part == "no page was kept" { 1 } else { 2 };
        place.say(asked(command, "http://127.0.0.1:1/", "f.db", more)).refused(status, &[part]);
    }
    let server = ["run", "features", "http://127.0.0.1:1/", "--db", "postgres://127.0.0.1:1/x"];
    place.say(server).refused(2, &["--crawl-dir"]);
}

/// By how much a time and what was meant may differ here: requests wait for each other on a machine with a lot to do.
fn near(seconds: &serde_json::Value, expected: f64) -> bool {
    let seconds = seconds.as_f64().unwrap();
    (0.8 * expected..3.0 * expected).contains(&seconds)
}

#[test]
fn a_sample_of_a_site_tells_how_long_all_of_it_takes() {
    let place = Place::new();
    site(&place, 200);
    let Some(nginx) = nginx::nginx(&place.path("site")) else { return };
    let url = format!("http://127.0.0.1:{}/0.html", nginx.port);
    let sampled = |command: &str, more: &str| place.say(asked(command, &url, "f.db", more));

    // A request each 20 ms, of which every third is for a page that is missing: 5,000 pages take 150 s.
    let said = sampled("plan", "--delay=20ms --pages 5000 --json plan.json").ok().text();
    for part in
        ["a sample of 64 pages", "from 1 host", "the crawl sets the pace", "for 5,000 pages", "by its limits"]
    {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    let plan = serde_json::from_slice::<serde_json::Value>(&place.read("plan.json")).unwrap();
    let predicted = &plan["predictions"][0];
    assert!(near(&predicted["makespan_s"], 150.0), "{predicted}");
    assert_eq!(plan["predicted"]["makespan_s"], predicted["makespan_s"]);
    // The server's log and pages aside, nothing is left of it: no database, no directory of a crawl.
    for name in ["f.db", "f.db.crawl"] {
        assert!(!place.path(name).exists(), "{name}");
    }
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);

    // Nobody knows how many there are.
    let said = sampled("predict", "--delay=0s -p 1,2 --by analytic,simulated --json out.json").ok().text();
    for part in ["1,000 are taken", "crawled/s", "time of 1,000 pages"] {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    let outcomes = serde_json::from_slice::<serde_json::Value>(&place.read("out.json")).unwrap();
    assert_eq!(outcomes.as_array().unwrap().len(), 4);
    for outcome in outcomes.as_array().unwrap() {
        assert!(outcome["makespan_s"].as_f64().unwrap() > 0.0, "{outcome}");
    }

    // What is kept of the sample the run need not fetch, and what it then has is all there will be.
    let kept = "--delay=0s --pages 30 --crawl-dir kept";
    let said = sampled("predict", kept).ok().text();
    assert!(said.contains("30 pages there already"), "{said}");
    let said = sampled("plan", kept).ok().text();
    assert!(said.contains("all pages are there"), "{said}");
    let said = place.say(words(&url, "f.db", kept)).ok().text();
    assert!(said.contains("of 30 documents"), "{said}");
    let said = sampled("plan", kept);
    drop(said.refused(2, &["nothing to predict"]));
}
