//! The search for all states.
//!
//! A search by breadth in rounds. In each, threads take chunks of states that are not yet looked
//! at and find what follows them; what is known already gets its number at once. The rest is sorted by
//! shard of the hash table, and threads insert shard by shard. Last, what is new is numbered in the order in
//! which a search on one thread would have found it, so the numbers do not depend on the threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Progress;
use super::labels::{Cache, Labels, Numbers, grow};
use super::rules::{Root, may_coincide};
use super::successors::{Change, Fault, Successor, merge, successors};
use super::symmetry::Symmetry;
use super::table::{SHARDS, Table, hash, shard};

/// States that a thread takes at once.
const CHUNK: usize = 512;
/// Chunks of one round.
const ROUND: usize = 128;
/// Where a number is still to be given.
const UNNUMBERED: u32 = u32::MAX;

/// A state that is not known from earlier rounds.
#[derive(Debug, Clone, Copy)]
struct Pending<const W: usize> {
    state: [u64; W],
    hash: u64,
    /// The chunk's transition that leads to it.
    at: u32,
    /// Its number, or from `known` on that among the new ones of its shard.
    number: u32,
}

/// What a chunk gave.
#[derive(Debug)]
struct Found<const W: usize> {
    counts: Vec<u32>,
    targets: Vec<u32>,
    labels: Vec<u32>,
    pending: [Vec<Pending<W>>; SHARDS],
    fault: Option<(usize, Fault)>,
}

impl<const W: usize> Default for Found<W> {
    fn default() -> Self {
        Found {
            counts: Vec::new(),
            targets: Vec::new(),
            labels: Vec::new(),
            pending: std::array::from_fn(|_| Vec::new()),
            fault: None,
        }
    }
}

/// What a thread has at hand.
#[derive(Debug, Default)]
struct Worker<const W: usize> {
    scratch: Vec<Change<W>>,
    next: Vec<Successor<W>>,
    hashes: Vec<(u64, u32)>,
    keys: Vec<u64>,
    cache: Cache,
}

/// One shard's work of a round.
struct Job<'a, const W: usize> {
    table: &'a mut Table,
    lists: Vec<Vec<Pending<W>>>,
    created: Vec<([u64; W], u64, usize)>,
}

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
    roots: &[Root],
    initial: [u64; W],
    symmetry: Option<&Symmetry>,
    limit: usize,
    threads: usize,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Explored<W>, Stop> {
    let coincide = may_coincide(roots);
    let labels = Mutex::new(Labels::default());
    let mut tables: Vec<Table> = (0..SHARDS).map(|_| Table::new()).collect();
    let mut workers: Vec<Worker<W>> = (0..threads.max(1)).map(|_| Worker::default()).collect();
    let mut founds: Vec<Mutex<Found<W>>> = Vec::new();
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
        symmetry.canonical(&mut first, &mut Vec::new());
    }
    let h = hash(&first);
    if let Err(at) = tables[shard(h)].find(h, |_| false) {
        tables[shard(h)].fill(at, h, 0);
    }
    out.states.push(first);
    let mut done = 0;
    while done < out.states.len() {
        let end = out.states.len().min(done + CHUNK * ROUND);
        let chunks = (end - done).div_ceil(CHUNK);
        while founds.len() < chunks {
            founds.push(Mutex::new(Found::default()));
        }
        let expand = |worker: &mut Worker<W>, chunk: usize| {
            let from = done + chunk * CHUNK;
            let mut found = founds[chunk].lock().unwrap_or_else(PoisonError::into_inner);
            let states = &out.states[..];
            expand_chunk(
                roots,
                coincide,
                symmetry,
                states,
                from..end.min(from + CHUNK),
                &tables,
                &labels,
                worker,
                &mut found,
            );
        };
        share(&mut workers, chunks, expand);
        if let Some((state, fault)) = founds[..chunks].iter_mut().find_map(|f| lock(f).fault) {
            return Err(Stop::Fault(out.states[state].to_vec(), fault));
        }
        number(&mut out, &mut tables, &mut founds[..chunks], &mut workers)?;
        done = end;
        if out.states.len() > limit {
            return Err(Stop::Limit);
        }
        if out.targets.len() > u32::MAX as usize / 2 {
            return Err(Stop::Transitions);
        }
        let bytes = out.bytes() + tables.iter().map(Table::bytes).sum::<usize>();
        if !progress(Progress { states: out.states.len(), done, bytes }) {
            return Err(Stop::Asked);
        }
    }
    out.table_bytes = tables.iter().map(Table::bytes).sum();
    out.known = labels.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(out)
}

