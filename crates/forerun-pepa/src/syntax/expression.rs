//! Numbers, rates and sets of actions.

use super::ast::{Action, Expr, Name, Operator, Rate, Span};
use super::cursor::Cursor;
use super::token::Kind;

/// Operators in one expression; more are refused: recursion goes over them.
const LONG: usize = 1000;

impl Cursor<'_> {
    /// An expression that must be a number.
    pub(super) fn number(&mut self) -> Option<Expr> {
        self.operators = 0;
        let expr = self.sum()?;
        let span = expr.span();
        match weight(expr) {
            Ok(Split::Active(expr)) => Some(expr),
            _ => self.error(
                "passive",
                span,
                "`infty` is a rate of an activity, not a number: expected a number",
            ),
        }
    }

    /// Sums of products, from the left.
    fn sum(&mut self) -> Option<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.kind() {
                Kind::Mark('+') => Operator::Add,
                Kind::Mark('-') => Operator::Subtract,
                _ => return Some(left),
            };
            self.operator()?;
            left = Expr::Binary(operator, left.into(), self.product()?.into());
        }
    }

    /// Goes over an operator, unless there were too many.
    fn operator(&mut self) -> Option<()> {
        self.operators += 1;
        if self.operators > LONG {
            let message =
                format!("there are more than {LONG} numbers in this expression; give parts of it names");
            return self.error("depth", self.span(), message);
        }
        self.advance();
        Some(())
    }

    fn product(&mut self) -> Option<Expr> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.kind() {
                Kind::Mark('*') => Operator::Multiply,
                Kind::Mark('/') => Operator::Divide,
                _ => return Some(left),
            };
            self.operator()?;
            left = Expr::Binary(operator, left.into(), self.factor()?.into());
        }
    }

    fn factor(&mut self) -> Option<Expr> {
        let span = self.span();
        match self.kind() {
            Kind::Number(value, text) => {
                self.advance();
                Some(Expr::Number(*value, text.clone(), span))
            }
            Kind::Mark('-') => {
                self.advance();
                let inner = self.deeper(Self::factor)?;
                let span = span.to(inner.span());
                Some(Expr::Negative(inner.into(), span))
            }
            Kind::Mark('(') => {
                self.advance();
                let inner = self.deeper(Self::sum)?;
                self.expect(')', "after the expression")?;
                Some(inner)
            }
            Kind::Mark('_') => {
                self.advance();
                Some(Expr::Passive(span))
            }
            Kind::Name(word, false) if self.is_passive(word) => {
                self.advance();
                Some(Expr::Passive(span))
            }
            Kind::Name(word, false) if word == "if" => self.functional(span),
            Kind::Name(text, _) => {
                let name = Name { text: text.clone(), span };
                self.advance();
                if self.is('(') {
                    return self.error(
                        "extension",
                        span,
                        format!(
                            "functions such as `{}(…)` are not part of PEPA; write its value as a number",
                            name.text
                        ),
                    );
                }
                Some(Expr::Name(name))
            }
            _ => self.unexpected("a rate: a number, a name, `infty` or an expression of them"),
        }
    }

    fn functional<T>(&mut self, span: Span) -> Option<T> {
        self.error(
            "extension",
            span,
            "rates that depend on the state (`if … then … else`, an extension of ipc) are not PEPA: give the \
             process a state for every case instead",
        )
    }

    fn is_passive(&self, word: &str) -> bool {
        matches!(word, "infty" | "T") || (word == "top" && !self.top_is_rate)
    }

    /// The rate of an activity.
    pub(super) fn rate(&mut self) -> Option<Rate> {
        self.operators = 0;
        let expr = self.sum()?;
        if self.is(':') || self.is_word("immediate") {
            return self.error(
                "extension",
                self.span(),
                "immediate actions (`1:immediate`, an extension of ipc) are not PEPA: write a rate far above the others",
            );
        }
        // `infty 3`, as ipc writes a weight.
        if let (Expr::Passive(span), Kind::Number(value, text)) = (&expr, self.kind()) {
            let weight = Expr::Number(*value, text.clone(), self.span());
            let span = span.to(self.span());
            self.advance();
            return Some(Rate::Passive(Some(weight), span));
        }
        let span = expr.span();
        match weight(expr) {
            Ok(Split::Active(expr)) => Some(Rate::Active(expr)),
            Ok(Split::Weight(weight)) => Some(Rate::Passive(weight, span)),
            Err(span) => self.error(
                "passive",
                span,
                "the passive rate can only be given a weight, as in `2 * infty`: it is no number to reckon with",
            ),
        }
    }

    /// An action's name, or τ.
    pub(super) fn action(&mut self) -> Option<Action> {
        if self.is_word("tau") {
            let span = self.span();
            self.advance();
            return Some(Action::Tau(span));
        }
        let name = self.name("the name of an action")?;
        if self.is('[') {
            return self.error(
                "extension",
                self.span(),
                "priorities of actions (`a[2]`, an extension of ipc) are not PEPA; take the priority out",
            );
        }
        Some(Action::Named(name))
    }

    /// Names up to the mark that closes a set, which the cursor then is behind.
    pub(super) fn names_until(&mut self, close: char) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        if self.eat(close) {
            return Some(names);
        }
        loop {
            if self.is_word("tau") {
                return self.error(
                    "tau",
                    self.span(),
                    "`tau` is done alone: it can be neither cooperated on nor hidden; take it out of the set",
                );
            }
            names.push(self.name("the name of an action")?);
            if self.eat(close) {
                return Some(names);
            }
            if self.is_name() {
                return self.unexpected(&format!("`,` or `{close}` after the name of an action"));
            }
            self.expect(',', &format!("or `{close}` after the name of an action"))?;
        }
    }
}

enum Split {
    Active(Expr),
    Weight(Option<Expr>),
}

/// Takes ⊤ out of a product: what is left is the weight. The error is where ⊤ cannot stand.
fn weight(expr: Expr) -> Result<Split, Span> {
    match expr {
        Expr::Passive(_) => Ok(Split::Weight(None)),
        Expr::Binary(operator, left, right) => {
            let (left_span, right_span) = (left.span(), right.span());
            match (operator, weight(*left)?, weight(*right)?) {
                (_, Split::Active(l), Split::Active(r)) => {
                    Ok(Split::Active(Expr::Binary(operator, l.into(), r.into())))
                }
                (Operator::Multiply, Split::Weight(None), Split::Active(w)) => Ok(Split::Weight(Some(w))),
                (Operator::Multiply, Split::Active(w), Split::Weight(None)) => Ok(Split::Weight(Some(w))),
                (Operator::Multiply, Split::Weight(Some(l)), Split::Active(r))
                | (Operator::Multiply, Split::Active(l), Split::Weight(Some(r))) => {
                    Ok(Split::Weight(Some(Expr::Binary(Operator::Multiply, l.into(), r.into()))))
                }
                (_, Split::Weight(_), _) => Err(left_span),
                _ => Err(right_span),
            }
        }
        Expr::Negative(inner, span) => match weight(*inner)? {
            Split::Active(inner) => Ok(Split::Active(Expr::Negative(inner.into(), span))),
            Split::Weight(_) => Err(span),
        },
        other => Ok(Split::Active(other)),
    }
}
