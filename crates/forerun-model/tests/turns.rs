//! Ranks in excess of the cores: the closed form beside virtual time, whose ranks take turns as they are busy.

mod common;

use common::{costs, network, simulate_in_turns};
use forerun_model::Load;
use forerun_model::reduction::predict;
use forerun_platform::{Deal, Host, Platform, Strategy};
use forerun_skeleton::reduction::Shape;

/// Relative errors over ranks, cores, tasks, groups, merges and messages, sorted by size.
fn errors(strategy: Strategy, deal: Deal) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    for p in (2usize..=9).chain([12, 15, 16, 25, 27, 31]) {
        for (arity, groups) in [(2usize, 1usize), (3, 1), (5, 1), (2, p / 2)] {
            let shape = Shape { arity, deal, groups, ..Shape::new(strategy, p) };
            if shape.check().is_err() {
                continue;
            }
            for cores in [1usize, 2, 3, 4, 8].into_iter().filter(|cores| *cores < p) {
                for n in [1, p - 1, p + 1, 5 * p + 3, 64, 50 * p + 1] {
                    for (fixed, each) in [(0.1, 0.0), (1.0, 0.0), (0.0, 0.05)] {
                        for (l, o, g) in [(0.0, 0.0, 0.0), (0.05, 0.01, 1e-4)] {
                            let host = Host::new("host", 1, cores);
                            let platform = Platform::new("host", vec![host], network(l, o, g));
                            let profile = costs(1.0, fixed, each, 100.0);
                            let load = Load::new(n as u64, 1.0);
                            let predicted = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                            let ran = simulate_in_turns(&shape, &load, &profile, &platform);
                            // Groups bring together what they have.
                            let finish = predict(&shape, &load, &profile, &platform).unwrap().finish_s;
                            let what = format!(
                                "{strategy:?} {deal:?}: {p} ranks in {groups} groups on {cores} cores, arity {arity}, {n} tasks, \
                                 merge {fixed} + {each} k, L {l} o {o} G {g}: ran {ran:.3}, predicted {predicted:.3}"
                            );
                            all.push(((predicted - finish) / ran - 1.0, what));
                        }
                    }
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    all
}

#[track_caller]
fn within(all: &[(f64, String)], quantile: f64, bound: f64) {
    let (e, what) = &all[((all.len() - 1) as f64 * quantile) as usize];
    println!("{quantile}: {e:+.4} {what}");
    assert!(e.abs() <= bound, "{e:+.4} at {quantile}: {what}");
}

/// Odd numbers of ranks too, whose root merges more than others do.
#[test]
fn tree_and_master_slave_take_turns_exactly() {
    for strategy in [Strategy::ReductionTree, Strategy::MasterSlave] {
        within(&errors(strategy, Deal::Claimed), 1.0, 1e-9);
    }
}

#[test]
fn the_pipeline_takes_turns_closely() {
    let all = errors(Strategy::ParallelPipeline, Deal::Claimed);
    within(&all, 0.5, 0.001);
    within(&all, 0.9, 0.005);
    within(&all, 1.0, 0.05);
}

/// Whoever is free takes the work.
#[test]
fn the_adaptive_strategy_takes_turns_nearly() {
    for deal in [Deal::Claimed, Deal::Even { first_permille: 1000 }] {
        let all = errors(Strategy::Adaptive, deal);
        within(&all, 0.5, 0.02);
        within(&all, 0.9, 0.15);
        within(&all, 1.0, 0.4);
    }
}

/// Where a rank more than there are cores is hardly busy, it is not the cores that bound the run.
#[test]
fn cores_bound_what_they_make_longer() {
    let platform = Platform::new("host", vec![Host::new("host", 1, 2)], network(0.0, 0.0, 0.0));
    let bound = |p: usize, merge: f64| {
        let shape = Shape::new(Strategy::MasterSlave, p);
        predict(&shape, &Load::new(64, 1.0), &costs(1.0, merge, 0.0, 1.0), &platform).unwrap().bound.name()
    };
    assert_eq!((bound(3, 0.001), bound(3, 0.5), bound(8, 0.001)), ("tasks", "cores", "cores"));
}
