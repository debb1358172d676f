//! The states that a model can be in, and what leads from one to another.

mod chunk;
mod count;
mod explore;
mod fresh;
mod guards;
mod labels;
mod layout;
mod near;
mod recent;
mod rules;
mod span;
mod successors;
mod symmetry;
mod table;
mod walk;

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::time::{Duration, Instant};

pub(crate) use count::Counts;
use explore::{Explored, Stop, explore};
use labels::Numbers;
use layout::{Field, Layout};
pub(crate) use rules::cooperate;
use rules::rules;
pub(crate) use span::{Span, spans};
use successors::{Fault, Rules};
pub(crate) use symmetry::fold as fold_equal;
use symmetry::{Sorting, Symmetry, fold, multinomial};
use table::Folded;
pub(crate) use walk::{Engine, Walker};

use crate::model::System;

/// How to explore.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// Whether one state stands for all that differ only in which of several equal components is where.
    pub aggregate: bool,
    /// The most states to be found.
    pub limit: usize,
    /// Threads.
    pub threads: usize,
}

impl Default for Exploration {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Exploration { aggregate: false, limit: 1 << 30, threads }
    }
}

/// How far an exploration is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// States found.
    pub states: usize,
    /// Of which all transitions are known.
    pub done: usize,
    /// The memory that they take so far, in bytes.
    pub bytes: usize,
}

/// Why there is no state space.
#[derive(Debug, Clone, PartialEq)]
pub enum SpaceError {
    /// There are more states than were allowed.
    TooMany(usize),
    /// There are more than 2³¹ transitions.
    TooManyTransitions,
    /// A state takes more bits than the widest that can be packed.
    TooWide(usize),
    /// A passive action has no partner in a state.
    Unpartnered {
        /// The action.
        action: String,
        /// The state.
        state: String,
    },
    /// An action is active in one component and passive in another, and both stand for one partner.
    Mixed {
        /// The action.
        action: String,
        /// The state.
        state: String,
    },
    /// It was stopped from outside.
    Stopped,
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpaceError::TooMany(limit) => write!(
                f,
                "the model has more than {limit} states; allow more with --states, put equal components together with \
                 --aggregate, or use `fluid` or `simulate`, which need no states"
            ),
            SpaceError::TooManyTransitions => {
                f.write_str("the model has more than 2,147,483,647 transitions; put equal components together with --aggregate")
            }
            SpaceError::TooWide(bits) => {
                write!(f, "a state of the model takes {bits} bits, and at most 4,096 can be packed; write copies of a component as an array, `P[n]`")
            }
            SpaceError::Unpartnered { action, state } => write!(
                f,
                "`{action}` is passive (`infty`) and nobody makes it happen in state ({state}): let it cooperate with a \
                 component that gives it a rate, or give it one"
            ),
            SpaceError::Mixed { action, state } => write!(
                f,
                "`{action}` is active in one component and passive in another beside it in state ({state}), so its \
                 apparent rate is not defined: make it active or passive in all of them"
            ),
            SpaceError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for SpaceError {}

/// A model's states and transitions.
#[derive(Debug, Clone)]
pub struct Space {
    layout: Layout,
    /// What was put together.
    symmetry: Option<Symmetry>,
    /// What could be, and was not.
    orbits: Option<Symmetry>,
    words: Vec<u64>,
    rows: Vec<u32>,
    targets: Vec<u32>,
    labels: Numbers,
    known: Vec<(u32, f64)>,
    table_bytes: usize,
    /// How long it took.
    pub elapsed: Duration,
}

/// One of the numbers that a packed state is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coordinate {
    pub(crate) field: Field,
    /// It is smaller than this.
    pub(crate) values: usize,
    /// Whether it says how many copies of an array are in one local state; else it is a component's local state.
    pub(crate) counts: bool,
}

impl Coordinate {
    /// Its value in a state.
    pub(crate) fn value(&self, state: &[u64]) -> usize {
        self.field.get(state) as usize
    }
}

/// A transition of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transition {
    /// The action, an index into [`System::actions`].
    pub action: u32,
    /// How often it happens a unit of time while the system is in the state.
    pub rate: f64,
    /// The state that follows.
    pub to: u32,
}

