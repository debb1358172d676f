//! The platform of this machine, measured if need be.

use forerun_platform::{Machine, Platform};
use forerun_skeleton::{Cancel, RunError};

use super::{Cache, Options, calibrate};

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
/// kept where it can be. That it cannot be is a note. `cache` is usually [`Cache::of_user`].
///
/// # Errors
/// Those of [`calibrate`].
pub fn for_this_machine(
    cache: Option<&Cache>,
    options: &Options,
    progress: &dyn Fn(&str, f64),
    cancel: &Cancel,
) -> Result<ThisMachine, RunError> {
    let machine = Machine::here();
    let mut notes = Vec::new();
    match cache.map(|c| c.cached(&machine)) {
        Some(Ok(Some(platform))) => return Ok(ThisMachine { platform, origin: Origin::Cached, notes }),
        Some(Err(e)) => notes.push(e.to_string()),
        Some(Ok(None)) | None => {}
    }
    let calibration = calibrate(options, progress, cancel)?;
    notes.extend(calibration.notes);
    let platform = calibration.platform;
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
