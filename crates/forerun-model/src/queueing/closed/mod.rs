//! Closed networks: a fixed number of ranks that go round for ever.

mod bounds;
mod equivalent;
mod solve;

use forerun_platform::Seconds;

use super::PerSecond;
use crate::ModelError;

pub use bounds::Bounds;

/// How many serve at a centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// So many, at least 1, with one queue before them.
    Queue(u64),
    /// One for everybody: time passes, but nobody waits.
    Delay,
}

/// A service centre of a closed network: what a rank visits on its way round.
#[derive(Debug, Clone, PartialEq)]
pub struct Centre {
    /// What it is called.
    pub name: String,
    /// Service time that a rank takes of it in one round: visits times time a visit.
    pub demand: Seconds,
    /// How many serve.
    pub servers: Servers,
}

impl Centre {
    /// One server with a queue.
    pub fn queue(name: impl Into<String>, demand: Seconds) -> Self {
        Centre { name: name.into(), demand, servers: Servers::Queue(1) }
    }

    /// `servers` servers with one queue.
    pub fn servers(name: impl Into<String>, demand: Seconds, servers: u64) -> Self {
        Centre { name: name.into(), demand, servers: Servers::Queue(servers) }
    }

    /// Time that passes without waiting for anybody.
    pub fn delay(name: impl Into<String>, demand: Seconds) -> Self {
        Centre { name: name.into(), demand, servers: Servers::Delay }
    }

    /// The demand that bounds the throughput: per server, 0 for a delay.
    fn bounding(&self) -> f64 {
        match self.servers {
            Servers::Queue(servers) => self.demand.0 / servers as f64,
            Servers::Delay => 0.0,
        }
    }
}

/// A closed network of one class: N ranks go round, each visiting every centre and then spending
/// `think` on its own, as slaves do that compute and then wait for their master's answer.
///
/// [`Closed::solve`] is exact mean value analysis (Reiser and Lavenberg, *Mean-Value Analysis of
/// Closed Multichain Queuing Networks*, JACM 1980): with D_i the demands and Z the think time,
///
/// ```text
/// R_i(n) = D_i (1 + Q_i(n − 1))        a rank finds what n − 1 ranks would leave there
/// X(n)   = n / (Z + Σ R_i(n))          Q_i(n) = X(n) R_i(n)
/// ```
///
/// and R_i = D_i at delays. For centres of several servers the textbook recursion takes the
/// probability of an empty centre as one less the others and goes wrong by cancellation; here such
/// a centre is set against the rest of the network as one server whose rate is the rest's throughput
/// (Chandy, Herzog and Woo, 1975: exact in product form), whose balance has positive terms only.
///
/// Assumptions: product form, that is exponential service at queues in order of arrival (any at
/// delays), visits independent of what the rank did before. Units: seconds. Cost: N steps a centre
/// of one server, N times the width of its queue's distribution for each of several.
///
/// ```
/// use forerun_model::queueing::{Centre, Closed};
/// use forerun_platform::Seconds;
///
/// // Slaves compute for 1 s, then occupy the master for 50 ms.
/// let farm = Closed::new(vec![Centre::queue("master", Seconds(0.05))], Seconds(1.0))?;
/// let ten = farm.solve(10);
/// assert!(ten.throughput.0 < 10.0 / 1.05 && ten.throughput.0 > 8.9);
/// // From 21 slaves on, more of them only wait.
/// assert!((farm.bounds(10).knee - 21.0).abs() < 1e-9);
/// assert!(farm.solve(100).throughput.0 > 19.99);
/// # Ok::<(), forerun_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    centres: Vec<Centre>,
    think: Seconds,
}

/// What a closed network of a given population comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// N: ranks that go round.
    pub population: u64,
    /// X: rounds a second, of all ranks together.
    pub throughput: PerSecond,
    /// R: mean time of a round spent at the centres, `think` excluded.
    pub response: Seconds,
    /// Each centre's figures, in the order given.
    pub centres: Vec<CentreFigures>,
}

/// A centre's figures in a closed network.
#[derive(Debug, Clone, PartialEq)]
pub struct CentreFigures {
    /// The centre.
    pub name: String,
    /// The share of its servers that is busy; for a delay, the mean number of ranks there.
    pub utilisation: f64,
    /// R_i: mean time that a rank spends there in a round.
    pub residence: Seconds,
    /// Q_i: mean number of ranks there, in service or waiting.
    pub number: f64,
}

impl Closed {
    /// A network of these centres.
    ///
    /// # Errors
    /// A demand or think time that is negative or not a number, a centre without servers, or
    /// nothing that takes time.
    pub fn new(centres: Vec<Centre>, think: Seconds) -> Result<Closed, ModelError> {
        for Centre { name, demand, servers } in &centres {
            if !(demand.0 >= 0.0 && demand.0.is_finite()) {
                return Err(ModelError::new(format!(
                    "the demand at {name} is {} s: expected a time from 0",
                    demand.0
                )));
            }
            if *servers == Servers::Queue(0) {
                return Err(ModelError::new(format!("{name} has 0 servers: expected at least 1")));
            }
        }
        if !(think.0 >= 0.0 && think.0.is_finite()) {
            return Err(ModelError::new(format!("the think time is {} s: expected a time from 0", think.0)));
        }
        if think.0 + centres.iter().map(|c| c.demand.0).sum::<f64>() == 0.0 {
            return Err(ModelError::new(
                "nothing in the closed network takes time, so it goes round infinitely often: \
                 give a centre a demand, or a think time",
            ));
        }
        Ok(Closed { centres, think })
    }

    /// The centres.
    pub fn centres(&self) -> &[Centre] {
        &self.centres
    }

    /// Z: the time that a rank spends on its own in a round.
    pub fn think(&self) -> Seconds {
        self.think
    }
}
