//! Reading a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::build::Builder;
use super::config::Config;
use super::decode::decode;
use super::{Document, Field, OffsetMap, html, sgml, xml};
use crate::error::TextError;

/// What kind of text a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A web page.
    Html,
    /// XML.
    Xml,
    /// SGML, as collections have it.
    Sgml,
    /// Text without markup.
    Plain,
}

impl Format {
    /// The format of a file, by the beginning of its text, and where that says nothing by its name.
    pub fn of(text: &str, name: &str) -> Self {
        let head: String = text.trim_start().chars().take(1024).collect::<String>().to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or(String::new(), |(_, e)| e.to_ascii_lowercase());
        match () {
            () if head.starts_with("<!doctype html") || head.starts_with("<html") => Self::Html,
            () if head.starts_with("<?xml") && head.contains("<html") => Self::Html,
            () if head.starts_with("<?xml") => Self::Xml,
            () if extension == "html" || extension == "htm" || extension == "xhtml" => Self::Html,
            () if extension == "xml" => Self::Xml,
            () if extension == "sgm" || extension == "sgml" || extension == "trec" => Self::Sgml,
            () if extension == "txt" => Self::Plain,
            () if head.starts_with("<!doctype") || head.starts_with("<doc>") => Self::Sgml,
            () if head.starts_with('<') && head.contains("<head") => Self::Html,
            () => Self::Plain,
        }
    }
}

/// How much of a file is looked at to see whether it is text.
const HEAD: usize = 8192;

/// Reads the documents of a file that is in memory, and gives each away as soon as it is complete; says how many.
///
/// Memory: beside the file the document at hand, and the decoded text if the file is not in UTF-8.
///
/// # Errors
/// If the file is no text: control characters and bytes of no encoding are many of its first 8 KiB.
pub fn read(
    file: &[u8],
    name: &str,
    config: &Config,
    give: &mut dyn FnMut(Document),
) -> Result<usize, TextError> {
    let decoded = decode(file, config.encoding.as_deref());
    let text: &str = &decoded.text;
    let head = &text[..text.floor_char_boundary(HEAD)];
    let odd = |c: &char| (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c')) || *c == '\u{fffd}';
    if head.chars().filter(odd).count() * 10 > head.chars().count() {
        return Err(TextError::new(format!(
            "{name} is no text: many of its first characters are control characters"
        )));
    }
    let mut given = 0;
    let mut give = |document| {
        given += 1;
        give(document);
    };
    match Format::of(text, name) {
        Format::Plain => plain(text, config, decoded.bytes_after, &mut give),
        format => {
            let mut builder = Builder::new(text, config, decoded.bytes_after, &mut give);
            match format {
                Format::Html => html::read(text, &mut builder),
                Format::Xml => xml::read(text, &mut builder),
                Format::Sgml | Format::Plain => sgml::read(text, 0, &mut builder),
            }
        }
    }
    Ok(given)
}

/// Reads the documents of a file.
///
/// # Errors
/// If it cannot be read, is longer than `most` bytes, or is no text.
pub fn read_file(
    path: &Path,
    most: u64,
    config: &Config,
    give: &mut dyn FnMut(Document),
) -> Result<usize, TextError> {
    let unread = |e| TextError::unread(path, &e);
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(unread)?;
    if bytes.len() as u64 > most {
        let path = path.display();
        return Err(TextError::new(format!(
            "{path} is longer than the {most} bytes that may be read: allow more"
        )));
    }
    read(&bytes, &path.display().to_string(), config, give)
}

/// Text without markup: one document, or parts of at most the longest length, cut at white space.
fn plain(text: &str, config: &Config, bytes_after: Option<usize>, give: &mut dyn FnMut(Document)) {
    let Some(number) = config.rest.or_else(|| config.field("body")) else { return };
    let (mut at, mut character, mut part) = (0, 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let mut len = rest.floor_char_boundary(config.longest.clamp(4, 1 << 30));
        if len < rest.len() {
            len = rest[..len].rfind(char::is_whitespace).filter(|&n| n > 0).unwrap_or(len);
        }
        let stretch = &rest[..len];
        part += 1;
        if !stretch.trim().is_empty() {
            let mut map = OffsetMap::new(bytes_after.is_some());
            map.follow(0, (at + bytes_after.unwrap_or(0)) as u64, character, stretch);
            let name = config.fields[number].name.clone();
            let field = Field { number: number as u16, name, text: stretch.to_owned(), map };
            give(Document { id: part.to_string(), fields: vec![field], left_out: None });
        }
        at += len;
        character += stretch.chars().count() as u64;
    }
}
