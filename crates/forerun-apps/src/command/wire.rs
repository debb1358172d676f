//! Results as bytes, for ranks that share no memory.

use forerun_skeleton::reduction::{Piece, PieceCodec};
use forerun_skeleton::wire::{Maybe, garbled};
use forerun_skeleton::{AppError, Codec, Message as _, Wire};

use super::{Commands, Extent, Output};

/// Writes and reads results of these commands: the places of their files among the inputs, which are the same on all
/// ranks, and the bytes, wherever they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputCodec<'a>(pub(crate) &'a Commands);

impl Codec<Output> for OutputCodec<'_> {
    fn encode(&self, output: &Output, out: &mut Vec<u8>) -> Result<(), AppError> {
        let places = output.origin.places();
        (places.start, places.end, output.bytes()).encode(out)?;
        let start = out.len();
        output.copy_to(out).map_err(|e| AppError::new(format!("a temporary file cannot be read: {e}")))?;
        if (out.len() - start) as u64 == output.bytes() {
            Ok(())
        } else {
            Err(AppError::new("a temporary file was changed while the run needed it"))
        }
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Output, AppError> {
        let (from, to, length): (usize, usize, usize) = Wire::decode(bytes)?;
        let body = bytes.split_off(..length).ok_or_else(|| garbled("complete"))?;
        self.0.adopt(from..to, body)
    }
}

impl Codec<Option<Piece<Output>>> for OutputCodec<'_> {
    fn encode(&self, left: &Option<Piece<Output>>, out: &mut Vec<u8>) -> Result<(), AppError> {
        Maybe(PieceCodec(self)).encode(left, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Option<Piece<Output>>, AppError> {
        Maybe(PieceCodec(self)).decode(bytes)
    }
}

impl OutputCodec<'_> {
    /// Appends what a pilot kept, and keeps it no longer.
    pub(super) fn put_kept(self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.done().take_all().into_iter().try_for_each(|(extent, output)| {
            let Extent { first, start, files, bytes, piece } = extent;
            ((first, start), (files, bytes, piece)).encode(out)?;
            self.encode(&output, out)
        })
    }

    /// Keeps it here.
    pub(super) fn keep(self, mut bytes: &[u8]) -> Result<(), AppError> {
        while !bytes.is_empty() {
            let ((first, start), (files, length, piece)) = Wire::decode(&mut bytes)?;
            let output = self.decode(&mut bytes)?;
            self.0.done().keep(Extent { first, start, files, bytes: length, piece }, output);
        }
        Ok(())
    }
}
