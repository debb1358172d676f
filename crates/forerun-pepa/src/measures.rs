//! What a distribution over states says about actions and components.

use crate::model::System;
use crate::space::Space;

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
        let weighed = || x.iter().copied().enumerate().filter(|(_, p)| *p > 0.0);
        Measures::weigh(system, space, weighed)
    }

    /// Weighs some states of a space, each given with its weight.
    pub(crate) fn weigh<I: Iterator<Item = (usize, f64)>>(
        system: &System,
        space: &Space,
        weighed: impl Fn() -> I,
    ) -> Measures {
        let mut actions = vec![0.0; system.actions.len()];
        let seen = space.performed(system.actions.len());
        for (state, p) in weighed() {
            for step in space.from(state) {
                actions[step.action as usize] += p * step.rate;
            }
        }
        let throughput = (0..actions.len())
            .filter(|a| seen[*a])
            .map(|a| (system.actions[a].clone(), actions[a]))
            .collect();
        let mut population: Vec<(String, f64)> = Vec::new();
        let mut utilisation: Vec<Utilisation> = Vec::new();
        for (component, (locals, copies)) in space.components().enumerate() {
            let mut counts = vec![0.0; locals.len()];
            for (state, p) in weighed() {
                for (at, count) in counts.iter_mut().enumerate() {
                    *count += p * space.count(state, component, at) as f64;
                }
            }
            let mut shares = Vec::new();
            for (local, count) in locals.iter().zip(counts) {
                let label = &system.locals[*local as usize].label;
                shares.push((label.clone(), count / f64::from(copies)));
                match population.iter_mut().find(|(l, _)| l == label) {
                    Some((_, sum)) => *sum += count,
                    None => population.push((label.clone(), count)),
                }
            }
            let name = system.locals[locals[0] as usize].label.clone();
            let alike = utilisation.iter().filter(|u| u.component == name || u.component.starts_with(&format!("{name}#"))).count();
            let component = if alike == 0 { name } else { format!("{name}#{}", alike + 1) };
            utilisation.push(Utilisation { component, copies, shares });
        }
        Measures { throughput, utilisation, population }
    }
}
