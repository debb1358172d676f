//! The states of all lines whose stages have the same numbers of replicas: explored once, given rates often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Line;
use super::line::Activity;
use crate::chain::{Chain, Rates};
use crate::model::{Settings, compile};
use crate::space::{Exploration, Space, SpaceError};
use crate::syntax::{Diagnostic, Dialect, parse};

/// More states than this are refused: there would be thousands of such chains to solve.
const STATES: usize = 2_000_000;

/// The chain of a line's model, without its rates.
#[derive(Debug)]
pub(super) struct Shape {
    /// The activities; each has one rate in all states.
    pub(super) activities: Vec<Activity>,
    /// How many inputs are inside, in each state.
    pub(super) inside: Vec<i32>,
    pub(super) transitions: usize,
    /// The chain, all rates 1, and for each of its entries the activity.
    chain: Chain,
    entries: Vec<u16>,
}

impl Shape {
    /// Writes the line's model, reads it as any other and explores it.
    fn of(line: &Line) -> Result<Shape, String> {
        let first = |all: &[Diagnostic]| all.first().map_or(String::new(), |d| d.message.clone());
        let parsed = parse(&line.model(), Dialect::Any);
        let model = parsed.model.ok_or_else(|| first(&parsed.diagnostics))?;
        let compiled = compile(&model, &Settings::new());
        let system = compiled.system.ok_or_else(|| first(&compiled.problems))?;
        let how = Exploration { threads: 1, limit: STATES, ..Exploration::default() };
        let space = Space::explore(&system, &how, &mut |_| true).map_err(|e| match e {
            SpaceError::TooMany(limit) => {
                format!(
                    "the model of a mapping has more than {limit} states; give fewer stages or fewer replicas"
                )
            }
            e => e.to_string(),
        })?;
        let activities = line.activities();
        let place = |action: u32| {
            let name = &system.actions[action as usize];
            activities.iter().position(|a| line.action(*a) == *name)
        };
        let places: Vec<usize> = (0..system.actions.len() as u32).map(|a| place(a).unwrap_or(0)).collect();
        let chain = Chain::build(space.states(), |state, each| {
            space.from(state).for_each(|step| each(step.to, (places[step.action as usize] + 1) as f64));
        });
        let entries = (0..chain.entries()).map(|at| chain.rates.get(at) as u16 - 1).collect();
        let last = line.stages.len();
        let change = |at: usize| match activities[at] {
            Activity::Move(0, ..) => 1,
            Activity::Move(to, ..) if to == last => -1,
            _ => 0,
        };
        let mut inside = vec![i32::MAX; space.states()];
        inside[0] = 0;
        // By breadth: whoever leads to a state for the first time has a lower number.
        for state in 0..space.states() {
            for step in space.from(state) {
                let next = step.to as usize;
                if inside[next] == i32::MAX {
                    inside[next] = inside[state] + change(places[step.action as usize]);
                }
            }
        }
        Ok(Shape { activities, inside, transitions: space.transitions(), chain, entries })
    }

    /// The chain with these rates, one an activity.
    pub(super) fn chain(&self, rates: &[f64]) -> Chain {
        let mut chain = self.chain.clone();
        let given: Vec<f64> = self.entries.iter().map(|activity| rates[*activity as usize]).collect();
        chain.exits.fill(0.0);
        chain.from.iter().zip(&given).for_each(|(from, rate)| chain.exits[*from as usize] += rate);
        chain.rates = Rates::Plain(given);
        chain
    }

    /// The share of the time in which an activity goes on.
    pub(super) fn share(&self, activity: usize, x: &[f64]) -> f64 {
        let entries = self.entries.iter().zip(&self.chain.from);
        entries.filter(|(a, _)| **a as usize == activity).map(|(_, from)| x[*from as usize]).sum()
    }
}

/// The shapes that were needed so far.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    all: Mutex<HashMap<Vec<usize>, Arc<Shape>>>,
}

impl Shapes {
    /// The shape of a line.
    ///
    /// # Errors
    /// That it has too many states, as a sentence.
    pub(super) fn of(&self, line: &Line) -> Result<Arc<Shape>, String> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let key = line.shape();
        if let Some(shape) = all.get(&key) {
            return Ok(Arc::clone(shape));
        }
        let shape = Arc::new(Shape::of(line)?);
        all.insert(key, Arc::clone(&shape));
        Ok(shape)
    }
}
