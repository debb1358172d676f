//! The steps of the parallel pipeline, rank by rank.
//!
//! In every step each rank either sends and takes a task, or receives and merges, in the order that the
//! rank's digits say; a message is received in the step in which it is sent. So the times of all
//! ranks follow from those of the step before by sums and maxima (a max-plus recurrence), messages
//! above S included. A step in the middle of a long run is like
//! the step n before it: long runs are followed at both ends only (see [`Followed`]).

use super::super::costs::Costs;
use super::super::exchange::Party;
use super::super::followed::{Followed, Periods};

/// A rank between two steps.
#[derive(Debug, Clone, Copy)]
struct Rank {
    clock: Party,
    /// Results that it holds.
    held: u64,
}

/// What a rank has sent in a step.
#[derive(Debug, Clone, Copy)]
struct Sent {
    results: u64,
    /// When it arrives, or the request for it.
    arrival: f64,
}

/// All steps of a run.
pub(super) struct Steps<'c> {
    c: &'c Costs,
    arity: usize,
    levels: u32,
    tasks: u64,
    ranks: Vec<Rank>,
    /// Task that the first rank of a step's cohort takes.
    first: u64,
}

impl<'c> Steps<'c> {
    pub(super) fn new(c: &'c Costs, arity: usize, levels: u32, tasks: u64) -> Steps<'c> {
        let p = arity.pow(levels);
        let rank = |r| {
            let begin = if r == p - 1 { c.open() } else { 0.0 };
            let has = (r as u64) < tasks;
            let time = if has { begin + c.task_of(r as u64, tasks) } else { begin };
            Rank { clock: Party::free(time), held: u64::from(has) }
        };
        Steps { c, arity, levels, tasks, ranks: (0..p).map(rank).collect(), first: p as u64 }
    }

    pub(super) fn run(mut self) -> f64 {
        let p = self.ranks.len();
        let (last, cohort, levels) = (p - 1, (p - p / self.arity) as u64, u64::from(self.levels));
        let taking = self.tasks.saturating_sub(p as u64).div_ceil(cohort);
        for step in 0..taking + levels {
            self.step((step % levels) as u32);
            if step + 1 >= levels {
                self.deliver(last);
            }
        }
        self.ranks[last].clock.time += self.c.open();
        self.ranks.iter().map(|rank| rank.clock.ended()).fold(0.0, f64::max)
    }

    fn deliver(&mut self, last: usize) {
        let rank = &mut self.ranks[last];
        rank.clock.time += self.c.sink(std::mem::take(&mut rank.held));
    }

    fn step(&mut self, level: u32) {
        let (arity, p) = (self.arity, self.ranks.len());
        let stride = arity.pow(level);
        let above = p / (stride * arity);
        for high in 0..above {
            for low in 0..stride {
                let base = high * stride * arity + low;
                let receiver = base + (arity - 1) * stride;
                let mut merged = 0u64;
                for digit in 0..arity - 1 {
                    let sender = base + digit * stride;
                    let next = self.first + (high + (low + digit * stride) * above) as u64;
                    let sent = self.send(sender);
                    self.receive((sender, receiver), sent, &mut merged);
                    self.take(sender, next);
                }
                let rank = &mut self.ranks[receiver];
                if merged > 0 {
                    rank.clock.time += self.c.merge(merged, rank.held);
                    rank.held += merged;
                }
            }
        }
        self.first += (p - p / arity) as u64;
    }

    fn send(&mut self, sender: usize) -> Sent {
        let rank = &mut self.ranks[sender];
        let results = std::mem::take(&mut rank.held);
        Sent { results, arrival: rank.clock.send(self.c, results) }
    }

    fn receive(&mut self, (sender, receiver): (usize, usize), sent: Sent, merged: &mut u64) {
        let mut from = self.ranks[sender].clock;
        let rank = &mut self.ranks[receiver];
        rank.clock.receive(self.c, &mut from, sent.results, sent.arrival);
        rank.clock.time += self.c.merge(*merged, sent.results);
        *merged += sent.results;
        self.ranks[sender].clock = from;
    }

    /// The sender's next task.
    fn take(&mut self, sender: usize, next: u64) {
        if next < self.tasks {
            let rank = &mut self.ranks[sender];
            rank.clock.time += self.c.task_of(next, self.tasks);
            rank.held = 1;
        }
    }
}

/// Ranks times levels squared up to which steps are followed, and ranks times steps.
const MOST: u64 = 1 << 13;

/// The makespan of `tasks` tasks on P = aⁿ ranks, of which a step in the long run takes `mean`
/// seconds, without following more steps than must be.
pub(super) fn followed(c: &Costs, arity: usize, levels: u32, tasks: u64, mean: f64) -> Followed {
    if (arity as u64).pow(levels).saturating_mul(u64::from(levels).pow(2)) > MOST {
        return Followed::Not;
    }
    let p = (arity as u64).pow(levels);
    let (cohort, n) = (p - p / arity as u64, u64::from(levels));
    let steps = tasks.saturating_sub(p).div_ceil(cohort);
    let coupled = [1, p / arity as u64].iter().any(|&results| c.meets(results).is_some()) || c.is_entangled();
    if c.mixed() {
        // There is no period.
        let few = p.saturating_mul(steps + n) <= MOST;
        return if few {
            Followed::Exactly(Steps::new(c, arity, levels, tasks).run())
        } else {
            Followed::Not
        };
    }
    let all = steps / n;
    let periods = Periods { all, most: MOST / (p * n), cycle: f64::from(levels) * mean, coupled };
    periods.follow(|periods| Steps::new(c, arity, levels, tasks - (all - periods) * n * cohort).run())
}
