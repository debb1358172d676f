//! What a mapping can reach at most, without its whole model being solved.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::grid::least;
use super::line::Activity;
use super::shape::Shapes;
use super::{Grid, Line, Solved};

/// By so much of itself a solved throughput may be wrong: that is what [`irreducible`](crate::solve::irreducible())
/// confirms.
const ERROR: f64 = 1e-6;

/// Lines that are remembered at most.
const REMEMBERED: usize = 2_000_000;

/// What can be reached at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    /// At most so many results a second.
    pub(super) throughput: f64,
    /// At least such a latency, in seconds.
    pub(super) latency: f64,
}

impl Bound {
    /// Both hold.
    pub(super) fn and(self, other: Bound) -> Bound {
        Bound { throughput: self.throughput.min(other.throughput), latency: self.latency.max(other.latency) }
    }
}

/// Bounds of the mappings of one grid; what was solved for one is remembered for all.
#[derive(Debug)]
pub(super) struct Bounds<'a> {
    grid: &'a Grid,
    shapes: Shapes,
    known: Mutex<HashMap<Box<[u64]>, Solved>>,
    /// How many models were solved.
    pub(super) solved: AtomicUsize,
    /// The fastest transfers into each processor from any, and out of it to any.
    fastest_in: Vec<f64>,
    fastest_out: Vec<f64>,
}

impl<'a> Bounds<'a> {
    pub(super) fn of(grid: &'a Grid) -> Self {
        let column = |p: usize| grid.transfers.iter().map(|row| row[p]).fold(f64::INFINITY, f64::min);
        Bounds {
            grid,
            shapes: Shapes::default(),
            known: Mutex::default(),
            solved: AtomicUsize::new(0),
            fastest_in: (0..grid.processors()).map(column).collect(),
            fastest_out: grid.transfers.iter().map(|row| least(row)).collect(),
        }
    }

    /// Solves a line, or remembers it.
    ///
    /// # Errors
    /// That no answer was found that is good enough, as a sentence.
    pub(super) fn solve(&self, line: &Line, stop: &dyn Fn() -> bool) -> Result<Solved, String> {
        let key = key(line);
        if let Some(found) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(*found);
        }
        let found = self.shapes.of(line)?.solve(line, stop)?;
        self.solved.fetch_add(1, Ordering::Relaxed);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < REMEMBERED {
            known.insert(key, found);
        }
        Ok(found)
    }

    /// The throughput of a line, which is that of its reverse: only one of the two is solved.
    fn throughput(&self, line: Line, stop: &dyn Fn() -> bool) -> Result<f64, String> {
        let reversed = if line.is_single() { Some(line.reversed()) } else { None };
        let line = reversed.filter(|reversed| key(reversed) < key(&line)).unwrap_or(line);
        Ok(self.solve(&line, stop)?.throughput)
    }

    /// A bound for all mappings that begin with this one, from windows of up to `width` stages.
    ///
    /// # Errors
    /// A window that cannot be solved, as a sentence.
    pub(super) fn look(
        &self,
        mapping: &[Vec<usize>],
        width: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Bound, String> {
        let line = self.grid.line(mapping);
        let mut throughput = (0..mapping.len()).map(|s| alone(&line, s)).fold(f64::INFINITY, f64::min);
        let width = width.min(mapping.len());
        if width > 1 {
            for from in 0..=mapping.len() - width {
                let window = line.window(from..from + width);
                throughput = throughput.min(self.throughput(window, stop)? * (1.0 + ERROR));
            }
        }
        let (open, rest) = self.rest(mapping);
        let throughput = throughput.min(open);
        let alone = line.moved_in() + line.unloaded(0);
        // The one first stage is always moving an input in, or has one.
        let first = if line.stages[0].len() == 1 { 1.0 / throughput + line.unloaded(1) } else { alone };
        let latency = first.max(line.pair().unwrap_or(0.0)).max(alone) + rest;
        Ok(Bound { throughput, latency })
    }

    /// What the stages that are not placed yet can reach: at most such a throughput, at least such a time.
    fn rest(&self, mapping: &[Vec<usize>]) -> (f64, f64) {
        let mut sharing = vec![0usize; self.grid.processors()];
        mapping.iter().flatten().for_each(|p| sharing[*p] += 1);
        let (mut throughput, mut time) = (f64::INFINITY, 0.0);
        for (stage, times) in self.grid.times.iter().enumerate().skip(mapping.len()) {
            let out = if stage + 1 == self.grid.stages() { &self.grid.output } else { &self.fastest_out };
            let enter = if stage == 0 { &self.grid.input } else { &self.fastest_in };
            let shared = (0..times.len()).map(|p| times[p] * (sharing[p] + 1) as f64);
            let cycle = shared.enumerate().map(|(p, time)| enter[p] + time + out[p]);
            throughput =
                throughput.min(self.grid.replicas[stage] as f64 / cycle.fold(f64::INFINITY, f64::min));
            if stage > 0 {
                time += (0..times.len()).map(|p| times[p] + out[p]).fold(f64::INFINITY, f64::min);
            }
        }
        (throughput, time)
    }
}

/// What tells lines apart.
fn key(line: &Line) -> Box<[u64]> {
    let mut key: Vec<u64> = line.shape().into_iter().map(|n| n as u64).collect();
    key.extend(line.stages.iter().flatten().map(|r| r.rate.to_bits()));
    key.extend(line.moves.iter().flatten().flatten().map(|r| r.to_bits()));
    key.into_boxed_slice()
}

/// What a stage would reach if it never had to wait: its replicas in turn, as fast as the slowest.
fn alone(line: &Line, stage: usize) -> f64 {
    let replicas = line.stages[stage].len();
    let slowest = (0..replicas).map(|replica| {
        let cycle = line.cycle(stage, replica);
        let inputs = cycle.iter().filter(|a| matches!(a, Activity::Process(..))).count() as f64;
        inputs / cycle.iter().map(|a| 1.0 / line.rate(*a)).sum::<f64>()
    });
    replicas as f64 * slowest.fold(f64::INFINITY, f64::min)
}
