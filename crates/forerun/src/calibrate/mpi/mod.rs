//! Messages between MPI processes as figures of a platform: LogGPS over the endpoint that jobs run on.
//!
//! | figure | how |
//! |---|---|
//! | o of sender, receiver | time of a send; of receiving what has come while the rank computed (not half a round trip, which has both in it) |
//! | o per byte, per rank | the same with a long message; with all ranks and with two |
//! | L | half a round trip less both o |
//! | g, G | what a longer stream takes more than a short one, by the message; what long messages take more than shorter, by the byte |
//! | background | the part of a processor that a rank that computes does not get |
//!
//! S and s are not measured: the endpoint never blocks on a long message. Nor is contention of links: the platform has
//! no topology.

mod command;
#[cfg(feature = "mpi")]
mod measure;

use forerun_platform::{Host, Measured, Network, Overhead, Platform, Seconds, SecondsPerByte, Share};

use super::stats::{Estimate, estimate};
use super::{Figure, Key, measured};

pub use command::calibrate_mpi;
#[cfg(feature = "mpi")]
pub(crate) use measure::measure;

/// What was measured, and every value in the order in which they were.
pub(crate) type Series = (String, Vec<f64>);

/// Bytes of long messages.
const SIZES: [usize; 2] = [256 << 10, 1 << 20];

/// The names of series.
mod series {
    pub(super) const ROUND_TRIP: &str = "round trip";
    pub(super) const SEND: &str = "send";
    pub(super) const RECEIVE: &str = "receive";
    pub(super) const SEND_LONG: &str = "send, long";
    pub(super) const RECEIVE_LONG: &str = "receive, long";
    pub(super) const GAP: &str = "gap";
    pub(super) const GAP_PER_BYTE: &str = "gap per byte";
    pub(super) const SHARE: &str = "share";
    /// What is put after the names of series of two ranks.
    pub(super) const OF_TWO: &str = ", of two";
}

/// The figures of what `ranks` ranks measured.
pub(super) fn figures(all: &[Series], ranks: usize) -> Vec<Figure> {
    let of = |name: &str| -> &[f64] {
        all.iter().find(|(known, _)| known == name).map_or(&[], |(_, values)| values)
    };
    let paired = |a: &str, b: &str, f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        of(a).iter().zip(of(b)).map(|(a, b)| f(*a, *b)).collect()
    };
    let per_byte = |long: &str, empty: f64| -> Vec<f64> {
        of(long).iter().map(|long| (long - empty) / SIZES[0] as f64).collect()
    };
    let per_rank = |name: &str| {
        let further = ranks.saturating_sub(2).max(1) as f64;
        paired(name, &format!("{name}{}", series::OF_TWO), &|all, two| (all - two) / further)
    };
    let middle = |name: &str| estimate(of(name)).map_or(0.0, |e| e.value);
    let overheads = middle(series::SEND) + middle(series::RECEIVE);
    let latency: Vec<f64> = of(series::ROUND_TRIP).iter().map(|t| t / 2.0 - overheads).collect();
    let taken: Vec<f64> = of(series::SHARE).iter().map(|share| 1.0 - share).collect();
    let values = [
        (Key::RoundTrip, of(series::ROUND_TRIP).to_vec()),
        (Key::Latency, latency),
        (Key::Send, of(series::SEND).to_vec()),
        (Key::Receive, of(series::RECEIVE).to_vec()),
        (Key::SendPerRank, per_rank(series::SEND)),
        (Key::ReceivePerRank, per_rank(series::RECEIVE)),
        (Key::SendPerByte, per_byte(series::SEND_LONG, middle(series::SEND))),
        (Key::ReceivePerByte, per_byte(series::RECEIVE_LONG, middle(series::RECEIVE))),
        (Key::Gap, of(series::GAP).to_vec()),
        (Key::GapPerByte, of(series::GAP_PER_BYTE).to_vec()),
        (Key::Background, taken),
    ];
    let figure = |(key, values): (Key, Vec<f64>)| estimate(&values).map(|estimate| Figure { key, estimate });
    values.into_iter().filter_map(figure).collect()
}

/// The platform that the figures describe: a host a rank.
pub(super) fn platform(ranks: usize, figures: &[Figure], source: String) -> Platform {
    let find = |key| figures.iter().find(|f| f.key == key).map(|f| f.estimate);
    let time = |key| measured(find(key), Seconds).unwrap_or_default();
    let by_byte = |key| measured(find(key), SecondsPerByte).unwrap_or_default();
    let overhead = |base: Key, per_rank: Key, per_byte: Key| {
        // What cannot be told from nothing is nothing.
        let growth = find(per_rank).filter(|e| e.low > 0.0);
        let at_two = |e: Estimate| {
            let less = growth.map_or(0.0, |g| g.value * ranks as f64);
            Estimate { value: e.value - less, low: e.low - less, high: e.high - less, ..e }
        };
        Overhead {
            base: measured(find(base).map(at_two), Seconds).unwrap_or_default(),
            per_rank: measured(growth, Seconds).unwrap_or_default(),
            per_byte: by_byte(per_byte),
        }
    };
    let network = Network {
        latency: time(Key::Latency),
        send_overhead: overhead(Key::Send, Key::SendPerRank, Key::SendPerByte),
        receive_overhead: overhead(Key::Receive, Key::ReceivePerRank, Key::ReceivePerByte),
        gap: time(Key::Gap),
        wake_up: Measured::default(),
        gap_per_byte: by_byte(Key::GapPerByte),
        rendezvous_threshold: None,
        segment: None,
        topology: None,
    };
    let background = measured(find(Key::Background), Share).unwrap_or_default();
    let host = Host { background, ..Host::new("rank", ranks, 1) };
    Platform {
        source,
        measured: Some(forerun_platform::today()),
        ..Platform::new("mpi", vec![host], network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_come_of_series_and_none_counts_an_overhead_twice() {
        let all: Vec<Series> = [
            (series::ROUND_TRIP, 100e-6),
            (series::SEND, 10e-6),
            (series::RECEIVE, 6e-6),
            (series::SEND_LONG, 10e-6 + 256.0 * 1024.0 * 1e-9),
            (series::RECEIVE_LONG, 6e-6),
            (series::GAP, 20e-6),
            (series::GAP_PER_BYTE, 8e-8),
            (series::SHARE, 0.25),
            ("send, of two", 8e-6),
            ("receive, of two", 7e-6),
        ]
        .map(|(name, value)| (name.to_owned(), vec![value; 8]))
        .to_vec();
        let found = platform(4, &figures(&all, 4), String::new());
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-3 * b.abs() + 1e-12, "{a} is not {b}");
        let Network { latency, send_overhead, receive_overhead, gap, gap_per_byte, .. } = found.network;
        near(latency.value.0, 50e-6 - 16e-6);
        near(send_overhead.per_rank.value.0, 1e-6);
        near(send_overhead.of(4, forerun_platform::Bytes(0)).0, 10e-6);
        near(send_overhead.per_byte.value.0, 1e-9);
        // It did not grow with the ranks.
        near(receive_overhead.per_rank.value.0, 0.0);
        near(receive_overhead.base.value.0, 6e-6);
        near(gap.value.0, 20e-6);
        near(gap_per_byte.value.0, 8e-8);
        near(found.hosts[0].background.value.0, 0.75);
        assert_eq!((found.hosts[0].count, found.hosts[0].cores), (4, 1));
    }
}
