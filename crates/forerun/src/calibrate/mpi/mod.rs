//! Messages between MPI processes as figures of a platform: LogGPS over the endpoint that jobs run on.
//!
//! What is timed is in `forerun_mpi::measure`; here is what it comes to:
//!
//! | figure | how |
//! |---|---|
//! | o of sender, receiver | median time of a send; of receiving what has come while the rank computed (not half a round trip, which has both in it) |
//! | o of a receiver, where a limit stalls ranks | the processor's time of a message and its answer, of a rank that all others answer at once, less o of the sender, as all that brings it in is taken of the rank's part of the processor; no more than that both o are all of the way to a rank that has waited |
//! | o per byte | the slope of the same over sizes drawn at random; of the processor's time where a limit stalls ranks |
//! | o per rank | the slope of the same, of empty messages, over 2, 4, 8, … ranks |
//! | L | the way to a rank that has waited as one waits for a task's result, less both o: a round trip to such a rank, less half of one to a rank that looks out; where a limit stalls ranks, less what both o take there |
//! | g, G | what a longer stream takes more than a short one, by the message; the same of long messages, less g, by the byte |
//! | G of a receiver | what streams of several ranks to one take longer than one of them, by each byte that is more; of no account where it is a small part of G |
//! | sharing of that port | whether large messages of several ranks to one are there one after the other (in turns) or all at about the same time (fair) |
//! | interference | what messages that come while a rank computes take of its processor, by the byte, and what those that leave meanwhile; where that cannot be told from nothing, nothing |
//! | S | the size above which receiving takes the time on the wire though the message had time to come |
//! | s | the size of segments: streams of messages of many sizes take a step more at each multiple of it, which a jump, a bend and chance do not explain |
//! | throttle, background | the stalls of a rank that computes, where they are regular; else the part of a processor that it does not get |
//! | topology | how streams of several hosts to as many others slow each other |
//!
//! The platform has s only where the network with it, whose segments take a gap each, is nearer to these streams than without; G is then
//! what is left of long messages' time by the byte.

mod command;
mod drawing;
mod shared;

use forerun_mpi::{Probe, Sample};
use forerun_platform::statistics::{
    Estimate, Line, Segment, estimate, further, line, median, segment, threshold,
};
use forerun_platform::{
    Bytes, Host, Measured, Network, Overhead, Platform, Seconds, SecondsPerByte, Share, Sharing, Throttle,
};

use self::shared::{SharedLink, shared_link, topology};
use super::{Figure, Key, measured};

pub use command::calibrate_mpi;

/// Batches into which the values of a number of ranks are put for the slope over ranks.
const BATCHES: usize = 12;
/// Part of the ranks that must see regular stalls for there to be a throttle.
const THROTTLED: f64 = 0.5;
/// Part of G below which streams to one rank are as fast as each alone.
const ALONE: f64 = 0.2;
/// Messages that share a port more evenly than this do so rather than take turns.
const EVEN: f64 = 0.5;
/// A rank that gets so much of a processor has all of it.
const WHOLE: f64 = 0.97;

/// What was measured, by probe.
struct Samples<'a> {
    all: &'a [Sample],
    ranks: usize,
}

impl<'a> Samples<'a> {
    fn new(all: &'a [Sample], ranks: usize) -> Self {
        Samples { all, ranks }
    }

    fn of(&self, probe: Probe) -> impl Iterator<Item = &'a Sample> {
        self.all.iter().filter(move |s| s.probe == probe)
    }

    /// Values of empty messages with all ranks.
    fn empty(&self, probe: Probe) -> Vec<f64> {
        self.of(probe).filter(|s| s.bytes == 0 && s.ranks == self.ranks).map(|s| s.value).collect()
    }

    /// Sizes and values of the others.
    fn sized(&self, probe: Probe) -> Vec<(f64, f64)> {
        self.of(probe).filter(|s| s.bytes > 0).map(|s| (s.bytes as f64, s.value)).collect()
    }

    /// Values of empty messages over ranks, as medians of batches in the order in which they were measured.
    fn over_ranks(&self, probe: Probe) -> Vec<(f64, f64)> {
        let mut counts: Vec<usize> = self.of(probe).map(|s| s.ranks).collect();
        counts.sort_unstable();
        counts.dedup();
        let mut points = Vec::new();
        for ranks in counts {
            let values: Vec<f64> =
                self.of(probe).filter(|s| s.ranks == ranks && s.bytes == 0).map(|s| s.value).collect();
            let batch = values.len().div_ceil(BATCHES).max(1);
            points.extend(values.chunks(batch).filter_map(median).map(|value| (ranks as f64, value)));
        }
        points
    }

    /// What tells what bytes cost a sender and a receiver: of ranks that are stalled, the processor's time, as one stall is longer than what
    /// the bytes take.
    fn overheads(&self) -> [Probe; 2] {
        match self.of(Probe::BusySend).next() {
            Some(_) => [Probe::BusySend, Probe::BusyReceive],
            None => [Probe::Send, Probe::Receive],
        }
    }

    /// Values of any size.
    fn values(&self, probe: Probe) -> Vec<f64> {
        self.of(probe).map(|s| s.value).collect()
    }

    /// How many times as long streams took, by how many were side by side.
    fn side_by_side(&self) -> Vec<(usize, f64)> {
        self.of(Probe::Across).map(|s| (s.ranks, s.value)).collect()
    }
}

