//! Character references.

use html5gum::{Token, Tokenizer};

/// A reference at the beginning of `text`, which begins with `&`: its length in bytes, and what it stands for.
/// `None` if it is no reference: an `&` that nobody escaped.
///
/// References to control characters, which collections use as marks of their own, stand for a space.
pub(super) fn reference(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let body = bytes[1..].iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
    if body == 0 {
        return None;
    }
    let closed = bytes.get(1 + body) == Some(&b';');
    let len = 1 + body + usize::from(closed);
    if bytes[1] == b'#' {
        let digits = &text[2..1 + body];
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let c = char::from_u32(code.ok()?)?;
        if c.is_control() && !(0x80..0xa0).contains(&(c as u32)) {
            return Some((len, " ".to_owned()));
        }
        if (c as u32) < 0x80 {
            return Some((len, c.to_string()));
        }
    }
    // Names, and numbers that stand for other characters than they say: HTML's tables.
    let mut decoded = String::new();
    for token in Tokenizer::new(&text[..len]) {
        if let Ok(Token::String(s)) = token {
            decoded.push_str(&String::from_utf8_lossy(&s.value));
        }
    }
    (decoded != text[..len]).then_some((len, decoded))
}
