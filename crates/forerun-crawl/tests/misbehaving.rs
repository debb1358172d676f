//! Servers that do what no server should: what came of it is recorded, and the crawl goes on.

mod server;

use std::io::Write as _;
use std::net::TcpListener;
use std::thread::sleep;
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use forerun_crawl::Come;
use server::{Server, head, html, hurried, page, paths, run, status};

const HTML: &str = "Content-Type: text/html";

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::best());
    to.write_all(bytes).expect("to memory");
    to.finish().expect("to memory")
}

#[test]
fn slow_and_silent_pages_end_when_their_time_is_over() {
    let server = Server::start(|path, to| match path {
        "/" => html(to, &page("top", &["drip", "drip-head", "silent", "good"])),
        "/drip" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Length: 100000"))?;
            loop {
                to.write_all(b".")?;
                sleep(Duration::from_millis(20));
            }
        }
        "/drip-head" => {
            write!(to, "HTTP/1.1 200 OK\r\nX: ")?;
            loop {
                to.write_all(b".")?;
                sleep(Duration::from_millis(20));
            }
        }
        "/silent" => {
            sleep(Duration::from_secs(20));
            Ok(())
        }
        "/good" => html(to, &page("good", &[])),
        _ => status(to, 404, ""),
    });
    let mut crawl = hurried(server.url("/"));
    crawl.limits.time = Duration::from_millis(400);
    crawl.limits.tries = 2;
    let began = Instant::now();
    let (pages, summary) = run(crawl, dir().path());
    assert_eq!(paths(&pages), ["/", "/good"]);
    assert_eq!(summary.failed, 3, "{summary:?}");
    assert!(summary.errors.iter().all(|e| e.why.contains("time") && e.tries == 2), "{summary:?}");
    let troubles: Vec<u64> = summary.troubles.values().copied().collect();
    assert_eq!(troubles, [6], "each try counts: {summary:?}");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
}

#[test]
fn pages_beyond_the_limit_are_not_kept_whatever_they_say() {
    let server = Server::start(|path, to| match path {
        "/" => html(to, &page("top", &["said", "unsaid", "chunked", "bomb", "bombs"])),
        "/said" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Length: 999999999999"))?;
            to.write_all(b"x")
        }
        "/unsaid" => {
            head(to, "200 OK", HTML)?;
            loop {
                to.write_all(&[b'x'; 65536])?;
            }
        }
        "/chunked" => {
            head(to, "200 OK", &format!("{HTML}\r\nTransfer-Encoding: chunked"))?;
            loop {
                to.write_all(b"10\r\n0123456789abcdef\r\n")?;
            }
        }
        "/bomb" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Encoding: gzip"))?;
            to.write_all(&gzip(&vec![b' '; 64 << 20]))
        }
        "/bombs" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Encoding: gzip"))?;
            loop {
                to.write_all(&gzip(&[b' '; 1 << 16]))?;
            }
        }
        _ => status(to, 404, ""),
    });
    let mut crawl = hurried(server.url("/"));
    crawl.limits.page_bytes = 1 << 20;
    crawl.limits.time = Duration::from_secs(20);
    let (pages, summary) = run(crawl, dir().path());
    assert_eq!(pages.len(), 1);
    assert_eq!(summary.skipped["large"], 5, "{summary:?}");
    assert!(summary.requests <= 7, "no second try: {summary:?}");
}

#[test]
fn answers_that_are_no_http_are_recorded() {
    let server = Server::start(|path, to| match path {
        "/" => html(
            to,
            &page(
                "top",
                &["short", "garbage", "header", "nothing", "length", "coding", "damaged", "many", "good"],
            ),
        ),
        "/short" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Length: 100"))?;
            to.write_all(b"less")
        }
        "/garbage" => to.write_all(b"\x00\x01\x02 this is no answer \xff\xfe\r\n\r\n"),
        "/header" => write!(to, "HTTP/1.1 200 OK\r\nbro ken header\r\n: x\r\n\r\n"),
        "/nothing" => Ok(()),
        "/length" => head(to, "200 OK", &format!("{HTML}\r\nContent-Length: -5")),
        "/coding" => head(to, "200 OK", &format!("{HTML}\r\nContent-Encoding: zstd\r\nContent-Length: 1")),
        "/damaged" => {
            head(to, "200 OK", &format!("{HTML}\r\nContent-Encoding: gzip\r\nContent-Length: 11"))?;
            to.write_all(b"not gzipped")
        }
        "/many" => {
            write!(to, "HTTP/1.1 200 OK\r\n")?;
            loop {
                write!(to, "X-{}: y\r\n", "x".repeat(1_000))?;
            }
        }
        "/good" => html(to, &page("good", &[])),
        _ => status(to, 404, ""),
    });
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(paths(&pages), ["/", "/good"]);
    assert_eq!(summary.failed, 8, "{:#?}", summary.errors);
    assert!(summary.complete);
}

