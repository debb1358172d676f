//! Where the benches have their files.

use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A directory in memory, where there is such a place: the mood of a disk's cache is not what is measured.
pub(crate) fn in_memory() -> io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
}
