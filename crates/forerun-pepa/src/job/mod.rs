//! The PEPA models of jobs: of a reduction's and a farm's ranks, as texts that can be read and changed, and the
//! makespan that they predict. (Those of pipelines on processors are in [`crate::mapping`].)
//!
//! They are made as Benoit, Cole, Gilmore and Hillston make the pipeline's (*Evaluating the Performance of
//! Skeleton-Based High Level Parallel Programs*, ICCS 2004, section 2): a component for each rank, which does its
//! tasks and merges at the rates of its processor, and takes part in the moves of data passively; and one for the
//! network, which gives the moves their rates. A move holds both its sender and its receiver.
//!
//! # Which model
//!
//! | strategy | components | what is an approximation |
//! |---|---|---|
//! | parallel-pipeline, reduction-tree | a rank each; what it does, step by step, is what the pattern does | nothing but the times' distributions |
//! | master-slave | an array of slaves and the master; a rank each where the merge keeps the order | slaves take tasks as they are free, not in turn |
//! | adaptive | an array of ranks and the first | see [`Reduction::model`] |
//! | farm | an array of slaves and the master ([`Farm`]) | with several tasks at a time, they wait in one queue |
//!
//! # Which form
//!
//! [`Form::Run`] is the whole run, from the start to the action `finish`, after which it begins again: the makespan
//! is the mean time from the initial state until `finish`, which a model of so many states gives to rounding
//! ([`crate::transient::until()`]), with its deviation. [`Form::Stream`] is a run that goes on for ever:
//! the makespan of N tasks is N over the throughput of tasks, which leaves out how the run fills and drains.
//! [`predict()`] takes the first where its states are not too many, else the second; where both have too many it simulates,
//! the first where it has not too many tasks ([`crate::simulate::passages()`]).
//!
//! # What the numbers mean
//!
//! Every time is exponentially distributed: as if its standard deviation were as large as its mean. Where ranks
//! wait for each other, they wait for the slowest of several such times (of P, H_P = 1 + 1/2 + … + 1/P means), so these
//! predictions are longer than those of closed form and simulation where costs hardly vary, and are what to look at
//! where costs vary that much. [`Reduction::phases`] makes tasks and merges less variable.
//!
//! ```
//! use forerun_pepa::job::{Activity, Form, Limits, Reduction, predict};
//! use forerun_platform::Strategy;
//!
//! let seconds = |activity: Activity| match activity {
//!     Activity::Task => 1.0,
//!     Activity::Merge(left, right) => 0.01 * (left + right) as f64,
//!     Activity::Move(_) => 1e-3,
//!     Activity::Deliver(_) | Activity::Open => 0.0,
//! };
//! let tree = Reduction { tasks: 8, ..Reduction::new(Strategy::ReductionTree, 4, &seconds) };
//! assert!(tree.model(Form::Run).contains("Rank_1 = (task_1, mu)"));
//! let predicted = predict(&tree, &Limits::default(), &|| false)?;
//! // Two rounds of four tasks of a second, each round as long as its slowest task: 2 · (1 + 1/2 + 1/3 + 1/4) s
//! // and the merges, less what ranks that are done go ahead.
//! assert!((3.5..4.4).contains(&predicted.seconds), "{predicted:?}");
//! # Ok::<(), forerun_pepa::job::JobError>(())
//! ```

mod adaptive;
mod farm;
mod finish;
mod pipeline;
mod predict;
mod program;
mod ranks;
mod rates;
mod slaves;
mod tree;
mod turns;

use forerun_platform::Strategy;

pub use farm::Farm;
pub use predict::{Chosen, JobError, Limits, Predicted, choose, predict, predict_farm, sample, sampling_s};

/// Something that takes time in a reduction, with the numbers of task results that it deals with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Activity {
    /// A task.
    Task,
    /// Merging pieces of so many results.
    Merge(u64, u64),
    /// A message of so many results, from the begin of the send to the end of the receive; of 0: an empty one.
    Move(u64),
    /// Handing so many results to the sink.
    Deliver(u64),
    /// Opening the sink, or closing it.
    Open,
}

/// What a model follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A run from start to end, again and again.
    Run,
    /// A run without an end.
    Stream,
}

impl Form {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::Run => "run",
            Form::Stream => "stream",
        }
    }
}

