//! The reduction's own patterns in virtual time, whatever the order in which ranks are polled.

use forerun_platform::{Deal, ReductionProfile, Strategy as Pattern};
use forerun_skeleton::reduction::{Packet, Reduction, Runner, Shape};
use forerun_skeleton::{Options, Program, RunError};
use proptest::prelude::*;

use super::Wire;
use crate::Time;
use crate::costed::{Costed, Inputs, Tallied, Volume};
use crate::pricing::Profiled;
use crate::run::execute;
use crate::world::{Detail, PollOrder};

struct Polled<'a> {
    options: &'a Options,
    profile: &'a ReductionProfile,
    order: PollOrder,
    fair: bool,
}

type Ends = Vec<Time>;

impl Runner<Packet<Volume>, Option<Tallied>> for Polled<'_> {
    type Ran = (Ends, Vec<Option<Tallied>>);

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Option<Tallied>> + Sync,
    {
        let wire = Wire {
            latency: 5000,
            send: (1000, 1),
            receive: (1500, 2),
            gap: 700,
            gap_per_byte: 3,
            receive_gap_per_byte: 2,
            fair: self.fair,
            interference_per_byte: 1,
            send_interference_per_byte: 2,
            rendezvous: Some(1500),
            segment: Some(600),
        };
        let prices = Profiled::at_speed_one(self.profile)?.with_spread(7);
        let done = execute(program, &wire.compile(), &prices, self.options, Detail::Totals, self.order)?;
        Ok((done.ends, done.outs))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_task_is_delivered_once_and_at_the_same_time_in_any_order_of_polls(
        (strategy, arity, groups, size) in (0..4usize, 2..5usize, 1..4usize, 1..18usize),
        sizes in prop::collection::vec(0..900u64, 0..80),
        (known, commutative, even, fair) in any::<(bool, bool, bool, bool)>(),
        (set, gather, window, task, merge) in (1..20u64, 0..20u64, 1..5usize, 0..50u64, 0..20u64),
        seed in any::<u64>(),
    ) {
        let strategy = Pattern::ALL[strategy];
        let size = if strategy == Pattern::ParallelPipeline { arity.pow(size.ilog(arity)) } else { size };
        let groups = if known || commutative { groups } else { 1 };
        let deal = if even { Deal::Even { first_permille: 800 } } else { Deal::Claimed };
        let shape = Shape { arity, groups, set, gather, deal, ..Shape::new(strategy, groups * size) };

        let cost = |ns: u64| forerun_platform::Cost { spread: 0.3, ..forerun_platform::Cost::constant(ns as f64 * 1e-9) };
        let profile = ReductionProfile {
            task: cost(task),
            merge: cost(merge),
            result_bytes: (8.0, 1.0),
            growth: vec![0.9],
            ..ReductionProfile::default()
        };
        let tasks = sizes.len() as u64;
        let app = Costed::new(&profile, Inputs::Each(sizes)).expect("a valid profile");
        let app = if commutative { app } else { app.keeping_order() };
        let app = if known { app } else { app.unannounced() };
        let options = Options { window, ..Options::new(shape.ranks) };
        let reduction = Reduction::new(&app, &app, &app, shape).expect("a valid shape");
        let polled = |order| {
            reduction.run(Polled { options: &options, profile: &profile, order, fair }).expect("the run ends")
        };

        let first = polled(PollOrder::FirstInFirstOut);
        prop_assert_eq!(first.1.iter().flatten().map(|t| t.results).sum::<u64>(), tasks);
        prop_assert_eq!(first.1.iter().flatten().count(), groups);
        for order in [PollOrder::LastInFirstOut, PollOrder::Shuffled(seed), PollOrder::Shuffled(!seed)] {
            prop_assert_eq!(&first, &polled(order));
        }
    }
}
