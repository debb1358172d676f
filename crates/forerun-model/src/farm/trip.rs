//! A task's round trip.

use super::Tasks;
use crate::Wire;

/// What keeps a farm from being faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The master: it gives out and takes in without a pause.
    Master,
    /// The master's port: bytes of tasks on the wire.
    Port,
    /// The slaves: they work without a pause.
    Slaves,
    /// The round trip: slaves wait for their next task although the master is free.
    Trip,
}

impl Bound {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Master => "master",
            Bound::Port => "master's port",
            Bound::Slaves => "slaves",
            Bound::Trip => "round trip",
        }
    }
}

/// Seconds of a task's round trip in a job of a given number of ranks, all their overheads included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trip {
    /// o_s of the task: the master's time to give it out.
    pub give_s: f64,
    /// o_r of the answer: the master's time to take it in.
    pub take_s: f64,
    /// o_r of the task, the work and o_s of the answer: the slave's time.
    pub slave_s: f64,
    /// For which the master hands the answer on, when it has given the next task out.
    pub sink_s: f64,
    /// For which it begins with that before all, and ends it after all.
    pub(super) open_s: f64,
    /// From when the master begins to give the task out until it has taken the answer in, if nobody waits.
    pub total_s: f64,
    /// For which the task's message keeps the master's port busy.
    pub port_s: f64,
    /// For which the answer's message keeps the slave's port busy.
    pub slave_port_s: f64,
    /// On the wire.
    pub(super) there_s: f64,
    pub(super) back_s: f64,
    /// o_s and o_r of an empty message, and its time on the wire: of the end.
    pub(super) end: End,
}

/// What the message that ends a slave costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub(super) send_s: f64,
    pub(super) there_s: f64,
    pub(super) port_s: f64,
    pub(super) receive_s: f64,
}

impl Trip {
    pub(super) fn new(wire: &Wire, tasks: &Tasks) -> Trip {
        let (task, answer) = (tasks.task_bytes, tasks.answer_bytes);
        let (give_s, take_s) = (wire.send(task), wire.receive(answer));
        let slave_s = wire.receive(task) + tasks.work_s + wire.send(answer);
        let (there_s, back_s) = (wire.transit(task), wire.transit(answer));
        Trip {
            give_s,
            take_s,
            slave_s,
            sink_s: tasks.sink_s,
            open_s: tasks.open_s,
            total_s: give_s + there_s + slave_s + back_s + take_s,
            port_s: wire.port(task),
            slave_port_s: wire.port(answer),
            there_s,
            back_s,
            end: End {
                send_s: wire.send(0.0),
                there_s: wire.transit(0.0),
                port_s: wire.port(0.0),
                receive_s: wire.receive(0.0),
            },
        }
    }

    /// The master's time for a task: to give it out, to take its answer in and to hand that on.
    pub fn master_s(&self) -> f64 {
        self.give_s + self.take_s + self.sink_s
    }

    /// Seconds in which a slave gets through a task if the master is always free: the longest of its own time,
    /// its port's and a round trip over the tasks that it has at a time.
    pub fn slave_cycle_s(&self, prefetch: u64) -> f64 {
        self.slave_s.max(self.slave_port_s).max(self.total_s / prefetch.max(1) as f64)
    }

    /// Seconds from task to task of a slave in a long run of `slaves` slaves, and what sets it.
    pub fn cycle_s(&self, slaves: u64, prefetch: u64) -> (f64, Bound) {
        let all = slaves as f64;
        let own = self.slave_s.max(self.slave_port_s);
        let candidates = [
            (all * self.master_s(), Bound::Master),
            (all * self.port_s, Bound::Port),
            (own, Bound::Slaves),
            (self.total_s / prefetch.max(1) as f64, Bound::Trip),
        ];
        candidates.into_iter().fold((0.0, Bound::Trip), |a, b| if b.0 > a.0 { b } else { a })
    }

    /// The same for `slaves` slaves that share so many tasks: those without a task set no pace, and nobody has
    /// more tasks at a time than are its part.
    pub(super) fn cycle_of(&self, tasks: u64, slaves: u64, prefetch: u64) -> (f64, Bound) {
        match Trip::at_work(tasks, slaves, prefetch) {
            _ if tasks == 1 => (self.total_s, Bound::Trip),
            (slaves, at_a_time) => self.cycle_s(slaves, at_a_time),
        }
    }

    /// Of `slaves` slaves those that get one of so many tasks, and how many of them such a one has at a time.
    pub(super) fn at_work(tasks: u64, slaves: u64, prefetch: u64) -> (u64, u64) {
        let slaves = slaves.min(tasks).max(1);
        (slaves, prefetch.min(tasks.div_ceil(slaves)).max(1))
    }

    /// Mean seconds that an answer waits for the master where `slaves` slaves answer at odd times and have
    /// one task at a time.
    ///
    /// Mean value analysis of a closed loop of one station: the n-th answer finds those that n − 1 slaves
    /// leave there on average, the one that the master works on half done (its time does not vary).
    pub(super) fn queueing_s(&self, slaves: u64) -> f64 {
        let serve = self.master_s();
        // It hands an answer on while its slave is at work again.
        let away = (self.total_s - serve).max(0.0);
        let (mut there, mut busy, mut stay) = (0.0, 0.0f64, serve);
        for n in 1..=slaves {
            stay = serve * (1.0 + there - busy / 2.0);
            let rate = n as f64 / (away + stay);
            there = rate * stay;
            busy = (rate * serve).min(1.0);
        }
        (stay - serve).max(0.0)
    }

    /// The least number of tasks that a slave has to have at a time so that it never waits for a round trip,
    /// where `slaves` slaves share the master: more does not help in a long run.
    pub fn prefetch(&self, slaves: u64) -> u64 {
        let all = slaves as f64;
        let rest = (all * self.master_s()).max(all * self.port_s).max(self.slave_s).max(self.slave_port_s);
        if rest > 0.0 { (self.total_s / rest * (1.0 - 4.0 * f64::EPSILON)).ceil().max(1.0) as u64 } else { 1 }
    }
}
