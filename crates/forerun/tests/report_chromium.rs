//! The report as a browser lays it out: at desktop and phone width, light and dark.
//!
//! Needs Chromium (Debian: `chromium`; or its path in `CHROMIUM`) and says so where there is none, or where
//! `FORERUN_TEST_NO_BROWSER` is set. Pages and
//! screenshots stay in the target directory, under `tmp/report-chromium`, to be looked at.

mod sample;
#[path = "../../forerun-platform/tests/common/skipped.rs"]
mod skipped;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forerun::report;
use forerun_platform::{Strategy, Way};
use serde::Deserialize;
use skipped::skipped;

/// What the script in a test copy found.
#[derive(Debug, Deserialize)]
struct Answer {
    width: u32,
    page: String,
    texts: usize,
    charts: usize,
    findings: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    Dark = 0,
    Light = 1,
}

struct Browser {
    program: PathBuf,
    dir: PathBuf,
}

impl Browser {
    /// The browser, or nothing after saying why there is none.
    fn find() -> Option<Browser> {
        if std::env::var_os("FORERUN_TEST_NO_BROWSER").is_some() {
            skipped("the report is not checked in a browser, as was asked");
            return None;
        }
        let names = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
        let given = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let found = given.or_else(|| {
            let candidates = names.iter().flat_map(|name| directories.iter().map(move |d| d.join(name)));
            { candidates }.find(|file| file.is_file())
        });
        let Some(program) = found else {
            skipped(
                "the report is not checked in a browser, chromium is not installed (Debian: apt-get install chromium)",
            );
            return None;
        };
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-chromium");
        std::fs::create_dir_all(&dir).expect("a directory for pages");
        Some(Browser { program, dir })
    }

    /// Runs the browser on a page of ours; gives standard output and error.
    fn run(&self, page: &Path, width: u32, scheme: Scheme, more: &[String]) -> (String, String) {
        let profile = tempfile::tempdir().expect("a directory for the profile");
        let logs = tempfile::tempdir().expect("a directory for the output");
        let (out, err) = (logs.path().join("out"), logs.path().join("err"));
        let mut child = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--enable-logging=stderr"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--blink-settings=preferredColorScheme={}", scheme as u8))
            .arg(format!("--window-size={width},1400"))
            .args(more)
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&out).expect("a file"))
            .stderr(std::fs::File::create(&err).expect("a file"))
            .spawn()
            .expect("the browser starts");
        let since = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("the browser's state") {
                break status;
            }
            if since.elapsed() > Duration::from_secs(120) {
                child.kill().expect("the browser ends");
                child.wait().expect("the browser's end");
                panic!("the browser did not end within two minutes on {}", page.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = |file| String::from_utf8_lossy(&std::fs::read(file).expect("output")).into_owned();
        assert!(status.success(), "the browser failed on {}: {}", page.display(), text(&err));
        (text(&out), text(&err))
    }

    fn page(&self, name: &str, html: &str) -> PathBuf {
        let file = self.dir.join(format!("{name}.html"));
        std::fs::write(&file, html).expect("a page is written");
        file
    }

    /// Lays pages out, each in a frame of the width given, and gives what the script found in each, and what the
    /// browser logged. In frames because a window is never narrower than 500 pixels, and a telephone is.
    fn look(&self, name: &str, pages: &[(&str, u32)], scheme: Scheme) -> (Vec<Answer>, String) {
        let policy = ("style-src 'unsafe-inline'", "style-src 'unsafe-inline'; script-src 'unsafe-inline'");
        let early = "<script>window.early = []; \
                     addEventListener('error', (e) => early.push(['error', String(e.message || e.target.outerHTML)]), true); \
                     addEventListener('securitypolicyviolation', (e) => early.push(['loads from outside', e.blockedURI]));\
                     </script><style>";
        let late = format!("<script>\n{}</script></body>", include_str!("report_chromium.js"));
        // The dark or light of a frame is that of the page around it.
        let mut around = format!(
            "<!DOCTYPE html><html><head><style>:root {{ color-scheme: light dark }} iframe {{ border: 0 }}</style><script>\
             const all = []; let left = {};\
             function answer(at, what) {{ all[at] = what; left -= 1; if (left === 0) document.body.textContent = \
             JSON.stringify(all).replace(/[<>&]/g, (c) => '\\\\u00' + c.charCodeAt(0).toString(16)); }}</script></head><body>",
            pages.len()
        );
        for (at, (html, width)) in pages.iter().enumerate() {
            assert!(html.contains(policy.0), "the page forbids all but its own style");
            let copy =
                html.replacen(policy.0, policy.1, 1).replacen("<style>", early, 1).replace("</body>", &late);
            let copy = copy.replace('&', "&amp;").replace('"', "&quot;");
            around += &format!(
                "<iframe name=\"{at}\" width=\"{width}\" height=\"1400\" srcdoc=\"{copy}\"></iframe>"
            );
        }
        let page = self.page(&format!("{name}-checked"), &(around + "</body></html>"));
        let (dom, log) = self.run(&page, 1400, scheme, &["--dump-dom".into()]);
        let body = dom
            .rsplit_once("<body>")
            .and_then(|(_, after)| after.split_once("</body>"))
            .map(|(body, _)| body);
        let body = body.unwrap_or_else(|| panic!("no answer in {dom:.300}"));
        (serde_json::from_str(body.trim()).unwrap_or_else(|e| panic!("{e} in {body:.300}")), log)
    }

    /// The size in pixels and in bytes of a screenshot.
    fn screenshot(&self, name: &str, html: &str, width: u32, scheme: Scheme) -> (u32, u32, usize) {
        let page = self.page(name, html);
        let light = if scheme == Scheme::Light { "light" } else { "dark" };
        let file = self.dir.join(format!("{name}-{width}-{light}.png"));
        let _ = std::fs::remove_file(&file);
        self.run(&page, width, scheme, &[format!("--screenshot={}", file.display())]);
        let png = std::fs::read(&file).expect("a screenshot");
        let word = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
        assert_eq!(&png[1..4], b"PNG");
        (word(16), word(20), png.len())
    }
}

