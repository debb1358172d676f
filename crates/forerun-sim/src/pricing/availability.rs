//! Hosts: their speeds, and speeds that change over time.

use forerun_platform::Platform;
use forerun_skeleton::RunError;

use crate::Time;

/// Cores of one speed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Speed {
    /// Relative to the core that costs were measured on.
    pub(crate) relative: f64,
    /// From each instant on, the factor on the speed. Empty: 1 for ever.
    factors: Vec<(Time, f64)>,
}

impl Speed {
    pub(crate) fn is_constant(&self) -> bool {
        self.factors.is_empty()
    }

    /// When work that begins at `now` and takes `work` picoseconds at full speed is done, less
    /// `now`. [`Time::MAX`] if the speed stays 0.
    #[inline]
    pub(crate) fn duration(&self, now: Time, work: f64) -> Time {
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
            hosts.push(Speed { relative: speed, factors });
        }
        let placed = if hosts.len() == 1 {
            Vec::new()
        } else {
            platform.place(ranks).iter().map(|&h| h as u32).collect()
        };
        Ok(Speeds { hosts, placed })
    }

    /// One speed for all ranks.
    pub(crate) fn uniform() -> Speeds {
        Speeds { hosts: vec![Speed { relative: 1.0, factors: Vec::new() }], placed: Vec::new() }
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
