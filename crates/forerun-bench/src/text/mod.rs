//! Tagging and noun phrases, beside NLTK, spaCy and TextBlob.

mod ours;
mod peers;

use std::io;
use std::path::Path;

use self::ours::Ours;
use self::peers::Peers;
use crate::record::Record;
use crate::reuters;
use crate::table::{Contender, Table};

/// How many of its documents are read.
const DOCUMENTS: usize = 1000;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Tags,
    Phrases,
}

impl What {
    fn word(self) -> &'static str {
        match self {
            What::Tags => "tags",
            What::Phrases => "phrases",
        }
    }
}

/// Measures tagging, then noun phrases, on one thread (or process) and on two.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let Some(texts) = reuters::texts(DOCUMENTS, record)? else { return Ok(()) };
    let ours = Ours::load(Path::new("models/brown.frtagger"), &texts)?;
    let mut peers = match Peers::start(&texts) {
        Ok(peers) => Some(peers),
        Err(e) => {
            record.note(&format!("The rivals are not here: {e}."));
            None
        }
    };
    let bytes: usize = texts.iter().map(String::len).sum();
    record.note(&format!(
        "The first {} documents of Reuters-21578 with a body, title and body as plain text in memory, {:.2} MB. Ours \
         includes cutting words and sentences; theirs does what they do with a text. Two threads are two processes of \
         Python.",
        texts.len(),
        bytes as f64 / 1e6
    ));
    for what in [What::Tags, What::Phrases] {
        let names = peers.as_ref().map_or(Vec::new(), |p| p.names(what));
        let peers = peers.as_mut().map(std::cell::RefCell::new);
        let mut contenders = Vec::new();
        for threads in [1, 2] {
            let ours = &ours;
            let name = format!("forerun, {}", counted(threads));
            contenders.push(Contender::new(name, move || ours.run(what, threads)));
            for name in &names {
                let peers = &peers;
                let title = format!("{name}, {}", counted(threads));
                contenders.push(Contender::new(title, move || {
                    let peers = peers.as_ref().map(|p| p.borrow_mut().run(name, what, threads));
                    peers.transpose().expect("the rival answers").unwrap_or(f64::NAN)
                }));
            }
        }
        let title = format!(
            "{} of {} documents",
            if what == What::Tags { "Tags" } else { "Noun phrases" },
            texts.len()
        );
        record.add(&Table::measure(title, "ms", rounds, contenders));
    }
    let mut found = vec![ours.found()];
    found.extend(peers.iter_mut().flat_map(|p| p.found()));
    record.note(&format!("What was found: {}.", found.join("; ")));
    Ok(())
}

fn counted(threads: usize) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}
