//! The farm's model beside the farm itself in virtual time.

use forerun_model::farm::{Farm as Model, Masters as Dealt, Tasks};
use forerun_platform::{Cost, FarmProfile, Measured, Network, Overhead, Seconds, SecondsPerByte};
use forerun_sim::costed::{CostedTasks, Inputs};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run_totals};
use forerun_skeleton::Options;
use forerun_skeleton::farm::{Farm, HEADER, Masters, Shape};
use proptest::prelude::*;

const US: f64 = 1e-6;

fn networks() -> impl Strategy<Value = Network> {
    (0..60u32, (0..20u32, 0..20u32), 0..3u32, prop_oneof![Just(0u32), 0..40u32], 0..200u32).prop_map(
        |(latency, (send, receive), per_rank, gap, per_byte)| {
            let us = |n: u32| Measured::stated(Seconds(f64::from(n) * US));
            let ns = |n: u32| Measured::stated(SecondsPerByte(f64::from(n) * 1e-9));
            let of =
                |base, per_byte| Overhead { base: us(base), per_rank: us(per_rank), per_byte: ns(per_byte) };
            Network {
                latency: us(latency),
                send_overhead: of(send, 3),
                receive_overhead: of(receive, 5),
                gap: us(gap),
                gap_per_byte: ns(per_byte),
                ..Network::default()
            }
        },
    )
}

/// Seconds of the farm in virtual time.
fn simulate(network: &Network, costs: &FarmProfile, tasks: u64, shape: Shape) -> f64 {
    let app = CostedTasks::new(costs, Inputs::Uniform { tasks, bytes: 0 }).expect("valid");
    let farm = Farm::new(&app, &app, shape).expect("valid");
    let pricing = Profiled::at_speed_one(&costs.into()).expect("valid");
    let options = Options { window: shape.window(), ..Options::new(shape.ranks) };
    let network = LogGps::new(network, shape.ranks).expect("valid");
    run_totals(&farm, &network, &pricing, &options).expect("ends").makespan_s
}

/// What the model makes of the farm: a message is its task.
fn model(network: &Network, (work_s, sink): (f64, &Cost), answer: u64, messages: u64, shape: Shape) -> Model {
    let bytes = (HEADER + shape.grain * answer) as f64;
    let sink_s = sink.seconds((shape.grain * answer) as f64, shape.grain as f64);
    let tasks = Tasks::new(messages, shape.grain as f64 * work_s, HEADER as f64, bytes);
    let tasks = Tasks { sink_s, open_s: sink.fixed, prefetch: shape.prefetch, ..tasks };
    Model::new(network, tasks).expect("valid")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_model_is_the_farm(
        network in networks(),
        (work, answer, grain) in (prop_oneof![Just(0u32), 0..3000u32], 0..100u64, 1..6u64),
        messages in prop_oneof![1..20u64, 1..400u64, 1000..2000u64],
        (prefetch, ordered) in (1..5u64, any::<bool>()),
        sink in prop_oneof![Just([0u32; 3]), [0..50u32, 0..50u32, 0..50u32]],
        (ranks, masters) in (2..40usize, prop_oneof![Just(1usize), 1..20usize]),
    ) {
        prop_assume!(ranks / masters >= 2);
        // Shares of whole messages, as the model's are.
        let groups = Dealt::new(ranks, masters).expect("valid").groups(messages * grain);
        prop_assume!(groups.iter().all(|(_, tasks)| tasks % grain == 0));
        let work_s = f64::from(work) * US;
        let shape = Shape { masters: Masters::Fixed(masters), grain, prefetch, ordered, ..Shape::new(ranks) };
        let [fixed, per_result, per_byte] = sink.map(|of| f64::from(of) * US);
        let sink = Cost { fixed, per_result, per_byte, ..Cost::default() };
        let costs = FarmProfile {
            task: Cost::constant(work_s),
            sink,
            result_bytes: (answer as f64, 0.0),
            ..FarmProfile::default()
        };
        let predicted = model(&network, (work_s, &sink), answer, messages, shape).predict(ranks, masters).expect("valid");
        let ran = simulate(&network, &costs, messages * grain, shape);
        // Virtual time is in whole picoseconds, a few for every message.
        let off = (predicted.makespan_s - ran).abs();
        prop_assert!(
            off <= 1e-9 * ran + (messages * grain) as f64 * 4e-12,
            "ran {ran}, predicted {predicted:?}"
        );
    }

    /// The farm deals ranks and tasks to masters as the model does.
    #[test]
    fn groups_are_the_models(ranks in 2..200usize, masters in 1..100usize, tasks in 0..100_000u64) {
        prop_assume!(ranks / masters >= 2);
        let shape = Shape { masters: Masters::Fixed(masters), ..Shape::new(ranks) };
        let dealt = Dealt::new(ranks, masters).expect("valid");
        for (group, (slaves, share)) in dealt.groups(tasks).into_iter().enumerate() {
            let farm = shape.group(dealt.master(group), tasks);
            prop_assert_eq!(farm.master, dealt.master(group));
            prop_assert_eq!((farm.beyond - farm.master - 1) as u64, slaves);
            prop_assert_eq!(farm.tasks.end - farm.tasks.start, share);
        }
    }
}

/// The makespan against slaves and masters: the saturation point is predicted first, and what is run then turns there.
#[test]
fn the_master_saturates_where_it_was_predicted() {
    let cluster =
        forerun_platform::preset("osaka-fast-ethernet").expect("shipped").platform().expect("valid");
    let (work_s, tasks) = (200e-6, 20_000);
    let farm = model(&cluster.network, (work_s, &Cost::default()), 4, tasks, Shape::new(2));
    let saturates = farm.saturation(64).expect("valid").expect("it does");
    let costs =
        FarmProfile { task: Cost::constant(work_s), result_bytes: (4.0, 0.0), ..FarmProfile::default() };
    let of = |ranks| simulate(&cluster.network, &costs, tasks, Shape::new(ranks));
    let seconds: Vec<f64> = (2..=64).map(of).collect();
    // Up to there every slave helps, beyond each costs.
    assert!(seconds[..saturates - 2].windows(2).all(|w| w[1] < w[0]), "{saturates}: {seconds:?}");
    assert!(seconds[saturates - 1..].windows(2).all(|w| w[1] > w[0]), "{saturates}: {seconds:?}");
    let best = farm.best_masters(64).expect("valid");
    let by_masters: Vec<f64> = (1..=32)
        .map(|masters| {
            simulate(
                &cluster.network,
                &costs,
                tasks,
                Shape { masters: Masters::Fixed(masters), ..Shape::new(64) },
            )
        })
        .collect();
    let least = by_masters.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best.masters > 1 && by_masters[best.masters - 1] <= least * (1.0 + 1e-6), "{}", best.masters);
}
