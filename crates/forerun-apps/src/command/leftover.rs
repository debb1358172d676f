//! Directories of temporary files that runs left when they were killed.
//!
//! A run holds a lock on a file in its directory for as long as it lives; the system takes the lock away
//! however the run ends. So a directory whose lock can be had belongs to nobody, on whatever machine or
//! in whatever container its run was.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

/// How the names of the directories of temporary files begin.
pub(crate) const PREFIX: &str = "forerun-";
/// A directory, and the lock that says that its run lives, where there are locks: dropped after it.
pub(crate) type Locked = (TempDir, Option<File>);

/// The file in each that is locked.
const LOCK: &str = "lock";

/// Makes a directory in `parent` for this run, whose name begins with `prefix`, and removes those of runs that are dead. The file that is given too
/// is to be held as long as the directory is used.
pub(crate) fn make(parent: &Path, prefix: &str) -> io::Result<Locked> {
    let mut tried = 0;
    let made = loop {
        let name = format!("{prefix}{}-", std::process::id());
        let dir = tempfile::Builder::new().prefix(&name).tempdir_in(parent)?;
        let lock = File::create_new(dir.path().join(LOCK))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            // Another run may have found the directory before it was locked, and taken it for a dead one's.
            Ok(()) if dir.path().join(LOCK).exists() => break (dir, Some(lock)),
            Err(e) if e != rustix::io::Errno::WOULDBLOCK => {
                // A file system without locks: then nobody takes the directory for a dead one's either.
                fs::remove_file(dir.path().join(LOCK))?;
                break (dir, None);
            }
            _ => tried += 1,
        }
        if tried > 10 {
            return Err(io::Error::other("other runs remove it again and again"));
        }
    };
    // Nothing depends on it: what cannot be removed is left.
    let _ = remove_dead(parent, prefix, made.0.path());
    Ok(made)
}

fn remove_dead(parent: &Path, prefix: &str, mine: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)?.flatten() {
        let path = entry.path();
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        if ours && path != mine && entry.file_type().is_ok_and(|t| t.is_dir()) {
            let Ok(lock) = File::open(path.join(LOCK)) else { continue };
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_the_dead_are_removed_and_no_others() {
        let parent = tempfile::tempdir().unwrap();
        let dead = parent.path().join("forerun-1-dead");
        let foreign = parent.path().join("forerun-notes");
        for dir in [&dead, &foreign] {
            fs::create_dir(dir).unwrap();
            fs::write(dir.join("0"), "x").unwrap();
        }
        fs::write(dead.join(LOCK), "").unwrap();
        let (mine, _lock) = make(parent.path(), PREFIX).unwrap();
        assert!(!dead.exists() && foreign.exists() && mine.path().exists());
        // One that lives is left, until its lock is gone.
        let (other, lock) = make(parent.path(), PREFIX).unwrap();
        assert!(mine.path().exists());
        let path = other.keep();
        drop(lock);
        let _again = make(parent.path(), PREFIX).unwrap();
        assert!(!path.exists() && mine.path().exists());
    }
}
