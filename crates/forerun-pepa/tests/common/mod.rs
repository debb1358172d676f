//! What several tests need: solving a text, and random models.
#![allow(dead_code, reason = "no test uses all of it")]

use forerun_pepa::measures::Measures;
use forerun_pepa::model::{Settings, System, compile};
use forerun_pepa::solve::{Solving, Steady, steady};
use forerun_pepa::space::{Exploration, Space, SpaceError};
use forerun_pepa::syntax::{Dialect, parse};
use proptest::prelude::*;

/// Compiles a text that has no errors.
pub(crate) fn system(text: &str) -> System {
    let parsed = parse(text, Dialect::Any);
    let model = parsed.model.unwrap_or_else(|| panic!("{:?}\n{text}", parsed.diagnostics));
    let compiled = compile(&model, &Settings::new());
    compiled.system.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.problems))
}

/// How to explore in tests.
pub(crate) fn exploration(aggregate: bool) -> Exploration {
    Exploration { aggregate, limit: 200_000, threads: 2 }
}

/// All states of a text.
pub(crate) fn space(text: &str) -> (System, Space) {
    let system = system(text);
    let space = try_space(&system, false).unwrap();
    (system, space)
}

/// All states of a system, if they can be found.
pub(crate) fn try_space(system: &System, aggregate: bool) -> Result<Space, SpaceError> {
    Space::explore(system, &exploration(aggregate), &mut |_| true)
}

/// A text's long run.
pub(crate) fn solved(text: &str) -> (Space, Steady, Measures) {
    let (system, space) = space(text);
    let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
    let measures = Measures::of(&system, &space, &found.x);
    (space, found, measures)
}

/// Whether two figures are equal to so many parts of themselves.
pub(crate) fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs()).max(1e-12)
}

/// A component `C{n}` of `rows.len()` local states in a ring with chords: for each state its activities, an action, a
/// rate and the state that follows.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    pub(crate) rows: Vec<Vec<(usize, u8, usize)>>,
}

/// Names of actions.
const ACTIONS: [&str; 3] = ["a", "b", "c"];

impl Component {
    /// Its definitions; in `passive` are the actions whose rates are weights.
    fn write(&self, name: &str, passive: &[usize]) -> String {
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let all: Vec<String> = row
                .iter()
                .map(|(action, rate, to)| {
                    let times = if passive.contains(action) { " * infty" } else { "" };
                    format!("({}, {rate}{times}).{name}{to}", ACTIONS[*action])
                })
                .collect();
            text.push_str(&format!("{name}{at} = {};\n", all.join(" + ")));
        }
        text
    }
}

fn component() -> impl Strategy<Value = Component> {
    (2usize..=3).prop_flat_map(|n| {
        let chord = (0usize..3, 1u8..=5, 0..n);
        let row = (0usize..3, 1u8..=5, prop::collection::vec(chord, 0..=1));
        prop::collection::vec(row, n).prop_map(move |rows| {
            let rows = rows
                .into_iter()
                .enumerate()
                .map(|(at, (action, rate, mut more))| {
                    more.insert(0, (action, rate, (at + 1) % n));
                    more
                })
                .collect();
            Component { rows }
        })
    })
}

/// A random system: copies of one component that cooperate with copies of another, which may be passive.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    pub(crate) first: Component,
    pub(crate) second: Component,
    pub(crate) copies: (usize, usize),
    /// The actions of the set between them, as bits.
    pub(crate) set: u8,
    /// The actions of the set among the copies of the first.
    pub(crate) own: u8,
    pub(crate) passive: bool,
    pub(crate) hidden: u8,
}

fn names(bits: u8) -> Vec<usize> {
    (0..3).filter(|at| bits >> at & 1 == 1).collect()
}

fn listed(bits: u8) -> String {
    names(bits).into_iter().map(|at| ACTIONS[at]).collect::<Vec<_>>().join(", ")
}

impl Random {
    /// As a model, with arrays or with every copy written out.
    pub(crate) fn write(&self, arrays: bool) -> String {
        let passive = if self.passive { names(self.set) } else { Vec::new() };
        let mut text = self.first.write("P", &[]) + &self.second.write("Q", &passive);
        let group = |name: &str, copies: usize, set: &str| {
            if arrays && set.is_empty() {
                return format!("{name}0[{copies}]");
            }
            let all = vec![format!("{name}0"); copies].join(&format!(" <{set}> "));
            if copies == 1 { all } else { format!("({all})") }
        };
        let first = group("P", self.copies.0, &listed(self.own));
        let second = group("Q", self.copies.1, "");
        text.push_str(&format!("({first} <{}> {second}) / {{{}}}\n", listed(self.set), listed(self.hidden)));
        text
    }
}

/// Random systems of up to some hundred states.
pub(crate) fn random() -> impl Strategy<Value = Random> {
    (component(), component(), (1usize..=3, 1usize..=3), 1u8..8, 0u8..8, any::<bool>(), 0u8..8).prop_map(
        |(first, second, copies, set, own, passive, hidden)| Random {
            first,
            second,
            copies,
            set,
            own,
            passive,
            hidden,
        },
    )
}