fn lock<T>(of: &mut Mutex<T>) -> &mut T {
    of.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the workers take the numbers below `count`.
fn share<T: Send>(workers: &mut [T], count: usize, work: impl Fn(&mut T, usize) + Sync) {
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
    if count < 4 || others.is_empty() {
        first.iter_mut().for_each(run);
        return;
    }
    std::thread::scope(|scope| {
        for worker in others {
            scope.spawn(|| run(worker));
        }
        first.iter_mut().for_each(run);
    });
}

/// Finds what follows the states of a chunk.
#[expect(clippy::too_many_arguments)]
fn expand_chunk<const W: usize>(
    roots: &[Root],
    coincide: bool,
    symmetry: Option<&Symmetry>,
    states: &[[u64; W]],
    range: std::ops::Range<usize>,
    tables: &[Table],
    labels: &Mutex<Labels>,
    worker: &mut Worker<W>,
    found: &mut Found<W>,
) {
    found.counts.clear();
    found.targets.clear();
    found.labels.clear();
    found.pending.iter_mut().for_each(Vec::clear);
    let Worker { scratch, next, hashes, keys, cache } = worker;
    // Permuted states are merged when they are in order.
    let coincide = symmetry.is_none() && coincide;
    next.clear();
    for at in range {
        let begin = next.len();
        if let Err(fault) = successors(roots, coincide, &states[at], scratch, next) {
            found.fault = Some((at, fault));
            return;
        }
        if let Some(symmetry) = symmetry {
            next[begin..].iter_mut().for_each(|s| symmetry.canonical(&mut s.state, keys));
            merge(next, begin);
        }
        found.counts.push((next.len() - begin) as u32);
    }
    // In two passes, so that the memory of many lookups is fetched at the same time.
    hashes.clear();
    hashes.extend(next.iter().map(|s| {
        let h = hash(&s.state);
        (h, tables[shard(h)].touch(h))
    }));
    for (at, (step, (h, _))) in next.iter().zip(hashes.iter()).enumerate() {
        found.labels.push(cache.get(step.action, step.rate, labels));
        let table = &tables[shard(*h)];
        match table.find(*h, |n| states[n as usize] == step.state) {
            Ok(number) => found.targets.push(number),
            Err(_) => {
                found.targets.push(UNNUMBERED);
                found.pending[shard(*h)].push(Pending {
                    state: step.state,
                    hash: *h,
                    at: at as u32,
                    number: 0,
                });
            }
        }
    }
}

/// Inserts what is new and numbers it.
fn number<const W: usize>(
    out: &mut Explored<W>,
    tables: &mut [Table],
    founds: &mut [Mutex<Found<W>>],
    workers: &mut [Worker<W>],
) -> Result<(), Stop> {
    let known = out.states.len() as u32;
    let mut jobs: Vec<Mutex<Job<'_, W>>> = Vec::with_capacity(SHARDS);
    for (at, table) in tables.iter_mut().enumerate() {
        let lists = founds.iter_mut().map(|f| std::mem::take(&mut lock(f).pending[at])).collect();
        jobs.push(Mutex::new(Job { table, lists, created: Vec::new() }));
    }
    let states = &out.states;
    share(workers, SHARDS, |_, at| {
        insert(&mut jobs[at].lock().unwrap_or_else(PoisonError::into_inner), states, known);
    });
    let mut jobs: Vec<Job<'_, W>> =
        jobs.into_iter().map(|j| j.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    let mut offsets = [0usize; SHARDS];
    let mut total = 0;
    for (offset, job) in offsets.iter_mut().zip(&jobs) {
        *offset = total;
        total += job.created.len();
    }
    if known as usize + total > (1 << 30) {
        return Err(Stop::Limit);
    }
    // Numbers in the order of the transitions that lead there.
    let mut numbers = vec![UNNUMBERED; total];
    let new = |n: u32| n >= known;
    for (chunk, found) in founds.iter_mut().enumerate() {
        let found = lock(found);
        for (job, offset) in jobs.iter().zip(offsets) {
            for pending in &job.lists[chunk] {
                let n = pending.number;
                // Above all known numbers until it has its own.
                found.targets[pending.at as usize] = if new(n) { n + offset as u32 } else { n };
            }
        }
        for target in found.targets.iter_mut().filter(|t| new(**t)) {
            let n = (*target - known) as usize;
            if numbers[n] == UNNUMBERED {
                numbers[n] = out.states.len() as u32;
                let at = offsets.partition_point(|o| *o <= n) - 1;
                out.states.push(jobs[at].created[n - offsets[at]].0);
            }
            *target = numbers[n];
        }
        grow(&mut out.targets, found.targets.len());
        out.targets.extend_from_slice(&found.targets);
        out.labels.extend(&found.labels);
        for count in &found.counts {
            let last = out.rows.last().copied().unwrap_or(0);
            out.rows.push(last + count);
        }
    }
    for (at, job) in jobs.iter_mut().enumerate() {
        for (n, (_, hash, slot)) in job.created.iter().enumerate() {
            job.table.renumber(*slot, *hash, numbers[offsets[at] + n]);
        }
        for (found, list) in founds.iter_mut().zip(std::mem::take(&mut job.lists)) {
            lock(found).pending[at] = list;
        }
    }
    Ok(())
}

/// Inserts one shard's states.
fn insert<const W: usize>(job: &mut Job<'_, W>, states: &[[u64; W]], known: u32) {
    let Job { table, lists, created } = job;
    let more: usize = lists.iter().map(Vec::len).sum();
    if more == 0 {
        return;
    }
    table.reserve(more, known + (CHUNK * ROUND) as u32 + more as u32, |n| hash(&states[n as usize]));
    for list in lists {
        for pending in list {
            let is = |n: u32| {
                let there = if n >= known { &created[(n - known) as usize].0 } else { &states[n as usize] };
                *there == pending.state
            };
            pending.number = match table.find(pending.hash, is) {
                Ok(number) => number,
                Err(at) => {
                    let number = known + created.len() as u32;
                    table.fill(at, pending.hash, number);
                    created.push((pending.state, pending.hash, at));
                    number
                }
            };
        }
    }
}
