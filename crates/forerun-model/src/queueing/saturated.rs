//! No steady state.

use std::fmt;

use forerun_platform::Seconds;

use super::PerSecond;
use crate::ModelError;
use crate::words::{digits, seconds};

/// A station is offered as much as it can serve or more, so that its queue grows for as long as the
/// load lasts and no mean time exists.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturated {
    /// The station.
    pub station: String,
    /// ρ: what it is offered, with the background, over what it can serve; 1, to
    /// rounding, or more.
    pub utilisation: f64,
    /// Arrivals of the load in question.
    pub offered: PerSecond,
    /// Arrivals at and above which it is saturated; 0 where the background alone saturates it.
    pub limit: PerSecond,
    /// On a path: the time between two messages of a host at and below which it is saturated.
    pub interval: Option<Seconds>,
}

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Saturated { station, utilisation, offered, limit, interval } = self;
        let percent = digits(utilisation * 100.0);
        write!(f, "the {station} is saturated (utilisation {percent} %): ")?;
        if limit.0 <= 0.0 {
            return write!(f, "background traffic alone takes all that it can serve; lower the background");
        }
        write!(f, "it is offered {offered}, and from {limit} on its queue only grows")?;
        match interval {
            Some(interval) => {
                let longest = seconds(interval.0);
                write!(f, "; let each host send less often than every {longest}, or send smaller messages")
            }
            None => write!(f, "; offer it less"),
        }
    }
}

impl std::error::Error for Saturated {}

impl From<Saturated> for ModelError {
    fn from(saturated: Saturated) -> Self {
        ModelError::new(saturated.to_string())
    }
}
