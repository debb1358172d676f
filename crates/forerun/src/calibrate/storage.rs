//! Sequential bandwidth of a directory's storage.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use forerun_platform::random::Random;
use forerun_skeleton::Cancel;

/// Bytes of one call.
const BLOCK: usize = 1 << 20;

/// A temporary file without a name: it is gone when this process is, however it ends.
pub(super) struct Scratch {
    file: File,
    block: Vec<u8>,
    size: usize,
    in_memory: bool,
    cancel: Cancel,
}

impl Scratch {
    /// A file in `dir`, of at most `largest` bytes: the smaller, the slower the storage is, and at
    /// most a hundredth of what is free.
    pub(super) fn new(dir: &Path, largest: usize, cancel: &Cancel) -> io::Result<Self> {
        let file = tempfile::tempfile_in(dir)?;
        // Nothing that a file system could compress or leave out.
        let mut random = Random::new(2);
        let block: Vec<u8> = (0..BLOCK / 8).flat_map(|_| random.bits().to_le_bytes()).collect();
        let free = rustix::fs::fstatvfs(&file).map_or(u64::MAX, |s| s.f_bavail.saturating_mul(s.f_frsize));
        if free / 100 < BLOCK as u64 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "less than 100 MiB is free"));
        }
        let in_memory = in_memory(&file);
        let mut scratch = Scratch { file, block, size: BLOCK, in_memory, cancel: cancel.clone() };
        let rate = scratch.write()?;
        // A sixteenth of a second a write, in steps of four so that repeated calibrations agree.
        while scratch.size * 4 <= largest
            && scratch.size as u64 * 4 <= free / 100
            && scratch.size as f64 * 4.0 <= rate / 16.0
        {
            scratch.size *= 4;
        }
        Ok(scratch)
    }

    /// What was measured, in words.
    pub(super) fn describe(&self) -> String {
        let what = format!("sequential, {} MiB", self.size >> 20);
        if self.in_memory {
            format!("storage: {what}, of a file system that is in memory")
        } else if DROPS {
            format!(
                "storage: {what}, writing until the device has it, reading with the system's page cache dropped"
            )
        } else {
            format!("storage: {what}, writing until the device has it, reading possibly from the page cache")
        }
    }

    fn interrupted(&self) -> io::Result<()> {
        if self.cancel.is_cancelled() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    /// Writes the file anew; bytes per second until the device has it.
    pub(super) fn write(&mut self) -> io::Result<f64> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        let begun = Instant::now();
        for _ in 0..self.size / BLOCK {
            self.interrupted()?;
            self.file.write_all(&self.block)?;
        }
        rustix::fs::fdatasync(&self.file)?;
        Ok(self.size as f64 / begun.elapsed().as_secs_f64().max(1e-9))
    }

    /// Reads the file, which was written; bytes per second.
    pub(super) fn read(&mut self) -> io::Result<f64> {
        drop_cache(&self.file)?;
        self.file.seek(SeekFrom::Start(0))?;
        let begun = Instant::now();
        for _ in 0..self.size / BLOCK {
            self.interrupted()?;
            self.file.read_exact(&mut self.block)?;
        }
        Ok(self.size as f64 / begun.elapsed().as_secs_f64().max(1e-9))
    }
}

/// Whether [`drop_cache`] does anything.
const DROPS: bool = cfg!(target_os = "linux");

/// Makes the system forget what it holds of a file that the device has.
#[cfg(target_os = "linux")]
fn drop_cache(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?)
}

#[cfg(not(target_os = "linux"))]
fn drop_cache(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the file is in a tmpfs or ramfs, which have no device.
#[cfg(target_os = "linux")]
fn in_memory(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|s| matches!(s.f_type as u64, 0x0102_1994 | 0x8584_58f6))
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_left_nowhere() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut scratch = Scratch::new(dir.path(), 4 << 20, &Cancel::new()).expect("it can be written");
        assert!(scratch.write().expect("it writes") > 0.0);
        assert!(scratch.read().expect("it reads") > 0.0);
        let left = std::fs::read_dir(dir.path()).expect("it can be listed").count();
        assert_eq!(left, 0, "even while it is measured, the file has no name");
        assert!(scratch.describe().contains("sequential"));
    }

    #[test]
    fn a_cancelled_measurement_ends() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let cancel = Cancel::new();
        let mut scratch = Scratch::new(dir.path(), BLOCK, &cancel).expect("it can be written");
        cancel.cancel();
        assert_eq!(scratch.write().map_err(|e| e.kind()), Err(io::ErrorKind::Interrupted));
        assert!(Scratch::new(&dir.path().join("none"), BLOCK, &Cancel::new()).is_err());
    }
}
