//! Noun phrases: a hand-marked sample, and what a document's list says.

use std::path::Path;

use forerun_text::document::{Config, Document, read};
use forerun_text::phrase::{Extractor, Occurrence};
use forerun_text::tagger::Tagger;

const GOLD: &str = include_str!("gold/sentences.txt");

fn tagger() -> Tagger {
    Tagger::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger")).unwrap()
}

/// A line without its brackets, and where they were.
fn unmarked(line: &str) -> (String, Vec<std::ops::Range<usize>>) {
    let (mut text, mut ranges, mut open) = (String::new(), Vec::new(), 0);
    for c in line.chars() {
        match c {
            '[' => open = text.len(),
            ']' => ranges.push(open..text.len()),
            c => text.push(c),
        }
    }
    (text, ranges)
}

#[test]
fn the_marked_sample_is_found_with_an_f1_of_nine_tenths() {
    let tagger = tagger();
    let extractor = Extractor::new(&tagger);
    let (mut right, mut found, mut wanted) = (0, 0, 0);
    for line in GOLD.lines() {
        let (text, gold) = unmarked(line);
        let phrases: Vec<_> = extractor.in_text(&text).into_iter().map(|(range, _)| range).collect();
        let here = phrases.iter().filter(|range| gold.contains(range)).count();
        if here < gold.len().max(phrases.len()) {
            let of = |list: &[std::ops::Range<usize>]| {
                list.iter().map(|r| &text[r.clone()]).collect::<Vec<_>>().join("|")
            };
            println!("{text}\n  found  {}\n  wanted {}", of(&phrases), of(&gold));
        }
        right += here;
        found += phrases.len();
        wanted += gold.len();
    }
    let (precision, recall) =
        (f64::from(right as u32) / found as f64, f64::from(right as u32) / wanted as f64);
    let f1 = 2.0 * precision * recall / (precision + recall);
    println!("{wanted} phrases: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}");
    assert!(GOLD.lines().count() >= 200);
    assert!(f1 >= 0.90, "precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}");
}

#[test]
fn a_document_has_a_sorted_list_with_fields_and_offsets_in_the_file() {
    let file = "<DOC><DOCNO>7</DOCNO><HEADLINE>Caf\u{e9} &amp; bar prices</HEADLINE>\
        <TEXT>The old bridge was closed. They repaired the old bridge.</TEXT></DOC>";
    let mut documents: Vec<Document> = Vec::new();
    read(file.as_bytes(), "x.sgml", &Config::collections(), &mut |d| documents.push(d)).unwrap();
    let tagger = tagger();
    let features = Extractor::new(&tagger).phrases(&documents[0]);
    let keys: Vec<&str> = features.iter().map(|f| f.key).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let bridge = features.iter().find(|f| f.key == "old bridge").unwrap();
    let body = Config::collections().field("body").unwrap() as u16;
    let at = |n: usize| {
        let byte = file.match_indices("old bridge").nth(n).unwrap().0;
        let start = file[..byte].chars().count() as u64;
        Occurrence { field: body, start, end: start + 10 }
    };
    assert_eq!(bridge.occurrences, [at(0), at(1)]);
    assert_eq!(features.total(), features.iter().map(|f| f.occurrences.len()).sum::<usize>());
}

#[test]
fn keys_drop_determiners_inside_and_the_last_possessive() {
    let tagger = tagger();
    let extractor = Extractor::new(&tagger);
    let keys = |text: &str| extractor.in_text(text).into_iter().map(|(_, key)| key).collect::<Vec<_>>();
    assert_eq!(keys("He waited for the End of the War."), ["end of war"]);
    assert_eq!(keys("They closed the company's old office."), ["company's old office"]);
}

#[test]
fn an_ending_alone_is_no_phrase() {
    let tagger = tagger();
    let extractor = Extractor::new(&tagger);
    for text in ["The 's' stands there.", "'s'", "Use 's' or 't'.", "'", "It has 's' and 's'.", "the 's"] {
        let keys: Vec<String> = extractor.in_text(text).into_iter().map(|(_, key)| key).collect();
        assert!(keys.iter().all(|key| !key.is_empty() && key.trim() == key), "{text}: {keys:?}");
    }
}
