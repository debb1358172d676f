//! Definitions that nothing uses, and components that go nowhere.

use std::collections::{HashMap, HashSet};

use crate::chain::strong;
use crate::model::{Compiled, System, Tree};
use crate::syntax::{Action, Activity, Diagnostic, Dialect, Model, Process};

/// Rates and processes that the system does not need, and names as only some tools read them.
pub(super) fn unused(model: &Model, compiled: &Compiled, dialect: Dialect) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    let used: HashSet<&str> = compiled.used.iter().map(String::as_str).collect();
    for rate in &model.rates {
        let name = rate.name.text.as_str();
        if !used.contains(name) {
            let message = format!("the rate `{name}` is not used; take it out");
            all.push(Diagnostic::warning("unused", rate.name.span.range(), message));
        }
        if dialect == Dialect::Any && name.starts_with(char::is_uppercase) {
            let message = format!(
                "only the PEPA Workbench reads `{name}` as a rate: others want names of rates to begin in lower case"
            );
            all.push(Diagnostic::warning("case", rate.name.span.range(), message));
        }
    }
    let mut reached: HashSet<&str> = HashSet::new();
    let mut bodies: HashMap<&str, Vec<&Process>> = HashMap::new();
    model.processes.iter().for_each(|p| bodies.entry(&p.name.text).or_default().push(&p.body));
    let mut open = vec![&model.system];
    while let Some(process) = open.pop() {
        names(process, &mut |name| {
            if reached.insert(name) {
                open.extend(bodies.get(name).into_iter().flatten());
            }
        });
    }
    for process in &model.processes {
        let name = process.name.text.as_str();
        if !reached.contains(name) {
            let message =
                format!("the process `{name}` is not part of the system; take it out, or put it in");
            all.push(Diagnostic::warning("unused", process.name.span.range(), message));
        }
    }
    all
}

/// Calls back with every name of a process in a process.
fn names<'a>(process: &'a Process, each: &mut impl FnMut(&'a str)) {
    match process {
        Process::Prefix(_, then) => names(then, each),
        Process::Choice(all) => all.iter().for_each(|p| names(p, each)),
        Process::Cooperation(first, rest) => {
            names(first, each);
            rest.iter().for_each(|(_, p)| names(p, each));
        }
        Process::Hiding(inner, _) | Process::Array(inner, ..) => names(inner, each),
        Process::Constant(name) => each(&name.text),
    }
}

/// Self-loops, and components that leave local states for ever.
pub(super) fn components(model: &Model, compiled: &Compiled) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for process in &model.processes {
        for (activities, then) in prefixes(&process.body) {
            if let (Process::Constant(to), [one]) = (then, activities)
                && to.text == process.name.text
            {
                all.push(self_loop(one, &to.text));
            }
        }
    }
    let Some(system) = &compiled.system else { return all };
    let mut begun = Vec::new();
    leaves(&system.tree, &mut begun);
    begun.sort_unstable();
    begun.dedup();
    let mut told = HashSet::new();
    for begin in begun {
        for local in transient(system, begin) {
            if told.insert(local) {
                let label = &system.locals[local as usize].label;
                let message = format!(
                    "`{label}` is left for ever: nothing leads back to it, so in the long run it is not seen"
                );
                all.push(Diagnostic::warning("transient", compiled.spans[local as usize].range(), message));
            }
        }
    }
    all
}

fn self_loop(activity: &Activity, name: &str) -> Diagnostic {
    let action = match &activity.action {
        Action::Named(action) => action.text.as_str(),
        Action::Tau(_) => "tau",
    };
    let message = format!(
        "`{action}` leads from `{name}` back to it: it changes no probability, but counts in the throughput of `{action}`"
    );
    Diagnostic::note("self-loop", activity.span.range(), message)
}

/// The rows of activities that a sequential process begins with.
fn prefixes(process: &Process) -> Vec<(&[Activity], &Process)> {
    match process {
        Process::Prefix(activities, then) => vec![(activities, then)],
        Process::Choice(all) => all.iter().flat_map(prefixes).collect(),
        _ => Vec::new(),
    }
}

fn leaves(tree: &Tree, into: &mut Vec<u32>) {
    match tree {
        Tree::Leaf(local) | Tree::Array(local, _) => into.push(*local),
        Tree::Cooperation(_, parts) => parts.iter().for_each(|p| leaves(p, into)),
        Tree::Hiding(_, inner) => leaves(inner, into),
    }
}

/// The local states of a component that something leads away from for ever.
fn transient(system: &System, begin: u32) -> Vec<u32> {
    let all = system.reachable(begin);
    let places = system.places(&all);
    let moves = |at: usize| &system.locals[all[at] as usize].moves;
    let class = strong(all.len(), &|at, step| moves(at).get(step).map(|m| places[m.to as usize] as u32));
    let leaves = |at: &usize| moves(*at).iter().any(|m| class[places[m.to as usize]] != class[*at]);
    let open: HashSet<u32> = (0..all.len()).filter(leaves).map(|at| class[at]).collect();
    (0..all.len()).filter(|at| open.contains(&class[*at])).map(|at| all[at]).collect()
}
