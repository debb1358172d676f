//! What can happen in a state, and how fast: the semantics of PEPA.
//!
//! Components that cooperate on an action share its apparent rate (Hillston, *A Compositional
//! Approach to Performance Modelling*, 1996, section 3.3.4): each combination of their
//! activities gets r₁/rₐ(P) · r₂/rₐ(Q) · min(rₐ(P), rₐ(Q)). A passive rate is larger than any
//! active one, and two of them compare by weight.

use super::guards::{Allowed, Guards};
use super::near::{Gather, Memos};
use super::rules::{Root, Rule, may_coincide};

/// A change that can happen: its rate (negative: the weight of a passive one) and what it adds to
/// each word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<const W: usize> {
    pub(crate) rate: f64,
    pub(crate) delta: [u64; W],
}

/// One that happens: the action as it is seen, the rate, the state that follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Successor<const W: usize> {
    pub(crate) action: u32,
    pub(crate) rate: f64,
    pub(crate) state: [u64; W],
}

/// All rules of a system, ready to be applied.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) roots: Vec<Root>,
    guards: Guards,
    /// Whether equal changes must be added ([`may_coincide`]).
    pub(crate) coincide: bool,
}

impl Rules {
    pub(crate) fn of(roots: Vec<Root>) -> Rules {
        let (guards, coincide) = (Guards::of(&roots), may_coincide(&roots));
        let mut gather = Gather::default();
        let gathered = |root: Root| Root { rule: gather.rule(root.rule), ..root };
        Rules { roots: roots.into_iter().map(gathered).collect(), guards, coincide }
    }
}

/// Space to work in.
#[derive(Debug, Default)]
pub(crate) struct Scratch<const W: usize> {
    changes: Vec<Change<W>>,
    marks: Vec<u64>,
    allowed: Allowed,
    memos: Memos,
}

/// Why the model means nothing in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The action is passive and has no partner.
    Unpartnered(u32),
    /// The action is active in some components and passive in others that stand for one partner.
    Mixed(u32),
}

/// More of anything than this are not looked through one by one.
const FEW: usize = 24;

/// Finds all that can happen in `state` and appends it to `out`, equal changes added if `coincide` says so. Allocates
/// only to let `scratch` and `out` grow.
pub(crate) fn successors<const W: usize>(
    rules: &Rules,
    coincide: bool,
    state: &[u64; W],
    scratch: &mut Scratch<W>,
    out: &mut Vec<Successor<W>>,
) -> Result<(), Fault> {
    let begin = out.len();
    let Scratch { changes, marks, allowed, memos } = scratch;
    rules.guards.each(state, marks, allowed, |at| {
        let root = &rules.roots[at];
        changes.clear();
        let (apparent, last) = match &root.rule {
            Rule::All(all) => prepare(all, state, changes, memos),
            rule => (evaluate(rule, state, changes, memos), None),
        };
        if changes.is_empty() {
            return Ok(());
        }
        if apparent.is_nan() {
            return Err(Fault::Mixed(root.performed));
        }
        if apparent < 0.0 {
            return Err(Fault::Unpartnered(root.performed));
        }
        let action = root.action;
        let Some((middle, share)) = last else {
            out.extend(changes.iter().map(|change| {
                let state = add(state, &change.delta);
                Successor { action, rate: change.rate, state }
            }));
            return Ok(());
        };
        let (left, right) = changes.split_at(middle);
        for one in left {
            let state = add(state, &one.delta);
            out.extend(right.iter().map(|other| {
                let rate = one.rate * other.rate * share;
                Successor { action, rate, state: add(&state, &other.delta) }
            }));
        }
        Ok(())
    })?;
    if coincide {
        merge(out, begin);
    }
    Ok(())
}

pub(crate) fn add<const W: usize>(state: &[u64; W], delta: &[u64; W]) -> [u64; W] {
    let mut sum = *state;
    for (s, d) in sum.iter_mut().zip(delta) {
        *s = s.wrapping_add(*d);
    }
    sum
}

/// Adds what leads to the same state by the same action.
pub(crate) fn merge<const W: usize>(out: &mut Vec<Successor<W>>, begin: usize) {
    if out.len() - begin > FEW {
        out[begin..].sort_by_key(|s| (s.action, s.state));
        let mut kept = begin;
        for at in begin + 1..out.len() {
            if (out[kept].action, out[kept].state) == (out[at].action, out[at].state) {
                out[kept].rate += out[at].rate;
            } else {
                kept += 1;
                out[kept] = out[at];
            }
        }
        out.truncate(kept + 1);
        return;
    }
    let mut kept = begin;
    for at in begin..out.len() {
        let new = out[at];
        match out[begin..kept].iter_mut().find(|s| s.state == new.state && s.action == new.action) {
            Some(same) => same.rate += new.rate,
            None => {
                out[kept] = new;
                kept += 1;
            }
        }
    }
    out.truncate(kept);
}

