//! What processes are called, and whether a name stands for a sequential component.

use std::collections::HashMap;

use super::close;
use crate::syntax::{Definition, Diagnostic, Model, Name, Process};

/// The definitions of processes.
pub(super) struct Names<'a> {
    by_name: HashMap<&'a str, &'a Definition<Process>>,
    composite: HashMap<&'a str, bool>,
    pub(super) problems: Vec<Diagnostic>,
}

/// The process without activities that ipc predefines.
pub(super) const STOP: &str = "Stop";

impl<'a> Names<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let mut names = Names { by_name: HashMap::new(), composite: HashMap::new(), problems: Vec::new() };
        for process in &model.processes {
            let name = process.name.text.as_str();
            if names.by_name.contains_key(name) {
                let message =
                    format!("the process `{name}` is defined already; put both behaviours into one choice");
                names.problems.push(Diagnostic::error("duplicate", process.name.span.range(), message));
            } else {
                names.by_name.insert(name, process);
            }
        }
        names.find_composite(model);
        names
    }

    /// A name is of a composite process if its definition is one, or is the name of one.
    fn find_composite(&mut self, model: &'a Model) {
        loop {
            let mut changed = false;
            for process in &model.processes {
                let is = match &process.body {
                    Process::Cooperation(..) | Process::Hiding(..) | Process::Array(..) => true,
                    Process::Constant(other) => self.is_composite(&other.text),
                    Process::Prefix(..) | Process::Choice(_) => false,
                };
                changed |= is && self.composite.insert(&process.name.text, true).is_none();
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether a name stands for more than a sequential component.
    pub(super) fn is_composite(&self, name: &str) -> bool {
        self.composite.contains_key(name)
    }

    /// The process that a name stands for; none, which is reported, if there is none.
    pub(super) fn get(&mut self, name: &Name) -> Option<&'a Process> {
        if let Some(found) = self.by_name.get(name.text.as_str()) {
            return Some(&found.body);
        }
        let advice = match close(&name.text, self.by_name.keys().copied()) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "define it above the system equation".to_string(),
        };
        let message = format!("there is no process `{}`; {advice}", name.text);
        let problem = Diagnostic::error("undefined", name.span.range(), message);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        None
    }

    /// Whether a name is of the process that does nothing.
    pub(super) fn is_stop(&self, name: &str) -> bool {
        name == STOP && !self.by_name.contains_key(STOP)
    }
}
