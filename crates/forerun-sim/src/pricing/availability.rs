//! Hosts: their speeds, and speeds that change over time.

use forerun_platform::Platform;
use forerun_skeleton::RunError;

use super::stalls::{Quota, Stalls};
use crate::Time;

/// Cores of one speed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Speed {
    /// Relative to the core that costs were measured on.
    pub(crate) relative: f64,
    /// From each instant on, the factor on the speed. Empty: 1 for ever.
    factors: Vec<(Time, f64)>,
    /// A quota that stalls it; not where the speed changes.
    quota: Option<Quota>,
}

impl Speed {
    pub(crate) fn is_constant(&self) -> bool {
        self.factors.is_empty() && self.quota.is_none()
    }

    /// When work that begins at `now` and takes `work` picoseconds at full speed is done, less
    /// `now`. [`Time::MAX`] if the speed stays 0.
    #[inline]
    fn duration(&self, now: Time, work: f64) -> Time {
        let mut next = self.factors.partition_point(|&(from, _)| from <= now);
        let mut at = now;
        let mut left = work;
        loop {
            let factor = if next == 0 { 1.0 } else { self.factors[next - 1].1 };
            let until = self.factors.get(next).map(|&(from, _)| from);
            let needs = if left <= 0.0 { 0.0 } else { left / factor };
            match until {
                Some(until) if needs > until.since(at).picos() as f64 => {
                    left -= until.since(at).picos() as f64 * factor;
                    at = until;
                    next += 1;
                }
                _ => return at.since(now).plus(Time::from_picos((needs + 0.5) as u64)),
            }
        }
    }
}

/// The speed of every rank's core.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Speeds {
    hosts: Vec<Speed>,
    /// The host group of every rank; empty if there is one group.
    placed: Vec<u32>,
    /// What ranks have used of their quotas, where there are any.
    stalls: Stalls,
}

impl Speeds {
    /// Those of `ranks` ranks on a platform.
    pub(crate) fn new(platform: &Platform, ranks: usize) -> Result<Speeds, RunError> {
        let name = &platform.name;
        if platform.cores() == 0 {
            return Err(RunError::Invalid(format!("platform {name} has no cores: expected at least one")));
        }
        let mut hosts = Vec::with_capacity(platform.hosts.len());
        for host in &platform.hosts {
            let speed = host.free_speed();
            if !(speed > 0.0 && speed.is_finite()) {
                return Err(RunError::Invalid(format!(
                    "host {} of platform {name} has speed {speed}, less what other jobs use of it: expected a \
                     number above 0",
                    host.name
                )));
            }
            let mut factors = Vec::with_capacity(host.availability.len());
            for &(from, factor) in &host.availability {
                let from = Time::from_seconds(from.0)?;
                if !(factor >= 0.0 && factor.is_finite()) {
                    return Err(RunError::Invalid(format!(
                        "host {} of platform {name} has availability {factor}: expected a number from 0",
                        host.name
                    )));
                }
                factors.push((from, factor));
            }
            factors.sort_by_key(|&(from, _)| from);
            let quota = if factors.is_empty() { Quota::of(host)? } else { None };
            // A core that is stalled is as fast as ever while it runs.
            let relative = if quota.is_some() { host.speed } else { speed };
            hosts.push(Speed { relative, factors, quota });
        }
        let placed = if hosts.len() == 1 {
            Vec::new()
        } else {
            platform.place(ranks).iter().map(|&h| h as u32).collect()
        };
        let stalled = hosts.iter().any(|host| host.quota.is_some());
        Ok(Speeds { hosts, placed, stalls: Stalls::new(if stalled { ranks } else { 0 }) })
    }

    /// One speed for all ranks.
    pub(crate) fn uniform() -> Speeds {
        let hosts = vec![Speed { relative: 1.0, factors: Vec::new(), quota: None }];
        Speeds { hosts, placed: Vec::new(), stalls: Stalls::default() }
    }

    /// How long `rank` takes for work that it begins at `now` and that takes `work` picoseconds at its host's full speed.
    #[inline]
    pub(crate) fn duration(&self, rank: usize, now: Time, work: f64) -> Time {
        let speed = &self.hosts[self.host(rank)];
        match speed.quota {
            Some(quota) => self.stalls.duration(rank, quota, now, Time::from_picos((work + 0.5) as u64)),
            None => speed.duration(now, work),
        }
    }

    /// The host groups.
    pub(crate) fn hosts(&self) -> &[Speed] {
        &self.hosts
    }

    /// The group of a rank's host.
    #[inline]
    pub(crate) fn host(&self, rank: usize) -> usize {
        self.placed.get(rank).map_or(0, |&h| h as usize)
    }
}