/// What values come to.
struct Fitted {
    figures: Vec<Figure>,
    threshold: Option<u64>,
    /// How messages are cut, as far as is seen, and whether the network is nearer to what was measured with it than without.
    segment: Option<Segment>,
    is_cut: bool,
    link: Option<SharedLink>,
    /// How evenly messages of several ranks to one share its port.
    even: Option<Estimate>,
    /// Overheads over bytes and over ranks, of sender and receiver.
    by_byte: [Option<Line>; 2],
    by_rank: [Option<Line>; 2],
}

/// The figures of what was measured.
fn fitted(samples: &Samples<'_>) -> Fitted {
    let [send, received] = [Probe::Send, Probe::Receive].map(|probe| estimate(&samples.empty(probe)));
    let value = |e: Option<Estimate>| e.map_or(0.0, |e| e.value);
    let half = value(estimate(&samples.empty(Probe::RoundTrip))) / 2.0;
    let share = median(&samples.empty(Probe::Share)).filter(|share| *share > 0.0);
    // Of a rank that is stalled, whatever brings a message in is taken of its part of the processor.
    let ways: Vec<f64> = samples.empty(Probe::Woken).iter().map(|t| t - half).collect();
    let most = median(&ways).unwrap_or(0.0) * share.unwrap_or(1.0) - value(send);
    let brought = |both: &f64| (both - value(send)).min(most).max(value(received));
    let taken_in = estimate(&samples.empty(Probe::Answered).iter().map(brought).collect::<Vec<f64>>());
    let receive = taken_in.or(received);
    // Of ranks that are stalled, both o take longer by the wall in a run, and a way is to take as long there as it took here.
    let share = share.filter(|_| taken_in.is_some());
    let overheads = (value(send) + value(receive)) / share.unwrap_or(1.0);
    let latency: Vec<f64> = ways.iter().map(|way| way - overheads).collect();
    let gap = estimate(&samples.empty(Probe::Stream));
    let per_byte: Vec<f64> =
        samples.sized(Probe::Stream).iter().map(|(bytes, t)| (t - value(gap).max(0.0)) / bytes).collect();
    let segment = segment(&samples.sized(Probe::Segments));
    let cut = segment.and_then(|segment| {
        let streams = samples.sized(Probe::Stream);
        gap_per_byte_of_segments(&streams, &samples.sized(Probe::Segments), value(gap), &segment, &per_byte)
    });
    let gap_per_byte = cut.or(estimate(&per_byte));
    let by_byte = samples.overheads().map(|probe| {
        let mut points = samples.sized(probe);
        let empty = samples.empty(probe);
        points
            .extend(empty.chunks(empty.len().div_ceil(BATCHES).max(1)).filter_map(median).map(|v| (0.0, v)));
        line(&points)
    });
    let by_rank = [Probe::Send, Probe::Receive].map(|probe| line(&samples.over_ranks(probe)));
    // Whether receiving took the time on the wire, half of it at least.
    let waited: Vec<(u64, bool)> = samples
        .sized(Probe::Receive)
        .iter()
        .map(|(bytes, t)| (*bytes as u64, *t > half.max(0.5 * bytes * value(gap_per_byte))))
        .collect();
    let (quota, period) = stalls(samples);
    let taken: Vec<f64> = match quota {
        Some(_) => Vec::new(),
        None => samples.empty(Probe::Share).iter().map(|s| if *s >= WHOLE { 0.0 } else { 1.0 - s }).collect(),
    };
    let slope = |line: Option<Line>| line.map(|l| l.slope);
    let of = [
        (Key::RoundTrip, estimate(&samples.empty(Probe::RoundTrip))),
        (Key::Latency, estimate(&latency)),
        (Key::Send, send),
        (Key::Receive, receive),
        (Key::SendPerRank, slope(by_rank[0])),
        (Key::ReceivePerRank, slope(by_rank[1])),
        (Key::SendPerByte, slope(by_byte[0])),
        (Key::ReceivePerByte, slope(by_byte[1])),
        (Key::Gap, gap),
        (Key::GapPerByte, gap_per_byte),
        (Key::ReceiveGapPerByte, estimate(&samples.values(Probe::Together))),
        (Key::InterferencePerByte, estimate(&samples.values(Probe::Interference))),
        (Key::SendInterferencePerByte, estimate(&samples.values(Probe::SendInterference))),
        (Key::Segment, segment.map(|s| s.bytes)),
        (Key::PerSegment, segment.map(|s| s.step)),
        (Key::Quota, quota),
        (Key::Period, period),
        (Key::Background, estimate(&taken)),
    ];
    let figures = of.into_iter().filter_map(|(key, e)| e.map(|estimate| Figure { key, estimate })).collect();
    let link = shared_link(&samples.side_by_side());
    let threshold = threshold(&waited);
    let even = estimate(&samples.values(Probe::Even));
    Fitted { figures, threshold, segment, is_cut: cut.is_some(), link, even, by_byte, by_rank }
}

