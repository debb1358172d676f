//! What rates are in numbers.

use std::collections::{HashMap, HashSet};

use super::close;
use crate::syntax::{Definition, Diagnostic, Expr, Model, Operator};

/// Values that rates have instead of those of their definitions, as a sweep gives them.
pub type Settings = HashMap<String, f64>;

/// How many definitions may lead from one to the next.
const CHAIN: usize = 1000;

/// The values of all rates that are defined.
pub(super) struct Rates<'a> {
    by_name: HashMap<&'a str, &'a Definition<Expr>>,
    settings: &'a Settings,
    values: HashMap<&'a str, Option<f64>>,
    /// Those that are being reckoned.
    open: HashSet<&'a str>,
    pub(super) used: HashMap<&'a str, bool>,
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Rates<'a> {
    /// Reckons every definition. A name that is defined twice is reported, and its first meaning taken.
    pub(super) fn of(model: &'a Model, settings: &'a Settings) -> Self {
        let mut rates = Rates {
            by_name: HashMap::new(),
            settings,
            values: HashMap::new(),
            open: HashSet::new(),
            used: HashMap::new(),
            problems: Vec::new(),
        };
        for rate in &model.rates {
            let name = rate.name.text.as_str();
            if rates.by_name.contains_key(name) {
                let message =
                    format!("the rate `{name}` is defined already; take one of the definitions out");
                rates.problems.push(Diagnostic::error("duplicate", rate.name.span.range(), message));
            } else {
                rates.by_name.insert(name, rate);
            }
        }
        for rate in &model.rates {
            rates.definition(&rate.name.text, 0);
        }
        rates.used.clear();
        for rate in &model.rates {
            rates.mark(&rate.body);
        }
        rates
    }

    /// Marks the names in an expression as used.
    pub(super) fn mark(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                self.used.insert(&name.text, true);
            }
            Expr::Negative(inner, _) => self.mark(inner),
            Expr::Binary(_, left, right) => {
                self.mark(left);
                self.mark(right);
            }
            Expr::Number(..) | Expr::Passive(_) => {}
        }
    }

    fn definition(&mut self, name: &str, depth: usize) -> Option<f64> {
        let (name, rate) = self.by_name.get_key_value(name).map(|(n, r)| (*n, *r))?;
        if let Some(value) = self.settings.get(name) {
            self.values.insert(name, Some(*value));
            return Some(*value);
        }
        if let Some(value) = self.values.get(name) {
            return *value;
        }
        if self.open.contains(name) {
            let message = format!("the rate `{name}` is defined by itself; give it a number");
            self.problems.push(Diagnostic::error("recursion", rate.name.span.range(), message));
            return None;
        }
        let value = if depth > CHAIN {
            let message =
                format!("more than {CHAIN} definitions lead from one to the next here; shorten the chain");
            self.problems.push(Diagnostic::error("depth", rate.name.span.range(), message));
            None
        } else {
            self.open.insert(name);
            let value = self.reckon(&rate.body, depth + 1);
            self.open.remove(name);
            value
        };
        self.values.insert(name, value);
        value
    }

    /// An expression's value; none if something in it was reported.
    pub(super) fn reckon(&mut self, expr: &Expr, depth: usize) -> Option<f64> {
        match expr {
            Expr::Number(value, ..) => Some(*value),
            Expr::Negative(inner, _) => Some(-self.reckon(inner, depth)?),
            Expr::Passive(span) => {
                let message = "`infty` is a rate of an activity, not a number";
                self.problems.push(Diagnostic::error("passive", span.range(), message));
                None
            }
            Expr::Name(name) => {
                if !self.by_name.contains_key(name.text.as_str()) {
                    let advice = match close(&name.text, self.by_name.keys().copied()) {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("write `{} = 1.0;` above the processes", name.text),
                    };
                    let message = format!("there is no rate `{}`; {advice}", name.text);
                    self.problems.push(Diagnostic::error("undefined", name.span.range(), message));
                    return None;
                }
                self.definition(&name.text, depth)
            }
            Expr::Binary(operator, left, right) => {
                let (l, r) = (self.reckon(left, depth), self.reckon(right, depth));
                let (l, r) = (l?, r?);
                match operator {
                    Operator::Add => Some(l + r),
                    Operator::Subtract => Some(l - r),
                    Operator::Multiply => Some(l * r),
                    Operator::Divide if r == 0.0 => {
                        let message = "this divides by zero";
                        self.problems.push(Diagnostic::error("zero", right.span().range(), message));
                        None
                    }
                    Operator::Divide => Some(l / r),
                }
            }
        }
    }

    /// A rate's or a weight's value, which must be positive.
    pub(super) fn positive(&mut self, expr: &'a Expr, what: &str) -> Option<f64> {
        self.mark(expr);
        let value = self.reckon(expr, 0)?;
        if value > 0.0 && value.is_finite() {
            return Some(value);
        }
        let message = format!(
            "this {what} is {value}; it must be positive (an activity that never happens is left out)"
        );
        self.problems.push(Diagnostic::error("zero", expr.span().range(), message));
        None
    }

    /// A number of copies.
    pub(super) fn copies(&mut self, expr: &'a Expr) -> Option<u32> {
        self.mark(expr);
        let value = self.reckon(expr, 0)?;
        if (1.0..=f64::from(i32::MAX)).contains(&value.round())
            && (value - value.round()).abs() < 1e-9 * value
        {
            return Some(value.round() as u32);
        }
        let message =
            format!("the number of copies is {value}; it must be a whole number from 1 to {}", i32::MAX);
        self.problems.push(Diagnostic::error("copies", expr.span().range(), message));
        None
    }
}
