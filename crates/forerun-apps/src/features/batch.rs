//! What tasks give and merges put together: files that were read, their documents, the dictionary.

use forerun_skeleton::wire::{Incoming, Outgoing, Wire};
use forerun_skeleton::{AppError, Message};

use super::dictionary::{Dictionary, DocumentNumber};

/// A file that was read, or passed over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileRecord {
    /// Its place among the inputs.
    pub file: u64,
    /// Its size when it was read, in bytes.
    pub bytes: u64,
    /// When it had been changed last, in nanoseconds since 1970; 0 where that is not known.
    pub modified: i64,
    /// How many documents it had.
    pub documents: u64,
    /// Why it was passed over, if it was.
    pub skipped: Option<String>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentRecord {
    /// Its number.
    pub number: DocumentNumber,
    /// What identifies it in its file.
    pub id: String,
    /// How many phrases it has, all occurrences counted.
    pub phrases: u64,
    /// Why something of it was left out, if so.
    pub left_out: Option<String>,
}

/// The result of some tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// Files in order.
    pub files: Vec<FileRecord>,
    /// Documents in order.
    pub documents: Vec<DocumentRecord>,
    /// Their phrases.
    pub dictionary: Dictionary,
}

impl Batch {
    /// Both together; associative and commutative. Costs the bytes of both.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Batch {
            files: united(self.files, other.files),
            documents: united(self.documents, other.documents),
            dictionary: self.dictionary.merge(other.dictionary),
        }
    }
}

/// Two lists in order as one. (Sorting finds the two runs and merges them.)
fn united<T: Ord>(mut left: Vec<T>, mut right: Vec<T>) -> Vec<T> {
    if left.len() < right.len() {
        std::mem::swap(&mut left, &mut right);
    }
    left.append(&mut right);
    left.sort();
    left
}

fn text(text: Option<&String>) -> u64 {
    1 + text.map_or(0, |t| 8 + t.len() as u64)
}

impl Message for Batch {
    fn bytes(&self) -> u64 {
        let files: u64 = self.files.iter().map(|f| 32 + text(f.skipped.as_ref())).sum();
        let documents = self.documents.iter().map(|d| 32 + d.id.len() as u64 + text(d.left_out.as_ref()));
        16 + files + documents.sum::<u64>() + self.dictionary.bytes()
    }
}

impl Wire for Batch {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.files.encode(out)?;
        self.documents.encode(out)?;
        self.dictionary.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Ok(Batch {
            files: Wire::decode(bytes)?,
            documents: Wire::decode(bytes)?,
            dictionary: Wire::decode(bytes)?,
        })
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        (self.files, self.documents).encode(&mut out.bytes)?;
        self.dictionary.give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let (files, documents) = Wire::decode(&mut from.bytes)?;
        Ok(Batch { files, documents, dictionary: Wire::take(from)? })
    }
}

impl Wire for FileRecord {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        (self.file, self.bytes, self.modified, self.documents).encode(out)?;
        self.skipped.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (file, size, modified, documents) = Wire::decode(bytes)?;
        Ok(FileRecord { file, bytes: size, modified, documents, skipped: Wire::decode(bytes)? })
    }
}

impl Wire for DocumentRecord {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        (self.number.file, self.number.part, self.phrases).encode(out)?;
        self.id.encode(out)?;
        self.left_out.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (file, part, phrases) = Wire::decode(bytes)?;
        Ok(DocumentRecord {
            number: DocumentNumber { file, part },
            phrases,
            id: Wire::decode(bytes)?,
            left_out: Wire::decode(bytes)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use forerun_skeleton::wire::{Plain, whole};
    use forerun_text::phrase::Occurrence;
    use proptest::prelude::*;

    use super::super::dictionary::Builder;
    use super::*;

    fn batches() -> impl Strategy<Value = Batch> {
        let file = (0u64..9, any::<Option<String>>(), prop::collection::vec("[a-c]{1,2}", 0..5));
        prop::collection::btree_map(0u64..20, file, 0..5).prop_map(|files| {
            let mut builder = Builder::default();
            let mut batch = Batch::default();
            for (file, (size, skipped, keys)) in files {
                let number = DocumentNumber { file, part: 1 };
                for (n, key) in keys.iter().enumerate() {
                    let n = n as u64;
                    builder.add(number, key, &[Occurrence { field: 0, start: n, end: n + 1 }]);
                }
                let id = format!("d{file}");
                let record =
                    DocumentRecord { number, id, phrases: keys.len() as u64, left_out: skipped.clone() };
                batch.documents.push(record);
                batch.files.push(FileRecord { file, bytes: size, modified: -5, documents: 1, skipped });
            }
            batch.dictionary = builder.finish();
            batch
        })
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative(a in batches(), b in batches(), c in batches()) {
            let merge = |a: &Batch, b: &Batch| a.clone().merge(b.clone());
            prop_assert_eq!(merge(&a, &b), merge(&b, &a));
            prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
        }

        #[test]
        fn over_the_wire(batch in batches(), noise: Vec<u8>) {
            let mut bytes = Vec::new();
            batch.encode(&mut bytes).unwrap();
            prop_assert_eq!(bytes.len() as u64, batch.bytes());
            prop_assert_eq!(whole::<Batch>(&Plain, &bytes).unwrap(), batch);
            let _ = whole::<Batch>(&Plain, &noise);
        }
    }
}
