//! What a crawl takes and what it leaves.

mod server;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use forerun_crawl::Hosts;
use server::{Server, html, hurried, page, paths, run, status};

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// A site of three levels: /, three below, three below each, with links back, up and sideways.
fn site() -> Server {
    let mut pages = vec![("/".to_owned(), page("top", &["a", "b", "c", "/", "#x", "a?", "mailto:x@y"]))];
    for below in ["a", "b", "c"] {
        let links = [1, 2, 3].map(|n| format!("/{below}{n}"));
        pages.push((format!("/{below}"), page(below, &links.each_ref().map(String::as_str))));
        for link in links {
            pages.push((link.clone(), page(&link, &["/", "/a", "missing", "http://elsewhere.example/"])));
        }
    }
    let pages: BTreeMap<String, String> = pages.into_iter().collect();
    Server::start(move |path, to| match pages.get(path) {
        Some(page) => html(to, page),
        None => status(to, 404, ""),
    })
}

#[test]
fn a_site_is_crawled_whole_and_each_page_once() {
    let (server, dir) = (site(), dir());
    let (pages, summary) = run(hurried(server.url("/")), dir.path());
    assert_eq!(pages.len(), 13);
    assert_eq!((summary.pages, summary.failed, summary.complete, summary.waiting), (13, 1, true, 0));
    assert_eq!(summary.errors[0].status, Some(404));
    assert_eq!(summary.links_left["host"], 9);
    assert_eq!(summary.links_left["scheme"], 1);
    let mut asked = server.asked();
    assert_eq!(asked.len(), 14);
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 14, "a page was asked for twice");
    assert_eq!(summary.requests, 15, "the pages, the missing one, robots.txt");
    let top = &pages[0];
    assert_eq!((top.depth, top.status, top.media_type.as_str()), (0, 200, "text/html"));
    assert_eq!(top.charset.as_deref(), Some("utf-8"));
    assert_eq!(top.read(dir.path()).expect("its file").len() as u64, top.bytes);
    assert!(top.headers.iter().any(|(name, value)| name == "content-type" && value.contains("UTF-8")));
}

#[test]
fn depth_and_count_are_limits() {
    let server = site();
    let mut crawl = hurried(server.url("/"));
    crawl.request.depth = Some(1);
    let (pages, summary) = run(crawl.clone(), dir().path());
    assert_eq!(paths(&pages), ["/", "/a", "/b", "/c"]);
    assert_eq!(summary.links_left["depth"], 9);
    crawl.request.depth = Some(0);
    assert_eq!(paths(&run(crawl.clone(), dir().path()).0), ["/"]);
    crawl.request.depth = None;
    crawl.limits.pages = 5;
    let (pages, summary) = run(crawl, dir().path());
    assert_eq!(pages.len(), 5);
    assert!(!summary.complete && summary.waiting > 0);
}

#[test]
fn with_a_limit_of_depth_the_shortest_path_counts() {
    // /slow is one link away and takes its time; /far is found by a longer path before it.
    let server = Server::start(|path, to| match path {
        "/" => html(to, &page("top", &["slow", "b"])),
        "/slow" => {
            std::thread::sleep(Duration::from_millis(300));
            html(to, &page("slow", &["far"]))
        }
        "/b" => html(to, &page("b", &["c"])),
        "/c" => html(to, &page("c", &["far"])),
        "/far" => html(to, &page("far", &["end"])),
        "/end" => html(to, &page("end", &[])),
        _ => status(to, 404, ""),
    });
    let mut crawl = hurried(server.url("/"));
    crawl.request.depth = Some(3);
    let (pages, _) = run(crawl, dir().path());
    assert_eq!(paths(&pages), ["/", "/b", "/c", "/end", "/far", "/slow"]);
}

#[test]
fn the_same_content_is_kept_once() {
    let same = page("same", &["deeper/same"]);
    let server = Server::of([("/", page("top", &["x", "y"])), ("/x", same.clone()), ("/y", same)]);
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(pages.len(), 2);
    assert_eq!(summary.skipped["duplicate"], 1);
}

