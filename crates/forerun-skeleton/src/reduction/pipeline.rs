//! The parallel pipeline (Kuntraruk, Pottenger and Ross, figures 1 and 4), for any arity a.
//!
//! P = aⁿ ranks run a task each. In step t, with level l = t mod n, a rank whose digit l (in base
//! a) is less than a − 1 sends what it holds to the rank with a − 1 there and takes a new task;
//! the others receive and merge. After n steps the pipeline is in equilibrium: P − P/a ranks run
//! tasks, the others merge, and the last rank receives a complete set every step.
//!
//! *Order.* The tasks taken in step t stay together: they are merged along all other levels,
//! l + 1, l + 2, …, and arrive n steps later as one set. Numbered by the rank's digits rotated so
//! that digit l + 1 counts least, neighbours in number are merged first and the pipeline keeps
//! the order of the inputs, at no cost. (Numbered by rank, as published, it does not.)
//!
//! *End.* A rank with no input left and no incoming link open sends what it holds marked as the
//! last on its next outgoing link, an empty last on the others, and ends. It sends on each link
//! what it would have sent there next, so a window of one message is enough, and a set that is
//! under way arrives whole. The number of inputs need not be known.

use super::work::{Pack, Part, Work};
use super::{Packet, Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// The schedule as one rank sees it, at one step. Going on a step takes no division where the
/// arity is 2: in virtual time a step costs little else.
#[derive(Debug, Clone)]
struct Schedule {
    rank: usize,
    ranks: usize,
    arity: usize,
    /// n: levels of the tree.
    levels: u32,
    level: u32,
    /// aˡ for level l.
    stride: usize,
    /// Digit l of the rank.
    digit: usize,
    /// The number that the digits above l make.
    high: usize,
    /// The number that the digits below l make.
    low: usize,
    /// How many ranks there are for each value of the digits 0 … l: aⁿ / aˡ⁺¹.
    above: usize,
    /// The group's index of the first task that is taken in this step.
    first: u64,
}

impl Schedule {
    fn new(rank: usize, ranks: usize, arity: usize) -> Self {
        let levels = ranks.ilog(arity);
        let first = ranks as u64;
        let mut s = Schedule {
            rank,
            ranks,
            arity,
            levels,
            level: 0,
            stride: 1,
            digit: 0,
            high: 0,
            low: 0,
            above: 1,
            first,
        };
        s.enter_first_level();
        s
    }

    fn enter_first_level(&mut self) {
        self.level = 0;
        self.stride = 1;
        self.low = 0;
        (self.high, self.digit) = self.divided(self.rank);
        (self.above, _) = self.divided(self.ranks);
    }

    /// `n` divided by the arity, and the remainder.
    fn divided(&self, n: usize) -> (usize, usize) {
        if self.arity == 2 { (n >> 1, n & 1) } else { (n / self.arity, n % self.arity) }
    }

    /// Goes on to the next step.
    fn step(&mut self) {
        self.first += (self.ranks - self.receivers()) as u64;
        if self.level + 1 == self.levels {
            self.enter_first_level();
        } else {
            self.level += 1;
            self.low += self.digit * self.stride;
            self.stride *= self.arity;
            (self.high, self.digit) = self.divided(self.high);
            (self.above, _) = self.divided(self.above);
        }
    }

    /// Ranks that receive in a step: P/a.
    fn receivers(&self) -> usize {
        self.divided(self.ranks).0
    }

    fn sends(&self) -> bool {
        self.digit < self.arity - 1
    }

    /// The rank that receives from this one.
    fn receiver(&self) -> usize {
        self.rank + (self.arity - 1 - self.digit) * self.stride
    }

    /// The rank with `digit` at this level, of the a − 1 that this one receives from in the order
    /// of their tasks.
    fn sender(&self, digit: usize) -> usize {
        self.rank - (self.arity - 1 - digit) * self.stride
    }

    /// The group's index of the task that the rank takes after sending.
    fn task(&self) -> u64 {
        let lower = self.low + self.digit * self.stride;
        self.first + (self.high + lower * self.above) as u64
    }

    fn is_last(&self) -> bool {
        self.rank == self.ranks - 1
    }
}

/// The life of one rank; the last rank of the group returns what the sink leaves.
pub(super) async fn rank<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    arity: usize,
) -> Result<Option<<K::Sink as Sink<A::Partial>>::Out>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let base = w.share.base;
    let mut s = Schedule::new(e.rank() - base, w.share.size, arity);
    if s.is_last() {
        // In a box: only one rank of a group needs the room for it.
        return Box::pin(last(w, e, &mut s)).await.map(Some);
    }
    let mut held = w.task(e, s.rank as u64).await?;
    let mut ended = held.is_none();
    // One bit a link: level · (a − 1) + digit of the sender.
    let mut open = Links::incoming(&s);
    loop {
        if !s.sends() {
            gather(w, e, &s, &mut open, &mut held).await?;
            s.step();
            continue;
        }
        let next = s.task();
        if open.none() && (ended || w.share.is_dry(next)) {
            break;
        }
        e.send(base + s.receiver(), Packet::Part(held.take())).await?;
        if !ended {
            held = w.task(e, next).await?;
            ended = held.is_none();
        }
        s.step();
    }
    for _ in 0..s.levels {
        if s.sends() {
            e.send(base + s.receiver(), Packet::Last(held.take())).await?;
        }
        s.step();
    }
    Ok(None)
}

