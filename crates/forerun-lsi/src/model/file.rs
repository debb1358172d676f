//! Models on disk.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use forerun_mapped::Mapped;
use forerun_platform::file::bytes;

use super::format::{self, SECTIONS, Section};
use super::{About, Model, Numbers, Parts};
use crate::{LsiError, Vocabulary};

impl Model {
    /// The model as its file holds it (`format.rs` has the layout): versioned, checked by sums, little-endian, every
    /// section at a multiple of 64 bytes.
    ///
    /// # Errors
    /// None as things are; the description could not be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LsiError> {
        let parts = self.parts();
        let about = serde_json::to_vec(&parts.about).map_err(|e| LsiError::Request(e.to_string()))?;
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        sections[Section::About as usize] = about;
        sections[Section::Ids as usize] = format::pack_texts(&parts.ids);
        sections[Section::Terms as usize] = format::pack_texts(parts.vocabulary.terms());
        sections[Section::Documents as usize] =
            format::pack_numbers(parts.vocabulary.documents(), u32::to_le_bytes);
        sections[Section::Weights as usize] = format::pack_numbers(&parts.weights, f64::to_le_bytes);
        sections[Section::Values as usize] = format::pack_numbers(&parts.values, f64::to_le_bytes);
        sections[Section::TermVectors as usize] = format::pack_numbers(&parts.terms, f32::to_le_bytes);
        sections[Section::DocumentVectors as usize] =
            format::pack_numbers(&parts.documents, f32::to_le_bytes);
        Ok(format::pack(std::array::from_fn(|i| &sections[i][..])))
    }

    /// The model of a file, of which the numbers stay where they are: it is mapped, so that all processes of a host
    /// share them. The file may be replaced by another meanwhile, but not written to ([`Mapped::open`]).
    ///
    /// # Errors
    /// The file cannot be read, is no model, is of another version, or is damaged.
    pub fn open(path: &Path) -> Result<Model, LsiError> {
        // What cannot be mapped may keep whoever opens it waiting.
        let regular = std::fs::metadata(path).is_ok_and(|of| of.is_file());
        let file = if regular { Mapped::open(path) } else { bytes(path).map(Mapped::from) };
        let file = Arc::new(file.map_err(|e| LsiError::unreadable(path, &e))?);
        read(&file, |range| Numbers::of(&file, range)).map_err(|what| LsiError::file(path, what))
    }

    /// The model that these bytes are, as [`Model::to_bytes`] gives them.
    ///
    /// # Errors
    /// A sentence: they are no model, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, String> {
        read(bytes, |range| Numbers::read(&bytes[range]))
    }
}

/// The model of these bytes, `numbers` of which are where it says.
fn read(bytes: &[u8], numbers: impl Fn(Range<usize>) -> Option<Numbers>) -> Result<Model, String> {
    let sections = format::unpack(bytes)?;
    let range = |which: Section| sections[which as usize].clone();
    parts(|which| &bytes[range(which)], |which| numbers(range(which)))
        .ok_or_else(|| "the model is damaged (its parts do not fit together); build it again".into())
}

fn parts<'a>(
    section: impl Fn(Section) -> &'a [u8],
    numbers: impl Fn(Section) -> Option<Numbers>,
) -> Option<Model> {
    let about: About = serde_json::from_slice(section(Section::About)).ok()?;
    let ids = format::unpack_texts(section(Section::Ids))?;
    let terms = format::unpack_texts(section(Section::Terms))?;
    let with = format::unpack_numbers(section(Section::Documents), u32::from_le_bytes)?;
    let weights = format::unpack_numbers(section(Section::Weights), f64::from_le_bytes)?;
    let values = format::unpack_numbers(section(Section::Values), f64::from_le_bytes)?;
    let vectors = numbers(Section::TermVectors)?;
    let documents = numbers(Section::DocumentVectors)?;
    let fits = !values.is_empty()
        && with.len() == terms.len()
        && weights.len() == terms.len()
        && Some(vectors.len()) == terms.len().checked_mul(values.len())
        && Some(documents.len()) == ids.len().checked_mul(values.len());
    let vocabulary = fits.then(|| Vocabulary::new(terms, with))?;
    Some(Model::of(Parts { about, vocabulary, ids, weights, values, terms: vectors, documents }))
}
