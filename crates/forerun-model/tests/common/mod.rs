//! The reduction in virtual time, of the costs that a prediction is made from.

#![allow(dead_code)] // every test uses a part

use forerun_model::{Load, sharing};
use forerun_platform::Stage;
use forerun_platform::{
    Cost, Deal, Host, Measured, Network, Overhead, Platform, ReductionProfile, Seconds, SecondsPerByte,
    StageTotal,
};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run, run_totals};
use forerun_skeleton::reduction::{Piece, Reduce, Reduction, Runner, Shape, Sink, Sinks, Source};
use forerun_skeleton::{AppError, Message, Options, Program, RunError};

/// A partial result that is only a size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sized {
    bytes: f64,
    results: u64,
}

impl Message for Sized {
    fn bytes(&self) -> u64 {
        self.bytes.round() as u64
    }
}

struct App<'a> {
    profile: &'a ReductionProfile,
    load: &'a Load,
}

impl Reduce for App<'_> {
    type Input = ();
    type Partial = Sized;

    fn commutative(&self) -> bool {
        self.load.commutative
    }

    fn task(&self, _: u64, (): ()) -> Result<Sized, AppError> {
        let (fixed, per_byte) = self.profile.result_bytes;
        Ok(Sized { bytes: fixed + per_byte * self.load.bytes, results: 1 })
    }

    fn merge(&self, a: Sized, b: Sized) -> Result<Sized, AppError> {
        let results = a.results + b.results;
        let level = results.next_power_of_two().ilog2() as usize - 1;
        let growth = self.profile.growth.get(level).or(self.profile.growth.last()).copied().unwrap_or(1.0);
        Ok(Sized { bytes: (a.bytes + b.bytes) * growth, results })
    }
}

impl Source for App<'_> {
    type Input = ();

    fn len(&self) -> Option<u64> {
        self.load.known.then_some(self.load.tasks)
    }

    fn bytes(&self, _: u64) -> u64 {
        self.load.bytes as u64
    }

    fn get(&self, index: u64) -> Result<Option<()>, AppError> {
        Ok((index < self.load.tasks).then_some(()))
    }
}

/// Counts what is delivered.
pub(crate) struct Count;

impl Sinks<Sized> for Count {
    type Sink = Delivered;

    fn open(&self, _: usize) -> Result<Delivered, AppError> {
        Ok(Delivered(Vec::new()))
    }
}

/// Results of every delivery.
pub(crate) struct Delivered(pub(crate) Vec<u64>);

impl Sink<Sized> for Delivered {
    type Out = Vec<u64>;

    fn accept(&mut self, piece: Piece<Sized>) -> Result<(), AppError> {
        self.0.push(piece.results);
        Ok(())
    }

    fn close(self) -> Result<Vec<u64>, AppError> {
        Ok(self.0)
    }
}

/// What a simulated run gave.
pub(crate) struct Simulated {
    pub(crate) seconds: f64,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    pub(crate) stages: std::collections::BTreeMap<Stage, StageTotal>,
    /// Deliveries of every group.
    pub(crate) sets: Vec<Vec<u64>>,
}

impl Simulated {
    pub(crate) fn stage(&self, stage: Stage) -> StageTotal {
        self.stages.get(&stage).copied().unwrap_or_default()
    }
}

struct Simulator<'a> {
    network: LogGps,
    pricing: Profiled,
    options: &'a Options,
}

impl<M: Message> Runner<M, Option<Vec<u64>>> for Simulator<'_> {
    type Ran = Simulated;

    fn run<P>(self, program: &P) -> Result<Simulated, RunError>
    where
        P: Program<Msg = M, Out = Option<Vec<u64>>> + Sync,
    {
        let ran = run_totals(program, &self.network, &self.pricing, self.options)?;
        Ok(Simulated {
            seconds: ran.makespan_s,
            messages: ran.messages,
            bytes: ran.bytes,
            stages: ran.stages,
            sets: ran.outs.into_iter().flatten().collect(),
        })
    }
}

