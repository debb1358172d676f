//! The farm's model beside farms that are run task by task in virtual time.

mod common;

use forerun_model::farm::{Bound, Farm, Tasks};
use forerun_platform::{Cost, Measured, Network, Overhead, ReductionProfile, Seconds, SecondsPerByte, Stage};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run_totals};
use forerun_skeleton::{Charge, Endpoint, Message, Options, Program, Stop};
use proptest::prelude::*;

enum Note {
    Task { item: u64, bytes: u64 },
    Answer(u64),
    End,
}

impl Message for Note {
    fn bytes(&self) -> u64 {
        match self {
            Note::Task { bytes, .. } | Note::Answer(bytes) => *bytes,
            Note::End => 0,
        }
    }
}

/// Farms side by side, each with a master that answers every answer with the next task. Knows nothing of
/// the model.
struct Farms {
    tasks: Tasks,
    /// First rank, which is the master, and first task of every group; then what follows the last.
    groups: Vec<(usize, u64)>,
}

impl Farms {
    fn new(tasks: Tasks, ranks: usize, masters: usize) -> Farms {
        let first = |i: usize| i * ranks / masters;
        let share = |i: usize| tasks.count * (first(i) - i) as u64 / (ranks - masters) as u64;
        Farms { tasks, groups: (0..=masters).map(|i| (first(i), share(i))).collect() }
    }
}

impl Program for Farms {
    type Msg = Note;
    type Out = u64;

    async fn rank<E: Endpoint<Note>>(&self, e: &mut E) -> Result<u64, Stop> {
        let me = e.rank();
        let group = self.groups.partition_point(|(first, _)| *first <= me) - 1;
        let (master, mut next) = self.groups[group];
        let (beyond, end) = self.groups[group + 1];
        let task = |item| Note::Task { item, bytes: self.tasks.task_bytes as u64 };
        if me != master {
            let mut done = 0;
            loop {
                let Note::Task { item, bytes } = e.recv_from(master).await? else { return Ok(done) };
                let charge = Charge { stage: Stage::Task, item, bytes, results: 1 };
                e.work(charge, || Ok(())).await?;
                e.send(master, Note::Answer(self.tasks.answer_bytes as u64)).await?;
                done += 1;
            }
        }
        let first = next;
        for _ in 0..self.tasks.prefetch {
            for slave in master + 1..beyond {
                if next < end {
                    e.send(slave, task(next)).await?;
                    next += 1;
                }
            }
        }
        let mut out = next - first;
        let mut ended = vec![false; beyond];
        for slave in (master + 1..beyond).skip(out as usize) {
            e.send(slave, Note::End).await?;
        }
        while out > 0 {
            let (slave, _) = e.recv_any().await?;
            if next < end {
                e.send(slave, task(next)).await?;
                next += 1;
            } else {
                out -= 1;
                if !std::mem::replace(&mut ended[slave], true) {
                    e.send(slave, Note::End).await?;
                }
            }
        }
        Ok(0)
    }
}

/// Seconds of the run, and tasks done; with the seed of the draws where tasks vary.
fn simulate(network: &Network, tasks: Tasks, ranks: usize, masters: usize, seed: u64) -> (f64, u64) {
    let task = Cost { spread: tasks.spread, ..Cost::constant(tasks.work_s) };
    let profile = ReductionProfile { task, ..ReductionProfile::default() };
    let pricing = Profiled::at_speed_one(&profile).expect("valid");
    let pricing = if tasks.spread > 0.0 { pricing.with_spread(seed) } else { pricing };
    let options = Options { window: tasks.prefetch as usize + 1, ..Options::new(ranks) };
    let network = LogGps::new(network, ranks).expect("valid");
    let ran = run_totals(&Farms::new(tasks, ranks, masters), &network, &pricing, &options).expect("ends");
    (ran.makespan_s, ran.outs.iter().sum())
}

const US: f64 = 1e-6;

