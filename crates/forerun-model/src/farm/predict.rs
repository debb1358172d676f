//! How long a farm takes.

use forerun_platform::{Host, Network, Platform};

use super::rounds;
use super::trip::{Bound, Trip};
use super::{Masters, Tasks};
use crate::reduction::largest_normal;
use crate::{ModelError, Speeds, Wire};

/// A farm on a network, for any number of ranks. See [`crate::farm`] for what is assumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Farm {
    platform: Platform,
    tasks: Tasks,
}

/// What a farm of a given number of ranks and masters comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Ranks, masters included.
    pub ranks: usize,
    /// Masters.
    pub masters: usize,
    /// Expected seconds from the start to the end of the last rank.
    pub makespan_s: f64,
    /// The same without spread: exact.
    pub even_s: f64,
    /// What keeps the group that takes longest from being faster.
    pub bound: Bound,
    /// The part of the makespan for which that group's master is busy.
    pub utilisation: f64,
    /// The round trip.
    pub trip: Trip,
}

impl Farm {
    /// A farm on hosts of speed 1.
    ///
    /// # Errors
    /// No task, no prefetch, or a figure that is negative or not a number.
    pub fn new(network: &Network, tasks: Tasks) -> Result<Farm, ModelError> {
        Farm::on(&Platform::new("network", vec![Host::new("host", 1, 1)], network.clone()), tasks)
    }

    /// A farm on a platform whose hosts are alike; `tasks.work_s` is on a host of speed 1. (That of [`Farm::tasks`]
    /// is then on these hosts, with what a task waits.)
    ///
    /// # Errors
    /// As [`Farm::new`]; hosts of different speeds, or without any.
    pub fn on(platform: &Platform, tasks: Tasks) -> Result<Farm, ModelError> {
        if tasks.count == 0 || tasks.prefetch == 0 {
            return Err(ModelError::new(format!(
                "a farm of {} tasks, of which a slave has {} at a time: expected at least 1 of both",
                tasks.count, tasks.prefetch
            )));
        }
        let figures = [
            ("work", tasks.work_s),
            ("wait", tasks.wait_s),
            ("spread", tasks.spread),
            ("message", tasks.task_bytes),
            ("answer", tasks.answer_bytes),
            ("handing on", tasks.sink_s),
            ("beginning to hand on", tasks.open_s),
        ];
        for (name, value) in figures {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ModelError::new(format!("a task's {name} is {value}: expected a number from 0")));
            }
        }
        let speeds = Speeds::new(platform, platform.hosts.len())?;
        if !speeds.are_alike() || platform.hosts.iter().any(|h| !h.availability.is_empty()) {
            return Err(ModelError::new(format!(
                "the hosts of platform {} differ in speed, and the farm's model takes slaves to be alike: \
                 give one kind of host",
                platform.name
            )));
        }
        let farm = Farm {
            platform: platform.clone(),
            tasks: Tasks { work_s: tasks.work_s / speeds.first() + tasks.wait_s, wait_s: 0.0, ..tasks },
        };
        farm.trip(2)?;
        Ok(farm)
    }

    /// The tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// A task's round trip in a job of `ranks` ranks.
    ///
    /// # Errors
    /// The overheads are out of bounds, or other jobs use up a link on the way.
    pub fn trip(&self, ranks: usize) -> Result<Trip, ModelError> {
        Ok(Trip::new(&Wire::on(&self.platform, ranks)?, &self.tasks))
    }

    /// The prediction for `ranks` ranks, `masters` of them masters: see [`Masters`] for the groups.
    ///
    /// Cost: O(ranks · prefetch) for each of the rounds until the farm is in its steady state, and for
    /// each kind of group, of which there are few.
    ///
    /// # Errors
    /// Not a slave for every master; a makespan that is no number any more.
    pub fn predict(&self, ranks: usize, masters: usize) -> Result<Prediction, ModelError> {
        let kinds = Masters::new(ranks, masters)?.kinds(self.tasks.count);
        let trip = self.trip(ranks)?;
        let prefetch = self.tasks.prefetch;
        let (mut makespan_s, mut even_s) = (0.0f64, 0.0f64);
        let mut longest = kinds[0];
        for &(slaves, tasks) in &kinds {
            let even = rounds::makespan(&trip, slaves, tasks, prefetch);
            let expected = self.expected(&trip, slaves, tasks, masters, even);
            if expected >= makespan_s {
                (makespan_s, longest) = (expected, (slaves, tasks));
            }
            even_s = even_s.max(even);
        }
        if !makespan_s.is_finite() {
            return Err(ModelError::new(format!(
                "{} tasks of these costs take longer than can be told",
                self.tasks.count
            )));
        }
        let (slaves, tasks) = longest;
        let bound = trip.cycle_of(tasks, slaves, prefetch).1;
        let busy = tasks as f64 * trip.master_s() + slaves as f64 * trip.end.send_s + 2.0 * trip.open_s;
        let utilisation = if makespan_s > 0.0 { (busy / makespan_s).min(1.0) } else { 0.0 };
        Ok(Prediction { ranks, masters, makespan_s, even_s, bound, utilisation, trip })
    }

    /// Expected seconds of the slowest of `masters` groups like this one, which takes `even` without spread.
    fn expected(&self, trip: &Trip, slaves: u64, tasks: u64, masters: usize, even: f64) -> f64 {
        let deviation = self.tasks.spread * self.tasks.work_s;
        if deviation == 0.0 || tasks == 0 {
            return even;
        }
        let (slaves, at_a_time) = Trip::at_work(tasks, slaves, self.tasks.prefetch);
        // What slaves wait for the master anyway takes deviations up; but answers come at odd times.
        let (cycle, own) = (trip.cycle_s(slaves, at_a_time).0, trip.slave_cycle_s(at_a_time));
        let wait = if at_a_time == 1 { trip.queueing_s(slaves) } else { 0.0 };
        let slow = if cycle > 0.0 { even * (own + wait) / cycle } else { 0.0 };
        // Whoever is free takes the next task, so that deviations add up over the group and are shared by
        // its slaves; the tasks at the very end are shared by nobody.
        let sum = deviation * (tasks as f64).sqrt() / slaves as f64 * largest_normal(masters as f64);
        let last = deviation * largest_normal(slaves as f64);
        even.max(slow + sum + last)
    }
}
