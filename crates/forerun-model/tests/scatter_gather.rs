//! The closed recursion of scatter-gather beside the simulation of the program, where costs do not
//! vary: the same time, messages and work, to rounding.

mod common;

use common::{cluster, network};
use forerun_model::scatter_gather::{
    Blocks, Bound, Fixed, Request, Setting, best, effective, plan, predict, shares,
};
use forerun_platform::{
    Bytes, Host, Measured, Network, PhaseCost, Platform, ScatterGatherProfile, Seconds, SecondsPerByte, Stage,
};
use forerun_sim::costed::{CostedBlocks, Inputs};
use forerun_sim::pricing::Phased;
use forerun_sim::{LogGps, run};
use forerun_skeleton::Cancel;
use forerun_skeleton::scatter_gather::{Scatter, Shape};
use forerun_skeleton::{Options, Ran};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn simulate(
    setting: &Setting,
    blocks: &Blocks,
    profile: &ScatterGatherProfile,
    platform: &Platform,
) -> Ran<Option<forerun_sim::costed::Tallied>> {
    let ranks = setting.shape.ranks;
    let profile = effective(profile, setting, blocks, platform).unwrap();
    let sizes = (0..blocks.count).map(|i| blocks.size(i)).collect();
    let app = CostedBlocks::new(Inputs::Each(sizes), blocks.largest());
    let scatter = Scatter::new(&app, &app, &app, setting.shape.clone()).unwrap();
    let network = LogGps::new(&platform.network, ranks).unwrap();
    let pricing = Phased::new(&profile, platform, ranks, setting.ahead).unwrap();
    let options = Options { window: setting.window, ..Options::new(ranks) };
    run(&scatter, &network, &pricing, &options).unwrap()
}

fn cost() -> impl Strategy<Value = PhaseCost> {
    let rate = || prop_oneof![Just(0.0), 0.0..2e-3f64];
    (rate(), 0.0..1e-5f64, prop_oneof![Just(0.0), 0.0..1e-6f64], prop_oneof![Just(0.0), 0.0..1e-6f64])
        .prop_map(|(fixed, per_byte, per_byte_ln, per_byte_way)| PhaseCost {
            fixed,
            per_byte,
            per_byte_ln,
            per_byte_way,
            ..PhaseCost::default()
        })
}

fn profile() -> impl Strategy<Value = ScatterGatherProfile> {
    ([cost(), cost(), cost(), cost(), cost()], (0.0..0.5f64, 0.0..0.5f64)).prop_map(
        |([read, process, local, global, write], (contention, contention_local))| ScatterGatherProfile {
            read,
            process,
            local,
            global,
            write,
            element_bytes: 4.0,
            held: 1.0,
            contention,
            contention_local,
            ..ScatterGatherProfile::default()
        },
    )
}

fn platforms() -> impl Strategy<Value = Platform> {
    let figure = || prop_oneof![Just(0.0), 0.0..2e-3f64];
    let network = (
        figure(),
        figure(),
        prop_oneof![Just(0.0), 0.0..2e-6f64],
        figure(),
        prop_oneof![Just(0.0), 0.0..2e-6f64],
        prop_oneof![Just(0.0), 0.0..2e-6f64],
        prop_oneof![Just(0.0), 0.0..2e-6f64],
    )
        .prop_map(|(l, o, g, gap, landing, interference, toll)| Network {
            gap: Measured::stated(Seconds(gap)),
            receive_gap_per_byte: Measured::stated(SecondsPerByte(landing)),
            // Of what comes in no time, rounding says whether it comes before a rank has computed.
            interference_per_byte: Measured::stated(SecondsPerByte(if g > 0.0 { interference } else { 0.0 })),
            send_interference_per_byte: Measured::stated(SecondsPerByte(toll)),
            ..network(l, o, g)
        });
    (network, prop::collection::vec((0.2..4.0f64, 1usize..4), 1..4)).prop_map(|(network, hosts)| {
        let host = |(i, (speed, cores)): (usize, (f64, usize))| Host {
            speed,
            ..Host::new(format!("h{i}"), 2, cores)
        };
        Platform::new("p", hosts.into_iter().enumerate().map(host).collect(), network)
    })
}