/// G of a network whose segments take a gap each, where such a network is nearer to the times of `fine` streams than one without
/// segments whose G by stream is `per_byte`.
fn gap_per_byte_of_segments(
    streams: &[(f64, f64)],
    fine: &[(f64, f64)],
    gap: f64,
    segment: &Segment,
    per_byte: &[f64],
) -> Option<Estimate> {
    let (gap, s) = (gap.max(0.0), segment.bytes.value);
    let port = |bytes: f64, each: f64, s: f64| gap + each * bytes + gap * further(bytes, s);
    let of_bytes = |(bytes, t): &(f64, f64)| (t - gap * (1.0 + further(*bytes, s))) / bytes;
    let with = estimate(&streams.iter().map(of_bytes).collect::<Vec<f64>>()).filter(|e| e.low > 0.0)?;
    let without = median(per_byte)?;
    let off = |each: f64, s: f64| -> f64 {
        fine.iter().map(|(bytes, t)| (port(*bytes, each, s) / t.max(f64::MIN_POSITIVE)).ln().abs()).sum()
    };
    (off(with.value, s) < off(without, f64::INFINITY)).then_some(with)
}

/// The quota and the period by which ranks are stalled, where most of them are.
fn stalls(samples: &Samples<'_>) -> (Option<Estimate>, Option<Estimate>) {
    let (quotas, periods) = (samples.empty(Probe::Quota), samples.empty(Probe::Period));
    let seen: Vec<f64> = periods.iter().copied().filter(|p| *p > 0.0).collect();
    if seen.is_empty() || (seen.len() as f64) < THROTTLED * periods.len() as f64 {
        return (None, None);
    }
    let quotas: Vec<f64> = quotas.into_iter().filter(|q| *q > 0.0).collect();
    (estimate(&quotas), estimate(&seen))
}

