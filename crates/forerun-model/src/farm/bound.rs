//! What a farm takes at least, for whole ranges of slaves or masters at once.
//!
//! Every term of a trip grows with the number of ranks, if it changes: overheads by their part for each rank, and
//! the rest with the levels of the topology that are on the way. So what is true of the least of a range bounds all of it.

use std::ops::RangeInclusive;

use super::trip::Trip;
use super::{Farm, Tasks};
use crate::ModelError;
use crate::reduction::largest_normal;

/// What a group of slaves takes at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// The least and the most slaves that it may have.
    pub(super) slaves: (u64, u64),
    /// Its tasks, at least.
    pub(super) tasks: u64,
    /// The tasks of the slave that has most, at least.
    pub(super) most: u64,
    /// Groups like it, at least.
    pub(super) masters: usize,
}

impl Trip {
    /// Seconds that a group takes at least, without spread: what its master, its port and the slave that has most
    /// tasks are busy for, and what must come before and after.
    pub(super) fn least_s(&self, group: &Group, prefetch: u64) -> f64 {
        let (fewest, most) = group.slaves;
        let n = group.tasks;
        if n == 0 {
            return 0.0;
        }
        let tasks = n as f64;
        let out = most.saturating_mul(prefetch).min(n) as f64;
        let end = self.end.send_s;
        // With one task at a time, the last answer is followed by the end of its slave.
        let close = if prefetch == 1 { self.end.there_s + self.end.receive_s } else { 0.0 };
        // The master hands on the last answer, and ends that, meanwhile.
        let last_s = (self.sink_s + self.open_s).max(close);
        // Every answer is taken in and every slave ended; before the first answer there is only so much to do.
        let idle = fewest == most;
        let before = out * self.give_s + fewest.saturating_sub(n) as f64 * end;
        let waits = if idle { (self.total_s - self.take_s - before).max(0.0) } else { 0.0 };
        let master = tasks * self.master_s() - self.sink_s + fewest as f64 * end + waits + last_s;
        // The last task is given when all others are, and all answers but those that are out are in.
        let handed_s = (tasks - out - 1.0).max(0.0) * self.sink_s;
        let last = tasks * self.give_s
            + (tasks - out) * self.take_s
            + handed_s
            + (self.total_s - self.give_s)
            + last_s;
        let port = self.total_s + (tasks - 1.0) * self.port_s;
        let work = (group.most - 1) as f64 * self.slave_s + self.total_s;
        let trips = group.most.div_ceil(prefetch) as f64 * self.total_s;
        self.open_s + master.max(last).max(port).max(work).max(trips)
    }
}

impl Farm {
    /// Seconds that one master takes at least with any number of ranks in the range.
    pub(super) fn least_by_ranks(&self, ranks: &RangeInclusive<usize>) -> Result<f64, ModelError> {
        let trip = self.trip(*ranks.start())?;
        let slaves = (*ranks.start() as u64 - 1, *ranks.end() as u64 - 1);
        let tasks = self.tasks().count;
        let group = Group { slaves, tasks, most: tasks.div_ceil(slaves.1), masters: 1 };
        // What sets the pace of the largest farm of the range takes longest.
        let longest = if slaves.0 == slaves.1 { trip } else { self.trip(*ranks.end())? };
        Ok(expected_least_s(self.tasks(), &trip, &longest, &group))
    }

    /// Seconds that `ranks` ranks take at least with any number of masters in the range.
    pub(super) fn least_by_masters(&self, ranks: usize, trip: &Trip, masters: &RangeInclusive<usize>) -> f64 {
        let (fewest, most) = (*masters.start(), *masters.end());
        let tasks = self.tasks().count;
        // The group that has most tasks has at least its part of them, and the slave that has most as well.
        let slaves = ((ranks / most) as u64 - 1, ranks.div_ceil(fewest) as u64 - 1);
        let group = Group {
            slaves,
            tasks: tasks.div_ceil(most as u64),
            most: tasks.div_ceil((ranks - fewest) as u64),
            masters: fewest,
        };
        expected_least_s(self.tasks(), trip, trip, &group)
    }
}

