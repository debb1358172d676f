//! Some states of a round of the search, and what follows them.

use std::ops::Range;
use std::sync::Mutex;

use super::fresh::{Block, Fresh};
use super::labels::{Cache, Labels};
use super::successors::{Fault, Rules, Scratch, Successor, merge, successors};
use super::symmetry::Symmetry;
use super::table::{Table, hash};

/// What all threads of a round look at.
pub(crate) struct View<'a, const W: usize> {
    pub(crate) rules: &'a Rules,
    pub(crate) symmetry: Option<&'a Symmetry>,
    /// The states that have numbers.
    pub(crate) states: &'a [[u64; W]],
    pub(crate) table: &'a Table,
    pub(crate) fresh: &'a Fresh<W>,
    pub(crate) labels: &'a Mutex<Labels>,
}

/// What a thread has at hand.
#[derive(Debug, Default)]
pub(crate) struct Worker<const W: usize> {
    scratch: Scratch<W>,
    next: Vec<Successor<W>>,
    hashes: Vec<u64>,
    keys: Vec<u64>,
    cache: Cache,
    pub(crate) block: Block,
}

/// A chunk of states and their transitions.
#[derive(Debug)]
pub(crate) struct Chunk<const W: usize> {
    /// How many transitions each state has.
    pub(crate) counts: Vec<u32>,
    pub(crate) labels: Vec<u32>,
    /// Where each transition leads: the number of a state, or from that of known states on a place among the fresh ones.
    pub(crate) targets: Vec<u32>,
    /// Transitions for which there was no place left, with the state that each leads to.
    pub(crate) homeless: Vec<(u32, [u64; W])>,
    /// States to which no transition of the round leads before one of this chunk.
    pub(crate) created: Vec<[u64; W]>,
    pub(crate) fault: Option<(usize, Fault)>,
}

impl<const W: usize> Default for Chunk<W> {
    fn default() -> Self {
        Chunk {
            counts: Vec::new(),
            labels: Vec::new(),
            targets: Vec::new(),
            homeless: Vec::new(),
            created: Vec::new(),
            fault: None,
        }
    }
}

impl<const W: usize> Chunk<W> {
    /// Finds what follows the states of a range. The chunk is the `number`-th of its round.
    pub(crate) fn expand(
        &mut self,
        view: &View<'_, W>,
        worker: &mut Worker<W>,
        number: usize,
        range: Range<usize>,
    ) {
        self.counts.clear();
        self.labels.clear();
        self.targets.clear();
        self.homeless.clear();
        self.created.clear();
        let Worker { scratch, next, hashes, keys, cache, block } = worker;
        // Permuted states are merged when they are in order.
        let coincide = view.symmetry.is_none() && view.rules.coincide;
        next.clear();
        for at in range {
            let begin = next.len();
            if let Err(fault) = successors(view.rules, coincide, &view.states[at], scratch, next) {
                self.fault = Some((at, fault));
                return;
            }
            if let Some(symmetry) = view.symmetry {
                next[begin..].iter_mut().for_each(|s| symmetry.canonical(&mut s.state, keys));
                merge(next, begin);
            }
            self.counts.push((next.len() - begin) as u32);
        }
        self.labels.extend(next.iter().map(|step| cache.get(step.action, step.rate, view.labels)));
        // In two passes, so that the memory of many look-ups is fetched at the same time.
        hashes.clear();
        hashes.extend(next.iter().map(|s| hash(&s.state)));
        std::hint::black_box(hashes.iter().fold(0, |all, h| all ^ view.table.touch(*h)));
        let known = view.states.len() as u32;
        for (at, (step, h)) in next.iter().zip(hashes.iter()).enumerate() {
            let mut place = || block.next(view.fresh);
            match view.table.find_or_insert(*h, &step.state, view.states, view.fresh, &mut place) {
                Some(target) => {
                    if target >= known {
                        view.fresh.led_to(target - known, transition(number, at));
                    }
                    self.targets.push(target);
                }
                None => {
                    self.homeless.push((at as u32, step.state));
                    self.targets.push(0);
                }
            }
        }
    }

    /// Finds places for transitions that had none.
    pub(crate) fn house(&mut self, view: &View<'_, W>, block: &mut Block, number: usize) {
        let known = view.states.len() as u32;
        for (at, state) in self.homeless.drain(..) {
            let mut place = || block.next(view.fresh);
            let found = view.table.find_or_insert(hash(&state), &state, view.states, view.fresh, &mut place);
            let target = found.unwrap_or(0);
            if target >= known {
                view.fresh.led_to(target - known, transition(number, at as usize));
            }
            self.targets[at as usize] = target;
        }
    }

    /// Which states it is the first to lead to, in the order of its transitions: their places, passed to `each`.
    pub(crate) fn firsts(&self, fresh: &Fresh<W>, known: u32, number: usize, mut each: impl FnMut(u32)) {
        for (at, target) in self.targets.iter().enumerate() {
            if *target >= known && fresh.is_first(*target - known, transition(number, at)) {
                each(*target - known);
            }
        }
    }
}

/// A transition's place in the order of its round.
fn transition(chunk: usize, at: usize) -> u64 {
    (chunk as u64) << 32 | at as u64
}
