//! How fast populations flow from one local state to another.

use super::copies;
use crate::model::{System, TAU, Tree};
use crate::space::cooperate;

/// Activities of one action: from which population to which, and the rate of one component
/// (negative: the weight of a passive one).
#[derive(Debug, Clone)]
enum Flow {
    Leaf(Vec<(usize, usize, f64)>),
    Any(Vec<Flow>),
    All(Vec<Flow>),
}

/// All flows of a system.
#[derive(Debug, Clone)]
pub(super) struct Flows {
    roots: Vec<(u32, Flow)>,
    /// The local state of each population.
    pub(super) variables: Vec<u32>,
}

impl Flows {
    /// The flows of a tree, and the populations at the beginning.
    pub(super) fn of(system: &System, tree: &Tree) -> (Flows, Vec<f64>) {
        let mut builder = Builder { system, roots: Vec::new(), variables: Vec::new(), begin: Vec::new() };
        let top = builder.node(tree);
        builder.roots.extend(top);
        let Builder { roots, variables, begin, .. } = builder;
        (Flows { roots, variables }, begin)
    }

    /// The actions that happen, ascending.
    pub(super) fn actions(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.roots.iter().map(|(a, _)| *a).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How fast each population changes.
    pub(super) fn derivative(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (_, flow) in &self.roots {
            let rate = flow.apparent(x);
            if rate > 0.0 {
                flow.spread(rate, x, out);
            }
        }
    }

    /// How often each action happens.
    pub(super) fn throughputs(&self, x: &[f64], out: &mut [f64]) {
        for (action, flow) in &self.roots {
            out[*action as usize] += flow.apparent(x).max(0.0);
        }
    }
}

impl Flow {
    /// The apparent rate; negative if passive.
    fn apparent(&self, x: &[f64]) -> f64 {
        match self {
            Flow::Leaf(steps) => steps.iter().map(|(from, _, rate)| x[*from].max(0.0) * rate).sum(),
            Flow::Any(all) => all.iter().map(|f| f.apparent(x)).sum(),
            Flow::All(all) => {
                let (mut active, mut passive) = (f64::INFINITY, f64::INFINITY);
                let mut present = 1.0f64;
                for flow in all {
                    let rate = flow.apparent(x);
                    if rate == 0.0 {
                        return 0.0;
                    }
                    if rate > 0.0 {
                        active = active.min(rate);
                    } else {
                        passive = passive.min(-rate);
                        // With less than one partner the action is blocked part of the time.
                        present = present.min(flow.number(x));
                    }
                }
                if active.is_finite() { active * present } else { -passive }
            }
        }
    }

    /// How many components can take part.
    fn number(&self, x: &[f64]) -> f64 {
        match self {
            Flow::Leaf(steps) => {
                let mut counted: Vec<usize> = steps.iter().map(|(from, ..)| *from).collect();
                counted.sort_unstable();
                counted.dedup();
                counted.into_iter().map(|from| x[from].max(0.0)).sum()
            }
            Flow::Any(all) => all.iter().map(|f| f.number(x)).sum(),
            Flow::All(all) => all.iter().map(|f| f.number(x)).fold(f64::INFINITY, f64::min),
        }
    }

    /// Lets so much flow, shared as the activities' rates or weights are.
    fn spread(&self, rate: f64, x: &[f64], out: &mut [f64]) {
        match self {
            Flow::Leaf(steps) => {
                let whole = self.apparent(x);
                for (from, to, own) in steps {
                    let flow = rate * (x[*from].max(0.0) * own / whole);
                    out[*from] -= flow;
                    out[*to] += flow;
                }
            }
            Flow::Any(all) => {
                let whole = self.apparent(x);
                for flow in all {
                    let own = flow.apparent(x);
                    if own != 0.0 {
                        flow.spread(rate * own / whole, x, out);
                    }
                }
            }
            Flow::All(all) => all.iter().for_each(|f| f.spread(rate, x, out)),
        }
    }
}

struct Builder<'a> {
    system: &'a System,
    roots: Vec<(u32, Flow)>,
    variables: Vec<u32>,
    begin: Vec<f64>,
}

impl Builder<'_> {
    fn node(&mut self, tree: &Tree) -> Vec<(u32, Flow)> {
        match tree {
            Tree::Leaf(_) | Tree::Array(..) => self.leaf(tree),
            Tree::Cooperation(set, parts) => {
                let parts = parts.iter().map(|p| self.node(p)).collect();
                cooperate(set, parts, Flow::Any, Flow::All)
            }
            Tree::Hiding(set, inner) => {
                let (hidden, kept): (Vec<_>, Vec<_>) =
                    self.node(inner).into_iter().partition(|(a, _)| set.binary_search(a).is_ok());
                self.roots.extend(hidden.into_iter().map(|(_, flow)| (TAU, flow)));
                kept
            }
        }
    }

    fn leaf(&mut self, tree: &Tree) -> Vec<(u32, Flow)> {
        let (local, number) = copies(tree);
        let locals = self.system.reachable(local);
        let base = self.variables.len();
        self.variables.extend(&locals);
        self.begin.extend(locals.iter().map(|l| if *l == local { number } else { 0.0 }));
        let flows = self.system.by_action(&locals).into_iter().map(|(action, steps)| {
            let steps = steps.into_iter().map(|(from, to, rate)| (base + from, base + to, rate));
            (action, Flow::Leaf(steps.collect()))
        });
        let (silent, kept): (Vec<_>, Vec<_>) = flows.partition(|(action, _)| *action == TAU);
        self.roots.extend(silent);
        kept
    }
}
