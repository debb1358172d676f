//! The closed form beside the simulation of the program, where costs do not vary.

mod common;

use common::{cluster, costs, network, simulate};
use forerun_model::Load;
use forerun_model::reduction::predict;
use forerun_platform::{
    Deal, Host, Measured, Network, Platform, Seconds, SecondsPerByte, Stage, StartUp, Strategy,
};
use forerun_skeleton::reduction::Shape;

/// Relative errors over ranks, arities, merges and messages of what `tasks` gives for P ranks,
/// sorted by size.
fn errors(strategy: Strategy, deal: Deal, tasks: impl Fn(usize) -> Vec<usize>) -> Vec<(f64, String)> {
    errors_of((strategy, deal), |n| Load::new(n, 1.0), tasks)
}

fn errors_of(
    (strategy, deal): (Strategy, Deal),
    load: impl Fn(u64) -> Load,
    tasks: impl Fn(usize) -> Vec<usize>,
) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    for p in [2usize, 3, 4, 7, 8, 9, 16, 32] {
        for arity in [2usize, 3, 4, p] {
            let shape = Shape { arity, deal, ..Shape::new(strategy, p) };
            let many = strategy == Strategy::MasterSlave && arity > 2;
            if arity > p || many || shape.check().is_err() {
                continue;
            }
            for n in tasks(p) {
                for (fixed, each) in [(0.0, 0.0), (0.1, 0.0), (0.5, 0.0), (2.0, 0.0), (0.0, 0.01), (0.0, 0.1)]
                {
                    for (l, o, g) in [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.05, 0.0), (0.05, 0.01, 1e-4)]
                    {
                        let (profile, platform) = (costs(1.0, fixed, each, 100.0), cluster(network(l, o, g)));
                        let load = load(n as u64);
                        let predicted = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                        let ran = simulate(&shape, &load, &profile, &platform).seconds;
                        let what = format!(
                            "{strategy:?} {deal:?}: {p} ranks, arity {arity}, {n} tasks, merge {fixed} + {each} k, \
                             L {l} o {o} G {g}: ran {ran:.3}, predicted {predicted:.3}"
                        );
                        all.push((predicted / ran - 1.0, what));
                    }
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    all
}

fn at(all: &[(f64, String)], quantile: f64) -> &(f64, String) {
    let at = &all[((all.len() - 1) as f64 * quantile) as usize];
    println!("{quantile}: {:+.4} {}", at.0, at.1);
    at
}

#[track_caller]
fn within(all: &[(f64, String)], quantile: f64, bound: f64) {
    let (e, what) = at(all, quantile);
    assert!(e.abs() <= bound, "{e:+.4} at {quantile}: {what}");
}

fn short(p: usize) -> Vec<usize> {
    vec![1, p / 2, p, p + 1, 2 * p, 5 * p + 3]
}

fn long(p: usize) -> Vec<usize> {
    vec![50 * p, 50 * p + 1]
}

const EVEN: Deal = Deal::Even { first_permille: 1000 };

#[test]
fn tree_and_master_slave_are_exact() {
    for strategy in [Strategy::ReductionTree, Strategy::MasterSlave] {
        within(&errors(strategy, Deal::Claimed, short), 1.0, 1e-9);
        within(&errors(strategy, Deal::Claimed, long), 1.0, 1e-9);
    }
}

/// What follows the steps is exact; with more ranks, where the formula takes over, it is close.
#[test]
fn the_pipeline_is_exact_and_close_with_many_ranks() {
    within(&errors(Strategy::ParallelPipeline, Deal::Claimed, short), 1.0, 1e-9);
    within(&errors(Strategy::ParallelPipeline, Deal::Claimed, long), 1.0, 1e-9);
    let mut all = Vec::new();
    for (p, arity) in [(256, 2), (512, 2), (729, 3), (1024, 4)] {
        for (fixed, each) in [(0.1, 0.0), (0.5, 0.0), (2.0, 0.0), (0.0, 0.01)] {
            for (l, o, g) in [(0.0, 0.0, 0.0), (0.05, 0.01, 1e-5)] {
                for n in [p, 2 * p, 20 * p + 1] {
                    let shape = Shape { arity, ..Shape::new(Strategy::ParallelPipeline, p) };
                    let (profile, platform) = (costs(1.0, fixed, each, 100.0), cluster(network(l, o, g)));
                    let load = Load::new(n as u64, 1.0);
                    let predicted = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                    let ran = simulate(&shape, &load, &profile, &platform).seconds;
                    let what =
                        format!("{p} ranks, arity {arity}, {n} tasks, merge {fixed} + {each} k, L {l}");
                    all.push((predicted / ran - 1.0, what));
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    within(&all, 0.5, 0.001);
    within(&all, 0.9, 0.01);
    within(&all, 1.0, 0.05);
}

/// The adaptive strategy has no steady state to be exact about: an even deal is followed rank by
/// rank, claimed tasks as list scheduling.
#[test]
fn the_adaptive_strategy_is_close() {
    let even = errors(Strategy::Adaptive, EVEN, long);
    within(&even, 0.9, 0.005);
    within(&even, 1.0, 0.02);
    let even = errors(Strategy::Adaptive, EVEN, short);
    within(&even, 0.9, 0.02);
    within(&even, 1.0, 0.30);
    let claimed = errors(Strategy::Adaptive, Deal::Claimed, long);
    within(&claimed, 0.9, 0.02);
    within(&claimed, 1.0, 0.05);
    let claimed = errors(Strategy::Adaptive, Deal::Claimed, short);
    within(&claimed, 0.9, 0.08);
    within(&claimed, 1.0, 0.35);
}

/// Their mean is what counts: ranks go on while the first has only merges to do.
#[test]
fn tasks_that_are_done_count_in_the_mean() {
    let half_done = |n: u64| Load { done: n / 2, done_bytes: (n / 2) as f64, ..Load::new(n, 1.0) };
    for (strategy, bound) in [
        (Strategy::ReductionTree, 0.12),
        (Strategy::MasterSlave, 0.03),
        (Strategy::ParallelPipeline, 0.03),
        (Strategy::Adaptive, 0.08),
    ] {
        let all = errors_of((strategy, Deal::Claimed), half_done, long);
        within(&all, 0.5, 0.01);
        within(&all, 1.0, bound);
    }
    let all = errors_of((Strategy::Adaptive, EVEN), half_done, long);
    within(&all, 0.5, 0.02);
    within(&all, 1.0, 0.1);
}

/// Where tasks are few, those that are left are whole, however many are done.
#[test]
fn few_tasks_of_which_some_are_done_are_not_smaller_ones() {
    for (num, of) in [(1, 4), (1, 2), (3, 4)] {
        let some_done = |n: u64| {
            let done = n * num / of;
            Load { done, done_bytes: done as f64, ..Load::new(n, 1.0) }
        };
        for strategy in [Strategy::ReductionTree, Strategy::ParallelPipeline, Strategy::MasterSlave] {
            within(&errors_of((strategy, Deal::Claimed), some_done, short), 1.0, 1e-9);
        }
        // Which rank has which is told roughly; what is left is not told short.
        for (deal, most) in [(Deal::Claimed, 0.25), (EVEN, 0.5)] {
            let all = errors_of((Strategy::Adaptive, deal), some_done, short);
            within(&all, 0.5, 0.05);
            within(&all, 0.9, most);
        }
    }
}

/// Where the first rank's port is what bounds a run, or nearly.
#[test]
fn the_adaptive_strategy_is_close_where_messages_wait_for_their_receiver() {
    let mut all = Vec::new();
    for p in [3usize, 4, 8, 16] {
        for (bytes, arity) in [(100.0, 2), (400.0, 2), (1000.0, 2), (1000.0, p)] {
            for n in [2 * p, 5 * p + 3, 50 * p] {
                for deal in [EVEN, Deal::Claimed] {
                    let shape = Shape { arity, deal, set: 2, ..Shape::new(Strategy::Adaptive, p) };
                    let port = Measured::stated(SecondsPerByte(1e-3));
                    let network = Network { receive_gap_per_byte: port, ..network(0.01, 0.001, 1e-3) };
                    let (profile, platform) = (costs(1.0, 0.05, 0.0, bytes), cluster(network));
                    let load = Load::new(n as u64, 1.0);
                    let predicted = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                    let ran = simulate(&shape, &load, &profile, &platform).seconds;
                    let what = format!(
                        "{p} ranks, arity {arity}, {n} tasks of {bytes} B, {deal:?}: ran {ran:.3}, \
                         predicted {predicted:.3}"
                    );
                    all.push((predicted / ran - 1.0, what));
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    within(&all, 0.5, 0.02);
    within(&all, 0.9, 0.12);
    within(&all, 1.0, 0.25);
}

/// Where a result takes longer to leave than the next to be there: ranks claim on meanwhile, and the last of what they sent comes long after.
#[test]
fn the_adaptive_strategy_is_close_where_links_are_slow() {
    let mut all = Vec::new();
    for p in [2usize, 3, 4, 5, 8, 16] {
        for bytes in [100.0, 1000.0, 3000.0, 12_000.0] {
            for n in [2 * p, 8, 32, 64, 50 * p] {
                let shape = Shape { deal: Deal::Claimed, set: 4, ..Shape::new(Strategy::Adaptive, p) };
                let (profile, platform) = (costs(1.0, 0.05, 0.0, bytes), cluster(network(0.01, 0.001, 1e-3)));
                let load = Load::new(n as u64, 1.0);
                let predicted = predict(&shape, &load, &profile, &platform).unwrap().makespan_s;
                let ran = simulate(&shape, &load, &profile, &platform).seconds;
                let what =
                    format!("{p} ranks, {n} tasks of {bytes} B: ran {ran:.3}, predicted {predicted:.3}");
                all.push((predicted / ran - 1.0, what));
            }
        }
    }
    all.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    within(&all, 0.5, 0.005);
    within(&all, 0.9, 0.03);
    within(&all, 1.0, 0.3);
}

#[test]
fn more_costs_more_and_nothing_costs_nothing() {
    let free = cluster(network(0.0, 0.0, 0.0));
    for strategy in Strategy::ALL {
        for p in [1usize, 2, 4, 8] {
            for n in [0u64, 1, 3, 8, 1000, 1_000_000_000_000_000] {
                let (shape, load) = (Shape::new(strategy, p), Load::new(n, 1.0));
                let s = |task, merge, latency, overhead| {
                    let platform = cluster(network(latency, overhead, 0.0));
                    predict(&shape, &load, &costs(task, merge, 0.0, 1.0), &platform).unwrap().makespan_s
                };
                let nothing = predict(&shape, &load, &costs(0.0, 0.0, 0.0, 0.0), &free).unwrap();
                assert_eq!(nothing.makespan_s, 0.0, "{strategy:?} {p} {n}");
                let base = s(1.0, 0.1, 0.01, 0.001);
                assert!(base >= n as f64 / p as f64, "{strategy:?} {p} {n}: {base}");
                for more in [
                    s(1.5, 0.1, 0.01, 0.001),
                    s(1.0, 0.3, 0.01, 0.001),
                    s(1.0, 0.1, 0.5, 0.001),
                    s(1.0, 0.1, 0.01, 0.1),
                ] {
                    assert!(more >= base * (1.0 - 1e-12), "{strategy:?} {p} {n}: {more} < {base}");
                }
            }
        }
    }
}

#[test]
fn the_interval_holds_what_spread_and_error_do() {
    let platform = cluster(network(0.0, 0.0, 0.0));
    let mut profile = costs(1.0, 0.1, 0.0, 1.0);
    let (shape, load) = (Shape::new(Strategy::ReductionTree, 8), Load::new(800, 1.0));
    let sure = predict(&shape, &load, &profile, &platform).unwrap();
    assert_eq!((sure.interval.low_s, sure.interval.high_s), (sure.makespan_s, sure.makespan_s));
    profile.task.spread = 0.2;
    let spread = predict(&shape, &load, &profile, &platform).unwrap();
    assert!(spread.makespan_s > sure.makespan_s && spread.interval.low_s < spread.makespan_s);
    profile.task.error = 0.1;
    let unsure = predict(&shape, &load, &profile, &platform).unwrap();
    assert_eq!(unsure.makespan_s, spread.makespan_s);
    let wide = |p: &forerun_model::reduction::Prediction| p.interval.high_s - p.interval.low_s;
    assert!(wide(&unsure) > 2.0 * wide(&spread));
}

#[test]
fn stages_are_counted_as_they_are_run() {
    let (profile, platform) = (costs(1.0, 0.1, 0.0, 100.0), cluster(network(0.01, 0.01, 0.0)));
    for (strategy, deal) in
        Strategy::ALL.map(|s| (s, Deal::Claimed)).into_iter().chain([(Strategy::Adaptive, EVEN)])
    {
        for n in [8u64, 64, 67, 400] {
            let shape = Shape { deal, ..Shape::new(strategy, 8) };
            let load = Load::new(n, 1.0);
            let predicted = predict(&shape, &load, &profile, &platform).unwrap();
            let ran = simulate(&shape, &load, &profile, &platform);
            let count = |stage| predicted.stages.get(&stage).map_or(0, |s| s.count);
            assert_eq!(count(Stage::Task), n);
            // What leaves in a set is not merged further: merges and deliveries share the results.
            let (merges, sinks) = (count(Stage::Merge), count(Stage::Sink));
            let exact = strategy != Strategy::Adaptive;
            let off = |a: u64, b: u64| a.abs_diff(b) as f64 / b.max(1) as f64;
            let bound = if exact { 0.0 } else { 0.15 };
            assert!(off(merges, ran.stage(Stage::Merge).count) <= bound, "{strategy:?} {n}: {merges} merges");
            assert!(off(sinks, ran.stage(Stage::Sink).count) <= 0.3 * f64::from(!exact), "{strategy:?} {n}");
            let messages = off(predicted.messages, ran.messages);
            assert!(
                messages <= 0.25,
                "{strategy:?} {deal:?} {n}: {} for {}",
                predicted.messages,
                ran.messages
            );
        }
    }
}

/// Pieces that wait on the first rank for a set are merged with its own results when the tasks are
/// done, and may make a set with them: both in the makespan and in the counts.
#[test]
fn pieces_that_wait_make_sets_with_the_first_ranks_own() {
    let platform = cluster(network(0.0, 0.0, 0.0));
    // Merges as long as four tasks, so that one missing shows.
    let profile = costs(1.0, 4.0, 0.0, 1.0);
    for (tasks, set, gather) in [(26u64, 8, 4), (27, 8, 4), (30, 8, 2), (44, 16, 4), (58, 16, 8)] {
        let shape = Shape { set, gather, deal: EVEN, ..Shape::new(Strategy::Adaptive, 2) };
        let load = Load::new(tasks, 1.0);
        let predicted = predict(&shape, &load, &profile, &platform).unwrap();
        let ran = simulate(&shape, &load, &profile, &platform);
        let count = |stage| predicted.stages.get(&stage).map_or(0, |s| s.count);
        let what = format!("{tasks} tasks, sets of {set}, pieces of {gather}: ran {:?}", ran.stages);
        assert!((predicted.makespan_s - ran.seconds).abs() < 1e-9, "{} s, {what}", predicted.makespan_s);
        for stage in [Stage::Merge, Stage::Sink] {
            assert_eq!(count(stage), ran.stage(stage).count, "{stage:?}, {what}");
        }
    }
}

/// Each rank is woken on its host, one after the other, and the end wakes whoever started them.
#[test]
fn ranks_take_time_to_start() {
    let at_once = network(0.0, 0.0, 0.0);
    let woken = Network { wake_up: Measured::stated(Seconds(0.5)), ..at_once.clone() };
    let profile = costs(1.0, 0.0, 0.0, 1.0);
    for (hosts, cores, ranks, expected) in [(1, 4, 1, 1.0), (1, 4, 4, 2.5), (4, 1, 4, 1.0)] {
        let seconds = |network: &Network| {
            let platform = Platform::new("p", vec![Host::new("h", hosts, cores)], network.clone());
            let shape = Shape::new(Strategy::ReductionTree, ranks);
            predict(&shape, &Load::new(8, 1.0), &profile, &platform).unwrap().makespan_s
        };
        let later = seconds(&woken) - seconds(&at_once);
        assert!((later - expected).abs() < 1e-9, "{ranks} ranks on {hosts} hosts: {later}");
        // What was measured goes before, and the first rank of a host is there already.
        let [base, per_rank] = [4.0, 0.25].map(|s| Measured::stated(Seconds(s)));
        let started = Network { start_up: Some(StartUp { base, per_rank }), ..woken.clone() };
        let later = seconds(&started) - seconds(&at_once);
        let expected = if ranks > hosts { 4.0 + 0.25 * (ranks / hosts - 1) as f64 } else { 0.0 };
        assert!((later - expected).abs() < 1e-9, "{ranks} ranks on {hosts} hosts: {later}");
    }
}
