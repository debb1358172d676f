//! Results as bytes, for ranks that share no memory.

use forerun_skeleton::wire::{Incoming, Outgoing};
use forerun_skeleton::{AppError, Codec, Wire as _};

use super::batch::Batch;
use super::job::FeaturesJob;
use super::sink::Open;

/// Batches as they are; a database that a sink has used is opened anew where it is received, as everything is stored.
pub(super) struct Stores<'j>(pub(super) &'j FeaturesJob);

impl Codec<Batch> for Stores<'_> {
    fn encode(&self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), AppError> {
        batch.encode(out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Batch, AppError> {
        Batch::decode(bytes)
    }

    fn give(&self, batch: Batch, out: &mut Outgoing) -> Result<(), AppError> {
        batch.give(out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Batch, AppError> {
        Batch::take(from)
    }
}

impl Codec<Open> for Stores<'_> {
    fn encode(&self, _open: &Open, _out: &mut Vec<u8>) -> Result<(), AppError> {
        Ok(())
    }

    fn decode(&self, _bytes: &mut &[u8]) -> Result<Open, AppError> {
        Ok(Open::new(self.0.session()))
    }
}
