//! The makespan of one master and its slaves, where all tasks cost the same.
//!
//! The master first gives every slave its tasks, one to each in turn, and then answers every answer, as they
//! come, with a further task; when there is none left, with a message that ends the slave. With costs that do
//! not vary, answers come in the order of the tasks (*proof*: task t, on slave t mod S, is done at
//! `max(arrival(t), done(t − S)) + y`; both terms do not fall with t, by induction), so task after task can be
//! followed without a queue of events:
//!
//! ```text
//! done(t)   = max(arrival(t), done(t − S)) + o_r + work + o_s
//! answer(t) = max(done(t), the slave's port) + transit
//! master    = max(master, answer(t)) + o_r, then + o_s for task t + S w, then + what handing answer t on takes
//! ```
//!
//! These are maxima of sums: once all times have moved by the same amount over a round of S tasks, they do so
//! in every further round, and all rounds but the last are skipped. So the cost is that of the rounds until
//! then, mostly a few, and the result is that of all N tasks, to rounding.

use std::collections::VecDeque;

use super::trip::Trip;

/// All times of a farm between two rounds.
struct State {
    /// The master's clock and port.
    master: f64,
    port: f64,
    /// When each slave is done with what it has, and its port.
    slaves: Vec<(f64, f64)>,
    /// When the answers that are out arrive, in their order.
    answers: VecDeque<f64>,
}

impl State {
    /// Gives the task to a slave.
    fn give(&mut self, trip: &Trip, slave: usize) {
        self.master += trip.give_s;
        let injected = self.master.max(self.port);
        self.port = injected + trip.port_s;
        let (done, port) = &mut self.slaves[slave];
        *done = done.max(injected + trip.there_s) + trip.slave_s;
        let answered = done.max(*port);
        *port = answered + trip.slave_port_s;
        self.answers.push_back(answered + trip.back_s);
    }

    /// Ends a slave; gives when it has.
    fn end(&mut self, trip: &Trip, slave: usize) -> f64 {
        self.master += trip.end.send_s;
        let injected = self.master.max(self.port);
        self.port = injected + trip.end.port_s;
        self.slaves[slave].0.max(injected + trip.end.there_s) + trip.end.receive_s
    }

    fn times(&self) -> impl Iterator<Item = f64> {
        let slaves = self.slaves.iter().flat_map(|&(done, port)| [done, port]);
        [self.master, self.port].into_iter().chain(slaves).chain(self.answers.iter().copied())
    }

    /// By how much all times moved since `before`, if by the same.
    fn moved(&self, before: &[f64]) -> Option<f64> {
        let by = self.master - *before.first()?;
        let tolerance = 16.0 * f64::EPSILON * self.master.max(self.port);
        self.times().zip(before).all(|(now, was)| (now - was - by).abs() <= tolerance).then_some(by)
    }

    fn skip(&mut self, by: f64) {
        self.master += by;
        self.port += by;
        for (done, port) in &mut self.slaves {
            *done += by;
            *port += by;
        }
        for answer in &mut self.answers {
            *answer += by;
        }
    }
}

/// Seconds until master and slaves have ended: `slaves` of at least 1, `tasks` tasks, `prefetch` of at least 1.
pub(super) fn makespan(trip: &Trip, slaves: u64, tasks: u64, prefetch: u64) -> f64 {
    let s = slaves as usize;
    let mut state =
        State { master: trip.open_s, port: 0.0, slaves: vec![(0.0, 0.0); s], answers: VecDeque::new() };
    let first = tasks.min(slaves.saturating_mul(prefetch));
    for t in 0..first {
        state.give(trip, (t % slaves) as usize);
    }
    let mut ended = 0.0f64;
    for slave in tasks.min(slaves)..slaves {
        ended = ended.max(state.end(trip, slave as usize));
    }
    let mut left = tasks - first;
    let mut before: Vec<f64> = Vec::new();
    // Answers that further tasks follow, round by round.
    while left > 0 {
        for slave in 0..left.min(slaves) {
            take(&mut state, trip);
            state.give(trip, slave as usize);
            state.master += trip.sink_s;
        }
        left -= left.min(slaves);
        let more = left / slaves;
        if more > 1
            && let Some(by) = state.moved(&before)
        {
            state.skip(by * more as f64);
            left -= more * slaves;
        }
        before.clear();
        before.extend(state.times());
    }
    // The rest, the first of each slave of which ends it.
    let from = tasks - state.answers.len() as u64;
    for t in from..tasks {
        take(&mut state, trip);
        if t < from + slaves.min(tasks) {
            ended = ended.max(state.end(trip, (t % slaves) as usize));
        }
        state.master += trip.sink_s;
    }
    (state.master + trip.open_s).max(ended)
}

fn take(state: &mut State, trip: &Trip) {
    if let Some(arrived) = state.answers.pop_front() {
        state.master = state.master.max(arrived) + trip.take_s;
    }
}
