//! The search for all states.
//!
//! A search by breadth in rounds. In each, threads take chunks of states that are not yet looked
//! at and find what follows them; what is known already gets its number at once, and what is new a place
//! ([`Fresh`]). Then what is new is numbered in the order in which a search on one thread would have found it, so the
//! numbers do not depend on the threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Progress;
use super::chunk::{Chunk, View, Worker};
use super::fresh::{Block, Fresh};
use super::labels::{Labels, Numbers, grow};
use super::successors::{Fault, Rules};
use super::symmetry::{Sorting, Symmetry};
use super::table::{Table, hash};

/// States that a thread takes at once.
const CHUNK: usize = 1024;
/// Fewer chunks are not worth a thread.
const FEW: usize = 4;
/// Chunks of one round.
const ROUND: usize = 64;

/// All that was found, with states of `W` words.
pub(crate) struct Explored<const W: usize> {
    pub(crate) states: Vec<[u64; W]>,
    /// Where each state's transitions begin; one more than there are states.
    pub(crate) rows: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) labels: Numbers,
    pub(crate) known: Labels,
    pub(crate) table_bytes: usize,
}

impl<const W: usize> Explored<W> {
    /// What it takes without the tables.
    fn bytes(&self) -> usize {
        let numbers = self.rows.capacity() + self.targets.capacity();
        self.states.capacity() * W * 8 + numbers * 4 + self.labels.bytes()
    }
}

/// Why there is no state space.
#[derive(Debug)]
pub(crate) enum Stop {
    /// More states than allowed.
    Limit,
    /// More transitions than can be numbered.
    Transitions,
    /// The model means nothing in this state.
    Fault(Vec<u64>, Fault),
    /// The caller had enough.
    Asked,
}

/// Explores from `initial` on. `progress` is told after each round how far it is, and says whether to go on.
pub(crate) fn explore<const W: usize>(
    rules: &Rules,
    initial: [u64; W],
    symmetry: Option<&Symmetry>,
    limit: usize,
    threads: usize,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Explored<W>, Stop> {
    let mut out = Explored {
        states: Vec::new(),
        rows: vec![0],
        targets: Vec::new(),
        labels: Numbers::default(),
        known: Labels::default(),
        table_bytes: 0,
    };
    let mut first = initial;
    if let Some(symmetry) = symmetry {
        symmetry.canonical(&mut first, &mut Sorting::default());
    }
    let mut table = Table::new();
    let mut fresh = Fresh::default();
    fresh.clear(1);
    table.reserve(&out.states, &fresh);
    table.find_or_insert(hash(&first), &first, &out.states, &fresh, &mut || Some(0));
    out.states.push(first);
    let mut search = Search {
        rules,
        symmetry,
        labels: Mutex::new(Labels::default()),
        table,
        fresh,
        workers: (0..threads.max(1)).map(|_| Worker::default()).collect(),
        chunks: Vec::new(),
    };
    let (mut done, mut created) = (0, 0);
    while done < out.states.len() {
        let end = out.states.len().min(done + CHUNK * ROUND);
        let before = out.states.len();
        // Mostly as many as the last time.
        search.round(&mut out, done..end, created * 2 + (end - done))?;
        created = out.states.len() - before;
        done = end;
        if out.states.len() > limit {
            return Err(Stop::Limit);
        }
        if out.targets.len() > u32::MAX as usize / 2 {
            return Err(Stop::Transitions);
        }
        let bytes = out.bytes() + search.table.bytes();
        if !progress(Progress { states: out.states.len(), done, bytes }) {
            return Err(Stop::Asked);
        }
    }
    out.table_bytes = search.table.bytes();
    out.known = search.labels.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(out)
}

/// What is kept from round to round beside what was found.
struct Search<'a, const W: usize> {
    rules: &'a Rules,
    symmetry: Option<&'a Symmetry>,
    labels: Mutex<Labels>,
    table: Table,
    fresh: Fresh<W>,
    workers: Vec<Worker<W>>,
    chunks: Vec<Mutex<Chunk<W>>>,
}

