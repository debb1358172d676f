//! Finds a program as a shell would, before anything runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;
use rustix::fs::{Access, access};

use super::show;

/// The file that `name` would run: itself if it holds a `/`, else the first in `PATH`.
///
/// # Errors
/// `role` and the name, and what is wrong: no such program, a directory, not executable.
pub(crate) fn find(role: &str, name: &str) -> Result<PathBuf, AppError> {
    let search = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    find_in(role, name, &search)
}

fn find_in(role: &str, name: &str, search: &OsStr) -> Result<PathBuf, AppError> {
    let refuse = |what: &str| Err(AppError::new(format!("the {role} command's program `{name}` {what}")));
    if name.contains('/') {
        let path = Path::new(name);
        return match path.metadata() {
            Err(_) => refuse("does not exist: check its path"),
            Ok(m) if m.is_dir() => refuse("is a directory: name a program"),
            Ok(_) if !may_run(path) => refuse("is not executable: allow it with `chmod +x`"),
            Ok(_) => Ok(path.to_path_buf()),
        };
    }
    let mut refused = None;
    for dir in std::env::split_paths(search) {
        let path = dir.join(name);
        if path.metadata().is_ok_and(|m| m.is_file()) {
            if may_run(&path) {
                return Ok(path);
            }
            refused.get_or_insert(path);
        }
    }
    match refused {
        Some(path) => refuse(&format!("is not executable ({}): allow it with `chmod +x`", show::path(&path))),
        None => refuse(
            "was not found in PATH: install it, or give its path (a shell's own command needs --shell)",
        ),
    }
}

fn may_run(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn searches_the_path_in_order_and_skips_what_cannot_run() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for (d, mode) in [(&a, 0o644), (&b, 0o755)] {
            std::fs::create_dir(d).unwrap();
            std::fs::write(d.join("tool"), "").unwrap();
            std::fs::set_permissions(d.join("tool"), PermissionsExt::from_mode(mode)).unwrap();
        }
        let both = std::env::join_paths([&a, &b]).unwrap();
        assert_eq!(find_in("map", "tool", &both).unwrap(), b.join("tool"));
        let said = find_in("map", "tool", a.as_os_str()).unwrap_err().to_string();
        assert!(said.contains("`tool` is not executable"), "{said}");
        let said = find_in("merge", "nonesuch", &both).unwrap_err().to_string();
        assert!(said.starts_with("the merge command's program `nonesuch` was not found in PATH"), "{said}");
        let said = find_in("map", a.to_str().unwrap(), &both).unwrap_err().to_string();
        assert!(said.contains("is a directory"), "{said}");
    }
}
