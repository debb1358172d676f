//! What a process asks the system for that is `unsafe` in Rust, whatever is done with it: files as the system holds them,
//! mapped, so that all processes of a host share one copy in memory ([`Mapped`]: the bytes are the file's, and change with it);
//! that memory which is freed is kept for what comes next ([`keep_memory`]), or is new ([`new_memory`]); and what a process that has
//! ended has used ([`wait_used`]).

#![forbid(missing_docs)]

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

#[cfg(unix)]
mod child;
mod memory;

#[cfg(unix)]
pub use child::{Used, wait_used};
pub use memory::{end_without_memory, keep_memory, keep_memory_within, new_memory};

/// The bytes of a file.
#[derive(Debug)]
pub struct Mapped(Bytes);

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    /// Of what cannot be mapped, such as a pipe.
    Read(Vec<u8>),
}

impl Mapped {
    /// Maps a file, of which nothing is read before it is looked at; what is no regular file is read.
    ///
    /// The file must not be written to as long as this lives, but may be replaced by another of its name: who writes into it
    /// changes the bytes, and who shortens it has the system end this process (`SIGBUS`). Of a file that Forerun writes
    /// neither happens: it is written under another name, and renamed when it is complete.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return Ok(Mapped(Bytes::Read(bytes)));
        }
        map(&file).map(|map| Mapped(Bytes::Mapped(map)))
    }
}

impl From<Vec<u8>> for Mapped {
    /// Bytes that were read before.
    fn from(bytes: Vec<u8>) -> Mapped {
        Mapped(Bytes::Read(bytes))
    }
}

#[allow(unsafe_code, reason = "mapping is")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is for reading, and its bytes are only read as bytes, of which any are valid. That nobody writes to the
    // file meanwhile is what `Mapped::open` asks for; no type system can see it.
    unsafe { Mmap::map(file) }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_bytes_and_another_of_its_name_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for bytes in [&b""[..], b"some", &[7; 100_000]] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(&*Mapped::open(&path).unwrap(), bytes);
        }
        let held = Mapped::open(&path).unwrap();
        std::fs::write(dir.path().join("next"), "next").unwrap();
        std::fs::rename(dir.path().join("next"), &path).unwrap();
        assert_eq!((held.len(), &*Mapped::open(&path).unwrap()), (100_000, &b"next"[..]));
    }

    #[test]
    fn what_is_no_regular_file_is_read() {
        assert!(Mapped::open(Path::new("/dev/null")).unwrap().is_empty());
        assert!(Mapped::open(Path::new("/")).is_err());
    }
}
