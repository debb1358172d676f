//! The price of a profile.

use forerun_platform::{Platform, ReductionProfile, Stage};
use forerun_skeleton::{Charge, RunError};

use super::Pricing;
use super::availability::{Speed, Speeds};
use super::spread::Spread;
use crate::time::{PerByte, PerResult, Time};

/// Charges what a profile says, scaled by the speed of the core that the rank is placed on
/// ([`Platform::place`]) and by its availability at the time.
///
/// Getting inputs is free: a profile has no figure for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// By host group and stage.
    prices: Vec<[Price; STAGES]>,
    speeds: Speeds,
    spread: Option<Spread>,
    /// Whether there is neither spread nor availability.
    plain: bool,
}

const STAGES: usize = Stage::ALL.len();

/// A cost on cores of one speed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Price {
    fixed: Time,
    per_byte: PerByte,
    per_result: PerResult,
    spread: f64,
}

impl Price {
    #[inline]
    fn of(&self, charge: Charge) -> Time {
        self.fixed.plus(self.per_byte.times(charge.bytes)).plus(self.per_result.times(charge.results))
    }
}

impl Profiled {
    /// The prices of a profile for `ranks` ranks on a platform, without spread.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a cost is negative or not a number, or a host has no speed.
    pub fn new(profile: &ReductionProfile, platform: &Platform, ranks: usize) -> Result<Self, RunError> {
        Self::on(profile, Speeds::new(platform, ranks)?)
    }

    /// The prices of a profile where every core has speed 1.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a cost is negative or not a number.
    pub fn at_speed_one(profile: &ReductionProfile) -> Result<Self, RunError> {
        Self::on(profile, Speeds::uniform())
    }

    fn on(profile: &ReductionProfile, speeds: Speeds) -> Result<Self, RunError> {
        let prices =
            speeds.hosts().iter().map(|host| prices(profile, host.relative)).collect::<Result<_, _>>()?;
        let plain = speeds.hosts().iter().all(Speed::is_constant);
        Ok(Profiled { prices, speeds, spread: None, plain })
    }

    /// Draws every price from a lognormal distribution with the profile's mean and spread. The
    /// same seed gives the same prices, whatever the order and the way in which they are asked for.
    #[must_use]
    pub fn with_spread(self, seed: u64) -> Self {
        Profiled { spread: Some(Spread::new(seed)), plain: false, ..self }
    }

    /// The price with spread and availability.
    fn varied(&self, rank: usize, now: Time, charge: Charge, price: &Price) -> Time {
        let mut picos = price.of(charge).picos() as f64;
        if let Some(spread) = &self.spread {
            picos *= spread.factor(charge.stage, charge.item, rank, price.spread);
        }
        self.speeds.hosts()[self.speeds.host(rank)].duration(now, picos)
    }
}

impl Pricing for Profiled {
    #[inline]
    fn price<T>(&self, rank: usize, now: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        let host = if self.prices.len() == 1 { 0 } else { self.speeds.host(rank) };
        let price = &self.prices[host][charge.stage as usize];
        let time = if self.plain { price.of(charge) } else { self.varied(rank, now, charge, price) };
        (f(), time)
    }
}

fn prices(profile: &ReductionProfile, speed: f64) -> Result<[Price; STAGES], RunError> {
    let mut prices = [Price::default(); STAGES];
    for (stage, cost) in [
        (Stage::Task, profile.task),
        (Stage::Merge, profile.merge),
        (Stage::Sink, profile.sink),
        (Stage::Finish, profile.finish),
    ] {
        let name = stage.name();
        if !(cost.spread >= 0.0 && cost.spread.is_finite()) {
            return Err(RunError::Invalid(format!(
                "the spread of {name} in the profile is {}: expected a number from 0",
                cost.spread
            )));
        }
        prices[stage as usize] = Price {
            fixed: Time::from_seconds(cost.fixed / speed)?,
            per_byte: PerByte::from_seconds(cost.per_byte / speed, &format!("cost per byte of {name}"))?,
            per_result: PerResult::from_seconds(
                cost.per_result / speed,
                &format!("cost per result of {name}"),
            )?,
            spread: cost.spread,
        };
    }
    Ok(prices)
}
