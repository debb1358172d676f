//! A crawl that was ended in any way goes on where it was.

mod server;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use forerun_crawl::Crawl;
use proptest::prelude::*;
use server::{Server, html, hurried, page, paths, run, status};

const SITE: u64 = 120;

/// Pages in a binary tree with links back, some that redirect, some that are missing, some alike.
fn tree(wait: Duration) -> Server {
    Server::start(move |path, to| {
        let Some(n) = path[1..].parse::<u64>().ok().filter(|n| *n < SITE) else { return status(to, 404, "") };
        sleep(wait);
        let links = [2 * n + 1, 2 * n + 2, n / 2].map(|n| format!("/{n}"));
        match n % 10 {
            7 => status(to, 302, &format!("Location: /{}", n + 20)),
            _ => html(
                to,
                &page(
                    if n > 60 && n % 10 == 3 { "alike" } else { path },
                    &links.each_ref().map(String::as_str),
                ),
            ),
        }
    })
}

fn crawl(seed: String) -> Crawl {
    let mut crawl = hurried(seed);
    crawl.manners.threads = 3;
    crawl
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn crawl_in_a_process_of_its_own() {
    if let (Ok(seed), Ok(dir)) = (std::env::var("CRAWL_SEED"), std::env::var("CRAWL_DIR")) {
        run(crawl(seed), dir.as_ref());
    }
}

#[test]
fn a_crawl_that_is_killed_goes_on_and_asks_for_nothing_twice() {
    let server = tree(Duration::from_millis(4));
    let undisturbed = run(crawl(server.url("/0")), tempfile::tempdir().expect("a directory").path()).0;
    let before = server.asked().len();
    let dir = tempfile::tempdir().expect("a directory");
    let done = |dir: &Path| fs::read_to_string(dir.join("journal.jsonl")).map_or(0, |j| j.lines().count());
    let mut kills = 0;
    for lines in [5, 20, 50, 80] {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "crawl_in_a_process_of_its_own"])
            .envs([("CRAWL_SEED", server.url("/0")), ("CRAWL_DIR", dir.path().display().to_string())])
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        while done(dir.path()) < lines && child.try_wait().expect("its state").is_none() {
            sleep(Duration::from_millis(1));
        }
        kills += u64::from(child.try_wait().expect("its state").is_none());
        // SIGKILL: nothing in the process can do anything about it.
        child.kill().expect("its end");
        child.wait().expect("its end");
    }
    assert!(kills > 0, "the crawl was over before it could be killed");
    let recorded: Vec<String> =
        urls(&fs::read_to_string(dir.path().join("journal.jsonl")).expect("the journal"));
    let then = server.asked().len();
    let (pages, summary) = run(crawl(server.url("/0")), dir.path());
    assert!(summary.complete && summary.pages_before > 0);
    // Of pages that are alike, whichever came first is kept; all others are the same.
    assert_eq!(pages.len(), undisturbed.len());
    let all = server.asked();
    for path in &all[then..] {
        assert!(!recorded.iter().any(|u| u.ends_with(path)), "{path} was recorded and asked for again");
    }
    let mut times = HashMap::new();
    for path in &all[before..] {
        *times.entry(path).or_insert(0_u64) += 1;
    }
    // What was on its way when the process ended: one a thread and kill.
    assert!(times.values().map(|n| n - 1).sum::<u64>() <= 3 * kills, "{times:?}");
    let files = fs::read_dir(dir.path().join("pages/000000")).expect("the pages").count();
    assert_eq!(files, pages.len());
}

