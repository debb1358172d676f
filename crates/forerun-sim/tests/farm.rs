//! Farms in virtual time: the messages of the threads, and what dynamic masters are worth.

mod noting;

use std::ops::Range;
use std::sync::Mutex;

use forerun_platform::{Cost, FarmProfile, Measured, Network, Overhead, Seconds, SecondsPerByte, preset};
use forerun_sim::costed::{CostedTasks, Inputs, Tallied};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run, run_totals};
use forerun_skeleton::farm::{Farm, HEADER, Masters, Shape};
use forerun_skeleton::{Options, threads};
use noting::{Noted, Sent};
use proptest::prelude::*;

fn network(latency_us: f64, overhead_us: f64) -> Network {
    let us = |us: f64| Measured::stated(Seconds(us * 1e-6));
    let overhead = Overhead {
        base: us(overhead_us),
        per_rank: us(0.0),
        per_byte: Measured::stated(SecondsPerByte(1e-9)),
    };
    Network {
        latency: us(latency_us),
        send_overhead: overhead,
        receive_overhead: overhead,
        gap_per_byte: Measured::stated(SecondsPerByte(1e-8)),
        ..Network::default()
    }
}

fn profile(work_s: f64, spread: f64) -> FarmProfile {
    let task = Cost { spread, ..Cost::constant(work_s) };
    FarmProfile { task, result_bytes: (4.0, 0.0), ..FarmProfile::default() }
}

/// Seconds of a farm of `tasks` tasks in virtual time.
fn makespan(network: &Network, costs: &FarmProfile, tasks: u64, shape: Shape) -> f64 {
    makespan_of(network, costs, Inputs::Uniform { tasks, bytes: 0 }, tasks, shape)
}

