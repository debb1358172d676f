//! Mappings of pipelines: their models, and that the search loses nothing.

mod common;

use common::{near, solved};
use forerun_pepa::mapping::{Grid, Mapping, MappingError, Objective, Ranked, Search, named, rank, search};
use proptest::prelude::*;

/// Throughput and latency of a mapping by its text, solved as any other model.
fn by_text(grid: &Grid, mapping: &Mapping) -> (f64, f64, usize, usize) {
    let text = grid.line(mapping).model();
    let (space, _, measures) = solved(&text);
    let of_first = |name: &str| name == "process_1" || name.starts_with("process_1_");
    let throughput: f64 = measures.throughput.iter().filter(|(name, _)| of_first(name)).map(|(_, x)| x).sum();
    // A stage is empty in the local states in which a move into it comes next.
    let empty = |label: &str| {
        let stage = label.strip_prefix("Stage_").map(|rest| rest.split('_').next().unwrap_or_default());
        let moved =
            label.strip_prefix("(move_").map(|rest| rest.split([',', '_']).next().unwrap_or_default());
        let then = label.split(").(").nth(1);
        stage.is_some()
            || (moved.is_some()
                && then.is_some_and(|t| t.starts_with(&format!("process_{}", moved.unwrap_or("")))))
    };
    let components: f64 = mapping.iter().map(|s| s.len() as f64).sum();
    let idle: f64 = measures.population.iter().filter(|(label, _)| empty(label)).map(|(_, n)| n).sum();
    let moved_in: f64 = mapping[0].iter().map(|p| grid.input[*p]).sum::<f64>() / mapping[0].len() as f64;
    (throughput, moved_in + (components - idle) / throughput, space.states(), space.transitions())
}

fn one(grid: &Grid, mapping: &Mapping) -> Ranked {
    rank(grid, std::slice::from_ref(mapping), Objective::Throughput, 1, &|| false, &|| {}).unwrap().remove(0)
}

/// A grid of so many stages and processors: times and transfers of a few values, so that some processors are alike.
fn grids(stages: usize, processors: usize, replicas: usize) -> impl Strategy<Value = Grid> {
    let time = || prop::sample::select(vec![0.01, 0.05, 0.1, 0.1, 0.3]);
    let transfer = || prop::sample::select(vec![0.0001, 0.01, 0.01, 0.08]);
    let times = prop::collection::vec(prop::collection::vec(time(), processors), stages);
    let speeds = prop::collection::vec(prop::sample::select(vec![1.0, 1.0, 2.5]), processors);
    let alike = any::<bool>();
    let links = prop::collection::vec(transfer(), processors * processors);
    let ends = prop::collection::vec(transfer(), 2 * processors);
    let replicas = prop::collection::vec(1..=replicas, stages);
    (times, speeds, alike, links, ends, replicas).prop_map(
        move |(mut times, speeds, alike, links, ends, replicas)| {
            let (mut transfers, mut input, mut output) = (Vec::new(), Vec::new(), Vec::new());
            for p in 0..processors {
                let to = |q: usize| match () {
                    () if p == q => 1e-4,
                    () if alike => links[0],
                    () => links[p * processors + q],
                };
                transfers.push((0..processors).map(to).collect());
                input.push(if alike { ends[0] } else { ends[p] });
                output.push(if alike { ends[1] } else { ends[processors + p] });
            }
            if alike {
                for row in &mut times {
                    let work = row[0];
                    row.iter_mut().zip(&speeds).for_each(|(t, speed)| *t = work / speed);
                }
            }
            Grid { times, transfers, input, output, replicas }
        },
    )
}

fn any_grid() -> impl Strategy<Value = Grid> {
    prop_oneof![grids(2, 3, 2), grids(3, 2, 2), grids(3, 3, 1), grids(4, 3, 1), grids(5, 2, 1)]
}

