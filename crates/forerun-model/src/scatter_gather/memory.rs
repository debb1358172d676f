//! What scatter-gather holds in memory, and what happens where that is too much.
//!
//! The published model takes all data to fit (its second constraint) and was up to 2.4 times too
//! fast where it did not and the machine paged: one node with 40 MB and 80 MB of integers in 64 MB.

use forerun_platform::{Platform, ScatterGatherProfile};
use forerun_skeleton::scatter_gather::{HELD, Shape};

use super::Blocks;
use crate::ModelError;
use crate::words::bytes;

/// The part of a host's memory that a job may hold; the system, its file cache and what the
/// job's buffers do not count have the rest.
pub const USABLE: f64 = 0.5;

/// Bytes that each rank holds at most: its share, blocks and packets under way.
pub fn needed(
    profile: &ScatterGatherProfile,
    blocks: &Blocks,
    shape: &Shape,
    window: usize,
    ahead: usize,
) -> Vec<f64> {
    let block = blocks.largest() as f64;
    let ranks = shape.ranks as f64;
    let extra = |rank: usize| match rank {
        // Its own blocks held back, those read ahead; then a packet of every rank, the result's and
        // those that wait to be written.
        0 => (HELD as f64 + ahead as f64 + 1.0).max(ranks + 1.0 + ahead as f64),
        _ => window as f64 + 1.0,
    };
    kept(profile, blocks, shape).into_iter().enumerate().map(|(r, kept)| kept + extra(r) * block).collect()
}

/// Bytes that each rank keeps of its share.
fn kept(profile: &ScatterGatherProfile, blocks: &Blocks, shape: &Shape) -> Vec<f64> {
    let mut shares = vec![0u64; shape.ranks];
    for (index, owner) in (0..blocks.count).zip(shape.owners()) {
        shares[owner] += blocks.size(index);
    }
    shares.into_iter().map(|share| share as f64 * profile.held).collect()
}

/// The largest part of its share that a rank cannot hold in its host's memory: 0 where all fit, or
/// where no memory is stated. An application that puts its blocks on a disk has the other half of the memory for those
/// under way, so that only what it keeps counts; of one that would page all counts.
///
/// # Errors
/// Some do not fit and the application cannot put them on a disk: paging is not predicted but
/// refused, with the number of ranks that would do.
pub fn beyond(
    profile: &ScatterGatherProfile,
    platform: &Platform,
    blocks: &Blocks,
    shape: &Shape,
    window: usize,
    ahead: usize,
) -> Result<f64, ModelError> {
    let spills = profile.spill.is_some();
    let needed =
        if spills { kept(profile, blocks, shape) } else { needed(profile, blocks, shape, window, ahead) };
    let placed = platform.place(shape.ranks);
    let mut worst = 0.0f64;
    for (rank, (&need, &host)) in needed.iter().zip(&placed).enumerate() {
        let host = &platform.hosts[host];
        let Some(memory) = host.memory else { continue };
        // Ranks fill hosts core by core.
        let beside = host.cores.min(shape.ranks).max(1) as f64;
        let room = memory.0 as f64 * USABLE / beside;
        if need <= room {
            continue;
        }
        if !spills {
            let enough = enough(profile, blocks, shape, window, ahead, room);
            let advice = enough.map_or_else(
                || "no number of processors would do: use hosts with more memory".into(),
                |p| format!("use at least {p} processors, or hosts with more memory"),
            );
            return Err(ModelError::new(format!(
                "rank {rank} of {} would hold {} and its share of half the memory of host {} is {}: \
                 the time with paging cannot be predicted; {advice}",
                shape.ranks,
                bytes(need),
                host.name,
                bytes(room),
            )));
        }
        worst = worst.max((need - room) / need);
    }
    Ok(worst)
}

/// The least number of ranks with equal shares of which each holds at most `room` bytes.
fn enough(
    profile: &ScatterGatherProfile,
    blocks: &Blocks,
    shape: &Shape,
    window: usize,
    ahead: usize,
    room: f64,
) -> Option<usize> {
    let most = blocks.count.min(1 << 12) as usize;
    (shape.ranks + 1..=most).find(|&ranks| {
        let all = needed(profile, blocks, &Shape::new(ranks), window, ahead);
        all.into_iter().all(|need| need <= room)
    })
}
