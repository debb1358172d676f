//! The platform of this machine, measured if need be.

use forerun_platform::{Machine, Platform};
use forerun_skeleton::{Cancel, RunError};

use super::{Cache, Calibration, Options, calibrate, doubtful};

/// Where the platform of this machine comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An earlier calibration.
    Cached,
    /// A calibration just now.
    Fresh,
}

/// This machine as predictions see it.
#[derive(Debug, Clone)]
pub struct ThisMachine {
    /// Its platform.
    pub platform: Platform,
    /// Where that comes from.
    pub origin: Origin,
    /// What a person should know about it.
    pub notes: Vec<String>,
}

/// The platform of this machine: as it was calibrated before, else by a calibration now, which is
/// kept where it can be and can be relied on. That it is not is a note. `cache` is usually [`Cache::of_user`].
///
/// # Errors
/// Those of [`calibrate`].
pub fn for_this_machine(
    cache: Option<&Cache>,
    options: &Options,
    progress: &dyn Fn(&str, f64),
    cancel: &Cancel,
) -> Result<ThisMachine, RunError> {
    kept_or(cache, || calibrate(options, progress, cancel))
}

/// The same, measured by `measure`.
fn kept_or(
    cache: Option<&Cache>,
    measure: impl FnOnce() -> Result<Calibration, RunError>,
) -> Result<ThisMachine, RunError> {
    let machine = Machine::here();
    let mut notes = Vec::new();
    match cache.map(|c| c.cached(&machine)) {
        Some(Ok(Some(platform))) => return Ok(ThisMachine { platform, origin: Origin::Cached, notes }),
        Some(Err(e)) => notes.push(e.to_string()),
        Some(Ok(None)) | None => {}
    }
    let Calibration { platform, notes: more, doubt, .. } = measure()?;
    notes.extend(more);
    if let Some(why) = doubt {
        notes.push(format!("{}; it is not kept, and will be measured again next time", doubtful(&why)));
        return Ok(ThisMachine { platform, origin: Origin::Fresh, notes });
    }
    match cache.map(|c| c.store(&machine, &platform)) {
        Some(Ok(_)) => {}
        Some(Err(e)) => notes.push(format!("{e}; the machine will be measured again next time")),
        None => notes.push(
            "there is no home directory to keep the calibration in; the machine will be measured again next time"
                .into(),
        ),
    }
    Ok(ThisMachine { platform, origin: Origin::Fresh, notes })
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Host, Network};

    use super::*;

    #[test]
    fn what_is_in_doubt_is_used_and_said_and_measured_again() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(dir.path());
        let get = |doubt: Option<&str>| {
            let measure = || {
                let platform = Platform::new("m", vec![Host::new("here", 1, 2)], Network::default());
                let doubt = doubt.map(String::from);
                Ok(Calibration { platform, figures: Vec::new(), notes: Vec::new(), doubt })
            };
            kept_or(Some(&cache), measure).expect("it measures")
        };
        for _ in 0..2 {
            let found = get(Some("other programs ran"));
            assert_eq!(found.origin, Origin::Fresh);
            let [note] = &found.notes[..] else { panic!("{:?}", found.notes) };
            assert!(note.contains("(other programs ran)") && note.contains("measured again"), "{note}");
        }
        assert_eq!((get(None).origin, get(None).origin), (Origin::Fresh, Origin::Cached));
        // One that is in doubt does not take the place of one that is not.
        assert_eq!(get(Some("other programs ran")).origin, Origin::Cached);
    }
}
