//! Exact solution of a closed network.

use forerun_platform::Seconds;

use super::equivalent::{Rates, number, rates, together};
use super::{Centre, CentreFigures, Closed, Servers, Solution};
use crate::queueing::PerSecond;

impl Centre {
    /// Whether mean value analysis takes it as it is.
    fn is_plain(&self) -> bool {
        matches!(self.servers, Servers::Delay | Servers::Queue(1)) || self.demand.0 == 0.0
    }
}

impl Closed {
    /// The exact figures for a population of `n` ranks.
    pub fn solve(&self, n: u64) -> Solution {
        let several: Vec<&Centre> = self.centres.iter().filter(|c| !c.is_plain()).collect();
        let all = self.throughputs(n, None);
        // The number at each centre of one server follows from the throughputs of all populations.
        let queue = |demand: f64| all.iter().fold(0.0, |q, x| demand * x * (1.0 + q));
        let throughput = all.last().copied().unwrap_or(0.0);
        let mut at = 0;
        let centres: Vec<CentreFigures> = self
            .centres
            .iter()
            .map(|c| {
                let demand = c.demand.0;
                let number = if c.is_plain() {
                    if c.servers == Servers::Delay { demand * throughput } else { queue(demand) }
                } else {
                    let own = rates(demand, c.servers, n);
                    at += 1;
                    match self.others(n, at - 1, several.len()) {
                        Some(rest) if n > 0 => number(&own, &rest),
                        _ => n as f64,
                    }
                };
                let residence = if throughput > 0.0 { number / throughput } else { demand };
                let busy = throughput * demand;
                let utilisation =
                    if let Servers::Queue(servers) = c.servers { busy / servers as f64 } else { busy };
                CentreFigures { name: c.name.clone(), utilisation, residence: Seconds(residence), number }
            })
            .collect();
        Solution {
            population: n,
            throughput: PerSecond(throughput),
            response: centres.iter().map(|c| c.residence).sum(),
            centres,
        }
    }

    /// The throughput with 1, 2, … n ranks.
    pub fn curve(&self, n: u64) -> Vec<PerSecond> {
        self.throughputs(n, None).into_iter().map(PerSecond).collect()
    }

    /// Throughputs of the network without the `at`-th centre of several servers; `None` where
    /// nothing takes time in it.
    fn others(&self, n: u64, at: usize, several: usize) -> Option<Rates> {
        let time = self.plain().map(|c| c.demand.0).sum::<f64>() + self.think.0;
        (several > 1 || time > 0.0).then(|| self.throughputs(n, Some(at)))
    }

    fn plain(&self) -> impl Iterator<Item = &Centre> {
        self.centres.iter().filter(|c| c.is_plain())
    }

    fn throughputs(&self, n: u64, without: Option<usize>) -> Rates {
        let mut so_far = self.mean_value_analysis(n);
        let several = self.centres.iter().filter(|c| !c.is_plain()).enumerate();
        for (_, centre) in several.filter(|&(i, _)| Some(i) != without) {
            let own = rates(centre.demand.0, centre.servers, n);
            so_far = Some(match so_far {
                Some(others) => together(&own, &others),
                None => own,
            });
        }
        so_far.unwrap_or_default()
    }

    /// The recursion over delays and centres of one server; `None` where they take no time.
    fn mean_value_analysis(&self, n: u64) -> Option<Rates> {
        let delay: f64 = self.think.0
            + self.plain().filter(|c| c.servers == Servers::Delay).map(|c| c.demand.0).sum::<f64>();
        let demands: Vec<f64> =
            self.plain().filter(|c| c.servers != Servers::Delay).map(|c| c.demand.0).collect();
        if delay + demands.iter().sum::<f64>() == 0.0 {
            return None;
        }
        let mut numbers = vec![0.0; demands.len()];
        let step = |n: u64| {
            let mut round = delay;
            for (q, d) in numbers.iter_mut().zip(&demands) {
                *q = d * (1.0 + *q);
                round += *q;
            }
            let x = n as f64 / round;
            numbers.iter_mut().for_each(|q| *q *= x);
            x
        };
        Some((1..=n).map(step).collect())
    }
}
