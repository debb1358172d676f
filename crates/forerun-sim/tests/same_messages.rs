//! The simulated and the threaded run of one plan send the same messages: for every ordered pair
//! of ranks the same sizes in the same order.
//!
//! The adaptive strategy with a commutative merge is told apart. What it sends depends on who was
//! free first, and on threads that is the machine's to say: with tasks that are claimed always,
//! with an even deal where results of several ranks meet in a set on their way up the tree. There
//! the same *links* are used at most, to the first rank of the group and to the parent in the tree,
//! every rank that takes part sends, and every task is delivered once. An even deal whose sets hold
//! all tasks leaves nothing open, and its messages are the same again, as are those in order.

mod common;
mod noting;

use std::collections::BTreeSet;
use std::sync::Mutex;

use common::{Case, OnThreads, Out, Simulated, Way, cases};
use forerun_platform::{Deal, Strategy as Pattern};
use forerun_sim::costed::Volume;
use forerun_skeleton::reduction::{Packet, Runner};
use forerun_skeleton::{Program, Ran, RunError};
use noting::{Noted, Sent};
use proptest::prelude::*;

struct Noticing<W>(W);

impl<W: Way> Runner<Packet<Volume>, Out> for Noticing<W> {
    type Ran = (Ran<Out>, Sent);

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Out> + Sync,
    {
        let sent = Mutex::new(Sent::new());
        let ran = self.0.go(&Noted { program, sent: &sent })?;
        Ok((ran, sent.into_inner().expect("not poisoned")))
    }
}

/// Whether what is sent is the plan's alone.
fn is_fixed(case: &Case) -> bool {
    let even = matches!(case.shape.deal, Deal::Even { .. }) && case.known;
    let whole = case.shape.gathered() > case.sizes.len() as u64;
    case.shape.strategy != Pattern::Adaptive || !case.commutative || even && whole
}

/// The rank that `rank` of a group sends what it is left with.
fn parent(rank: usize, arity: usize) -> usize {
    let mut stride = arity;
    while rank.is_multiple_of(stride) {
        stride *= arity;
    }
    rank - rank % stride
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (simulated, in_time) = case.run(Noticing(Simulated(case.options(), case.profile())));
    let (threaded, on_threads) = case.run(Noticing(OnThreads(case.options())));
    for (ran, sent) in [(&simulated, &in_time), (&threaded, &on_threads)] {
        prop_assert_eq!(Case::delivered(&ran.outs), case.sizes.len() as u64);
        for (rank, times) in ran.ranks.iter().enumerate() {
            let mine = || sent.iter().filter(|((from, _), _)| *from == rank).flat_map(|(_, sizes)| sizes);
            prop_assert_eq!((times.messages, times.bytes), (mine().count() as u64, mine().sum::<u64>()));
        }
    }
    if is_fixed(case) {
        prop_assert_eq!(in_time, on_threads);
        return Ok(());
    }
    let senders = |sent: &Sent| sent.keys().map(|&(from, _)| from).collect::<BTreeSet<_>>();
    prop_assert_eq!(senders(&in_time), senders(&on_threads));
    let size = case.shape.ranks / case.shape.groups;
    for &(from, to) in in_time.keys().chain(on_threads.keys()) {
        let (base, me) = (from - from % size, from % size);
        prop_assert!(me > 0 && (to == base || to == base + parent(me, case.shape.arity)), "{from} to {to}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_simulated_and_the_threaded_run_send_the_same_messages(case in cases()) {
        check(&case)?;
    }

    #[test]
    fn so_does_an_even_deal_that_ends_in_one_set(case in cases()) {
        let mut case = Case { known: true, commutative: true, ..case };
        case.shape.strategy = Pattern::Adaptive;
        case.shape.deal = Deal::Even { first_permille: 1000 };
        (case.shape.set, case.shape.gather) = (1000, 0);
        prop_assert!(is_fixed(&case));
        check(&case)?;
    }
}
