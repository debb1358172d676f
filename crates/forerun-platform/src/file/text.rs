//! A file's text.

use std::path::Path;

use super::{FileError, bytes, named};

/// Reads the file at `path` into a string.
///
/// # Errors
/// The system's, with the file's name; that it is not text in UTF-8.
pub fn contents(path: &Path) -> Result<String, FileError> {
    let bytes = bytes(path).map_err(|e| FileError::unreadable(path, &e))?;
    decoded(bytes).map_err(|why| FileError::foreign(&named(path), why))
}

/// The text of a file's contents.
///
/// # Errors
/// Why they are none, to be said after the file's name.
pub fn decoded(bytes: Vec<u8>) -> Result<String, &'static str> {
    if is_utf16(&bytes) {
        return Err("is written in UTF-16, where UTF-8 is read: save it as UTF-8");
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(NO_TEXT),
    }
}

/// What is said of a file that is none that is read.
const NO_TEXT: &str = "is not text, so no file that forerun reads; name another";
/// How much of a file is looked at to see whether it is text.
const HEAD: usize = 8192;

/// The text of a file's contents that may be in an older encoding, of which ASCII is a part: `other` reads bytes that are no UTF-8.
///
/// # Errors
/// Why they are none, to be said after the file's name: they have a NUL, or a tenth of their beginning is neither UTF-8 nor
/// printable.
pub fn lenient(bytes: Vec<u8>, other: impl FnOnce(&[u8]) -> String) -> Result<String, &'static str> {
    if bytes.contains(&0) {
        // UTF-16 is told from no text there.
        return decoded(bytes);
    }
    let (mut odd, mut all) = (0, 0);
    for chunk in bytes[..bytes.len().min(HEAD)].utf8_chunks() {
        let control = |c: &char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c');
        odd += chunk.valid().chars().filter(control).count() + chunk.invalid().len();
        all += chunk.valid().chars().count() + chunk.invalid().len();
    }
    if odd * 10 > all {
        return Err(NO_TEXT);
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| other(e.as_bytes())))
}

/// Whether a file's contents are text in UTF-16, whatever the order of its bytes and whether it is marked, most of it ASCII.
pub fn is_utf16(bytes: &[u8]) -> bool {
    let text = |unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let (mut all, mut ascii) = (0, 0);
        for character in char::decode_utf16(units) {
            match character {
                Ok(c) if !c.is_control() || c.is_ascii_whitespace() => ascii += usize::from(c.is_ascii()),
                _ => return false,
            }
            all += 1;
        }
        2 * ascii > all
    };
    bytes.len().is_multiple_of(2) && (text(u16::from_le_bytes) || text(u16::from_be_bytes))
}

#[cfg(test)]
mod tests {
    use super::{decoded, lenient};

    #[test]
    fn older_encodings_are_told_from_no_text() {
        let latin = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
        let read = |bytes: &[u8]| lenient(bytes.to_vec(), latin);
        assert_eq!(
            read(b"% the rates of K\xf6nigsberg\nr = 1;").as_deref(),
            Ok("% the rates of Königsberg\nr = 1;")
        );
        assert_eq!(read("% of Königsberg".as_bytes()).as_deref(), Ok("% of Königsberg"));
        assert_eq!(read(b"").as_deref(), Ok(""));
        let noise: Vec<u8> = (0..3000u32).map(|i| (i * i * 7 + i / 3) as u8 | 1).collect();
        for bytes in [&noise[..], b"a text\0 with a NUL", b"\x01\x02\x03\x04", &[0xff; 100]] {
            assert!(read(bytes).unwrap_err().contains("is not text"));
        }
        let wide: Vec<u8> = "r = 1; P = (a, r).P; P".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(read(&wide).unwrap_err().contains("UTF-16"));
    }

    #[test]
    fn text_in_another_encoding_is_told_from_no_text() {
        let wide = |mark: &[u16], big: bool| -> Vec<u8> {
            let units = mark.iter().copied().chain("format = 1\nname = \"Königsberg\"\n".encode_utf16());
            units.flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
        };
        for bytes in [wide(&[0xfeff], false), wide(&[0xfeff], true), wide(&[], false), wide(&[], true)] {
            assert!(decoded(bytes).unwrap_err().contains("UTF-16"));
        }
        for bytes in [b"\xe9t\xe9".to_vec(), b"a\0b = 1 and so on".to_vec(), vec![0; 40]] {
            let why = decoded(bytes).unwrap_err();
            assert!(why.contains("is not text"), "{why}");
        }
        for text in ["", "a", "name = \"Königsberg\""] {
            assert_eq!(decoded(text.as_bytes().to_vec()), Ok(text.to_string()));
        }
    }
}
