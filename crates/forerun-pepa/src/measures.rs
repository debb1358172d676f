//! What a distribution over states says about actions and components.

use std::collections::HashMap;

use crate::model::System;
use crate::parallel::parts;
use crate::space::{Counts, Space};
use crate::syntax::{Expr, Operator};

/// Pairs of an action and a rate whose states' weights are summed before they are multiplied by the rate: the first ones.
const LABELS: usize = 1 << 12;
/// States that a thread weighs, at least.
const PART: usize = 1 << 15;

/// A component and how its copies spread over its local states.
#[derive(Debug, Clone, PartialEq)]
pub struct Utilisation {
    /// The local state that it begins in; with a number where several components begin alike.
    pub component: String,
    /// How many copies.
    pub copies: u32,
    /// For each local state its label and the share of the time that a copy is in it.
    pub shares: Vec<(String, f64)>,
}

/// What a distribution says.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// How often each action happens a unit of time, in the order in which the model names them.
    pub throughput: Vec<(String, f64)>,
    /// Of each component.
    pub utilisation: Vec<Utilisation>,
    /// How many components are in each local state on average.
    pub population: Vec<(String, f64)>,
}

impl Measures {
    /// All throughputs and populations.
    pub fn values(&self) -> Vec<f64> {
        self.throughput.iter().chain(&self.population).map(|(_, value)| *value).collect()
    }

    /// A throughput by its action's name.
    pub fn throughput_of(&self, action: &str) -> Option<f64> {
        self.throughput.iter().find(|(name, _)| name == action).map(|(_, value)| *value)
    }

    /// A population by its local state's label.
    pub fn population_of(&self, label: &str) -> Option<f64> {
        self.population.iter().find(|(name, _)| name == label).map(|(_, value)| *value)
    }

    /// Weighs the states of a space. Cost: linear in transitions, and in states times local states.
    pub fn of(system: &System, space: &Space, x: &[f64]) -> Measures {
        Measures::weigh(system, space, x.len(), |state| (state, x[state]))
    }

    /// Weighs so many states of a space, each given with its weight.
    pub(crate) fn weigh(
        system: &System,
        space: &Space,
        count: usize,
        weighed: impl Fn(usize) -> (usize, f64) + Sync,
    ) -> Measures {
        let seen = space.performed(system.actions.len());
        let labels = space.labels();
        let none = (vec![0.0; labels.len().min(LABELS)], vec![0.0; system.actions.len()], Counts::of(space));
        let sums = parts(count, PART, |range| {
            let (mut by_label, mut actions, mut counts) = none.clone();
            for (state, p) in range.map(&weighed).filter(|(_, p)| *p > 0.0) {
                counts.add(space.packed(state), p);
                for (_, label) in space.labelled(state) {
                    match by_label.get_mut(label as usize) {
                        Some(sum) => *sum += p,
                        None => {
                            let (action, rate) = labels[label as usize];
                            actions[action as usize] += p * rate;
                        }
                    }
                }
            }
            (by_label, actions, counts)
        });
        let (mut by_label, mut actions, mut counts) = none;
        for (some, others, more) in sums {
            by_label.iter_mut().zip(some).for_each(|(sum, more)| *sum += more);
            actions.iter_mut().zip(others).for_each(|(sum, more)| *sum += more);
            counts.merge(&more);
        }
        by_label.iter().zip(labels).for_each(|(p, (action, rate))| actions[*action as usize] += p * rate);
        let throughput = (0..actions.len())
            .filter(|a| seen[*a])
            .map(|a| (system.actions[a].clone(), actions[a]))
            .collect();
        let locals = space.components().flat_map(|(locals, _)| locals.iter().copied());
        let (labels, places) = system.labelled(locals);
        let mut population: Vec<(String, f64)> = labels.into_iter().map(|label| (label, 0.0)).collect();
        let mut places = places.into_iter();
        let mut utilisation: Vec<Utilisation> = Vec::new();
        let mut begin_alike: HashMap<&str, usize> = HashMap::new();
        for ((locals, copies), counts) in space.components().zip(counts.each(space)) {
            let mut shares = Vec::new();
            for ((local, count), place) in locals.iter().zip(counts).zip(&mut places) {
                let label = &system.locals[*local as usize].label;
                shares.push((label.clone(), count / f64::from(copies)));
                population[place].1 += count;
            }
            let name = &system.locals[locals[0] as usize].label;
            let alike = begin_alike.entry(name).or_insert(0);
            *alike += 1;
            let component = if *alike == 1 { name.clone() } else { format!("{name}#{alike}") };
            utilisation.push(Utilisation { component, copies, shares });
        }
        Measures { throughput, utilisation, population }
    }
}

/// How long components stay in some local states, by Little's law.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// How many components are in the local states on average.
    pub number: f64,
    /// How often one comes in, a unit of time.
    pub arrivals: f64,
    /// How long one stays on average.
    pub time: f64,
}

/// The mean time that components stay in the local states with these labels: their mean number over the rate at
/// which it grows (Little, Operations Research 9, 1961). A transition by which one comes in and
/// another goes out at once counts as neither. None if none ever comes in. Cost: linear.
pub fn response(system: &System, space: &Space, x: &[f64], labels: &[&str]) -> Option<Response> {
    let mut inside: Vec<(usize, usize)> = Vec::new();
    for (component, (locals, _)) in space.components().enumerate() {
        for (at, local) in locals.iter().enumerate() {
            if labels.contains(&system.locals[*local as usize].label.as_str()) {
                inside.push((component, at));
            }
        }
    }
    let numbers: Vec<u64> =
        (0..space.states()).map(|s| inside.iter().map(|(c, at)| space.count(s, *c, *at)).sum()).collect();
    let (mut number, mut arrivals) = (0.0, 0.0);
    for (state, p) in x.iter().enumerate() {
        number += p * numbers[state] as f64;
        for step in space.from(state) {
            arrivals += p * step.rate * numbers[step.to as usize].saturating_sub(numbers[state]) as f64;
        }
    }
    (arrivals > 0.0).then(|| Response { number, arrivals, time: number / arrivals })
}

/// The value of an expression over mean values: names stand for populations and throughputs.
///
/// # Errors
/// A name that is neither, as a sentence.
pub fn evaluate(expr: &Expr, value: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    match expr {
        Expr::Number(number, ..) => Ok(*number),
        Expr::Name(name) => value(&name.text)
            .ok_or_else(|| format!("`{}` is neither an action that happens nor a local state", name.text)),
        Expr::Negative(inner, _) => Ok(-evaluate(inner, value)?),
        Expr::Passive(_) => Err("`infty` has no value".into()),
        Expr::Binary(operator, left, right) => {
            let (l, r) = (evaluate(left, value)?, evaluate(right, value)?);
            Ok(match operator {
                Operator::Add => l + r,
                Operator::Subtract => l - r,
                Operator::Multiply => l * r,
                Operator::Divide => l / r,
            })
        }
    }
}
