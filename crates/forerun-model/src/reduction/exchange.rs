//! A message between two ranks whose clocks are known, as LogGPS has it.

use super::costs::Costs;
use crate::landing::Landing;

/// A rank's clock, and when its ports are free.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Party {
    pub(super) time: f64,
    pub(super) port: f64,
    pub(super) landing: Landing,
}

impl Party {
    /// Puts something on the port now; gives its arrival.
    fn inject(&mut self, port: f64, transit: f64) -> f64 {
        let injected = self.port.max(self.time);
        self.port = injected + port;
        injected + transit
    }

    /// Begins to send a message of `results` results; gives its arrival, or that of the request where
    /// it is above S.
    pub(super) fn send(&mut self, c: &Costs, results: u64) -> f64 {
        match c.meets(results) {
            Some(empty) => {
                self.time += empty.send;
                self.inject(empty.port, empty.transit)
            }
            None => {
                self.time += c.send(results);
                self.inject(c.port(results), c.transit(results))
            }
        }
    }

    /// Receives what `sender` has begun to send; a sender above S goes on from here.
    pub(super) fn receive(&mut self, c: &Costs, sender: &mut Party, results: u64, arrival: f64) {
        let Some(empty) = c.meets(results) else {
            let done = self.landing.take(arrival, c.landing(results));
            self.time = c.received(self.time, arrival, done, results) + c.receive(results);
            return;
        };
        self.time = self.time.max(arrival);
        self.time += empty.receive + empty.send;
        let answer = self.inject(empty.port, empty.transit);
        sender.time = sender.time.max(answer) + empty.receive + c.overhead(results);
        let arrival = sender.inject(c.port(results), c.transit(results));
        self.time = self.time.max(self.landing.take(arrival, c.landing(results)));
        self.time += c.receive(results);
    }
}
