//! What Forerun does with the texts.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use forerun_text::document::{Config, read};
use forerun_text::phrase::{Extractor, Space};
use forerun_text::tagger::{Tagger, Workspace};
use forerun_text::token::{Style, Tokens};

use super::What;

/// A tagger and the texts.
pub(super) struct Ours<'t> {
    tagger: Tagger,
    texts: &'t [String],
    words: AtomicUsize,
    phrases: AtomicUsize,
}

impl<'t> Ours<'t> {
    pub(super) fn load(model: &Path, texts: &'t [String]) -> io::Result<Self> {
        let tagger = Tagger::load(model).map_err(io::Error::other)?;
        Ok(Ours { tagger, texts, words: AtomicUsize::new(0), phrases: AtomicUsize::new(0) })
    }

    /// Does it once; milliseconds.
    pub(super) fn run(&self, what: What, threads: usize) -> f64 {
        let begun = Instant::now();
        let done: usize = std::thread::scope(|scope| {
            let part = self.texts.len().div_ceil(threads);
            let parts: Vec<_> = self
                .texts
                .chunks(part)
                .map(|texts| {
                    scope.spawn(move || match what {
                        What::Tags => self.tags(texts),
                        What::Phrases => self.phrases(texts),
                    })
                })
                .collect();
            parts.into_iter().map(|part| part.join().expect("no panic")).sum()
        });
        let taken = begun.elapsed().as_secs_f64() * 1e3;
        let counter = if what == What::Tags { &self.words } else { &self.phrases };
        counter.store(done, Ordering::Relaxed);
        taken
    }

    /// What the last run of each found.
    pub(super) fn found(&self) -> String {
        let (words, phrases) = (self.words.load(Ordering::Relaxed), self.phrases.load(Ordering::Relaxed));
        format!("forerun {words} words, {phrases} phrases")
    }

    fn tags(&self, texts: &[String]) -> usize {
        let (mut tokens, mut space) = (Tokens::default(), Workspace::default());
        let mut words = 0;
        for text in texts {
            tokens.read(text, Style::Brown);
            for sentence in 0..tokens.sentences() {
                let range = tokens.sentence(sentence);
                self.tagger.tag_into(range.map(|i| tokens.form(text, i)), &mut space);
                words += space.tags().len();
            }
        }
        words
    }

    fn phrases(&self, texts: &[String]) -> usize {
        let (extractor, config) = (Extractor::new(&self.tagger), Config::default());
        let mut space = Space::default();
        let mut phrases = 0;
        for text in texts {
            let mut take = |document| phrases += extractor.phrases_in(&document, &mut space).total();
            // What is text is read; there is no other error.
            let _ = read(text.as_bytes(), "a.txt", &config, &mut take);
        }
        phrases
    }
}