impl<const W: usize> Search<'_, W> {
    /// Looks at a range of states; about so many new ones are expected.
    fn round(
        &mut self,
        out: &mut Explored<W>,
        range: std::ops::Range<usize>,
        expected: usize,
    ) -> Result<(), Stop> {
        let known = out.states.len() as u32;
        let count = range.len().div_ceil(CHUNK);
        if self.chunks.len() < count {
            self.chunks.resize_with(count, Mutex::default);
        }
        for worker in &mut self.workers {
            worker.block = Block::default();
            worker.recent.begin(known);
        }
        self.fresh.clear(expected + self.workers.len() * 64);
        self.table.reserve(&out.states, &self.fresh);
        let Search { rules, symmetry, labels, table, fresh, workers, chunks } = self;
        let (rules, symmetry) = (*rules, *symmetry);
        let chunks = &mut chunks[..count];
        let states = &out.states;
        let view = View { rules, symmetry, states, table, fresh, labels };
        let mut in_order = share(workers, count, |worker, at| {
            let from = range.start + at * CHUNK;
            lock(&chunks[at]).expand(&view, worker, at, from..range.end.min(from + CHUNK));
        });
        if let Some((state, fault)) = chunks.iter_mut().find_map(|c| own(c).fault) {
            return Err(Stop::Fault(out.states[state].to_vec(), fault));
        }
        let homeless: usize = chunks.iter_mut().map(|c| own(c).homeless.len()).sum();
        if homeless > 0 {
            in_order = false;
            fresh.extend(homeless);
            table.reserve(states, fresh);
            let view = View { rules, symmetry, states, table, fresh, labels };
            let mut block = Block::default();
            for (at, chunk) in chunks.iter_mut().enumerate() {
                own(chunk).house(&view, &mut block, at);
            }
        }
        // Who finds which states first, and so in which order they are numbered.
        let (table, fresh) = (&*table, &*fresh);
        share(workers, count, |_, at| {
            lock(&chunks[at]).find_firsts(fresh, known, at);
        });
        let mut begins = Vec::with_capacity(count);
        for chunk in chunks.iter_mut() {
            begins.push(out.states.len() as u32);
            let created = &own(chunk).created;
            if out.states.len() + created.len() > (1 << 30) {
                return Err(Stop::Limit);
            }
            out.states.extend_from_slice(created);
        }
        // On one thread places are taken in that order anyway.
        if !in_order {
            share(workers, count, |_, at| {
                for (number, place) in (begins[at]..).zip(&lock(&chunks[at]).firsts) {
                    table.renumber(fresh.give(*place, number), number);
                }
            });
            share(workers, count, |_, at| {
                let new = |target: &&mut u32| **target >= known;
                let targets = &mut lock(&chunks[at]).targets;
                targets.iter_mut().filter(new).for_each(|t| *t = fresh.number(*t - known));
            });
        }
        let chunks: Vec<&Chunk<W>> = chunks.iter_mut().map(|chunk| &*own(chunk)).collect();
        let Explored { rows, targets, labels, .. } = out;
        let mut own = || {
            for chunk in &chunks {
                grow(targets, chunk.targets.len());
                targets.extend_from_slice(&chunk.targets);
            }
        };
        let mut other = || {
            for chunk in &chunks {
                labels.extend(&chunk.labels);
                let mut last = rows.last().copied().unwrap_or(0);
                rows.extend(chunk.counts.iter().map(|count| {
                    last += count;
                    last
                }));
            }
        };
        if workers.len() > 1 && count >= FEW {
            std::thread::scope(|scope| {
                scope.spawn(&mut other);
                own();
            });
        } else {
            own();
            other();
        }
        Ok(())
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own<T>(of: &mut Mutex<T>) -> &mut T {
    of.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the workers take the numbers below `count`; whether one of them took all, in their order.
fn share<T: Send>(workers: &mut [T], count: usize, work: impl Fn(&mut T, usize) + Sync) -> bool {
    let next = AtomicUsize::new(0);
    let run = |worker: &mut T| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            work(worker, at);
        }
    };
    let (first, others) = workers.split_at_mut(1);
    if count < FEW || others.is_empty() {
        first.iter_mut().for_each(run);
        return true;
    }
    std::thread::scope(|scope| {
        for worker in others {
            scope.spawn(|| run(worker));
        }
        first.iter_mut().for_each(run);
    });
    false
}
