//! What each step of a reduction costs, by the number of results in it.

use forerun_platform::{Cost, ReductionProfile};
use forerun_skeleton::reduction::HEADER;

use crate::{Load, ModelError, Wire};

/// Times in seconds of one rank's steps.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    /// A task, in the mean.
    pub(crate) task: f64,
    /// Tasks in all, and of them those that are done.
    done: (u64, u64),
    /// Whether the order of the tasks is kept.
    ordered: bool,
    merge: Cost,
    sink: Cost,
    /// Bytes of one task's result.
    result: f64,
    growth: Vec<f64>,
    wire: Wire,
}

/// What an empty message costs: a request to send, or its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Empty {
    pub(crate) send: f64,
    pub(crate) transit: f64,
    pub(crate) port: f64,
    pub(crate) receive: f64,
}

/// Checks the figures of a profile and a load.
pub(crate) fn check(profile: &ReductionProfile, load: &Load) -> Result<(), ModelError> {
    let spill = profile.spill.unwrap_or_default();
    for (name, cost) in [
        ("a task", &profile.task),
        ("a merge", &profile.merge),
        ("the sink", &profile.sink),
        ("the finish", &profile.finish),
        ("writing to the disk", &spill.write),
        ("reading from the disk", &spill.read),
    ] {
        for figure in cost.figures() {
            if !(figure >= 0.0 && figure.is_finite()) {
                return Err(ModelError::new(format!(
                    "the profile's cost of {name} holds {figure}: expected numbers from 0"
                )));
            }
        }
    }
    let new_memory = profile.new_memory;
    if !(new_memory >= 0.0 && new_memory.is_finite()) {
        return Err(ModelError::new(format!(
            "the profile's cost of new memory is {new_memory}: expected a number from 0"
        )));
    }
    let sizes = [profile.result_bytes.0, profile.result_bytes.1, profile.grown_from];
    for figure in sizes.iter().chain(&profile.growth) {
        if !(*figure >= 0.0 && figure.is_finite()) {
            return Err(ModelError::new(format!(
                "the profile's result sizes hold {figure}: expected numbers from 0"
            )));
        }
    }
    if !(load.bytes >= 0.0 && load.bytes.is_finite()) {
        return Err(ModelError::new(format!(
            "a task's input is {} bytes: expected a number from 0",
            load.bytes
        )));
    }
    Ok(())
}

impl Costs {
    /// Those of ranks of one speed.
    pub(crate) fn new(profile: &ReductionProfile, load: &Load, wire: Wire, speed: f64) -> Costs {
        let profile = profile.sized(load.bytes);
        Costs {
            task: profile.task.on(speed).seconds(load.bytes, 1.0),
            done: (load.tasks, load.done.min(load.tasks)),
            ordered: !load.commutative,
            merge: profile.merge.on(speed),
            sink: profile.sink.on(speed),
            result: profile.result_of(load.bytes),
            growth: profile.growth,
            wire,
        }
    }

    /// Whether tasks differ: some are done.
    pub(crate) fn mixed(&self) -> bool {
        0 < self.done.1 && self.done.1 < self.done.0
    }

    /// Seconds of `n` tasks that are dealt to a group or a rank: of whole ones, where some are done.
    pub(crate) fn tasks(&self, n: u64) -> f64 {
        self.whole(self.undone(n))
    }

    /// How many of `n` tasks of a group are done.
    fn done_of(&self, n: u64) -> u64 {
        let (all, done) = (u128::from(self.done.0), u128::from(self.done.1));
        // The k-th is done in the middle of the k-th part; no more than n.
        ((u128::from(n) * done + all / 2) / all) as u64
    }

    /// Of a group's `n` tasks those that are not done, where some are and some are not, else all.
    pub(crate) fn undone(&self, n: u64) -> u64 {
        if self.mixed() { n - self.done_of(n) } else { n }
    }

    /// Seconds of `n` tasks that are not done.
    pub(crate) fn whole(&self, n: u64) -> f64 {
        let (all, done) = self.done;
        let times = if self.mixed() { all as f64 / (all - done) as f64 } else { 1.0 };
        n as f64 * self.task * times
    }

    /// Seconds of the `i`-th of a group's `n` tasks: none where it is done. Those that are come first where merges commute, and
    /// evenly between the others where the order is kept.
    pub(crate) fn task_of(&self, i: u64, n: u64) -> f64 {
        if !self.mixed() {
            return self.task;
        }
        let is_done = if self.ordered { self.done_of(i + 1) > self.done_of(i) } else { i < self.done_of(n) };
        if is_done { 0.0 } else { self.whole(1) }
    }

