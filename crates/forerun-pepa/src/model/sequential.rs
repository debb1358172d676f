//! Sequential components: which local states there are, and what can happen in each.

use std::collections::HashMap;

use super::names::Names;
use super::rates::Rates;
use super::system::{Local, Move, Strength, TAU};
use crate::syntax::{Action, Activity, Diagnostic, Name, Process, Rate, Span, print_process};

/// How many names may stand for names.
const CHAIN: usize = 500;
/// A local state with more activities in a row than this is not written in full.
const LONG: usize = 50;

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
    /// Numbers of what processes are made of, and of rows of activities by where they are written.
    parts: HashMap<String, u32>,
    rows: HashMap<*const Activity, u32>,
    by_key: HashMap<u32, u32>,
    /// Labels that were cut short.
    short: HashMap<String, u32>,
    /// The activities of names that stand where a choice's parts do.
    known: HashMap<&'a str, Vec<Move>>,
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
            parts: HashMap::new(),
            rows: HashMap::new(),
            by_key: HashMap::new(),
            short: HashMap::new(),
            known: HashMap::new(),
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
        let (label, span) = match row(term) {
            Some((activities, then)) if activities.len() > LONG => {
                (self.short(activities, then), activities[0].span.to(then.span()))
            }
            _ => self.label(term),
        };
        let local = self.locals.len() as u32;
        self.by_key.insert(key, local);
        self.locals.push(Local { label, moves: Vec::new() });
        self.spans.push(span);
        self.terms.push(term);
        local
    }

    fn label(&self, term: Term<'a>) -> (String, Span) {
        match term {
            Term::Process(Process::Constant(name)) => (name.text.clone(), name.span),
            Term::Process(process) => (print_process(process), process.span()),
            Term::Tail(activities, then) => {
                let whole = Process::Prefix(activities.to_vec(), then.clone().into());
                (print_process(&whole), whole.span())
            }
        }
    }

    /// The label of a long row of activities: how it begins and ends.
    fn short(&mut self, activities: &[Activity], then: &Process) -> String {
        let ends = Process::Prefix(activities[..1].to_vec(), then.clone().into());
        let label = format!("{} with {} activities between", print_process(&ends), activities.len() - 1);
        let count = self.short.entry(label.clone()).or_default();
        *count += 1;
        if *count == 1 { label } else { format!("{label} #{count}") }
    }

    /// What makes a process the same as another: names, and rates by value. Rates are compared to
    /// twelve digits, so that the noise of reckoning `0.1 + 0.2` makes no second state. Equal ones get the same number.
    fn key(&mut self, term: Term<'a>) -> u32 {
        if let Some((activities, then)) = row(term) {
            return self.row(activities, then);
        }
        let part = match term {
            Term::Process(Process::Choice(all)) => {
                let parts: Vec<u32> = all.iter().map(|part| self.key(Term::Process(part))).collect();
                format!("{parts:?}")
            }
            Term::Process(Process::Constant(name)) => format!("{:?}", name.text),
            // Reported when its activities are asked for.
            Term::Process(other) | Term::Tail(_, other) => format!("?{}", other.span().start),
        };
        self.part(part)
    }

    fn part(&mut self, part: String) -> u32 {
        let next = self.parts.len() as u32;
        *self.parts.entry(part).or_insert(next)
    }

    /// The number of a row of activities: from its end, as far as it is not known yet.
    fn row(&mut self, activities: &'a [Activity], then: &'a Process) -> u32 {
        let known = activities.iter().position(|a| self.rows.contains_key(&std::ptr::from_ref(a)));
        let mut number = match known {
            Some(at) => self.rows[&std::ptr::from_ref(&activities[at])],
            None => self.key(Term::Process(then)),
        };
        for activity in activities[..known.unwrap_or(activities.len())].iter().rev() {
            let (passive, value) = match &activity.rate {
                Rate::Active(expr) => ("", self.rates.reckon(expr, 0)),
                Rate::Passive(None, _) => ("T", Some(1.0)),
                Rate::Passive(Some(w), _) => ("T", self.rates.reckon(w, 0)),
            };
            let name = match &activity.action {
                Action::Named(name) => name.text.as_str(),
                Action::Tau(_) => "",
            };
            number = self.part(format!("{name:?}{passive}{:.11e}.{number}", value.unwrap_or(f64::NAN)));
            self.rows.insert(std::ptr::from_ref(activity), number);
        }
        number
    }

    /// The activities of a process, equal ones added.
    fn moves(&mut self, term: Term<'a>) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        let mut chain = Vec::new();
        self.collect(term, &mut chain, &mut found);
        let all = merged(found);
        let passive = |m: &Move| matches!(m.strength, Strength::Passive(_));
        let mut kinds: HashMap<u32, bool> = HashMap::new();
        if let Some(mixed) = all.iter().find(|m| *kinds.entry(m.action).or_insert(passive(m)) != passive(m)) {
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
        if let Some(known) = self.known.get(name.text.as_str()) {
            into.extend_from_slice(known);
            return;
        }
        if chain.len() > CHAIN {
            let message = format!("more than {CHAIN} names stand for each other here; shorten the chain");
            return self.report("depth", name.span, message);
        }
        if chain.contains(&name.text.as_str()) {
            let message = format!(
                "`{}` leads back to itself without an activity in between (unguarded recursion); put an activity before it",
                name.text
            );
            return self.report("unguarded", name.span, message);
        }
        if let Some(body) = self.names.get(name) {
            chain.push(&name.text);
            let mut own = Vec::new();
            self.collect(Term::Process(body), chain, &mut own);
            chain.pop();
            let own = merged(own);
            into.extend_from_slice(&own);
            self.known.insert(&name.text, own);
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

/// The activities that a term begins with, and what follows them, if it is a row of them.
fn row<'a>(term: Term<'a>) -> Option<(&'a [Activity], &'a Process)> {
    match term {
        Term::Process(Process::Prefix(activities, then)) => Some((activities, then)),
        Term::Tail(activities, then) => Some((activities, then)),
        Term::Process(_) => None,
    }
}

/// Activities with equal ones added, in the order in which they come first.
fn merged(found: Vec<Move>) -> Vec<Move> {
    let mut all: Vec<Move> = Vec::with_capacity(found.len());
    let mut places: HashMap<(u32, u32, bool), usize> = HashMap::new();
    for step in found {
        let passive = matches!(step.strength, Strength::Passive(_));
        let place = *places.entry((step.action, step.to, passive)).or_insert(all.len());
        match (all.get_mut(place).map(|m| &mut m.strength), step.strength) {
            (Some(Strength::Active(sum)), Strength::Active(rate)) => *sum += rate,
            (Some(Strength::Passive(sum)), Strength::Passive(weight)) => *sum += weight,
            _ => all.push(step),
        }
    }
    all
}
