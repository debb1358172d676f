//! Files that are there when they are complete.

use std::path::Path;

use forerun_platform::file::{Stream, is_standard_output, shown, stream};
use forerun_skeleton::AppError;

use crate::command::plain;
use crate::partial::{self, Place};
use crate::pieces;

/// Writes a file, which gets its name when it is complete: that of the file which `path` leads to, where it is a link. What is no
/// file (a device, a named pipe, standard output) is written to.
///
/// # Errors
/// A sentence that names it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let is_standard = is_standard_output(path);
    let name = if is_standard { "standard output".into() } else { shown(path) };
    let trouble = |e: std::io::Error| AppError::new(format!("{name} cannot be written: {}", plain(&e)));
    if is_standard {
        let mut stdout = Stream::standard_output().map_err(trouble)?;
        return pieces::write_all(&mut stdout, bytes).map_err(trouble);
    }
    match partial::place(path).map_err(trouble)? {
        Place::Special(path) => {
            let mut to = stream(&path, || false).map_err(trouble)?;
            pieces::write_all(&mut to, bytes).map_err(trouble)
        }
        Place::File { path, directory } => {
            let mut file = partial::begin(&directory, 0o666).map_err(trouble)?;
            pieces::write_all(&mut file, bytes).map_err(trouble)?;
            file.persist(path).map(drop).map_err(|e| trouble(e.error))
        }
    }
}

/// Does what [`write_whole`] does with a file, and keeps nothing of it: for trying out what it costs. What cannot be written is
/// left to the end to be said, and what is no file is not written to.
pub(crate) fn rehearse_whole(path: &Path, bytes: &[u8]) {
    if !is_standard_output(path)
        && let Ok(Place::File { directory, .. }) = partial::place(path)
        && let Ok(mut file) = partial::begin(&directory, 0o666)
    {
        // Where the disk is full, it is full at the end as well.
        let _ = pieces::write_all(&mut file, bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::FileTypeExt as _;

    use super::{rehearse_whole, write_whole};

    #[test]
    fn a_rehearsal_leaves_everything_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "old").unwrap();
        for path in [&*file, &dir.path().join("new"), &dir.path().join("none/new"), dir.path()] {
            rehearse_whole(path, b"new");
        }
        rehearse_whole(std::path::Path::new("/dev/full"), b"x");
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

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
