//! Where the benches have their files.

use std::io;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A directory in memory, where there is such a place: the mood of a disk's cache is not what is measured.
pub(crate) fn in_memory() -> io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
}

/// Has `forerun` make a file of so many random `i32`.
pub(crate) fn numbers(forerun: &Path, count: u64, file: &Path) -> io::Result<()> {
    let mut generate = Command::new(forerun);
    generate.args(["generate", "numbers", &count.to_string(), "-q", "-o"]).arg(file);
    match generate.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other("the numbers could not be made")),
    }
}
