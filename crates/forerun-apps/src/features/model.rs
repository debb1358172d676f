//! Where the tagger's model is found.

use std::env;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;

use crate::command::show;

/// The environment variable that names a model's file.
pub const VARIABLE: &str = "FORERUN_MODEL";
/// The model that is shipped, below a directory of data.
const SHIPPED: &str = "models/brown.frtagger";

/// The model's file, or the directory of Brill's files: `asked` for; else what `FORERUN_MODEL` names; else `models/brown.frtagger` in the
/// directory of the executable or one above it, or in `forerun/` below the directories of data (`XDG_DATA_HOME`,
/// `XDG_DATA_DIRS`, `share` beside the executable's directory).
///
/// # Errors
/// That it is nowhere, and what to do.
pub fn find(asked: Option<&Path>) -> Result<PathBuf, AppError> {
    if let Some(path) = asked {
        return Ok(path.to_owned());
    }
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let places = places();
    places.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let beside = places.first().map_or(String::new(), |path| format!(" (looked first for {})", show::path(path)));
        AppError::new(format!(
            "there is no tagger's model{beside}: name one with --model FILE or {VARIABLE}, copy the repository's \
             {SHIPPED} to ~/.local/share/forerun/{SHIPPED}, or train one with forerun tagger train"
        ))
    })
}

fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(executable) = env::current_exe().ok().and_then(|path| path.canonicalize().ok()) {
        places.extend(executable.ancestors().skip(1).map(|above| above.join(SHIPPED)));
        places.extend(executable.ancestors().nth(2).map(|prefix| prefix.join("share/forerun").join(SHIPPED)));
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
    places.extend(
        set("XDG_DATA_HOME").map(PathBuf::from).or_else(home).map(|data| data.join("forerun").join(SHIPPED)),
    );
    let shared = set("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    places.extend(env::split_paths(&shared).map(|data| data.join("forerun").join(SHIPPED)));
    places
}

/// Tells models apart: the FNV-1a hash of the file, in 64 bits.
pub(super) fn fingerprint(model: &[u8]) -> String {
    format!("{:016x}", hash(model))
}

/// FNV-1a in 64 bits.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_goes_first() {
        assert_eq!(find(Some(Path::new("x.frtagger"))).unwrap(), Path::new("x.frtagger"));
    }

    /// The published check value of FNV-1a.
    #[test]
    fn fingerprints_are_fnv() {
        assert_eq!(fingerprint(b""), "cbf29ce484222325");
        assert_eq!(fingerprint(b"a"), "af63dc4c8601ec8c");
    }
}
