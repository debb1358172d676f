//! Cutting text into tokens and sentences.

use super::abbreviations::{Stop, begins, stop};
use super::tokens::{Form, LONG, Style, Token, Tokens};

impl Tokens {
    /// Reads a text, in place of the one before. Costs one look at each byte, and a few more where there is
    /// punctuation.
    ///
    /// # Panics
    /// If the text is 4 GiB or longer.
    pub fn read(&mut self, text: &str, style: Style) {
        assert!(u32::try_from(text.len()).is_ok(), "a text of less than 4 GiB");
        self.tokens.clear();
        self.ends.clear();
        self.respelled.clear();
        // Looked for once: nearly no text has one.
        let curled = text.contains('\u{2019}');
        Splitter { text, style, tokens: self, begun: 0, curled, single: false, double: false }.run();
    }
}

/// A sentence of so many words is none: it is cut, so that what reads it needs bounded room.
const MOST: usize = 1000;

/// Letters and digits of ASCII.
const ALPHANUMERIC: [bool; 256] = {
    let mut is = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    is
};

struct Splitter<'a> {
    text: &'a str,
    style: Style,
    tokens: &'a mut Tokens,
    /// The first token of the sentence.
    begun: usize,
    /// Whether the text has curled apostrophes.
    curled: bool,
    /// Whether a single quote, or a double one that does not show its side, is open.
    single: bool,
    double: bool,
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}' || c == '\u{200b}'
}

