//! Task and merge: files to phrases, dictionaries to one.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use forerun_platform::Bytes;
use forerun_skeleton::reduction::Reduce;
use forerun_skeleton::{AppError, Cancel};
use forerun_text::document::{Config, Document, Format, decode, read};
use forerun_text::phrase::{Extractor, Space};
use forerun_text::tagger::Tagger;

use super::batch::{Batch, DocumentRecord, FileRecord};
use super::dictionary::{Builder, DocumentNumber, LONGEST};
use super::fields::Fields;
use super::files::Files;
use super::handed::elsewhere;
use super::inputs::{InputFile, modified};

/// How much of a file is looked at to see what it is.
const HEAD: usize = 4096;

/// Reads files, tags their text and collects its noun phrases.
#[derive(Debug)]
pub struct Extract {
    tagger: Tagger,
    fields: Fields,
    files: Arc<Files>,
    most: u64,
    /// Whether a file that is not there ends the run, as another process has found it.
    found: bool,
    cancel: Cancel,
    /// Room that tasks used, for the next.
    spaces: Mutex<Vec<Space>>,
}

impl Extract {
    /// Tags with `tagger`; passes over files of more than `most` bytes.
    pub(super) fn new(
        (tagger, fields): (Tagger, Fields),
        files: Arc<Files>,
        most: u64,
        cancel: Cancel,
    ) -> Self {
        Extract { tagger, fields, files, most, found: false, cancel, spaces: Mutex::default() }
    }

    /// From now on a file that is not there ends the run, as another process has found it.
    pub(super) fn end_if_missing(&mut self) {
        self.found = true;
    }

    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(super) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    fn spaces(&self) -> std::sync::MutexGuard<'_, Vec<Space>> {
        self.spaces.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// How documents are found in a file: several in a collection, else one.
    fn config(&self, bytes: &[u8], input: &InputFile) -> Config {
        let stated = input.encoding.as_deref();
        let decoded = decode(&bytes[..bytes.len().min(HEAD)], stated);
        let head = decoded.text.to_ascii_lowercase();
        let mut found = match Format::of(&decoded.text, &input.path.to_string_lossy()) {
            Format::Sgml => self.fields.config(true),
            Format::Xml => self.fields.config(head.contains("<doc>") || head.contains("<reuters")),
            _ => self.fields.config(false),
        };
        found.encoding = input.encoding.clone();
        found
    }

    /// What a file is, and its bytes or why it is passed over.
    ///
    /// # Errors
    /// That it is not there, where another process has found it.
    fn load(&self, file: usize, input: &InputFile) -> Result<(FileRecord, Vec<u8>), AppError> {
        let mut record = FileRecord {
            file: file as u64,
            bytes: input.bytes,
            modified: input.modified,
            documents: 0,
            skipped: None,
        };
        let mut bytes = Vec::new();
        let done = File::open(&input.path).and_then(|opened| {
            let is = opened.metadata()?;
            record.bytes = is.len();
            if !input.is_page() {
                record.modified = modified(&is);
            }
            if record.bytes <= self.most {
                opened.take(self.most.saturating_add(1)).read_to_end(&mut bytes)?;
            }
            Ok(())
        });
        if let Err(e) = done {
            if self.found && e.kind() == ErrorKind::NotFound {
                return Err(elsewhere(&input.path));
            }
            record.skipped = Some(format!("cannot be read: {}", e.kind()));
        } else if record.bytes.max(bytes.len() as u64) > self.most {
            let (is, most) = (Bytes(record.bytes), Bytes(self.most));
            record.skipped = Some(format!("too large: {is} where at most {most} are read"));
        }
        Ok((record, bytes))
    }
}

impl Reduce for Extract {
    type Input = Range<usize>;
    type Partial = Batch;

    fn commutative(&self) -> bool {
        true
    }

    fn task(&self, _: u64, files: Range<usize>) -> Result<Batch, AppError> {
        let extractor = Extractor::new(&self.tagger);
        let mut space = self.spaces().pop().unwrap_or_default();
        let mut builder = Builder::default();
        let mut batch = Batch::default();
        for file in files {
            if self.cancel.is_cancelled() {
                return Err(AppError::new("the run was cancelled"));
            }
            let input =
                self.files.get(file).ok_or_else(|| AppError::new("a task is of a file that is not there"))?;
            let (mut record, bytes) = self.load(file, &input)?;
            let name = &*input.path.to_string_lossy();
            if record.skipped.is_none() {
                let mut take = |document: Document| {
                    record.documents += 1;
                    let number = DocumentNumber { file: file as u64, part: record.documents };
                    let features = extractor.phrases_in(&document, &mut space);
                    let Document { id, mut left_out, .. } = document;
                    let longer = builder.add_all(number, &features);
                    if longer > 0 {
                        left_out
                            .get_or_insert_default()
                            .push_str(&format!("; phrases of more than {LONGEST} bytes: {longer}"));
                    }
                    let id = id.replace('\0', "\u{fffd}");
                    let left_out = left_out.map(|why| why.trim_start_matches("; ").replace('\0', "\u{fffd}"));
                    let phrases = features.total() as u64;
                    batch.documents.push(DocumentRecord { number, id, phrases, left_out });
                };
                if let Err(e) = read(&bytes, name, &self.config(&bytes, &input), &mut take) {
                    let why = e.to_string();
                    record.skipped = Some(why.strip_prefix(name).unwrap_or(&why).trim_start().to_owned());
                } else if record.documents == 0 {
                    record.skipped = Some("has no text".into());
                }
            }
            batch.files.push(record);
        }
        batch.dictionary = builder.finish();
        self.spaces().push(space);
        Ok(batch)
    }

    fn merge(&self, left: Batch, right: Batch) -> Result<Batch, AppError> {
        Ok(left.merge(right))
    }
}
