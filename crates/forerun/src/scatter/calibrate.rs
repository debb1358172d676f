//! The pilot of a scatter-gather: what reading, processing, both resolutions and writing cost, from
//! a sample of the job's blocks.
//!
//! For blocks of growing size: some are read, one by one; each of as many workers as there will be
//! ranks processes some, alone and then all at once, which shows how much they slow each other;
//! one rank's blocks are merged, few of them and then more; then two ranks' packets, which are written.
//! It ends when its budget is spent: 5 % of what the job would take, 0.3 to 2 s.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use forerun_apps::{ScatterGatherJob, Together};
use forerun_platform::{PhaseCost, ScatterGatherProfile, Stage};
use forerun_skeleton::guard::guard;
use forerun_skeleton::reduction::{Piece, Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Cooperate, Global, Local, Want};
use forerun_skeleton::{AppError, Cancel, Charge, Message, RunError};

use super::costs::{Call, by_ways, straight};
use crate::pilot::median;

/// Size of the first blocks tried, and by how much the next are larger.
const FIRST: u64 = 256 << 10;
const LARGER: u64 = 4;
/// Blocks that are merged: few, and more.
const WAYS: [usize; 2] = [2, 8];
/// Ranks whose packets are merged.
const RANKS: usize = 2;
/// The part of the input that a sample may be.
const MOST: u64 = 4;
/// Share of the job's time that the pilot may take, and its bounds in seconds.
const SHARE: f64 = 0.05;
const BUDGET: (f64, f64) = (0.3, 2.0);

/// What the pilot found.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The costs.
    pub profile: ScatterGatherProfile,
    /// How long the pilot took.
    pub seconds: f64,
    /// How many blocks it processed.
    pub blocks: usize,
    /// Bytes of the largest of them.
    pub largest: u64,
}

/// Measures what the phases of `job`, an input of `bytes` bytes, cost with `workers` workers at a time.
///
/// # Errors
/// What fails, as a run would report it; cancelled.
pub fn calibrate<J: ScatterGatherJob>(
    job: &J,
    bytes: u64,
    workers: usize,
    cancel: &Cancel,
) -> Result<Calibrated, RunError> {
    let begun = Instant::now();
    let mut calls = Calls::default();
    let (least, most) = job.blocks(workers, 4);
    let mut block = FIRST.min(most).min((bytes / 16).max(1)).max(least);
    // An empty input has nothing to sample, and costs nothing.
    let mut largest = 0;
    loop {
        if bytes == 0 {
            break;
        }
        let at = Instant::now();
        let sample = Sample { workers, cancel, calls: &mut calls, element: job.element_bytes() };
        job.together(block, sample)?;
        largest = block;
        let took = at.elapsed().as_secs_f64();
        let busy: f64 = calls.per_byte();
        let budget = (bytes as f64 * busy * SHARE).clamp(BUDGET.0, BUDGET.1);
        let next = block.saturating_mul(LARGER);
        let sampled = next.saturating_mul((RANKS * WAYS[1]) as u64);
        if begun.elapsed().as_secs_f64() + LARGER as f64 * took > budget
            || next > most
            || sampled > bytes / MOST
        {
            break;
        }
        block = next;
    }
    let (contention, process) = calls.process(workers);
    let local = by_ways(&calls.local);
    let pairs = by_ways(&calls.global);
    // More ranks are merged like more blocks are.
    let rise = local.per_byte_ln.min(pairs.per_byte / (RANKS as f64).ln());
    let global = PhaseCost {
        per_byte: pairs.per_byte - rise * (RANKS as f64).ln(),
        per_byte_ln: rise,
        error: pairs.error.max(local.error),
        ..pairs
    };
    let (read, write) = (straight(&calls.read), straight(&calls.write));
    let profile = ScatterGatherProfile {
        spill: Some(read.per_byte + write.per_byte),
        read,
        process,
        local,
        global,
        write,
        finish: PhaseCost::default(),
        element_bytes: job.element_bytes(),
        held: 1.0,
        contention,
    };
    let blocks = calls.alone.len() + calls.together.len();
    Ok(Calibrated { profile, seconds: begun.elapsed().as_secs_f64(), blocks, largest })
}

