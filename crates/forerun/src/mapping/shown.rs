//! Mappings as they are shown.

use forerun_pepa::mapping::{Mapping, Ranked};
use serde::Serialize;

/// The processors of a stage, from 1: a number, or a list where there are several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Place {
    /// One.
    One(usize),
    /// Several, which take inputs in turn.
    Several(Vec<usize>),
}

/// A mapping that was solved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// The processors of each stage, from 1.
    pub mapping: Vec<Place>,
    /// How many inputs pass through a second.
    pub throughput: f64,
    /// The mean time from an input's transfer until its result has arrived, in seconds.
    pub latency_s: f64,
    /// The states of its model.
    pub states: usize,
    /// The transitions of its model.
    pub transitions: usize,
    /// How many mappings it stands for, with like processors exchanged.
    pub alike: f64,
}

impl From<&Ranked> for Candidate {
    fn from(ranked: &Ranked) -> Self {
        Candidate {
            mapping: places(&ranked.mapping),
            throughput: ranked.solved.throughput,
            latency_s: ranked.solved.latency,
            states: ranked.solved.states,
            transitions: ranked.solved.transitions,
            alike: ranked.alike,
        }
    }
}

/// The processors of each stage, from 1.
fn places(mapping: &Mapping) -> Vec<Place> {
    let stage = |of: &Vec<usize>| match of.as_slice() {
        [one] => Place::One(one + 1),
        several => Place::Several(several.iter().map(|p| p + 1).collect()),
    };
    mapping.iter().map(stage).collect()
}
