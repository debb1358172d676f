//! The steps of the parallel pipeline, rank by rank.
//!
//! In every step each rank either sends and takes a task, or receives and merges, in the order that the
//! rank's digits say; a message is received in the step in which it is sent. So the times of all
//! ranks follow from those of the step before by sums and maxima (a max-plus recurrence), the end
//! of the protocol and messages above S included. A step in the middle of a long run is like
//! the step n before it: long runs are followed at both ends only (see [`seconds`]).

use super::super::costs::Costs;
use super::super::exchange::Party;
use super::super::followed::{Followed, Periods};

/// A rank between two steps.
#[derive(Debug, Clone, Copy)]
struct Rank {
    clock: Party,
    /// Results that it holds.
    held: u64,
    /// Links into it that are open.
    open: u32,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Tasks,
    /// There was no further task.
    Dry,
    /// So many more steps, in which it closes its links.
    Closing(u32),
    Ended,
}

/// What a rank has sent in a step.
#[derive(Debug, Clone, Copy)]
struct Sent {
    results: u64,
    is_last: bool,
    /// When it arrives, or the request for it.
    arrival: f64,
}

struct Steps<'c> {
    c: &'c Costs,
    arity: usize,
    levels: u32,
    tasks: u64,
    ranks: Vec<Rank>,
    /// By receiver, level and sender's digit.
    links: Vec<bool>,
    /// Task that the first rank of a step's cohort takes.
    first: u64,
}

impl<'c> Steps<'c> {
    fn new(c: &'c Costs, arity: usize, levels: u32, tasks: u64) -> Steps<'c> {
        let p = arity.pow(levels);
        let mut links = vec![false; p * levels as usize * (arity - 1)];
        let mut ranks = Vec::with_capacity(p);
        for r in 0..p {
            let begin = if r == p - 1 { c.open() } else { 0.0 };
            let has = (r as u64) < tasks;
            let mut rank = Rank {
                clock: Party { time: if has { begin + c.task } else { begin }, port: 0.0 },
                held: u64::from(has),
                open: 0,
                phase: if has { Phase::Tasks } else { Phase::Dry },
            };
            for level in 0..levels {
                if r / arity.pow(level) % arity == arity - 1 {
                    let at = (r * levels as usize + level as usize) * (arity - 1);
                    links[at..at + arity - 1].fill(true);
                    rank.open += arity as u32 - 1;
                }
            }
            ranks.push(rank);
        }
        Steps { c, arity, levels, tasks, ranks, links, first: p as u64 }
    }

    fn run(mut self) -> f64 {
        let last = self.ranks.len() - 1;
        let mut step = 0u64;
        while self.ranks[last].open > 0 {
            self.step((step % u64::from(self.levels)) as u32);
            step += 1;
            if step >= u64::from(self.levels) {
                self.deliver(last);
            }
        }
        self.deliver(last);
        self.ranks[last].clock.time + self.c.open()
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
                    let Some(sent) = self.send(sender, next) else { continue };
                    self.receive((sender, receiver), level, digit, sent, &mut merged);
                    self.take(sender, next);
                }
                let rank = &mut self.ranks[receiver];
                if merged > 0 {
                    rank.clock.time += self.c.merge(merged, rank.held);
                    rank.held += merged;
                }
            }
        }
        for rank in &mut self.ranks {
            if let Phase::Closing(left) = rank.phase {
                rank.phase = if left > 1 { Phase::Closing(left - 1) } else { Phase::Ended };
            }
        }
        self.first += (p - p / arity) as u64;
    }

    /// What `sender` sends in this step, in which `next` would be its next task.
    fn send(&mut self, sender: usize, next: u64) -> Option<Sent> {
        let c = self.c;
        let mut rank = self.ranks[sender];
        if rank.phase == Phase::Ended {
            return None;
        }
        let dry = rank.phase == Phase::Dry || next >= self.tasks;
        if rank.open == 0 && dry && !matches!(rank.phase, Phase::Closing(_)) {
            rank.phase = Phase::Closing(self.levels);
        }
        let results = std::mem::take(&mut rank.held);
        let is_last = matches!(rank.phase, Phase::Closing(_));
        let arrival = rank.clock.send(c, results);
        self.ranks[sender] = rank;
        Some(Sent { results, is_last, arrival })
    }

    fn receive(
        &mut self,
        (sender, receiver): (usize, usize),
        level: u32,
        digit: usize,
        sent: Sent,
        merged: &mut u64,
    ) {
        let at = (receiver * self.levels as usize + level as usize) * (self.arity - 1) + digit;
        if !self.links[at] {
            return;
        }
        let mut from = self.ranks[sender].clock;
        let rank = &mut self.ranks[receiver];
        rank.clock.receive(self.c, &mut from, sent.results, sent.arrival);
        rank.clock.time += self.c.merge(*merged, sent.results);
        *merged += sent.results;
        if sent.is_last {
            self.links[at] = false;
            rank.open -= 1;
        }
        self.ranks[sender].clock = from;
    }

    /// The sender's next task.
    fn take(&mut self, sender: usize, next: u64) {
        let rank = &mut self.ranks[sender];
        if rank.phase == Phase::Tasks {
            if next < self.tasks {
                rank.clock.time += self.c.task;
                rank.held = 1;
            } else {
                rank.phase = Phase::Dry;
            }
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
    let coupled = [1, p / arity as u64].iter().any(|&results| c.meets(results).is_some());
    let all = steps / n;
    let periods = Periods { all, most: MOST / (p * n), cycle: f64::from(levels) * mean, coupled };
    periods.follow(|periods| Steps::new(c, arity, levels, tasks - (all - periods) * n * cohort).run())
}
