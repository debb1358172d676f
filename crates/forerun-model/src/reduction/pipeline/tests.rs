//! The formula beside the steps, which equal the simulation (`tests/exact.rs`).

use forerun_platform::{Cost, Measured, Network, Overhead, ReductionProfile, Seconds, SecondsPerByte};
use proptest::prelude::*;

use super::super::costs::Costs;
use super::super::followed::Followed;
use super::closed;
use super::cycle::{gather, step, take};
use super::steps::{Steps, followed};
use crate::{Load, Wire};

fn network(latency: f64, send: f64, receive: f64, per_byte: f64) -> Network {
    let o = |base| Overhead { base: Measured::stated(Seconds(base)), ..Overhead::default() };
    Network {
        latency: Measured::stated(Seconds(latency)),
        send_overhead: o(send),
        receive_overhead: o(receive),
        gap_per_byte: Measured::stated(SecondsPerByte(per_byte)),
        ..Network::default()
    }
}

fn costs(merge: Cost, sink: f64, bytes: f64, network: &Network) -> Costs {
    let profile = ReductionProfile {
        task: Cost::constant(1.0),
        merge,
        sink: Cost::constant(sink),
        result_bytes: (bytes, 0.0),
        ..ReductionProfile::default()
    };
    Costs::new(&profile, &Load::new(0, 1.0), Wire::new(network, 1).unwrap(), 1.0)
}

/// The mean step, and the makespan as formula and step by step.
fn both(c: &Costs, a: u64, levels: u32, n: u64) -> (f64, f64, f64) {
    let cohort = a.pow(levels) - a.pow(levels - 1);
    let last = take(c, a, levels, cohort).sum() + c.sink(cohort);
    let mean = step(c, a, levels).0.max(last);
    let exact = Steps::new(c, a as usize, levels, n).run();
    // Following the ends gives the same, or less where two cycles are nearly as long as each other.
    match followed(c, a as usize, levels, n, mean) {
        Followed::Exactly(ends) => assert!((ends - exact).abs() <= 1e-9 * exact, "{ends} for {exact}"),
        Followed::AtLeast(least) => assert!(least <= exact * (1.0 + 1e-9), "{least} for {exact}"),
        Followed::Not => panic!("a^{levels} ranks are few enough"),
    }
    (mean, closed::seconds(c, a, levels, n), exact)
}

/// Numbers of tasks from whole cohorts to any rest.
fn tasks(a: u64, levels: u32, steps: u64, rest: u64) -> u64 {
    let p = a.pow(levels);
    let cohort = p - p / a;
    p + steps * cohort - rest % cohort
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The paper's conditions: stages of equal cost, of which the task is the longest.
    #[test]
    fn the_formula_is_exact_where_stages_are_equal(
        a in 2u64..5, lg in 1u32..7, steps in 1u64..200, rest in 0u64..99,
        merge in 0.0..0.3f64, o_s in 0.0..0.01f64, o_r in 0.0..0.01f64, latency in 0.0..0.3f64,
    ) {
        let levels = if a == 2 { lg } else { lg.min(3) };
        let o_s = o_s.min(o_r);
        let c = costs(Cost::constant(merge), 0.0, 0.0, &network(latency, o_s, o_r, 0.0));
        prop_assume!(gather(&c, a, 1, u64::MAX).sum() <= c.task + c.send(1));
        let whole = tasks(a, levels, steps, 0);
        let (_, formula, exact) = both(&c, a, levels, whole);
        prop_assert!((formula - exact).abs() <= 1e-9 * exact, "{formula} for {exact}");
        // With any number of tasks, within a step.
        let (mean, formula, exact) = both(&c, a, levels, tasks(a, levels, steps, rest));
        prop_assert!((formula - exact).abs() <= mean, "{formula} for {exact}");
    }

    /// Whatever the costs, the formula is off by no more than its bound.
    #[test]
    fn the_formula_is_within_its_bound(
        a in 2u64..5, lg in 1u32..7, steps in 0u64..300, rest in 0u64..99,
        fixed in 0.0..3.0f64, per_result in 0.0..0.3f64, sink in 0.0..2.0f64, bytes in 0.0..1000.0f64,
        o_s in 0.0..0.1f64, o_r in 0.0..0.1f64, latency in 0.0..0.5f64, per_byte in 0.0..1e-3f64,
    ) {
        let levels = if a == 2 { lg } else { lg.min(3) };
        let merge = Cost { fixed, per_result, ..Cost::default() };
        let c = costs(merge, sink, bytes, &network(latency, o_s, o_r, per_byte));
        let (mean, formula, exact) = both(&c, a, levels, tasks(a, levels, steps, rest));
        let n = f64::from(levels);
        prop_assert!((formula - exact).abs() <= n * (n + 2.0) * mean, "{formula} for {exact}, steps of {mean}");
    }
}

/// Two cycles of nearly the same length: their ends do not say which is the longer in the long run.
#[test]
fn cycles_of_nearly_the_same_length_give_a_lower_bound() {
    let merge = Cost { fixed: 0.126_669_565_7, per_result: 0.105_753_078_3, ..Cost::default() };
    let c = costs(merge, 1.336_085_866_4, 0.0, &network(0.0, 0.0, 0.0, 0.0));
    let n = tasks(2, 6, 204, 0);
    let (_, _, exact) = both(&c, 2, 6, n);
    let last = take(&c, 2, 6, 32).sum() + c.sink(32);
    let mean = step(&c, 2, 6).0.max(last);
    let Followed::AtLeast(least) = followed(&c, 2, 6, n, mean) else {
        panic!("it is not followed to its period")
    };
    assert!(least > 0.98 * exact, "{least} for {exact}");
}
