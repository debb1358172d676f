//! A system of sequential components.

use std::collections::HashMap;

/// The number of the silent action τ.
pub const TAU: u32 = 0;

/// How strongly an activity is pushed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// A rate: so many a unit of time.
    Active(f64),
    /// The weight of a passive rate.
    Passive(f64),
}

/// One activity of a local state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// The action, an index into [`System::actions`].
    pub action: u32,
    /// The rate, that of equal activities added.
    pub strength: Strength,
    /// The local state that follows, an index into [`System::locals`].
    pub to: u32,
}

/// Activities of one action: from, to, rate.
pub(crate) type Steps = Vec<(usize, usize, f64)>;

/// A state of a sequential component.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// The constant that it is, or the process as it is written.
    pub label: String,
    /// Its activities.
    pub moves: Vec<Move>,
}

/// How components are put together.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A sequential component that begins in this local state.
    Leaf(u32),
    /// So many copies of one, side by side.
    Array(u32, u32),
    /// Components that cooperate on the same actions (sorted).
    Cooperation(Vec<u32>, Vec<Tree>),
    /// A component of which these actions (sorted) are hidden.
    Hiding(Vec<u32>, Box<Tree>),
}

/// A model, compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// The names of actions; [`TAU`] is the first.
    pub actions: Vec<String>,
    /// The local states of all components.
    pub locals: Vec<Local>,
    /// The components.
    pub tree: Tree,
}

impl System {
    /// The local states that can be reached from one, itself first, in the order of a search by
    /// breadth.
    pub fn reachable(&self, from: u32) -> Vec<u32> {
        reachable(&self.locals, from)
    }

    /// For each local state its place among `locals`, which hold all that can be reached from them.
    pub(crate) fn places(&self, locals: &[u32]) -> Vec<usize> {
        let mut places = vec![0; self.locals.len()];
        locals.iter().enumerate().for_each(|(at, local)| places[*local as usize] = at);
        places
    }

    /// The labels of some local states, each once, in the order in which they come, and for each local state the place of its
    /// label: different components may have states that are called alike. Cost: linear.
    pub(crate) fn labelled(&self, locals: impl Iterator<Item = u32>) -> (Vec<String>, Vec<usize>) {
        let mut labels: Vec<String> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let places = locals.map(|local| {
            let label = &self.locals[local as usize].label;
            *known.entry(label).or_insert_with(|| {
                labels.push(label.clone());
                labels.len() - 1
            })
        });
        let places = places.collect();
        (labels, places)
    }

    /// The activities of some local states by action, ascending: from which to which of them, and the rate
    /// (negative: the weight of a passive one).
    pub(crate) fn by_action(&self, locals: &[u32]) -> Vec<(u32, Steps)> {
        let places = self.places(locals);
        let mut by_action: Vec<(u32, Steps)> = Vec::new();
        for (from, local) in locals.iter().enumerate() {
            for step in &self.locals[*local as usize].moves {
                let rate = match step.strength {
                    Strength::Active(rate) => rate,
                    Strength::Passive(weight) => -weight,
                };
                let to = places[step.to as usize];
                match by_action.binary_search_by_key(&step.action, |(a, _)| *a) {
                    Ok(at) => by_action[at].1.push((from, to, rate)),
                    Err(at) => by_action.insert(at, (step.action, vec![(from, to, rate)])),
                }
            }
        }
        by_action
    }

    /// The actions that a part of the system can ever perform on its own, sorted, without τ.
    pub fn alphabet(&self, tree: &Tree) -> Vec<u32> {
        alphabet(&self.locals, tree)
    }
}

/// [`System::reachable`] of local states alone.
fn reachable(locals: &[Local], from: u32) -> Vec<u32> {
    let mut seen = vec![false; locals.len()];
    seen[from as usize] = true;
    let mut order = vec![from];
    let mut at = 0;
    while let Some(&local) = order.get(at) {
        for step in &locals[local as usize].moves {
            if !std::mem::replace(&mut seen[step.to as usize], true) {
                order.push(step.to);
            }
        }
        at += 1;
    }
    order
}

/// [`System::alphabet`] of local states alone.
pub(super) fn alphabet(locals: &[Local], tree: &Tree) -> Vec<u32> {
    let mut all: Vec<u32> = match tree {
        Tree::Leaf(local) | Tree::Array(local, _) => reachable(locals, *local)
            .into_iter()
            .flat_map(|l| locals[l as usize].moves.iter().map(|m| m.action))
            .filter(|a| *a != TAU)
            .collect(),
        Tree::Cooperation(_, parts) => parts.iter().flat_map(|p| alphabet(locals, p)).collect(),
        Tree::Hiding(set, inner) => {
            let mut all = alphabet(locals, inner);
            all.retain(|a| set.binary_search(a).is_err());
            all
        }
    };
    all.sort_unstable();
    all.dedup();
    all
}