    /// Bytes of a piece of `results` results: every level of a balanced merge multiplies the sum
    /// of its parts by the level's growth.
    pub(crate) fn bytes(&self, results: u64) -> f64 {
        let mut bytes = results as f64 * self.result;
        let Some(&last) = self.growth.last() else { return bytes };
        let levels = results.saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
        for factor in self.growth.iter().take(levels) {
            bytes *= factor;
        }
        bytes * last.powi(levels.saturating_sub(self.growth.len()) as i32)
    }

    fn packet(&self, results: u64) -> f64 {
        HEADER as f64 + self.bytes(results)
    }

    /// Bytes of a message with `results` results in it.
    pub(crate) fn message(&self, results: u64) -> f64 {
        self.packet(results)
    }

    /// Seconds to merge pieces of so many results; nothing where one is empty.
    pub(crate) fn merge(&self, left: u64, right: u64) -> f64 {
        if left == 0 || right == 0 {
            return 0.0;
        }
        let bytes = self.bytes(left) + self.bytes(right);
        self.merge.seconds(bytes, (left + right) as f64)
    }

    /// Seconds to hand over a piece; nothing where it is empty.
    pub(crate) fn sink(&self, results: u64) -> f64 {
        if results == 0 {
            return 0.0;
        }
        self.sink.seconds(self.bytes(results), results as f64)
    }

    /// Seconds to open the sink, and to close it: a call with nothing in it.
    pub(crate) fn open(&self) -> f64 {
        self.sink.fixed
    }

    pub(crate) fn send(&self, results: u64) -> f64 {
        self.wire.send(self.packet(results))
    }

    /// o_s of a message above S when its receiver has answered.
    pub(crate) fn overhead(&self, results: u64) -> f64 {
        self.wire.overhead(self.packet(results))
    }

    /// Where a message of so many results meets its receiver first: the costs of the empty messages
    /// that it takes.
    pub(crate) fn meets(&self, results: u64) -> Option<Empty> {
        self.wire.meets(self.packet(results)).then(|| Empty {
            send: self.wire.send(0.0),
            transit: self.wire.transit(0.0),
            port: self.wire.port(0.0),
            receive: self.wire.receive(0.0),
        })
    }

    pub(crate) fn transit(&self, results: u64) -> f64 {
        self.wire.transit(self.packet(results))
    }

    pub(crate) fn port(&self, results: u64) -> f64 {
        self.wire.port(self.packet(results))
    }

    /// What a message takes of its receiver's port, and how long before its arrival it begins to come.
    pub(crate) fn landing(&self, results: u64) -> (f64, f64) {
        self.wire.landing(self.packet(results))
    }

    /// Whether a rank's time depends on when messages come and leave beside their arrival: by its port, or by what they take of its processor.
    pub(crate) fn is_entangled(&self) -> bool {
        self.landing(1).0 > 0.0 || self.interference(1) > 0.0 || self.toll(1) > 0.0
    }

    /// What a message takes of its sender's processor where all of it leaves while that computes.
    pub(crate) fn toll(&self, results: u64) -> f64 {
        self.wire.toll(self.packet(results))
    }

    /// What sending takes of a rank that computes all the time.
    pub(crate) fn sending(&self, results: u64) -> f64 {
        self.send(results) + self.toll(results)
    }

    /// When a rank that is busy until `busy` has received a message of so many results that arrives at `arrival`, and has come in at `done`,
    /// but for the overhead.
    pub(crate) fn received(&self, busy: f64, arrival: f64, done: f64, results: u64) -> f64 {
        self.wire.received(busy, (arrival, done), self.packet(results))
    }

    pub(crate) fn interference(&self, results: u64) -> f64 {
        self.wire.interference(self.packet(results))
    }

    /// The same for ranks that compute all the time ([`Wire::busy`]): what a rank is busy with at most.
    pub(crate) fn busy(&self) -> Costs {
        Costs { wire: self.wire.busy(), ..self.clone() }
    }

    /// What receiving takes of a rank that computes all the time.
    pub(crate) fn reception(&self, results: u64) -> f64 {
        self.receive(results) + self.interference(results)
    }

