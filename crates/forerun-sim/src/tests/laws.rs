//! What holds of every program.

use proptest::prelude::*;

use super::script::{Op, Saw, Script};
use super::{ByBytes, Wire, go, reference};
use crate::run_totals;
use crate::time::Time;
use crate::world::PollOrder;
use forerun_skeleton::{Options, RunError};

/// Small numbers, so that times coincide often.
fn wire(least: u64) -> impl Strategy<Value = Wire> {
    let pair = (least..4u64, 0..3u64);
    let threshold = prop_oneof![Just(None), (0..6u64).prop_map(Some)];
    let segment = prop_oneof![Just(None), (1..5u64).prop_map(Some)];
    let landing = (prop_oneof![Just(0), 1..4u64], any::<bool>());
    let interferences = (prop_oneof![Just(0), 1..4u64], prop_oneof![Just(0), 1..4u64]);
    let ports = (0..6u64, 0..3u64, landing, interferences);
    (least..8u64, pair.clone(), pair, ports, threshold, segment).prop_map(
        |(latency, send, receive, ports, rendezvous, segment)| {
            let (gap, gap_per_byte, receive_gap_per_byte, interferences) = ports;
            let (receive_gap_per_byte, fair) = receive_gap_per_byte;
            let (interference_per_byte, send_interference_per_byte) = interferences;
            Wire {
                latency,
                send,
                receive,
                gap,
                gap_per_byte,
                receive_gap_per_byte,
                fair,
                interference_per_byte,
                send_interference_per_byte,
                rendezvous,
                segment,
            }
        },
    )
}

/// Programs in which most messages are received: each is put at the end of its sender's list and
/// of its receiver's, among work, tries and claims.
fn script() -> impl Strategy<Value = Script> {
    let event = (0..8u8, 0..8usize, 0..8usize, 0..10u64);
    (2..6usize, prop::collection::vec(event, 0..40)).prop_map(|(n, events)| {
        let mut ops = vec![Vec::new(); n];
        for (kind, a, b, size) in events {
            let (a, b) = (a % n, b % n);
            match kind {
                0 => ops[a].push(Op::Work(size * 3)),
                1 => ops[a].push(Op::Claim(b)),
                2 => ops[a].push(Op::TryReceiveAny),
                _ if a == b => ops[a].push(Op::Work(size)),
                _ => {
                    ops[a].push(Op::Send(b, size));
                    ops[b].push(match kind {
                        3 | 4 => Op::ReceiveFrom(a),
                        5 => Op::TryReceiveAny,
                        _ => Op::ReceiveAny,
                    });
                }
            }
        }
        Script(ops)
    })
}

