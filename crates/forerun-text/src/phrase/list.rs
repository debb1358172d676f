//! The sorted list of a document's phrases.

/// One place where a phrase occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// The number of the field in the configuration of the documents.
    pub field: u16,
    /// Characters of the original file before its first word.
    pub start: u64,
    /// Characters of the original file before the end of its last word.
    pub end: u64,
}

/// A phrase and where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature<'a> {
    /// The phrase, normalised.
    pub key: &'a str,
    /// Where it occurs, in the order of field and offset; its frequency is their number.
    pub occurrences: &'a [Occurrence],
}

/// The phrases of one document in the order of their keys (of their bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    pub(super) keys: String,
    /// Of each phrase, where its key and its occurrences end.
    pub(super) ends: Vec<(u32, u32)>,
    pub(super) occurrences: Vec<Occurrence>,
}

impl Features {
    /// How many different phrases there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many phrases there are, all occurrences counted.
    pub fn total(&self) -> usize {
        self.occurrences.len()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Feature<'_>> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&(key, occurrence)| {
            let from = std::mem::replace(&mut start, (key as usize, occurrence as usize));
            Feature {
                key: &self.keys[from.0..key as usize],
                occurrences: &self.occurrences[from.1..occurrence as usize],
            }
        })
    }
}