fn settings() -> impl Strategy<Value = (Setting, u32)> {
    (1usize..9, 0u32..=1000, 1usize..6, 0usize..4)
        .prop_map(|(ranks, first, window, ahead)| (Setting { window, ahead, ..Setting::new(ranks) }, first))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_recursion_is_the_simulation(
        (mut setting, first) in settings(),
        profile in profile(),
        platform in platforms(),
        bytes in 0u64..3000,
        block in 1u64..300,
    ) {
        setting.shape.shares = shares(&platform, setting.shape.ranks, first).unwrap();
        let blocks = Blocks::of(bytes, block);
        let predicted = predict(&setting, &blocks, &profile, &platform).unwrap();
        let ran = simulate(&setting, &blocks, &profile, &platform);
        // Times are whole picoseconds there.
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.max(b) + 1e-12 * 50.0 * (blocks.count + 20) as f64;
        prop_assert!(
            close(predicted.makespan_s, ran.makespan_s),
            "{} predicted, {} simulated", predicted.makespan_s, ran.makespan_s
        );
        prop_assert_eq!(predicted.messages, ran.ranks.iter().map(|r| r.messages).sum::<u64>());
        prop_assert_eq!(predicted.bytes, ran.ranks.iter().map(|r| r.bytes).sum::<u64>());
        let all = forerun_platform::RankTimes::stages_of(&ran.ranks);
        for stage in [Stage::Process, Stage::ResolveGlobal] {
            let count = predicted.stages.get(&stage).map_or(0, |t| t.count);
            // Beginning and giving are calls too, of no time.
            let (mine, theirs) = (predicted.stages.get(&stage), all.get(&stage));
            prop_assert!(close(mine.map_or(0.0, |t| t.total_s), theirs.map_or(0.0, |t| t.total_s)), "{stage:?}");
            prop_assert!(count <= theirs.map_or(0, |t| t.count));
        }
        let tallied = ran.outs[0].unwrap();
        prop_assert_eq!(tallied.bytes, bytes);
        let phases = predicted.deal_s + predicted.turn_s + predicted.gather_s + predicted.finish_s;
        prop_assert!(phases <= predicted.makespan_s * (1.0 + 1e-12) + 1e-12);
    }
}

proptest! {
    /// Work takes at least its share of the cores that there are, in each phase; messages and storage are free.
    #[test]
    fn ranks_beyond_the_cores_share_them(
        ranks in 1usize..40,
        cores in 1usize..5,
        hosts in 1usize..4,
        (process, local, global) in (0.1..10f64, 0.1..10f64, 0.0..10f64),
    ) {
        let platform = Platform::new("p", vec![Host::new("h", hosts, cores)], Network::default());
        let profile = ScatterGatherProfile {
            process: PhaseCost::per_byte(process),
            local: PhaseCost::per_byte(local),
            global: PhaseCost::per_byte(global),
            element_bytes: 1.0,
            ..ScatterGatherProfile::default()
        };
        let blocks = Blocks::of(400_000, 100);
        let at = |ranks| predict(&Setting::new(ranks), &blocks, &profile, &platform).unwrap().makespan_s;
        let cores = (hosts * cores) as f64;
        let global = if ranks == 1 { 0.0 } else { global };
        let least = blocks.bytes as f64 * (process / cores + ((local + global) / cores).max(global));
        prop_assert!(at(ranks) >= least * (1.0 - 1e-9), "{} of {least}", at(ranks));
        if ranks as f64 > cores {
            // As fast as the cores allow, but for what the ends of both phases take.
            let most = blocks.bytes as f64 * (process / cores + (local / cores + global));
            prop_assert!(at(ranks) <= most * 1.05, "{} of {most}", at(ranks));
        }
    }
}

/// Free messages, costs a byte alone, and storage beside it: equation 4 with our b_proc of all ranks.
#[test]
fn equation_four_in_the_long_run() {
    let platform = cluster(Network::default());
    let profile = ScatterGatherProfile {
        read: PhaseCost::per_byte(3.0),
        process: PhaseCost::per_byte(5.0),
        local: PhaseCost::per_byte(1.0),
        global: PhaseCost::per_byte(2.5),
        write: PhaseCost::per_byte(0.9),
        element_bytes: 1.0,
        held: 1.0,
        ..ScatterGatherProfile::default()
    };
    let blocks = Blocks::of(40_000, 10);
    for (ranks, read, dealing, write, gathering) in
        [(1, 5.0, Bound::Processing, 1.0, Bound::Resolution), (4, 3.0, Bound::Read, 2.75, Bound::Resolution)]
    {
        let setting = Setting { ahead: 3, ..Setting::new(ranks) };
        let p = predict(&setting, &blocks, &profile, &platform).unwrap();
        let expected = 40_000.0 * (read + write);
        assert!((p.makespan_s / expected - 1.0).abs() < 0.01, "{ranks}: {} for {expected}", p.makespan_s);
        assert_eq!(p.bounds, (dealing, gathering), "{ranks}: {p:?}");
    }
}

