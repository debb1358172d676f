//! Some states of a round of the search, and what follows them.

use std::ops::Range;
use std::sync::Mutex;

use super::fresh::{Block, Fresh};
use super::labels::{Cache, Labels};
use super::recent::Recent;
use super::successors::{Fault, Rules, Scratch, Successor, merge, successors};
use super::symmetry::{Sorting, Symmetry};
use super::table::{Table, hash};

/// About so many transitions are looked at together: what they touch stays in the nearest cache.
const BLOCK: usize = 256;

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
    /// Of transitions to states that were not met lately: which of the block, the state's place among recent ones, and its hash.
    missed: Vec<(usize, usize, u64)>,
    sorting: Sorting,
    cache: Cache,
    pub(crate) recent: Recent<W>,
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
    /// States to which no transition of the round leads before one of this chunk, and their places among the fresh ones.
    pub(crate) created: Vec<[u64; W]>,
    pub(crate) firsts: Vec<u32>,
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
            firsts: Vec::new(),
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
        self.firsts.clear();
        // Permuted states are merged when they are in order.
        let coincide = view.symmetry.is_none() && view.rules.coincide;
        worker.next.clear();
        for at in range {
            let Worker { scratch, next, sorting, .. } = worker;
            let begin = next.len();
            if let Err(fault) = successors(view.rules, coincide, &view.states[at], scratch, next) {
                self.fault = Some((at, fault));
                return;
            }
            if let Some(symmetry) = view.symmetry {
                next[begin..].iter_mut().for_each(|s| symmetry.canonical(&mut s.state, sorting));
                merge(next, begin);
            }
            self.counts.push((next.len() - begin) as u32);
            if next.len() >= BLOCK {
                self.look_up(view, worker, number);
            }
        }
        self.look_up(view, worker, number);
    }

    /// Finds the states that the worker's next transitions lead to.
    fn look_up(&mut self, view: &View<'_, W>, worker: &mut Worker<W>, number: usize) {
        let Worker { next, missed, cache, recent, block, .. } = worker;
        self.labels.extend(next.iter().map(|step| cache.get(step.action, step.rate, view.labels)));
        let known = view.states.len() as u32;
        let begin = self.targets.len();
        missed.clear();
        self.targets.extend(next.iter().enumerate().map(|(at, step)| {
            let place = recent.place(&step.state);
            // Whoever was met in this round has been led to by an earlier transition.
            recent.get(place, &step.state).unwrap_or_else(|| {
                missed.push((at, place, hash(&step.state)));
                0
            })
        }));
        // In passes, so that the memory of many look-ups is fetched at the same time.
        let slots = missed.iter().fold(0, |all, (.., h)| all ^ view.table.touch(*h));
        let states = missed.iter().fold(0, |all, (.., h)| all ^ view.table.touch_state(*h, view.states));
        std::hint::black_box((slots, states));
        for (at, place, h) in missed.iter() {
            let state = &next[*at].state;
            let mut fresh = || block.next(view.fresh);
            match view.table.find_or_insert(*h, state, view.states, view.fresh, &mut fresh) {
                Some(target) => {
                    if target >= known {
                        view.fresh.led_to(target - known, transition(number, begin + at));
                    }
                    recent.put(*place, state, target);
                    self.targets[begin + at] = target;
                }
                None => self.homeless.push(((begin + at) as u32, *state)),
            }
        }
        next.clear();
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

    /// Notes which states it is the first to lead to, in the order of its transitions.
    pub(crate) fn find_firsts(&mut self, fresh: &Fresh<W>, known: u32, number: usize) {
        for (at, target) in self.targets.iter().enumerate() {
            if *target >= known && fresh.is_first(*target - known, transition(number, at)) {
                self.firsts.push(*target - known);
                self.created.push(fresh.state(*target - known));
            }
        }
    }
}

/// A transition's place in the order of its round.
fn transition(chunk: usize, at: usize) -> u64 {
    (chunk as u64) << 32 | at as u64
}
