//! Steady states of large chains, step by step.

use super::extrapolate::{KEPT, extrapolate};
use super::krylov::improve;
use super::multilevel::{Hierarchy, cycle, shares};
use super::normalise;
use super::prepared::Known;
use super::start::start;
use super::sweep::Sweeper;
use crate::chain::Chain;

/// Sweeps between two looks at the residual.
const BETWEEN: usize = 10;
/// Sweeps that are done once more in any case.
const AGAIN: usize = 5;
/// Sweeps that are done if they are expected to be enough; else a Krylov method is put around them, of which some
/// steps, with all that they keep orthogonal, take as long as so many sweeps.
const SWEEPS: f64 = 300.0;
/// Steps of the Krylov method that are done if they are expected to be enough; else levels are used.
const PATIENCE: f64 = 100.0;
/// Times that a hierarchy is built, at most.
const BUILDS: usize = 60;
/// Steps with one of the first hierarchies, or between two looks at the residual.
const STEPS: usize = 15;
/// Steps with a later hierarchy.
const MORE: usize = 40;

/// What is left of a probability that became negative.
const REPAIR: f64 = 1e-3;

/// A residual below this is rounding: it does not get smaller.
const FLOOR: f64 = 1e-15;

/// Below this, rounding begins to tell.
const ROUNDING: f64 = 1e-12;
/// Hierarchies that may be of little use.
const SLOW: usize = 25;

/// How it is being solved.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    Sweeps,
    Krylov,
    Levels,
}

/// In which order sweeps take the states. Where probability flows one way around, sweeps with it need a fraction of
/// those against it; which way that is shows when they are tried.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    ToAndFro,
    Forward,
    Backward,
}

/// What is tried, in turn, before the best is kept: the first tells nothing, since whatever comes first removes the roughest
/// errors.
const TRIED: [Order; 4] = [Order::ToAndFro, Order::Forward, Order::Backward, Order::ToAndFro];

/// A chain that is being solved, from wherever it is.
pub(super) struct Iteration<'a> {
    chain: &'a Chain,
    sweeper: Sweeper<'a>,
    pub(super) x: Vec<f64>,
    pub(super) residual: f64,
    pub(super) sweeps: usize,
    pub(super) steps: usize,
    builds: usize,
    method: Method,
    order: Order,
    /// Whether the order is known to be good, so that none need be tried.
    known: bool,
    /// By which factor the residual shrank with each order that was tried.
    shrunk: Vec<f64>,
    /// And in the last round of sweeps.
    last: f64,
    best: f64,
}

impl<'a> Iteration<'a> {
    pub(super) fn new(chain: &'a Chain, known: Known) -> Self {
        let x = known.start.unwrap_or_else(|| start(chain));
        let residual = chain.residual(&x);
        Iteration {
            chain,
            sweeper: Sweeper::of(chain),
            x,
            residual,
            sweeps: 0,
            steps: 0,
            builds: 0,
            method: Method::Sweeps,
            order: if known.forward { Order::Forward } else { Order::ToAndFro },
            known: known.forward,
            shrunk: Vec::new(),
            last: 0.0,
            best: f64::INFINITY,
        }
    }

    /// How it was done so far.
    pub(super) fn describe(&self) -> String {
        let (steps, sweeps) = (self.steps, self.sweeps);
        match self.method {
            Method::Sweeps => format!("Gauss–Seidel ({sweeps} sweeps)"),
            Method::Krylov => format!("GCR with Gauss–Seidel ({steps} steps, {sweeps} sweeps)"),
            Method::Levels => format!("GCR with multilevel aggregation ({steps} steps, {sweeps} sweeps)"),
        }
    }

    /// Goes on until the residual is at most `tolerance`, or `patience` times in a row became hardly smaller;
    /// whether it got there. `stop` ends it early.
    pub(super) fn until(&mut self, tolerance: f64, patience: usize, stop: &dyn Fn() -> bool) -> bool {
        let (mut idle, mut slow) = (0, 0);
        while self.residual > tolerance.max(FLOOR) && idle < patience && slow < SLOW && !stop() {
            let before = self.residual;
            match self.method {
                Method::Sweeps => {
                    let tried = TRIED.get(self.shrunk.len()).filter(|_| !self.known);
                    self.order = tried.copied().unwrap_or(self.order);
                    let shrunk = match tried {
                        Some(_) => {
                            self.sweep(BETWEEN);
                            self.tried(self.residual / before)
                        }
                        None => {
                            // As many as it takes if they are worth what the last were.
                            let needed = self.needed(self.last, tolerance, BETWEEN).ceil() as usize;
                            let times =
                                if self.last > 0.0 { BETWEEN.min(needed.saturating_add(1)) } else { BETWEEN };
                            self.sweep_and_extrapolate(times, tolerance);
                            // Every other extrapolation finds little to take out.
                            let now = (self.residual / before).powf(BETWEEN as f64 / times as f64);
                            let last = std::mem::replace(&mut self.last, now);
                            Some(if last > 0.0 { (last * now).sqrt() } else { now })
                        }
                    };
                    if shrunk.is_some_and(|shrunk| self.needed(shrunk, tolerance, BETWEEN) > SWEEPS) {
                        // What is known is not always right.
                        if !std::mem::take(&mut self.known) {
                            self.method = Method::Krylov;
                        }
                    }
                }
                Method::Krylov => {
                    self.step(None, STEPS, 1e-6);
                    if self.needed(self.residual / before, tolerance, STEPS) > PATIENCE {
                        self.method = Method::Levels;
                    }
                }
                Method::Levels if self.builds < BUILDS => self.level(),
                Method::Levels => break,
            }
            if self.residual < 0.5 * self.best {
                idle = 0;
            } else if self.best <= ROUNDING {
                // At the limit of rounding nothing gets better.
                idle += 1;
            } else if self.method == Method::Levels {
                // Far from it the first hierarchies may be of little use.
                slow += 1;
            }
            self.best = self.best.min(self.residual);
        }
        self.residual <= tolerance
    }

