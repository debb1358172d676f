//! A web server for tests, on loopback, that does whatever it is told to: also what no server should.
#![allow(dead_code, reason = "each test has its own use for it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use forerun_crawl::{Crawl, Page, Summary};

/// What a server does about a request: gets the path with its query, and the connection.
type Answer = dyn Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync;

/// A server that lives as long as the test's process.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, Instant)>>>,
}

impl Server {
    /// Starts a server that answers each request so, and then closes the connection.
    pub(crate) fn start(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answer): (_, Arc<Answer>) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Self { address, asked }
    }

    /// A server with these pages and no other.
    pub(crate) fn of(pages: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let pages: HashMap<&str, String> = pages.into_iter().collect();
        Self::start(move |path, to| match pages.get(path) {
            Some(page) => html(to, page),
            None => status(to, 404, ""),
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The paths that were asked for, without robots.txt, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("the log");
        asked.iter().map(|(path, _)| path.clone()).filter(|p| p != "/robots.txt").collect()
    }

    /// When each request came.
    pub(crate) fn times(&self) -> Vec<Instant> {
        self.asked.lock().expect("the log").iter().map(|(_, at)| *at).collect()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<(String, Instant)>>, answer: &Answer) {
    let Ok(read) = stream.try_clone() else { return };
    let mut lines = BufReader::new(read).lines();
    let Some(Ok(first)) = lines.next() else { return };
    while lines.next().is_some_and(|l| l.is_ok_and(|l| !l.is_empty())) {}
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().expect("the log").push((path.clone(), Instant::now()));
    // Whoever asked may have gone: that is what some tests are about.
    let _ = answer(&path, &mut stream);
}

/// Answers with a page.
pub(crate) fn html(to: &mut TcpStream, page: &str) -> std::io::Result<()> {
    head(to, "200 OK", &format!("Content-Type: text/html; charset=UTF-8\r\nContent-Length: {}", page.len()))?;
    to.write_all(page.as_bytes())
}

/// Answers with a status and a header.
pub(crate) fn status(to: &mut TcpStream, status: u16, header: &str) -> std::io::Result<()> {
    let header = if header.is_empty() { "X-None: 1" } else { header };
    head(to, &format!("{status} Said"), &format!("{header}\r\nContent-Length: 0"))
}

/// Writes the head of an answer.
pub(crate) fn head(to: &mut TcpStream, status: &str, headers: &str) -> std::io::Result<()> {
    write!(to, "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n\r\n")
}

/// A page with links, and a text of its own.
pub(crate) fn page(name: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|l| format!("<p><a href='{l}'>to</a>")).collect();
    format!("<!doctype html><title>{name}</title>{links}")
}

/// A crawl that may go to loopback and is in a hurry.
pub(crate) fn hurried(seed: String) -> Crawl {
    let mut crawl = Crawl::new(vec![seed]);
    crawl.request.allow_private = true;
    crawl.manners.delay = Duration::ZERO;
    crawl.manners.back_off = Duration::from_millis(20);
    crawl.limits.time = Duration::from_secs(5);
    crawl
}

/// Runs a crawl to its end: its pages in order of their number, and its summary.
pub(crate) fn run(crawl: Crawl, dir: &Path) -> (Vec<Page>, Summary) {
    let mut crawler = crawl.start(dir, || false).expect("a crawl");
    let mut pages: Vec<Page> = crawler.by_ref().collect();
    let summary = crawler.finish().expect("an end");
    pages.sort_by_key(|p| p.number);
    (pages, summary)
}

/// The paths of pages, sorted.
pub(crate) fn paths(pages: &[Page]) -> Vec<String> {
    let path = |p: &Page| p.url.splitn(4, '/').nth(3).map(|p| format!("/{p}")).unwrap_or_default();
    let mut paths: Vec<String> = pages.iter().map(path).collect();
    paths.sort();
    paths
}
