//! The price of scatter-gather's phases.

use std::cell::RefCell;
use std::collections::VecDeque;

use forerun_platform::{PhaseCost, Platform, ScatterGatherProfile, Stage};
use forerun_skeleton::{Charge, RunError};

use super::Pricing;
use super::availability::Speeds;
use super::spread::Spread;
use crate::Time;

/// Charges what a scatter-gather profile says, scaled by the speed of the core that the rank is
/// placed on and by its availability at the time; reading and writing are the storage's, which
/// has no such speed.
///
/// With blocks read ahead and packets written behind, a device of its own reads and writes as
/// [`forerun_skeleton::threads::ReadAhead`] and [`forerun_skeleton::threads::WriteBehind`] do: then
/// reading costs the wait for a block that is not there yet, writing the wait for room, and closing
/// the wait for the last packet. One pricing is for one run.
#[derive(Debug)]
pub struct Phased {
    profile: ScatterGatherProfile,
    speeds: Speeds,
    spread: Option<Spread>,
    ahead: usize,
    reader: RefCell<Reader>,
    writer: RefCell<Writer>,
}

/// A device that reads block after block; `ahead` of them and no more may be read and not taken.
#[derive(Debug, Default)]
struct Reader {
    /// When it could begin the next block.
    free: Time,
    /// When the last blocks were taken.
    taken: VecDeque<Time>,
}

/// A device that writes packet after packet, of which some wait.
#[derive(Debug, Default)]
struct Writer {
    /// When the last packet is written.
    done: Time,
    /// When the last packets were begun.
    begun: VecDeque<Time>,
}

impl Phased {
    /// The prices of a profile for `ranks` ranks on a platform, without spread, with `ahead` blocks
    /// read ahead and packets written behind (0: the first rank reads and writes itself).
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a cost is negative or not a number, or a host has no speed.
    pub fn new(
        profile: &ScatterGatherProfile,
        platform: &Platform,
        ranks: usize,
        ahead: usize,
    ) -> Result<Self, RunError> {
        for (name, cost) in [
            ("reading", &profile.read),
            ("processing", &profile.process),
            ("local resolution", &profile.local),
            ("global resolution", &profile.global),
            ("writing", &profile.write),
        ] {
            let figures = [cost.fixed, cost.per_byte, cost.per_byte_ln, cost.per_byte_way, cost.spread];
            if let Some(bad) = figures.into_iter().find(|x| !(*x >= 0.0 && x.is_finite())) {
                return Err(RunError::Invalid(format!(
                    "the cost of {name} in the profile holds {bad}: expected numbers from 0"
                )));
            }
        }
        Ok(Phased {
            profile: profile.clone(),
            speeds: Speeds::new(platform, ranks)?,
            spread: None,
            ahead,
            reader: RefCell::default(),
            writer: RefCell::default(),
        })
    }

    /// Draws every price from a lognormal distribution with the profile's mean and spread. The
    /// same seed gives the same prices.
    #[must_use]
    pub fn with_spread(self, seed: u64) -> Self {
        Phased { spread: Some(Spread::new(seed)), ..self }
    }

    fn cost(&self, stage: Stage) -> Option<&PhaseCost> {
        match stage {
            Stage::Read => Some(&self.profile.read),
            Stage::Process => Some(&self.profile.process),
            Stage::ResolveLocal => Some(&self.profile.local),
            Stage::ResolveGlobal => Some(&self.profile.global),
            Stage::Write => Some(&self.profile.write),
            _ => None,
        }
    }

    /// Picoseconds on a core of speed 1; what begins or ends a phase costs nothing.
    fn picos(&self, rank: usize, charge: Charge) -> f64 {
        let Some(cost) = self.cost(charge.stage).filter(|_| charge.results > 0) else { return 0.0 };
        let ways = match charge.stage {
            Stage::Process => charge.bytes as f64 / self.profile.element_bytes,
            _ => charge.results as f64,
        };
        let picos = cost.seconds(charge.bytes as f64, ways) * 1e12;
        match &self.spread {
            Some(spread) => picos * spread.factor(charge.stage, charge.item, rank, cost.spread),
            None => picos,
        }
    }

    /// The wait for the next block.
    fn read(&self, now: Time, takes: Time) -> Time {
        let mut reader = self.reader.borrow_mut();
        let waiting = self.ahead - 1;
        let mut there = reader.free.plus(takes);
        if waiting > 0 && reader.taken.len() == waiting {
            // It lies in the reader's hands until there is room.
            there = there.max(reader.taken.pop_front().unwrap_or_default());
        }
        let taken = there.max(now);
        reader.free = if waiting > 0 { there } else { taken };
        if waiting > 0 {
            reader.taken.push_back(taken);
        }
        taken.since(now)
    }

    /// The wait for room behind other packets.
    fn write(&self, now: Time, takes: Time) -> Time {
        let mut writer = self.writer.borrow_mut();
        let mut there = now;
        if writer.begun.len() == self.ahead {
            there = there.max(writer.begun.pop_front().unwrap_or_default());
        }
        let begun = there.max(writer.done);
        writer.done = begun.plus(takes);
        writer.begun.push_back(begun);
        there.since(now)
    }
}

impl Pricing for Phased {
    fn price<T>(&self, rank: usize, now: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        let picos = self.picos(rank, charge);
        let storage = || Time::from_picos((picos + 0.5) as u64);
        let time = match charge.stage {
            Stage::Read if self.ahead == 0 => storage(),
            Stage::Read => self.read(now, storage()),
            Stage::Write if self.ahead == 0 => storage(),
            Stage::Write if charge.results == 0 => self.writer.borrow().done.since(now),
            Stage::Write => self.write(now, storage()),
            _ => {
                let host = &self.speeds.hosts()[self.speeds.host(rank)];
                self.speeds.duration(rank, now, picos / host.relative)
            }
        };
        (f(), time)
    }
}
