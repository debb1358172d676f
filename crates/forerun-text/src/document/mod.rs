//! Documents: files of one or many, their fields of interest, and where each character of a field was.
//!
//! | file | read by | documents |
//! |---|---|---|
//! | HTML | html5gum | one |
//! | XML | quick-xml; from a fault on as SGML | one an element that begins a document, else one |
//! | SGML (Reuters-21578, TREC) | a small reader of its own, which forgives everything | the same |
//! | plain text | as it is | one; long ones in parts |
//!
//! Offsets are in characters (Unicode scalar values) from the beginning of the *original* file, its byte order mark
//! not counted, after decoding but before anything else: markup, references and line ends count as they stand.
//! Of files in UTF-8 and ASCII byte offsets are known as well.
//!
//! ```
//! use forerun_text::document::{Config, read};
//!
//! let file = b"<!DOCTYPE x><DOC><DOCNO>A-1</DOCNO><TEXT>Fish &amp; chips</TEXT></DOC>";
//! let mut documents = Vec::new();
//! read(file, "a.sgml", &Config::collections(), &mut |document| documents.push(document)).unwrap();
//! let body = documents[0].field("body").unwrap();
//! assert_eq!((documents[0].id.as_str(), body.text.trim()), ("A-1", "Fish & chips"));
//! let chips = body.text.find("chips").unwrap();
//! assert_eq!(body.map.offset(&body.text, chips).character, 52);
//! ```

mod build;
mod config;
mod decode;
mod entity;
mod html;
mod offsets;
mod read;
mod sgml;
mod xml;

pub use config::{Config, FieldConfig};
pub use decode::{Decoded, decode};
pub use offsets::{Offset, OffsetMap};
pub use read::{Format, read, read_file};

/// One document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What identifies it in its file: an element or attribute of the configuration, or its number from 1.
    pub id: String,
    /// Its fields that have text, in the order of the configuration.
    pub fields: Vec<Field>,
    /// Why something of it was left out, if so.
    pub left_out: Option<String>,
}

/// The text of one field of a document.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The number of the field in the configuration.
    pub number: u16,
    /// Its name.
    pub name: String,
    /// Its text: markup removed, references decoded, blocks separated by empty lines.
    pub text: String,
    /// Where the text was in the file.
    pub map: OffsetMap,
}

impl Document {
    /// The field of this name, if it has text.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}
