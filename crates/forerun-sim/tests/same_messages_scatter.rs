//! The simulated and the threaded scatter-gather of the same blocks send the same messages: for every
//! ordered pair of ranks the same sizes in the same order. Whose turn a block is, and which packet is
//! wanted next, depends on the blocks and the shares alone, never on who was free first.

mod noting;

use std::sync::Mutex;

use forerun_platform::{Host, Network, PhaseCost, Platform, ScatterGatherProfile};
use forerun_sim::costed::{CostedBlocks, Inputs};
use forerun_sim::pricing::Phased;
use forerun_sim::{LogGps, run};
use forerun_skeleton::scatter_gather::{HEADER, Scatter, Shape};
use forerun_skeleton::{Options, threads};
use noting::{Noted, Sent};
use proptest::prelude::*;

/// Blocks, who gets them, and what they cost in virtual time.
#[derive(Debug, Clone)]
struct Case {
    shape: Shape,
    sizes: Vec<u64>,
    packet: u64,
    window: usize,
    ahead: usize,
    profile: ScatterGatherProfile,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (1..8usize).prop_flat_map(|ranks| {
        let shares =
            prop::collection::vec(0..5u32, ranks).prop_filter("not all 0", |s| s.iter().any(|&x| x > 0));
        prop_oneof![Just(Vec::new()), shares].prop_map(move |shares| Shape { ranks, shares })
    });
    let cost = || {
        (0..300u64, 0..300u64).prop_map(|(fixed, each)| PhaseCost {
            fixed: fixed as f64 * 1e-6,
            per_byte: each as f64 * 1e-8,
            ..PhaseCost::default()
        })
    };
    let profile =
        [cost(), cost(), cost(), cost(), cost()].prop_map(|[read, process, local, global, write]| {
            ScatterGatherProfile {
                read,
                process,
                local,
                global,
                write,
                element_bytes: 1.0,
                ..Default::default()
            }
        });
    (shape, prop::collection::vec(1..500u64, 0..40), 1..600u64, 1..5usize, 0..3usize, profile).prop_map(
        |(shape, sizes, packet, window, ahead, profile)| Case {
            shape,
            sizes,
            packet,
            window,
            ahead,
            profile,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_simulated_and_the_threaded_run_send_the_same_messages(case in cases()) {
        let Case { shape, sizes, packet, window, ahead, profile } = case;
        let ranks = shape.ranks;
        let app = CostedBlocks::new(Inputs::Each(sizes.clone()), packet);
        let scatter = Scatter::new(&app, &app, &app, shape.clone()).expect("a valid shape");
        let options = Options { window, ..Options::new(ranks) };
        let platform = Platform::new("p", vec![Host::new("h", ranks, 1)], Network::default());
        let network = LogGps::new(&platform.network, ranks).expect("a valid network");
        let pricing = Phased::new(&profile, &platform, ranks, ahead).expect("a valid profile");

        let (in_time, on_threads) = (Mutex::new(Sent::new()), Mutex::new(Sent::new()));
        let simulated = run(&Noted { program: &scatter, sent: &in_time }, &network, &pricing, &options);
        let threaded = threads::run(&Noted { program: &scatter, sent: &on_threads }, &options);
        let (in_time, on_threads) = (in_time.into_inner().unwrap(), on_threads.into_inner().unwrap());
        for (ran, sent) in [(simulated.expect("it ends"), &in_time), (threaded.expect("it ends"), &on_threads)] {
            let written: u64 = ran.outs.iter().flatten().map(|tallied| tallied.bytes).sum();
            prop_assert_eq!(written, sizes.iter().sum::<u64>());
            for (rank, times) in ran.ranks.iter().enumerate() {
                let mine = || sent.iter().filter(|((from, _), _)| *from == rank).flat_map(|(_, sizes)| sizes);
                prop_assert_eq!((times.messages, times.bytes), (mine().count() as u64, mine().sum::<u64>()));
            }
        }
        // Every block that is not the first rank's crosses once, and so does what comes of it.
        let away: u64 = sizes.iter().zip(shape.owners()).filter(|(_, to)| *to > 0).map(|(size, _)| *size).sum();
        let sent = |by_first: bool| -> u64 {
            let pairs = on_threads.iter().filter(|((from, _), _)| (*from == 0) == by_first);
            pairs.flat_map(|(_, sizes)| sizes).map(|size| size - HEADER).sum()
        };
        prop_assert_eq!((sent(true), sent(false)), (away, away));
        prop_assert_eq!(in_time, on_threads);
    }
}
