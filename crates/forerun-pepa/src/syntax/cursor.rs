//! A place among the parts of a text, and how to go on after an error.

use super::ast::{Name, Span};
use super::diagnostic::{Diagnostic, Severity};
use super::dialect::Dialect;
use super::token::{Kind, Token};

/// How deep processes and expressions may be nested: what recursion over them can take.
pub(super) const DEPTH: usize = 256;
/// After so many errors nothing more is said.
const ENOUGH: usize = 30;

/// A place among the parts.
pub(super) struct Cursor<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) depth: usize,
    /// Operators read in this expression.
    pub(super) operators: usize,
    /// Whether a rate is called `top`, which then is no word for ⊤.
    pub(super) top_is_rate: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn kind(&self) -> &'a Kind {
        &self.tokens[self.at].kind
    }

    /// The kind so many parts further on.
    pub(super) fn ahead(&self, by: usize) -> &'a Kind {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the part before.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is(&self, mark: char) -> bool {
        *self.kind() == Kind::Mark(mark)
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind(), Kind::Name(..))
    }

    /// Whether a word without quotes stands here.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Name(name, false) if name == word)
    }

    /// Goes over a mark if it is there.
    pub(super) fn eat(&mut self, mark: char) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Goes over a mark that must be there.
    pub(super) fn expect(&mut self, mark: char, after: &str) -> Option<()> {
        if self.eat(mark) {
            return Some(());
        }
        self.unexpected(&format!("`{mark}` {after}"))
    }

    /// Says that something else was expected here.
    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Option<T> {
        let message = format!("expected {expected}, found {}", self.kind().describe());
        self.error("syntax", self.span(), message)
    }

    /// Says that something is wrong.
    pub(super) fn error<T>(
        &mut self,
        kind: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Option<T> {
        self.problems.push(Diagnostic::error(kind, span.range(), message));
        None
    }

    /// Whether enough has been said.
    pub(super) fn enough(&self) -> bool {
        self.problems.iter().filter(|d| d.severity == Severity::Error).count() >= ENOUGH
    }

    /// Reads a name.
    pub(super) fn name(&mut self, what: &str) -> Option<Name> {
        match self.kind() {
            Kind::Name(text, _) => {
                let name = Name { text: text.clone(), span: self.span() };
                self.advance();
                Some(name)
            }
            _ => self.unexpected(what),
        }
    }

    /// Goes one deeper, if that is allowed.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= DEPTH {
            let message = format!("this is nested more than {DEPTH} deep; give parts of it names");
            return self.error("depth", self.span(), message);
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        out
    }

    /// Whether a definition begins here.
    pub(super) fn at_definition(&self) -> bool {
        match self.kind() {
            Kind::Mark('#' | '%') => true,
            Kind::Name(..) => *self.ahead(1) == Kind::Is,
            _ => false,
        }
    }

    /// Goes to what follows the definition that began at `start` and could not be read.
    pub(super) fn recover(&mut self, start: usize) {
        // Behind the name that it defines.
        self.at = self.at.max(start + 1).min(self.tokens.len() - 1);
        while *self.kind() != Kind::End {
            if self.eat(';') {
                return;
            }
            if self.at_definition() && !self.within_definition() {
                return;
            }
            self.advance();
        }
    }

    /// Whether the `name =` here is what the definition being read begins with.
    fn within_definition(&self) -> bool {
        matches!(self.tokens[self.at - 1].kind, Kind::Mark('#' | '%'))
    }
}
