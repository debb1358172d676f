//! Reductions whose results are only sizes, run in virtual time or on threads.

use forerun_platform::{Deal, ReductionProfile, Strategy as Pattern};
use forerun_sim::costed::{Costed, Inputs, Tallied, Volume};
use forerun_sim::{LogGps, pricing, run};
use forerun_skeleton::reduction::{Packet, Reduction, Runner, Shape};
use forerun_skeleton::{Options, Program, Ran, RunError, threads};
use proptest::prelude::*;

pub(crate) type Out = Option<Tallied>;

/// What a way gives: what each rank left, and what it noted of messages.
pub(crate) trait Way: Sync {
    fn go<P>(&self, program: &P) -> Result<Ran<Out>, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Out> + Sync;
}

pub(crate) struct OnThreads(pub(crate) Options);

impl Way for OnThreads {
    fn go<P>(&self, program: &P) -> Result<Ran<Out>, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Out> + Sync,
    {
        threads::run(program, &self.0)
    }
}

pub(crate) struct Simulated(pub(crate) Options, pub(crate) ReductionProfile);

impl Way for Simulated {
    fn go<P>(&self, program: &P) -> Result<Ran<Out>, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Out> + Sync,
    {
        run(program, &network(), &pricing::Profiled::at_speed_one(&self.1)?, &self.0)
    }
}

fn network() -> LogGps {
    use forerun_platform::{Measured, Network, Overhead, Seconds, SecondsPerByte};
    let overhead = |s| Overhead {
        base: Measured::stated(Seconds(s)),
        per_rank: Measured::stated(Seconds(0.0)),
        per_byte: Measured::stated(SecondsPerByte(1e-9)),
    };
    let network = Network {
        latency: Measured::stated(Seconds(5e-6)),
        send_overhead: overhead(1e-6),
        receive_overhead: overhead(2e-6),
        gap_per_byte: Measured::stated(SecondsPerByte(1e-8)),
        ..Network::default()
    };
    LogGps::new(&network, 1).expect("a valid network")
}

/// A reduction.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) shape: Shape,
    pub(crate) sizes: Vec<u64>,
    pub(crate) known: bool,
    pub(crate) commutative: bool,
    pub(crate) window: usize,
    /// Seconds of a task and of a merged result, in microseconds.
    pub(crate) costs: (u64, u64),
}

impl Case {
    pub(crate) fn profile(&self) -> ReductionProfile {
        let cost = |us: u64| forerun_platform::Cost::constant(us as f64 * 1e-6);
        ReductionProfile {
            task: cost(self.costs.0),
            merge: cost(self.costs.1),
            result_bytes: (8.0, 1.0),
            growth: vec![0.75, 0.5],
            ..ReductionProfile::default()
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options { window: self.window, ..Options::new(self.shape.ranks) }
    }

    pub(crate) fn run<R>(&self, runner: R) -> R::Ran
    where
        R: Runner<Packet<Volume>, Out>,
    {
        let app = Costed::new(&self.profile(), Inputs::Each(self.sizes.clone())).expect("a valid profile");
        let app = if self.commutative { app } else { app.keeping_order() };
        let app = if self.known { app } else { app.unannounced() };
        let reduction = Reduction::new(&app, &app, &app, self.shape).expect("a valid shape");
        reduction.run(runner).expect("the run ends")
    }

    pub(crate) fn delivered(outs: &[Out]) -> u64 {
        outs.iter().flatten().map(|tallied| tallied.results).sum()
    }
}

/// Every strategy, arity, number of groups and ranks, length and window, as far as they go together.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let shape = (0..4usize, 2..5usize, 1..4usize, 1..10usize, 1..12u64, 0..12u64, any::<bool>());
    let rest = (any::<bool>(), any::<bool>(), 1..5usize, (0..300u64, 0..100u64));
    (shape, prop::collection::vec(0..500u64, 0..60), rest).prop_map(|(shape, sizes, rest)| {
        let (strategy, arity, groups, size, set, gather, even) = shape;
        let (known, commutative, window, costs) = rest;
        let strategy = Pattern::ALL[strategy];
        let pipeline = strategy == Pattern::ParallelPipeline;
        let size = if pipeline { arity.pow(size.ilog(arity)) } else { size };
        let groups = if known || commutative { groups } else { 1 };
        let deal = if even { Deal::Even { first_permille: 700 } } else { Deal::Claimed };
        let shape = Shape { arity, groups, set, gather, deal, ..Shape::new(strategy, groups * size) };
        Case { shape, sizes, known, commutative, window, costs }
    })
}
