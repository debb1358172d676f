//! The best number of processors and of masters, and where the master saturates.
//!
//! Numbers are looked for in ranges, of which only those are divided whose bound ([`super::bound`]) says that they
//! may hold what is looked for, so that a farm of a million ranks takes some hundred predictions and not as many as ranks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use super::{Farm, Prediction, Trip};
use crate::ModelError;

/// What rounding may do to a bound, as a part of it.
const ROUNDING: f64 = 1e-12;

impl Farm {
    /// The least number of ranks, up to `most`, at which one master is busy all the time while there are tasks to
    /// give out; more slaves than that wait for it. `None` if it is not by then, or with a slave for each task.
    ///
    /// # Errors
    /// The overheads are out of bounds.
    pub fn saturation(&self, most: usize) -> Result<Option<usize>, ModelError> {
        let (tasks, prefetch) = (self.tasks().count, self.tasks().prefetch);
        let at_work = |ranks: usize| Trip::at_work(tasks, ranks as u64 - 1, prefetch);
        let mut left = if tasks > 1 { vec![2..=most] } else { Vec::new() };
        while let Some(range) = left.pop().filter(|r| !r.is_empty()) {
            let (first, last) = (*range.start(), *range.end());
            // The master's time grows with the ranks, and so does a slave's, which has no more tasks at a time.
            let trip = self.trip(last)?;
            let busy = at_work(last).0 as f64 * trip.master_s().max(trip.port_s);
            if busy < self.trip(first)?.slave_cycle_s(at_work(first).1) {
                continue;
            }
            if first == last {
                return Ok(Some(first));
            }
            let [low, high] = halves(&range);
            left.extend([high, low]);
        }
        Ok(None)
    }

    /// The prediction of least expected makespan with one master and 2 to `most` ranks; of those that are equal to
    /// rounding, that of fewest. Numbers are left out only where a lower bound shows them to take longer.
    ///
    /// # Errors
    /// `most` is below 2; the overheads are out of bounds.
    pub fn best_ranks(&self, most: usize) -> Result<Prediction, ModelError> {
        if most < 2 {
            return Err(ModelError::new(format!("a farm of at most {most} ranks: expected at least 2")));
        }
        best(2..=most, |range| self.least_by_ranks(range), |ranks| self.predict(ranks, 1))
    }

    /// Most masters that `ranks` ranks can have: each a slave and a task.
    pub fn most_masters(&self, ranks: usize) -> usize {
        let tasks = usize::try_from(self.tasks().count).unwrap_or(usize::MAX);
        (ranks / 2).min(tasks).max(1)
    }

    /// The predictions for `ranks` ranks with 1 to [`most_masters`](Self::most_masters), in order.
    ///
    /// # Errors
    /// Fewer than 2 ranks; the overheads are out of bounds.
    pub fn by_masters(&self, ranks: usize) -> Result<Vec<Prediction>, ModelError> {
        (1..=self.most_masters(ranks)).map(|masters| self.predict(ranks, masters)).collect()
    }

    /// That of [`by_masters`](Self::by_masters) with the least expected makespan; of those that are equal to rounding, that of
    /// fewest masters. Numbers are left out only where a lower bound shows them to take longer.
    ///
    /// # Errors
    /// As there.
    pub fn best_masters(&self, ranks: usize) -> Result<Prediction, ModelError> {
        let trip = self.trip(ranks)?;
        let least = |range: &RangeInclusive<usize>| Ok(self.least_by_masters(ranks, &trip, range));
        best(1..=self.most_masters(ranks), least, |masters| self.predict(ranks, masters))
    }
}

/// The prediction of least makespan for a number in the range, of equals that of the least number; `least` bounds the
/// makespans of a range from below. The range with the least bound is divided first.
fn best(
    range: RangeInclusive<usize>,
    least: impl Fn(&RangeInclusive<usize>) -> Result<f64, ModelError>,
    predict: impl Fn(usize) -> Result<Prediction, ModelError>,
) -> Result<Prediction, ModelError> {
    let mut at = *range.start();
    let mut best = predict(at)?;
    let mut left = BinaryHeap::new();
    // Bounds are not negative, so that they are ordered as their bits are; of equals the least number comes first.
    let entry = |range: RangeInclusive<usize>| -> Result<_, ModelError> {
        Ok(Reverse((least(&range)?.to_bits(), *range.start(), *range.end())))
    };
    left.push(entry(range)?);
    while let Some(Reverse((bound, first, last))) = left.pop() {
        let bound = f64::from_bits(bound);
        if bound > best.makespan_s * (1.0 + ROUNDING) {
            break;
        }
        if first > at && bound >= best.makespan_s * (1.0 - ROUNDING) {
            continue;
        }
        if first < last {
            for half in halves(&(first..=last)) {
                left.push(entry(half)?);
            }
        } else if first != at {
            let next = predict(first)?;
            let less = next.makespan_s < best.makespan_s * (1.0 - ROUNDING);
            let equal = next.makespan_s <= best.makespan_s * (1.0 + ROUNDING);
            if less || (equal && first < at) {
                (at, best) = (first, next);
            }
        }
    }
    Ok(best)
}

/// Both halves of a range of at least two numbers.
fn halves(range: &RangeInclusive<usize>) -> [RangeInclusive<usize>; 2] {
    let (first, last) = (*range.start(), *range.end());
    let middle = first + (last - first) / 2;
    [first..=middle, middle + 1..=last]
}