    pub(crate) fn receive(&self, results: u64) -> f64 {
        self.wire.receive(self.packet(results))
    }

    /// Seconds from the begin of a send to the end of the receive.
    pub(crate) fn hop(&self, results: u64) -> f64 {
        self.wire.hop(self.packet(results))
    }

    /// Seconds by which a further message is received after the one before ([`Wire::in_turn`]).
    pub(crate) fn in_turn(&self, results: u64) -> f64 {
        self.wire.in_turn(self.packet(results))
    }

    /// Seconds of a claim by a rank that does not own the counter.
    pub(crate) fn claim(&self) -> f64 {
        self.wire.ask()
    }

    /// Seconds to add `1` result at a time to a list until it holds `results`.
    pub(crate) fn append(&self, results: u64) -> f64 {
        if self.growth.is_empty() {
            // Σ over k = 2 … n of fixed + (per_byte · result + per_result) · k
            let n = results as f64;
            let merges = (n - 1.0).max(0.0);
            let sum = (n * (n + 1.0) / 2.0 - 1.0).max(0.0);
            let each = self.merge.per_byte * self.result + self.merge.per_result;
            return self.merge.fixed * merges + each * sum;
        }
        let (mut from, mut seconds) = (1, 0.0);
        while from < results {
            // On one level of merging sizes are on a line, of which the mean is that of its ends.
            let to = from.next_power_of_two().min(results - 1);
            seconds += (to - from + 1) as f64 * (self.merge(from, 1) + self.merge(to, 1)) / 2.0;
            from = to + 1;
        }
        seconds
    }

    /// Seconds of those merges of `results` single results that are due as they come: of equal
    /// pieces.
    pub(crate) fn fold_due(&self, results: u64) -> f64 {
        (0..64)
            .map(|bit| (1u64 << bit, results.checked_shr(bit + 1).unwrap_or(0)))
            .take_while(|&(_, pairs)| pairs > 0)
            .map(|(size, pairs)| pairs as f64 * self.merge(size, size))
            .sum()
    }

    /// Seconds to merge `results` single results in balance, as `Fold` does, into one piece.
    pub(crate) fn fold(&self, results: u64) -> f64 {
        self.fold_of(results, 1)
    }

    /// The same for `pieces` pieces of `each` results.
    pub(crate) fn fold_of(&self, pieces: u64, each: u64) -> f64 {
        let mut held: Option<u64> = None;
        let mut seconds = 0.0;
        // From the smallest: collapsing merges the last pieces first.
        for bit in 0..64 {
            let size = 1u64 << bit;
            if size > pieces {
                break;
            }
            if pieces & size != 0 {
                seconds += held.map_or(0.0, |h| self.merge(size * each, h));
                held = Some(held.unwrap_or(0) + size * each);
            }
            // Pieces of twice this size are made from two of this size.
            let pairs = pieces >> (bit + 1);
            seconds += pairs as f64 * self.merge(size * each, size * each);
        }
        seconds
    }
}

#[cfg(test)]
pub(super) mod tests {
    use forerun_platform::{Cost, Network, ReductionProfile};

    use super::Costs;
    use crate::Load;
    use crate::wire::Wire;

    pub(in super::super) fn costs(growth: Vec<f64>) -> Costs {
        costs_on(&Network::default(), growth)
    }

    pub(in super::super) fn costs_on(network: &Network, growth: Vec<f64>) -> Costs {
        let merge = Cost { fixed: 1e-4, per_byte: 1e-6, per_result: 1e-5, ..Cost::default() };
        let profile = ReductionProfile {
            task: Cost::constant(1e-3),
            merge,
            result_bytes: (50.0, 1.0),
            growth,
            ..ReductionProfile::default()
        };
        let wire = Wire::new(network, 1).expect("a network");
        Costs::new(&profile, &Load::new(100, 20.0), wire, 1.0)
    }

    #[test]
    fn appending_takes_what_its_merges_do() {
        for growth in [vec![], vec![0.9], vec![1.0, 0.5], vec![0.9, 0.8, 1.1]] {
            let c = costs(growth.clone());
            for results in (0..70).chain([127, 128, 129, 1000]) {
                let (all, each): (f64, f64) = (c.append(results), (1..results).map(|k| c.merge(k, 1)).sum());
                assert!((all - each).abs() <= 1e-12 * each, "{results} of {growth:?}: {all} and {each}");
            }
        }
    }
}
