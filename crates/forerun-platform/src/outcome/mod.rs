//! What a run, or a prediction of one, gave.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Machine, Plan};

mod input;

pub use input::Input;

/// How an outcome came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Really run, ranks are threads.
    Threads,
    /// Really run, ranks are MPI processes.
    Mpi,
    /// Work really done, time virtual.
    Emulated,
    /// Costs charged, time virtual.
    Simulated,
    /// A closed form.
    Analytic,
    /// A stochastic process algebra model, solved.
    Pepa,
}

impl Way {
    /// All ways, the really run ones first.
    pub const ALL: [Way; 6] =
        [Way::Threads, Way::Mpi, Way::Emulated, Way::Simulated, Way::Analytic, Way::Pepa];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Way::Threads => "threads",
            Way::Mpi => "mpi",
            Way::Emulated => "emulated",
            Way::Simulated => "simulated",
            Way::Analytic => "analytic",
            Way::Pepa => "pepa",
        }
    }
}

/// A kind of work or of waiting that a rank's time goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Getting the next input.
    Input,
    /// Running a task.
    Task,
    /// Merging partial results.
    Merge,
    /// Handing results to the sink.
    Sink,
    /// Reading a block (scatter-gather), or waiting for one that is read ahead.
    Read,
    /// Processing a block.
    Process,
    /// Resolving the dependencies between the blocks of one rank.
    ResolveLocal,
    /// Resolving the dependencies between the ranks' partial results.
    ResolveGlobal,
    /// Writing a packet of the result, or waiting for room behind others.
    Write,
    /// Sending, room in the receiver's buffer awaited included.
    Send,
    /// Receiving, the overhead only.
    Receive,
    /// Waiting for a message.
    Wait,
    /// What the application does when every result is in the sink.
    Finish,
}

impl Stage {
    /// All stages, in the order in which reports list them.
    pub const ALL: [Stage; 13] = [
        Stage::Input,
        Stage::Task,
        Stage::Merge,
        Stage::Sink,
        Stage::Read,
        Stage::Process,
        Stage::ResolveLocal,
        Stage::ResolveGlobal,
        Stage::Write,
        Stage::Send,
        Stage::Receive,
        Stage::Wait,
        Stage::Finish,
    ];

    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Input => "input",
            Stage::Task => "task",
            Stage::Merge => "merge",
            Stage::Sink => "sink",
            Stage::Read => "read",
            Stage::Process => "process",
            Stage::ResolveLocal => "resolve-local",
            Stage::ResolveGlobal => "resolve-global",
            Stage::Write => "write",
            Stage::Send => "send",
            Stage::Receive => "receive",
            Stage::Wait => "wait",
            Stage::Finish => "finish",
        }
    }
}

/// A time in seconds and the interval that should hold it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Expected makespan.
    pub makespan_s: f64,
    /// Lower end of the 95 % interval.
    pub low_s: f64,
    /// Upper end.
    pub high_s: f64,
}

impl Interval {
    /// 95 % of a normal distribution lie within so many deviations.
    pub const DEVIATIONS: f64 = 1.96;

    /// The interval round `makespan_s` of an expectation with a standard deviation of `deviation_s`: that of a
    /// log-normal distribution with this median and this relative deviation. A time cannot be negative, what
    /// it is made of multiplies, and runs are late by more than they are early.
    ///
    /// ```
    /// use forerun_platform::Interval;
    ///
    /// let i = Interval::around(10.0, 5.0);
    /// assert!(i.low_s > 0.0 && i.high_s - 10.0 > 10.0 - i.low_s);
    /// assert!((i.low_s * i.high_s - 100.0).abs() < 1e-9);
    /// ```
    pub fn around(makespan_s: f64, deviation_s: f64) -> Self {
        let relative = if makespan_s > 0.0 { deviation_s / makespan_s } else { 0.0 };
        // σ of the logarithm: σ² = ln(1 + (deviation / expectation)²).
        let factor = (Self::DEVIATIONS * relative.powi(2).ln_1p().sqrt()).exp();
        Interval { makespan_s, low_s: makespan_s / factor, high_s: makespan_s * factor }
    }

    /// An interval as wide relative to `makespan_s` as this one is to its own makespan; of no width where that is 0.
    ///
    /// ```
    /// use forerun_platform::Interval;
    ///
    /// let i = Interval { makespan_s: 2.0, low_s: 1.0, high_s: 3.0 }.moved(10.0);
    /// assert_eq!((i.makespan_s, i.low_s, i.high_s), (10.0, 5.0, 15.0));
    /// ```
    #[must_use]
    pub fn moved(self, makespan_s: f64) -> Self {
        let relative = |end: f64| if self.makespan_s > 0.0 { end / self.makespan_s } else { 1.0 };
        Interval {
            makespan_s,
            low_s: makespan_s * relative(self.low_s),
            high_s: makespan_s * relative(self.high_s),
        }
    }
}