#[test]
fn robots_txt_is_kept_to() {
    let server = Server::start(|path, to| match path {
        "/robots.txt" => {
            html(to, "user-agent: *\ndisallow: /private\nallow: /private/open\ncrawl-delay: 0.2\n")
        }
        "/" => html(to, &page("top", &["private/a", "private/open", "b"])),
        _ => html(to, &page(path, &[])),
    });
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(paths(&pages), ["/", "/b", "/private/open"]);
    assert_eq!(summary.skipped["robots"], 1);
    assert!(!server.asked().contains(&"/private/a".to_owned()));
    assert_eq!(summary.delay_s, 0.2, "the longest that was asked for");
    let gaps: Vec<Duration> = server.times().windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.iter().all(|g| *g >= Duration::from_millis(150)), "{gaps:?}");
}

#[test]
fn a_host_whose_robots_txt_fails_is_left_alone() {
    for code in [500, 503, 429] {
        let server = Server::start(move |path, to| match path {
            "/robots.txt" => status(to, code, ""),
            _ => html(to, "page"),
        });
        let (pages, summary) = run(hurried(server.url("/")), dir().path());
        assert!(pages.is_empty() && server.asked().is_empty());
        assert_eq!((summary.waiting, summary.complete), (1, false), "it can be asked again in the next run");
        assert!(summary.hosts_left[0].why.contains(&code.to_string()), "{summary:?}");
        assert_eq!(summary.requests, 3);
    }
    for code in [404, 403] {
        let server = Server::start(move |path, to| match path {
            "/robots.txt" => status(to, code, ""),
            _ => html(to, "page"),
        });
        assert_eq!(run(hurried(server.url("/")), dir().path()).0.len(), 1);
    }
}

#[test]
fn requests_to_a_host_are_apart_and_not_too_many_at_once() {
    let server = site();
    let mut crawl = hurried(server.url("/"));
    crawl.manners.delay = Duration::from_millis(60);
    crawl.limits.pages = 6;
    run(crawl, dir().path());
    let times = server.times();
    assert_eq!(times.len(), 7);
    // Between being sent and being noted a request may be held up, so the first and last tell.
    assert!(times[6] - times[0] >= Duration::from_millis(300), "{:?}", times[6] - times[0]);
}

#[test]
fn a_delay_is_between_the_starts_of_requests() {
    let links: Vec<String> = (0..12).map(|n| format!("/{n}")).collect();
    let server = Server::start(move |path, to| {
        if path == "/robots.txt" {
            return status(to, 404, "");
        }
        std::thread::sleep(Duration::from_millis(300));
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        html(to, &page(path, &links))
    });
    let mut crawl = hurried(server.url("/"));
    crawl.manners.delay = Duration::from_millis(200);
    let (pages, summary) = run(crawl, dir().path());
    assert_eq!(pages.len(), 13);
    assert_eq!(summary.delay_s, 0.2);
    // From the second page on, which waits for the first: one each 0.2 s, and not each 0.3 s or 0.5 s.
    let times = server.times();
    let took = times[13] - times[2];
    assert!((Duration::from_millis(2150)..Duration::from_millis(2900)).contains(&took), "{took:?}");
}

