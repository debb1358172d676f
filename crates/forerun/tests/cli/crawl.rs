//! `forerun crawl`, from a server on loopback to the words of its pages.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::util::Place;

/// A site of ten pages with three words each, in a chain; gives its URL.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/0", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let first = BufReader::new(&stream).lines().next().and_then(Result::ok).unwrap_or_default();
            let path = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
            let (status, page) = match path.parse::<u32>() {
                Ok(n) if n < 10 => ("200 OK", format!("<a href=/{}>one</a> two{n} three\n", n + 1)),
                _ => ("404 Not Found", String::new()),
            };
            let length = page.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{page}"
            );
        }
    });
    url
}

#[test]
fn a_site_is_fetched_and_the_same_command_again_fetches_nothing() {
    let (place, url) = (Place::new(), site());
    let words = ["crawl", &url, "-o", "site", "--allow-private", "--delay", "0 s", "--json", "done.json"];
    let said = place.say(words);
    assert!(said.status.success(), "{}", said.err);
    assert!(said.text().contains("kept      10 pages"), "{}", said.text());
    let done: serde_json::Value = serde_json::from_slice(&place.read("done.json")).unwrap();
    assert_eq!(done["pages"], 10);
    assert_eq!(done["errors"][0]["status"], 404);
    assert_eq!(done["complete"], true);
    assert_eq!(std::fs::read_dir(place.path("site/pages/000000")).unwrap().count(), 10);
    let again = place.say(words);
    assert!(
        again.text().contains("10 of them from before") && again.text().contains("0 requests"),
        "{}",
        again.text()
    );
}

#[test]
fn what_cannot_be_crawled_is_said_in_a_sentence() {
    let (place, url) = (Place::new(), site());
    let said = place.say(["crawl", &url, "-o", "site"]);
    assert_eq!(said.status.code(), Some(1));
    assert!(said.err.contains("not public; --allow-private"), "{}", said.err);
    let said = place.say(["crawl", "example.org", "-o", "other"]);
    assert_eq!(said.status.code(), Some(2));
    assert!(said.err.contains("example.org is not a URL to begin with"), "{}", said.err);
    let said = place.say(["crawl", &url, "-o", "third", "--delay", "soon"]);
    assert_eq!(said.status.code(), Some(2));
    assert!(said.err.contains("--delay soon"), "{}", said.err);
}

/// A crawl that kept nothing has nothing to go on with: it leaves nothing, and the same again is as the first time.
#[test]
fn a_crawl_that_kept_nothing_leaves_nothing() {
    let (place, url) = (Place::new(), site());
    let words = ["crawl", &url, "-o", "site", "--allow-private", "--delay", "0 s", "--types", "image/png"];
    for _ in 0..2 {
        let said = place.say(words).refused(1, &["no page was kept", "(type)", &url, "it is text/html"]);
        assert!(!said.err.contains("journal"), "{}", said.err);
        assert!(said.text().contains("2 requests") && said.text().contains("0 redirects"), "{}", said.text());
        assert!(!place.path("site").exists());
    }
    // What was there before is left.
    std::fs::create_dir(place.path("site")).unwrap();
    place.say(words).refused(1, &["no page was kept", "journal.jsonl says more"]);
    assert!(place.path("site").exists());
    place.assert_clean();
}

#[test]
fn files_are_printed_as_they_come() {
    let (place, url) = (Place::new(), site());
    let said = place.say(["crawl", &url, "-o", "site", "--allow-private", "--delay", "0 s", "--print-files"]);
    assert!(said.status.success(), "{}", said.err);
    let text = said.text();
    let files: Vec<&str> = text.lines().collect();
    assert_eq!(files.len(), 10, "{}", said.text());
    assert!(files.iter().all(|f| place.path(f).is_file()));
}
