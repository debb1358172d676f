//! The calibrations that are kept, one a machine.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use forerun_apps::partial;
use forerun_platform::{Machine, Platform};

use super::doubt;
use crate::error::reason;
use crate::file::shown;

/// Raised whenever figures of an earlier calibration would no longer be right.
const METHOD: u32 = 3;

/// Where calibrations are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
}

/// Why a calibration could not be read or kept.
#[derive(Debug)]
pub struct CacheError {
    path: PathBuf,
    verb: &'static str,
    error: io::Error,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the calibration {} could not be {}: {}", shown(&self.path), self.verb, reason(&self.error))
    }
}

impl std::error::Error for CacheError {}

/// A build without optimisation measures itself, and is not taken for one with it.
fn build() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

/// How the line begins that says why the figures after it cannot be relied on.
const DOUBTFUL: &str = "# doubtful: ";

/// The first line of a file that this build takes as its own.
fn mark() -> String {
    format!("# forerun calibrate, method {METHOD}, {} build\n", build())
}

impl Cache {
    /// A cache in this directory.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Cache { dir: dir.into() }
    }

    /// The user's: in `$XDG_CACHE_HOME`, which is made where it is missing, or `~/.cache`. `None` if there is no home: one that is named and not
    /// there is not made. (A variable that is empty, or relative, is as one that is not set: the XDG Base Directory Specification.)
    pub fn of_user() -> Option<Self> {
        Cache::among(|key| std::env::var_os(key))
    }

    fn among(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let absolute = |key| variable(key).map(PathBuf::from).filter(|p| p.is_absolute());
        let home = || absolute("HOME").filter(|home| home.is_dir()).map(|home| home.join(".cache"));
        let base = absolute("XDG_CACHE_HOME").or_else(home)?;
        Some(Cache::at(base.join("forerun").join("platforms")))
    }

    /// The file of a machine.
    pub fn path(&self, machine: &Machine) -> PathBuf {
        let build = if cfg!(debug_assertions) { "-debug" } else { "" };
        self.dir.join(format!("{}{build}.toml", machine.fingerprint()))
    }

    /// The machine's platform; `None` if there is none that this build can use: no file, one of
    /// another version, a damaged one, or figures that cannot be relied on.
    ///
    /// # Errors
    /// There is a file but it cannot be read.
    pub fn cached(&self, machine: &Machine) -> Result<Option<Platform>, CacheError> {
        let path = self.path(machine);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(CacheError { path, verb: "read", error }),
        };
        let sound = |text: &String| text.strip_prefix(&mark()).is_some_and(|t| !t.starts_with(DOUBTFUL));
        let text = String::from_utf8(text).ok().filter(sound);
        let platform = text.and_then(|t| Platform::from_toml(&t, &shown(path)).ok());
        Ok(platform.filter(|platform| !doubt::of_kept(platform)))
    }

    /// Keeps the machine's platform; gives the file.
    ///
    /// # Errors
    /// The file cannot be written; what was there before still is.
    pub fn store(&self, machine: &Machine, platform: &Platform) -> Result<PathBuf, CacheError> {
        let path = self.path(machine);
        let written = std::fs::create_dir_all(&self.dir).and_then(|()| write(&path, platform, None));
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err(CacheError { path, verb: "kept", error }),
        }
    }
}

