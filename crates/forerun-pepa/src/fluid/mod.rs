//! Populations as real numbers: what becomes of very many components.
//!
//! For a component of which there are many copies, the number in each local state changes nearly
//! smoothly, and its rate of change is that of the activities with numbers in place of
//! copies (Hillston, QEST 2005; Hayden and Bradley, *A fluid analysis framework for a Markovian
//! process algebra*, Theor. Comput. Sci. 411, 2010). Apparent rates are minima as in the chain; the passive
//! side of a cooperation shares the active one's rate by weight. Its cost does not depend on how many
//! copies there are. For few copies it is rough: of a single component it takes the probability of being in a
//! state for its number, and treats components as independent.

mod flow;
mod implicit;
mod integrate;

use crate::model::{System, Tree};
use crate::space::fold_equal;
use flow::Flows;
use integrate::{Integrator, Stopped};

/// How to integrate.
#[derive(Debug, Clone, Copy)]
pub struct Fluid {
    /// The error of a step, relative to the populations.
    pub tolerance: f64,
    /// The most steps.
    pub steps: usize,
}

impl Default for Fluid {
    fn default() -> Self {
        Fluid { tolerance: 1e-8, steps: 2_000_000 }
    }
}

/// What the populations and throughputs are at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The time.
    pub time: f64,
    /// The number of components in each local state, in the order of [`Course::locals`].
    pub population: Vec<f64>,
    /// How often each action happens, in the order of [`Course::actions`].
    pub throughput: Vec<f64>,
}

/// How populations change.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The labels of local states.
    pub locals: Vec<String>,
    /// The names of actions.
    pub actions: Vec<String>,
    /// At the times asked for, as far as it came.
    pub points: Vec<Point>,
    /// Steps taken.
    pub steps: usize,
    /// Why it ended before the last time, if it did.
    pub ended: Option<&'static str>,
}

/// Integrates from the initial populations on (Dormand and Prince, 1980, with steps as large as the tolerance
/// allows; where those are too short to ever arrive, a Rosenbrock method goes on). Cost: about seven evaluations of all rates a step; where
/// the Rosenbrock method goes on, as many as there are populations, and a third of their number cubed.
pub fn fluid(system: &System, times: &[f64], how: &Fluid, stop: &dyn Fn() -> bool) -> Course {
    let tree = fold_equal(system, &system.tree);
    let (flows, mut x) = Flows::of(system, &tree);
    let (labels, place) = system.labelled(flows.variables.iter().copied());
    let seen = flows.actions();
    let mut course = Course {
        locals: labels,
        actions: seen.iter().map(|a| system.actions[*a as usize].clone()).collect(),
        points: Vec::new(),
        steps: 0,
        ended: None,
    };
    let mut integrator = Integrator::new(how.tolerance, how.steps);
    let mut now = 0.0;
    for time in times {
        let ended = integrator.until(&flows, &mut x, now, *time, stop);
        course.steps = integrator.steps;
        if let Err(why) = ended {
            course.ended = Some(match why {
                Stopped::Steps => {
                    "too many steps: rates are too different for this method; the chain or a simulation can tell"
                }
                Stopped::Asked => "stopped",
            });
            break;
        }
        now = *time;
        let mut population = vec![0.0; course.locals.len()];
        x.iter().zip(&place).for_each(|(x, at)| population[*at] += x);
        let mut rates = vec![0.0; system.actions.len()];
        flows.throughputs(&x, &mut rates);
        let throughput = seen.iter().map(|a| rates[*a as usize]).collect();
        course.points.push(Point { time: now, population, throughput });
    }
    course
}

/// The initial numbers of a leaf.
fn copies(tree: &Tree) -> (u32, f64) {
    match tree {
        Tree::Array(local, copies) => (*local, f64::from(*copies)),
        Tree::Leaf(local) => (*local, 1.0),
        Tree::Cooperation(..) | Tree::Hiding(..) => (0, 0.0),
    }
}
