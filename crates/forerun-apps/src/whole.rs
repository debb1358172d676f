//! Files that are there when they are complete.

use std::fs::File;
use std::path::Path;

use forerun_skeleton::AppError;

use crate::command::plain;
use crate::partial::{self, Place};
use crate::pieces;

/// Writes a file, which gets its name when it is complete: that of the file which `path` leads to, where it is a link. What is no
/// file (a device, a named pipe) is written to.
///
/// # Errors
/// A sentence that names it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let trouble =
        |e: std::io::Error| AppError::new(format!("{} cannot be written: {}", path.display(), plain(&e)));
    match partial::place(path).map_err(trouble)? {
        Place::Special(path) => {
            let mut to = File::options().write(true).open(path).map_err(trouble)?;
            pieces::write_all(&mut to, bytes).map_err(trouble)
        }
        Place::File { path, directory } => {
            let mut file = partial::begin(&directory, 0o666).map_err(trouble)?;
            pieces::write_all(&mut file, bytes).map_err(trouble)?;
            file.persist(path).map(drop).map_err(|e| trouble(e.error))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::FileTypeExt as _;

    use super::write_whole;

    #[test]
    fn links_stay_and_what_is_no_file_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, pipe) = (dir.path().join("file"), dir.path().join("link"), dir.path().join("pipe"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|s| s.success()));
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                let mut read = String::new();
                fs::File::open(pipe).unwrap().read_to_string(&mut read).unwrap();
                read
            })
        };
        write_whole(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        write_whole(std::path::Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(write_whole(std::path::Path::new("/dev/full"), b"x").is_err());
    }
}
