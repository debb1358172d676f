//! From the phrases of documents to a dictionary.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher as _;

use forerun_text::phrase::{Features, Occurrence};

use super::postings::Writer;
use super::{Dictionary, DocumentNumber};

/// Longest key that is taken, in bytes: what is longer is a table or a list and no phrase, and the indexes of
/// databases have such a limit, too.
pub const LONGEST: usize = 1024;

/// Collects the phrases of documents, in any order. Keys are held once, occurrences as they are: 32 bytes each for
/// those of most phrases, and 24 for each phrase of each document.
#[derive(Debug, Default)]
pub struct Builder {
    keys: String,
    ends: Vec<usize>,
    numbers: HashTable<usize>,
    records: Vec<Record>,
    occurrences: Vec<Occurrence>,
}

#[derive(Debug)]
struct Record {
    key: usize,
    document: DocumentNumber,
    end: usize,
    count: usize,
}

fn key<'k>(keys: &'k str, ends: &[usize], n: usize) -> &'k str {
    &keys[n.checked_sub(1).map_or(0, |before| ends[before])..ends[n]]
}

impl Builder {
    /// Adds all phrases of a document; says how many different ones were left out because they are longer than
    /// [`LONGEST`].
    pub fn add_all(&mut self, document: DocumentNumber, features: &Features) -> u64 {
        let left_out = |added: bool| u64::from(!added);
        features.iter().map(|f| left_out(self.add(document, f.key, f.occurrences))).sum()
    }

    /// Adds occurrences of a phrase in a document; says whether it was taken. NUL, which databases do not take,
    /// becomes the replacement character.
    pub fn add(&mut self, document: DocumentNumber, phrase: &str, occurrences: &[Occurrence]) -> bool {
        if phrase.len() > LONGEST {
            return false;
        }
        if phrase.contains('\0') {
            return self.add(document, &phrase.replace('\0', "\u{fffd}"), occurrences);
        }
        if !occurrences.is_empty() {
            let key = self.number(phrase);
            self.occurrences.extend_from_slice(occurrences);
            let (end, count) = (self.occurrences.len(), occurrences.len());
            self.records.push(Record { key, document, end, count });
        }
        true
    }

    fn number(&mut self, phrase: &str) -> usize {
        let Builder { keys, ends, numbers, .. } = self;
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let found =
            numbers.entry(hash(phrase), |&n| key(keys, ends, n) == phrase, |&n| hash(key(keys, ends, n)));
        match found {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let n = ends.len();
                entry.insert(n);
                keys.push_str(phrase);
                ends.push(keys.len());
                n
            }
        }
    }

    /// The dictionary of all that was added.
    pub fn finish(self) -> Dictionary {
        let Builder { keys, ends, mut records, occurrences, .. } = self;
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_unstable_by_key(|&n| key(&keys, &ends, n));
        let mut places = vec![0; order.len()];
        for (place, &n) in order.iter().enumerate() {
            places[n] = place;
        }
        records.iter_mut().for_each(|r| r.key = places[r.key]);
        records.sort_unstable_by_key(|r| (r.key, r.document, r.end));
        let mut dictionary = Dictionary::default();
        let mut writer = Writer::new();
        let mut group = Vec::new();
        for of_key in records.chunk_by(|a, b| a.key == b.key) {
            for of_document in of_key.chunk_by(|a, b| a.document == b.document) {
                group.clear();
                for r in of_document {
                    group.extend_from_slice(&occurrences[r.end - r.count..r.end]);
                }
                group.sort_unstable();
                writer.add(of_document[0].document, &group);
            }
            writer.finish(&mut dictionary.postings);
            dictionary.end(key(&keys, &ends, order[of_key[0].key]).as_bytes());
        }
        dictionary
    }
}