    /// Notes how much an order that was tried was worth. Keeps the best once all were tried, and says how
    /// much that is.
    fn tried(&mut self, shrunk: f64) -> Option<f64> {
        self.shrunk.push(shrunk);
        if self.shrunk.len() < TRIED.len() {
            return None;
        }
        let all = TRIED.iter().zip(&self.shrunk).skip(1);
        let (order, shrunk) = all.min_by(|a, b| a.1.total_cmp(b.1))?;
        self.order = *order;
        self.last = *shrunk;
        Some(*shrunk)
    }

    /// Goes on once more, whatever the residual, with a cycle over many levels first if there are to be `levels`: where sets of states hardly lead to
    /// each other, their shares may be wrong and the residual small all the same, and neither sweeps nor Krylov steps
    /// would notice.
    pub(super) fn again(&mut self, levels: bool) {
        if levels && self.method != Method::Levels {
            shares(self.chain, &mut self.x);
            normalise(&mut self.x);
        }
        match self.method {
            Method::Sweeps => self.sweep(AGAIN),
            Method::Krylov => self.step(None, STEPS, 1e-6),
            Method::Levels => self.level(),
        }
    }

    /// How many more units of work it will take if so many shrink the residual by such a factor.
    fn needed(&self, shrunk: f64, tolerance: f64, units: usize) -> f64 {
        let rate = shrunk.ln() / units as f64;
        if rate < 0.0 { (tolerance / self.residual).ln() / rate } else { f64::INFINITY }
    }

    fn sweep(&mut self, times: usize) {
        (0..times).for_each(|at| self.once(at));
        normalise(&mut self.x);
        self.residual = self.chain.residual(&self.x);
    }

    fn once(&mut self, at: usize) {
        match (self.order, at % 2) {
            (Order::Forward, _) | (Order::ToAndFro, 0) => self.sweeper.forward(&mut self.x),
            _ => self.sweeper.backward(&mut self.x),
        }
        self.sweeps += 1;
    }

    /// Sweeps, then, unless that is enough, goes where the last of them lead to if that is nearer to the solution.
    fn sweep_and_extrapolate(&mut self, times: usize, tolerance: f64) {
        // Sweeps to and fro are two each.
        let stride = if self.order == Order::ToAndFro { 2 } else { 1 };
        let mut iterates = Vec::with_capacity(KEPT);
        for at in 0..times {
            self.once(at);
            let left = times - 1 - at;
            if left.is_multiple_of(stride) && left / stride < KEPT {
                iterates.push(self.x.clone());
            }
        }
        normalise(&mut self.x);
        self.residual = self.chain.residual(&self.x);
        if self.residual <= tolerance {
            return;
        }
        if let Some(mut next) = extrapolate(&iterates) {
            normalise(&mut next);
            let residual = self.chain.residual(&next);
            if residual < self.residual {
                (self.x, self.residual) = (next, residual);
            }
        }
    }

    /// A hierarchy for where it is now, and steps with it.
    fn level(&mut self) {
        cycle(self.chain, &mut self.x);
        normalise(&mut self.x);
        let hierarchy = Hierarchy::of(self.chain, &self.x);
        self.builds += 1;
        // The first hierarchies are of distributions far from the solution: not much is made of them.
        let (steps, factor) = if self.builds < 4 { (STEPS, 1e-2) } else { (MORE, 1e-5) };
        self.step(Some(&hierarchy), steps, factor);
    }

    /// Steps of the Krylov method, and sweeps that make the result a distribution again.
    fn step(&mut self, hierarchy: Option<&Hierarchy>, steps: usize, factor: f64) {
        let mut next = self.x.clone();
        self.steps += improve(self.chain, hierarchy, &mut next, steps, factor);
        self.order = Order::ToAndFro;
        let sum: f64 = next.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            self.sweep(BETWEEN);
            return;
        }
        // What became negative is smaller than its error, or the hierarchy was far off: sweeps repair both.
        for (new, old) in next.iter_mut().zip(&self.x) {
            if new.is_nan() || *new <= 0.0 {
                let error = if *new < 0.0 { -*new } else { f64::INFINITY };
                *new = (old * REPAIR).min(error);
            }
        }
        self.x = next;
        self.sweep(if hierarchy.is_some() { BETWEEN } else { 4 });
    }
}
