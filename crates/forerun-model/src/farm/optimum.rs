//! The best number of processors and of masters, and where the master saturates.

use super::{Farm, Masters, Prediction};
use crate::ModelError;

/// What rounding may do to a bound, as a part of it.
const ROUNDING: f64 = 1e-12;

impl Farm {
    /// The least number of ranks, up to `most`, at which one master is busy all the time in a long run; more
    /// slaves than that wait for it. `None` if it is not by then.
    ///
    /// # Errors
    /// The overheads are out of bounds.
    pub fn saturation(&self, most: usize) -> Result<Option<usize>, ModelError> {
        // Overheads grow with the ranks: so does the master's time, and by as much each slave's.
        for ranks in 2..=most {
            let trip = self.trip(ranks)?;
            let busy = (ranks - 1) as f64 * trip.master_s().max(trip.port_s);
            if busy >= trip.slave_cycle_s(self.tasks().prefetch) {
                return Ok(Some(ranks));
            }
        }
        Ok(None)
    }

    /// The prediction of least expected makespan with one master and 2 to `most` ranks; of equals, that of
    /// fewest. Numbers are left out only where a lower bound shows them to take longer.
    ///
    /// # Errors
    /// `most` is below 2; the overheads are out of bounds.
    pub fn best_ranks(&self, most: usize) -> Result<Prediction, ModelError> {
        if most < 2 {
            return Err(ModelError::new(format!("a farm of at most {most} ranks: expected at least 2")));
        }
        let mut best = self.predict(2, 1)?;
        // The most first, since it is often near the best.
        let last = self.predict(most, 1)?;
        let known = last.makespan_s.min(best.makespan_s);
        for ranks in 3..=most {
            let trip = self.trip(ranks)?;
            let bound = trip.least_s((ranks - 1) as u64, self.tasks().count);
            if bound > known.min(best.makespan_s) * (1.0 + ROUNDING) {
                continue;
            }
            let next = self.predict(ranks, 1)?;
            if next.makespan_s < best.makespan_s {
                best = next;
            }
        }
        Ok(best)
    }

    /// The predictions for `ranks` ranks with 1 to `ranks / 2` masters, in order.
    ///
    /// # Errors
    /// Fewer than 2 ranks; the overheads are out of bounds.
    pub fn by_masters(&self, ranks: usize) -> Result<Vec<Prediction>, ModelError> {
        (1..=(ranks / 2).max(1)).map(|masters| self.predict(ranks, masters)).collect()
    }

    /// That of [`by_masters`](Self::by_masters) with the least expected makespan; of equals, that of fewest
    /// masters. Numbers are left out only where a lower bound shows them to take longer.
    ///
    /// # Errors
    /// As there.
    pub fn best_masters(&self, ranks: usize) -> Result<Prediction, ModelError> {
        let trip = self.trip(ranks)?;
        let mut best = self.predict(ranks, 1)?;
        for masters in 2..=ranks / 2 {
            let groups = Masters::new(ranks, masters)?.groups(self.tasks().count);
            let bounds = groups.iter().map(|&(slaves, tasks)| trip.least_s(slaves, tasks));
            if bounds.fold(0.0, f64::max) > best.makespan_s * (1.0 + ROUNDING) {
                continue;
            }
            let next = self.predict(ranks, masters)?;
            if next.makespan_s < best.makespan_s {
                best = next;
            }
        }
        Ok(best)
    }
}
