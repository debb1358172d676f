//! What can happen, action by action: the cooperation tree cut down to who takes part.
//!
//! For each action (and each place where one is hidden) only the components that can perform it
//! are left, below nodes that say whether one of them does it alone or all of them together. A
//! local activity is a number to be added to a word of the packed state, made here once.

use super::layout::{Field, Layout};
use super::near::Near;
use crate::model::{Strength, System, TAU, Tree};

/// What a local activity does: its rate (negative: the weight of a passive one) and what it adds
/// to a word of the state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) rate: f64,
    pub(crate) word: u32,
    pub(crate) delta: u64,
}

/// Who does it.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// A single component: the local states that it has steps in, ascending, with their apparent rate.
    One(Field, Vec<(u32, f64, Vec<Step>)>),
    /// The copies of an array that are in one local state.
    Count(Field, f64, Vec<Step>),
    /// Any one of these.
    Any(Vec<Rule>),
    /// All of these together.
    All(Vec<Rule>),
    /// Single components that are looked up together.
    Near(Box<Near>),
}

/// What can happen without a partner further up.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// As which action it is seen.
    pub(crate) action: u32,
    /// The action before it was hidden.
    pub(crate) performed: u32,
    pub(crate) rule: Rule,
}

/// All rules of a system.
pub(crate) fn rules(system: &System, tree: &Tree, layout: &Layout) -> Vec<Root> {
    let mut builder = Builder { system, layout, part: 0, roots: Vec::new() };
    let tops = builder.node(tree);
    for (action, rule) in tops {
        builder.root(action, action, rule);
    }
    let mut roots = builder.roots;
    roots.sort_by_key(|r| r.action);
    roots
}

/// Whether two changes can lead to the same state by the same action, so that they must be added: where two
/// alternatives change nothing, or one action is hidden in several places or beside τ. All other alternatives change something that
/// no other one does, and a component's steps from one local state lead to different ones.
pub(crate) fn may_coincide(roots: &[Root]) -> bool {
    let hidden_twice = roots.iter().filter(|r| r.action == TAU).count() > 1;
    // Alternatives at the top are roots of one action, side by side.
    let idle_twice = |of: &[Root]| of.iter().filter(|r| may_idle(&r.rule)).count() > 1;
    hidden_twice
        || roots.chunk_by(|a, b| a.action == b.action).any(idle_twice)
        || roots.iter().any(|r| idles_twice(&r.rule))
}

/// Whether a rule may allow a change that changes nothing.
fn may_idle(rule: &Rule) -> bool {
    match rule {
        Rule::One(_, by_local) => by_local.iter().any(|(_, _, steps)| steps.iter().any(|s| s.delta == 0)),
        Rule::Count(_, _, steps) => steps.iter().any(|s| s.delta == 0),
        Rule::Any(all) => all.iter().any(may_idle),
        Rule::All(all) => all.iter().all(may_idle),
        Rule::Near(_) => true,
    }
}

/// Whether two alternatives within a rule may change nothing.
fn idles_twice(rule: &Rule) -> bool {
    match rule {
        Rule::One(..) | Rule::Count(..) => false,
        Rule::Any(all) => all.iter().filter(|r| may_idle(r)).count() > 1 || all.iter().any(idles_twice),
        Rule::All(all) => all.iter().any(idles_twice),
        Rule::Near(_) => true,
    }
}

struct Builder<'a> {
    system: &'a System,
    layout: &'a Layout,
    /// The next leaf.
    part: usize,
    roots: Vec<Root>,
}