/// What each rank was busy with, and when the last had ended.
struct Ranks<'a>(Simulator<'a>);

impl<M: Message> Runner<M, Option<Vec<u64>>> for Ranks<'_> {
    type Ran = (Vec<f64>, f64);

    fn run<P>(self, program: &P) -> Result<(Vec<f64>, f64), RunError>
    where
        P: Program<Msg = M, Out = Option<Vec<u64>>> + Sync,
    {
        let Simulator { network, pricing, options } = self.0;
        let ran = run(program, &network, &pricing, options)?;
        let busy = |stages: &std::collections::BTreeMap<Stage, StageTotal>| {
            let waits = [Stage::Wait, Stage::Input];
            stages.iter().filter(|(stage, _)| !waits.contains(stage)).map(|(_, t)| t.total_s).sum()
        };
        Ok((ran.ranks.iter().map(|rank| busy(&rank.stages)).collect(), ran.makespan_s))
    }
}

/// The tasks that are done: the first ones of a group, and of a rank where tasks are dealt evenly; where the order is kept, the
/// middle one of every part.
fn done(shape: &Shape, load: &Load) -> Vec<u64> {
    if !load.commutative {
        return (0..load.done).map(|k| ((2 * k + 1) * load.tasks).div_ceil(2 * load.done) - 1).collect();
    }
    let parts = if matches!(shape.deal, Deal::Even { .. }) { shape.ranks } else { shape.groups } as u64;
    let cut = |all: u64, part: u64| all * part / parts;
    let of = |part| {
        let from = cut(load.tasks, part);
        from..from + cut(load.done, part + 1) - cut(load.done, part)
    };
    (0..parts).flat_map(of).collect()
}

/// Runs the reduction in virtual time.
pub(crate) fn simulate(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Simulated {
    let app = App { profile, load };
    // A window that never binds, as the closed forms take it.
    let options = Options { window: 1000, ..Options::new(shape.ranks) };
    let simulator = Simulator {
        network: LogGps::on(platform, shape.ranks).unwrap(),
        pricing: Profiled::new(profile, platform, shape.ranks).unwrap().with_done(done(shape, load)),
        options: &options,
    };
    Reduction::new(&app, &app, &Count, *shape).unwrap().run(simulator).unwrap()
}

/// The makespan in virtual time of ranks that take turns on the platform's cores.
pub(crate) fn simulate_in_turns(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> f64 {
    let app = App { profile, load };
    let options = Options { window: 1000, ..Options::new(shape.ranks) };
    let simulator = Simulator {
        network: LogGps::on(platform, shape.ranks).unwrap(),
        pricing: Profiled::new(profile, platform, shape.ranks).unwrap(),
        options: &options,
    };
    let reduction = Reduction::new(&app, &app, &Count, *shape).unwrap();
    let (busy, makespan) = reduction.run(Ranks(simulator)).unwrap();
    sharing(busy, makespan, platform.cores())
}

/// L, o (of the sender and of the receiver) and G in seconds.
pub(crate) fn network(latency: f64, overhead: f64, per_byte: f64) -> Network {
    let o = Overhead { base: Measured::stated(Seconds(overhead)), ..Overhead::default() };
    Network {
        latency: Measured::stated(Seconds(latency)),
        send_overhead: o,
        receive_overhead: o,
        gap_per_byte: Measured::stated(SecondsPerByte(per_byte)),
        ..Network::default()
    }
}

/// As many hosts of speed 1 as anyone needs.
pub(crate) fn cluster(network: Network) -> Platform {
    Platform::new("cluster", vec![Host::new("node", 1 << 20, 1)], network)
}

/// A task of `task` seconds, a merge of `fixed + per_result · results`, results of `bytes` bytes.
pub(crate) fn costs(task: f64, fixed: f64, per_result: f64, bytes: f64) -> ReductionProfile {
    ReductionProfile {
        task: Cost::constant(task),
        merge: Cost { fixed, per_result, ..Cost::default() },
        result_bytes: (bytes, 0.0),
        ..ReductionProfile::default()
    }
}
