//! Laws of the planner.

mod common;

use std::time::Instant;

use common::{cluster, costs, network};
use forerun_model::Load;
use forerun_model::planner::{Divisible, Fixed, Request, considered, plan};
use forerun_model::reduction::predict;
use forerun_platform::{Bytes, Cost, Host, Platform, ReductionProfile, Strategy};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy as _};

fn profiles() -> impl proptest::strategy::Strategy<Value = ReductionProfile> {
    (0.0..1e-6f64, 0.0..0.1f64, 0.0..0.5f64, 0.0..0.1f64, 0.0..1e-7f64).prop_map(
        |(per_byte, fixed, merge, each, merge_byte)| ReductionProfile {
            task: Cost { fixed, per_byte, ..Cost::default() },
            merge: Cost { fixed: merge, per_result: each, per_byte: merge_byte, ..Cost::default() },
            result_bytes: (10.0, 0.5),
            ..ReductionProfile::default()
        },
    )
}

fn fixes() -> impl proptest::strategy::Strategy<Value = Fixed> {
    let some = |max: usize| prop_oneof![Just(None), (1..=max).prop_map(Some)];
    let strategy = prop_oneof![Just(None), (0..4usize).prop_map(|i| Some(Strategy::ALL[i]))];
    (strategy, some(6), some(3), prop_oneof![Just(None), (2..5usize).prop_map(Some)]).prop_map(
        |(strategy, processors, groups, arity)| Fixed {
            strategy,
            processors,
            groups,
            arity,
            ..Fixed::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn what_is_fixed_is_kept_and_no_candidate_is_better(
        profile in profiles(), fixed in fixes(), tasks in 1u64..2000, latency in 0.0..0.1f64,
    ) {
        let platform = cluster(network(latency, latency / 2.0, 1e-9));
        let input = Divisible::Tasks { tasks, bytes: 1e5 };
        let request = Request { max_processors: 6, fixed, ..Request::new(&platform, &profile, input) };
        let planned = match plan(&request) {
            Ok(planned) => planned,
            Err(e) => {
                prop_assert!(fixed.processors.is_some() || fixed.groups.is_some(), "{e}");
                prop_assert!(e.to_string().len() > 20);
                return Ok(());
            }
        };
        let best = &planned.best.plan;
        prop_assert!(fixed.strategy.is_none_or(|s| s == best.strategy));
        prop_assert!(fixed.processors.is_none_or(|p| p == best.processors));
        prop_assert!(fixed.groups.is_none_or(|g| g == best.groups));
        prop_assert!(fixed.arity.is_none_or(|a| a == best.arity));
        prop_assert!(best.processors <= 6);
        let seconds = planned.best.prediction.makespan_s;
        for (i, choice) in planned.ranked.iter().enumerate() {
            prop_assert!(choice.prediction.makespan_s >= seconds * (1.0 - 1e-8), "{i}");
        }
        let load = Load::new(tasks, 1e5);
        for shape in considered(&request).unwrap() {
            if shape.strategy != Strategy::ParallelPipeline {
                let other = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                prop_assert!(other >= seconds * (1.0 - 1e-8), "{shape:?}: {other} < {seconds}");
            }
        }
    }

    #[test]
    fn pieces_are_not_cut_and_grains_stay_within_their_limits(
        sizes in proptest::collection::vec(1u64..100_000, 0..300), max_grain in 1u64..1_000_000,
    ) {
        let profile = costs(0.001, 0.0005, 0.0, 10.0);
        let platform = cluster(network(1e-5, 1e-6, 0.0));
        let n = sizes.len() as u64;
        let input = Divisible::Pieces { sizes, breaks: Vec::new(), max_grain };
        let request = Request { max_processors: 8, ..Request::new(&platform, &profile, input) };
        let grain = plan(&request).unwrap().best.plan.grain;
        prop_assert!(grain.tasks.unwrap() <= n);
        prop_assert_eq!(grain.tasks.unwrap() == 0, n == 0);
    }
}

/// Pieces that are larger than a task may be are tasks by themselves, and set no grain.
#[test]
fn a_grain_is_within_its_limit_whatever_the_pieces() {
    let profile = costs(0.001, 0.0005, 0.0, 10.0);
    let platform = cluster(network(1e-5, 1e-6, 0.0));
    let sizes: Vec<u64> = [1_100_000].into_iter().chain([5_000; 10]).collect();
    let input = Divisible::Pieces { sizes, breaks: Vec::new(), max_grain: 20_000 };
    let planned = plan(&Request { max_processors: 2, ..Request::new(&platform, &profile, input) }).unwrap();
    assert!(planned.ranked.iter().all(|choice| choice.plan.grain.bytes <= 20_000), "{planned:?}");
}

#[test]
fn a_cut_input_keeps_every_processor_busy() {
    let profile = ReductionProfile {
        task: Cost { fixed: 1e-4, per_byte: 1e-8, ..Cost::default() },
        merge: Cost { per_byte: 2e-10, ..Cost::default() },
        result_bytes: (0.0, 1.0),
        ..ReductionProfile::default()
    };
    let platform = cluster(network(1e-6, 1e-7, 0.0));
    let input = Divisible::Anywhere { total_bytes: 400_000_000, min_grain: 4096, max_grain: 100_000_000 };
    let request = Request { max_processors: 2, ..Request::new(&platform, &profile, input) };
    let planned = plan(&request).unwrap();
    assert_eq!(planned.best.plan.processors, 2);
    assert!(planned.best.prediction.makespan_s < 2.6, "{:?}", planned.best.prediction);
    assert!(planned.best.plan.reason.contains("predicted"), "{}", planned.best.plan.reason);
    assert_eq!(planned.ranked.len(), 4);
}

#[test]
fn impossible_requests_say_what_would_do() {
    let profile = costs(1.0, 0.1, 0.0, 10.0);
    let platform = cluster(network(0.0, 0.0, 0.0));
    let say = |max_processors: usize, fixed: Fixed, input: Divisible| {
        plan(&Request { max_processors, fixed, ..Request::new(&platform, &profile, input) })
            .unwrap_err()
            .to_string()
    };
    let tasks = || Divisible::Tasks { tasks: 10, bytes: 1.0 };
    assert_eq!(say(0, Fixed::default(), tasks()), "a plan needs at least 1 processor");
    let six = Fixed { processors: Some(6), ..Fixed::default() };
    assert_eq!(say(4, six, tasks()), "6 processors asked for, and at most 4 allowed");
    let pipeline =
        Fixed { strategy: Some(Strategy::ParallelPipeline), arity: Some(2), groups: Some(1), ..six };
    assert!(say(8, pipeline, tasks()).contains("4 or 8 instead of 6"), "{}", say(8, pipeline, tasks()));
    assert!(say(8, Fixed { groups: Some(4), ..six }, tasks()).contains("4 groups"));
    // Processors are not pinned: the same.
    for (most, groups) in [(2, 3), (8, 9)] {
        let said = say(most, Fixed { groups: Some(groups), ..Fixed::default() }, tasks());
        assert!(said.contains("a number of groups that divides them, or for other processors"), "{said}");
    }
    assert!(say(8, Fixed { arity: Some(1), ..six }, tasks()).contains("at least 2"));
    let anywhere = Divisible::Anywhere { total_bytes: 100, min_grain: 10, max_grain: 50 };
    let grain = Fixed { grain: Some(60), ..Fixed::default() };
    assert!(say(8, grain, anywhere).contains("10 to 50"));
    let bad = Divisible::Anywhere { total_bytes: 100, min_grain: 10, max_grain: 5 };
    assert!(say(8, Fixed::default(), bad).contains("smaller"));
}

#[test]
fn plans_for_a_thousand_processors_at_once() {
    let profile = costs(0.15, 0.0, 0.0128, 3000.0);
    let mut platform: Platform = cluster(network(1e-5, 1e-6, 1e-9));
    platform.hosts = vec![Host { memory: Some(Bytes(1 << 33)), ..Host::new("node", 512, 2) }];
    let input = Divisible::Anywhere { total_bytes: 1 << 40, min_grain: 4096, max_grain: 1 << 30 };
    let request = Request { max_processors: 1024, ..Request::new(&platform, &profile, input) };
    let start = Instant::now();
    let planned = plan(&request).unwrap();
    // A prediction takes microseconds: this many are tens of milliseconds in a release build.
    assert!(planned.tried < 20_000, "{}", planned.tried);
    println!("{} predictions in {:?}: {}", planned.tried, start.elapsed(), planned.best.plan.reason);
    assert_eq!(planned.ranked.len(), 4);
}
