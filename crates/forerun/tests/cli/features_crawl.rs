//! `run features URL`: documents of a real web server, nginx, extracted while the crawl goes on.

#[path = "../../../forerun-crawl/tests/server/nginx.rs"]
mod nginx;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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

/// A server that takes so long for each page and has so many, in a tree, and whose other URLs are answered with status 404; of
/// none, it never answers. Gives the URL of the first, and how many requests came.
fn serve(pages: usize, takes: Duration) -> (String, Arc<AtomicUsize>) {
    let (url, asked, _) = serve_but(pages, takes, |_| None);
    (url, asked)
}

/// What such a server does about some of its pages: it answers with a status, or with none never. When the flag is set it has them all.
fn serve_but(
    pages: usize,
    takes: Duration,
    but: fn(usize) -> Option<&'static str>,
) -> (String, Arc<AtomicUsize>, Arc<AtomicBool>) {
    let whole = Arc::new(AtomicBool::new(false));
    let is_whole = whole.clone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/0.html", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::Relaxed);
            let has_all = is_whole.load(Ordering::Relaxed);
            thread::spawn(move || {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let first = lines.next().unwrap_or_default();
                while lines.next().is_some_and(|line| !line.is_empty()) {}
                if pages == 0 {
                    thread::sleep(Duration::from_secs(100));
                }
                let path = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
                let number =
                    path.strip_suffix(".html").and_then(|n| n.parse::<usize>().ok()).filter(|n| *n < pages);
                let trouble = number.and_then(but).filter(|_| !has_all);
                if trouble == Some("") {
                    thread::sleep(Duration::from_secs(100));
                }
                let (status, page) = match number {
                    Some(_) if trouble.is_some() => (trouble.unwrap_or_default(), String::new()),
                    Some(n) => {
                        thread::sleep(takes);
                        let links =
                            [2 * n + 1, 2 * n + 2].map(|to| format!("<a href={to}.html>next</a>")).concat();
                        (
                            "200 OK",
                            format!(
                                "<h1>Page {n}</h1><p>A parallel program waits for {n} networks.</p>{links}"
                            ),
                        )
                    }
                    None => ("404 Not Found", String::new()),
                };
                let length = page.len();
                let head =
                    format!("Connection: close\r\nContent-Type: text/html\r\nContent-Length: {length}");
                let _ = write!(stream, "HTTP/1.1 {status}\r\n{head}\r\n\r\n{page}");
            });
        }
    });
    (url, asked, whole)
}