fn network(latency: u32, overhead: (u32, u32), per_rank: u32, gap: u32, per_byte: u32) -> Network {
    let us = |n: u32| Measured::stated(Seconds(f64::from(n) * US));
    let ns = |n: u32| Measured::stated(SecondsPerByte(f64::from(n) * 1e-9));
    let of = |base, per_byte| Overhead { base: us(base), per_rank: us(per_rank), per_byte: ns(per_byte) };
    Network {
        latency: us(latency),
        send_overhead: of(overhead.0, 3),
        receive_overhead: of(overhead.1, 5),
        gap: us(gap),
        gap_per_byte: ns(per_byte),
        ..Network::default()
    }
}

fn networks() -> impl Strategy<Value = Network> {
    (0..60u32, (0..20u32, 0..20u32), 0..3u32, prop_oneof![Just(0u32), 0..40u32], 0..200u32)
        .prop_map(|(l, o, per_rank, gap, per_byte)| network(l, o, per_rank, gap, per_byte))
}

fn tasks() -> impl Strategy<Value = Tasks> {
    let count = prop_oneof![1..20u64, 1..400u64, 1000..3000u64];
    (count, prop_oneof![Just(0u32), 0..3000u32], 0..500u32, 0..500u32, 1..5u64).prop_map(
        |(count, work, task, answer, prefetch)| Tasks {
            prefetch,
            ..Tasks::new(count, f64::from(work) * US, task.into(), answer.into())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_model_is_the_run(
        network in networks(),
        tasks in tasks(),
        (ranks, masters) in (2..40usize, prop_oneof![Just(1usize), 1..20usize]),
    ) {
        prop_assume!(ranks / masters >= 2);
        let farm = Farm::new(&network, tasks).expect("valid");
        let predicted = farm.predict(ranks, masters).expect("valid");
        let (ran, done) = simulate(&network, tasks, ranks, masters, 0);
        prop_assert_eq!(done, tasks.count);
        // Virtual time is in whole picoseconds, a few for every message.
        let off = (predicted.makespan_s - ran).abs();
        prop_assert!(off <= 1e-9 * ran + tasks.count as f64 * 4e-12, "ran {ran}, predicted {predicted:?}");
    }

    /// In a long run a task takes the steady state's cycle over the slaves.
    #[test]
    fn long_runs_go_at_the_steady_rate(network in networks(), tasks in tasks(), ranks in 2..40usize) {
        let slaves = (ranks - 1) as u64;
        let of = |rounds: u64| {
            let farm = Farm::new(&network, Tasks { count: rounds * slaves, ..tasks }).expect("valid");
            farm.predict(ranks, 1).expect("valid")
        };
        let (few, many) = (of(1 << 20), of(1 << 21));
        let (cycle, bound) = many.trip.cycle_s(slaves, tasks.prefetch);
        let rate = (many.makespan_s - few.makespan_s) / f64::from(1 << 20);
        prop_assert!((rate - cycle).abs() <= 1e-6 * cycle + 1e-15, "{rate} for {cycle}, {bound:?}");
        prop_assert_eq!(bound, many.bound);
        // Prefetch that suffices leaves no wait for the round trip, and one task less does.
        let enough = many.trip.prefetch(slaves);
        prop_assert!(many.trip.cycle_s(slaves, enough).0 <= many.trip.cycle_s(slaves, enough + 1).0 * (1.0 + 1e-12));
        if enough > 1 {
            prop_assert_eq!(many.trip.cycle_s(slaves, enough - 1).1, Bound::Trip);
        }
    }

    #[test]
    fn the_best_is_the_least_and_the_master_saturates_where_it_says(
        network in networks(),
        tasks in tasks(),
        most in 2..48usize,
    ) {
        let farm = Farm::new(&network, tasks).expect("valid");
        let all: Vec<f64> =
            (2..=most).map(|ranks| farm.predict(ranks, 1).expect("valid").makespan_s).collect();
        let best = farm.best_ranks(most).expect("valid");
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        // Of those that are equal to rounding, that of fewest ranks.
        prop_assert!(best.makespan_s <= least * (1.0 + 2e-12), "{} and {least}", best.makespan_s);
        prop_assert_eq!(all[best.ranks - 2], best.makespan_s);
        prop_assert!(all[..best.ranks - 2].iter().all(|s| *s > best.makespan_s));
        let saturates = farm.saturation(most).expect("valid");
        for ranks in 2..=most {
            let bound = farm.predict(ranks, 1).expect("valid").bound;
            let masters = matches!(bound, Bound::Master | Bound::Port);
            if saturates.is_some_and(|from| ranks == from) {
                prop_assert!(masters, "{ranks}: {bound:?}");
            } else if saturates.is_none_or(|from| ranks < from) {
                prop_assert!(!masters, "{ranks}: {bound:?}");
            }
        }
        let by_masters = farm.by_masters(most).expect("valid");
        let best = farm.best_masters(most).expect("valid");
        prop_assert_eq!(by_masters.len(), (most / 2).min(tasks.count as usize).max(1));
        for other in by_masters {
            prop_assert!(best.makespan_s <= other.makespan_s * (1.0 + 2e-12));
        }
    }
}

proptest! {
    /// A farm with fewer tasks than slaves: those without a task change nothing but the overheads.
    #[test]
    fn no_more_slaves_work_than_there_are_tasks(
        (overhead, latency, gap) in ((0..20u32, 0..20u32), 0..60u32, 0..40u32),
        count in 1..6u64,
        (work, spread, prefetch) in (1..3000u32, prop_oneof![Just(0.0), 0.0..2.0f64], 1..4u64),
        most in 8..40usize,
    ) {
        let farm = Farm::new(
            &network(latency, overhead, 0, gap, 0),
            Tasks { spread, prefetch, ..Tasks::new(count, f64::from(work) * US, 8.0, 8.0) },
        )
        .expect("valid");
        let best = farm.best_ranks(most).expect("valid");
        prop_assert!(best.ranks as u64 <= count + 1, "{best:?}");
        prop_assert!(farm.best_masters(most).expect("valid").masters as u64 <= count);
        // A slave for each task: the master is not what they wait for in a long run, as there is none.
        prop_assert!(farm.saturation(most).expect("valid").is_none_or(|ranks| ranks as u64 <= count + 1));
        for ranks in [2, count as usize + 1, most] {
            let p = farm.predict(ranks, 1).expect("valid");
            let gave = count as f64 * p.trip.master_s();
            prop_assert!(p.utilisation * p.makespan_s >= gave * (1.0 - 1e-12), "{p:?}");
            let ended = (ranks - 1) as f64 * f64::from(overhead.0) * US;
            prop_assert!(p.utilisation * p.makespan_s <= (gave + ended) * (1.0 + 1e-12), "{p:?}");
            if count == 1 {
                prop_assert_eq!(p.bound, Bound::Trip);
            }
        }
    }
}

/// With spread the expectation is an approximation: near the mean of many runs, and less so where every
/// slave has few tasks of very different costs.
#[test]
fn with_spread_the_expectation_is_near_the_mean_of_runs() {
    let network = network(50, (12, 12), 0, 0, 27);
    for (spread, bound) in [(0.2, 0.04), (0.5, 0.04), (1.0, 0.12)] {
        for work in [200.0, 2000.0] {
            for (ranks, masters) in [(8, 1), (64, 1), (64, 4), (64, 32)] {
                for (count, runs) in [(2000, 8), (20_000, 2)] {
                    let tasks = Tasks { spread, ..Tasks::new(count, work * US, 8.0, 12.0) };
                    let predicted = Farm::new(&network, tasks).unwrap().predict(ranks, masters).unwrap();
                    let of = |seed| simulate(&network, tasks, ranks, masters, seed).0;
                    let mean = (0..runs).map(of).sum::<f64>() / runs as f64;
                    let off = predicted.makespan_s / mean - 1.0;
                    assert!(
                        off.abs() <= bound,
                        "spread {spread}, {work} us, {ranks} ranks, {masters} masters, {count} tasks: \
                         {off:+.3}, without spread {:+.3}",
                        predicted.even_s / mean - 1.0
                    );
                }
            }
        }
    }
}
