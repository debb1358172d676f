//! Open stations and paths.

use forerun_model::queueing::{Path, PerSecond, Point, Service, Station};
use forerun_platform::{Bytes, BytesPerSecond, Seconds};

use crate::random::{Random, within};

/// Times of one mean and a given variation.
#[derive(Clone, Copy, Debug)]
enum Times {
    Constant,
    Exponential,
    /// Of two exponential distributions, by balanced means.
    Hyperexponential {
        scv: f64,
    },
    /// Between 0 and twice the mean: C² = 1/3.
    Uniform,
}

impl Times {
    fn service(self) -> Service {
        match self {
            Times::Constant => Service::Deterministic,
            Times::Exponential => Service::Exponential,
            Times::Hyperexponential { scv } => Service::General { scv },
            Times::Uniform => Service::General { scv: 1.0 / 3.0 },
        }
    }

    fn draw(self, mean: f64, r: &mut Random) -> f64 {
        match self {
            Times::Constant => mean,
            Times::Exponential => r.exponential(mean),
            Times::Uniform => 2.0 * mean * r.uniform(),
            Times::Hyperexponential { scv } => {
                let p = (1.0 + ((scv - 1.0) / (scv + 1.0)).sqrt()) / 2.0;
                let p = if r.uniform() < p { p } else { 1.0 - p };
                r.exponential(mean / (2.0 * p))
            }
        }
    }
}

/// Waits of the messages of the first of two Poisson streams, each a rate and a mean service time, in
/// one queue in order of arrival.
fn waits(times: Times, own: (f64, f64), others: (f64, f64), n: usize, seed: u64) -> Vec<f64> {
    let mut r = Random(seed);
    let mut next =
        [own, others].map(|(rate, _)| if rate > 0.0 { r.exponential(1.0 / rate) } else { f64::INFINITY });
    let mut free = 0.0f64;
    let mut waits = Vec::with_capacity(n);
    while waits.len() < n {
        let which = usize::from(next[1] < next[0]);
        let (rate, mean) = [own, others][which];
        let now = next[which];
        let begin = free.max(now);
        free = begin + times.draw(mean, &mut r);
        if which == 0 {
            waits.push(begin - now);
        }
        next[which] = now + r.exponential(1.0 / rate);
    }
    waits
}

#[test]
fn waits_at_a_station() {
    let all = [Times::Constant, Times::Exponential, Times::Hyperexponential { scv: 4.0 }, Times::Uniform];
    for (i, times) in all.into_iter().enumerate() {
        for (j, rho) in [0.3, 0.6, 0.8].into_iter().enumerate() {
            let figures = Station::new("s", Seconds(1.0), times.service()).at(PerSecond(rho)).unwrap();
            let ran = waits(times, (rho, 1.0), (0.0, 0.0), 2_000_000, (10 * i + j) as u64);
            within(figures.waiting.0, &ran, &format!("{times:?} at {rho}"));
        }
    }
}

#[test]
fn waits_behind_other_jobs() {
    for (i, times) in [Times::Constant, Times::Exponential].into_iter().enumerate() {
        // A quarter of the time for ours, half for others' that are six times as long.
        let station =
            Station { background: (0.5, Seconds(6.0)), ..Station::new("s", Seconds(1.0), times.service()) };
        let figures = station.at(PerSecond(0.25)).unwrap();
        let ran = waits(times, (0.25, 1.0), (0.5 / 6.0, 6.0), 1_000_000, 100 + i as u64);
        within(figures.waiting.0, &ran, &format!("{times:?} behind others"));
    }
}

/// Messages of one host through leaf, spine and leaf, among those of all others that meet it at each,
/// with the independence that Kleinrock assumes: a message's time is drawn anew at every point.
#[test]
fn delays_of_a_path() {
    let (size, capacity, interval) = (1_000_000.0, 1.6e8, 0.16);
    let path = Path::leaf_spine(8.0, 16.0, BytesPerSecond(capacity), Service::Exponential);
    let passage = path.delay(Bytes(size as u64), Seconds(interval)).unwrap();
    let x = size / capacity;
    let mut r = Random(7);
    let n = 1_000_000;
    // Ours reach the first point at random.
    let mut at: Vec<f64> = Vec::with_capacity(n);
    let mut now = 0.0;
    for _ in 0..n {
        now += r.exponential(interval);
        at.push(now);
    }
    let sent = at.clone();
    for Point { fan_in, .. } in &path.points {
        let others = (fan_in - 1.0) / interval;
        let (mut next, mut free) = (r.exponential(1.0 / others), 0.0f64);
        for message in &mut at {
            while next < *message {
                free = free.max(next) + r.exponential(x);
                next += r.exponential(1.0 / others);
            }
            free = free.max(*message) + r.exponential(x);
            *message = free;
        }
    }
    let delays: Vec<f64> = at.iter().zip(&sent).map(|(a, s)| a - s).collect();
    within(passage.total.0, &delays, "leaf, spine, leaf");
}
