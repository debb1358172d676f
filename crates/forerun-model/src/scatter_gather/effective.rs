//! What a profile comes to in a given run.

use forerun_platform::{PhaseCost, Platform, ScatterGatherProfile, merged_again};

use super::memory::beyond;
use super::{Blocks, Setting};
use crate::ModelError;

/// The profile of a run in this setting: the slowing of work by busy neighbours and by ranks on the same core, and what
/// of a rank's share has to go to a disk and back, are in the costs; both contentions and `spill` are zero in
/// the profile that is returned.
///
/// Ranks fill hosts core by core. All process at the same time, and all make their packets at the
/// same time, if not all of it. R ranks on c < R cores all process, so each takes R/c times as long; packets take longer by as
/// much as makes the second phase no shorter than all its work divided by c. What does not fit in memory is written when it is processed and read when its packets
/// are made, so each has half of it. Where a rank has more blocks on its disk than it can bring together at a time
/// ([`ScatterGatherProfile::spill_ways`]), what it takes to make them fewer is in its packets as well
/// ([`merged_again`]).
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
    let (ranks, fewer) = (setting.shape.ranks, profile.spill_ways > 0.0);
    let beyond = beyond(&profile, platform, blocks, &setting.shape, setting.window, setting.ahead)?;
    let cores = platform.hosts.iter().map(|h| h.cores).max().unwrap_or(1);
    let beside = setting.shape.ranks.min(cores).saturating_sub(1) as f64;
    let (process, local) =
        (std::mem::take(&mut profile.contention), std::mem::take(&mut profile.contention_local));
    for (phase, contention) in [(&mut profile.process, process), (&mut profile.local, local)] {
        slow(phase, 1.0 + contention * beside);
    }
    share_cores(&mut profile, setting, blocks, platform);
    let spill = profile.spill.take().unwrap_or(0.0);
    let ways = std::mem::take(&mut profile.spill_ways).max(2.0);
    let most =
        setting.shape.owners().take(blocks.count as usize).fold(vec![0u64; ranks], |mut all, owner| {
            all[owner] += 1;
            all
        });
    let on_disk = beyond * most.into_iter().max().unwrap_or(0) as f64;
    if fewer && on_disk > ways {
        let again = merged_again(on_disk.round() as u64, ways as u64) / on_disk;
        let local = profile.local;
        let merge = local.per_byte + local.per_byte_ln * ways.ln() + local.per_byte_way * ways;
        profile.local.per_byte += beyond * again * (spill + merge);
    }
    profile.process.per_byte += spill * beyond / 2.0;
    profile.local.per_byte += spill * beyond / 2.0;
    Ok(profile)
}

fn slow(phase: &mut PhaseCost, factor: f64) {
    phase.fixed *= factor;
    phase.per_byte *= factor;
    phase.per_byte_ln *= factor;
    phase.per_byte_way *= factor;
}

/// Puts into the costs that ranks beyond the cores share these.
fn share_cores(profile: &mut ScatterGatherProfile, setting: &Setting, blocks: &Blocks, platform: &Platform) {
    let (ranks, cores) = (setting.shape.ranks as f64, platform.cores().max(1) as f64);
    let sharing = ranks / cores;
    if sharing <= 1.0 || blocks.count == 0 {
        return;
    }
    slow(&mut profile.process, sharing);
    let (size, count) = (blocks.largest() as f64, blocks.count as f64);
    let all = |phase: &PhaseCost, ways: f64| count * phase.seconds(size, ways);
    let local = all(&profile.local, count / ranks);
    // What the first rank does beside its part of that.
    let writes = if setting.ahead == 0 { all(&profile.write, 1.0) } else { 0.0 };
    let first = all(&profile.global, ranks.min(count)) + writes;
    if local > 0.0 {
        let least = ((local + first) / cores - first) * ranks / local;
        slow(&mut profile.local, least.clamp(1.0, sharing));
    }
}
