//! How service times vary, and the mean wait that follows.

use serde::{Deserialize, Serialize};

use crate::units::Seconds;

/// How the times vary for which messages occupy a station, or work a processor: the middle letter
/// in Kendall's notation of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Always the same (M/D/1): messages of one size.
    #[default]
    Deterministic,
    /// Exponentially distributed (M/M/1), as Kuntraruk, Pottenger and Ross take messages to be.
    Exponential,
    /// Any other distribution (M/G/1).
    General {
        /// The squared coefficient of variation of the service time: variance over mean squared.
        #[serde(deserialize_with = "crate::json::not_negative")]
        scv: f64,
    },
}

impl Service {
    /// The squared coefficient of variation: 0, 1, or what is stated.
    pub fn scv(self) -> f64 {
        match self {
            Service::Deterministic => 0.0,
            Service::Exponential => 1.0,
            Service::General { scv } => scv,
        }
    }

    /// The mean wait before service at a station that serves in order of arrival and is used by
    /// Poisson streams, each a utilisation ρ and a mean service time S whose variation is this:
    ///
    /// ```text
    /// W = Σ ρ S (1 + c²) / 2 / (1 − Σ ρ)
    /// ```
    ///
    /// (Pollaczek and Khinchine; the residual service found on arrival over what is left free.)
    /// `None` where the utilisations add up to 1, to rounding, or more: there is no steady state.
    ///
    /// ```
    /// use forerun_platform::{Seconds, Service};
    ///
    /// let half = [(0.5, Seconds(1.0))];
    /// assert_eq!(Service::Exponential.waiting(&half), Some(Seconds(1.0)));
    /// assert_eq!(Service::Deterministic.waiting(&half), Some(Seconds(0.5)));
    /// assert_eq!(Service::Exponential.waiting(&[(1.0, Seconds(1.0))]), None);
    /// ```
    pub fn waiting(self, streams: &[(f64, Seconds)]) -> Option<Seconds> {
        let utilisation: f64 = streams.iter().map(|&(rho, _)| rho).sum();
        // 1 to rounding: sixteen sixteenths need not add up.
        if utilisation.is_nan() || utilisation >= 1.0 - 1e-12 {
            return None;
        }
        let residual: Seconds = streams.iter().map(|&(rho, mean)| mean * rho).sum();
        Some(residual * ((1.0 + self.scv()) / 2.0) / (1.0 - utilisation))
    }
}
