//! The closed forms of the reduction against the simulation of the program where they are exact:
//! costs do not vary, windows do not bind. Equal to rounding (the simulation counts picoseconds).

mod common;

use common::{cluster, network, simulate};
use forerun_model::Load;
use forerun_model::reduction::predict;
use forerun_platform::{
    Bytes, Cost, Host, Level, Measured, Network, Overhead, Platform, ReductionProfile, Seconds,
    SecondsPerByte, Service, Share, Strategy, Switching, Topology, TopologyKind, Wait,
};
use forerun_skeleton::reduction::Shape;
use proptest::prelude::{
    Just, ProptestConfig, Strategy as _, TestCaseError, prop_assert, prop_assert_eq, prop_compose,
    prop_oneof, proptest,
};

fn overhead(base: f64, per_byte: f64) -> Overhead {
    Overhead {
        base: Measured::stated(Seconds(base)),
        per_byte: Measured::stated(SecondsPerByte(per_byte)),
        ..Overhead::default()
    }
}

prop_compose! {
    fn levels()(
        fan_in in 2usize..8, c in 0.0..1e-3f64, latency in 0.0..0.01f64, background in 0.0..0.9f64,
        message in proptest::option::of(0u64..100),
    ) -> Level {
        Level {
            latency: Seconds(latency).into(),
            background: Share(background).into(),
            background_message: message.map(Bytes),
            ..Level::new(fan_in, SecondsPerByte(c))
        }
    }
}

prop_compose! {
    fn topologies()(
        levels in proptest::collection::vec(levels(), 1..4),
        switching in prop_oneof![Just(Switching::CutThrough), Just(Switching::StoreAndForward)],
        service in prop_oneof![
            Just(Service::Deterministic), Just(Service::Exponential), Just(Service::General { scv: 2.5 })
        ],
    ) -> Topology {
        Topology { switching, service, ..Topology::new(TopologyKind::FatTree, levels) }
    }
}

prop_compose! {
    fn networks()(
        latency in 0.0..0.3f64, send in 0.0..0.1f64, receive in 0.0..0.1f64, per_byte in 0.0..1e-4f64,
        gap in 0.0..0.05f64, gap_per_byte in 0.0..1e-3f64, segment in proptest::option::of(1u64..2000),
        threshold in proptest::option::of(0u64..3000), topology in proptest::option::of(topologies()),
        landing in prop_oneof![2 => Just(0.0), 1 => 0.0..1e-3f64],
        interference in prop_oneof![2 => Just(0.0), 1 => 0.0..1e-3f64],
        toll in prop_oneof![2 => Just(0.0), 1 => 0.0..1e-3f64],
    ) -> Network {
        Network {
            send_overhead: overhead(send, per_byte),
            receive_overhead: overhead(receive, per_byte / 2.0),
            gap: Measured::stated(Seconds(gap)),
            gap_per_byte: Measured::stated(SecondsPerByte(gap_per_byte)),
            receive_gap_per_byte: Measured::stated(SecondsPerByte(landing)),
            interference_per_byte: Measured::stated(SecondsPerByte(interference)),
            send_interference_per_byte: Measured::stated(SecondsPerByte(toll)),
            segment: segment.map(Bytes),
            // S: messages above it hold their sender until they are received.
            rendezvous_threshold: threshold.map(Bytes),
            topology,
            ..network(latency, 0.0, 0.0)
        }
    }
}

prop_compose! {
    fn profiles()(
        task in 0.1..2.0f64, fixed in 0.0..1.0f64, per_byte in 0.0..1e-3f64, per_result in 0.0..0.1f64,
        sink in 0.0..0.5f64, sink_result in 0.0..0.02f64, bytes in 0u32..300,
        waits in proptest::option::of((0.0..1.0f64, 0.0..1e-3f64, 0.0..0.02f64)),
    ) -> ReductionProfile {
        let (fixed_wait, byte, result) = waits.unwrap_or_default();
        let wait = Wait { fixed: fixed_wait, per_byte: byte, per_result: result };
        ReductionProfile {
            task: Cost { wait, ..Cost::constant(task) },
            merge: Cost { fixed, per_byte, per_result, wait, ..Cost::default() },
            sink: Cost { fixed: sink, per_result: sink_result, wait, ..Cost::default() },
            result_bytes: (f64::from(bytes), 0.0),
            ..ReductionProfile::default()
        }
    }
}

