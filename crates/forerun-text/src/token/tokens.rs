//! Tokens and where they are.

use std::ops::Range;

/// How words are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// As in the Brown corpus: contractions and possessives are one token.
    #[default]
    Brown,
    /// As in the Penn treebank: contractions and possessives are two tokens.
    Penn,
}

/// A stretch of text that is a word, a number or a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it begins, in bytes of the text.
    pub start: u32,
    /// Where it ends, in bytes of the text.
    pub end: u32,
    pub(super) form: Form,
}

/// How a token is spelled for a lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As in the text.
    Text,
    Open,
    Close,
    OpenSingle,
    CloseSingle,
    Dash,
    /// As in the text, with straight apostrophes for the others: a stretch of the arena.
    Respelled(u32, u32),
}

/// A token longer than this, in bytes, is no word; lexicons see only its beginning.
pub(super) const LONG: usize = 96;

/// The tokens of one text, in sentences. Room that is used again by the next text.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// Where each sentence ends, in tokens.
    pub(super) ends: Vec<u32>,
    pub(super) respelled: String,
}

impl Tokens {
    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of the tokens of a sentence.
    ///
    /// # Panics
    /// If there is no such sentence.
    pub fn sentence(&self, number: usize) -> Range<usize> {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        start..self.ends[number] as usize
    }

    /// All tokens.
    pub fn all(&self) -> &[Token] {
        &self.tokens
    }

    /// How token `i` of this text is spelled for a lexicon: quotes as `` `` `` and `''`, dashes as `--`, curled
    /// apostrophes straight, and of what is too long to be a word only the beginning.
    pub fn form<'a>(&'a self, text: &'a str, i: usize) -> &'a str {
        let token = self.tokens[i];
        match token.form {
            Form::Text => {
                let spelled = &text[token.start as usize..token.end as usize];
                if spelled.len() <= LONG { spelled } else { &spelled[..spelled.floor_char_boundary(LONG)] }
            }
            Form::Open => "``",
            Form::Close => "''",
            Form::OpenSingle => "`",
            Form::CloseSingle => "'",
            Form::Dash => "--",
            Form::Respelled(start, end) => &self.respelled[start as usize..end as usize],
        }
    }
}
