//! Whole models.

use std::collections::HashMap;

use super::ast::{Definition, Expr, Model, Name, Process, Remarks, Span};
use super::cursor::Cursor;
use super::diagnostic::{Diagnostic, Severity};
use super::dialect::Dialect;
use super::kinds::{Sort, sorts};
use super::lexer::{Lexed, lex};
use super::token::{Comment, Kind, Token};

/// What reading a text gave.
#[derive(Debug)]
pub struct Parsed {
    /// The model, if it could be read without an error.
    pub model: Option<Model>,
    /// What is to be said about the text, in its order.
    pub diagnostics: Vec<Diagnostic>,
}

/// A definition, read but without its comments.
enum Item {
    Rate(Name, Expr, bool),
    Process(Name, Process),
}

/// Reads a model. After an error it goes on with the next definition, so several are found at
/// once; names are not looked up. Never panics, whatever the text. Cost: linear.
pub fn parse(text: &str, dialect: Dialect) -> Parsed {
    let lexed = lex(text, dialect);
    let sorts = sorts(&lexed.tokens);
    let top_is_rate = sorts.iter().any(|(at, sort)| {
        *sort == Sort::Rate && matches!(&lexed.tokens[*at].kind, Kind::Name(name, _) if name == "top")
    });
    let mut cursor = Cursor {
        tokens: &lexed.tokens,
        at: 0,
        dialect,
        problems: Vec::new(),
        depth: 0,
        operators: 0,
        top_is_rate,
    };
    let mut items: Vec<(Item, Span)> = Vec::new();
    while cursor.at_definition() && !cursor.enough() {
        let (begin, start) = (cursor.span(), cursor.at);
        cursor.depth = 0;
        match cursor.definition(&sorts) {
            Some(item) => items.push((item, begin.to(cursor.last_span()))),
            None => cursor.recover(start),
        }
    }
    let system = if cursor.enough() { None } else { cursor.system() };
    let Lexed { comments, mut problems, tokens, .. } = lexed_after(cursor.problems, lexed);
    problems.sort_by_key(|d| d.span.start);
    let failed = problems.iter().any(|d| d.severity == Severity::Error);
    let model = match system {
        Some((system, span)) if !failed => {
            Some(assemble(items, system, span, Comments { text, all: &comments, tokens: &tokens, at: 0 }))
        }
        _ => None,
    };
    Parsed { model, diagnostics: problems }
}

/// Reads an expression alone, such as `2 * Busy + serve`.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn parse_expression(text: &str) -> Result<Expr, String> {
    let Lexed { tokens, problems, .. } = lex(text, Dialect::Any);
    let mut cursor = Cursor {
        tokens: &tokens,
        at: 0,
        dialect: Dialect::Any,
        problems,
        depth: 0,
        operators: 0,
        top_is_rate: true,
    };
    let expr = cursor.number();
    if expr.is_some() && *cursor.kind() != Kind::End {
        cursor.unexpected::<()>("an operator or the end of the expression");
    }
    match (expr, cursor.problems.first()) {
        (Some(expr), None) => Ok(expr),
        (_, Some(problem)) => Err(problem.message.clone()),
        (None, None) => Err("this is no expression".into()),
    }
}

fn lexed_after(problems: Vec<Diagnostic>, mut lexed: Lexed) -> Lexed {
    lexed.problems.extend(problems);
    lexed
}

