//! Reading and writing a file at a place, without moving a cursor that others share.

use std::fs::File;
use std::io;

#[cfg(unix)]
mod system {
    use super::{File, io};
    use crate::pieces::PIECE;
    use std::os::unix::fs::FileExt;

    pub(crate) fn read_exact(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }

    pub(crate) fn write_all(file: &File, bytes: &[u8], mut offset: u64) -> io::Result<()> {
        bytes.chunks(PIECE).try_for_each(|piece| {
            file.write_all_at(piece, offset)?;
            offset += piece.len() as u64;
            Ok(())
        })
    }
}

#[cfg(windows)]
mod system {
    use super::{File, io};
    use std::os::windows::fs::FileExt;

    pub(crate) fn read_exact(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match file.seek_read(buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => {
                    buffer = &mut buffer[n..];
                    offset += n as u64;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn write_all(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let n = file.seek_write(bytes, offset)?;
            bytes = &bytes[n..];
            offset += n as u64;
        }
        Ok(())
    }
}

pub(crate) use system::{read_exact, write_all};