impl Space {
    /// Finds all states that can be reached and all transitions between them. The numbers of states do not
    /// depend on the number of threads. `progress` says whether to go on. Cost: time linear in the number of
    /// transitions; [`Space::bytes_per_state`].
    ///
    /// # Errors
    /// That there are too many states, or that the model means nothing in one.
    pub fn explore(
        system: &System,
        how: &Exploration,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Space, SpaceError> {
        let begin = Instant::now();
        let tree = if how.aggregate { fold(system, &system.tree) } else { system.tree.clone() };
        let layout = Layout::of(system, &tree);
        let all = Some(Symmetry::of(&tree, &layout)).filter(|s| !s.is_trivial());
        let (symmetry, orbits) = if how.aggregate { (all, None) } else { (None, all) };
        let rules = Rules::of(rules(system, &tree, &layout));
        let mut run = Run { system, layout, symmetry, orbits, rules, how, progress, begin };
        match run.layout.words {
            1 => run.words::<1>(),
            2 => run.words::<2>(),
            3 => run.words::<3>(),
            4 => run.words::<4>(),
            5..=8 => run.words::<8>(),
            9..=16 => run.words::<16>(),
            17..=64 => run.words::<64>(),
            more => Err(SpaceError::TooWide(more * 64)),
        }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.rows.len() - 1
    }

    /// How many transitions there are: triples of a state, an action and a state.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// A state's transitions.
    pub fn from(&self, state: usize) -> impl Iterator<Item = Transition> + '_ {
        let range = self.rows[state] as usize..self.rows[state + 1] as usize;
        range.map(|at| {
            let (action, rate) = self.known[self.labels.get(at) as usize];
            Transition { action, rate, to: self.targets[at] }
        })
    }

    /// The same, each with the number of its action and rate among [`Space::labels`] only.
    pub(crate) fn labelled(&self, state: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.rows[state] as usize..self.rows[state + 1] as usize;
        range.map(|at| (self.targets[at], self.labels.get(at)))
    }

    /// All pairs of an action and a rate that occur.
    pub(crate) fn labels(&self) -> &[(u32, f64)] {
        &self.known
    }

    /// Which of so many actions happen in any state.
    pub(crate) fn performed(&self, actions: usize) -> Vec<bool> {
        let mut seen = vec![false; actions];
        self.known.iter().for_each(|(action, _)| seen[*action as usize] = true);
        seen
    }

    /// Where a state's `at`-th transition leads.
    pub(crate) fn target(&self, state: usize, at: usize) -> Option<u32> {
        let place = self.rows[state] as usize + at;
        (place < self.rows[state + 1] as usize).then(|| self.targets[place])
    }

    /// The memory that all of this takes, in bytes a state: packed states, hash table, transitions.
    pub fn bytes_per_state(&self) -> f64 {
        let numbers = (self.rows.len() + self.targets.len()) * 4 + self.labels.bytes();
        let bytes = self.words.len() * 8 + self.table_bytes + numbers;
        bytes as f64 / self.states().max(1) as f64
    }

    pub(crate) fn packed(&self, state: usize) -> &[u64] {
        let width = self.words.len() / self.states();
        &self.words[state * width..(state + 1) * width]
    }

    /// All numbers that a packed state is made of.
    pub(crate) fn coordinates(&self) -> Vec<Coordinate> {
        let of = |part: &layout::Part| -> Vec<Coordinate> {
            let values = if part.is_array { part.copies as usize + 1 } else { part.locals.len() };
            part.fields
                .iter()
                .map(|field| Coordinate { field: *field, values, counts: part.is_array })
                .collect()
        };
        self.layout.parts.iter().flat_map(of).collect()
    }

    /// The local state of each component, arrays with the number of copies in each.
    pub fn describe(&self, system: &System, state: usize) -> String {
        describe(system, &self.layout, self.packed(state))
    }