impl Cursor<'_> {
    fn definition(&mut self, sorts: &HashMap<usize, Sort>) -> Option<Item> {
        let percent = self.eat('%');
        let hash = !percent && self.eat('#');
        let at = self.at;
        let name = self.name(if percent { "a rate's name after `%`" } else { "a name to define" })?;
        if *self.kind() != Kind::Is {
            return self.unexpected("`=` after the name");
        }
        self.advance();
        let sort = if percent {
            Sort::Rate
        } else if hash {
            Sort::Process
        } else {
            sorts.get(&at).copied().unwrap_or(Sort::Process)
        };
        if self.is('[') {
            return self.error(
                "extension",
                self.span(),
                "virtual components (`X = [expression];`, an extension of ipc) are not PEPA; take the definition out",
            );
        }
        let item = match sort {
            Sort::Rate => Item::Rate(name, self.number()?, percent),
            Sort::Process => Item::Process(name, self.process()?),
        };
        if !self.eat(';') {
            // Most likely only forgotten: the next definition is read as one.
            self.unexpected::<()>("`;` after the definition");
            if !self.at_definition() {
                self.recover(self.at);
            }
        }
        Some(item)
    }

    /// The system equation, which is the last thing.
    fn system(&mut self) -> Option<(Process, Span)> {
        let begin = self.span();
        if *self.kind() == Kind::End {
            return self.error(
                "system",
                begin,
                "there is no system equation: write the system's process last, as in `P <a> Q`",
            );
        }
        self.depth = 0;
        let system = self.process()?;
        let span = begin.to(self.last_span());
        self.eat(';');
        if *self.kind() == Kind::End {
            return Some((system, span));
        }
        if self.at_definition() {
            return self.error(
                "syntax",
                self.span(),
                "nothing may be defined after the system equation: move the definition above it",
            );
        }
        self.unexpected("an operator such as `<a>`, or the end of the file after the system equation")
    }
}

/// Comments that are yet to be put somewhere.
struct Comments<'a> {
    text: &'a str,
    all: &'a [Comment],
    tokens: &'a [Token],
    at: usize,
}

impl Comments<'_> {
    /// What belongs to what stands at `span`.
    fn of(&mut self, span: Span) -> Remarks {
        let mut remarks = Remarks { apart: self.apart(span.start), ..Remarks::default() };
        while let Some(comment) = self.all.get(self.at).filter(|c| c.span.start < span.end) {
            if remarks.above.is_empty() && comment.span.start < span.start {
                remarks.apart = self.apart(comment.span.start);
            }
            remarks.above.extend(comment.lines.iter().cloned());
            self.at += 1;
        }
        let beside = self.all.get(self.at).filter(|c| {
            let between = self.text.get(span.end..c.span.start).unwrap_or("\n");
            let alone = !self.tokens.iter().any(|t| {
                t.kind != Kind::End
                    && t.kind != Kind::Mark(';')
                    && t.span.start >= span.end
                    && t.span.start < c.span.start
            });
            c.lines.len() == 1 && alone && !between.contains('\n')
        });
        if let Some(comment) = beside {
            remarks.beside = comment.lines.first().cloned();
            self.at += 1;
        }
        remarks
    }

    /// Whether the line above a place is free.
    fn apart(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or("");
        let gap = &before[before.trim_end().len()..];
        gap.matches('\n').count() > 1 && gap.len() < before.len()
    }
}

fn assemble(items: Vec<(Item, Span)>, system: Process, span: Span, mut comments: Comments<'_>) -> Model {
    let plain: Vec<String> = items
        .iter()
        .filter_map(|(item, _)| match item {
            Item::Rate(name, _, false) => Some(name.text.clone()),
            _ => None,
        })
        .collect();
    let (mut rates, mut processes) = (Vec::new(), Vec::new());
    for (item, span) in items {
        let remarks = comments.of(span);
        match item {
            // `%` began a comment after all.
            Item::Rate(name, _, true) if plain.contains(&name.text) => {}
            Item::Rate(name, body, _) => rates.push(Definition { name, body, remarks }),
            Item::Process(name, body) => processes.push(Definition { name, body, remarks }),
        }
    }
    // As the canonical form has it.
    if let Some(first) = rates.first_mut() {
        first.remarks.apart = false;
    }
    if let Some(first) = processes.first_mut() {
        first.remarks.apart = true;
    }
    let remarks = Remarks { apart: true, ..comments.of(span) };
    let below = comments.all[comments.at..].iter().flat_map(|c| c.lines.clone()).collect();
    Model { rates, processes, system, remarks, below }
}
