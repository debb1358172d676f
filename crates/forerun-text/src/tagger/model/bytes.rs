//! Numbers and strings as the bytes of a model file.

use crate::error::TextError;

/// Appends to a file.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    /// A whole number in as few bytes as it needs, seven bits each.
    pub(super) fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    pub(super) fn string(&mut self, s: &str) {
        self.number(s.len() as u64);
        self.0.extend_from_slice(s.as_bytes());
    }

    /// Strings in ascending order: of each, how much it shares with the one before, then the rest.
    pub(super) fn front(&mut self, before: &str, s: &str) {
        let shared = before.bytes().zip(s.bytes()).take_while(|(a, b)| a == b).count();
        let shared = s.floor_char_boundary(shared);
        self.number(shared as u64);
        self.string(&s[shared..]);
    }
}

/// Takes from a file.
pub(super) struct Reader<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn wrong(&self, what: &str) -> TextError {
        TextError::new(format!(
            "{} is damaged at byte {}: {what}; train or copy it again",
            self.name, self.at
        ))
    }

    pub(super) fn number(&mut self) -> Result<u64, TextError> {
        let mut n = 0_u64;
        for shift in (0..63).step_by(7) {
            let &byte = self.bytes.get(self.at).ok_or_else(|| self.wrong("it ends too early"))?;
            self.at += 1;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(self.wrong("a number is too long"))
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize, what: &str) -> Result<usize, TextError> {
        let n = self.number()?;
        usize::try_from(n)
            .ok()
            .filter(|&n| n < end)
            .ok_or_else(|| self.wrong(&format!("{what} {n} is not below {end}")))
    }

    /// How many of something follow, each at least one byte.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, TextError> {
        let left = self.bytes.len() - self.at;
        self.below(left.max(1) + 1, what)
    }

    pub(super) fn string(&mut self) -> Result<&'a str, TextError> {
        let len = self.count("a length")?;
        let end = self.at + len;
        let bytes = self.bytes.get(self.at..end).ok_or_else(|| self.wrong("it ends too early"))?;
        self.at = end;
        std::str::from_utf8(bytes).map_err(|_| self.wrong("a string is not UTF-8"))
    }

    /// The next of strings in ascending order, in place of the one before.
    pub(super) fn front(&mut self, s: &mut String) -> Result<(), TextError> {
        let shared = self.below(s.len() + 1, "a shared length")?;
        if !s.is_char_boundary(shared) {
            return Err(self.wrong("a shared length is inside a character"));
        }
        s.truncate(shared);
        s.push_str(self.string()?);
        Ok(())
    }
}

/// A check of all bytes: FNV-1a over 64 bits.
pub(super) fn check(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
