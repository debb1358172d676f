//! One contention point.

use forerun_platform::{Seconds, Service};

use super::{PerSecond, Saturated};

/// A single server with an unbounded queue in order of arrival: M/M/1, M/D/1 or M/G/1, whichever
/// [`Service`] says, with other jobs' traffic as its background.
///
/// With S the mean service time, c² its squared coefficient of variation, λ the arrivals and
/// ρ = λS, and other jobs' messages of mean service time S_b that use it to ρ_b,
///
/// ```text
/// waiting      W = (ρ S + ρ_b S_b) (1 + c²) / 2 / (1 − ρ − ρ_b)       (Pollaczek–Khinchine)
/// sojourn      R = W + S                     M/M/1: S / (1 − ρ)       (equation 7 of Kuntraruk et al., τ = 0)
/// queue        λ W waiting, λ R in the station                       (Little)
/// ```
///
/// Assumptions: Poisson arrivals, service in order of arrival, background messages whose times
/// vary as ours. Units: seconds, arrivals a second. Cost: a few operations.
///
/// ```
/// use forerun_model::queueing::{PerSecond, Service, Station};
/// use forerun_platform::Seconds;
///
/// // A link that a message occupies for 1 ms, at 500 messages a second.
/// let link = Station::new("link", Seconds(1e-3), Service::Exponential);
/// let figures = link.at(PerSecond(500.0))?;
/// assert_eq!(figures.utilisation, 0.5);
/// assert_eq!(figures.sojourn, Seconds(2e-3));
/// assert_eq!(figures.number, 1.0);
/// // Messages of one size wait half as long.
/// let even = Station { service: Service::Deterministic, ..link.clone() };
/// assert_eq!(even.at(PerSecond(500.0))?.waiting, figures.waiting / 2.0);
/// // At 1000 a second there is no steady state.
/// let saturated = link.at(PerSecond(1200.0)).unwrap_err();
/// assert_eq!(saturated.limit, PerSecond(1000.0));
/// # Ok::<(), forerun_model::queueing::Saturated>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// What it is called in messages.
    pub name: String,
    /// S: the mean time for which a message occupies the server.
    pub mean: Seconds,
    /// How that time varies.
    pub service: Service,
    /// ρ_b and S_b: the share of its time that the server spends on others' messages, and how long
    /// one of those occupies it on average.
    pub background: (f64, Seconds),
}

/// What a station comes to in the long run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// ρ: the share of its time that the server is busy, background included.
    pub utilisation: f64,
    /// W: mean time from arrival to the begin of service.
    pub waiting: Seconds,
    /// R: mean time from arrival to the end of service.
    pub sojourn: Seconds,
    /// Mean number of the load's messages that wait.
    pub queue: f64,
    /// Mean number of the load's messages in the station, the one in service included.
    pub number: f64,
}

impl Station {
    /// A station that nobody else uses.
    pub fn new(name: impl Into<String>, mean: Seconds, service: Service) -> Self {
        Station { name: name.into(), mean, service, background: (0.0, Seconds(0.0)) }
    }

    /// The arrivals at and above which it is saturated: (1 − ρ_b) / S, 0 where the background alone
    /// saturates it; infinite for a service time of 0.
    pub fn limit(&self) -> PerSecond {
        let free = (1.0 - self.background.0).max(0.0);
        if free == 0.0 { PerSecond(0.0) } else { PerSecond(free / self.mean.0) }
    }

    /// Its figures for so many arrivals a second.
    ///
    /// # Errors
    /// [`Saturated`] where it cannot serve as many.
    pub fn at(&self, arrivals: PerSecond) -> Result<Figures, Saturated> {
        let (others, theirs) = self.background;
        let nothing = arrivals.0 == 0.0 || self.mean.0 == 0.0;
        let own = if nothing { 0.0 } else { arrivals * self.mean };
        let utilisation = own + others;
        let Some(waiting) = self.service.waiting(&[(own, self.mean), (others, theirs)]) else {
            return Err(Saturated {
                station: self.name.clone(),
                utilisation,
                offered: arrivals,
                limit: self.limit(),
                interval: None,
            });
        };
        let sojourn = waiting + self.mean;
        Ok(Figures { utilisation, waiting, sojourn, queue: arrivals * waiting, number: arrivals * sojourn })
    }
}