/// The pages that are looked at: many outcomes, awkward ones, one alone, one P with several strategies.
fn pages() -> Vec<(&'static str, String)> {
    let one_p = sample::many().into_iter().filter(|o| o.processors == 4).collect::<Vec<_>>();
    let one = [sample::outcome(Way::Mpi, Strategy::Adaptive, 16, 640, 1.0, 3)];
    vec![
        ("many", report::html(&sample::many())),
        ("awkward", report::html(&sample::awkward())),
        ("one-p", report::html(&one_p)),
        ("one", report::html(&one)),
    ]
}

#[test]
fn pages_fit_and_read_well_at_both_widths_in_light_and_dark() {
    let Some(browser) = Browser::find() else { return };
    let pages = pages();
    let frames: Vec<(&str, u32)> =
        pages.iter().flat_map(|(_, html)| [(html.as_str(), 1280), (html.as_str(), 390)]).collect();
    let names: Vec<&str> = pages.iter().flat_map(|(name, _)| [*name; 2]).collect();
    let [light, dark] = [("light", Scheme::Light), ("dark", Scheme::Dark)].map(|(word, scheme)| {
        let (answers, log) = browser.look(word, &frames, scheme);
        assert!(!log.contains("CONSOLE"), "a page wrote to the console: {log}");
        for ((answer, name), (_, width)) in answers.iter().zip(&names).zip(&frames) {
            assert_eq!(answer.findings, [""; 0], "{name} at {width}, {word}");
            assert_eq!(answer.width, *width, "{name}: the frame is as wide as asked");
            assert!(answer.charts > 2 && answer.texts > 10, "{name} at {width} shows too little: {answer:?}");
        }
        assert_eq!(answers.len(), frames.len());
        answers
    });
    assert!(
        light.iter().zip(&dark).all(|(light, dark)| light.page != dark.page),
        "dark is another background"
    );
}

#[test]
fn screenshots_show_something() {
    let Some(browser) = Browser::find() else { return };
    for ((name, html), (width, scheme)) in pages().iter().zip([
        (1280, Scheme::Light),
        (390, Scheme::Light),
        (390, Scheme::Dark),
        (1280, Scheme::Dark),
    ]) {
        let (wide, high, bytes) = browser.screenshot(name, html, width, scheme);
        assert_eq!((wide, high), (width, 1400));
        assert!(bytes > 20_000, "{name}: a screenshot of {bytes} bytes is empty");
    }
}

/// What the check must find, all put into a sound page: else its silence would mean nothing.
#[test]
fn the_check_finds_what_is_wrong() {
    let Some(browser) = Browser::find() else { return };
    let html = report::html(&[sample::outcome(Way::Threads, Strategy::Adaptive, 4, 64, 1.0, 3)]);
    let wrong = [
        ("<div style=\"width: 3000px; height: 4px\"></div>", "page scrolls sideways"),
        ("<img src=\"http://localhost/one.png\">", "loads from outside: http://localhost/one.png"),
        ("<script>nothing.at.all</script>", "error: Uncaught ReferenceError"),
        ("<p style=\"color: #999\">faint</p>", "too faint: rgb(153, 153, 153)"),
        (
            "<svg width=\"90\" height=\"20\"><text y=\"15\">one</text><text y=\"15\">two</text></svg>",
            "text over text: one / two",
        ),
        (
            "<svg width=\"20\" height=\"20\"><text y=\"15\">much too long</text></svg>",
            "text leaves its chart: much too long",
        ),
        (
            "<svg width=\"20\" height=\"20\"><rect width=\"90\" height=\"9\"/></svg>",
            "a mark leaves its chart: <rect",
        ),
        ("<svg width=\"1300\" height=\"20\" aria-label=\"wide\"/></svg>", "a chart is cut off: wide"),
    ];
    let all: String = wrong.iter().map(|(markup, _)| *markup).collect();
    let page = html.replacen("<main>", &format!("<main>{all}"), 1);
    let (answers, log) = browser.look("wrong", &[(&page, 1280)], Scheme::Light);
    let found = &answers[0].findings;
    for (markup, finding) in wrong {
        assert!(found.iter().any(|f| f.starts_with(finding)), "{markup} gave {found:?}");
    }
    assert!(log.contains("CONSOLE"), "the log has the page's console: {log}");
}