/// The last rank: it always receives, and delivers a set every step once the first is complete.
async fn last<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    s: &mut Schedule,
) -> Result<<K::Sink as Sink<A::Partial>>::Out, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let mut sink = w.open(e).await?;
    let mut held = w.task(e, s.rank as u64).await?;
    let mut open = Links::incoming(s);
    let mut steps = 0;
    while !open.none() {
        gather(w, e, s, &mut open, &mut held).await?;
        s.step();
        steps += 1;
        if steps >= u64::from(s.levels)
            && let Some(set) = held.take()
        {
            w.deliver(e, &mut sink, set).await?;
        }
    }
    if let Some(set) = held {
        w.deliver(e, &mut sink, set).await?;
    }
    w.close(e, sink).await
}

/// A receiving step: merges what the level's senders hold with what this rank holds, in place: an
/// argument that is moved is kept twice, in every rank.
async fn gather<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    s: &Schedule,
    open: &mut Links,
    held: &mut Option<Part<A>>,
) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let mut merged: Option<Part<A>> = None;
    for digit in 0..s.arity - 1 {
        if !open.has(s.level, digit) {
            continue;
        }
        let part = match e.recv_from(w.share.base + s.sender(digit)).await? {
            Packet::Last(part) => {
                open.close(s.level, digit);
                part
            }
            Packet::Part(part) => part,
            Packet::Set(_) | Packet::Rest(..) => unreachable!("the parallel pipeline sends parts only"),
        };
        if let Some(part) = part {
            merged = Some(match merged.take() {
                Some(before) => w.merge_two(e, before, part).await?,
                None => part,
            });
        }
    }
    if let Some(merged) = merged {
        *held = Some(match held.take() {
            Some(held) => w.merge_two(e, merged, held).await?,
            None => merged,
        });
    }
    Ok(())
}

/// Which incoming links are open.
struct Links {
    /// Open senders of each level that receives; empty vectors cost nothing for levels that send.
    open: Vec<u64>,
    per_level: usize,
    left: usize,
}

impl Links {
    fn incoming(s: &Schedule) -> Self {
        let per_level = s.arity - 1;
        let bits = s.levels as usize * per_level;
        let mut links = Links { open: vec![0; bits.div_ceil(64)], per_level, left: 0 };
        let mut s = s.clone();
        for _ in 0..s.levels {
            for digit in (0..per_level).filter(|_| !s.sends()) {
                let bit = s.level as usize * per_level + digit;
                links.open[bit / 64] |= 1 << (bit % 64);
                links.left += 1;
            }
            s.step();
        }
        links
    }

    fn has(&self, level: u32, digit: usize) -> bool {
        let bit = level as usize * self.per_level + digit;
        self.open[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn close(&mut self, level: u32, digit: usize) {
        let bit = level as usize * self.per_level + digit;
        self.open[bit / 64] &= !(1 << (bit % 64));
        self.left -= 1;
    }

    fn none(&self) -> bool {
        self.left == 0
    }
}
