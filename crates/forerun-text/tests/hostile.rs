//! Text that was made to hurt: nothing panics, and time goes with the length, which a quarter of a megabyte of it shows.

use std::path::Path;
use std::time::{Duration, Instant};

use forerun_text::document::{Config, read};
use forerun_text::phrase::{Extractor, Space};
use forerun_text::tagger::Tagger;

/// Bytes of a file, in round numbers.
const SIZE: usize = 1 << 18;
/// Longer than any takes on a machine with a lot to do; what goes with the square would take hours.
const PATIENCE: Duration = Duration::from_secs(60);

fn repeated(part: &str) -> Vec<u8> {
    part.repeat(SIZE / part.len()).into_bytes()
}

/// A file's name and content.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for part in
        ["a", "the machine ", "(", "'", "\"", ".", "-", "a-", "a.", "\u{2019}", "\u{e9}", "1,", "U.S.", "\n"]
    {
        files.push(("one.txt", repeated(part)));
    }
    let markup = [
        "<div>",
        "<div>a",
        "</div>",
        "<",
        "<a",
        "<a b='",
        "<!--",
        "<![CDATA[",
        "&",
        "&#1;",
        "<p",
        "<doc>",
        "<DOC><TEXT>",
        "<body><title>x",
        "<script>",
        "<h1>a</h1>",
        "&amp;",
        "<p>A machine.</p>",
    ];
    for part in markup {
        for name in ["a.html", "a.xml", "a.sgm"] {
            files.push((name, repeated(part)));
        }
    }
    let laughs =
        "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><doc>&b;";
    files.push(("laughs.xml", [laughs.as_bytes(), &repeated("&b;")].concat()));
    files.push(("bytes.txt", (0..SIZE).map(|n| (n * n % 251) as u8).collect()));
    files.push(("nul.txt", repeated("The old\0 machine runs. ")));
    files.push(("invalid.txt", b"A caf\xe9 in \xff\xfe town, and a fast machine there. ".repeat(SIZE / 48)));
    files
}

#[test]
fn hostile_text_takes_time_by_its_length() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger");
    let tagger = Tagger::load(&model).unwrap();
    let (extractor, mut space) = (Extractor::new(&tagger), Space::default());
    for (name, file) in files() {
        for config in [Config::default(), Config::collections()] {
            let begun = Instant::now();
            // Where it is no text, that is said, and nothing else is wrong with it.
            let read = read(&file, name, &config, &mut |document| {
                extractor.phrases_in(&document, &mut space);
            });
            let beginning = String::from_utf8_lossy(&file[..20]).into_owned();
            if let Err(e) = read {
                assert!(e.to_string().contains("is no text"), "{name}: {e}");
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "{name} that begins {beginning:?} took {:?}",
                begun.elapsed()
            );
            if begun.elapsed() > Duration::from_secs(1) {
                eprintln!("{name} that begins {beginning:?} took {:?}", begun.elapsed());
            }
        }
    }
}
