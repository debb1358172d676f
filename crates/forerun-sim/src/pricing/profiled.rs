//! The price of a profile.

use forerun_platform::{Cost, Platform, ReductionProfile, Stage, Wait};
use forerun_skeleton::{Charge, RunError};

use super::Pricing;
use super::availability::{Speed, Speeds};
use super::spread::Spread;
use crate::time::{PerByte, PerResult, Time};

/// Charges what a profile says, scaled by the speed of the core that the rank is placed on
/// ([`Platform::place`]) and by its availability at the time. On a host with a quota
/// ([`Throttle`](forerun_platform::Throttle)) work runs at full speed until the quota is used, and is then stalled.
/// What a cost has of [`forerun_platform::Wait`] is charged as it is, after the work.
///
/// Getting inputs is free: a profile has no figure for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// By stage, on the first host group; `few` where that is all: there is one group, and neither
    /// spread, availability, a quota nor tasks that are done.
    first: [Price; STAGES],
    /// By stage, on all host groups; without what is waited for where the speed changes.
    prices: Vec<[Price; STAGES]>,
    /// What is waited for, by stage, the same everywhere.
    waits: [Price; STAGES],
    speeds: Speeds,
    spread: Option<Spread>,
    /// Tasks that are done before the run, ascending.
    done: Vec<u64>,
}

const STAGES: usize = Stage::ALL.len();

/// A cost on cores of one speed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Price {
    fixed: Time,
    per_byte: PerByte,
    per_result: PerResult,
    spread: f64,
    /// A power of two: where both bytes and results are less, the sum of all three is computed in 64 bits.
    few: u64,
}

impl Price {
    /// The same with `few` worked out.
    fn complete(self) -> Price {
        let both = self.per_byte.few().min(self.per_result.few());
        // Each product is less than 2^52 ps.
        let fits = both > 0 && self.fixed.picos() < 1 << 63;
        Price { few: if fits { 1 << both.ilog2() } else { 0 }, ..self }
    }

    #[inline(always)]
    fn of_few(&self, bytes: u64, results: u64) -> Option<Time> {
        (bytes | results < self.few)
            .then(|| self.fixed.with(self.per_byte.times_few(bytes).with(self.per_result.times_few(results))))
    }

    fn of(&self, bytes: u64, results: u64) -> Time {
        self.of_few(bytes, results).unwrap_or_else(|| self.of_many(bytes, results))
    }

    #[cold]
    #[inline(never)]
    fn of_many(&self, bytes: u64, results: u64) -> Time {
        self.fixed.plus(self.per_byte.times(bytes)).plus(self.per_result.times(results))
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
        let on = |host: &Speed| {
            let of = |cost: Cost| match host.is_constant() {
                true => cost.on(host.relative),
                false => cost.work().on(host.relative),
            };
            prices(profile, of)
        };
        let waits = prices(profile, |cost| cost.waits().on(1.0))?;
        let prices: Vec<_> = speeds.hosts().iter().map(on).collect::<Result<_, _>>()?;
        let first = prices.first().copied().unwrap_or_default();
        let plain = speeds.hosts().len() == 1 && speeds.hosts().iter().all(Speed::is_constant);
        let priced = Profiled { first, prices, waits, speeds, spread: None, done: Vec::new() };
        Ok(if plain { priced } else { priced.varying() })
    }

    /// Draws every price from a lognormal distribution with the profile's mean and spread. The
    /// same seed gives the same prices, whatever the order and the way in which they are asked for.
    #[must_use]
    pub fn with_spread(self, seed: u64) -> Self {
        Profiled { spread: Some(Spread::new(seed)), ..self }.varying()
    }

    /// The same where `tasks`, by their numbers in ascending order, are done before the run and cost nothing.
    #[must_use]
    pub fn with_done(self, tasks: Vec<u64>) -> Self {
        if tasks.is_empty() { self } else { Profiled { done: tasks, ..self }.varying() }
    }

    /// The same where prices of the first group are not all.
    fn varying(mut self) -> Self {
        self.first.iter_mut().for_each(|price| price.few = 0);
        self
    }

    /// The price by host group, with spread and availability.
    #[cold]
    #[inline(never)]
    fn varied(&self, rank: usize, now: Time, (stage, item, bytes, results): (Stage, u64, u64, u64)) -> Time {
        if stage == Stage::Task && self.done.binary_search(&item).is_ok() {
            return Time::ZERO;
        }
        let host = self.speeds.host(rank);
        let price = &self.prices[host][stage as usize];
        let constant = self.speeds.hosts()[host].is_constant();
        if self.spread.is_none() && constant {
            return price.of(bytes, results);
        }
        let factor = self.spread.map_or(1.0, |spread| spread.factor(stage, item, rank, price.spread));
        let work = price.of(bytes, results).picos() as f64 * factor;
        let done = self.speeds.duration(rank, now, work);
        if constant {
            return done;
        }
        let waits = self.waits[stage as usize].of(bytes, results).picos() as f64 * factor;
        done.plus(Time::from_picos((waits + 0.5) as u64))
    }
}

impl Pricing for Profiled {
    #[inline(always)]
    fn price<T>(&self, rank: usize, now: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        let Charge { stage, item, bytes, results } = charge;
        let few = self.first[stage as usize].of_few(bytes, results);
        let time = few.unwrap_or_else(|| self.varied(rank, now, (stage, item, bytes, results)));
        (f(), time)
    }
}

/// The price by stage of what `of` makes of its cost.
fn prices(profile: &ReductionProfile, of: impl Fn(Cost) -> Cost) -> Result<[Price; STAGES], RunError> {
    let mut prices = [Price::default(); STAGES];
    for (stage, cost) in [
        (Stage::Task, profile.task),
        (Stage::Merge, profile.merge),
        (Stage::Sink, profile.sink),
        (Stage::Finish, profile.finish),
    ] {
        let name = stage.name();
        let Wait { fixed, per_byte, per_result } = cost.wait;
        let all = [("spread", cost.spread), ("wait", fixed), ("wait", per_byte), ("wait", per_result)];
        if let Some((what, bad)) = all.into_iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            return Err(RunError::Invalid(format!(
                "the {what} of {name} in the profile is {bad}: expected a number from 0"
            )));
        }
        let cost = of(cost);
        prices[stage as usize] = Price {
            fixed: Time::from_seconds(cost.fixed)?,
            per_byte: PerByte::from_seconds(cost.per_byte, &format!("cost per byte of {name}"))?,
            per_result: PerResult::from_seconds(cost.per_result, &format!("cost per result of {name}"))?,
            spread: cost.spread,
            few: 0,
        }
        .complete();
    }
    Ok(prices)
}
