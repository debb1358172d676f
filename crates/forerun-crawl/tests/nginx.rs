//! Crawls of a real web server, nginx, on loopback.

#[path = "server/nginx.rs"]
mod nginx;
mod server;
#[path = "../../forerun-platform/tests/common/skipped.rs"]
mod skipped;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use nginx::nginx;
use server::{hurried, page, run};
use skipped::skipped;

#[test]
fn a_generated_site_is_mirrored_byte_for_byte() {
    let root = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a page");
    };
    let parts: Vec<String> = (0..20).map(|p| format!("part{p}")).collect();
    let mut links: Vec<&str> = parts.iter().map(String::as_str).collect();
    links.extend([
        "gone/x",
        "forbidden/x",
        "old/page.html",
        "style.css",
        "logo.svg",
        "notes.txt",
        "hidden/x.html",
    ]);
    write("index.html", &page("top", &links));
    for part in &parts {
        // Asked for without its slash, nginx sends there.
        write(&format!("{part}/index.html"), &page(part, &(0..20).map(|_| "..").collect::<Vec<_>>()));
        let long = format!("{}{}", page(part, &["/", "more.html"]), "words ".repeat(5_000));
        write(&format!("{part}/index.html"), &long);
        write(
            &format!("{part}/more.html"),
            &page(&format!("more of {part}"), &["index.html?x=1", "no.html"]),
        );
    }
    write("new/page.html", &page("new", &[]));
    write("hidden/x.html", "hidden");
    write("notes.txt", "notes");
    write("style.css", "a {}");
    write("logo.svg", "<svg/>");
    write("robots.txt", "User-agent: *\nDisallow: /hidden/\n");
    let Some(nginx) = nginx(root.path()) else { return };
    let out = tempfile::tempdir().expect("a directory");
    let (pages, summary) = run(hurried(format!("http://127.0.0.1:{}/", nginx.port)), out.path());
    // The top, two pages a part, the new one, the notes.
    assert_eq!(pages.len(), 1 + 2 * 20 + 2, "{summary:#?}");
    assert_eq!(summary.redirects, 20 + 1);
    assert_eq!(summary.failed, 20 + 2, "{:#?}", summary.errors);
    assert_eq!((summary.skipped["type"], summary.skipped["robots"]), (2, 1));
    assert_eq!(summary.skipped["duplicate"], 20, "index.html?x=1 is what the directory is");
    for page in &pages {
        let path = page.url.splitn(4, '/').nth(3).expect("a path");
        let name = if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
        let name = name.trim_end_matches("?x=1");
        let same =
            page.read(out.path()).expect("its file") == fs::read(root.path().join(name)).expect("the page");
        assert!(same, "{}", page.url);
    }
    let zipped =
        pages.iter().filter(|p| p.headers.iter().any(|(n, v)| n == "content-encoding" && v == "gzip"));
    assert!(zipped.count() > 20, "pages came compressed");
}

/// The documentation of the toolchain's libraries, where it is installed.
fn rust_docs() -> Option<PathBuf> {
    let root = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let root = PathBuf::from(String::from_utf8(root.stdout).ok()?.trim());
    Some(root.join("share/doc/rust/html")).filter(|p| p.join("std/collections/index.html").is_file())
}

#[test]
fn real_documentation_is_crawled_as_it_is_on_disk() {
    let Some(root) = rust_docs() else {
        skipped("needs the toolchain's documentation (rustup component add rust-docs)");
        return;
    };
    let Some(nginx) = nginx(&root) else { return };
    let mut crawl = hurried(format!("http://127.0.0.1:{}/std/collections/index.html", nginx.port));
    crawl.request.below = true;
    let out = tempfile::tempdir().expect("a directory");
    let (pages, summary) = run(crawl, out.path());
    assert!(pages.len() > 30 && summary.complete, "{summary:#?}");
    assert!(summary.links_left["path"] > 100);
    for page in &pages {
        let path = page.url.splitn(4, '/').nth(3).expect("a path");
        assert!(path.starts_with("std/collections/"));
        let file = root.join(if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() });
        assert!(page.read(out.path()).expect("its file") == fs::read(file).expect("the page"), "{path}");
    }
}