impl Builder<'_> {
    /// The rules of a subtree, one an action, sorted by it. What has become silent is a root already.
    fn node(&mut self, tree: &Tree) -> Vec<(u32, Rule)> {
        match tree {
            Tree::Leaf(_) => self.leaf(),
            Tree::Array(..) => self.array(),
            Tree::Cooperation(set, parts) => {
                let parts: Vec<Vec<(u32, Rule)>> = parts.iter().map(|p| self.node(p)).collect();
                cooperate(set, parts, Rule::Any, Rule::All)
            }
            Tree::Hiding(set, inner) => {
                let mut kept = Vec::new();
                for (action, rule) in self.node(inner) {
                    if set.binary_search(&action).is_ok() {
                        self.root(TAU, action, rule);
                    } else {
                        kept.push((action, rule));
                    }
                }
                kept
            }
        }
    }

    /// Alternatives at the top need not know of each other.
    fn root(&mut self, action: u32, performed: u32, rule: Rule) {
        match rule {
            Rule::Any(all) => all.into_iter().for_each(|rule| self.root(action, performed, rule)),
            rule => self.roots.push(Root { action, performed, rule }),
        }
    }

    fn leaf(&mut self) -> Vec<(u32, Rule)> {
        let part = &self.layout.parts[self.part];
        self.part += 1;
        let field = part.fields[0];
        let places = self.system.places(&part.locals);
        let mut rules = Vec::new();
        for (action, froms) in actions(self.system, &part.locals) {
            let by_local = froms.into_iter().map(|from| {
                let (apparent, steps) = steps(self.system, part.locals[from], action, |to| {
                    let to = places[to as usize];
                    (field.word, field.delta(from as u64, to as u64))
                });
                (from as u32, apparent, steps)
            });
            rules.push((action, Rule::One(field, by_local.collect())));
        }
        self.silent(rules)
    }

    fn array(&mut self) -> Vec<(u32, Rule)> {
        let part = &self.layout.parts[self.part];
        self.part += 1;
        let places = self.system.places(&part.locals);
        let mut rules = Vec::new();
        for (action, froms) in actions(self.system, &part.locals) {
            let mut any = Vec::new();
            for from in froms {
                let source = part.fields[from];
                let mut all = Vec::new();
                let (apparent, steps) = steps(self.system, part.locals[from], action, |to| {
                    let to = places[to as usize];
                    let target = part.fields[to];
                    let down = if to == from { 0 } else { source.delta(1, 0) };
                    let up = if to == from { 0 } else { target.delta(0, 1) };
                    all.push((source.word, down, target.word, up));
                    (source.word, down)
                });
                any.push(count_rule(source, apparent, steps, &all));
            }
            rules.push((action, if any.len() == 1 { any.remove(0) } else { Rule::Any(any) }));
        }
        self.silent(rules)
    }

    /// Takes out what is silent: nobody takes part in it.
    fn silent(&mut self, rules: Vec<(u32, Rule)>) -> Vec<(u32, Rule)> {
        let mut kept = Vec::new();
        for (action, rule) in rules {
            if action == TAU {
                self.root(TAU, TAU, rule);
            } else {
                kept.push((action, rule));
            }
        }
        kept
    }
}

/// A step of a copy changes two fields, which may lie in two words; one step holds one word, so
/// the second change is put into a step of its own that follows at once with rate 0.
fn count_rule(source: Field, apparent: f64, steps: Vec<Step>, changes: &[(u32, u64, u32, u64)]) -> Rule {
    let mut paired = Vec::with_capacity(steps.len() * 2);
    for (step, (word, down, other, up)) in steps.into_iter().zip(changes) {
        if word == other {
            paired.push(Step { delta: down.wrapping_add(*up), ..step });
        } else {
            paired.push(step);
            paired.push(Step { rate: 0.0, word: *other, delta: *up });
        }
    }
    Rule::Count(source, apparent, paired)
}

/// The actions of some local states, sorted, and in which of them each is possible.
fn actions(system: &System, locals: &[u32]) -> Vec<(u32, Vec<usize>)> {
    let mut all: Vec<(u32, usize)> = Vec::new();
    for (from, local) in locals.iter().enumerate() {
        all.extend(system.locals[*local as usize].moves.iter().map(|m| (m.action, from)));
    }
    all.sort_unstable();
    all.dedup();
    all.chunk_by(|a, b| a.0 == b.0).map(|of| (of[0].0, of.iter().map(|(_, from)| *from).collect())).collect()
}

/// The steps of one action in a local state, with their apparent rate.
fn steps(
    system: &System,
    local: u32,
    action: u32,
    mut change: impl FnMut(u32) -> (u32, u64),
) -> (f64, Vec<Step>) {
    let mut apparent = 0.0;
    let mut all = Vec::new();
    for step in system.locals[local as usize].moves.iter().filter(|m| m.action == action) {
        let rate = match step.strength {
            Strength::Active(rate) => rate,
            Strength::Passive(weight) => -weight,
        };
        let (word, delta) = change(step.to);
        apparent += rate;
        all.push(Step { rate, word, delta });
    }
    (apparent, all)
}

/// Puts the parts of a cooperation together: for each action, who takes part, alone or all at once.
pub(crate) fn cooperate<R>(
    set: &[u32],
    parts: Vec<Vec<(u32, R)>>,
    any: fn(Vec<R>) -> R,
    all: fn(Vec<R>) -> R,
) -> Vec<(u32, R)> {
    let count = parts.len();
    let mut by_action: Vec<(u32, Vec<R>)> = Vec::new();
    for (action, rule) in parts.into_iter().flatten() {
        match by_action.binary_search_by_key(&action, |(a, _)| *a) {
            Ok(at) => by_action[at].1.push(rule),
            Err(at) => by_action.insert(at, (action, vec![rule])),
        }
    }
    let mut rules = Vec::new();
    for (action, mut those) in by_action {
        if set.binary_search(&action).is_ok() {
            // Whoever must take part but never can blocks it for good.
            if those.len() == count {
                rules.push((action, all(those)));
            }
        } else if those.len() == 1 {
            rules.push((action, those.remove(0)));
        } else {
            rules.push((action, any(those)));
        }
    }
    rules
}