impl Splitter<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if ALPHANUMERIC[usize::from(bytes[at])] {
                let more = bytes[at + 1..].iter().position(|&b| !ALPHANUMERIC[usize::from(b)]);
                let end = more.map_or(bytes.len(), |more| at + 1 + more);
                let next = bytes.get(end).copied().unwrap_or(b' ');
                if next == b' ' || next == b'\n' {
                    // Nearly all words: nothing to cut.
                    self.put(Token { start: at as u32, end: end as u32, form: Form::Text });
                    at = end;
                    continue;
                }
            } else if bytes[at] == b' '
                || bytes[at] == b'\n' && bytes.get(at + 1).is_some_and(u8::is_ascii_graphic)
            {
                // Nearly all space: no end of a paragraph.
                at += 1;
                continue;
            }
            let rest = &self.text[at..];
            let c = rest.chars().next().unwrap_or(' ');
            if is_space(c) {
                let space = rest.find(|c| !is_space(c)).unwrap_or(rest.len());
                if paragraph(&rest.as_bytes()[..space]) {
                    self.end_sentence();
                }
                at += space;
                continue;
            }
            let end = at + rest.find(is_space).unwrap_or(rest.len());
            self.chunk(at, end);
            at = end;
        }
        self.end_sentence();
    }

    fn push(&mut self, start: usize, end: usize, form: Form) {
        let mut form = form;
        let spelled = &self.text[start..end];
        if self.curled && form == Form::Text && spelled.len() <= LONG && spelled.contains('\u{2019}') {
            let from = self.tokens.respelled.len() as u32;
            self.tokens.respelled.extend(spelled.chars().map(|c| if c == '\u{2019}' { '\'' } else { c }));
            form = Form::Respelled(from, self.tokens.respelled.len() as u32);
        }
        self.put(Token { start: start as u32, end: end as u32, form });
    }

    #[inline]
    fn put(&mut self, token: Token) {
        self.tokens.tokens.push(token);
        if self.tokens.tokens.len() - self.begun >= MOST {
            self.end_sentence();
        }
    }

    fn end_sentence(&mut self) {
        let end = self.tokens.tokens.len();
        if end > self.begun {
            self.tokens.ends.push(end as u32);
            self.begun = end;
        }
        self.single = false;
        self.double = false;
    }

    /// Cuts what stands between two spaces.
    fn chunk(&mut self, mut start: usize, end: usize) {
        start = self.leading(start, end);
        // Dashes and dots inside cut it in parts, each with its own punctuation.
        while let Some((from, to, form)) = inner(&self.text[start..end]) {
            self.part(start, start + from, false);
            self.push(start + from, start + to, form);
            start = self.leading(start + to, end);
        }
        self.part(start, end, true);
    }

    /// Puts opening marks out, and gives where they end.
    fn leading(&mut self, mut start: usize, end: usize) -> usize {
        while start < end {
            let rest = &self.text[start..end];
            let c = rest.chars().next().unwrap_or(' ');
            let (len, form) = match c {
                '(' | '[' | '{' | '<' | '¿' | '¡' => (c.len_utf8(), Form::Text),
                '"' => (1, Form::Open),
                '“' | '«' | '„' => (c.len_utf8(), Form::Open),
                '`' if rest.starts_with("``") => (2, Form::Open),
                '`' => (1, Form::OpenSingle),
                '\'' if rest.starts_with("''") && rest.len() > 2 => (2, Form::Open),
                '‘' => (c.len_utf8(), Form::OpenSingle),
                '\'' if rest.len() > 1 && !elided(&rest[1..]) => (1, Form::OpenSingle),
                '$' if self.style == Style::Penn => (1, Form::Text),
                _ => return start,
            };
            self.single |= form == Form::OpenSingle;
            self.double |= form == Form::Open;
            self.push(start, start + len, form);
            start += len;
        }
        start
    }

    /// A stretch without leading marks: a word, then closing marks. `last` says whether space follows.
    fn part(&mut self, start: usize, end: usize, last: bool) {
        // Closing marks are found from the right and put out from the left.
        let mut word = end;
        let mut stops = false;
        while word > start {
            let rest = &self.text[start..word];
            let c = rest.chars().next_back().unwrap_or(' ');
            match c {
                ')' | ']' | '}' | '>' | '"' | '”' | '»' | ',' | ';' | ':' | '?' | '!' | '`' => {}
                '\'' | '’' if self.closes(rest, c) => {}
                '.' if !self.keeps_stop(start, word, end, last) => {}
                '%' if self.style == Style::Penn && rest.len() > 1 => {}
                _ => break,
            }
            word -= c.len_utf8();
        }
        if word > start {
            self.word(start, word);
            stops = self.text[start..word].ends_with('.') && last && self.abbreviation_ends(word, end);
        }
        self.trailing(word, end, &mut stops);
        if stops && last {
            self.end_sentence();
        }
    }

    /// Puts closing marks out; notes whether one of them ends a sentence.
    fn trailing(&mut self, mut at: usize, end: usize, stops: &mut bool) {
        while at < end {
            let rest = &self.text[at..end];
            let c = rest.chars().next().unwrap_or(' ');
            let (len, form) = match c {
                '\'' if rest.starts_with("''") => (2, Form::Close),
                '"' | '”' | '»' => (c.len_utf8(), Form::Close),
                '\'' | '’' => (c.len_utf8(), Form::CloseSingle),
                '.' => (rest.len() - rest.trim_start_matches('.').len(), Form::Text),
                _ => (c.len_utf8(), Form::Text),
            };
            match c {
                '.' | '?' | '!' => *stops = self.goes_up(end),
                ',' | ';' | ':' => *stops = false,
                _ => {}
            }
            self.push(at, at + len, form);
            at += len;
        }
    }

    /// Whether what follows the chunk that ends here may begin a sentence.
    fn goes_up(&self, end: usize) -> bool {
        let rest = self.text[end..].trim_start();
        !rest.starts_with(|c: char| c.is_lowercase() || matches!(c, ',' | ';' | ':' | ')' | '-'))
    }

    fn abbreviation_ends(&self, word: usize, end: usize) -> bool {
        if self.text[word..end].contains([',', ';', ':']) {
            return false;
        }
        let start = self.tokens.tokens.last().map_or(word, |t| t.start as usize);
        let stem = &self.text[start..word - 1];
        let rest = self.text[end..].trim_start_matches(|c| is_space(c) || c == '"');
        let next = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
        stop(stem) != Stop::Title && (rest.is_empty() || begins(next))
    }

    /// Whether the full stop at the end of this stretch belongs to the word before it.
    fn keeps_stop(&self, start: usize, word: usize, end: usize, last: bool) -> bool {
        let stem = &self.text[start..word - 1];
        if stem.is_empty() || stem.ends_with('.') {
            return false;
        }
        match stop(stem) {
            // "No." is a title before a number only.
            Stop::Title if stem.eq_ignore_ascii_case("no") || stem.eq_ignore_ascii_case("nos") => {
                self.text[word..].trim_start().starts_with(|c: char| c.is_ascii_digit())
            }
            Stop::Title => !(last && word == end && self.text[end..].trim_start().is_empty()),
            Stop::Abbreviation => true,
            Stop::Sentence => false,
        }
    }

    /// Whether a single quote at the end of this closes one that is open, or is a mark by itself.
    fn closes(&self, rest: &str, quote: char) -> bool {
        let before = rest[..rest.len() - quote.len_utf8()].chars().next_back();
        match before {
            None => true,
            Some(b) => self.single || self.style == Style::Penn || !(b.is_alphabetic() || b == '.'),
        }
    }

    fn word(&mut self, start: usize, end: usize) {
        let mut end_of_stem = end;
        if self.style == Style::Penn && end - start <= LONG {
            end_of_stem = start + clitic(&self.text[start..end]);
        }
        if end_of_stem > start {
            self.push(start, end_of_stem, Form::Text);
        }
        if end_of_stem < end {
            self.push(end_of_stem, end, Form::Text);
        }
    }
}

