//! What is to be said about a model, and where in its text.

use std::ops::Range;

use forerun_platform::{FileError, Problem};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the model means what it says.
    Note,
    /// Probably not what was meant; the model can be solved.
    Warning,
    /// The model means nothing.
    Error,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One thing to say about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of thing it is, in a word that stays the same: `undefined`, `unused`, `deadlock`.
    pub kind: &'static str,
    /// The bytes of the text that are meant.
    pub span: Range<usize>,
    /// What is wrong and what to write, in a sentence.
    pub message: String,
}

impl Diagnostic {
    /// An error.
    pub fn error(kind: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, kind, span, message: message.into() }
    }

    /// A warning.
    pub fn warning(kind: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, kind, span, message: message.into() }
    }

    /// A note.
    pub fn note(kind: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, kind, span, message: message.into() }
    }

    /// The place in a text, with the severity before the sentence.
    pub fn problem(&self, text: &str) -> Problem {
        Problem::at(text, self.span.clone(), format!("{}: {}", self.severity.name(), self.message))
    }

    /// All of them as one text with the lines that are meant, in their order.
    pub fn render(all: &[Diagnostic], file: &str, text: &str) -> FileError {
        FileError::wrong(file, all.iter().map(|d| d.problem(text)).collect())
    }
}