#[test]
fn faster_hosts_get_more_blocks() {
    let fast = Host { speed: 3.0, ..Host::new("fast", 1, 1) };
    let platform = Platform::new("p", vec![Host::new("slow", 1, 1), fast], Network::default());
    let profile = ScatterGatherProfile {
        process: PhaseCost::per_byte(1.0),
        element_bytes: 1.0,
        held: 1.0,
        ..ScatterGatherProfile::default()
    };
    let blocks = Blocks::of(4000, 10);
    let even = predict(&Setting::new(2), &blocks, &profile, &platform).unwrap().makespan_s;
    let shape = Shape { ranks: 2, shares: shares(&platform, 2, 1000).unwrap() };
    let first =
        predict(&Setting { shape, ..Setting::new(2) }, &blocks, &profile, &platform).unwrap().makespan_s;
    // To one block on the slower.
    assert!((even - 2000.0).abs() < 1.0 && (first - 1000.0).abs() < 14.0, "{even} {first}");
}

#[test]
fn ranks_that_make_packets_slow_each_other() {
    let platform = Platform::new("p", vec![Host::new("h", 1, 2)], network(0.0, 0.0, 0.0));
    let alone = ScatterGatherProfile {
        local: PhaseCost::per_byte(1e-6),
        element_bytes: 1.0,
        ..ScatterGatherProfile::default()
    };
    let beside = ScatterGatherProfile { contention_local: 0.25, ..alone.clone() };
    let blocks = Blocks::of(1_000_000, 10_000);
    let local = |ranks, profile| {
        let found = predict(&Setting::new(ranks), &blocks, profile, &platform).unwrap();
        found.stages[&Stage::ResolveLocal].total_s
    };
    assert!((local(1, &beside) - 1.0).abs() < 1e-9, "one rank has nobody beside it");
    assert!((local(2, &alone) - 1.0).abs() < 1e-9);
    assert!((local(2, &beside) - 1.25).abs() < 1e-9);
}

#[test]
fn too_little_memory_is_refused_or_paid_for() {
    let platform = Platform::resolve("bme-pc-cluster").unwrap();
    let mut profile =
        ScatterGatherProfile { element_bytes: 4.0, held: 1.0, ..ScatterGatherProfile::default() };
    // Figures 1 to 3: the nodes paged at 40 MB and more, not at 20 MB.
    for (millions, ranks, fits) in
        [(5, 1, true), (10, 1, false), (10, 2, true), (20, 1, false), (20, 3, true)]
    {
        let blocks = Blocks::of(4_000_000 * millions, 1 << 18);
        let found = predict(&Setting::new(ranks), &blocks, &profile, &platform);
        assert_eq!(found.is_ok(), fits, "{millions} million on {ranks}: {found:?}");
    }
    let blocks = Blocks::of(80_000_000, 1 << 18);
    let error = predict(&Setting::new(1), &blocks, &profile, &platform).unwrap_err().to_string();
    assert!(error.contains("host pc") && error.contains("use at least 3 processors"), "{error}");
    profile.spill = Some(1e-6);
    let spilled = predict(&Setting::new(1), &blocks, &profile, &platform).unwrap();
    // Of what is kept, what does not fit into half of the memory is put away and taken back.
    let expected = 80.0 - 33.554432;
    assert!((spilled.makespan_s / expected - 1.0).abs() < 1e-9, "{} for {expected}", spilled.makespan_s);
}

