//! How fast the ranks of a job are.

use forerun_platform::{Host, Platform, Strategy};
use forerun_skeleton::reduction::Shape;

use crate::ModelError;

/// Speeds of the ranks of a job on a platform, relative to the host profiles are measured on and
/// less what other jobs use, and the cores they have.
#[derive(Debug, Clone, PartialEq)]
pub struct Speeds {
    /// One speed for all ranks, or each rank's.
    ranks: Result<f64, Vec<f64>>,
    cores: usize,
}

impl Speeds {
    /// Those of `ranks` ranks, placed as [`Platform::place`] does, at the start.
    ///
    /// # Errors
    /// A platform without cores, or a host without speed.
    pub fn new(platform: &Platform, ranks: usize) -> Result<Speeds, ModelError> {
        let cores = platform.cores();
        if cores == 0 {
            return Err(no_cores(platform));
        }
        let mut speeds = Vec::with_capacity(platform.hosts.len());
        for host in &platform.hosts {
            speeds.push(speed_of(platform, host)?);
        }
        let first = speeds[0];
        let ranks = if speeds.iter().all(|&s| s == first) {
            Ok(first)
        } else {
            Err(platform.place(ranks).into_iter().map(|h| speeds[h]).collect())
        };
        Ok(Speeds { ranks, cores })
    }

    /// The speed of the first rank's host: it takes the finish of a job.
    ///
    /// # Errors
    /// A platform without hosts, or a first host without speed.
    pub fn of_first_rank(platform: &Platform) -> Result<f64, ModelError> {
        match platform.hosts.first() {
            Some(host) => speed_of(platform, host),
            None => Err(no_cores(platform)),
        }
    }

    /// The speed at which the slowest group goes: its slowest rank's, or for the adaptive strategy
    /// the mean of its ranks.
    pub(crate) fn slowest(&self, shape: &Shape, size: usize) -> f64 {
        match &self.ranks {
            Ok(speed) => *speed,
            Err(ranks) => ranks
                .chunks(size)
                .map(|group| {
                    if shape.strategy == Strategy::Adaptive {
                        group.iter().sum::<f64>() / group.len() as f64
                    } else {
                        group.iter().copied().fold(f64::INFINITY, f64::min)
                    }
                })
                .fold(f64::INFINITY, f64::min),
        }
    }

    /// Whether all ranks have one speed.
    pub(crate) fn are_alike(&self) -> bool {
        self.ranks.is_ok()
    }

    /// The first rank's speed.
    pub(crate) fn first(&self) -> f64 {
        match &self.ranks {
            Ok(speed) => *speed,
            Err(ranks) => ranks.first().copied().unwrap_or(1.0),
        }
    }

    /// The speeds of `ranks` ranks together.
    pub(crate) fn sum(&self, ranks: usize) -> f64 {
        match &self.ranks {
            Ok(speed) => speed * ranks as f64,
            Err(speeds) => speeds.iter().sum(),
        }
    }

    /// A rank's speed.
    pub(crate) fn of(&self, rank: usize) -> f64 {
        match &self.ranks {
            Ok(speed) => *speed,
            Err(ranks) => ranks.get(rank).copied().unwrap_or(1.0),
        }
    }

    /// Cores that the platform has.
    pub(crate) fn cores(&self) -> usize {
        self.cores
    }
}

fn no_cores(platform: &Platform) -> ModelError {
    ModelError::new(format!("platform {} has no cores: expected at least one", platform.name))
}

/// The speed at the start of a core of `host`, less what other jobs use.
fn speed_of(platform: &Platform, host: &Host) -> Result<f64, ModelError> {
    let now = host.availability.iter().take_while(|(from, _)| from.0 <= 0.0).last();
    let speed = host.free_speed() * now.map_or(1.0, |&(_, factor)| factor);
    if !(speed > 0.0 && speed.is_finite()) {
        return Err(ModelError::new(format!(
            "host {} of platform {} has speed {speed}, less what other jobs use of it: expected a number \
             above 0",
            host.name, platform.name
        )));
    }
    Ok(speed)
}