/// The same of tasks of these inputs.
fn makespan_of(network: &Network, costs: &FarmProfile, inputs: Inputs, tasks: u64, shape: Shape) -> f64 {
    let app = CostedTasks::new(costs, inputs).expect("valid");
    let farm = Farm::new(&app, &app, shape).expect("valid");
    let pricing = Profiled::at_speed_one(&costs.into()).expect("valid").with_spread(7);
    let options = Options { window: shape.window(), ..Options::new(shape.ranks) };
    let ran = run_totals(&farm, &LogGps::new(network, shape.ranks).expect("valid"), &pricing, &options);
    let ran = ran.expect("it ends");
    assert_eq!(ran.outs.iter().flatten().map(|t: &Tallied| t.results).sum::<u64>(), tasks);
    ran.makespan_s
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Which slave a task goes to depends on who is free first; how many messages of which size a fixed master
    /// sends and receives does not, and with one slave each nothing does.
    #[test]
    fn fixed_masters_send_the_same_messages_in_virtual_time_and_on_threads(
        (ranks, masters, pairs) in (2..12usize, 1..6usize, any::<bool>()),
        sizes in prop::collection::vec(0..300u64, 0..60),
        (grain, prefetch, ordered) in (1..6u64, 1..4u64, any::<bool>()),
    ) {
        let masters = if pairs { ranks / 2 } else { masters.min(ranks / 2) };
        let ranks = if pairs { 2 * masters } else { ranks };
        let shape = Shape { masters: Masters::Fixed(masters), grain, prefetch, ordered, ..Shape::new(ranks) };
        let costs = FarmProfile { result_bytes: (3.0, 1.0), ..profile(1e-5, 0.5) };
        let app = CostedTasks::new(&costs, Inputs::Each(sizes.clone())).expect("valid");
        let farm = Farm::new(&app, &app, shape).expect("valid");
        let options = Options { window: shape.window(), ..Options::new(ranks) };
        let network = LogGps::new(&network(5.0, 1.0), ranks).expect("valid");
        let pricing = Profiled::at_speed_one(&(&costs).into()).expect("valid").with_spread(3);

        let (in_time, on_threads) = (Mutex::new(Sent::new()), Mutex::new(Sent::new()));
        let simulated = run(&Noted { program: &farm, sent: &in_time }, &network, &pricing, &options);
        let threaded = threads::run(&Noted { program: &farm, sent: &on_threads }, &options);
        let (in_time, on_threads) = (in_time.into_inner().unwrap(), on_threads.into_inner().unwrap());
        let answers: u64 = sizes.iter().map(|size| size + 3).sum();
        for ran in [simulated.expect("it ends"), threaded.expect("it ends")] {
            prop_assert_eq!(ran.outs.iter().flatten().map(|t| t.bytes).sum::<u64>(), answers);
        }
        if pairs {
            prop_assert_eq!(&in_time, &on_threads);
        }
        // By master: sizes sent and received, in order of size.
        let by_master = |sent: &Sent| {
            let mut all = vec![(Vec::new(), Vec::new()); ranks];
            for ((from, to), sizes) in sent {
                let master = shape.group(*from, 0).master;
                let side = &mut all[master];
                if *from == master { &mut side.0 } else { &mut side.1 }.extend_from_slice(sizes);
                prop_assert_eq!(shape.group(*to, 0).master, master);
            }
            all.iter_mut().for_each(|(sent, received)| { sent.sort_unstable(); received.sort_unstable(); });
            Ok(all)
        };
        let (in_time, on_threads) = (by_master(&in_time)?, by_master(&on_threads)?);
        prop_assert_eq!(&in_time, &on_threads);
        let received: u64 = in_time.iter().flat_map(|(_, received)| received).map(|size| size - HEADER).sum();
        prop_assert_eq!(received, answers);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// While masters split and take back, in the narrowest window, whatever is in order.
    #[test]
    fn every_answer_arrives_once_with_dynamic_masters(
        (ranks, tasks) in (2..60usize, 0..3000u64),
        (grain, prefetch, ordered, ahead) in (1..4u64, 1..4u64, any::<bool>(), 1..300u64),
        (latency, overhead, work, spread) in (0.1f64..20.0, 0.1f64..5.0, 0.0f64..20.0, 0.0f64..2.0),
        (from, beyond, dear) in (0..3000u64, 0..3000u64, 0..300u64),
    ) {
        let shape = Shape { masters: Masters::Dynamic, grain, prefetch, ordered, ahead, ..Shape::new(ranks) };
        let costs = FarmProfile {
            task: Cost { spread, per_byte: 1e-6, ..Cost::constant(work * 1e-6) },
            ..profile(0.0, 0.0)
        };
        let sizes = (0..tasks).map(|task| if (from..beyond).contains(&task) { dear } else { 0 }).collect();
        // It counts answers itself.
        let seconds = makespan_of(&network(latency, overhead), &costs, Inputs::Each(sizes), tasks, shape);
        prop_assert!(tasks == 0 || seconds > 0.0);
    }
}

/// Cheap tasks, of which slaves wait for one master, before, between and behind dear ones: whoever has nothing left works for who has, and who
/// became a master of what turns out to be dear gives it back.
#[test]
fn dynamic_masters_lose_little_where_tasks_differ() {
    let mut ratios = Vec::new();
    for (ranks, dear_s) in [(8, 5e-3), (8, 20e-3), (16, 5e-3), (16, 20e-3), (32, 20e-3)] {
        for (latency, overhead) in [(400.0, 100.0), (1000.0, 350.0), (100.0, 20.0)] {
            for dear in [128..384, 300..512, 450..512, 0..200, 50..100, 200..300, 0..512] {
                let seconds = |masters| differing(ranks, masters, (latency, overhead), dear_s, &dear);
                ratios.push(seconds(Masters::Dynamic) / seconds(Masters::Fixed(1)));
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] <= 1.0, "{ratios:?}");
    assert!(ratios.iter().sum::<f64>() < 0.95 * ratios.len() as f64, "{ratios:?}");
    assert!(ratios.iter().filter(|ratio| **ratio > 1.02).count() <= ratios.len() / 15, "{ratios:?}");
    assert!(ratios.last().is_some_and(|worst| *worst < 1.2), "{ratios:?}");
}

/// Seconds of a farm of 512 tasks that take 5 us, but for some of `dear_s`.
fn differing(
    ranks: usize,
    masters: Masters,
    (latency_us, overhead_us): (f64, f64),
    dear_s: f64,
    dear: &Range<usize>,
) -> f64 {
    let costs = FarmProfile {
        task: Cost { per_byte: dear_s / 1000.0, ..Cost::constant(5e-6) },
        result_bytes: (4.0, 0.0),
        ..FarmProfile::default()
    };
    let sizes = (0..512).map(|task| if dear.contains(&task) { 1000 } else { 0 }).collect();
    let shape = Shape { masters, ..Shape::new(ranks) };
    makespan_of(&network(latency_us, overhead_us), &costs, Inputs::Each(sizes), 512, shape)
}

/// What the above is about does happen: several slaves become masters.
#[test]
fn slaves_become_masters_where_one_is_not_enough() {
    let shape = Shape { masters: Masters::Dynamic, ..Shape::new(64) };
    let costs = profile(1e-6, 0.0);
    let app = CostedTasks::new(&costs, Inputs::Uniform { tasks: 20_000, bytes: 0 }).expect("valid");
    let farm = Farm::new(&app, &app, shape).expect("valid");
    let pricing = Profiled::at_speed_one(&(&costs).into()).expect("valid");
    let options = Options { window: shape.window(), ..Options::new(64) };
    let network = LogGps::new(&network(2.0, 1.0), 64).expect("valid");
    let ran = run_totals(&farm, &network, &pricing, &options).expect("it ends");
    let masters: Vec<u64> = ran.outs.iter().flatten().map(|t: &Tallied| t.results).collect();
    assert!(masters.len() >= 4, "{masters:?}");
    assert!(masters.iter().all(|results| *results < 12_000), "{masters:?}");
}

/// One master against dynamic ones, over ranks, sizes of tasks and spread, on two networks.
#[test]
fn dynamic_masters_beat_one_when_tasks_are_small_and_lose_nothing_when_they_are_large() {
    let fast_ethernet =
        preset("osaka-fast-ethernet").expect("shipped").platform().expect("valid").network.clone();
    for (name, network) in [("fast ethernet", fast_ethernet), ("short", network(2.0, 1.0))] {
        // Seconds for which the master is busy with a task.
        for ranks in [3, 5, 8, 16, 64] {
            let busy = |o: &Overhead, bytes: f64| {
                o.base.value.0 + o.per_rank.value.0 * ranks as f64 + o.per_byte.value.0 * bytes
            };
            let (header, answer) = (HEADER as f64, HEADER as f64 + 4.0);
            let master = busy(&network.send_overhead, header) + busy(&network.receive_overhead, answer);
            for (part, small) in
                [(0.02, true), (0.1, true), (0.5, false), (1.0, false), (2.0, false), (10.0, false)]
            {
                // Of what the slaves need for a task to keep the master just busy.
                let work = part * master * ranks as f64;
                for spread in [0.0, 0.5, 1.5] {
                    let tasks = 300 * ranks as u64;
                    let costs = profile(work, spread);
                    let of =
                        |masters| makespan(&network, &costs, tasks, Shape { masters, ..Shape::new(ranks) });
                    let (one, dynamic) = (of(Masters::Fixed(1)), of(Masters::Dynamic));
                    let case = format!(
                        "{name}, {ranks} ranks, {part} of saturation, spread {spread}: {one:.6} s with one \
                         master, {dynamic:.6} s with dynamic ones ({:+.1} %)",
                        100.0 * (dynamic / one - 1.0)
                    );
                    assert!(dynamic <= 1.02 * one, "{case}");
                    if small && ranks >= 16 {
                        assert!(dynamic < 0.7 * one, "{case}");
                    }
                }
            }
        }
    }
}
