//! Sorting numbers in memory by scatter-gather, with faults on demand.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use forerun_skeleton::reduction::{Piece, Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Amount, Cooperate, Global, Local, Want};
use forerun_skeleton::{AppError, Message};

/// Whether [`Fault::Stuck`] still holds a rank up.
pub(crate) static STUCK: AtomicBool = AtomicBool::new(false);

/// Where something goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    None,
    Read(u64),
    Process(u64),
    Local,
    Global,
    Write(u64),
    /// Block 1 takes until it is told otherwise.
    Stuck,
}

fn fail(when: bool) -> Result<(), AppError> {
    if when { Err(AppError::new("no such thing")) } else { Ok(()) }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numbers(pub(crate) Vec<u64>);

impl Message for Numbers {
    fn bytes(&self) -> u64 {
        8 * self.0.len() as u64
    }
}

pub(crate) struct Sorting {
    pub(crate) packet: usize,
    pub(crate) fault: Fault,
}

impl Cooperate for Sorting {
    type Block = Numbers;
    type Done = Vec<u64>;
    type Packet = Numbers;
    type Local = Merged;
    type Global = Merging;

    fn process(&self, index: u64, mut block: Numbers) -> Result<Vec<u64>, AppError> {
        fail(self.fault == Fault::Process(index))?;
        while self.fault == Fault::Stuck && index == 1 && STUCK.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        block.0.sort_unstable();
        Ok(block.0)
    }

    fn local(&self, _: usize, done: Vec<Vec<u64>>) -> Result<Merged, AppError> {
        let mut all = done.concat();
        all.sort_unstable();
        Ok(Merged { ways: done.len() as u64, all, packet: self.packet, fault: self.fault })
    }

    fn global(&self, ranks: usize) -> Result<Merging, AppError> {
        Ok(Merging { streams: vec![Some(Vec::new()); ranks], packet: self.packet, fault: self.fault })
    }
}

pub(crate) struct Merged {
    all: Vec<u64>,
    ways: u64,
    packet: usize,
    fault: Fault,
}

impl Local<Numbers> for Merged {
    fn pending(&self) -> Option<Amount> {
        let next = self.all.len().min(self.packet);
        (next > 0).then_some(Amount { bytes: 8 * next as u64, ways: self.ways })
    }

    fn next(&mut self) -> Result<Numbers, AppError> {
        fail(self.fault == Fault::Local)?;
        Ok(Numbers(self.all.drain(..self.packet.min(self.all.len())).collect()))
    }
}

/// What each rank has given and is not merged yet; `None` where it has ended.
pub(crate) struct Merging {
    streams: Vec<Option<Vec<u64>>>,
    packet: usize,
    fault: Fault,
}

impl Merging {
    fn live(&self) -> impl Iterator<Item = &Vec<u64>> {
        self.streams.iter().flatten()
    }
}

impl Global<Numbers> for Merging {
    fn want(&self) -> Want {
        if let Some(rank) = self.streams.iter().position(|s| s.as_ref().is_some_and(Vec::is_empty)) {
            return Want::Packet(rank);
        }
        let (ways, held) = self.live().fold((0, 0), |(n, sum), s| (n + 1, sum + s.len()));
        match ways {
            0 => Want::End,
            ways => Want::Resolve(Amount { bytes: 8 * held.min(self.packet) as u64, ways }),
        }
    }

    fn give(&mut self, rank: usize, packet: Option<Numbers>) -> Result<(), AppError> {
        assert_eq!(self.want(), Want::Packet(rank), "only what is wanted is given");
        self.streams[rank] = packet.map(|p| p.0);
        Ok(())
    }

    fn resolve(&mut self) -> Result<Numbers, AppError> {
        fail(self.fault == Fault::Global)?;
        let mut out = Vec::new();
        while out.len() < self.packet && self.live().next().is_some() && self.live().all(|s| !s.is_empty()) {
            let least = self.streams.iter_mut().flatten().min_by_key(|s| s[0]).unwrap();
            out.push(least.remove(0));
        }
        Ok(Numbers(out))
    }
}

/// Blocks in memory.
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Vec<u64>>,
    pub(crate) known: bool,
    pub(crate) fault: Fault,
    pub(crate) read: AtomicU64,
}

impl Blocks {
    pub(crate) fn new(blocks: Vec<Vec<u64>>, known: bool) -> Self {
        Blocks { blocks, known, fault: Fault::None, read: AtomicU64::new(0) }
    }
}

impl Source for Blocks {
    type Input = Numbers;

    fn len(&self) -> Option<u64> {
        self.known.then_some(self.blocks.len() as u64)
    }

    fn bytes(&self, index: u64) -> u64 {
        self.blocks.get(index as usize).map_or(0, |b| 8 * b.len() as u64)
    }

    fn get(&self, index: u64) -> Result<Option<Numbers>, AppError> {
        fail(self.fault == Fault::Read(index))?;
        let before = self.read.fetch_add(1, Ordering::SeqCst);
        assert_eq!(before, index, "in order, each once");
        Ok(self.blocks.get(index as usize).cloned().map(Numbers))
    }
}

/// Collects what is written, and says what came in order.
pub(crate) struct Collect {
    pub(crate) fault: Fault,
}

impl Sinks<Numbers> for Collect {
    type Sink = Collected;

    fn open(&self, group: usize) -> Result<Collected, AppError> {
        assert_eq!(group, 0);
        Ok(Collected { all: Vec::new(), written: 0, fault: self.fault })
    }
}

pub(crate) struct Collected {
    all: Vec<u64>,
    written: u64,
    fault: Fault,
}

impl Sink<Numbers> for Collected {
    type Out = Vec<u64>;

    fn accept(&mut self, piece: Piece<Numbers>) -> Result<(), AppError> {
        assert_eq!(piece.first, self.written);
        fail(self.fault == Fault::Write(piece.first))?;
        self.written += 1;
        self.all.extend(piece.value.0);
        Ok(())
    }

    fn close(self) -> Result<Vec<u64>, AppError> {
        Ok(self.all)
    }
}