/// Numbers of tasks, few and many, next to whole rounds and far from them.
fn tasks() -> impl proptest::strategy::Strategy<Value = u64> {
    prop_oneof![0u64..300, 300u64..3000, (0u64..40, 0u64..3).prop_map(|(rounds, more)| 64 * rounds + more)]
}

/// Tasks of a run that is followed to its end, whatever its ranks.
const FEW: u64 = 20;

/// Predicted and simulated seconds, the prediction without what comes after the sinks.
fn both(shape: &Shape, load: Load, profile: &ReductionProfile, platform: &Platform) -> (f64, f64) {
    let predicted = predict(shape, &load, profile, platform).unwrap();
    (predicted.makespan_s - predicted.finish_s, simulate(shape, &load, profile, platform).seconds)
}

/// How far off a prediction may be: rounding, unless messages take of a rank's processor and the run is too long to be followed to
/// its end, as ranks may then drift for long until one is held up.
fn far(load: &Load, platform: &Platform) -> f64 {
    let Network { interference_per_byte: comes, send_interference_per_byte: leaves, .. } = &platform.network;
    let interferes = comes.value.0 > 0.0 || leaves.value.0 > 0.0;
    if interferes && load.tasks > FEW { 0.15 } else { 1e-9 }
}

fn equal(
    shape: &Shape,
    load: Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<(), TestCaseError> {
    let (predicted, ran) = both(shape, load, profile, platform);
    let off = far(&load, platform);
    prop_assert!(
        (predicted - ran).abs() <= off * ran + 1e-12 * load.tasks as f64,
        "predicted {predicted}, ran {ran}"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_reduction_tree(
        size in 2usize..40, groups in 1usize..4, arity in 2usize..6, n in tasks(), profile in profiles(),
        network in networks(),
    ) {
        let shape = Shape { arity, groups, ..Shape::new(Strategy::ReductionTree, size * groups) };
        equal(&shape, Load::new(n, 1.0), &profile, &cluster(network))?;
    }

    #[test]
    fn master_and_slaves(
        size in 2usize..40, groups in 1usize..4, n in tasks(), profile in profiles(), network in networks(),
        commutative in proptest::bool::ANY,
    ) {
        let shape = Shape { groups, ..Shape::new(Strategy::MasterSlave, size * groups) };
        equal(&shape, Load { commutative, ..Load::new(n, 1.0) }, &profile, &cluster(network))?;
    }

    #[test]
    fn the_parallel_pipeline(
        arity in 2usize..5, levels in 1u32..5, groups in 1usize..4, n in tasks(), profile in profiles(),
        network in networks(),
    ) {
        let size = arity.pow(levels);
        let shape = Shape { arity, groups, ..Shape::new(Strategy::ParallelPipeline, size * groups) };
        equal(&shape, Load::new(n, 1.0), &profile, &cluster(network))?;
    }

    /// Tasks that are done before the run come between the others and cost nothing: short runs are followed to the end.
    #[test]
    fn tasks_that_are_done(
        strategy in prop_oneof![
            Just(Strategy::ParallelPipeline), Just(Strategy::ReductionTree), Just(Strategy::MasterSlave)
        ],
        lg in 1u32..5, n in 1u64..120, done in 1u64..60, profile in profiles(), network in networks(),
        commutative in proptest::bool::ANY,
    ) {
        let done = done.min(n);
        let load = Load { done, done_bytes: done as f64, commutative, ..Load::new(n, 1.0) };
        equal(&Shape::new(strategy, 1 << lg), load, &profile, &cluster(network))?;
    }

    /// On hosts of any speed the closed form is the simulation, and both are those of hosts of speed 1 where all that costs
    /// what it costs here: processor time grows, and what is waited for does not.
    #[test]
    fn hosts_of_any_speed(
        strategy in prop_oneof![
            Just(Strategy::ParallelPipeline), Just(Strategy::ReductionTree), Just(Strategy::MasterSlave)
        ],
        lg in 1u32..6, n in tasks(), profile in profiles(), network in networks(), speed in 0.05..2.0f64,
    ) {
        let shape = Shape::new(strategy, 1 << lg);
        let slow = Platform::new("slow", vec![Host { speed, ..Host::new("node", 1 << 20, 1) }], network.clone());
        let there = ReductionProfile {
            task: profile.task.on(speed),
            merge: profile.merge.on(speed),
            sink: profile.sink.on(speed),
            ..profile.clone()
        };
        equal(&shape, Load::new(n, 1.0), &profile, &slow)?;
        let (on_slow, _) = both(&shape, Load::new(n, 1.0), &profile, &slow);
        let (on_one, _) = both(&shape, Load::new(n, 1.0), &there, &cluster(network));
        prop_assert!((on_slow - on_one).abs() <= 1e-9 * on_one + 1e-12 * n as f64, "{on_slow} {on_one}");
    }

    /// What messages take of ranks that compute makes a run longer, and is none of their overheads.
    #[test]
    fn interference_is_no_overhead(
        strategy in prop_oneof![
            Just(Strategy::ParallelPipeline), Just(Strategy::ReductionTree), Just(Strategy::MasterSlave),
            Just(Strategy::Adaptive)
        ],
        lg in 1u32..6, n in tasks(), profile in profiles(), network in networks(), toll in 0.0..1e-3f64,
    ) {
        let per_byte = Measured::stated(SecondsPerByte(toll));
        let none = Network {
            interference_per_byte: Measured::default(), send_interference_per_byte: Measured::default(), ..network
        };
        let some = Network { interference_per_byte: per_byte, send_interference_per_byte: per_byte, ..none.clone() };
        let (shape, load) = (Shape::new(strategy, 1 << lg), Load::new(n, 1.0));
        let of = |network| predict(&shape, &load, &profile, &cluster(network)).unwrap();
        let (without, with) = (of(none), of(some));
        prop_assert_eq!(&with.stages, &without.stages);
        prop_assert!(with.makespan_s >= without.makespan_s * (1.0 - 1e-9));
    }

    /// Every one of P − P/a senders in each of ⌈(N − P) / (P − P/a)⌉ + n steps.
    #[test]
    fn the_parallel_pipelines_messages(
        arity in 2usize..5, levels in 1u32..5, n in tasks(), profile in profiles(), network in networks(),
    ) {
        let size = arity.pow(levels);
        let shape = Shape { arity, ..Shape::new(Strategy::ParallelPipeline, size) };
        let (load, platform) = (Load::new(n, 1.0), cluster(network));
        let (p, senders) = (size as u64, (size - size / arity) as u64);
        let messages = (n.saturating_sub(p).div_ceil(senders) + u64::from(levels)) * senders;
        prop_assert_eq!(simulate(&shape, &load, &profile, &platform).messages, messages);
        prop_assert_eq!(predict(&shape, &load, &profile, &platform).unwrap().messages, messages);
    }

    /// A fixed deal goes at the speed of the slowest rank at worst, and at that of the fastest at
    /// best: more cannot be said without following every rank. (But for slaves that wait until their master takes a message above
    /// S: it may deliver a set just when a slow one's comes, and no set when all come together.)
    #[test]
    fn unequal_hosts_are_bounded(
        strategy in prop_oneof![
            Just(Strategy::ParallelPipeline), Just(Strategy::ReductionTree), Just(Strategy::MasterSlave)
        ],
        lg in 1u32..6, n in tasks(), profile in profiles(), network in networks(), speed in 0.3..1.0f64,
        background in 0.0..0.5f64, slow in 1usize..20,
    ) {
        let threshold = network.rendezvous_threshold.filter(|_| strategy != Strategy::MasterSlave);
        // Where messages take of a rank's processor, a faster rank's come earlier and may hold it up more.
        let interference_per_byte = Measured::default();
        let network = Network {
            rendezvous_threshold: threshold,
            interference_per_byte,
            send_interference_per_byte: interference_per_byte,
            ..network
        };
        let slowest = Host { speed, background: Share(background).into(), ..Host::new("slow", slow, 1) };
        let of = |hosts| Platform::new("p", hosts, network.clone());
        let mixed = of(vec![slowest.clone(), Host::new("node", 64, 1)]);
        let (shape, load) = (Shape::new(strategy, 1 << lg), Load::new(n, 1.0));
        let (predicted, ran) = both(&shape, load, &profile, &mixed);
        prop_assert!(predicted >= ran * (1.0 - 1e-9), "predicted {predicted}, ran {ran}");
        let (best, _) = both(&shape, load, &profile, &of(vec![Host::new("node", 128, 1)]));
        prop_assert!(best <= ran * (1.0 + 1e-9), "at best {best}, ran {ran}");
        // All of the slow kind, it is exact again.
        equal(&shape, load, &profile, &of(vec![Host { count: 64, ..slowest }]))?;
    }
}
