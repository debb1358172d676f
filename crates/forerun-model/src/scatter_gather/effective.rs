//! What a profile comes to in a given run.

use forerun_platform::{Platform, ScatterGatherProfile};

use super::memory::beyond;
use super::{Blocks, Setting};
use crate::ModelError;

/// The profile of a run in this setting: the slowing of work by busy neighbours, and what of a
/// rank's share has to go to a disk and back, are in the costs; both contentions and `spill` are zero in
/// the profile that is returned.
///
/// Ranks fill hosts core by core. All process at the same time, and all make their packets at the
/// same time, if not all of it. What does not fit in memory is written when it is processed and read when its packets
/// are made, so each has half of it.
///
/// # Errors
/// Too little memory, where the application cannot put its blocks on a disk.
pub fn effective(
    profile: &ScatterGatherProfile,
    setting: &Setting,
    blocks: &Blocks,
    platform: &Platform,
) -> Result<ScatterGatherProfile, ModelError> {
    let mut profile = profile.clone();
    let beyond = beyond(&profile, platform, blocks, &setting.shape, setting.window, setting.ahead)?;
    let cores = platform.hosts.iter().map(|h| h.cores).max().unwrap_or(1);
    let beside = setting.shape.ranks.min(cores).saturating_sub(1) as f64;
    let (process, local) =
        (std::mem::take(&mut profile.contention), std::mem::take(&mut profile.contention_local));
    for (phase, contention) in [(&mut profile.process, process), (&mut profile.local, local)] {
        let factor = 1.0 + contention * beside;
        phase.fixed *= factor;
        phase.per_byte *= factor;
        phase.per_byte_ln *= factor;
        phase.per_byte_way *= factor;
    }
    let spill = profile.spill.take().unwrap_or(0.0) * beyond / 2.0;
    profile.process.per_byte += spill;
    profile.local.per_byte += spill;
    Ok(profile)
}
