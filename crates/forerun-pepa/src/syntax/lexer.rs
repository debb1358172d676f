//! Text to parts, with comments kept aside.

use super::ast::Span;
use super::diagnostic::Diagnostic;
use super::dialect::Dialect;
use super::token::{Comment, Kind, Token};

/// What a text is made of.
pub(super) struct Lexed {
    /// The parts; the last one is [`Kind::End`].
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    pub(super) problems: Vec<Diagnostic>,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    out: Lexed,
}

/// Takes a text apart. Cost: linear.
pub(super) fn lex(text: &str, dialect: Dialect) -> Lexed {
    let out = Lexed { tokens: Vec::new(), comments: Vec::new(), problems: Vec::new() };
    let mut lexer = Lexer { text, at: 0, dialect, out };
    while let Some(c) = lexer.peek() {
        lexer.part(c);
    }
    let end = Span { start: text.len(), end: text.len() };
    lexer.out.tokens.push(Token { kind: Kind::End, span: end });
    lexer.out
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let span = Span { start: self.at, end: self.at + length };
        self.out.tokens.push(Token { kind, span });
        self.at += length;
    }

    fn part(&mut self, c: char) {
        let rest = self.rest();
        match c {
            _ if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
            _ if rest.starts_with("//") => self.line_comment(),
            _ if rest.starts_with("/*") => self.block_comment("*/"),
            _ if rest.starts_with("{-") => self.block_comment("-}"),
            '%' if self.is_comment() => self.line_comment(),
            '"' => self.quoted(),
            _ if rest.starts_with("||") => self.push(Kind::Bars, 2),
            _ if rest.starts_with(":=") => self.push(Kind::Is, 2),
            '=' => self.push(Kind::Is, 1),
            '0'..='9' => self.number(),
            '.' if self.starts_number() => self.number(),
            _ if c.is_alphabetic() || (c == '_' && rest[1..].starts_with(is_inside)) => self.name(),
            _ => self.push(Kind::Mark(c), c.len_utf8()),
        }
    }

    /// `.5`: a point before a digit where no process can come.
    fn starts_number(&self) -> bool {
        let digit = self.rest()[1..].starts_with(|c: char| c.is_ascii_digit());
        digit
            && match self.out.tokens.last().map(|t| &t.kind) {
                Some(Kind::Mark(c)) => "(,+-*/[".contains(*c),
                Some(Kind::Is) => true,
                _ => false,
            }
    }

    fn number(&mut self) {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let stop = digits(sign);
            if stop > sign {
                end = stop;
            }
        }
        let text = self.rest()[..end].to_string();
        // Names do not begin with digits, so what follows at once is part of the number.
        let tail: String = self.rest()[end..].chars().take_while(|c| is_inside(*c)).collect();
        if tail.is_empty() {
            let value = text.trim_start_matches('.').is_empty().then_some(0.0).or(text.parse().ok());
            self.push(Kind::Number(value.unwrap_or(0.0), text), end);
            return;
        }
        let span = self.at..self.at + end + tail.len();
        let message = format!("`{text}{tail}` is not a number: expected one such as 2, 0.5 or 1.5e-3");
        self.out.problems.push(Diagnostic::error("number", span, message));
        self.push(Kind::Number(1.0, text), end + tail.len());
    }

    fn name(&mut self) {
        let glue = self.dialect == Dialect::Workbench;
        let rest = self.rest();
        let inside = |c: char| is_inside(c) || c == '\'' || c == '`' || (glue && (c == '-' || c == '*'));
        let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let name = rest[..length].to_string();
        self.push(Kind::Name(name, false), length);
    }

    fn quoted(&mut self) {
        let text = self.text;
        let line = text[self.at + 1..].split('\n').next().unwrap_or("");
        match line.find('"') {
            Some(length) if length > 0 => {
                let name = line[..length].to_string();
                self.push(Kind::Name(name, true), length + 2);
            }
            found => {
                let length = found.unwrap_or(line.len());
                let message = match found {
                    Some(_) => "a name in quotes must not be empty",
                    None => "the quote is not closed on this line: write \" after the name",
                };
                let span = self.at..self.at + 1 + length;
                self.out.problems.push(Diagnostic::error("quote", span, message));
                let name = if length > 0 { line[..length].to_string() } else { "_".to_string() };
                let closing = usize::from(found.is_some());
                self.push(Kind::Name(name, true), length + 1 + closing);
            }
        }
    }

    fn line_comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or("");
        let length = line.len();
        let marks = if line.starts_with('%') { "%" } else { "/" };
        let text = line.trim_start_matches(|c| marks.contains(c)).trim_end().to_string();
        let span = Span { start: self.at, end: self.at + length };
        self.out.comments.push(Comment { lines: vec![text], span });
        self.at += length;
    }

    fn block_comment(&mut self, close: &str) {
        let rest = self.rest();
        let (body, length) = match rest[2..].find(close) {
            Some(end) => (&rest[2..2 + end], end + 4),
            None => {
                let message = format!("the comment is not closed: write {close} after it");
                let problem = Diagnostic::error("comment", self.at..self.at + 2, message);
                let (at, length) = (self.at, rest.len());
                self.out.problems.push(problem);
                self.at = at + length;
                return;
            }
        };
        let lines: Vec<String> =
            body.lines().map(|l| l.trim().trim_start_matches('*').trim().to_string()).collect();
        let first = lines.iter().position(|l| !l.is_empty()).unwrap_or(lines.len());
        let last = lines.iter().rposition(|l| !l.is_empty()).map_or(first, |at| at + 1);
        let lines = lines[first..last]
            .iter()
            .map(|l| if l.is_empty() { String::new() } else { format!(" {l}") })
            .collect();
        let span = Span { start: self.at, end: self.at + length };
        self.out.comments.push(Comment { lines, span });
        self.at += length;
    }

    /// Whether a `%` begins a comment; else it marks the definition of a rate.
    fn is_comment(&self) -> bool {
        match self.dialect {
            Dialect::Workbench | Dialect::Ipc => true,
            Dialect::Eclipse => false,
            Dialect::Any => {
                let line = self.rest()[1..].split('\n').next().unwrap_or("");
                !defines_rate(line)
            }
        }
    }
}

/// Whether a character goes on with a name.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether a line says `name = expression;` and nothing but comments after it.
fn defines_rate(line: &str) -> bool {
    let line = line.trim_start();
    let name = line.find(|c| !is_inside(c)).unwrap_or(line.len());
    let rest = line[name..].trim_start();
    let Some(rest) = rest.strip_prefix(":=").or(rest.strip_prefix('=')) else { return false };
    let Some((body, after)) = rest.split_once(';') else { return false };
    let after = after.trim_start();
    let closed = after.is_empty() || ["%", "//", "/*"].iter().any(|mark| after.starts_with(mark));
    name > 0 && line.starts_with(char::is_alphabetic) && closed && alternates(body)
}

/// Whether operands and operators come in turns.
fn alternates(body: &str) -> bool {
    let (mut operand, mut open) = (false, 0usize);
    let mut rest = body.trim();
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            _ if is_inside(c) || c == '.' => {
                if operand {
                    return false;
                }
                length = rest.find(|c| !(is_inside(c) || c == '.')).unwrap_or(rest.len());
                operand = true;
            }
            '(' if !operand => open += 1,
            ')' if operand && open > 0 => open -= 1,
            '+' | '*' | '/' if operand => operand = false,
            '-' => operand = false,
            _ => return false,
        }
        rest = rest[length..].trim_start();
    }
    operand && open == 0
}
