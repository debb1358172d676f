//! Reduction tree, and master and slaves, where messages above S hold their senders until they are
//! received, so that ranks depend on each other both ways, where messages wait for each other at their receiver's
//! port, or where some tasks are done before the run: both are followed rank by rank.

use super::costs::Costs;
use super::exchange::Party;
use super::followed::{Followed, Periods};
use super::rounds::children;

/// Ranks times rounds that are followed at most.
const MOST: u64 = 1 << 13;

/// The reduction tree of `ranks` ranks up to its last delivery, of rounds that take a rank on its own `cycle`
/// seconds at most.
pub(super) fn tree(c: &Costs, ranks: u64, arity: u64, tasks: u64, cycle: f64) -> Followed {
    if ranks > MOST / 8 {
        return Followed::Not;
    }
    let all = tasks / ranks;
    let followed = |rounds| {
        let mut tree = Tree::new(c, ranks, arity, tasks);
        for _ in 0..rounds {
            tree.round(ranks as usize, ranks);
        }
        match tasks % ranks {
            // Ranks without a task have closed their links, but not before the first round.
            rest if all == 0 => tree.round(ranks as usize, rest),
            0 => {}
            rest => tree.round(rest as usize, rest),
        }
        tree.clocks[0].ended()
    };
    if c.mixed() {
        return if tasks <= MOST { Followed::Exactly(followed(all)) } else { Followed::Not };
    }
    Periods { all, most: MOST / ranks, cycle, coupled: true }.follow(followed)
}

struct Tree<'c> {
    c: &'c Costs,
    arity: u64,
    tasks: u64,
    /// Tasks of the rounds before.
    first: u64,
    clocks: Vec<Party>,
    held: Vec<u64>,
    /// Ranks of each rank's subtree.
    sizes: Vec<u64>,
}

impl<'c> Tree<'c> {
    fn new(c: &'c Costs, ranks: u64, arity: u64, tasks: u64) -> Tree<'c> {
        let size = |rank: u64| {
            let mut stride = if rank == 0 { ranks } else { 1 };
            while rank > 0 && rank.is_multiple_of(stride * arity) {
                stride *= arity;
            }
            stride.min(ranks - rank)
        };
        let mut clocks = vec![Party::default(); ranks as usize];
        clocks[0].time = c.open();
        Tree {
            c,
            arity,
            tasks,
            first: 0,
            clocks,
            held: vec![0; ranks as usize],
            sizes: (0..ranks).map(size).collect(),
        }
    }

    /// A round of the first `tasks` of `ranks` ranks.
    fn round(&mut self, ranks: usize, tasks: u64) {
        let c = self.c;
        // Children before their parents.
        for rank in (0..ranks).rev() {
            let has = (rank as u64) < tasks;
            let mut my = self.clocks[rank];
            my.time += if has { c.task_of(self.first + rank as u64, self.tasks) } else { 0.0 };
            let mut held = u64::from(has);
            for (from, _) in children(self.sizes[rank], self.arity) {
                let child = rank + from as usize;
                if child >= ranks {
                    break;
                }
                let (its, results) = (&mut self.clocks[child], self.held[child]);
                let arrival = its.send(c, results);
                my.receive(c, its, results, arrival);
                my.time += c.merge(held, results);
                held += results;
            }
            self.clocks[rank] = my;
            self.held[rank] = held;
        }
        self.first += tasks;
        self.clocks[0].time += c.sink(self.held[0]);
    }
}

/// The master and `slaves` slaves up to the last delivery, likewise.
pub(super) fn master_slave(c: &Costs, slaves: u64, tasks: u64, ordered: bool, cycle: f64) -> Followed {
    // Every receive looks at all slaves.
    let most = 4 * MOST / slaves.saturating_mul(slaves);
    if most < 8 {
        return Followed::Not;
    }
    if c.mixed() {
        let few = tasks.saturating_mul(slaves) <= 4 * MOST;
        return if few { Followed::Exactly(served(c, slaves, tasks, ordered)) } else { Followed::Not };
    }
    let all = tasks / slaves;
    let periods = Periods { all, most, cycle, coupled: true };
    periods.follow(|rounds| served(c, slaves, tasks - (all - rounds) * slaves, ordered))
}

fn served(c: &Costs, slaves: u64, tasks: u64, ordered: bool) -> f64 {
    /// A slave with what it has sent: when that arrives and how many results it has.
    struct Slave {
        clock: Party,
        sent: Option<(f64, u64)>,
        next: u64,
    }
    let mut master = Party::free(c.open());
    let work = |slave: &mut Slave| {
        let has = slave.next < tasks;
        slave.clock.time += if has { c.task_of(slave.next, tasks) } else { 0.0 };
        let results = u64::from(has);
        slave.sent = Some((slave.clock.send(c, results), results));
        slave.next += slaves;
    };
    let mut all: Vec<Slave> =
        (0..slaves).map(|next| Slave { clock: Party::default(), sent: None, next }).collect();
    all.iter_mut().for_each(work);
    let (mut held, mut turn) = (0, 0);
    loop {
        let waiting = |i: &usize| all[*i].sent.is_some();
        let first = if ordered {
            (turn..all.len()).chain(0..turn).find(waiting)
        } else {
            let arrival = |i: &usize| all[*i].sent.map_or(f64::INFINITY, |s| s.0);
            (0..all.len()).filter(waiting).min_by(|a, b| arrival(a).total_cmp(&arrival(b)))
        };
        let Some(first) = first else { break };
        turn = (first + 1) % all.len();
        let slave = &mut all[first];
        let Some((arrival, results)) = slave.sent.take() else { break };
        master.receive(c, &mut slave.clock, results, arrival);
        if slave.next < tasks {
            work(slave);
        }
        master.time += c.merge(held, results);
        held += results;
        if held >= slaves {
            master.time += c.sink(std::mem::take(&mut held));
        }
    }
    master.time += c.sink(held);
    master.ended()
}
