//! The file to which sorted runs go when memory is short.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use forerun_platform::file::shown;
use forerun_skeleton::AppError;

use super::positioned;

/// What file systems give back: whole blocks, in bytes.
const BLOCK: u64 = 4 << 10;
/// How much is given back at once, in bytes.
const STEP: u64 = 1 << 20;

/// One file without a name for all runs of a sort, made when the first run comes. It is unlinked
/// as soon as it is open, so that nothing is left of it however the process ends.
#[derive(Debug)]
pub(crate) struct Spill {
    directory: PathBuf,
    /// Bytes that may have to be written to the same file system while runs are read back.
    result: u64,
    file: OnceLock<Result<File, AppError>>,
    end: AtomicU64,
}

/// Where a spilled run lies in the file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// First byte.
    pub(crate) start: u64,
    /// Number of bytes.
    pub(crate) length: u64,
}

impl Spill {
    /// A spill file in `directory`, for runs that become a result of `result` bytes.
    pub(crate) fn new(directory: &Path, result: u64) -> Self {
        Spill { directory: directory.into(), result, file: OnceLock::new(), end: AtomicU64::new(0) }
    }

    /// Another file in the same place, for the same.
    pub(crate) fn another(&self) -> Self {
        Spill::new(&self.directory, self.result)
    }

    /// Bytes spilled so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    fn file(&self) -> Result<&File, AppError> {
        let made =
            self.file.get_or_init(|| tempfile::tempfile_in(&self.directory).map_err(|e| self.error(&e)));
        made.as_ref().map_err(Clone::clone)
    }

    fn error(&self, e: &std::io::Error) -> AppError {
        let directory = shown(&self.directory);
        AppError::new(match e.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => format!(
                "no space left in {directory} for sorted runs: free some, give another directory \
                 for temporary files or allow more memory"
            ),
            _ => format!(
                "cannot keep sorted runs in {directory}: {e}; give another directory for temporary files"
            ),
        })
    }

    /// Writes a run of `length` bytes that `fill` produces piece by piece.
    ///
    /// # Errors
    /// The directory is full or not writable (the sentence names it), or `fill` failed.
    pub(crate) fn write(
        &self,
        length: u64,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), AppError>) -> Result<(), AppError>,
    ) -> Result<Extent, AppError> {
        let file = self.file()?;
        let extent = Extent { start: self.end.fetch_add(length, Ordering::Relaxed), length };
        let mut at = extent.start;
        fill(&mut |bytes| {
            positioned::write_all(file, bytes, at).map_err(|e| self.error(&e))?;
            at += bytes.len() as u64;
            Ok(())
        })?;
        debug_assert_eq!(at, extent.start + length);
        Ok(extent)
    }

    /// Reads `buffer.len()` bytes of `extent` from `offset` in it, for the first and last time: where the
    /// file system has little left, what lies before the end of `buffer` is given back to it. Each run is
    /// read from its beginning to its end.
    ///
    /// Giving back is not free: a file system may write what is still in memory alone before it
    /// forgets it, and tell the device of every piece. Of a file that is closed soon all of it is forgotten
    /// at once.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn take(&self, extent: Extent, offset: u64, buffer: &mut [u8]) -> Result<(), AppError> {
        let file = self.file()?;
        positioned::read_exact(file, buffer, extent.start + offset).map_err(|e| self.error(&e))?;
        let freed = extent.freed(offset, offset + buffer.len() as u64);
        if !freed.is_empty() && is_short(free(file), self.result) {
            // With what was kept of it as long as there was room.
            give_back(file, extent.start.next_multiple_of(BLOCK)..freed.end);
        }
        Ok(())
    }
}

/// Whether `free` bytes are few for a result of `result` bytes, of which none may be written yet, with as
/// many again for whoever else writes there.
fn is_short(free: u64, result: u64) -> bool {
    free < result.saturating_mul(2)
}

