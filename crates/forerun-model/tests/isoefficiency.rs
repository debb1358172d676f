//! Efficiency and the isoefficiency function.

mod common;

use common::{cluster, costs, network};
use forerun_model::Load;
use forerun_model::reduction::{efficiency, isoefficiency};
use forerun_platform::Strategy;
use forerun_skeleton::reduction::Shape;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The work found reaches the efficiency, not much less does, and none is found only where none does.
    #[test]
    fn the_least_work_is_found(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        lg in 0u32..6, groups in 1usize..3, fixed in prop_oneof![0.0..0.5f64, 0.0..10.0f64],
        each in 0.0..0.02f64, o in prop_oneof![0.0..0.05f64, 0.0..5.0f64], target in 0.05..1.0f64,
    ) {
        let p = groups << lg;
        let (profile, platform) = (costs(1.0, fixed, each, 100.0), cluster(network(0.01, o, 1e-6)));
        let shape = |p| Shape { groups, ..Shape::new(strategy, p) };
        let load = Load::new(0, 1.0);
        let at = |tasks| efficiency(&shape(p), &Load::new(tasks, 1.0), &profile, &platform).unwrap();
        let found = &isoefficiency(shape, target, &[p], &load, &profile, &platform).unwrap()[0];
        // One by one, as far as that goes; beyond, along rounds that are doubled.
        let tried = (1..=600).chain((10..40).map(|n| (p as u64) << n));
        let first = tried.into_iter().find(|n| at(*n).efficiency >= target);
        match found.reached {
            Some(held) => {
                prop_assert_eq!(held.at, at(held.tasks));
                prop_assert!(held.at.efficiency >= target * (1.0 - 1e-12));
                // No fewer among those that are tried one by one; between later rounds it goes up and down.
                let most = first.map_or(u64::MAX, |n| if n <= 64 { n } else { 2 * n + 64 });
                prop_assert!(held.tasks <= most, "{} where {:?} do", held.tasks, first);
                if held.tasks <= 64 {
                    prop_assert!((1..held.tasks).all(|n| at(n).efficiency < target));
                } else {
                    prop_assert!(at(held.tasks - 1).efficiency < target);
                }
                // W = N T_comp + merges: equation 1 for the merges of the run, with no merge free.
                prop_assert!(held.work().0 >= held.tasks as f64);
            }
            None => {
                prop_assert!(found.ceiling < target, "{:?}", found);
                let close = found.ceiling * 1.01 > target;
                prop_assert!(first.is_none_or(|n| n > 64 && close), "{:?} tasks reach it", first);
            }
        }
    }

    /// What is predicted uses no processor more than fully.
    #[test]
    fn efficiency_is_a_share(
        strategy in prop_oneof![
            Just(Strategy::ParallelPipeline), Just(Strategy::ReductionTree), Just(Strategy::MasterSlave)
        ],
        lg in 0u32..7, n in 1u64..5000, fixed in 0.0..3.0f64, each in 0.0..0.1f64, o in 0.0..0.05f64,
    ) {
        let (profile, platform) = (costs(1.0, fixed, each, 100.0), cluster(network(0.01, o, 1e-6)));
        let e = efficiency(&Shape::new(strategy, 1 << lg), &Load::new(n, 1.0), &profile, &platform).unwrap();
        prop_assert!(e.efficiency > 0.0 && e.efficiency <= 1.0 + 1e-9, "{:?}", e);
        prop_assert!((e.speedup - e.efficiency * f64::from(1u32 << lg)).abs() < 1e-9 * e.speedup);
        prop_assert!((e.work.0 - e.speedup * e.makespan.0).abs() < 1e-9 * e.work.0);
    }
}

#[test]
fn nothing_is_held_that_cannot_be() {
    let (profile, platform) = (costs(1.0, 0.1, 0.0, 1.0), cluster(network(0.0, 0.0, 0.0)));
    let load = Load::new(0, 1.0);
    let of = |strategy, e, ps: &[usize]| {
        isoefficiency(|p| Shape::new(strategy, p), e, ps, &load, &profile, &platform)
    };
    assert!(of(Strategy::ReductionTree, 1.5, &[2]).unwrap_err().to_string().contains("efficiency of 1.5"));
    assert!(of(Strategy::ParallelPipeline, 0.5, &[6]).is_err());
    // One processor wastes nothing, whatever there is to do.
    let one = of(Strategy::ReductionTree, 1.0, &[1]).unwrap()[0];
    assert_eq!(one.reached.unwrap().tasks, 1);
    // Master and slaves: 1 − 1/P of the processors run tasks, and merges are 0.1 of them. Two tasks of a
    // parallel pipeline reach on two processors what more do not.
    let pipeline = of(Strategy::ParallelPipeline, 0.9, &[2]).unwrap()[0];
    assert_eq!(pipeline.reached.unwrap().tasks, 2);
    assert!(pipeline.ceiling < 0.6, "{pipeline:?}");
    // What is only approached is not reached.
    let ceiling = of(Strategy::MasterSlave, 0.825, &[4]).unwrap()[0];
    assert!((ceiling.ceiling - 0.825).abs() < 1e-9 || ceiling.reached.is_none(), "{ceiling:?}");
    let master = of(Strategy::MasterSlave, 0.9, &[2, 4, 8, 64]).unwrap();
    assert!(master[0].reached.is_none() && master[3].reached.is_none());
}

/// Section VI-C: the parallel pipeline scales where master and slaves do not.
#[test]
fn the_pipeline_scales_where_the_master_does_not() {
    let (profile, platform) = (costs(0.15, 0.0128, 0.0, 0.0), cluster(network(0.0, 0.0, 0.0)));
    let load = Load::new(0, 5000.0);
    let ps = [2, 4, 8, 16, 32, 64, 128];
    let of =
        |strategy| isoefficiency(|p| Shape::new(strategy, p), 0.5, &ps, &load, &profile, &platform).unwrap();
    let pipeline: Vec<f64> =
        of(Strategy::ParallelPipeline).iter().map(|i| i.reached.unwrap().work().0).collect();
    assert!(pipeline.windows(2).all(|w| w[1] > w[0]), "{pipeline:?}");
    // W grows about as P lg P: less than threefold when P doubles.
    assert!(pipeline[2..].windows(2).all(|w| w[1] / w[0] < 3.0), "{pipeline:?}");
    let master = of(Strategy::MasterSlave);
    assert!(master[2].reached.is_some() && master[5].reached.is_none(), "{master:?}");
}
