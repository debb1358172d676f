//! Bodies as they were before they were compressed, within a limit.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use crate::fetch::{Trouble, read_trouble};

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
    Brotli,
}

impl Coding {
    /// The coding of a header; gives back the name of one that is not known. Only one coding is undone.
    pub(crate) fn of(header: Option<&str>) -> Result<Self, String> {
        match header.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Coding::Plain),
            "gzip" | "x-gzip" => Ok(Coding::Gzip),
            "br" => Ok(Coding::Brotli),
            other => Err(other.to_owned()),
        }
    }
}

/// Reads and decodes. Neither what comes nor what is made of it may be more than `most` bytes; no more than that is
/// held, and no more is decoded.
pub(crate) fn decoded(raw: impl Read, coding: Coding, most: u64) -> Result<Vec<u8>, Trouble> {
    let failed = Rc::new(Cell::new(None));
    let mut raw = Counted { raw, most, left: most, failed: Rc::clone(&failed) };
    let mut out = Vec::new();
    let room = most.saturating_add(1);
    let read = match coding {
        Coding::Plain => (&mut raw).take(room).read_to_end(&mut out),
        Coding::Gzip => MultiGzDecoder::new(&mut raw).take(room).read_to_end(&mut out),
        Coding::Brotli => {
            brotli_decompressor::Decompressor::new(&mut raw, 16 << 10).take(room).read_to_end(&mut out)
        }
    };
    if let Some(trouble) = failed.take() {
        return Err(trouble);
    }
    match read {
        Ok(_) if out.len() as u64 > most => Err(Trouble::Large(most)),
        Ok(_) => Ok(out),
        // The network is at fault for what comes as an error of `raw`; all else is in the bytes.
        Err(e) => Err(Trouble::Lasting(format!("its compressed content is damaged: {e}"))),
    }
}

/// Counts what comes, and keeps what went wrong: decoders make errors of their own of it.
struct Counted<R> {
    raw: R,
    most: u64,
    left: u64,
    failed: Rc<Cell<Option<Trouble>>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.raw.read(into) {
            Ok(n) if n as u64 > self.left => {
                // Those bytes are the caller's error, not its data.
                self.failed.set(Some(Trouble::Large(self.most)));
                Err(io::Error::other("too large"))
            }
            Ok(n) => {
                self.left -= n as u64;
                Ok(n)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => {
                self.failed.set(Some(read_trouble(e)));
                Err(io::Error::other("not read"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::best());
        to.write_all(bytes).expect("to memory");
        to.finish().expect("to memory")
    }

    #[test]
    fn what_was_compressed_comes_back() {
        assert_eq!(decoded(&gzip(b"page")[..], Coding::Gzip, 4_000).expect("read"), b"page");
        // `page` as one uncompressed block of RFC 7932: a window of 22 bits, four bytes, then an empty last block.
        let brotli = [0x8b, 0x01, 0x80, b'p', b'a', b'g', b'e', 0x03];
        assert_eq!(decoded(&brotli[..], Coding::Brotli, 4_000).expect("read"), b"page");
    }

    #[test]
    fn a_bomb_is_stopped_at_the_limit() {
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 100_000);
        assert_eq!(decoded(&bomb[..], Coding::Gzip, 1 << 20), Err(Trouble::Large(1 << 20)));
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert_eq!(decoded(&[7; 100][..], Coding::Plain, 100).map(|b| b.len()), Ok(100));
        assert!(matches!(decoded(&[7; 101][..], Coding::Plain, 100), Err(Trouble::Large(_))));
        assert_eq!(decoded(&gzip(&[7; 100])[..], Coding::Gzip, 100).map(|b| b.len()), Ok(100));
        assert!(matches!(decoded(&gzip(&[7; 101])[..], Coding::Gzip, 100), Err(Trouble::Large(_))));
    }

    #[test]
    fn damage_is_said() {
        let mut bytes = gzip(&[b'x'; 1_000]);
        bytes.truncate(bytes.len() - 6);
        assert!(matches!(decoded(&bytes[..], Coding::Gzip, 4_000), Err(Trouble::Lasting(_))));
        assert!(matches!(decoded(&b"not gzip"[..], Coding::Gzip, 4_000), Err(Trouble::Lasting(_))));
        assert!(matches!(decoded(&b"\xff\xff\xff"[..], Coding::Brotli, 4_000), Err(Trouble::Lasting(_))));
    }
}
