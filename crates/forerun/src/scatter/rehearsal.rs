//! A short scatter-gather of some of the job's blocks, run as the job will be and timed call by call.

use std::sync::{Mutex, PoisonError};

use forerun_apps::{Erased, ErasedMessage, ErasedSink, Together};
use forerun_platform::{RankTimes, Stage};
use forerun_skeleton::reduction::{Piece, Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Amount, Cooperate, Global, Local, Shape, Want};
use forerun_skeleton::{AppError, Cancel, Failure, Message, Options, RunError};

use super::costs::Call;
use super::execute::on_threads;
use crate::pilot::Clock;

/// The calls that were timed in one rehearsal, by stage.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) read: Vec<Call>,
    /// Bytes that came from a device while these were read: what the system reads ahead included, what it had in memory not.
    pub(super) device: f64,
    pub(super) process: Vec<Call>,
    /// Of each rank all calls as one: the first packet fills what the last ones empty, and what counts is their sum.
    pub(super) local: Vec<Call>,
    /// All calls as one: where one packet ends shortly before the other there are calls for a few
    /// elements, and what counts is what all of them take.
    pub(super) global: Option<Call>,
    pub(super) write: Vec<Call>,
    /// Packets that all ranks made, and those of the result.
    pub(super) packets: (f64, f64),
    /// What the first rank's time went to.
    pub(super) first: RankTimes,
}

impl Calls {
    /// Seconds of all calls.
    pub(super) fn seconds(&self) -> f64 {
        let all = [&self.read, &self.process, &self.local, &self.write];
        let global = self.global.map_or(0.0, |call| call.seconds);
        all.into_iter().flatten().map(|call| call.seconds).sum::<f64>() + global
    }
}

/// The parts of a job, and what its ranks held.
pub(super) struct Stagehand<'j> {
    parts: Together<'j>,
    /// Bytes of an element.
    element: f64,
    /// What tells how long the ranks' own work takes; reading and writing are the storage's.
    clock: Clock,
    cancel: &'j Cancel,
    /// What was merged is kept to the end of the pilot: blocks are put into memory that is fresh, as in
    /// a run, where none is given back before all are merged. (Fresh memory is paid for page by page.)
    attic: Mutex<Vec<Merged<'j>>>,
    rehearsals: u64,
}

/// The blocks of one rank as they are merged.
type Merged<'j> = Box<dyn Local<ErasedMessage> + Send + 'j>;
/// The packets of all ranks as they are.
type MergedRanks<'j> = Box<dyn Global<ErasedMessage> + 'j>;

impl<'j> Stagehand<'j> {
    pub(super) fn new(parts: Together<'j>, element: f64, clock: Clock, cancel: &'j Cancel) -> Self {
        Stagehand { parts, element, clock, cancel, attic: Mutex::default(), rehearsals: 0 }
    }

    /// Runs so many blocks a rank, from all over the input, each time from other places, with `ahead` blocks read ahead
    /// and packets written behind.
    ///
    /// # Errors
    /// What fails, as a run would report it; cancelled.
    pub(super) fn rehearse(&mut self, ranks: usize, each: usize, ahead: usize) -> Result<Calls, RunError> {
        let count = self.parts.source.len().unwrap_or(0);
        let wanted = ((ranks * each) as u64).min(count);
        let step = count.checked_div(wanted).unwrap_or(1).max(1);
        let from = self.rehearsals % step;
        self.rehearsals += 1;
        let indices: Vec<u64> = (0..wanted).map(|i| from + i * step).collect();
        let calls = Mutex::default();
        let before = from_device();
        let stage = &Observed { hand: self, indices: &indices, calls: &calls, ranks };
        let options = Options { cancel: self.cancel.clone(), ..Options::new(ranks) };
        let ran = on_threads((stage, stage, stage), Shape::new(ranks), ahead, &options);
        let first = ran.map_err(|e| placed(e, &indices))?.ranks.into_iter().next().unwrap_or_default();
        let calls = calls.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Calls { first, device: from_device() - before, ..calls })
    }
}

/// A failure that names the block of the input instead of that of the sample.
fn placed(e: RunError, indices: &[u64]) -> RunError {
    let RunError::Failed(failure) = e else { return e };
    let of_blocks = matches!(failure.stage, Stage::Read | Stage::Process);
    let block = indices.get(failure.item as usize).copied().filter(|_| of_blocks);
    RunError::Failed(Failure { item: block.unwrap_or(failure.item), ..failure })
}

/// Source, application and sinks of one rehearsal, which time what they hand on.
struct Observed<'s, 'j> {
    hand: &'s Stagehand<'j>,
    indices: &'s [u64],
    calls: &'s Mutex<Calls>,
    ranks: usize,
}

/// The seconds that `f` takes by `clock`, with what it gives.
fn timed<T>(clock: Clock, f: impl FnOnce() -> Result<T, AppError>) -> Result<(f64, T), AppError> {
    let begun = clock.begin();
    let value = f()?;
    Ok((begun.seconds(), value))
}

/// Bytes that this process has had read from devices so far, where the system tells: who reads does so on any thread, and
/// to ask at every block would take longer than a small one.
fn from_device() -> f64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let bytes = io.lines().find_map(|line| line.strip_prefix("read_bytes:"));
    bytes.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0.0)
}

