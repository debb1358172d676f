//! A model as it is written.

use std::ops::Range;

/// Where something stands in the text, in bytes. All places are equal, so that two models are
/// equal when they say the same, wherever they say it.
#[derive(Debug, Clone, Copy, Default, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Span {
    /// Both and what is between.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }

    /// As a range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A name, without the quotes it may be written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What two numbers are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient.
    Divide,
}

/// A number, written out.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number and how it was written.
    Number(f64, String, Span),
    /// A rate's name.
    Name(Name),
    /// The negative of a number.
    Negative(Box<Expr>, Span),
    /// Two numbers and what is between them.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// The passive rate ⊤: only in a [`Rate`] that is being read, never in one that was.
    Passive(Span),
}

impl Expr {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Expr::Number(_, _, span) | Expr::Negative(_, span) | Expr::Passive(span) => *span,
            Expr::Name(name) => name.span,
            Expr::Binary(_, left, right) => left.span().to(right.span()),
        }
    }
}

/// A rate of an activity.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// So many a unit of time.
    Active(Expr),
    /// As fast as the partner is: ⊤, times a weight if one is written.
    Passive(Option<Expr>, Span),
}

/// An action type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// One with a name.
    Named(Name),
    /// The silent one, τ.
    Tau(Span),
}

/// `(action, rate)`
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    /// What is done.
    pub action: Action,
    /// How fast.
    pub rate: Rate,
    /// Where it stands.
    pub span: Span,
}

/// A cooperation set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionSet {
    /// These actions; none of them for `<>` and `||`.
    Listed(Vec<Name>),
    /// `<*>`: all actions that both sides can perform.
    Shared(Span),
}

/// A process.
#[derive(Debug, Clone, PartialEq)]
pub enum Process {
    /// `(a, r).(b, s).P`: activities one after another, at least one, and what follows.
    Prefix(Vec<Activity>, Box<Process>),
    /// `P + Q + R`: at least two.
    Choice(Vec<Process>),
    /// `P <a> Q <b> R`: from the left, at least one cooperation.
    Cooperation(Box<Process>, Vec<(ActionSet, Process)>),
    /// `P / {a}`
    Hiding(Box<Process>, Vec<Name>),
    /// `P[n]` or `P[n, {a}]`: so many copies that cooperate on the actions.
    Array(Box<Process>, Expr, Vec<Name>, Span),
    /// A name.
    Constant(Name),
}

impl Process {
    /// Where it stands, without parentheses around it.
    pub fn span(&self) -> Span {
        match self {
            Process::Prefix(activities, then) => {
                activities.first().map_or(then.span(), |a| a.span.to(then.span()))
            }
            Process::Choice(all) => match (all.first(), all.last()) {
                (Some(first), Some(last)) => first.span().to(last.span()),
                _ => Span::default(),
            },
            Process::Cooperation(first, rest) => {
                rest.last().map_or(first.span(), |(_, last)| first.span().to(last.span()))
            }
            Process::Hiding(inner, set) => set.last().map_or(inner.span(), |name| inner.span().to(name.span)),
            Process::Array(inner, _, _, span) => inner.span().to(*span),
            Process::Constant(name) => name.span,
        }
    }
}

/// A name and what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition<T> {
    /// The name.
    pub name: Name,
    /// What it stands for.
    pub body: T,
    /// What is said before it and about it.
    pub remarks: Remarks,
}

/// Comments, as lines without their marks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks {
    /// A line is free above.
    pub apart: bool,
    /// Lines above or within.
    pub above: Vec<String>,
    /// At the end of the line.
    pub beside: Option<String>,
}

/// A whole model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What rates are called.
    pub rates: Vec<Definition<Expr>>,
    /// What processes are called.
    pub processes: Vec<Definition<Process>>,
    /// The system equation.
    pub system: Process,
    /// Comments about the system equation.
    pub remarks: Remarks,
    /// Comments after everything.
    pub below: Vec<String>,
}
