//! Results as bytes, for ranks that share no memory.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use forerun_skeleton::reduction::{Piece, PieceCodec};
use forerun_skeleton::wire::{Incoming, Maybe, Outgoing, garbled};
use forerun_skeleton::{AppError, Codec, Message as _, Wire};

use super::inputs::InputFile;
use super::output::{Body, Origin};
use super::scratch::Scratch;
use super::{Commands, Extent, Output};
use crate::pieces;

/// Appends an output: the places of its files, and its bytes, wherever they are.
fn put(output: &Output, out: &mut Vec<u8>) -> Result<(), AppError> {
    let places = output.origin.places();
    (places.start, places.end, output.bytes()).encode(out)?;
    let start = out.len();
    output.copy_to(out).map_err(|e| unreadable(&e))?;
    if (out.len() - start) as u64 == output.bytes() { Ok(()) } else { Err(changed()) }
}

/// Takes off what [`put`] appended: the places, and the bytes.
fn read<'b>(bytes: &mut &'b [u8]) -> Result<(Range<usize>, Cow<'b, [u8]>), AppError> {
    let (from, to, length): (usize, usize, usize) = Wire::decode(bytes)?;
    let body = bytes.split_off(..length).ok_or_else(|| garbled("complete"))?;
    Ok((from..to, Cow::Borrowed(body)))
}

/// Gives an output to a message: as [`put`], but its bytes as they lie in memory, where they are brought from a file first.
fn give(output: Output, out: &mut Outgoing) -> Result<(), AppError> {
    let (places, length) = (output.origin.places(), output.bytes());
    let bytes = match output.body {
        Body::Memory(bytes) => bytes,
        Body::File { ref file, .. } => std::fs::read(file.path()).map_err(|e| unreadable(&e))?,
    };
    if bytes.len() as u64 != length {
        return Err(changed());
    }
    (places.start, places.end).encode(&mut out.bytes)?;
    out.vector(bytes)
}

/// Takes what [`give`] gave.
fn take(from: &mut Incoming<'_>) -> Result<(Range<usize>, Cow<'static, [u8]>), AppError> {
    let (start, end) = Wire::decode(&mut from.bytes)?;
    Ok((start..end, Cow::Owned(from.vector()?)))
}

fn unreadable(e: &io::Error) -> AppError {
    AppError::new(format!("a temporary file cannot be read: {e}"))
}

fn changed() -> AppError {
    AppError::new("a temporary file was changed while the run needed it")
}

/// The output of another process for the files at `places`, in memory if it has no more bytes than `keep`.
///
/// # Errors
/// That there are no such files, or a temporary file cannot be written.
pub(super) fn adopt(
    files: &[InputFile],
    (scratch, keep): (&Arc<Scratch>, u64),
    places: Range<usize>,
    bytes: Cow<'_, [u8]>,
) -> Result<Output, AppError> {
    let (Some(first), Some(last)) = (files.get(places.start), files.get(places.end.wrapping_sub(1))) else {
        return Err(garbled("a result of these inputs"));
    };
    let origin = Origin::new(places, &first.path, &last.path);
    let body = if bytes.len() as u64 <= keep {
        Body::Memory(bytes.into_owned())
    } else {
        let (mut to, file) = scratch.file()?;
        pieces::write_all(&mut to, &bytes).map_err(|e| scratch.trouble(&e))?;
        Body::File { file, bytes: bytes.len() as u64 }
    };
    Ok(Output { body, origin })
}

/// Whose outputs are sent from one process to another.
pub(super) trait Adopts {
    /// The output of another process for the files at `places`.
    ///
    /// # Errors
    /// That there are no such files, or a temporary file cannot be written.
    fn adopt(&self, places: Range<usize>, bytes: Cow<'_, [u8]>) -> Result<Output, AppError>;
}

/// Writes and reads outputs of commands: the places of their files among the inputs, which are the same on all
/// ranks, and the bytes, wherever they are.
pub(super) struct OutputCodec<'a, A>(pub(super) &'a A);

impl<A: Adopts> Codec<Output> for OutputCodec<'_, A> {
    fn encode(&self, output: &Output, out: &mut Vec<u8>) -> Result<(), AppError> {
        put(output, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Output, AppError> {
        let (places, body) = read(bytes)?;
        self.0.adopt(places, body)
    }

    fn give(&self, output: Output, out: &mut Outgoing) -> Result<(), AppError> {
        give(output, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Output, AppError> {
        let (places, body) = take(from)?;
        self.0.adopt(places, body)
    }
}

impl Codec<Option<Piece<Output>>> for OutputCodec<'_, Commands> {
    fn encode(&self, left: &Option<Piece<Output>>, out: &mut Vec<u8>) -> Result<(), AppError> {
        Maybe(PieceCodec(self)).encode(left, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Option<Piece<Output>>, AppError> {
        Maybe(PieceCodec(self)).decode(bytes)
    }

    fn give(&self, left: Option<Piece<Output>>, out: &mut Outgoing) -> Result<(), AppError> {
        Maybe(PieceCodec(self)).give(left, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Option<Piece<Output>>, AppError> {
        Maybe(PieceCodec(self)).take(from)
    }
}

impl OutputCodec<'_, Commands> {
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
