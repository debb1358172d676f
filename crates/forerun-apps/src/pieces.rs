//! Large writes to files, in pieces.

use std::io::{self, Write};

/// Bytes that are written to a file at once.
///
/// For a write of megabytes Linux takes as large parts of memory to keep it in. Of those a virtual machine's host may have
/// taken back what was free, and gives it again page by page: 4 MiB at a time took 3 ns a byte where 256 KiB at a time took 0.2
/// (ext4, kernel 6.18). Smaller pieces cost calls.
pub(crate) const PIECE: usize = 256 << 10;

/// Writes `bytes`, which may be many.
///
/// # Errors
/// The system's.
pub(crate) fn write_all(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    bytes.chunks(PIECE).try_for_each(|piece| to.write_all(piece))
}