/// The URLs of complete lines that are done with.
fn urls(journal: &str) -> Vec<String> {
    let lines = journal.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let values = lines.map(|l| serde_json::from_str::<serde_json::Value>(l).expect("a record"));
    values.filter_map(|v| Some(v.pointer("/page/url").or(v.get("url"))?.as_str()?.to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn a_journal_cut_anywhere_goes_on_to_the_same_pages(cut in 0.0..1.0) {
        let server = Server::start(|path, to| {
            let n: u64 = path[1..].parse().unwrap_or(99);
            if n > 30 { return status(to, 404, "") }
            html(to, &page(path, &[&format!("/{}", 2 * n + 1), &format!("/{}", 2 * n + 2)]))
        });
        let dir = tempfile::tempdir().expect("a directory");
        let (whole, _) = run(crawl(server.url("/0")), dir.path());
        let journal = dir.path().join("journal.jsonl");
        let length = fs::metadata(&journal).expect("the journal").len();
        let file = fs::OpenOptions::new().write(true).open(&journal).expect("the journal");
        file.set_len((length as f64 * cut) as u64).expect("a shorter one");
        let (pages, summary) = run(crawl(server.url("/0")), dir.path());
        prop_assert_eq!(paths(&pages), paths(&whole));
        prop_assert!(summary.complete);
        for page in &pages {
            prop_assert_eq!(page.read(dir.path()).expect("its file").len() as u64, page.bytes);
        }
        let files = fs::read_dir(dir.path().join("pages/000000")).expect("the pages").count();
        prop_assert_eq!(files, pages.len());
    }
}

#[test]
fn a_page_whose_file_was_lost_is_asked_for_again() {
    let server = tree(Duration::ZERO);
    let dir = tempfile::tempdir().expect("a directory");
    let (pages, _) = run(crawl(server.url("/0")), dir.path());
    fs::remove_file(pages[3].path(dir.path())).expect("its file");
    let before = server.asked().len();
    let (again, _) = run(crawl(server.url("/0")), dir.path());
    assert_eq!(paths(&again), paths(&pages));
    assert_eq!(server.asked().len(), before + 1);
    // And once more: nothing is asked for.
    run(crawl(server.url("/0")), dir.path());
    assert_eq!(server.asked().len(), before + 1);
}

#[test]
fn what_may_have_passed_is_asked_for_again_and_what_lasts_is_not() {
    let up = Arc::new(AtomicBool::new(false));
    let is_up = up.clone();
    let server = Server::start(move |path, to| match path {
        "/0" => html(to, &page(path, &["/busy", "/silent", "/moves", "/missing", "/forbidden"])),
        "/missing" => status(to, 404, ""),
        "/forbidden" => status(to, 403, ""),
        "/robots.txt" => status(to, 404, ""),
        _ if is_up.load(Ordering::Relaxed) => match path {
            "/moves" => status(to, 302, "Location: /moved"),
            _ => html(to, &page(path, &["/deeper"])),
        },
        "/busy" => status(to, 503, ""),
        _ => Ok(()),
    });
    let dir = tempfile::tempdir().expect("a directory");
    let mut crawl = crawl(server.url("/0"));
    crawl.limits.tries = 2;
    for depth in [None, Some(2)] {
        up.store(false, Ordering::Relaxed);
        let dir = dir.path().join(format!("{depth:?}"));
        crawl.request.depth = depth;
        let asks = |expected: &[(&str, usize)], failed: (u64, u64)| {
            let before = server.asked().len();
            let (pages, summary) = run(crawl.clone(), &dir);
            assert_eq!((summary.failed, summary.failed_before), failed, "{summary:?}");
            assert_eq!(summary.errors_now().len() as u64, failed.0 - failed.1);
            assert!(summary.complete);
            let mut times = BTreeMap::new();
            let asked = server.asked();
            asked[before..].iter().filter(|p| *p != "/robots.txt").for_each(|path| {
                *times.entry(path.clone()).or_insert(0) += 1;
            });
            assert_eq!(times, expected.iter().map(|(path, n)| ((*path).to_owned(), *n)).collect());
            pages.len()
        };
        let passing = [("/busy", 2), ("/silent", 2), ("/moves", 2)];
        let first = [("/0", 1), ("/missing", 1), ("/forbidden", 1)];
        assert_eq!(asks(&[&first[..], &passing].concat(), (5, 0)), 1);
        // What failed is not lost by failing twice.
        assert_eq!(asks(&passing, (5, 2)), 1);
        up.store(true, Ordering::Relaxed);
        let now = ["/busy", "/silent", "/moves", "/moved", "/deeper"].map(|path| (path, 1));
        assert_eq!(asks(&now, (2, 2)), 5);
        assert_eq!(asks(&[], (2, 2)), 5);
    }
}

#[test]
fn a_crawl_that_kept_nothing_is_not_in_the_way_of_another() {
    let server = tree(Duration::ZERO);
    let dir = tempfile::tempdir().expect("a directory");
    let mut public = crawl(server.url("/0"));
    public.request.allow_private = false;
    assert_eq!(run(public.clone(), dir.path()).1.skipped.get("address"), Some(&1));
    let (pages, summary) = run(crawl(server.url("/0")), dir.path());
    assert!(!pages.is_empty() && !summary.skipped.contains_key("address"), "{summary:?}");
    let refused = public.start(dir.path(), || false).expect_err("refused").to_string();
    assert!(refused.contains("other private addresses"), "{refused}");
}

#[test]
fn a_directory_of_another_crawl_or_in_use_is_refused() {
    let server = tree(Duration::ZERO);
    let dir = tempfile::tempdir().expect("a directory");
    let mut crawler = crawl(server.url("/0")).start(dir.path(), || false).expect("a crawl");
    let refused = |crawl: Crawl| crawl.start(dir.path(), || false).expect_err("refused").to_string();
    assert!(refused(crawl(server.url("/0"))).contains("in use"));
    assert!(crawler.next().is_some());
    crawler.finish().expect("an end");
    assert!(refused(crawl(server.url("/1"))).contains("other URLs to begin with"));
    let mut deeper = crawl(server.url("/0"));
    deeper.request.depth = Some(7);
    assert!(refused(deeper).contains("other depth"));
    let journal = dir.path().join("journal.jsonl");
    fs::write(&journal, "no record\n").expect("the journal");
    assert!(refused(crawl(server.url("/0"))).contains("journal.jsonl:1:"));
    fs::remove_file(&journal).expect("the journal");
    assert!(refused(crawl(server.url("/0"))).contains("has pages and no journal"));
}