/// Whether white space separates paragraphs: two line ends, or a form feed.
fn paragraph(space: &[u8]) -> bool {
    space.contains(&0x0c) || space.iter().filter(|&&b| b == b'\n').nth(1).is_some()
}

/// Whether an apostrophe before this stands for letters left out rather than opens a quotation.
fn elided(rest: &str) -> bool {
    let word = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    rest.starts_with(|c: char| c.is_ascii_digit())
        || ["tis", "twas", "em", "til", "cause", "n", "round", "bout", "s", "ll", "re", "ve", "d", "m", "t"]
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w))
}

/// The first dash or run of dots inside a chunk, which cuts it.
fn inner(chunk: &str) -> Option<(usize, usize, Form)> {
    let bytes = chunk.as_bytes();
    let run = |pair: &[u8]| pair[0] == pair[1] && matches!(pair[0], b'-' | b'.');
    if chunk.is_ascii() && !bytes.windows(2).any(run) {
        return None;
    }
    for (at, c) in chunk.char_indices() {
        let run = |b: u8| bytes[at..].iter().take_while(|&&x| x == b).count();
        match c {
            '—' | '–' if c == '—' || at == 0 => return Some((at, at + c.len_utf8(), Form::Dash)),
            '-' if run(b'-') >= 2 => return Some((at, at + run(b'-'), Form::Dash)),
            '.' if run(b'.') >= 3 => return Some((at, at + run(b'.'), Form::Text)),
            '…' => return Some((at, at + c.len_utf8(), Form::Text)),
            _ => {}
        }
    }
    None
}

/// Where the Penn treebank cuts a word in two, in bytes; its length if nowhere.
fn clitic(word: &str) -> usize {
    let lower = word.to_ascii_lowercase().replace('\u{2019}', "'");
    let cut =
        |tail: &str| word.len().checked_sub(tail.len() + (word.len() - lower.len())).filter(|&at| at > 0);
    for tail in ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"] {
        if lower.ends_with(tail)
            && let Some(at) = cut(tail)
            && word.is_char_boundary(at)
        {
            return at;
        }
    }
    if lower == "cannot" { 3 } else { word.len() }
}
