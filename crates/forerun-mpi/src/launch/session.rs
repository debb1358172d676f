//! Where Open MPI's launcher keeps what it shares with its ranks. Where that place is full its start hangs, without a word that says so.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use forerun_platform::file::reason;
use forerun_skeleton::AppError;
use rustix::fs::statvfs;

/// Bytes that it takes there: two segments of 4 MiB, and small files (Open MPI 4.1, 2 to 16 ranks).
pub(super) const ROOM: u64 = 9 << 20;
/// Bytes that are written to see whether that is possible.
const TRIED: usize = 4 << 10;

/// Its own names for the directory, of Open MPI 4 and 5, and the variables with which they begin.
const OWN: [&str; 3] = ["orte_local_tmpdir_base", "orte_tmpdir_base", "prte_tmpdir_base"];
const PREFIXES: [&str; 2] = ["OMPI_MCA_", "PRTE_MCA_"];
/// Everybody's.
const COMMON: [&str; 3] = ["TMPDIR", "TEMP", "TMP"];
/// The directory that nobody has named.
const USUAL: &str = "/tmp";

/// The directory that a launcher of these words uses: that of its words, of its own variables, or of everybody's; and the name by which
/// another can be given.
pub(super) fn directory(words: &[String], variable: impl Fn(&str) -> Option<String>) -> (PathBuf, String) {
    let said = words.windows(2).find(|two| OWN.contains(&two[0].as_str()));
    let said = said.map(|two| (PathBuf::from(&two[1]), two[0].clone()));
    let own = || OWN.iter().flat_map(|name| PREFIXES.map(|prefix| format!("{prefix}{name}")));
    let set = |name: String| variable(&name).map(|value| (PathBuf::from(value), name));
    said.or_else(|| own().chain(COMMON.map(str::to_owned)).find_map(set))
        .unwrap_or_else(|| (USUAL.into(), COMMON[0].to_owned()))
}

/// The value of a variable that is set to something.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Looks whether there is room for a launcher in the directory.
///
/// # Errors
/// That there is no such directory, that there are fewer than `room` bytes left, or that nothing can be written there.
pub(super) fn check(launcher: &str, (directory, name): (&Path, &str), room: u64) -> Result<(), AppError> {
    // It would be made, and stay.
    if !directory.is_dir() {
        let what = if directory.exists() { "is no directory" } else { "does not exist" };
        return Err(AppError::new(format!(
            "{launcher} cannot start ranks: {}, where it would have its session, {what}; name another directory with {name}",
            directory.display()
        )));
    }
    let refused = |why: String| {
        AppError::new(format!(
            "{launcher} cannot start ranks: in {}, where it has its session, {why}; name another directory with {name}",
            directory.display()
        ))
    };
    let needed = || format!("are fewer than the {} MiB left that it takes", room.div_ceil(1 << 20));
    // What does not tell its size may have any.
    if let Ok(of) = statvfs(directory)
        && of.f_blocks > 0
        && of.f_bavail.saturating_mul(of.f_frsize) < room
    {
        return Err(refused(needed()));
    }
    try_to_write(directory).map_err(|e| match e.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => refused(needed()),
        _ => refused(format!("nothing can be written ({})", reason(&e))),
    })
}

/// Writes a small file there, of which nothing is left.
fn try_to_write(directory: &Path) -> io::Result<()> {
    let path = directory.join(format!(".forerun-{}-tried", process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    file.write_all(&[0; TRIED])?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_directory_is_the_one_that_the_launcher_takes() {
        let set = |all: &'static [(&str, &str)]| {
            move |name: &str| all.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        let plain = words("mpirun");
        let is = |path: &str, name: &str| (PathBuf::from(path), name.to_owned());
        assert_eq!(directory(&plain, set(&[])), is("/tmp", "TMPDIR"));
        assert_eq!(directory(&plain, set(&[("TMP", "/c"), ("TEMP", "/b")])), is("/b", "TEMP"));
        assert_eq!(directory(&plain, set(&[("TMPDIR", "/a"), ("TEMP", "/b")])), is("/a", "TMPDIR"));
        for own in ["OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"] {
            let variable = |name: &str| {
                [("TMPDIR", "/a"), (own, "/own")]
                    .iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, v)| (*v).to_owned())
            };
            assert_eq!(directory(&plain, variable), is("/own", own));
            let said = words("mpirun --mca orte_tmpdir_base /said -v");
            assert_eq!(directory(&said, variable), is("/said", "orte_tmpdir_base"));
        }
    }

    #[test]
    fn a_place_without_room_is_told_and_nothing_is_left_in_one_that_has() {
        let place = env::temp_dir().join(format!("forerun-session-{}", process::id()));
        fs::create_dir(&place).unwrap();
        assert_eq!(check("mpirun", (&place, "TMPDIR"), 1).map_err(|e| e.to_string()), Ok(()));
        // None is made.
        let said = check("mpirun", (&place.join("not/yet"), "TMPDIR"), 1).unwrap_err().to_string();
        assert!(said.contains("not/yet, where it would have its session, does not exist"), "{said}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        let said = check("mpirun", (&place, "TEMP"), u64::MAX).unwrap_err().to_string();
        assert!(
            said.contains(&place.display().to_string())
                && said.contains("MiB left")
                && said.ends_with("with TEMP"),
            "{said}"
        );
        fs::remove_dir(&place).unwrap();
        for (place, what) in [("/proc", "nothing can be written ("), ("/dev/full", "is no directory")] {
            let said = check("mpirun", (Path::new(place), "TMPDIR"), 1).unwrap_err().to_string();
            assert!(said.contains(place) && said.contains(what) && !said.contains("os error"), "{said}");
        }
    }
}
