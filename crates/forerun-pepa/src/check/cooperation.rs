//! Cooperation and hiding sets that do nothing, or block something.

use std::collections::{HashMap, HashSet};

use crate::model::{Compiled, Settings, System, compile};
use crate::syntax::{ActionSet, Diagnostic, Model, Name, Process};

/// Goes through the system equation and all cooperations that have names.
pub(super) fn sets(model: &Model, compiled: &Compiled) -> Vec<Diagnostic> {
    let Some(system) = &compiled.system else { return Vec::new() };
    let mut checker = Checker { model, system, known: HashMap::new(), all: Vec::new() };
    checker.process(&model.system);
    for process in &model.processes {
        checker.process(&process.body);
    }
    checker.all
}

struct Checker<'a> {
    model: &'a Model,
    system: &'a System,
    /// The actions of names that were looked at.
    known: HashMap<String, HashSet<String>>,
    all: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn process(&mut self, process: &Process) {
        match process {
            Process::Cooperation(first, rest) => self.cooperation(first, rest),
            Process::Hiding(inner, set) => {
                let can = self.alphabet(inner);
                for name in set {
                    if !can.contains(&name.text) {
                        let message = format!(
                            "nothing performs `{}` here, so there is nothing to hide; take it out",
                            name.text
                        );
                        self.all.push(Diagnostic::warning("hiding", name.span.range(), message));
                    }
                }
                self.process(inner);
            }
            Process::Array(inner, _, set, _) => {
                let can = self.alphabet(inner);
                for name in set.iter().filter(|n| !can.contains(&n.text)) {
                    self.neither(name);
                }
                self.process(inner);
            }
            Process::Prefix(..) | Process::Choice(_) | Process::Constant(_) => {}
        }
    }

    fn cooperation(&mut self, first: &Process, rest: &[(ActionSet, Process)]) {
        let mut left = self.alphabet(first);
        self.process(first);
        let listed = |set: &ActionSet| match set {
            ActionSet::Listed(names) => names.clone(),
            ActionSet::Shared(_) => Vec::new(),
        };
        for (set, process) in rest {
            let right = self.alphabet(process);
            for name in listed(set) {
                match (left.contains(&name.text), right.contains(&name.text)) {
                    (true, true) => {}
                    (false, false) => self.neither(&name),
                    (l, _) => {
                        let side = if l { "right" } else { "left" };
                        let message = format!(
                            "the {side} side never performs `{}`, so the other side never can: take it out of the set, or \
                             let both perform it",
                            name.text
                        );
                        self.all.push(Diagnostic::warning("blocked", name.span.range(), message));
                    }
                }
            }
            left.extend(right);
            self.process(process);
        }
    }

    fn neither(&mut self, name: &Name) {
        let message = format!("neither side performs `{}`; take it out of the set", name.text);
        self.all.push(Diagnostic::warning("redundant", name.span.range(), message));
    }

    /// The actions that a process can ever perform.
    fn alphabet(&mut self, process: &Process) -> HashSet<String> {
        if let Process::Constant(name) = process {
            if let Some(known) = self.known.get(&name.text) {
                return known.clone();
            }
            let found = self.compiled(process);
            self.known.insert(name.text.clone(), found.clone());
            return found;
        }
        self.compiled(process)
    }

    fn compiled(&self, process: &Process) -> HashSet<String> {
        let part = Model { system: process.clone(), ..self.model.clone() };
        let compiled = compile(&part, &Settings::new());
        match compiled.system {
            Some(system) => system
                .alphabet(&system.tree)
                .into_iter()
                .map(|a| system.actions[a as usize].clone())
                .collect(),
            // It compiled as part of the whole.
            None => self.system.actions.iter().cloned().collect(),
        }
    }
}