/// What a command wrote as data.
fn data(place: &Place, name: &str) -> serde_json::Value {
    serde_json::from_slice(&place.read(name)).unwrap()
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
    for (command, more, part) in [
        ("run", "--on simulated", "pages are crawled once"),
        ("run", "--by simulated", "pages are crawled once"),
        ("plan", "--sbatch job.sh", "--sbatch is of inputs that are there"),
        ("predict", "-p 2 --write-model m.pepa", "--write-model and --efficiency"),
        ("run", "--tries 1", "no page was kept"),
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
    assert!(said.contains("kept for a run to go on from"), "{said}");
    let said = sampled("plan", kept).ok().text();
    assert!(said.contains("all pages are there"), "{said}");
    let said = place.say(words(&url, "f.db", kept)).ok().text();
    assert!(said.contains("of 30 documents"), "{said}");
    let said = sampled("plan", kept);
    drop(said.refused(2, &["nothing to predict"]));
}

#[test]
fn what_a_run_predicts_and_measures_is_from_the_first_request_to_the_end() {
    // A page of which extraction takes some milliseconds and the crawl a second, and pages of which it takes longer than the delay.
    for (pages, takes, least, more) in [
        (1, Duration::ZERO, 1.0, ""),
        (9, Duration::from_millis(300), 1.8, "--delay=200ms"),
        (20, Duration::ZERO, 0.0, "--delay=0s"),
    ] {
        let (place, (url, _)) = (Place::new(), serve(pages, takes));
        let said = place.say(words(&url, "f.db", &format!("--json ran.json {more}"))).ok().text();
        for part in [
            "from the first request to the end",
            "pages/s",
            &format!("{pages} page"),
            "pace|all pages are there",
        ] {
            assert!(part.split('|').any(|part| said.contains(part)), "{part:?} is not in: {said}");
        }
        assert!(!said.contains("tasks/s"), "{said}");
        let ran = &data(&place, "ran.json")[0];
        let measured = ran["makespan_s"].as_f64().unwrap();
        assert!(measured >= least, "{ran}");
        assert_eq!(ran["pages"], pages);
        assert!((ran["throughput"].as_f64().unwrap() * measured / pages as f64 - 1.0).abs() < 1e-9, "{ran}");
        let predicted = ran["predicted"]["makespan_s"].as_f64().unwrap();
        assert!((0.3..2.0).contains(&(predicted / measured)), "{pages}: {predicted} {measured}");

        // The same command of `predict` is of the same.
        let strategy = ran["strategy"].as_str().unwrap();
        let more = format!("-p 2 --strategy {strategy} --json told.json {more}");
        place.say(asked("predict", &url, "other.db", &more)).ok();
        let told = data(&place, "told.json")[0]["makespan_s"].as_f64().unwrap();
        assert!((0.3..2.0).contains(&(told / measured)), "{pages}: {told} {measured}");
        let compared = place.run("compare ran.json told.json").ok().text();
        assert!(compared.contains("features of a crawl") && compared.contains("analytic"), "{compared}");
    }
}

#[test]
fn requests_that_fail_are_told_of_a_sample() {
    let (place, (url, _)) = (Place::new(), serve(5, Duration::ZERO));
    for command in ["predict", "plan"] {
        let said = place.say(asked(command, &url, "f.db", "--delay=0s")).ok().text();
        assert!(said.contains("6 of 12 requests failed: HTTP status 404 (6)"), "{said}");
    }
    // Nothing is kept of a sample, so that nobody is sent there.
    let said =
        place.say(asked("predict", &url, "f.db", "--types application/pdf")).refused(1, &["skipped (type)"]);
    assert!(!said.err.contains("journal"), "{}", said.err);
}

#[test]
fn a_sample_of_a_server_that_never_answers_ends() {
    let (place, (url, _)) = (Place::new(), serve(0, Duration::ZERO));
    let mut running = place.start(asked("predict", &url, "f.db", ""));
    running.wait_for("it asks", || fs::read_dir(place.path("tmp")).unwrap().count() > 0);
    thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    running.signal(Signal::INT);
    assert_eq!(running.end().status.code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());

    let began = Instant::now();
    drop(place.say(asked("predict", &url, "f.db", "")).refused(1, &["no page was kept", "no answer"]));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_fetched() {
    let (place, (url, asked_for)) = (Place::new(), serve(1, Duration::ZERO));
    place.write("no.db", "no database, but more than a hundred bytes of text ".repeat(9));
    place.write("bad.toml", "format = 1\nnothing = 2\n");
    place.write("other.toml", "format = 1\napplication = \"sort\"\n[reduction]\ntask = { fixed = \"1 ms\" }\nmerge = { fixed = \"1 ms\" }\nresult_bytes = { per_byte = 1.0 }\n");
    for command in ["run", "plan", "predict"] {
        for (more, part) in [
            ("--db f.db --model none.frtagger", "none.frtagger"),
            ("--db no.db", "no.db"),
            ("--db mysql://a/b", "--db"),
            ("--db nowhere/f.db", "nowhere"),
            ("--db f.db --platform nowhere.toml", "nowhere.toml"),
            ("--db f.db --platform bad.toml", "bad.toml"),
            ("--db f.db --profile other.toml", "other.toml"),
            ("--db f.db --fields none.toml", "none.toml"),
            ("--db f.db --include *.html", "--include is of directories"),
            ("--db f.db --pages 0", "--pages 0: a crawl keeps at least 1 page"),
            ("--db f.db --tries 0", "--tries 0"),
            ("--db f.db --timeout 0s", "--timeout 0s"),
            ("--db f.db --max-total 0B", "--max-total 0B"),
            ("--db f.db --threads 0", "one thread"),
            ("--db f.db --delay -1s", "--delay -1s: "),
            ("--db f.db --timeout -5", "--timeout -5: "),
            ("--db f.db --max-page -1MB", "--max-page -1MB: "),
            ("--db f.db --by pepa", if command == "run" { "--by" } else { "--by pepa: a model" }),
            ("--db f.db --by analytic,pepa", if command == "run" { "--by" } else { "--by pepa: a model" }),
            ("--db f.db --follow-links", "--follow-links is of directories"),
            ("--db f.db --allow-empty", "--allow-empty is of directories"),
            ("--db f.db --domains elsewhere.invalid", "none of the domains"),
        ] {
            let line = format!("{command} features {url} --allow-private {more}");
            let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger");
            let model = ["--model".to_owned(), model.to_str().unwrap().to_owned()];
            let model = model.into_iter().filter(|_| !more.contains("--model"));
            let words = line.split_whitespace().map(str::to_owned).chain(model);
            place.say(words).refused(2, &[part]);
        }
    }
    assert_eq!(asked_for.load(Ordering::Relaxed), 0);
    place.run(&format!("crawl {url} -o site --allow-private --pages 0")).refused(2, &["--pages 0"]);
}

#[test]
fn options_of_a_crawl_are_not_for_files() {
    let place = Place::new();
    place.write("site/a.html", "<p>A parallel program.");
    for option in [
        "--delay=2s",
        // What is usual is asked for as well.
        "--delay=1 s",
        "--connections=2",
        "--threads=8",
        "--timeout=30 s",
        "--tries=3",
        "--max-page=8 MiB",
        "--depth=3",
        "--pages=5",
        "--same-site",
        "--domains=a.org",
        "--below",
        "--types=text/html",
        "--connections=3",
        "--threads=3",
        "--timeout=3s",
        "--tries=2",
        "--max-page=1MiB",
        "--max-total=1MiB",
        "--allow-private",
        "--user-agent=me",
        "--crawl-dir=kept",
    ] {
        let name = option.split('=').next().unwrap();
        for command in ["run", "plan", "predict"] {
            let words = format!("{command} features site --db f.db");
            let said = place.say(words.split(' ').chain([option]));
            said.refused(2, &[name, "no URL is named"]);
        }
    }
}

#[test]
fn a_larger_page_than_is_asked_for_is_passed_over() {
    let (place, (url, _)) = (Place::new(), serve(3, Duration::ZERO));
    let said = place.say(words(&url, "f.db", "--delay=0s --max-file 10B")).ok().text();
    assert!(said.contains("passed over 3 files"), "{said}");
}

#[test]
fn a_crawl_that_its_limit_ended_is_said_to_go_on_with_a_larger_one() {
    let (place, (url, _)) = (Place::new(), serve(7, Duration::ZERO));
    for (limit, option, larger) in
        [("--pages 3", "--pages", "--pages 5"), ("--max-total 200B", "--max-total", "--max-total 300B")]
    {
        let db = format!("f{option}.db");
        for _ in 0..2 {
            let said = place.say(words(&url, &db, &format!("--delay=0s {limit}"))).ok().text();
            assert!(said.contains(&format!("with a larger {option} goes on")), "{said}");
            assert!(!said.contains("the same command again"), "{said}");
        }
        let said = place.say(words(&url, &db, &format!("--delay=0s {larger}"))).ok().text();
        assert!(said.contains("in the database already"), "{said}");
    }
}

#[test]
fn what_failed_in_passing_is_asked_for_by_the_next_run_and_what_is_said_is_of_each() {
    let but = |n| match n {
        3 => Some("503 Service Unavailable"),
        4 => Some("403 Forbidden"),
        _ => None,
    };
    let (place, (url, asked_for, whole)) = (Place::new(), serve_but(7, Duration::ZERO, but));
    let line = "--delay=0s --tries 1";
    let said = place.say(words(&url, "f.db", line)).ok().text();
    assert!(said.contains("of 5 documents") && said.contains("could not be had, first"), "{said}");
    let first = asked_for.load(Ordering::Relaxed);
    // Only that is asked for, and robots.txt.
    let said = place.say(words(&url, "f.db", line)).ok().text();
    assert_eq!(asked_for.load(Ordering::Relaxed), first + 2);
    assert!(said.contains("1 URL could not be had, ") && said.contains("HTTP status 503"), "{said}");
    assert!(said.contains("5 URLs could not be had by earlier runs for good"), "{said}");
    whole.store(true, Ordering::Relaxed);
    let said = place.say(words(&url, "f.db", line)).ok().text();
    assert!(said.contains("of 6 documents") && !said.contains("URL could not be had, "), "{said}");
}

#[test]
fn pages_that_hang_are_expected_by_what_is_predicted() {
    let but = |n| (n % 4 == 3).then_some("");
    let (place, (url, _, _)) = (Place::new(), serve_but(60, Duration::from_millis(20), but));
    let line = "--delay=0s --timeout 3s --tries 1 --json out.json";
    let said = place.say(words(&url, "f.db", line)).ok().text();
    let ran = &data(&place, "out.json")[0];
    let (low, high) = (&ran["predicted"]["low_s"], &ran["predicted"]["high_s"]);
    let measured = ran["makespan_s"].as_f64().unwrap();
    assert!(measured > 2.9, "{said}");
    assert!(low.as_f64().unwrap() < measured && measured < high.as_f64().unwrap(), "{said}");

    // A sample of which the last requests are not answered does not say that pages come as fast as before.
    let line = "--delay=0s --pages 100 --json out.json";
    let said = place.say(asked("predict", &url, "g.db", &format!("{line} -p 2"))).ok().text();
    assert!(said.contains("requests have no answer yet"), "{said}");
    let time = &data(&place, "out.json")[0]["predicted"];
    assert!(time["low_s"].as_f64().unwrap() > 8.0 && time["high_s"].as_f64().unwrap() > 100.0, "{said}");
}

#[test]
fn a_directory_for_a_crawl_that_is_new_has_nothing_before() {
    let (place, (url, _)) = (Place::new(), serve(3, Duration::ZERO));
    let kept = "--delay=0s --pages 2 --crawl-dir kept";
    let said = place.say(asked("predict", &url, "f.db", kept)).ok().text();
    assert!(said.contains("kept for a run to go on from") && !said.contains("already"), "{said}");
    let said = place.say(asked("predict", &url, "f.db", &kept.replace('2', "3"))).ok().text();
    assert!(said.contains("2 pages there already"), "{said}");
}