#[test]
fn the_planner_finds_what_trying_all_finds() {
    let platform = Platform::new("p", vec![Host::new("h", 1, 8)], network(1e-6, 1e-6, 1e-10));
    let profile = ScatterGatherProfile {
        read: PhaseCost::per_byte(0.5e-9),
        process: PhaseCost { per_byte_ln: 0.4e-9, ..PhaseCost::default() },
        local: PhaseCost { per_byte_ln: 0.3e-9, ..PhaseCost::default() },
        global: PhaseCost { per_byte: 0.2e-9, per_byte_ln: 0.3e-9, ..PhaseCost::default() },
        write: PhaseCost::per_byte(0.5e-9),
        element_bytes: 4.0,
        held: 1.0,
        ..ScatterGatherProfile::default()
    };
    let request = Request {
        platform: &platform,
        profile: &profile,
        bytes: 400_000_000,
        block: (1 << 16, 1 << 26),
        step: 4,
        max_processors: 8,
        window: 4,
        fixed: Fixed::default(),
    };
    let planned = plan(&request, &Cancel::new()).unwrap();
    assert_eq!(planned.best.plan.predicted, Some(planned.best.prediction.interval));
    for ranks in 1..=8 {
        for block in [1 << 18, 1 << 20, 1 << 22, 1 << 24] {
            for ahead in [0, 2] {
                if ahead > 0 && ranks == 8 {
                    continue;
                }
                let setting = Setting { ahead, ..Setting::new(ranks) };
                let p = predict(&setting, &Blocks::of(request.bytes, block), &profile, &platform).unwrap();
                let best = planned.best.prediction.makespan_s;
                assert!(best <= p.makespan_s * 1.02, "{ranks} {block} {ahead}: {best} > {}", p.makespan_s);
            }
        }
    }
    let fixed = Fixed { processors: Some(3), block: Some(1 << 20), ahead: Some(1) };
    let three = plan(&Request { fixed, ..request.clone() }, &Cancel::new()).unwrap().best.plan;
    assert_eq!((three.processors, three.grain.bytes, three.ahead), (3, 1 << 20, 1));
    // Of elements as many as there are whole ones in it.
    let odd = Fixed { block: Some((1 << 20) + 3), ..fixed };
    assert_eq!(plan(&Request { fixed: odd, ..request.clone() }, &Cancel::new()).unwrap().best.plan, three);
    assert!(planned.by_processors.iter().all(|choice| choice.plan.grain.bytes % 4 == 0));
    let (p, prediction) =
        best(8, &Setting::new(1), &Blocks::of(request.bytes, 1 << 20), &profile, &platform).unwrap();
    assert!(p > 1 && p <= 8 && prediction.makespan_s > 0.0);
    let many = Fixed { processors: Some(9), ..Fixed::default() };
    assert!(
        plan(&Request { fixed: many, ..request }, &Cancel::new())
            .unwrap_err()
            .to_string()
            .contains("at most 8")
    );
}

#[test]
fn memory_of_hosts_is_shared_by_their_cores() {
    let host = Host { memory: Some(Bytes(1000)), ..Host::new("h", 1, 4) };
    let platform = Platform::new("p", vec![host], Network::default());
    let profile = ScatterGatherProfile { element_bytes: 1.0, held: 1.0, ..ScatterGatherProfile::default() };
    let ok = |ranks| predict(&Setting::new(ranks), &Blocks::of(400, 1), &profile, &platform).is_ok();
    assert!(ok(1) && ok(4));
    let more = |ranks| predict(&Setting::new(ranks), &Blocks::of(600, 1), &profile, &platform).is_ok();
    assert!(!more(1) && !more(4));
}

/// Whatever there is of ranks and blocks: of two ranks that have a share of the result, a third has none, and a million wait.
#[test]
fn a_plan_for_very_many_ranks_is_made_in_time_and_ends_when_it_is_told_to() {
    let platform = Platform::new("p", vec![Host::new("h", 1_000_000, 1)], Network::default());
    let profile = ScatterGatherProfile {
        read: PhaseCost::per_byte(1e-10),
        process: PhaseCost::per_byte(1e-8),
        ..ScatterGatherProfile::default()
    };
    let request = Request {
        platform: &platform,
        profile: &profile,
        bytes: 50_000_000,
        block: (1000, 1000),
        step: 1,
        max_processors: 1_000_000,
        window: 4,
        fixed: Fixed { processors: Some(1_000_000), ahead: Some(0), ..Fixed::default() },
    };
    // 50 000 packets, each from one of as many ranks of a million.
    let begun = Instant::now();
    let blocks = Blocks::of(request.bytes, 1000);
    predict(&Setting::new(1_000_000), &blocks, &profile, &platform).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let planned = scope.spawn(|| plan(&request, &cancel));
        std::thread::sleep(Duration::from_millis(300));
        let told = Instant::now();
        cancel.cancel();
        let error = planned.join().unwrap().unwrap_err().to_string();
        assert!(error.contains("ended"), "{error}");
        assert!(told.elapsed() < Duration::from_secs(5), "{:?}", told.elapsed());
    });
}
