//! What a line's model says.

use super::Line;
use super::line::Activity;
use super::shape::Shape;
use crate::solve::{Solving, irreducible};

/// What the model of a mapped pipeline says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// Results a second.
    pub throughput: f64,
    /// The mean time from the start of an input's transfer to the first stage until its result has arrived, in
    /// seconds, while the pipeline runs as fast as it can (Little's law).
    pub latency: f64,
    /// The states of the model.
    pub states: usize,
    /// The transitions of the model.
    pub transitions: usize,
}

impl Shape {
    /// Solves the chain of a line of this shape. The throughput is that of its slowest replicas at the first stage,
    /// as often as there are: in a whole line, where inputs are dealt in turn, all are equally fast. Cost: some hundred passes over the transitions.
    ///
    /// # Errors
    /// That no answer was found that is good enough, as a sentence.
    pub(super) fn solve(&self, line: &Line, stop: &dyn Fn() -> bool) -> Result<Solved, String> {
        let rates: Vec<f64> = self.activities.iter().map(|a| line.rate(*a)).collect();
        if let Some(at) = rates.iter().position(|r| !(r.is_normal() && *r > 0.0)) {
            let name = line.action(self.activities[at]);
            return Err(format!(
                "`{name}` would happen {} times a second, which is no rate: times must be neither next to nothing nor \
                 without end",
                rates[at]
            ));
        }
        let chain = self.chain(&rates);
        let first: Vec<(usize, f64)> = self
            .activities
            .iter()
            .enumerate()
            .filter(|(_, a)| matches!(a, Activity::Process(0, _)))
            .map(|(at, _)| (at, rates[at]))
            .collect();
        let measures = |x: &[f64]| {
            let each = first.iter().map(|(at, rate)| rate * self.share(*at, x));
            // What is not a number is not passed over, as `min` would.
            let slowest = each.fold(f64::INFINITY, |a, b| if b.is_nan() || b < a { b } else { a });
            let throughput = slowest * first.len() as f64;
            let inside: f64 = self.inside.iter().zip(x).map(|(n, p)| f64::from(*n) * p).sum();
            vec![throughput, inside]
        };
        // What is confirmed has a residual a hundred times smaller.
        // Every stage leads everywhere within a few inputs, so no sets of states are apart.
        let how = Solving { direct: 100, tolerance: 1e-8, levels: false, ..Solving::default() };
        let found = irreducible(&chain, &how, &measures, stop).map_err(|e| e.to_string())?;
        let values = measures(&found.x);
        let (throughput, latency) = (values[0], line.moved_in() + values[1] / values[0]);
        if !(throughput.is_normal() && latency.is_normal()) {
            return Err(format!(
                "{throughput:e} results a second and {latency:e} s for each are no answer; rates differ too much"
            ));
        }
        Ok(Solved { throughput, latency, states: chain.states(), transitions: self.transitions })
    }
}