/// One group of a reduction's ranks.
#[derive(Clone)]
pub struct Reduction<'a> {
    /// Who runs tasks, who merges, when.
    pub strategy: Strategy,
    /// Ranks, at least 1; a power of the arity for the parallel pipeline.
    pub ranks: usize,
    /// Fan-in of the tree, at least 2.
    pub arity: usize,
    /// Results that a delivery of the adaptive strategy holds at least, at least 1.
    pub set: u64,
    /// Results that a rank of the adaptive strategy gathers before it sends them, 1 to the set.
    pub gather: u64,
    /// Whether results may be merged as they come.
    pub commutative: bool,
    /// Whether the adaptive strategy deals the same number of tasks to each rank beforehand: what a rank holds at the end is then
    /// known.
    pub dealt: bool,
    /// Tasks.
    pub tasks: u64,
    /// Exponential phases that tasks, merges and deliveries have, one after the other, at least 1: an Erlang
    /// distribution of deviation 1/√phases of the mean.
    pub phases: u32,
    /// Mean seconds of each activity.
    pub seconds: &'a dyn Fn(Activity) -> f64,
}

impl std::fmt::Debug for Reduction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reduction { strategy, ranks, arity, set, gather, commutative, dealt, tasks, phases, .. } = self;
        write!(
            f,
            "{} of {tasks} tasks on {ranks} ranks (arity {arity}, set {set}, gather {gather}, commutative \
             {commutative}, dealt {dealt}, phases {phases})",
            strategy.name()
        )
    }
}

impl<'a> Reduction<'a> {
    /// No tasks yet, binary, whole sets of half as many results as ranks gathered, a merge that commutes, times
    /// exponential.
    pub fn new(strategy: Strategy, ranks: usize, seconds: &'a dyn Fn(Activity) -> f64) -> Self {
        let set = (ranks as u64 / 2).max(1);
        Reduction {
            strategy,
            ranks,
            arity: 2,
            set,
            gather: set,
            commutative: true,
            dealt: false,
            tasks: 0,
            phases: 1,
            seconds,
        }
    }

    /// The model. In both forms the throughput of the actions that begin with `task` (all together) is that of
    /// tasks; in [`Form::Run`] that of `finish` is one over the makespan and what it takes to begin again (a thousandth
    /// of a task for `finish`, and for each rank of an array).
    ///
    /// *Adaptive.* A task's time contains its part of merging: T + fold(g)/g for g results gathered. After a task a
    /// rank has gathered g results with probability 1/g, and then moves them to the first rank, which interrupts
    /// its task to take its part of merging and delivering. When no task is left, what the ranks hold (g/2 results
    /// each on average, or where tasks are dealt what that leaves over) goes up the tree, level by level, until sets are complete, which takes one time of that mean. Merges that keep the order, and an even deal, are
    /// modelled alike: tasks go to whoever is free.
    ///
    /// Cost: as long as the text: lines by ranks, and in a run's by tasks.
    pub fn model(&self, form: Form) -> String {
        use Strategy::{Adaptive, MasterSlave};
        match self.strategy {
            _ if self.is_alone(form) => ranks::model(self, form),
            MasterSlave if self.commutative => slaves::model(self, form),
            Adaptive => adaptive::model(self, form),
            _ => ranks::model(self, form),
        }
    }

    fn seconds(&self, activity: Activity) -> f64 {
        (self.seconds)(activity)
    }

    /// Whether nobody but the first rank has anything to do.
    fn is_alone(&self, form: Form) -> bool {
        let nothing = form == Form::Run && self.tasks == 0;
        self.ranks == 1 || nothing && matches!(self.strategy, Strategy::MasterSlave | Strategy::Adaptive)
    }

    /// The first lines of a model.
    fn heading(&self, form: Form) -> String {
        let strategy = if self.ranks == 1 { "task after task" } else { self.strategy.name() };
        let ranks = if self.ranks == 1 { "1 rank".into() } else { format!("{} ranks", self.ranks) };
        match form {
            Form::Run => format!(
                "// A reduction, {strategy}: {} tasks on {ranks}, from start to end and again. Times in seconds.\n\
                 // The mean time until `finish` is the makespan: forerun pepa passage FILE --to finish --until SECONDS\n\
                 // The throughput of `finish` is about one over it.\n",
                self.tasks
            ),
            Form::Stream => format!(
                "// A reduction, {strategy}, on {ranks}: a stream of tasks without an end. Times in seconds.\n\
                 // N tasks take about N / the throughput of `task` (of all ranks together).\n"
            ),
        }
    }

    /// Seconds to merge `pieces` pieces of `each` results in balance into one.
    fn fold(&self, pieces: u64, each: u64) -> f64 {
        let mut held: Option<u64> = None;
        let mut seconds = 0.0;
        for bit in (0..64).take_while(|bit| 1u64 << bit <= pieces) {
            let size = (1u64 << bit) * each;
            if pieces & (1 << bit) != 0 {
                seconds += held.map_or(0.0, |held| self.seconds(Activity::Merge(size, held)));
                held = Some(held.unwrap_or(0) + size);
            }
            let pairs = pieces.checked_shr(bit + 1).unwrap_or(0);
            if pairs > 0 {
                seconds += pairs as f64 * self.seconds(Activity::Merge(size, size));
            }
        }
        seconds
    }
}