/// The calls that were timed.
#[derive(Debug, Default)]
struct Calls {
    read: Vec<Call>,
    alone: Vec<Call>,
    together: Vec<Call>,
    local: Vec<Call>,
    global: Vec<Call>,
    write: Vec<Call>,
}

impl Calls {
    /// Seconds that a byte takes in all phases.
    fn per_byte(&self) -> f64 {
        let of = |calls: &[Call]| median(calls.iter().map(|c| c.seconds / c.bytes.max(1.0)).collect());
        of(&self.read) + of(&self.alone) + of(&self.local) + of(&self.global) + of(&self.write)
    }

    /// How much workers slow each other, and the cost of processing without that.
    fn process(&self, workers: usize) -> (f64, PhaseCost) {
        let others = workers.saturating_sub(1) as f64;
        let alone = by_ways(&self.alone);
        if others == 0.0 || self.together.is_empty() {
            return (0.0, alone);
        }
        let ratio = self.together.iter().map(|c| c.seconds / alone.seconds(c.bytes, c.ways)).collect();
        (((median(ratio) - 1.0) / others).max(0.0), alone)
    }
}

/// Times the calls of blocks of one size.
struct Sample<'c> {
    workers: usize,
    cancel: &'c Cancel,
    calls: &'c mut Calls,
    element: f64,
}

impl Sample<'_> {
    fn timed<T>(
        &self,
        charge: Charge,
        f: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<(Call, T), RunError> {
        timed(self.cancel, charge, f)
    }
}

/// Times a call that `charge` describes.
fn timed<T>(
    cancel: &Cancel,
    charge: Charge,
    f: impl FnOnce() -> Result<T, AppError>,
) -> Result<(Call, T), RunError> {
    if cancel.is_cancelled() {
        return Err(RunError::Cancelled);
    }
    let begun = Instant::now();
    let value = guard(0, charge, f).map_err(|failure| RunError::Failed(*failure))?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok((Call { bytes: charge.bytes as f64, ways: charge.results as f64, seconds }, value))
}

/// A call of a stage.
fn charge(stage: Stage, item: u64, bytes: u64, ways: u64) -> Charge {
    Charge { stage, item, bytes, results: ways }
}