/// Tasks a second and the interval that should hold them: what is predicted for an input of unknown length,
/// which has no makespan to predict.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Expected tasks a second.
    pub tasks_per_s: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How often a stage ran and how long in all.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StageTotal {
    /// Calls, of all ranks.
    pub count: u64,
    /// Seconds, of all ranks.
    pub total_s: f64,
}

/// One stretch of a rank's timeline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// What the rank did.
    pub stage: Stage,
    /// The task or merge it did it for.
    pub item: u64,
    /// Start, in seconds since the run began.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
}

/// Where one rank's time went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RankTimes {
    /// Seconds by stage.
    pub stages: BTreeMap<Stage, StageTotal>,
    /// When the rank ended, in seconds since the run began.
    pub end_s: f64,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// The rank's timeline. Of a long run, stages are put together in slices of time, in each of which they stand
    /// one after the other, each as long as it took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Span>,
}

impl RankTimes {
    /// Has all that it did begin `start_s` later and take `times` as long: what took it how long in sum stays as it is.
    pub fn placed(&mut self, start_s: f64, times: f64) {
        let at = |time: f64| start_s + times * time;
        self.end_s = at(self.end_s);
        for span in &mut self.timeline {
            (span.start_s, span.end_s) = (at(span.start_s), at(span.end_s));
        }
    }

    /// Has it wait for inputs for so many seconds before all that it did.
    pub fn waited_before(&mut self, seconds: f64) {
        self.stages.entry(Stage::Input).or_default().total_s += seconds;
        self.end_s += seconds;
        for span in &mut self.timeline {
            span.start_s += seconds;
            span.end_s += seconds;
        }
        if let Some(first) = self.timeline.first() {
            let waits = Span { stage: Stage::Input, item: first.item, start_s: 0.0, end_s: seconds };
            self.timeline.insert(0, waits);
        }
    }

    /// Time by stage, of all `ranks`.
    pub fn stages_of(ranks: &[RankTimes]) -> BTreeMap<Stage, StageTotal> {
        let mut stages: BTreeMap<Stage, StageTotal> = BTreeMap::new();
        for (stage, part) in ranks.iter().flat_map(|rank| &rank.stages) {
            let total = stages.entry(*stage).or_default();
            total.count += part.count;
            total.total_s += part.total_s;
        }
        stages
    }
}

/// What a run, or a prediction of one, gave. Every way returns the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it came about.
    pub way: Way,
    /// The job in a word or two, as the command line had it.
    #[serde(default)]
    pub job: String,
    /// What the job was given to work on; none where that keeps coming, as the pages of a crawl do, and in files
    /// of earlier builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// Name of the strategy.
    pub strategy: crate::Strategy,
    /// Ranks.
    pub processors: usize,
    /// Seconds from start to end.
    pub makespan_s: f64,
    /// Interval of a prediction's makespan, or the prediction that a run was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Interval>,
    /// Tasks a second, or pages a second where there are `pages`.
    pub throughput: f64,
    /// Where the job's inputs are pages of a crawl, how many: the makespan is then of the crawl and the job together, from the
    /// first request on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// The tasks (or pages) a second that a run over an input of unknown length was started with the prediction of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_throughput: Option<Throughput>,
    /// Seconds that the command spent on a pilot before this run, which its time is without; none where there was no pilot, or it was before
    /// another run of the same command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_s: Option<f64>,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Time by stage, of all ranks.
    pub stages: BTreeMap<Stage, StageTotal>,
    /// Time by rank.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankTimes>,
    /// Name of the platform.
    pub platform: String,
    /// The computer that a measured outcome was measured on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// How it was run.
    pub plan: Plan,
}

impl Outcome {
    /// The outcome of `plan` from where its ranks' time went: stages, messages and bytes are the
    /// sums over `ranks`, the throughput is `tasks` over `makespan_s` (0 if that is 0). Job, input,
    /// platform and machine are still to be named; a prediction in the plan is kept.
    pub fn from_ranks(way: Way, plan: Plan, makespan_s: f64, ranks: Vec<RankTimes>, tasks: u64) -> Outcome {
        Outcome {
            way,
            job: String::new(),
            input: None,
            strategy: plan.strategy,
            processors: plan.processors,
            makespan_s,
            predicted: plan.predicted,
            throughput: if makespan_s > 0.0 { tasks as f64 / makespan_s } else { 0.0 },
            pages: None,
            predicted_throughput: None,
            pilot_s: None,
            messages: ranks.iter().map(|r| r.messages).sum(),
            bytes: ranks.iter().map(|r| r.bytes).sum(),
            stages: RankTimes::stages_of(&ranks),
            ranks,
            platform: String::new(),
            machine: None,
            plan,
        }
    }

    /// By what part of the makespan the prediction that the run was started with was off:
    /// −0.04 if it was 4 % too short. `None` without a prediction or a makespan.
    pub fn relative_error(&self) -> Option<f64> {
        let predicted = self.predicted.filter(|_| self.makespan_s > 0.0)?;
        Some((predicted.makespan_s - self.makespan_s) / self.makespan_s)
    }
}

#[cfg(test)]
mod tests;
