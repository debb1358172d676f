//! Blocks and packets as bytes, for ranks that share no memory.

use forerun_skeleton::wire::{Incoming, Outgoing, plainly};
use forerun_skeleton::{AppError, Codec};

use super::app::SortedPacket;
use super::held::InParts;
use super::source::Block;
use crate::sort::job::SortJob;
use crate::sort::wire::put_run;

/// Writes and reads blocks and packets of a sort.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartsCodec<'a>(pub(super) &'a SortJob);

impl<R: InParts> Codec<Block<R>> for PartsCodec<'_> {
    fn encode(&self, block: &Block<R>, out: &mut Vec<u8>) -> Result<(), AppError> {
        R::put_raw(&block.raw, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Block<R>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, block: Block<R>, out: &mut Outgoing) -> Result<(), AppError> {
        // The bytes under way are in no budget.
        let Block { raw, lease } = block;
        drop(lease);
        R::give_raw(raw, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Block<R>, AppError> {
        let desk = self.0.desk();
        let raw = R::take_raw(from)?;
        let lease = desk.budget.lease(R::need(&desk.files, R::raw_bytes(&raw), false));
        Ok(Block { raw, lease })
    }
}

impl<R: InParts> Codec<SortedPacket<R>> for PartsCodec<'_> {
    fn encode(&self, packet: &SortedPacket<R>, out: &mut Vec<u8>) -> Result<(), AppError> {
        put_run(&packet.0, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<SortedPacket<R>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, packet: SortedPacket<R>, out: &mut Outgoing) -> Result<(), AppError> {
        out.vector(packet.0.into_units())
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<SortedPacket<R>, AppError> {
        from.vector().and_then(R::of_units).map(SortedPacket)
    }
}