impl<W> Together<W> for Sample<'_> {
    type Out = Result<(), RunError>;

    fn with<A, S, K>(mut self, app: &A, source: &S, sinks: &K) -> Self::Out
    where
        A: Cooperate<Block: Send, Done: Send, Packet: Send> + Sync,
        S: Source<Input = A::Block> + Sync,
        K: Sinks<A::Packet, Sink: Sink<A::Packet, Out = W>> + Sync,
    {
        let count = source.len().unwrap_or(0);
        let elements = |bytes: u64| (bytes as f64 / self.element).max(1.0);
        // Blocks from all over the input, as many as one rank merges.
        let wanted = (RANKS * (WAYS[0] + WAYS[1])) as u64;
        let step = (count / wanted).max(1);
        let mut blocks = Vec::new();
        for index in (0..count).step_by(step as usize).take(wanted as usize) {
            let bytes = source.bytes(index);
            let (call, block) = self.timed(charge(Stage::Read, index, bytes, 1), || source.get(index))?;
            self.calls.read.push(call);
            blocks.extend(block.map(|block| (index, block)));
        }

        // Half of them alone, half all at once.
        let mut done = Vec::new();
        let rest = if self.workers > 1 { blocks.split_off(blocks.len() / 2) } else { Vec::new() };
        for (index, block) in blocks {
            let (call, one) = process(self.cancel, app, index, block)?;
            self.calls.alone.push(Call { ways: elements(call.bytes as u64), ..call });
            done.push(one);
        }
        for (call, one) in at_once(self.cancel, app, rest, self.workers)? {
            self.calls.together.push(Call { ways: elements(call.bytes as u64), ..call });
            done.push(one);
        }

        // One rank's few, then two ranks' more, whose packets go on.
        let few: Vec<A::Done> = done.drain(..WAYS[0].min(done.len())).collect();
        let mut alone = app.local(0, few).map_err(|e| failed(Stage::ResolveLocal, e))?;
        while self.packet::<A>(&mut alone)?.is_some() {}
        let half = done.split_off(done.len() / 2);
        let mut locals = Vec::with_capacity(RANKS);
        for (rank, done) in [done, half].into_iter().enumerate() {
            locals.push(app.local(rank, done).map_err(|e| failed(Stage::ResolveLocal, e))?);
        }
        let mut global = app.global(RANKS).map_err(|e| failed(Stage::ResolveGlobal, e))?;
        let mut sink = sinks.open(0).map_err(|e| failed(Stage::Write, e))?;
        let mut number = 0;
        // Where one packet ends shortly before the other there are calls for a few elements: what
        // counts is what all of them take.
        let mut all = Call { bytes: 0.0, ways: RANKS as f64, seconds: 0.0 };
        loop {
            match global.want() {
                Want::End => break,
                Want::Packet(rank) => {
                    let packet = self.packet::<A>(&mut locals[rank])?;
                    global.give(rank, packet).map_err(|e| failed(Stage::ResolveGlobal, e))?;
                }
                Want::Resolve(amount) => {
                    let at = charge(Stage::ResolveGlobal, number, amount.bytes, amount.ways);
                    let (call, packet) = self.timed(at, || global.resolve())?;
                    let bytes = packet.bytes();
                    all.bytes += bytes as f64;
                    all.seconds += call.seconds;
                    let piece = Piece { value: packet, first: number, results: 1 };
                    let at = charge(Stage::Write, number, bytes, 1);
                    let (call, ()) = self.timed(at, || sink.accept(piece))?;
                    self.calls.write.push(call);
                    number += 1;
                }
            }
        }
        self.calls.global.push(all);
        // What was written is no result.
        drop(sink);
        Ok(())
    }
}

impl Sample<'_> {
    /// The next packet of a rank, timed.
    fn packet<A: Cooperate>(&mut self, local: &mut A::Local) -> Result<Option<A::Packet>, RunError> {
        let Some(amount) = local.pending() else { return Ok(None) };
        let at = charge(Stage::ResolveLocal, 0, amount.bytes, amount.ways);
        let (call, packet) = self.timed(at, || local.next())?;
        self.calls.local.push(call);
        Ok(Some(packet))
    }
}

fn process<A: Cooperate>(
    cancel: &Cancel,
    app: &A,
    index: u64,
    block: A::Block,
) -> Result<(Call, A::Done), RunError> {
    let at = charge(Stage::Process, index, block.bytes(), 1);
    timed(cancel, at, move || app.process(index, block))
}

/// What `workers` workers make of blocks at the same time.
fn at_once<A>(
    cancel: &Cancel,
    app: &A,
    blocks: Vec<(u64, A::Block)>,
    workers: usize,
) -> Result<Vec<(Call, A::Done)>, RunError>
where
    A: Cooperate<Block: Send, Done: Send> + Sync,
{
    let mut shares: Vec<Vec<(u64, A::Block)>> = (0..workers).map(|_| Vec::new()).collect();
    for (i, block) in blocks.into_iter().enumerate() {
        shares[i % workers].push(block);
    }
    let start = Barrier::new(workers);
    let work = |share: Vec<(u64, A::Block)>| {
        start.wait();
        share.into_iter().map(|(index, block)| process(cancel, app, index, block)).collect()
    };
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
        let mut all = Vec::new();
        for handle in handles {
            let done: Result<Vec<_>, RunError> = match handle.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.extend(done?);
        }
        Ok(all)
    })
}

fn failed(stage: Stage, e: AppError) -> RunError {
    let message = e.to_string();
    RunError::Failed(forerun_skeleton::Failure { rank: 0, stage, item: 0, panicked: false, message })
}