fn temporary(dir: &Path) -> io::Result<tempfile::NamedTempFile> {
    partial::begin(dir, 0o600).map_err(|e| e.kind().into())
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A calibrated platform as a file, with why it cannot be relied on, if it cannot.
pub(super) fn text(platform: &Platform, doubt: Option<&str>) -> String {
    let doubt = doubt.map_or(String::new(), |why| format!("{DOUBTFUL}{why}\n"));
    mark() + &doubt + &platform.to_toml()
}

/// Writes a calibrated platform, with why it cannot be relied on, if it cannot: readers find the file that was there before, or all of
/// the new one.
pub(super) fn write(path: &Path, platform: &Platform, doubt: Option<&str>) -> io::Result<()> {
    let mut file = temporary(directory(path))?;
    file.write_all(text(platform, doubt).as_bytes())?;
    file.as_file().sync_data()?;
    // As any file that the user makes, not as a temporary one.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forerun_platform::{Host, Measured, Network, Seconds};

    use super::*;

    fn example() -> Platform {
        let latency = Measured::within(Seconds(1.5e-7), Seconds(1.4e-7), Seconds(1.7e-7));
        let network = Network { latency, ..Network::default() };
        Platform::new("this-machine", vec![Host::new("here", 1, 2)], network)
    }

    #[test]
    fn a_home_that_is_not_there_is_not_made() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (home, none, other) =
            (dir.path().to_path_buf(), dir.path().join("none"), dir.path().join("cache"));
        let of = |cache: &str, home: &Path| {
            let found = Cache::among(|name| match name {
                "XDG_CACHE_HOME" => Some(cache.into()),
                _ => Some(home.into()),
            });
            found.map(|cache| cache.dir.parent().expect("forerun").parent().expect("the base").to_path_buf())
        };
        assert_eq!(of("", &home), Some(home.join(".cache")));
        assert_eq!(of("relative", &home), Some(home.join(".cache")));
        assert_eq!((of("", &none), of("", Path::new(""))), (None, None));
        // A cache that is named is made.
        assert_eq!(of(other.to_str().expect("text"), &none), Some(other));
        assert!(Cache::among(|_| None).is_none());
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(dir.path().join("deep").join("er"));
        let machine = Machine::here();
        assert!(matches!(cache.cached(&machine), Ok(None)));
        let path = cache.store(&machine, &example()).expect("it is kept");
        assert_eq!(cache.cached(&machine).expect("it is read"), Some(example()));
        assert_eq!(Platform::load(&path), Ok(example()));
        let other = Machine { cores: machine.cores + 1, ..machine.clone() };
        assert!(matches!(cache.cached(&other), Ok(None)));
        cache.store(&machine, &example()).expect("it is kept again");
        assert_eq!(fs::read_dir(dir.path().join("deep/er")).expect("a directory").count(), 1);
    }

    #[test]
    fn what_is_damaged_or_of_another_version_is_as_if_it_were_not_there() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (cache, machine) = (Cache::at(dir.path()), Machine::here());
        let path = cache.store(&machine, &example()).expect("it is kept");
        let good = fs::read(&path).expect("it is read");
        let text = String::from_utf8(good.clone()).expect("it is text");
        let damages = [
            Vec::new(),
            b"\xff\xfe\x00".to_vec(),
            good[..good.len() / 2].to_vec(),
            text.replace("method 3", "method 2").into_bytes(),
            // Of a busy machine: said so, without an interval, or of milliseconds.
            text.replace(" build\n", " build\n# doubtful: other programs ran\n").into_bytes(),
            text.replace(", low = \"140 ns\", high = \"170 ns\"", "").into_bytes(),
            text.replace("150 ns", "150 us").replace("170 ns", "170 us").into_bytes(),
            text.replace("format = 1", "format = 99").into_bytes(),
            text.replace(" build", " other build").into_bytes(),
        ];
        for damaged in damages {
            assert_ne!(damaged, good);
            fs::write(&path, &damaged).expect("it is damaged");
            assert!(matches!(cache.cached(&machine), Ok(None)), "{}", String::from_utf8_lossy(&damaged));
        }
        fs::write(&path, &good).expect("it is mended");
        assert!(matches!(cache.cached(&machine), Ok(Some(_))));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_said() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("file");
        fs::write(&file, "x").expect("a file");
        // No user, not even root, can make a directory inside a file.
        let (cache, machine) = (Cache::at(file.join("platforms")), Machine::here());
        assert!(matches!(cache.cached(&machine), Ok(None)));
        let error = cache.store(&machine, &example()).expect_err("it cannot be kept").to_string();
        assert!(error.contains("file/platforms") && error.contains("could not be kept"), "{error}");
    }
}
