//! The closed forms of the strategies against the simulation of the program, where they are exact.

mod common;

use common::{cluster, network, simulate};
use forerun_model::Load;
use forerun_model::reduction::predict;
use forerun_platform::{
    Bytes, Cost, Level, Measured, Network, Overhead, Platform, ReductionProfile, Seconds, SecondsPerByte,
    Service, Share, Strategy, Switching, Topology, TopologyKind,
};
use forerun_skeleton::reduction::Shape;
use proptest::prelude::{Just, ProptestConfig, prop_assert, prop_compose, prop_oneof, proptest};

fn overhead(base: f64, per_byte: f64) -> Overhead {
    Overhead {
        base: Measured::stated(Seconds(base)),
        per_byte: Measured::stated(SecondsPerByte(per_byte)),
        ..Overhead::default()
    }
}

prop_compose! {
    fn networks()(
        latency in 0.0..0.3f64, send in 0.0..0.1f64, receive in 0.0..0.1f64, per_byte in 0.0..1e-4f64,
        gap in 0.0..0.05f64, gap_per_byte in 0.0..1e-3f64,
    ) -> Network {
        Network {
            send_overhead: overhead(send, per_byte),
            receive_overhead: overhead(receive, per_byte / 2.0),
            gap: Measured::stated(Seconds(gap)),
            gap_per_byte: Measured::stated(SecondsPerByte(gap_per_byte)),
            ..network(latency, 0.0, 0.0)
        }
    }
}

prop_compose! {
    fn profiles()(
        task in 0.1..2.0f64, fixed in 0.0..1.0f64, per_byte in 0.0..1e-3f64, per_result in 0.0..0.1f64,
        sink in 0.0..0.5f64, sink_result in 0.0..0.02f64, bytes in 0u32..300,
    ) -> ReductionProfile {
        ReductionProfile {
            task: Cost::constant(task),
            merge: Cost { fixed, per_byte, per_result, ..Cost::default() },
            sink: Cost { fixed: sink, per_result: sink_result, ..Cost::default() },
            result_bytes: (f64::from(bytes), 0.0),
            ..ReductionProfile::default()
        }
    }
}

#[track_caller]
fn off(shape: &Shape, n: u64, profile: &ReductionProfile, platform: &Platform) -> (f64, f64) {
    let load = Load::new(n, 1.0);
    let predicted = predict(shape, &load, profile, platform).unwrap().makespan_s;
    let ran = simulate(shape, &load, profile, platform).seconds;
    (predicted, ran)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn explore_tree(p in 2usize..40, arity in 2usize..6, n in 1u64..300, profile in profiles(), network in networks()) {
        let shape = Shape { arity, ..Shape::new(Strategy::ReductionTree, p) };
        let (a, b) = off(&shape, n, &profile, &cluster(network));
        prop_assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn explore_ms(p in 2usize..40, n in 1u64..300, profile in profiles(), network in networks()) {
        let shape = Shape::new(Strategy::MasterSlave, p);
        let (a, b) = off(&shape, n, &profile, &cluster(network));
        prop_assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn explore_pipeline(
        arity in 2usize..5, levels in 1u32..5, n in 1u64..400, profile in profiles(), network in networks(),
    ) {
        let shape = Shape { arity, ..Shape::new(Strategy::ParallelPipeline, arity.pow(levels)) };
        let (a, b) = off(&shape, n, &profile, &cluster(network));
        prop_assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }
}
