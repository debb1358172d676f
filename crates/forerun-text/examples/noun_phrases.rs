//! Noun phrases of files, the most frequent ones first, and how long it took: `noun_phrases MODEL FILE…`.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use forerun_text::TextError;
use forerun_text::document::{Config, read_file};
use forerun_text::phrase::{Extractor, Space};
use forerun_text::tagger::Tagger;

/// A file longer than this is not read.
const LONGEST: u64 = 1 << 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, files @ ..] = &arguments[..] else {
        eprintln!("usage: noun_phrases MODEL FILE…");
        return ExitCode::from(2);
    };
    match run(Path::new(model), files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(model: &Path, files: &[String]) -> Result<(), TextError> {
    let start = Instant::now();
    let tagger = Tagger::load(model)?;
    let loaded = start.elapsed();
    let extractor = Extractor::new(&tagger);
    let mut space = Space::default();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let (mut documents, mut phrases, mut extracting) = (0, 0, Duration::ZERO);
    for file in files {
        let config = if file.ends_with(".sgm") { Config::collections() } else { Config::default() };
        let mut list = Vec::new();
        read_file(Path::new(file), LONGEST, &config, &mut |document| list.push(document))?;
        let begin = Instant::now();
        documents += list.len();
        for document in &list {
            let features = extractor.phrases_in(document, &mut space);
            phrases += features.total();
            for feature in features.iter() {
                match counts.get_mut(feature.key) {
                    Some(count) => *count += feature.occurrences.len(),
                    None => {
                        counts.insert(feature.key.to_owned(), feature.occurrences.len());
                    }
                }
            }
        }
        extracting += begin.elapsed();
    }
    let all = start.elapsed() - loaded;
    let mut list: Vec<(String, usize)> = counts.into_iter().collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (phrase, count) in list.iter().take(20) {
        println!("{count:7}  {phrase}");
    }
    println!(
        "{documents} documents, {phrases} phrases, {} different; model loaded in {loaded:.0?}; {all:.2?} in all, {extracting:.2?} of it to find and count phrases",
        list.len()
    );
    Ok(())
}
