//! Where the characters of a field's text were in its file.

/// A place in the original file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// Characters before it.
    pub character: u64,
    /// Bytes before it, if the file is in UTF-8 or ASCII.
    pub byte: Option<u64>,
}

/// A stretch of text that follows the file character for character, or stands for one place of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    text: u32,
    byte: u64,
    character: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ascii,
    Utf8,
    /// All of it stands for what begins at this place, or was put in there.
    Place,
}

/// A map from bytes of a text to its file. Looking a place up costs a binary search, and counting at most a few
/// hundred bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    runs: Vec<Run>,
    bytes: bool,
}

/// Stretches that are not ASCII are cut so that counting their characters stays cheap.
const STRETCH: usize = 512;

impl OffsetMap {
    pub(super) fn new(bytes: bool) -> Self {
        Self { runs: Vec::new(), bytes }
    }

    /// Text from byte `text` on follows the file.
    pub(super) fn follow(&mut self, text: usize, mut byte: u64, mut character: u64, mut stretch: &str) {
        if stretch.is_ascii() {
            self.runs.push(Run { text: text as u32, byte, character, kind: Kind::Ascii });
            return;
        }
        let mut text = text;
        while !stretch.is_empty() {
            self.runs.push(Run { text: text as u32, byte, character, kind: Kind::Utf8 });
            let (part, rest) = stretch.split_at(stretch.floor_char_boundary(STRETCH));
            text += part.len();
            byte += part.len() as u64;
            character += part.chars().count() as u64;
            stretch = rest;
        }
    }

    /// Text from byte `text` on stands for this place.
    pub(super) fn stand(&mut self, text: usize, byte: u64, character: u64) {
        self.runs.push(Run { text: text as u32, byte, character, kind: Kind::Place });
    }

    /// Where the character at byte `at` of this map's text was.
    pub fn offset(&self, text: &str, at: usize) -> Offset {
        let after = self.runs.partition_point(|run| run.text as usize <= at);
        let Some(run) = after.checked_sub(1).and_then(|n| self.runs.get(n)) else { return Offset::default() };
        let start = run.text as usize;
        let bytes = (at - start) as u64;
        let (bytes, characters) = match run.kind {
            Kind::Ascii => (bytes, bytes),
            Kind::Utf8 => (bytes, text.get(start..at).map_or(bytes, |s| s.chars().count() as u64)),
            Kind::Place => (0, 0),
        };
        Offset { character: run.character + characters, byte: self.bytes.then_some(run.byte + bytes) }
    }
}