/// The platform that the figures describe: a host a rank.
fn platform(ranks: usize, fitted: &Fitted, source: String) -> Platform {
    let find = |key| fitted.figures.iter().find(|f| f.key == key).map(|f| f.estimate);
    let time = |key| measured(find(key), Seconds).unwrap_or_default();
    let by_byte = |key| measured(find(key).filter(|e| e.high > 0.0), SecondsPerByte).unwrap_or_default();
    let overhead = |base: Key, per_rank: Key, per_byte: Key| {
        // What cannot be told from nothing is nothing.
        let growth = find(per_rank).filter(|e| e.low > 0.0);
        let base = find(base).map(|e| {
            let less = growth.map_or(0.0, |g| g.value * ranks as f64).min(e.value);
            Estimate { value: e.value - less, low: e.low - less, high: e.high - less, ..e }
        });
        Overhead {
            base: measured(base, Seconds).unwrap_or_default(),
            per_rank: measured(growth, Seconds).unwrap_or_default(),
            per_byte: by_byte(per_byte),
        }
    };
    let gap_per_byte = by_byte(Key::GapPerByte);
    // Streams to one that do not hold each other up take no time of its port.
    let receive_gap = find(Key::ReceiveGapPerByte).filter(|e| e.low > ALONE * gap_per_byte.value.0);
    let is_fair = fitted.even.is_some_and(|even| even.value > EVEN);
    let receive_sharing = if is_fair { Sharing::Fair } else { Sharing::Turns };
    let interference = |key| measured(find(key).filter(|e| e.low > 0.0), SecondsPerByte).unwrap_or_default();
    let network = Network {
        latency: time(Key::Latency),
        send_overhead: overhead(Key::Send, Key::SendPerRank, Key::SendPerByte),
        receive_overhead: overhead(Key::Receive, Key::ReceivePerRank, Key::ReceivePerByte),
        gap: time(Key::Gap),
        // It is in the latency.
        wake_up: Measured::default(),
        start_up: None,
        gap_per_byte,
        receive_sharing: receive_gap.map_or(Sharing::default(), |_| receive_sharing),
        receive_gap_per_byte: measured(receive_gap, SecondsPerByte).unwrap_or_default(),
        interference_per_byte: interference(Key::InterferencePerByte),
        send_interference_per_byte: interference(Key::SendInterferencePerByte),
        rendezvous_threshold: fitted.threshold.map(Bytes),
        segment: fitted.segment.filter(|_| fitted.is_cut).map(|s| Bytes(s.bytes.value.round() as u64)),
        topology: (ranks > 2).then(|| topology(ranks, fitted.link, gap_per_byte.value)),
    };
    let throttle = find(Key::Quota).zip(find(Key::Period)).map(|(quota, period)| Throttle {
        quota: Seconds(super::rounded(quota.value)),
        period: Seconds(super::rounded(period.value)),
    });
    let background = measured(find(Key::Background), Share).unwrap_or_default();
    let host = Host { background, throttle, ..Host::new("rank", ranks, 1) };
    Platform {
        source,
        measured: Some(forerun_platform::today()),
        ..Platform::new("mpi", vec![host], network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: f64 = 8e-8;

    /// Values as a network of these figures would give: overheads of 10 and 6 µs with 8 ranks, of which 0.5 µs a rank are the sender's.
    fn values(share: f64, period: f64) -> Vec<Sample> {
        let interference = 2e-9;
        let mut all = Vec::new();
        let mut add = |probe, ranks, bytes, value| all.push(Sample { probe, ranks, bytes, value });
        for k in 0..10u64 {
            for ranks in [2usize, 4, 8] {
                add(Probe::Send, ranks, 0, 6e-6 + 0.5e-6 * ranks as f64);
                add(Probe::Receive, ranks, 0, 6e-6);
            }
            let bytes = 1000 * (k + 1);
            add(Probe::Send, 8, bytes, 10e-6 + 1e-9 * bytes as f64);
            add(Probe::Receive, 8, bytes, 6e-6 + 2e-9 * bytes as f64);
            add(Probe::RoundTrip, 8, 0, 100e-6);
            add(Probe::Woken, 8, 0, 300e-6);
            add(Probe::Stream, 8, 0, 20e-6);
            add(Probe::Stream, 8, 100 * bytes, 20e-6 + G * 100.0 * bytes as f64);
            add(Probe::Share, 8, 0, share);
            add(Probe::Quota, 8, 0, share * period);
            add(Probe::Period, 8, 0, period);
            add(Probe::Together, 4, 1 << 18, G * 1.01);
            add(Probe::Even, 4, 1 << 20, if k % 3 == 0 { 0.2 } else { 0.9 });
            add(Probe::Interference, 8, 1 << 18, interference);
            add(Probe::SendInterference, 8, 1 << 18, 2.0 * interference);
            for (width, slower) in [(1, 1.0), (2, 1.0), (3, 2.0), (4, 4.0)] {
                add(Probe::Across, width, 1 << 18, slower);
            }
        }
        all
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 2e-3 * b.abs() + 1e-12, "{a} is not {b}");
    }

    #[test]
    fn figures_come_of_values_and_none_counts_an_overhead_twice() {
        let all = values(0.25, 0.0);
        let found = platform(8, &fitted(&Samples::new(&all, 8)), String::new());
        let Network {
            latency,
            send_overhead,
            receive_overhead,
            gap,
            gap_per_byte,
            receive_gap_per_byte,
            receive_sharing,
            interference_per_byte,
            send_interference_per_byte,
            topology,
            ..
        } = &found.network;
        near(receive_gap_per_byte.value.0, 1.01 * G);
        assert_eq!(*receive_sharing, Sharing::Fair);
        near(interference_per_byte.value.0, 2e-9);
        near(send_interference_per_byte.value.0, 4e-9);
        near(latency.value.0, 300e-6 - 50e-6 - 16e-6);
        near(send_overhead.per_rank.value.0, 0.5e-6);
        near(send_overhead.of(8, Bytes(0)).0, 10e-6);
        near(send_overhead.per_byte.value.0, 1e-9);
        // It did not grow with the ranks.
        near(receive_overhead.per_rank.value.0, 0.0);
        near(receive_overhead.base.value.0, 6e-6);
        near(receive_overhead.per_byte.value.0, 2e-9);
        near(gap.value.0, 20e-6);
        near(gap_per_byte.value.0, G);
        assert_eq!(found.network.rendezvous_threshold, None);
        let levels = &topology.as_ref().expect("a topology").levels;
        assert_eq!((levels[0].fan_in, levels[1].fan_in), (4, 2));
        near(levels[0].gap_per_byte.value.0, G);
        near(found.hosts[0].background.value.0, 0.75);
        assert_eq!((found.hosts[0].count, found.hosts[0].cores, found.hosts[0].throttle), (8, 1, None));
        // It is a platform file.
        let again = Platform::from_toml(&found.to_toml(), "again").expect("it reads");
        assert_eq!(again.network.topology, found.network.topology);
    }

    #[test]
    fn stalls_are_no_overheads() {
        let mut all = values(0.1, 0.04);
        let busy: Vec<Sample> = all
            .iter()
            .filter_map(|s| match s.probe {
                Probe::Send => Some(Sample { probe: Probe::BusySend, ..*s }),
                Probe::Receive => Some(Sample { probe: Probe::BusyReceive, ..*s }),
                _ => None,
            })
            .collect();
        // The larger a message, the longer is it stalled by the wall.
        for sample in all.iter_mut().filter(|s| matches!(s.probe, Probe::Send | Probe::Receive)) {
            sample.value += 5e-9 * sample.bytes as f64;
        }
        let of = |all: &[Sample]| platform(8, &fitted(&Samples::new(all, 8)), String::new()).network;
        assert!(of(&all).send_overhead.per_byte.value.0 > 3e-9);
        all.extend(busy);
        let network = of(&all);
        near(network.send_overhead.per_byte.value.0, 1e-9);
        near(network.receive_overhead.per_byte.value.0, 2e-9);
    }

    #[test]
    fn what_brings_messages_in_is_an_overhead_of_ranks_that_are_stalled() {
        let mut all = values(0.2, 0.0);
        // With 10 µs of the sender's.
        all.extend((0..9).map(|_| Sample { probe: Probe::Answered, ranks: 8, bytes: 0, value: 40e-6 }));
        let found = platform(8, &fitted(&Samples::new(&all, 8)), String::new());
        near(found.network.receive_overhead.base.value.0, 30e-6);
        // 300 µs there and back less 50 back, less (10 + 30) µs on a fifth of a processor.
        near(found.network.latency.value.0, 50e-6);
        // A message takes as long as it took: 250 µs there.
        let (busy, empty) = (found.busy_network(), Bytes(0));
        let way =
            busy.send_overhead.of(8, empty).0 + busy.latency.value.0 + busy.receive_overhead.of(8, empty).0;
        near(way, 250e-6);
        // What takes longer than the whole way is all of it, and no latency is left.
        let of = |value: f64| {
            let mut all = all.clone();
            all.iter_mut().filter(|s| s.probe == Probe::Answered).for_each(|s| s.value = value);
            platform(8, &fitted(&Samples::new(&all, 8)), String::new()).network
        };
        near(of(90e-6).latency.value.0, 0.0);
        near(of(90e-6).receive_overhead.base.value.0, 0.2 * 250e-6 - 10e-6);
        // Nor is it less than the call that receives what has come.
        near(of(11e-6).receive_overhead.base.value.0, 6e-6);
    }

    #[test]
    fn messages_that_take_nothing_of_a_rank_that_computes_do_not_interfere() {
        let mut all = values(1.0, 0.0);
        // What noise makes of nothing.
        for probe in [Probe::Interference, Probe::SendInterference] {
            for (k, sample) in all.iter_mut().filter(|s| s.probe == probe).enumerate() {
                sample.value = if k % 2 == 0 { 1e-9 } else { -1e-9 };
            }
        }
        let found = platform(8, &fitted(&Samples::new(&all, 8)), String::new());
        assert_eq!(found.network.interference_per_byte, Measured::default());
        assert_eq!(found.network.send_interference_per_byte, Measured::default());
    }

    #[test]
    fn messages_that_are_there_one_after_the_other_take_turns() {
        let of = |even: f64| {
            let mut all = values(1.0, 0.0);
            all.iter_mut().filter(|s| s.probe == Probe::Even).for_each(|s| s.value = even);
            let network = platform(8, &fitted(&Samples::new(&all, 8)), String::new()).network;
            (network.receive_sharing, network.receive_gap_per_byte.value.0 > 0.0)
        };
        assert_eq!(of(0.1), (Sharing::Turns, true));
        assert_eq!(of(0.8), (Sharing::Fair, true));
    }

    #[test]
    fn streams_to_one_rank_that_do_not_slow_each_other_take_nothing_of_its_port() {
        let mut all = values(1.0, 0.0);
        for sample in all.iter_mut().filter(|s| s.probe == Probe::Together) {
            sample.value = 0.03 * G;
        }
        let found = platform(8, &fitted(&Samples::new(&all, 8)), String::new());
        assert_eq!(found.network.receive_gap_per_byte, Measured::default());
    }

    #[test]
    fn regular_stalls_are_a_throttle_and_no_background() {
        let all = values(0.1, 0.04);
        let host = &platform(8, &fitted(&Samples::new(&all, 8)), String::new()).hosts[0];
        let throttle = host.throttle.expect("a throttle");
        near(throttle.quota.0, 0.004);
        near(throttle.period.0, 0.04);
        near(host.background.value.0, 0.0);
        near(host.free_speed(), 0.1);
    }

    /// Streams over a network of 5 µs a message and 0.1 ns a byte, off by 2 %, where each further segment of 32 kB takes `step`.
    fn streams(step: f64) -> Vec<Sample> {
        let mut random = forerun_platform::random::Random::new(9);
        let mut all = values(1.0, 0.0);
        all.retain(|s| s.probe != Probe::Stream);
        let time = |bytes: usize| 5e-6 + 1e-10 * bytes as f64 + step * further(bytes as f64, 32_768.0);
        for k in 0..150 {
            let mut add = |probe, bytes: usize| {
                let value = time(bytes) * (1.0 + 0.02 * random.symmetric());
                all.push(Sample { probe, ranks: 8, bytes: bytes as u64, value });
            };
            add(Probe::Stream, 0);
            add(Probe::Stream, (256 << 10) + 5000 * k);
            add(Probe::Segments, 1024 + 3400 * k);
        }
        all
    }

    #[test]
    fn segments_are_in_the_platform_where_each_takes_a_gap() {
        let of = |step: f64| {
            let all = streams(step);
            let fitted = fitted(&Samples::new(&all, 8));
            let platform = platform(8, &fitted, String::new());
            (fitted.segment, platform.network)
        };
        let (found, network) = of(5e-6);
        let s = network.segment.expect("segments").0;
        assert!(s.abs_diff(32_768) < 1000, "{s}");
        assert!((found.expect("found").step.value - 5e-6).abs() < 5e-7, "{found:?}");
        let g = network.gap_per_byte.value.0;
        assert!((g / 1e-10 - 1.0).abs() < 0.1, "what segments take is not in G as well: {g}");
        // Where a further segment takes much less than a message, a gap for each would be too long.
        let (found, network) = of(1e-6);
        assert!(found.is_some());
        assert_eq!(network.segment, None);
        let whole = 1e-10 + 1e-6 / 32_768.0;
        assert!((network.gap_per_byte.value.0 / whole - 1.0).abs() < 0.05, "{:?}", network.gap_per_byte);
        let (found, network) = of(0.0);
        assert_eq!((found, network.segment), (None, None));
    }

    #[test]
    fn messages_that_wait_for_their_receiver_show_the_threshold() {
        let mut all = values(1.0, 0.0);
        for k in 1..20u64 {
            let bytes = k << 16;
            all.push(Sample { probe: Probe::Receive, ranks: 8, bytes, value: 1e-5 + G * bytes as f64 });
        }
        let threshold = fitted(&Samples::new(&all, 8)).threshold.expect("a threshold");
        assert!((10_000..=1 << 16).contains(&threshold), "{threshold}");
    }
}
