//! Whether a file that is read in parts is still the one that was looked at.

use std::fs::{Metadata, metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use forerun_platform::file::shown;
use forerun_skeleton::AppError;

/// A file as it was when it was looked at: by its size, when it was last written to, and which it is. Who writes the same again is told
/// so, too: nobody knows that before all is read again. A file that gets another name, link or owner is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    bytes: u64,
    written: (i64, i64),
    file: (u64, u64),
}

impl Seen {
    /// As the system says it.
    pub(crate) fn of(is: &Metadata) -> Seen {
        Seen { bytes: is.len(), written: (is.mtime(), is.mtime_nsec()), file: (is.dev(), is.ino()) }
    }

    /// That a file at `path` which `is` so now is still as it was seen.
    ///
    /// # Errors
    /// A sentence that names the file and says what became of it.
    pub(crate) fn check_against(&self, path: &Path, is: &Metadata) -> Result<(), AppError> {
        let now = Seen::of(is);
        if now == *self {
            return Ok(());
        }
        let what = match now.bytes.cmp(&self.bytes) {
            _ if now.file != self.file => "was replaced by another file",
            std::cmp::Ordering::Less => "became shorter",
            std::cmp::Ordering::Greater => "became longer",
            std::cmp::Ordering::Equal => "was written to",
        };
        Err(AppError::new(format!(
            "{} {what} while it was being read: leave the inputs alone until the end of a run",
            shown(path)
        )))
    }

    /// The same, of what is at `path` now. A file that is gone was read as it was seen: what is read is checked.
    ///
    /// # Errors
    /// As [`Seen::check_against`]; that it cannot be looked at.
    pub(crate) fn check(&self, path: &Path) -> Result<(), AppError> {
        match metadata(path) {
            Ok(is) => self.check_against(path, &is),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(AppError::new(format!("cannot look at {} again: {e}", shown(path)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn what_became_of_a_file_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let seen = |bytes: &str| {
            fs::write(&path, bytes).unwrap();
            let before = fs::File::options().write(true).open(&path).unwrap();
            before.set_modified(SystemTime::now() - Duration::from_secs(100)).unwrap();
            Seen::of(&fs::metadata(&path).unwrap())
        };
        let said = |seen: &Seen| seen.check(&path).err().map(|e| e.to_string()).unwrap_or_default();
        let file = seen("some");
        assert_eq!(said(&file), "");
        fs::hard_link(&path, dir.path().join("link")).unwrap();
        assert_eq!(said(&file), "", "another name is no change");
        for (bytes, what) in
            [("more of it", "became longer"), ("so", "became shorter"), ("some", "was written to")]
        {
            let file = seen("some");
            fs::write(&path, bytes).unwrap();
            let said = said(&file);
            assert!(said.contains(&format!("file {what} while it was being read")), "{said}");
        }
        let file = seen("some");
        fs::write(dir.path().join("other"), "some").unwrap();
        fs::rename(dir.path().join("other"), &path).unwrap();
        assert!(said(&file).contains("was replaced by another file"));
        fs::remove_file(&path).unwrap();
        assert_eq!(said(&file), "");
    }
}
