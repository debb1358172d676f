//! SGML as collections have it: tags that are not closed, `&` that nobody escaped, whatever comes.

use super::build::Builder;

/// Reads `source` from byte `at` on. Forgives everything: what is no tag is text.
pub(super) fn read(source: &str, mut at: usize, builder: &mut Builder<'_>) {
    let bytes = source.as_bytes();
    let mut text = at;
    // Once an end is not found, it is not looked for again: reading takes time in proportion to the length.
    let mut ends = Ends { comment: true, section: true };
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        let tag = at + found;
        let Some(end) = markup(source, tag, &mut ends) else {
            at = tag + 1;
            continue;
        };
        builder.text(text, tag);
        let inside = &source[tag + 1..end - 1];
        if source[tag..].starts_with(CDATA) {
            builder.plain(tag + CDATA.len(), end - "]]>".len());
        } else if let Some(name) = inside.strip_prefix('/') {
            builder.end(name.trim(), end);
        } else if inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (name, rest) =
                inside.split_at(inside.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inside.len()));
            builder.start(name, tag, |wanted| attribute(rest, wanted));
            if rest.ends_with('/') {
                builder.end(name, end);
            }
        }
        (at, text) = (end, end);
    }
    builder.text(text, source.len());
    builder.finish(source.len());
}

const CDATA: &str = "<![CDATA[";

/// The longest tag.
const LONGEST: usize = 1 << 12;

/// Which ends may still come.
struct Ends {
    comment: bool,
    section: bool,
}

/// Where the markup that begins here ends; `None` if it is text.
fn markup(source: &str, tag: usize, ends: &mut Ends) -> Option<usize> {
    let rest = &source.as_bytes()[tag..];
    let until = |end: &[u8], may: &mut bool| {
        let found = if *may { memchr::memmem::find(rest, end) } else { None };
        *may = found.is_some();
        found.map(|n| tag + n + end.len())
    };
    match rest.get(1)? {
        b'!' if rest.starts_with(b"<!--") => until(b"-->", &mut ends.comment),
        b'!' if rest.starts_with(CDATA.as_bytes()) => until(b"]]>", &mut ends.section),
        b'!' | b'?' | b'/' | b'a'..=b'z' | b'A'..=b'Z' => {
            let rest = &rest[..rest.len().min(LONGEST)];
            let mut quote = None;
            for (n, &b) in rest.iter().enumerate().skip(1) {
                match (b, quote) {
                    (b'"' | b'\'', None) if rest[n - 1] == b'=' => quote = Some(b),
                    (_, Some(q)) if b == q => quote = None,
                    (b'<', None) => return None,
                    (b'>', None) => return Some(tag + n + 1),
                    _ => {}
                }
            }
            None
        }
        _ => None,
    }
}

/// The value of an attribute in what follows a tag's name.
pub(super) fn attribute(rest: &str, wanted: &str) -> Option<String> {
    let mut rest = rest;
    loop {
        let equals = rest.find('=')?;
        let name = rest[..equals].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        let value = rest[equals + 1..].trim_start();
        let (value, after) = match value.strip_prefix(['"', '\'']) {
            Some(inner) => {
                let quote = &value[..1];
                let end = inner.find(quote)?;
                (&inner[..end], &inner[end + 1..])
            }
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value.to_owned());
        }
        rest = after;
    }
}
