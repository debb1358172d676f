//! File names as arguments of a program.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The name such that no program takes it for an option.
pub(crate) fn safe(path: &Path) -> OsString {
    if path.as_os_str().as_bytes().starts_with(b"-") { Path::new(".").join(path).into() } else { path.into() }
}

/// Bytes that the name takes of the room for arguments: itself, its end and its pointer.
pub(crate) fn room(path: &Path) -> u64 {
    (path.as_os_str().len() + 1 + 2 + size_of::<usize>()) as u64
}
