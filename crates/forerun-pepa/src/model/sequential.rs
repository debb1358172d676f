//! Sequential components: which local states there are, and what can happen in each.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::names::Names;
use super::rates::Rates;
use super::system::{Local, Move, Strength, TAU};
use crate::syntax::{Action, Activity, Diagnostic, Name, Process, Rate, Span, print_process};

/// How many names may stand for names.
const CHAIN: usize = 500;

/// A sequential process within the text: the last part of a row of activities need not be one.
#[derive(Clone, Copy)]
enum Term<'a> {
    Process(&'a Process),
    Tail(&'a [Activity], &'a Process),
}

/// Finds local states as they are asked for.
pub(super) struct Sequential<'a> {
    pub(super) names: Names<'a>,
    pub(super) rates: Rates<'a>,
    pub(super) actions: Vec<String>,
    action_numbers: HashMap<String, u32>,
    pub(super) locals: Vec<Local>,
    /// Where each local state is written.
    pub(super) spans: Vec<Span>,
    by_key: HashMap<String, u32>,
    terms: Vec<Term<'a>>,
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Sequential<'a> {
    pub(super) fn new(names: Names<'a>, rates: Rates<'a>) -> Self {
        Sequential {
            names,
            rates,
            actions: vec!["tau".into()],
            action_numbers: HashMap::new(),
            locals: Vec::new(),
            spans: Vec::new(),
            by_key: HashMap::new(),
            terms: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The number of an action.
    pub(super) fn action(&mut self, name: &str) -> u32 {
        if let Some(number) = self.action_numbers.get(name) {
            return *number;
        }
        let number = self.actions.len() as u32;
        self.actions.push(name.to_string());
        self.action_numbers.insert(name.to_string(), number);
        number
    }

    /// The local state that a process is.
    pub(super) fn local(&mut self, process: &'a Process) -> u32 {
        let begun = self.terms.len();
        let local = self.intern(Term::Process(process));
        // Each new one asks for those that follow it.
        let mut at = begun;
        while at < self.terms.len() {
            let moves = self.moves(self.terms[at]);
            self.locals[at].moves = moves;
            at += 1;
        }
        local
    }

    fn intern(&mut self, term: Term<'a>) -> u32 {
        let key = self.key(term);
        if let Some(local) = self.by_key.get(&key) {
            return *local;
        }
        let (label, span) = match term {
            Term::Process(Process::Constant(name)) => (name.text.clone(), name.span),
            Term::Process(process) => (print_process(process), process.span()),
            Term::Tail(activities, then) => {
                let whole = Process::Prefix(activities.to_vec(), then.clone().into());
                (print_process(&whole), whole.span())
            }
        };
        let local = self.locals.len() as u32;
        self.by_key.insert(key, local);
        self.locals.push(Local { label, moves: Vec::new() });
        self.spans.push(span);
        self.terms.push(term);
        local
    }

    /// What makes a process the same as another: names, and rates by value. Rates are compared to
    /// twelve digits, so that the noise of reckoning `0.1 + 0.2` makes no second state.
    fn key(&mut self, term: Term<'a>) -> String {
        let mut key = String::new();
        self.write_key(term, &mut key);
        key
    }

    fn write_key(&mut self, term: Term<'a>, key: &mut String) {
        match term {
            Term::Process(Process::Prefix(activities, then)) => {
                self.write_key(Term::Tail(activities, then), key)
            }
            Term::Tail(activities, then) => {
                for activity in activities {
                    let (action, passive, value) = match &activity.rate {
                        Rate::Active(expr) => (&activity.action, "", self.rates.reckon(expr, 0)),
                        Rate::Passive(None, _) => (&activity.action, "T", Some(1.0)),
                        Rate::Passive(Some(w), _) => (&activity.action, "T", self.rates.reckon(w, 0)),
                    };
                    let name = match action {
                        Action::Named(name) => name.text.as_str(),
                        Action::Tau(_) => "",
                    };
                    let _ = write!(key, "{name:?}{passive}{:.11e}.", value.unwrap_or(f64::NAN));
                }
                self.write_key(Term::Process(then), key);
            }
            Term::Process(Process::Choice(all)) => {
                key.push('(');
                for part in all {
                    self.write_key(Term::Process(part), key);
                    key.push('+');
                }
                key.push(')');
            }
            Term::Process(Process::Constant(name)) => {
                let _ = write!(key, "{:?}", name.text);
            }
            // Reported when its activities are asked for.
            Term::Process(other) => {
                let _ = write!(key, "?{}", other.span().start);
            }
        }
    }

    /// The activities of a process, equal ones added.
    fn moves(&mut self, term: Term<'a>) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        let mut chain = Vec::new();
        self.collect(term, &mut chain, &mut found);
        let mut all: Vec<Move> = Vec::with_capacity(found.len());
        for step in found {
            let same = all.iter_mut().find(|m| m.action == step.action && m.to == step.to);
            match (same.map(|m| &mut m.strength), step.strength) {
                (Some(Strength::Active(sum)), Strength::Active(rate)) => *sum += rate,
                (Some(Strength::Passive(sum)), Strength::Passive(weight)) => *sum += weight,
                _ => all.push(step),
            }
        }
        let passive = |m: &Move| matches!(m.strength, Strength::Passive(_));
        if let Some(mixed) =
            all.iter().find(|m| all.iter().any(|n| n.action == m.action && passive(n) != passive(m)))
        {
            let (span, name) = (self.term_span(term), self.actions[mixed.action as usize].clone());
            let message = format!(
                "`{name}` is both active and passive here, so its apparent rate is not defined; make all of its rates \
                 active or all passive"
            );
            self.report("mixed", span, message);
        }
        all
    }

    fn term_span(&self, term: Term<'a>) -> Span {
        match term {
            Term::Process(Process::Constant(name)) => name.span,
            Term::Process(process) => process.span(),
            Term::Tail(activities, then) => {
                activities.first().map_or(then.span(), |a| a.span.to(then.span()))
            }
        }
    }

    fn collect(&mut self, term: Term<'a>, chain: &mut Vec<&'a str>, into: &mut Vec<Move>) {
        match term {
            Term::Process(Process::Prefix(activities, then)) => {
                self.collect(Term::Tail(activities, then), chain, into)
            }
            Term::Tail([activity, rest @ ..], then) => {
                let next = if rest.is_empty() { Term::Process(then) } else { Term::Tail(rest, then) };
                self.activity(activity, next, into);
            }
            Term::Tail([], then) => self.collect(Term::Process(then), chain, into),
            Term::Process(Process::Choice(all)) => {
                for part in all {
                    self.collect(Term::Process(part), chain, into);
                }
            }
            Term::Process(Process::Constant(name)) => self.constant(name, chain, into),
            Term::Process(other) => {
                let message = "a cooperation, an array or hidden actions cannot follow an activity or stand in a choice: \
                               sequential components are put together only in the system equation (or in a name that is \
                               used there)";
                self.report("composite", other.span(), message.into());
            }
        }
    }

    fn constant(&mut self, name: &'a Name, chain: &mut Vec<&'a str>, into: &mut Vec<Move>) {
        if self.names.is_stop(&name.text) {
            return;
        }
        if self.names.is_composite(&name.text) {
            let message = format!(
                "`{}` is a cooperation and cannot follow an activity or stand in a choice; use it in the system equation",
                name.text
            );
            return self.report("composite", name.span, message);
        }
        if chain.contains(&name.text.as_str()) || chain.len() > CHAIN {
            let message = format!(
                "`{}` leads back to itself without an activity in between (unguarded recursion); put an activity before it",
                name.text
            );
            return self.report("unguarded", name.span, message);
        }
        if let Some(body) = self.names.get(name) {
            chain.push(&name.text);
            self.collect(Term::Process(body), chain, into);
            chain.pop();
        }
    }

    fn activity(&mut self, activity: &'a Activity, next: Term<'a>, into: &mut Vec<Move>) {
        let strength = match &activity.rate {
            Rate::Active(expr) => self.rates.positive(expr, "rate").map(Strength::Active),
            Rate::Passive(None, _) => Some(Strength::Passive(1.0)),
            Rate::Passive(Some(weight), _) => self.rates.positive(weight, "weight").map(Strength::Passive),
        };
        let action = match &activity.action {
            Action::Named(name) => self.action(&name.text),
            Action::Tau(_) => TAU,
        };
        if action == TAU && matches!(activity.rate, Rate::Passive(..)) {
            let message = "`tau` has no partner to wait for: give it a rate";
            self.report("tau", activity.span, message.into());
        }
        let to = self.intern(next);
        into.push(Move { action, strength: strength.unwrap_or(Strength::Active(1.0)), to });
    }

    pub(super) fn report(&mut self, kind: &'static str, span: Span, message: String) {
        let problem = Diagnostic::error(kind, span.range(), message);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}