    /// The components: for each the local states that it can be in and the number of copies.
    pub fn components(&self) -> impl Iterator<Item = (&[u32], u32)> + '_ {
        self.layout.parts.iter().map(|p| (p.locals.as_slice(), p.copies))
    }

    /// For a component, in the order of [`components`](Space::components), how many of its copies are in
    /// its `at`-th local state.
    pub fn count(&self, state: usize, component: usize, at: usize) -> u64 {
        self.layout.parts[component].count(at, self.packed(state))
    }

    /// How many states there would be if every copy of an array and every component were told apart: exact as
    /// far as numbers of 53 bits are, infinite beyond 10³⁰⁸. Cost: linear in states times components.
    pub fn distinguished(&self) -> f64 {
        let arrays = |state: &[u64]| -> f64 {
            let arrays = self.layout.parts.iter().filter(|p| p.is_array);
            arrays.map(|p| multinomial(p.fields.iter().map(|f| f.get(state)))).product()
        };
        let exchanged = |state: &[u64]| self.symmetry.as_ref().map_or(1.0, |s| s.permutations(state));
        (0..self.states()).map(|s| arrays(self.packed(s)) * exchanged(self.packed(s))).sum()
    }

    /// The classes of states that differ only in which of several equal components is where: each state's class,
    /// and one member of each. None if no two components are equal, or they are put together already.
    /// The chain in the long run is in each member of a class equally often. Cost: one look-up a state.
    pub fn orbits(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        let symmetry = self.orbits.as_ref()?;
        let mut numbers: HashMap<Box<[u64]>, u32, BuildHasherDefault<Folded>> = HashMap::default();
        let (mut of, mut members) = (Vec::with_capacity(self.states()), Vec::new());
        let mut sorting = Sorting::default();
        let mut state = Vec::new();
        for number in 0..self.states() {
            state.clear();
            state.extend_from_slice(self.packed(number));
            symmetry.canonical(&mut state, &mut sorting);
            let class = match numbers.get(&state[..]) {
                Some(class) => *class,
                None => {
                    let class = members.len() as u32;
                    numbers.insert(state.clone().into(), class);
                    members.push(number as u32);
                    class
                }
            };
            of.push(class);
        }
        Some((of, members))
    }
}

/// An exploration that is about to be run.
struct Run<'a> {
    system: &'a System,
    layout: Layout,
    symmetry: Option<Symmetry>,
    orbits: Option<Symmetry>,
    rules: Rules,
    how: &'a Exploration,
    progress: &'a mut dyn FnMut(Progress) -> bool,
    begin: Instant,
}

impl Run<'_> {
    /// Explores with states of so many words.
    fn words<const W: usize>(&mut self) -> Result<Space, SpaceError> {
        let mut initial = [0; W];
        initial[..self.layout.words].copy_from_slice(&self.layout.initial());
        let mut progress = |progress| (self.progress)(progress);
        let limit = self.how.limit.min(1 << 30);
        let explored =
            explore(&self.rules, initial, self.symmetry.as_ref(), limit, self.how.threads, &mut progress);
        let Explored { states, rows, targets, labels, known, table_bytes } = match explored {
            Ok(explored) => explored,
            Err(Stop::Limit) => return Err(SpaceError::TooMany(limit)),
            Err(Stop::Transitions) => return Err(SpaceError::TooManyTransitions),
            Err(Stop::Asked) => return Err(SpaceError::Stopped),
            Err(Stop::Fault(state, fault)) => return Err(self.fault(&state, fault)),
        };
        Ok(Space {
            layout: self.layout.clone(),
            symmetry: self.symmetry.clone(),
            orbits: self.orbits.clone(),
            words: states.into_flattened(),
            rows,
            targets,
            labels,
            known: known.all,
            table_bytes,
            elapsed: self.begin.elapsed(),
        })
    }

    fn fault(&self, state: &[u64], fault: Fault) -> SpaceError {
        let state = describe(self.system, &self.layout, state);
        let name = |action: u32| self.system.actions[action as usize].clone();
        match fault {
            Fault::Unpartnered(action) => SpaceError::Unpartnered { action: name(action), state },
            Fault::Mixed(action) => SpaceError::Mixed { action: name(action), state },
        }
    }
}

fn describe(system: &System, layout: &Layout, state: &[u64]) -> String {
    let label = |local: u32| system.locals[local as usize].label.as_str();
    let mut all = Vec::new();
    for part in &layout.parts {
        for (at, local) in part.locals.iter().enumerate() {
            match part.count(at, state) {
                0 => {}
                count if part.is_array => all.push(format!("{}[{count}]", label(*local))),
                _ => all.push(label(*local).to_string()),
            }
        }
    }
    all.join(", ")
}
