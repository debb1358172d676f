//! The sequential code of sorting by scatter-gather.

use std::marker::PhantomData;

use forerun_skeleton::AppError;
use forerun_skeleton::Message;
use forerun_skeleton::reduction::Sinks;
use forerun_skeleton::scatter_gather::Cooperate;

use super::global::MergeRanks;
use super::held::InParts;
use super::local::MergeBlocks;
use super::sink::PacketSink;
use super::source::Block;
use crate::sort::job::SortJob;
use crate::sort::run::Parts;

/// Sorts blocks and merges them in packets.
#[derive(Debug)]
pub(crate) struct Cooperative<'a, R> {
    job: &'a SortJob,
    /// Bytes of a packet.
    packet: u64,
    /// Bytes that the sort had spilled before: those of a pilot are not this run's.
    spilled: u64,
    of: PhantomData<fn() -> R>,
}

impl<'a, R> Cooperative<'a, R> {
    pub(super) fn new(job: &'a SortJob, packet: u64) -> Self {
        Cooperative { job, packet: packet.max(1), spilled: job.desk().spill.bytes(), of: PhantomData }
    }
}

/// Sorted elements on their way.
#[derive(Debug)]
pub(crate) struct SortedPacket<R>(pub(super) R);

impl<R: InParts> Message for SortedPacket<R> {
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// What a rank keeps of a block: it, sorted, in memory or on disk.
#[derive(Debug)]
pub(crate) struct SortedBlock<R>(pub(super) Parts<R>);

impl<'a, R: InParts> Cooperate for Cooperative<'a, R> {
    type Block = Block<R>;
    type Done = SortedBlock<R>;
    type Packet = SortedPacket<R>;
    type Local = MergeBlocks<'a, R>;
    type Global = MergeRanks<'a, R>;

    fn process(&self, _: u64, block: Block<R>) -> Result<SortedBlock<R>, AppError> {
        let desk = self.job.desk();
        desk.go_on()?;
        let run = R::sorted(&desk.files, block.raw)?;
        desk.settle(run, block.lease).map(SortedBlock)
    }

    fn local(&self, _: usize, done: Vec<SortedBlock<R>>) -> Result<MergeBlocks<'a, R>, AppError> {
        MergeBlocks::new(self.job.desk(), done, self.packet)
    }

    fn global(&self, ranks: usize) -> Result<MergeRanks<'a, R>, AppError> {
        Ok(MergeRanks::new(self.job.desk(), ranks, self.packet))
    }
}

impl<'a, R: InParts> Sinks<SortedPacket<R>> for Cooperative<'a, R> {
    type Sink = PacketSink<'a>;

    fn open(&self, _: usize) -> Result<PacketSink<'a>, AppError> {
        PacketSink::open(self.job, self.spilled)
    }
}