/// The same mappings, best first, but for those equally good to nine digits; of those that were looked at once for
/// several, one.
fn same(pruned: &[Ranked], all: &[Ranked], key: &dyn Fn(&Ranked) -> f64) {
    assert!(pruned.len() <= all.len());
    let mut covered = 0.0;
    for found in pruned {
        // Its place among all, if all that it stands for come one after the other.
        let at = covered as usize;
        if at >= all.len() {
            break;
        }
        let list = |of: &[Ranked]| {
            of.iter().map(|r| format!("{} {} x{}", named(&r.mapping), key(r), r.alike)).collect::<Vec<_>>()
        };
        assert!(
            near(key(found), key(&all[at]), 1e-7),
            "{} {} at {at}\n{:#?}\n{:#?}",
            named(&found.mapping),
            key(found),
            list(pruned),
            list(all)
        );
        assert!(all.iter().any(|r| r.mapping == found.mapping), "{}", named(&found.mapping));
        covered += found.alike;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn pruning_loses_nothing(grid in any_grid(), latency in any::<bool>(), least in prop::option::of(1.0f64..10.0)) {
        let objective = if latency { Objective::Latency } else { Objective::Throughput };
        let how = Search { objective, at_least: least, keep: 12, threads: 2, ..Search::default() };
        let stop = || false;
        let pruned = search(&grid, &how, &stop, &mut |_| {}).unwrap();
        let all = search(&grid, &Search { prune: false, keep: 10_000, ..how }, &stop, &mut |_| {}).unwrap();
        if least.is_none() {
            prop_assert_eq!(all.best.len() as f64, grid.mappings());
        }
        let key = |r: &Ranked| if latency { r.solved.latency } else { r.solved.throughput };
        prop_assert_eq!(pruned.best.is_empty(), all.best.is_empty());
        same(&pruned.best, &all.best, &key);
        prop_assert!(pruned.counts.complete <= all.counts.complete);
        let alone = search(&grid, &Search { threads: 1, ..how }, &stop, &mut |_| {}).unwrap();
        prop_assert_eq!(alone.best, pruned.best, "the number of threads does not matter");
    }

    #[test]
    fn a_mapping_says_what_its_text_says(grid in any_grid(), pick in any::<prop::sample::Index>()) {
        let how = Search { prune: false, keep: 10_000, threads: 1, ..Search::default() };
        let all = search(&grid, &how, &|| false, &mut |_| {}).unwrap().best;
        let ranked = &all[pick.index(all.len())];
        let (throughput, latency, states, transitions) = by_text(&grid, &ranked.mapping);
        prop_assert!(near(ranked.solved.throughput, throughput, 1e-7), "{} {throughput}", ranked.solved.throughput);
        prop_assert!(near(ranked.solved.latency, latency, 1e-6), "{} {latency}", ranked.solved.latency);
        prop_assert_eq!((ranked.solved.states, ranked.solved.transitions), (states, transitions));
        let listed = one(&grid, &ranked.mapping);
        prop_assert_eq!(listed.solved, ranked.solved);
    }
}

/// Processors that are all alike.
fn cluster(stages: usize, processors: usize, time: f64, transfer: f64) -> Grid {
    let to = |p: usize| (0..processors).map(|q| if p == q { 1e-4 } else { transfer }).collect();
    Grid {
        times: vec![vec![time; processors]; stages],
        transfers: (0..processors).map(to).collect(),
        input: vec![1e-4; processors],
        output: vec![1e-4; processors],
        replicas: vec![1; stages],
    }
}

#[test]
fn mappings_that_differ_by_like_processors_are_looked_at_once() {
    let grid = cluster(5, 4, 0.1, 0.01);
    let all = Search { keep: usize::MAX, ..Search::default() };
    let found = search(&grid, &all, &|| false, &mut |_| {}).unwrap();
    // Ways to put five stages into at most four parts (Stirling numbers: 1 + 15 + 25 + 10).
    assert_eq!(found.best.len(), 51);
    assert_eq!(found.best.iter().map(|r| r.alike).sum::<f64>(), 1024.0);
    assert_eq!(found.best[0].mapping[0], [0]);
}

#[test]
fn a_stage_that_is_replicated_is_faster() {
    let mut grid = cluster(3, 4, 0.01, 0.001);
    grid.times[1] = vec![0.1; 4];
    grid.replicas[1] = 2;
    let found = search(&grid, &Search::default(), &|| false, &mut |_| {}).unwrap();
    let best = &found.best[0];
    assert_eq!(best.mapping[1].len(), 2, "{}", named(&best.mapping));
    let alone = Grid { replicas: vec![1; 3], ..grid.clone() };
    let single = search(&alone, &Search::default(), &|| false, &mut |_| {}).unwrap().best.remove(0);
    let gain = best.solved.throughput / single.solved.throughput;
    assert!((1.4..2.0).contains(&gain), "{gain}");
}

#[test]
fn one_stage_is_its_three_activities() {
    let grid = cluster(1, 1, 0.1, 1.0);
    let found = one(&grid, &vec![vec![0]]);
    let cycle = 1e-4 + 0.1 + 1e-4;
    assert!(near(found.solved.throughput, 1.0 / cycle, 1e-12));
    assert!(near(found.solved.latency, cycle, 1e-12));
    assert_eq!((found.solved.states, found.solved.transitions), (3, 3));
}

#[test]
fn a_search_that_is_stopped_gives_nothing() {
    let grid = cluster(4, 3, 0.1, 0.01);
    let stopped = search(&grid, &Search::default(), &|| true, &mut |_| {});
    assert_eq!(stopped.unwrap_err(), MappingError::Stopped);
}

#[test]
#[ignore = "a measurement: cargo test --release -p forerun-pepa --test mapping -- --ignored --nocapture"]
fn eight_stages_on_four_processors() {
    let times = [0.1, 0.15, 0.08, 0.3];
    let works = [1.0, 2.0, 0.5, 1.5, 1.0, 3.0, 0.7, 1.2];
    let link =
        [[0.1, 10.0, 20.0, 100.0], [10.0, 0.1, 5.0, 50.0], [20.0, 5.0, 0.1, 30.0], [100.0, 50.0, 30.0, 0.1]];
    let different = Grid {
        times: works.iter().map(|w| times.iter().map(|t| t * w).collect()).collect(),
        transfers: link.iter().map(|row| row.iter().map(|ms| ms * 1e-3).collect()).collect(),
        input: vec![1e-4; 4],
        output: vec![1e-4; 4],
        replicas: vec![1; 8],
    };
    for (what, grid) in [("different", different), ("alike", cluster(8, 4, 0.1, 0.01))] {
        for objective in [Objective::Throughput, Objective::Latency] {
            if std::env::var("ONLY").is_ok_and(|o| !format!("{what} {objective:?}").contains(&o)) {
                continue;
            }
            let begin = std::time::Instant::now();
            let how = Search { objective, ..Search::default() };
            let found = search(&grid, &how, &|| false, &mut |_| {}).unwrap();
            let best = &found.best[0];
            println!(
                "{what} {objective:?} {:?} {} {:?} {:?}",
                begin.elapsed(),
                named(&best.mapping),
                best.solved,
                found.counts
            );
        }
    }
}

/// Nothing that is no number is ever an answer: times without end, or next to none, are refused.
#[test]
fn an_answer_is_a_number_or_there_is_none() {
    let grid = |time: f64, transfer: f64| Grid {
        times: vec![vec![time, 0.1], vec![0.1, 0.2], vec![0.1, time]],
        transfers: vec![vec![1e-4, transfer], vec![transfer, 1e-4]],
        input: vec![1e-4, transfer],
        output: vec![1e-4, 1e-4],
        replicas: vec![1, 1, 1],
    };
    let extreme = [f64::MIN_POSITIVE / 4.0, 1e-300, 1e-160, 1e-15, 1e15, 1e160, 1e300, f64::INFINITY];
    for objective in [Objective::Throughput, Objective::Latency] {
        for (time, transfer) in extreme.into_iter().flat_map(|t| [(t, 0.01), (0.1, t), (t, t), (t, 1.0 / t)])
        {
            let grid = grid(time, transfer);
            let how = Search { objective, keep: 8, threads: 1, ..Search::default() };
            let all: Vec<Mapping> = (0..8).map(|m| (0..3).map(|s| vec![m >> s & 1]).collect()).collect();
            let found = [
                search(&grid, &how, &|| false, &mut |_| {}).map(|found| found.best),
                rank(&grid, &all, objective, 1, &|| false, &|| {}),
            ];
            for one in found.into_iter().flatten().flatten() {
                let (throughput, latency) = (one.solved.throughput, one.solved.latency);
                assert!(throughput.is_normal() && throughput > 0.0, "{time} {transfer}: {one:?}");
                assert!(latency.is_normal() && latency > 0.0, "{time} {transfer}: {one:?}");
            }
        }
        let stuck = rank(
            &grid(f64::INFINITY, 0.1),
            &[vec![vec![0], vec![0], vec![0]]],
            objective,
            1,
            &|| false,
            &|| {},
        );
        assert!(
            matches!(&stuck, Err(MappingError::Unsolved { why, .. }) if why.contains("rate")),
            "{stuck:?}"
        );
    }
}
