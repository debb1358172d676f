//! A message between two ranks whose clocks are known, as LogGPS has it.

use super::costs::Costs;
use crate::landing::Landing;
use crate::leaving::Leaving;

/// A rank's clock and its ports. Work is added to the clock; what messages that leave meanwhile take of it, when the rank next
/// communicates or ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Party {
    pub(super) time: f64,
    /// When it last communicated: what it has done since is work.
    since: f64,
    leaving: Leaving,
    landing: Landing,
}

impl Party {
    /// One that has worked until `time`, whose ports are as given.
    pub(super) fn at(time: f64, leaving: Leaving, landing: Landing) -> Party {
        Party { time, since: time, leaving, landing }
    }

    /// One that has worked until `time`, whose ports are free.
    pub(super) fn free(time: f64) -> Party {
        Party::at(time, Leaving::default(), Landing::default())
    }

    /// When its work has ended.
    pub(super) fn ended(&self) -> f64 {
        self.leaving.ends(self.since, self.time)
    }

    /// Until when its port is taken.
    pub(super) fn port(&self) -> f64 {
        self.leaving.port
    }

    fn end_work(&mut self) {
        self.time = self.ended();
        self.since = self.time;
    }

    fn busy(&mut self, seconds: f64) {
        self.time += seconds;
        self.since = self.time;
    }

    /// Puts something on the port now; gives its arrival.
    fn inject(&mut self, (port, toll): (f64, f64), transit: f64) -> f64 {
        self.leaving.put(self.time, (port, toll)) + transit
    }

    /// Begins to send a message of `results` results; gives its arrival, or that of the request where
    /// it is above S.
    pub(super) fn send(&mut self, c: &Costs, results: u64) -> f64 {
        match c.meets(results) {
            Some(empty) => {
                self.end_work();
                self.busy(empty.send);
                self.inject((empty.port, 0.0), empty.transit)
            }
            None => self.post(c, results),
        }
    }

    /// Sends a message of `results` results, for whose receiver it does not wait; gives its arrival.
    pub(super) fn post(&mut self, c: &Costs, results: u64) -> f64 {
        self.end_work();
        self.busy(c.send(results));
        self.inject((c.port(results), c.toll(results)), c.transit(results))
    }

    /// Receives what `sender` has begun to send; a sender above S goes on from here.
    pub(super) fn receive(&mut self, c: &Costs, sender: &mut Party, results: u64, arrival: f64) {
        let Some(empty) = c.meets(results) else { return self.take(c, results, arrival) };
        self.end_work();
        self.time = self.time.max(arrival);
        self.busy(empty.receive + empty.send);
        let answer = self.inject((empty.port, 0.0), empty.transit);
        sender.time = sender.time.max(answer);
        sender.busy(empty.receive + c.overhead(results));
        let arrival = sender.inject((c.port(results), c.toll(results)), c.transit(results));
        self.time = self.time.max(self.land(c, arrival, results));
        self.busy(c.receive(results));
    }

    /// Receives a message that arrives at `arrival`.
    pub(super) fn take(&mut self, c: &Costs, results: u64, arrival: f64) {
        self.end_work();
        let done = self.land(c, arrival, results);
        self.time = c.received(self.time, arrival, done, results);
        self.busy(c.receive(results));
    }

    /// When a message that arrives at `arrival` has come in.
    fn land(&mut self, c: &Costs, arrival: f64, results: u64) -> f64 {
        self.landing.take(arrival, c.landing(results))
    }

    /// When `many` messages have come in of which the last arrives at `arrival`.
    pub(super) fn land_all(&mut self, c: &Costs, (many, results): (u64, u64), arrival: f64) -> f64 {
        let (takes, before) = c.landing(results);
        self.landing.take(arrival, (many as f64 * takes, before))
    }
}
