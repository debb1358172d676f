//! The way to run a job.

use serde::{Deserialize, Serialize};

/// The pattern in which ranks work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skeleton {
    /// Tasks turn inputs into partial results, which merges combine.
    #[default]
    Reduction,
    /// The first rank deals blocks of the input out, gathers what the ranks make of them packet by
    /// packet, and writes the result (Juhász and Charaf, section 3).
    ScatterGather,
    /// Masters give independent tasks to slaves (Mizutani, Ino and Hagihara).
    Farm,
}

impl Skeleton {
    /// All skeletons.
    pub const ALL: [Skeleton; 3] = [Skeleton::Reduction, Skeleton::ScatterGather, Skeleton::Farm];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Skeleton::Reduction => "reduction",
            Skeleton::ScatterGather => "scatter-gather",
            Skeleton::Farm => "farm",
        }
    }
}

/// How ranks of a reduction share tasks and merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The pipelined tree of Kuntraruk et al., figure 1: at every step half of the ranks run
    /// tasks and the other half merge.
    ParallelPipeline,
    /// All ranks run a task, then merge along a tree; repeat.
    ReductionTree,
    /// One rank merges what all others compute.
    MasterSlave,
    /// No fixed step: a rank merges what is ready, else takes a task.
    Adaptive,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 4] =
        [Strategy::ParallelPipeline, Strategy::ReductionTree, Strategy::MasterSlave, Strategy::Adaptive];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::ParallelPipeline => "parallel-pipeline",
            Strategy::ReductionTree => "reduction-tree",
            Strategy::MasterSlave => "master-slave",
            Strategy::Adaptive => "adaptive",
        }
    }
}

/// How the adaptive strategy hands out the tasks of an input whose length is known, where the
/// merge commutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deal {
    /// Half of them as first chunks, the rest in ever smaller chunks to whoever is free
    /// (factoring): evens out tasks and ranks that differ; every further chunk costs a question
    /// to the first rank and its answer.
    #[default]
    Claimed,
    /// All of them at the start, in equal shares but for the first rank, which also serves the
    /// sink: no question is asked.
    Even {
        /// Thousandths of a mean share that the first rank takes, at most 1000.
        first_permille: u16,
    },
}

/// How the input is cut into tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grain {
    /// Number of tasks, where the input's length is known.
    pub tasks: Option<u64>,
    /// Bytes of input that a task takes, at most (a piece that cannot be cut may be larger).
    pub bytes: u64,
}

/// How a farm's masters and slaves work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarmPlan {
    /// Masters; 0 where the one processor does all itself.
    pub masters: usize,
    /// Whether the masters are among the plan's processors, as on MPI, or beside them.
    #[serde(default)]
    pub among: bool,
    /// Whether slaves become masters while theirs makes them wait.
    #[serde(default)]
    pub dynamic: bool,
    /// Tasks of a message.
    pub grain: u64,
    /// Messages of tasks that a slave has at a time.
    pub prefetch: u64,
    /// How often a task is tried that fails.
    pub attempts: u32,
}

/// The way to run a job, with the time predicted for it and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The pattern.
    #[serde(default)]
    pub skeleton: Skeleton,
    /// Strategy of the reduction. (Scatter-gather and the farm have none; there it says `master-slave`,
    /// which is what their first rank and the others are.)
    pub strategy: Strategy,
    /// Ranks of all groups together.
    pub processors: usize,
    /// Groups that run side by side on disjoint shares of the input.
    pub groups: usize,
    /// Fan-in of the tree.
    pub arity: usize,
    /// Task results that a delivery to the sink holds at least (all but the last).
    pub set: u64,
    /// Task results that a rank of the adaptive strategy gathers before it sends them to the first
    /// rank; as many as a set, or as 0, leave only complete sets to it.
    #[serde(default)]
    pub gather: u64,
    /// How tasks are handed out.
    #[serde(default)]
    pub deal: Deal,
    /// How the input is cut into tasks, or into the blocks of scatter-gather.
    pub grain: Grain,
    /// Weights by which scatter-gather deals blocks to its ranks; empty where all are equal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<u32>,
    /// Blocks that scatter-gather reads ahead, and packets that it writes behind, beside its first
    /// rank's work; 0 where that rank reads and writes itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ahead: usize,
    /// Masters and messages of a farm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub farm: Option<FarmPlan>,
    /// Messages that a rank may be ahead of each receiver (slots per ordered pair).
    pub window: usize,
    /// The predicted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<crate::Interval>,
    /// What bounds the predicted time, in words.
    #[serde(default)]
    pub reason: String,
}

impl Plan {
    /// A reduction by one group, its tree binary, of which nothing is predicted and all else is as little as it can be.
    pub fn new(strategy: Strategy, processors: usize, grain: Grain) -> Self {
        Plan {
            skeleton: Skeleton::Reduction,
            strategy,
            processors,
            groups: 1,
            arity: 2,
            set: 1,
            gather: 0,
            deal: Deal::Claimed,
            grain,
            shares: Vec::new(),
            ahead: 0,
            farm: None,
            window: 1,
            predicted: None,
            reason: String::new(),
        }
    }

    /// Ranks, the masters of a farm included, which may be beside its processors.
    pub fn ranks(&self) -> usize {
        self.processors + self.farm.filter(|farm| !farm.among).map_or(0, |farm| farm.masters)
    }

    /// Ranks that do a farm's tasks.
    pub fn slaves(&self) -> usize {
        self.ranks() - self.farm.map_or(0, |farm| farm.masters)
    }

    /// Ranks of one group.
    pub fn group_size(&self) -> usize {
        self.processors / self.groups
    }

    /// Parts of a reduction's input, one after the other and of one size, that are worked on side by side: of each group one,
    /// and of each rank where tasks are dealt evenly.
    pub fn parts(&self) -> usize {
        if matches!(self.deal, Deal::Even { .. }) { self.processors } else { self.groups }
    }

    /// What the ranks do in a word: the strategy of a reduction, else the skeleton.
    pub fn pattern(&self) -> &'static str {
        match self.skeleton {
            Skeleton::Reduction => self.strategy.name(),
            Skeleton::ScatterGather | Skeleton::Farm => self.skeleton.name(),
        }
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