/// When each rank ended and what it saw, or `None` for a deadlock.
fn simulate(script: &Script, wire: &Wire, window: usize, order: PollOrder) -> reference::Result {
    match go(script, wire, script.0.len(), window, order) {
        Ok(done) => Some((done.ends.into_iter().map(Time::picos).collect(), done.outs)),
        Err(RunError::Deadlock(_)) => None,
        Err(e) => panic!("{e}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn times_and_order_equal_those_of_the_naive_model(
        script in script(), wire in wire(1), window in 1..4usize,
    ) {
        let simulated = simulate(&script, &wire, window, PollOrder::FirstInFirstOut);
        prop_assert_eq!(simulated, reference::run(&script, &wire, window));
    }

    #[test]
    fn the_order_in_which_ranks_are_polled_changes_nothing(
        script in script(), wire in wire(0), window in 1..4usize, seed in any::<u64>(),
    ) {
        let simulated = simulate(&script, &wire, window, PollOrder::FirstInFirstOut);
        for order in [PollOrder::LastInFirstOut, PollOrder::Shuffled(seed), PollOrder::Shuffled(!seed)] {
            prop_assert_eq!(&simulated, &simulate(&script, &wire, window, order));
        }
        let free = simulate(&script, &Wire::FREE, window, PollOrder::FirstInFirstOut);
        prop_assert_eq!(free, simulate(&script, &Wire::FREE, window, PollOrder::Shuffled(seed)));
    }

    #[test]
    fn messages_of_a_pair_arrive_in_order(
        script in script(), wire in wire(0), window in 1..4usize,
    ) {
        let Some((_, saw)) = simulate(&script, &wire, window, PollOrder::FirstInFirstOut) else {
            return Ok(());
        };
        for log in saw {
            let mut last = vec![None; script.0.len()];
            for s in log {
                if let Saw::Message(from, number) = s {
                    prop_assert!(last[from] < Some(number));
                    last[from] = Some(number);
                }
            }
        }
    }

    #[test]
    fn a_wider_window_ends_whatever_a_narrower_one_ends(
        script in script(), window in 1..4usize,
    ) {
        // Of named receives only: what an order-dependent program does depends on the window.
        let named = Script(script.0.iter().map(|ops| {
            ops.iter().copied().filter(|op| matches!(op, Op::Work(_) | Op::Send(..) | Op::ReceiveFrom(_))).collect()
        }).collect());
        let wire = Wire { latency: 3, send: (1, 0), receive: (2, 0), ..Wire::FREE };
        if let Some((narrow, _)) = simulate(&named, &wire, window, PollOrder::FirstInFirstOut) {
            let wide = simulate(&named, &wire, window + 1, PollOrder::FirstInFirstOut);
            let wide = wide.expect("a wider window cannot deadlock").0;
            prop_assert!(narrow.iter().zip(&wide).all(|(n, w)| w <= n));
        }
    }

    #[test]
    fn the_stages_of_a_rank_add_up_to_its_end_and_the_ranks_to_the_totals(
        script in script(), wire in wire(0), window in 1..4usize,
    ) {
        let options = Options { window, timeline: 1000, ..Options::new(script.0.len()) };
        let Ok(ran) = crate::run(&script, &wire.compile(), &ByBytes, &options) else { return Ok(()) };
        let totals = run_totals(&script, &wire.compile(), &ByBytes, &options).expect("as before");
        for rank in &ran.ranks {
            let sum: f64 = rank.stages.values().map(|s| s.total_s).sum();
            prop_assert!((sum - rank.end_s).abs() < 1e-15, "{sum} {}", rank.end_s);
            let mut at = 0.0;
            for span in &rank.timeline {
                prop_assert_eq!(span.start_s, at);
                at = span.end_s;
            }
            prop_assert_eq!(at, rank.end_s);
        }
        for (stage, total) in &totals.stages {
            let ranks = || ran.ranks.iter().filter_map(|r| r.stages.get(stage));
            prop_assert_eq!(total.count, ranks().map(|s| s.count).sum::<u64>());
            prop_assert!((total.total_s - ranks().map(|s| s.total_s).sum::<f64>()).abs() < 1e-15);
        }
        prop_assert_eq!(totals.messages, ran.ranks.iter().map(|r| r.messages).sum::<u64>());
        prop_assert_eq!(totals.bytes, ran.ranks.iter().map(|r| r.bytes).sum::<u64>());
        prop_assert_eq!(totals.makespan_s, ran.ranks.iter().map(|r| r.end_s).fold(0.0, f64::max));
        prop_assert_eq!(totals.makespan_s, ran.makespan_s);
    }
}

#[test]
fn a_rank_with_many_peers_finds_them_all() {
    let n = 120;
    let mut ops = vec![vec![]; n];
    for (i, r) in (1..n).rev().chain((1..n).step_by(7)).enumerate() {
        ops[0].extend([Op::ReceiveFrom(r), Op::Send(r, i as u64)]);
        ops[r].extend([Op::Send(0, 2), Op::ReceiveFrom(0)]);
    }
    for r in 1..n {
        ops[r].push(Op::Send(0, 1));
        ops[0].push(Op::ReceiveAny);
    }
    let script = Script(ops);
    let wire = Wire { latency: 7, send: (2, 1), receive: (3, 1), gap: 4, ..Wire::FREE };
    let simulated = simulate(&script, &wire, 2, PollOrder::FirstInFirstOut);
    assert!(simulated.is_some());
    assert_eq!(simulated, reference::run(&script, &wire, 2));
}