/// The changes that a rule allows, appended to `out`; gives their apparent rate: negative if
/// passive, 0 if there are none, not a number if some are active and some passive.
pub(crate) fn evaluate<const W: usize>(
    rule: &Rule,
    state: &[u64; W],
    out: &mut Vec<Change<W>>,
    memos: &mut Memos,
) -> f64 {
    match rule {
        Rule::Near(near) => near.evaluate(state, out, memos),
        Rule::One(field, by_local) => {
            let at = (state[field.word as usize] >> field.shift) & field.mask;
            // Few enough to be looked through are the rule.
            let found = match by_local.len() {
                ..=FEW => by_local.iter().find(|(from, ..)| u64::from(*from) == at),
                _ => by_local
                    .binary_search_by_key(&at, |(from, ..)| u64::from(*from))
                    .ok()
                    .map(|f| &by_local[f]),
            };
            let Some((_, apparent, steps)) = found else { return 0.0 };
            for step in steps {
                let mut delta = [0; W];
                delta[step.word as usize] = step.delta;
                out.push(Change { rate: step.rate, delta });
            }
            *apparent
        }
        Rule::Count(field, apparent, steps) => {
            let count = (state[field.word as usize] >> field.shift) & field.mask;
            if count == 0 {
                return 0.0;
            }
            for step in steps {
                if step.rate == 0.0 {
                    if let Some(last) = out.last_mut() {
                        last.delta[step.word as usize] = step.delta;
                    }
                    continue;
                }
                let mut delta = [0; W];
                delta[step.word as usize] = step.delta;
                out.push(Change { rate: step.rate * count as f64, delta });
            }
            *apparent * count as f64
        }
        Rule::Any(all) => {
            let mut sum = 0.0;
            for rule in all {
                let apparent = evaluate(rule, state, out, memos);
                if sum * apparent < 0.0 {
                    sum = f64::NAN;
                } else {
                    sum += apparent;
                }
            }
            sum
        }
        Rule::All(all) => {
            let begin = out.len();
            let (apparent, last) = prepare(all, state, out, memos);
            if let Some((middle, share)) = last {
                combine(out, begin, middle, share);
            }
            apparent
        }
    }
}

/// All rules of a cooperation at once, but for the last, whose changes begin at the place given and are to be combined with
/// those before, which [`combine`] does with the share given. Nothing is appended if one of them allows nothing.
fn prepare<const W: usize>(
    all: &[Rule],
    state: &[u64; W],
    out: &mut Vec<Change<W>>,
    memos: &mut Memos,
) -> (f64, Option<(usize, f64)>) {
    let begin = out.len();
    let mut apparent = 0.0;
    let mut last = None;
    for (at, rule) in all.iter().enumerate() {
        if let Some((middle, share)) = last.take() {
            combine(out, begin, middle, share);
        }
        let middle = out.len();
        let other = evaluate(rule, state, out, memos);
        if out.len() == middle {
            out.truncate(begin);
            return (0.0, None);
        }
        if at == 0 {
            apparent = other;
            continue;
        }
        let least = minimum(apparent, other);
        // Signs cancel: what is left has the sign of the minimum.
        last = Some((middle, least / (apparent * other)));
        apparent = least;
    }
    (apparent, last)
}

/// The smaller apparent rate, where any active one is smaller than any passive one.
fn minimum(a: f64, b: f64) -> f64 {
    match (a > 0.0, b > 0.0) {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        (true, true) => a.min(b),
        (true, false) => a,
        (false, true) => b,
        // The smaller weight.
        (false, false) => a.max(b),
    }
}

/// Replaces the changes from `begin` by all combinations of those before and after `middle`.
fn combine<const W: usize>(out: &mut Vec<Change<W>>, begin: usize, middle: usize, share: f64) {
    let end = out.len();
    if end - middle == 1 {
        let right = out[middle];
        out.truncate(middle);
        for left in &mut out[begin..] {
            left.rate *= right.rate * share;
            left.delta = add(&left.delta, &right.delta);
        }
        return;
    }
    for l in begin..middle {
        for r in middle..end {
            let (left, right) = (out[l], out[r]);
            out.push(Change { rate: left.rate * right.rate * share, delta: add(&left.delta, &right.delta) });
        }
    }
    out.drain(begin..end);
}