#[test]
fn redirects_are_followed_within_limits() {
    let elsewhere = Server::of([("/", "elsewhere".to_owned())]);
    let other = elsewhere.url("/");
    let server = Server::start(move |path, to| match path {
        "/" => html(to, &page("top", &["moved", "loop1", "self", "out", "chain0", "nowhere", "file"])),
        "/moved" => status(to, 301, "Location: target"),
        "/target" => html(to, &page("target", &[])),
        "/loop1" => status(to, 302, "Location: /loop2"),
        "/loop2" => status(to, 307, "Location: /loop1"),
        "/self" => status(to, 308, "Location: /self"),
        "/out" => status(to, 302, &format!("Location: {other}")),
        "/nowhere" => status(to, 302, "Location: http://"),
        "/file" => status(to, 302, "Location: file:///etc/passwd"),
        chain => match chain.strip_prefix("/chain").and_then(|n| n.parse::<u32>().ok()) {
            Some(n) => status(to, 302, &format!("Location: /chain{}", n + 1)),
            None => status(to, 404, ""),
        },
    });
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(paths(&pages), ["/", "/target"]);
    assert_eq!(pages[1].depth, 1);
    assert_eq!(summary.skipped["redirects"], 4, "out, nowhere, file, and the chain's end");
    assert!(elsewhere.times().is_empty(), "another port is another host");
    assert!(
        server.asked().contains(&"/chain10".to_owned()) && !server.asked().contains(&"/chain11".to_owned())
    );
    assert!(summary.complete);
}

#[test]
fn private_addresses_are_not_reached_by_any_name() {
    let server = Server::of([("/", "page".to_owned())]);
    let port = server.port();
    for host in ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
        let mut crawl = hurried(format!("http://{host}:{port}/"));
        crawl.request.allow_private = false;
        let (pages, summary) = run(crawl, dir().path());
        assert!(pages.is_empty());
        assert_eq!(summary.skipped.get("address"), Some(&1), "{host}: {summary:?}");
    }
    assert!(server.times().is_empty(), "a connection was made");
}

#[test]
fn a_list_of_domains_is_kept_to() {
    let a = Server::of([("/", page("a", &[]))]);
    let to_a = a.url("/");
    let b = Server::start(move |path, to| match path {
        "/" => html(to, &page("b", &[&to_a])),
        _ => status(to, 404, ""),
    });
    let mut crawl = hurried(b.url("/"));
    crawl.request.hosts = Hosts::Domains(vec![format!("127.0.0.1:{}", b.port())]);
    assert_eq!(run(crawl.clone(), dir().path()).0.len(), 1);
    crawl.request.hosts = Hosts::Domains([a.port(), b.port()].map(|p| format!("127.0.0.1:{p}")).to_vec());
    assert_eq!(run(crawl, dir().path()).0.len(), 2);
}

#[test]
fn whoever_takes_no_pages_holds_the_crawl() {
    let server = Server::start(|path, to| {
        let n: u32 = path[1..].parse().unwrap_or(0);
        let links: Vec<String> = (0..4).map(|i| format!("/{}", 4 * n + i + 1)).collect();
        html(to, &page(path, &links.iter().map(String::as_str).collect::<Vec<_>>()))
    });
    let mut crawl = hurried(server.url("/0"));
    (crawl.manners.ahead, crawl.manners.threads, crawl.limits.pages) = (3, 2, 200);
    let dir = dir();
    let mut crawler = crawl.start(dir.path(), || false).expect("a crawl");
    std::thread::sleep(Duration::from_millis(500));
    // Those that wait, and one in the hand of each thread.
    assert_eq!(server.asked().len(), 3 + 2);
    assert_eq!(crawler.by_ref().count(), 200);
    assert!(crawler.finish().expect("an end").pages == 200);
}

#[test]
fn a_crawl_stops_when_it_is_asked_to_and_goes_on_later() {
    let server = site();
    let mut crawl = hurried(server.url("/"));
    crawl.manners.delay = Duration::from_millis(50);
    let dir = dir();
    let until = Instant::now() + Duration::from_millis(250);
    let mut crawler = crawl.clone().start(dir.path(), move || Instant::now() > until).expect("a crawl");
    let first = crawler.by_ref().count();
    let summary = crawler.finish().expect("an end");
    assert!((1..13).contains(&first) && !summary.complete, "{summary:?}");
    let (pages, summary) = run(crawl, dir.path());
    assert_eq!((pages.len(), summary.pages_before), (13, first as u64));
    assert_eq!(server.asked().len(), 14);
}
