//! The best number of ranks, and shares for hosts that differ.

use forerun_platform::{Platform, ScatterGatherProfile};
use forerun_skeleton::scatter_gather::Shape;

use super::{Blocks, Prediction, Setting, predict};
use crate::{ModelError, Speeds};

/// The number of ranks from 1 to `max` with the least predicted makespan, the smallest of equals,
/// in `setting` but for the shape: every number is tried, with [`shares`] by speed. (The closed form of
/// equation 19 is [`crate::juhasz::Cluster::optimum`].)
///
/// # Errors
/// None of them can be; why the last one cannot.
pub fn best(
    max: usize,
    setting: &Setting,
    blocks: &Blocks,
    profile: &ScatterGatherProfile,
    platform: &Platform,
) -> Result<(usize, Prediction), ModelError> {
    let mut found: Option<(usize, Prediction)> = None;
    let mut error = ModelError::new("a prediction needs at least 1 processor");
    for ranks in 1..=max {
        let shape = Shape { ranks, shares: shares(platform, ranks, 1000)? };
        match predict(&Setting { shape, ..setting.clone() }, blocks, profile, platform) {
            Ok(p) if found.as_ref().is_none_or(|(_, best)| p.makespan_s < best.makespan_s) => {
                found = Some((ranks, p));
            }
            Ok(_) => {}
            Err(e) => error = e,
        }
    }
    found.ok_or(error)
}

/// Shares by which every block goes to the rank that would finish it first: in proportion to the
/// speeds of the ranks' hosts, the first rank's times `first_permille` thousandths, since it has
/// other work too. Empty where all are equal.
///
/// # Errors
/// A platform without cores, or a host without speed.
pub fn shares(platform: &Platform, ranks: usize, first_permille: u32) -> Result<Vec<u32>, ModelError> {
    /// The fastest rank's share: thousandths are told apart, at no loss to the first rank's.
    const FASTEST: f64 = 1e6;
    let speeds = Speeds::new(platform, ranks)?;
    let fastest = (0..ranks).map(|r| speeds.of(r)).fold(0.0, f64::max);
    let share = |rank: usize| {
        let part = if rank == 0 && ranks > 1 { f64::from(first_permille) / 1000.0 } else { 1.0 };
        (speeds.of(rank) / fastest * FASTEST * part).round() as u32
    };
    let all: Vec<u32> = (0..ranks).map(share).collect();
    Ok(if all.windows(2).all(|w| w[0] == w[1]) { Vec::new() } else { all })
}
