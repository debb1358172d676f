//! The encoding of a file: by its mark, by what it declares, by what it looks like.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A file's text.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The text; what is not valid in its encoding is U+FFFD.
    pub text: Cow<'a, str>,
    /// The name of its encoding.
    pub encoding: &'static str,
    /// Whether bytes of the text are bytes of the file, after so many.
    pub bytes_after: Option<usize>,
}

/// How much of a file is looked at to find its encoding.
const HEAD: usize = 4096;
const SNIFFED: usize = 1 << 16;

/// Decodes a file: a byte order mark decides; else the encoding that is `stated`, by whoever sent it, if it is known; else what an XML declaration or a `meta` element in its first 4 KiB
/// says; else UTF-8 if it is valid; else what its first 64 KiB look like. Nothing is an error.
pub fn decode<'a>(file: &'a [u8], stated: Option<&str>) -> Decoded<'a> {
    let (encoding, mark) = match Encoding::for_bom(file) {
        Some((encoding, mark)) => (encoding, mark),
        None => (stated.and_then(|s| Encoding::for_label(s.as_bytes())).unwrap_or_else(|| guess(file)), 0),
    };
    let rest = &file[mark..];
    let (text, faulty) = encoding.decode_without_bom_handling(rest);
    // Where something was not UTF-8, the text is not byte for byte the file.
    let bytes_after = (encoding == UTF_8 && !faulty || matches!(text, Cow::Borrowed(_))).then_some(mark);
    Decoded { text, encoding: encoding.name(), bytes_after }
}

fn guess(file: &[u8]) -> &'static Encoding {
    // Text in UTF-16 without a mark has a NUL in every other byte.
    let head = &file[..file.len().min(HEAD)];
    let nul = |odd: usize| head.iter().skip(odd).step_by(2).filter(|&&b| b == 0).count() * 10;
    if head.len() >= 4 {
        let most = head.len() / 2 * 7;
        match (nul(0) > most, nul(1) > most) {
            (true, false) => return UTF_16BE,
            (false, true) => return UTF_16LE,
            _ => {}
        }
    }
    if let Some(encoding) = declared(head) {
        return encoding;
    }
    if std::str::from_utf8(file).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&file[..file.len().min(SNIFFED)], file.len() <= SNIFFED);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// What `encoding="…"` of an XML declaration or `charset=…` says.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    let xml = lower.trim_ascii_start().starts_with(b"<?xml");
    let value = |name: &[u8]| {
        let at = memchr::memmem::find(&lower, name)? + name.len();
        let rest = lower[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let end = rest
            .iter()
            .position(|b| !b.is_ascii_alphanumeric() && !b"-_:.".contains(b))
            .unwrap_or(rest.len());
        Encoding::for_label(&rest[..end])
    };
    let found = if xml { value(b"encoding") } else { None };
    let found = found.or_else(|| if lower.contains(&b'<') { value(b"charset") } else { None })?;
    // A declaration that could be read is not in UTF-16 (HTML, section 13.2.3.2).
    Some(if found == UTF_16BE || found == UTF_16LE { UTF_8 } else { found })
}