#[test]
fn links_without_end_end_at_the_limits() {
    // Each page leads to two that nobody saw before.
    let server = Server::start(|path, to| match path {
        "/robots.txt" => status(to, 404, ""),
        _ => html(to, &page(path, &["x/", "y/"])),
    });
    let mut crawl = hurried(server.url("/"));
    crawl.request.depth = Some(4);
    assert_eq!(run(crawl.clone(), dir().path()).0.len(), 31);
    crawl.request.depth = None;
    crawl.limits.pages = 100;
    assert_eq!(run(crawl.clone(), dir().path()).0.len(), 100);
    crawl.limits.pages = 1_000;
    crawl.limits.urls = 50;
    let (pages, summary) = run(crawl, dir().path());
    assert_eq!(pages.len(), 50);
    assert!(summary.links_left["full"] > 0);
}

#[test]
fn what_is_busy_is_asked_again_when_it_said() {
    let busy = std::sync::atomic::AtomicU32::new(0);
    let server = Server::start(move |path, to| match path {
        "/" => html(to, &page("top", &["busy", "never", "later", "broken"])),
        "/busy" if busy.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => {
            status(to, 503, "Retry-After: 1")
        }
        "/busy" => html(to, &page("busy", &[])),
        "/never" => status(to, 429, ""),
        "/later" => status(to, 503, "Retry-After: 86400"),
        "/broken" => status(to, 500, ""),
        _ => status(to, 404, ""),
    });
    let began = Instant::now();
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(paths(&pages), ["/", "/busy"]);
    assert!(began.elapsed() >= Duration::from_secs(1));
    let tries = |path: &str| summary.errors.iter().find(|e| e.url.ends_with(path)).map(|e| e.tries);
    assert_eq!([tries("/never"), tries("/later"), tries("/broken")], [Some(3), Some(1), Some(3)]);
}

#[test]
fn what_is_not_text_is_not_kept() {
    let server = Server::start(|path, to| match path {
        "/" => html(to, &page("top", &["pdf", "binary", "untyped"])),
        "/pdf" => head(to, "200 OK", "Content-Type: application/pdf\r\nContent-Length: 5"),
        "/binary" => {
            head(to, "200 OK", "Content-Length: 8")?;
            to.write_all(b"\x7fELF\0\0\0\0")
        }
        "/untyped" => {
            head(to, "200 OK", "Content-Length: 3")?;
            to.write_all(b"<p>")
        }
        _ => status(to, 404, ""),
    });
    let (pages, summary) = run(hurried(server.url("/")), dir().path());
    assert_eq!(paths(&pages), ["/", "/untyped"]);
    assert_eq!(summary.skipped["type"], 2);
}

#[test]
fn a_host_that_never_answers_is_left_alone_after_a_while() {
    let server = Server::start(|path, to| match path {
        "/robots.txt" => status(to, 404, ""),
        "/" => {
            let links: Vec<String> = (0..50).map(|n| format!("/dead{n}")).collect();
            html(to, &page("top", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        _ => Ok(()),
    });
    let mut crawl = hurried(server.url("/"));
    crawl.limits.tries = 1;
    crawl.manners.connections = 1;
    let dir = dir();
    let (pages, summary) = run(crawl.clone(), dir.path());
    assert_eq!((pages.len(), summary.failed, summary.waiting), (1, 10, 40));
    assert!(summary.hosts_left[0].why.contains("10 requests in a row failed"), "{summary:?}");
    // The next run tries the rest, and what failed after that.
    let before = server.asked();
    let (_, summary) = run(crawl, dir.path());
    assert_eq!((summary.failed, summary.failed_before, summary.waiting), (10, 0, 40));
    assert!(
        server.asked()[before.len()..].iter().all(|path| !before.contains(path) || path == "/robots.txt")
    );
}

#[test]
fn where_nobody_listens_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let (pages, summary) = run(hurried(format!("http://127.0.0.1:{port}/")), dir().path());
    assert!(pages.is_empty());
    assert!(summary.hosts_left[0].why.contains("refused"), "{summary:?}");
}

#[test]
fn a_crawl_of_a_silent_server_stops_at_once() {
    let server = Server::start(|_, _| {
        sleep(Duration::from_secs(20));
        Ok(())
    });
    let until = Instant::now() + Duration::from_millis(300);
    let began = Instant::now();
    let mut crawler =
        hurried(server.url("/")).start(dir().path(), move || Instant::now() > until).expect("a crawl");
    assert_eq!(crawler.next_within(Duration::from_millis(50)), Come::NotYet);
    assert!(began.elapsed() < Duration::from_millis(300));
    assert_eq!(crawler.by_ref().count(), 0);
    assert!(!crawler.finish().expect("an end").complete);
    assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
}