/// The same with spread, as [`Farm::predict`] adds it.
fn expected_least_s(tasks: &Tasks, trip: &Trip, longest: &Trip, group: &Group) -> f64 {
    let even = trip.least_s(group, tasks.prefetch);
    let deviation = tasks.spread * tasks.work_s;
    if deviation == 0.0 || group.tasks == 0 {
        return even;
    }
    // No more slaves work than there are tasks in all, and with fewer tasks at a time each takes no less time for one.
    let (fewest, most) = (group.slaves.0, group.slaves.1.min(tasks.count));
    let cycle = longest.cycle_s(most, tasks.prefetch).0;
    let slow = if cycle > 0.0 { even * trip.slave_cycle_s(tasks.prefetch) / cycle } else { 0.0 };
    let sum = deviation * (group.tasks as f64).sqrt() / most as f64 * largest_normal(group.masters as f64);
    even.max(slow + sum + deviation * largest_normal(fewest.min(group.tasks) as f64))
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Measured, Network, Overhead, Seconds};
    use proptest::prelude::*;

    use super::super::rounds::makespan;
    use super::{Farm, Group, Tasks};

    fn network(overhead: f64, per_rank: f64, latency: f64, gap: f64) -> Network {
        let overhead = Overhead {
            base: Measured::stated(Seconds(overhead)),
            per_rank: Measured::stated(Seconds(per_rank)),
            ..Overhead::default()
        };
        Network {
            send_overhead: overhead,
            receive_overhead: overhead,
            latency: Measured::stated(Seconds(latency)),
            gap: Measured::stated(Seconds(gap)),
            ..Network::default()
        }
    }

    proptest! {
        #[test]
        fn no_group_takes_less(
            (overhead, per_rank, latency) in (0.0..3.0f64, 0.0..0.1f64, 0.0..20.0f64),
            (gap, work) in (0.0..3.0f64, 0.0..50.0f64),
            (slaves, tasks, prefetch) in (1u64..20, 1u64..200, 1u64..4),
            (sink_s, open_s) in (0.0..3.0f64, 0.0..3.0f64),
        ) {
            let tasks = Tasks { sink_s, open_s, prefetch, ..Tasks::new(tasks, work, 8.0, 8.0) };
            let farm = Farm::new(&network(overhead, per_rank, latency, gap), tasks).expect("valid");
            let trip = farm.trip(slaves as usize + 1).expect("valid");
            let most = tasks.count.div_ceil(slaves);
            let group = Group { slaves: (slaves, slaves), tasks: tasks.count, most, masters: 1 };
            let took = makespan(&trip, slaves, tasks.count, prefetch);
            let least = trip.least_s(&group, prefetch);
            prop_assert!(least <= took * (1.0 + 1e-12), "{least} at least, {took} taken");
        }

        #[test]
        fn no_farm_of_a_range_takes_less(
            (overhead, per_rank, latency) in (0.0..3.0f64, 0.0..0.1f64, 0.0..20.0f64),
            (gap, work, spread) in (0.0..3.0f64, 0.0..50.0f64, prop::sample::select(vec![0.0, 0.5, 2.0])),
            (sink_s, open_s) in (0.0..3.0f64, 0.0..3.0f64),
            (from, more, at, tasks, prefetch) in (2usize..40, 0usize..20, 0usize..20, 1u64..200, 1u64..4),
        ) {
            let tasks = Tasks { spread, sink_s, open_s, prefetch, ..Tasks::new(tasks, work, 8.0, 8.0) };
            let farm = Farm::new(&network(overhead, per_rank, latency, gap), tasks).expect("valid");
            let ranks = from + at.min(more);
            let least = farm.least_by_ranks(&(from..=from + more)).expect("valid");
            let took = farm.predict(ranks, 1).expect("valid").makespan_s;
            prop_assert!(least <= took * (1.0 + 1e-12), "{ranks} ranks: {least} at least, {took} taken");
            let (last, trip) = (ranks / 2, farm.trip(ranks).expect("valid"));
            let masters = (1 + at % last)..=(1 + at % last + more).min(last);
            let least = farm.least_by_masters(ranks, &trip, &masters);
            for masters in masters {
                let took = farm.predict(ranks, masters).expect("valid").makespan_s;
                prop_assert!(least <= took * (1.0 + 1e-12), "{masters} masters: {least} at least, {took} taken");
            }
        }
    }
}
