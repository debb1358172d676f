//! The smallest parts of a text.

use super::ast::Span;

/// What kind of part it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A name; `true` if it was in quotes.
    Name(String, bool),
    /// A number and how it is written.
    Number(f64, String),
    /// One of ``( ) [ ] { } < > , . ; + - * / # % _ : &`` and whatever else stands alone.
    Mark(char),
    /// `||`
    Bars,
    /// `=` or `:=`
    Is,
    /// The end of the text.
    End,
}

/// A part and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// A comment and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    /// Its lines, without marks.
    pub(super) lines: Vec<String>,
    pub(super) span: Span,
}

impl Kind {
    /// As an error names it.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Name(name, _) => format!("`{name}`"),
            Kind::Number(_, text) => format!("`{text}`"),
            Kind::Mark(c) => format!("`{}`", c.escape_debug()),
            Kind::Bars => "`||`".into(),
            Kind::Is => "`=`".into(),
            Kind::End => "the end of the file".into(),
        }
    }
}
