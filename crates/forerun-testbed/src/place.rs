//! Where a testbed's things are and what they are called. Everything has the same prefix, so that what
//! is left of a testbed is found without its description.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

/// What everything begins with.
pub(crate) const PREFIX: &str = "forerun-testbed";

/// Where the files of all testbeds are. Not under /run, from which some systems start no program.
fn root() -> PathBuf {
    Path::new("/var/lib").join(PREFIX)
}

/// The things of one testbed.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    name: String,
}

impl Place {
    /// Those of the testbed `name`.
    pub(crate) fn of(name: &str) -> Place {
        Place { name: name.to_string() }
    }

    /// Every testbed of which something is left.
    pub(crate) fn all(namespaces: &[String], groups: &[String]) -> Vec<Place> {
        let dirs = fs::read_dir(root()).into_iter().flatten().flatten();
        let dirs = dirs.filter(|d| d.path().is_dir()).map(|d| d.file_name().to_string_lossy().into_owned());
        let spaces = namespaces
            .iter()
            .filter_map(|n| Some(n.strip_prefix(PREFIX)?.strip_prefix('.')?.split('.').next()?.to_string()));
        let mut names: Vec<String> = dirs.chain(spaces).chain(groups.iter().cloned()).collect();
        names.sort();
        names.dedup();
        names.iter().map(|n| Place::of(n)).collect()
    }

    /// The testbed's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its directory.
    pub(crate) fn dir(&self) -> PathBuf {
        root().join(&self.name)
    }

    /// A path in its directory.
    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.dir().join(part)
    }

    /// The description that it was built from; there once it is complete.
    pub(crate) fn description(&self) -> PathBuf {
        self.path("platform.toml")
    }

    /// The network namespace of a host.
    pub(crate) fn namespace(&self, host: &str) -> String {
        format!("{}{host}", self.namespace_prefix())
    }

    /// The network namespace with the switches. No host has capitals.
    pub(crate) fn switches(&self) -> String {
        self.namespace("SWITCHES")
    }

    /// What its namespaces begin with; no name has a dot.
    pub(crate) fn namespace_prefix(&self) -> String {
        format!("{PREFIX}.{}.", self.name)
    }
}

/// Where `ip netns` keeps namespaces.
pub(crate) fn namespace_file(namespace: &str) -> PathBuf {
    Path::new("/run/netns").join(namespace)
}

/// The network namespaces that have a name.
pub(crate) fn namespaces() -> Vec<String> {
    let entries = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// The lock, once it is taken.
static LOCK: OnceLock<File> = OnceLock::new();

/// Keeps other ups and downs out as long as this process lives, and tools that it has started: what a
/// killed one's last tool does would come after the next had looked.
///
/// # Errors
/// The directory cannot be made or the lock not taken.
pub(crate) fn lock() -> io::Result<()> {
    if LOCK.get().is_none() {
        fs::create_dir_all(root())?;
        let file = File::create(root().join("lock"))?;
        file.lock()?;
        let _ = LOCK.set(file);
    }
    Ok(())
}

/// A file that holds the lock as long as it is open, for a tool's input or output; nothing if there is no lock.
pub(crate) fn locked() -> Stdio {
    LOCK.get().and_then(|file| file.try_clone().ok()).map_or_else(Stdio::null, Stdio::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_testbed_whose_name_begins_like_anothers_is_another() {
        let left = ["forerun-testbed.a-b.node1", "forerun-testbed.c.SWITCHES", "other"].map(String::from);
        let names: Vec<_> = Place::all(&left, &["d".into()]).iter().map(|p| p.name.clone()).collect();
        assert!(["a-b", "c", "d"].iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
        assert!(!left[0].starts_with(&Place::of("a").namespace_prefix()));
        assert!(left[0].starts_with(&Place::of("a-b").namespace_prefix()));
    }
}