fn note(calls: &Mutex<Calls>, add: impl FnOnce(&mut Calls)) {
    add(&mut calls.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Source for Observed<'_, '_> {
    type Input = ErasedMessage;

    fn len(&self) -> Option<u64> {
        Some(self.indices.len() as u64)
    }

    fn bytes(&self, index: u64) -> u64 {
        self.indices.get(index as usize).map_or(0, |&block| self.hand.parts.source.bytes(block))
    }

    fn get(&self, index: u64) -> Result<Option<ErasedMessage>, AppError> {
        let Some(&block) = self.indices.get(index as usize) else { return Ok(None) };
        let (seconds, got) = timed(Clock::Wall, || self.hand.parts.source.get(block))?;
        let bytes = got.as_ref().map_or(0, Message::bytes) as f64;
        note(self.calls, |calls| calls.read.push(Call { bytes, ways: 1.0, seconds }));
        Ok(got)
    }
}

impl<'s, 'j> Cooperate for Observed<'s, 'j> {
    type Block = ErasedMessage;
    type Done = Erased;
    type Packet = ErasedMessage;
    type Local = Packets<'s, 'j>;
    type Global = Resolver<'s, 'j>;

    fn process(&self, index: u64, block: ErasedMessage) -> Result<Erased, AppError> {
        let place = self.indices.get(index as usize).copied().unwrap_or(index);
        let bytes = block.bytes() as f64;
        let (seconds, done) = timed(self.hand.clock, || self.hand.parts.app.process(place, block))?;
        let ways = (bytes / self.hand.element).max(1.0);
        note(self.calls, |calls| calls.process.push(Call { bytes, ways, seconds }));
        Ok(done)
    }

    fn local(&self, rank: usize, done: Vec<Erased>) -> Result<Self::Local, AppError> {
        let (seconds, local) = timed(self.hand.clock, || self.hand.parts.app.local(rank, done))?;
        let ways = local.pending().map_or(1.0, |amount| amount.ways as f64);
        let all = Call { bytes: 0.0, ways, seconds };
        Ok(Packets {
            local: Some(local),
            all,
            packets: 0.0,
            attic: &self.hand.attic,
            clock: self.hand.clock,
            calls: self.calls,
        })
    }

    fn global(&self, ranks: usize) -> Result<Self::Global, AppError> {
        let global = self.hand.parts.app.global(ranks)?;
        Ok(Resolver { global, ranks: self.ranks, clock: self.hand.clock, calls: self.calls })
    }
}

/// The packets of a rank; what it held goes to the attic.
struct Packets<'s, 'j> {
    local: Option<Merged<'j>>,
    /// What all of them took.
    all: Call,
    packets: f64,
    attic: &'s Mutex<Vec<Merged<'j>>>,
    clock: Clock,
    calls: &'s Mutex<Calls>,
}

impl Local<ErasedMessage> for Packets<'_, '_> {
    fn pending(&self) -> Option<Amount> {
        self.local.as_ref().and_then(|local| local.pending())
    }

    fn next(&mut self) -> Result<ErasedMessage, AppError> {
        let local = self.local.as_mut().ok_or_else(|| AppError::new("the packets of a rank ended early"))?;
        let (seconds, packet) = timed(self.clock, || local.next())?;
        self.all.seconds += seconds;
        self.all.bytes += packet.bytes() as f64;
        self.packets += 1.0;
        Ok(packet)
    }
}

impl Drop for Packets<'_, '_> {
    fn drop(&mut self) {
        note(self.calls, |calls| {
            calls.local.push(self.all);
            calls.packets.0 += self.packets;
        });
        self.attic.lock().unwrap_or_else(PoisonError::into_inner).extend(self.local.take());
    }
}

/// Resolves and sums what that takes.
struct Resolver<'s, 'j> {
    global: MergedRanks<'j>,
    ranks: usize,
    clock: Clock,
    calls: &'s Mutex<Calls>,
}

impl Global<ErasedMessage> for Resolver<'_, '_> {
    fn want(&self) -> Want {
        self.global.want()
    }

    fn give(&mut self, rank: usize, packet: Option<ErasedMessage>) -> Result<(), AppError> {
        self.global.give(rank, packet)
    }

    fn resolve(&mut self) -> Result<ErasedMessage, AppError> {
        let (seconds, packet) = timed(self.clock, || self.global.resolve())?;
        let none = Call { bytes: 0.0, ways: self.ranks as f64, seconds: 0.0 };
        note(self.calls, |calls| {
            let all = calls.global.get_or_insert(none);
            all.bytes += packet.bytes() as f64;
            all.seconds += seconds;
            calls.packets.1 += 1.0;
        });
        Ok(packet)
    }
}

impl<'s, 'j> Sinks<ErasedMessage> for Observed<'s, 'j> {
    type Sink = Dropped<'s, 'j>;

    fn open(&self, group: usize) -> Result<Self::Sink, AppError> {
        Ok(Dropped { sink: self.hand.parts.sinks.open(group)?, calls: self.calls })
    }
}

/// A sink whose result is thrown away.
struct Dropped<'s, 'j> {
    sink: ErasedSink<'j>,
    calls: &'s Mutex<Calls>,
}

impl Sink<ErasedMessage> for Dropped<'_, '_> {
    type Out = ();

    fn accept(&mut self, piece: Piece<ErasedMessage>) -> Result<(), AppError> {
        let bytes = piece.value.bytes() as f64;
        let (seconds, ()) = timed(Clock::Wall, || self.sink.accept(piece))?;
        note(self.calls, |calls| calls.write.push(Call { bytes, ways: 1.0, seconds }));
        Ok(())
    }

    fn close(self) -> Result<(), AppError> {
        Ok(())
    }
}