/// Bytes that are free where the file is.
#[cfg(unix)]
fn free(file: &File) -> u64 {
    rustix::fs::fstatvfs(file).map_or(0, |s| s.f_bavail.saturating_mul(s.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &File) -> u64 {
    u64::MAX
}

impl Extent {
    /// Places in the file to give back when reading has come from `before` to `after`: whole
    /// steps, and the rest at the end.
    fn freed(self, before: u64, after: u64) -> Range<u64> {
        let first = self.start.next_multiple_of(BLOCK);
        let reached = |offset: u64| {
            let unit = if offset == self.length { BLOCK } else { STEP };
            let at = self.start + offset;
            first.max(at - at % unit)
        };
        reached(before)..reached(after)
    }
}

/// Punches a hole; file systems that cannot keep the bytes until the end.
#[cfg(target_os = "linux")]
fn give_back(file: &File, range: Range<u64>) {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let _ = fallocate(file, flags, range.start, range.end - range.start);
}

#[cfg(not(target_os = "linux"))]
fn give_back(_: &File, _: Range<u64>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_given_back_and_nothing_else() {
        let extent = Extent { start: 5000, length: 5 * STEP + 777 };
        let (mut offset, mut end) = (0, 8192);
        for length in [10, STEP, 2 * STEP, 3, 2 * STEP + 764] {
            let freed = extent.freed(offset, offset + length);
            assert_eq!(freed.start, end);
            assert!(freed.is_empty() || freed.end <= extent.start + offset + length);
            (offset, end) = (offset + length, freed.end);
        }
        assert_eq!(offset, extent.length);
        assert_eq!(end, (extent.start + extent.length) / BLOCK * BLOCK);
    }

    #[test]
    fn room_for_the_result_is_kept() {
        assert!(is_short(199, 100) && !is_short(200, 100) && !is_short(0, 0));
        assert!(is_short(u64::MAX - 1, u64::MAX));
    }

    /// Where there is no room for the result, what was read takes no place any more; else it is kept.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_read_is_given_back_where_room_is_short() {
        use std::os::unix::fs::MetadataExt as _;
        let kept = |result: u64| {
            let spill = Spill::new(&std::env::temp_dir(), result);
            let run = spill.write(8 * STEP, |out| out(&vec![7; 8 * STEP as usize])).expect("written");
            let file = spill.file().expect("there");
            let blocks = || file.sync_all().and_then(|()| file.metadata()).expect("its size").blocks();
            let all = blocks();
            let mut buffer = vec![0; 4 * STEP as usize];
            spill.take(run, 0, &mut buffer).expect("read");
            let half = blocks();
            spill.take(run, 4 * STEP, &mut buffer).expect("read");
            assert!(buffer.iter().all(|&b| b == 7));
            (all, half, blocks())
        };
        let (all, half, end) = kept(0);
        assert!(all > 0 && half == all && end == all, "{all}, {half}, {end}");
        let (all, half, end) = kept(u64::MAX);
        // A file system that cannot forget a part keeps it.
        assert!(half == all || (half <= all / 2 && end < half), "{all}, {half}, {end}");
    }

    #[test]
    fn runs_lie_side_by_side() {
        let spill = Spill::new(&std::env::temp_dir(), u64::MAX);
        let write = |byte: u8, length: usize| {
            spill.write(length as u64, |out| out(&vec![byte; length])).expect("written")
        };
        let (a, b) = (write(1, 3_000_001), write(2, 10_007));
        let mut buffer = vec![0; 1_000_000];
        for offset in 0..3 {
            spill.take(a, offset * 1_000_000, &mut buffer).expect("read");
            assert!(buffer.iter().all(|&x| x == 1));
        }
        spill.take(a, 3_000_000, &mut buffer[..1]).expect("read");
        spill.take(b, 0, &mut buffer[..10_007]).expect("read");
        assert!(buffer[..10_007].iter().all(|&x| x == 2));
        assert_eq!(spill.bytes(), 3_010_008);
    }

    #[test]
    fn a_full_disk_is_told_with_its_directory() {
        let spill = Spill::new(Path::new("/scratch/runs"), 0);
        for kind in [std::io::ErrorKind::StorageFull, std::io::ErrorKind::QuotaExceeded] {
            let error = spill.error(&kind.into()).to_string();
            assert!(error.starts_with("no space left in /scratch/runs"), "{error}");
        }
    }

    #[test]
    fn a_directory_that_is_gone_is_named() {
        let error =
            Spill::new(Path::new("/nowhere/at/all"), 0).write(1, |out| out(&[0])).expect_err("no directory");
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
