//! `run features URL`: documents of a real web server, nginx, extracted while the crawl goes on.

#[path = "../../../forerun-crawl/tests/server/nginx.rs"]
mod nginx;

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::util::Place;

/// Pages of the site, in a tree.
const PAGES: usize = 60;

/// A site in the directory `site`: each page differs, and links to two others, to one that is missing, and to another host.
fn site(place: &Place) {
    for n in 0..PAGES {
        let links: String =
            [2 * n + 1, 2 * n + 2, PAGES + n].map(|to| format!("<a href='{to}.html'>next</a> ")).concat();
        let text = format!("<p>A parallel program waits for {n} fast networks.</p>").repeat(10);
        let page =
            format!("<html><h1>Page {n}</h1>{text}{links}<a href='http://elsewhere.invalid/'>no</a></html>");
        place.write(format!("site/{n}.html"), page);
    }
}

fn words(url: &str, db: &str, more: &str) -> Vec<String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger");
    let model = model.to_str().unwrap().to_owned();
    let line = format!("run features {url} --db {db} --allow-private -p 2 {more}");
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
    site(&place);
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
    let plan = ["plan", "features", "http://127.0.0.1:1/", "--db", "f.db"];
    place.say(plan).refused(2, &["pages are crawled by `run`"]);
    let server = ["run", "features", "http://127.0.0.1:1/", "--db", "postgres://127.0.0.1:1/x"];
    place.say(server).refused(2, &["--crawl-dir"]);
}
