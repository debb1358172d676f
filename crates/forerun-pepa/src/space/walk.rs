//! One path through the states, without remembering any.

use super::layout::{Layout, Part};
use super::rules::rules;
use super::successors::{Fault, Rules, Scratch, Successor, successors};
use super::symmetry::fold;
use super::{SpaceError, describe};
use crate::model::System;

/// What is needed to walk through a system's states. Equal components are put together, which changes nothing about
/// what happens.
#[derive(Debug)]
pub(crate) struct Engine<'a> {
    system: &'a System,
    layout: Layout,
    rules: Rules,
    /// The names of the actions that happen, and for each action of the system its place among them.
    actions: Vec<String>,
    place: Vec<usize>,
    labels: Vec<String>,
    /// For each field of each part, the label that its count goes to.
    label_of: Vec<Vec<usize>>,
}

/// A place on a path.
pub(crate) trait Walker {
    /// Looks at what can happen; gives how fast anything does.
    fn look(&mut self) -> Result<f64, SpaceError>;
    /// Lets happen what `mark`, up to that rate, points at; gives the action's place among those that happen.
    fn go(&mut self, mark: f64) -> usize;
    /// Adds the number of components in each local state, times `time`.
    fn count(&self, time: f64, into: &mut [f64]);
}

impl<'a> Engine<'a> {
    pub(crate) fn of(system: &'a System) -> Engine<'a> {
        let tree = fold(system, &system.tree);
        let layout = Layout::of(system, &tree);
        let rules = Rules::of(rules(system, &tree, &layout));
        let mut happen: Vec<u32> = rules.roots.iter().map(|r| r.action).collect();
        happen.sort_unstable();
        happen.dedup();
        let place = (0..system.actions.len() as u32).map(|a| happen.binary_search(&a).unwrap_or(0)).collect();
        let locals = layout.parts.iter().flat_map(|p| p.locals.iter().copied());
        let (labels, places) = system.labelled(locals);
        let mut places = places.into_iter();
        let of_part = |part: &Part| places.by_ref().take(part.locals.len()).collect();
        let label_of = layout.parts.iter().map(of_part).collect();
        let actions = happen.iter().map(|a| system.actions[*a as usize].clone()).collect();
        Engine { system, layout, rules, actions, place, labels, label_of }
    }

    /// The names of the actions that can happen.
    pub(crate) fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The labels of the local states.
    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// A walker at the initial state.
    pub(crate) fn walker(&self) -> Result<Box<dyn Walker + '_>, SpaceError> {
        match self.layout.words {
            1 => Ok(self.begin::<1>()),
            2 => Ok(self.begin::<2>()),
            3..=4 => Ok(self.begin::<4>()),
            5..=16 => Ok(self.begin::<16>()),
            17..=64 => Ok(self.begin::<64>()),
            more => Err(SpaceError::TooWide(more * 64)),
        }
    }

    fn begin<const W: usize>(&self) -> Box<dyn Walker + '_> {
        let mut state = [0; W];
        state[..self.layout.words].copy_from_slice(&self.layout.initial());
        Box::new(Path { engine: self, state, scratch: Scratch::default(), next: Vec::new() })
    }
}

struct Path<'a, const W: usize> {
    engine: &'a Engine<'a>,
    state: [u64; W],
    scratch: Scratch<W>,
    next: Vec<Successor<W>>,
}

impl<const W: usize> Walker for Path<'_, W> {
    fn look(&mut self) -> Result<f64, SpaceError> {
        self.next.clear();
        let Engine { system, layout, rules, .. } = self.engine;
        successors(rules, rules.coincide, &self.state, &mut self.scratch, &mut self.next).map_err(
            |fault| {
                let state = describe(system, layout, &self.state);
                let name = |action: u32| system.actions[action as usize].clone();
                match fault {
                    Fault::Unpartnered(action) => SpaceError::Unpartnered { action: name(action), state },
                    Fault::Mixed(action) => SpaceError::Mixed { action: name(action), state },
                }
            },
        )?;
        Ok(self.next.iter().map(|s| s.rate).sum())
    }

    fn go(&mut self, mark: f64) -> usize {
        let mut left = mark;
        let last = self.next.len() - 1;
        let at = self.next.iter().position(|s| {
            left -= s.rate;
            left <= 0.0
        });
        let step = &self.next[at.unwrap_or(last)];
        self.state = step.state;
        self.engine.place[step.action as usize]
    }

    fn count(&self, time: f64, into: &mut [f64]) {
        for (part, labels) in self.engine.layout.parts.iter().zip(&self.engine.label_of) {
            if part.is_array {
                for (field, label) in part.fields.iter().zip(labels) {
                    into[*label] += time * field.get(&self.state) as f64;
                }
            } else {
                into[labels[part.fields[0].get(&self.state) as usize]] += time;
            }
        }
    }
}
