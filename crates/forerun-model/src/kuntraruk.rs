//! The published equations of Kuntraruk, Pottenger and Ross, *Application Resource Requirement
//! Estimation in a Parallel-Pipeline Model of Execution*, as printed.
//!
//! They take every stage to be as long as T_comp at most and ranks in step; what the program
//! does is in [`crate::reduction`]. Times are in seconds, P is a power of two of at least 2.

use forerun_platform::{Bytes, BytesPerSecond, Seconds, Service};

use crate::queueing::{Path, Saturated};

/// Equation 1: `N T_comp + (N − 1) T_merge`, one after the other on one processor.
pub fn t_seq(n: f64, t_comp: f64, t_merge: f64) -> f64 {
    n * t_comp + (n - 1.0) * t_merge
}

/// Equation 1 solved for T_merge: what a merge takes if `n` tasks take `t_seq` seconds.
pub fn t_merge(n: f64, t_comp: f64, t_seq: f64) -> f64 {
    (t_seq - n * t_comp) / (n - 1.0)
}

/// Equation 2: `N / (P/2) T_comp + N / (P/2) (T_merge + T_comm) lg P`, in parallel but not
/// pipelined.
pub fn t_par(n: f64, p: u64, t_comp: f64, t_merge: f64, t_comm: f64) -> f64 {
    let sets = n / (p as f64 / 2.0);
    sets * t_comp + sets * (t_merge + t_comm) * lg(p)
}

/// Equation 3: `2 lg P + 1` stages.
pub fn depth(p: u64) -> f64 {
    2.0 * lg(p) + 1.0
}

/// The bound of equation 5 on the speedup: `P / (2 lg P + 1) · 2 lg P`.
pub fn speedup(p: u64) -> f64 {
    p as f64 / depth(p) * (2.0 * lg(p))
}

/// The bound on the speedup that follows: `S ≤ P` (the tables' "SP from SP Model").
pub fn speedup_bound(p: u64) -> f64 {
    p as f64
}

/// Whether equation 6 counts its two terms in lg P. Equations 12 and 13 leave them out (footnotes
/// 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drain {
    /// With `lg P T_merge + lg P T_comm`.
    Counted,
    /// Without.
    Ignored,
}

/// Equation 6: `((N − P) / (P/2) + 1) T_comp + lg P T_merge + (N − P) / (P/2) T_comm + lg P T_comm`.
pub fn t_total(n: f64, p: u64, t_comp: f64, t_merge: f64, t_comm: f64, drain: Drain) -> f64 {
    let steps = (n - p as f64) / (p as f64 / 2.0);
    let drained = match drain {
        Drain::Counted => lg(p) * (t_merge + t_comm),
        Drain::Ignored => 0.0,
    };
    (steps + 1.0) * t_comp + steps * t_comm + drained
}

/// Equation 6 for groups of processors that work side by side, and for trees of any arity.
///
/// With P_g = P/groups processors and N_g = N/groups tasks a group, n = log_a P_g levels, and
/// `T_merge` the time to merge a pieces (a − 1 merges of two),
///
/// ```text
/// T_total = ((N_g − P_g) / (P_g − P_g/a) + 1) T_comp + n T_merge + (N_g − P_g) / (P_g − P_g/a) T_comm + n T_comm
/// ```
///
/// the terms in n only where the drain is [`Drain::Counted`]; a = 2 is equation 6 as printed.
/// Assumptions: every stage takes T_comp at most, N_g ≥ P_g, P_g is a power of a. The pipeline as
/// Forerun runs it takes that time less the T_comm of the steps before the drain, of which its senders
/// pay the overhead only, and less one merge of two, since the last rank has nothing of its own to
/// merge its last set with, where stages are equal and N_g − P_g is a multiple of P_g − P_g/a
/// ([`crate::reduction`] has the exact time).
///
/// ```
/// use forerun_model::kuntraruk::{Drain, Equation6};
/// use forerun_platform::Seconds;
/// // Equation 12 with the T_comm that its result follows from: 4096 documents, eight groups of 16.
/// let e = Equation6 {
///     tasks: 4096.0,
///     processors: 128,
///     groups: 8,
///     arity: 2,
///     t_comp: Seconds(0.15),
///     t_merge: Seconds(0.0),
///     t_comm: Seconds(2.58e-3),
///     drain: Drain::Ignored,
/// };
/// assert_eq!(format!("{:.2}", e.total().0), "9.61");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equation6 {
    /// N, of all groups.
    pub tasks: f64,
    /// P, of all groups.
    pub processors: u64,
    /// Groups, at least 1.
    pub groups: u64,
    /// a: fan-in of the tree, at least 2.
    pub arity: u64,
    /// A task.
    pub t_comp: Seconds,
    /// Merging the pieces of a level.
    pub t_merge: Seconds,
    /// A message.
    pub t_comm: Seconds,
    /// Whether the terms in the number of levels count.
    pub drain: Drain,
}

impl Equation6 {
    /// T_total.
    pub fn total(&self) -> Seconds {
        let p = self.processors / self.groups;
        let (n, cohort) = (self.tasks / self.groups as f64, (p - p / self.arity) as f64);
        let steps = (n - p as f64) / cohort;
        let levels = f64::from(p.ilog(self.arity));
        let drained = match self.drain {
            Drain::Counted => (self.t_merge + self.t_comm) * levels,
            Drain::Ignored => Seconds(0.0),
        };
        self.t_comp * (steps + 1.0) + self.t_comm * steps + drained
    }
}

/// Equation 11 on the paper's Myrinet: what a message of `size` bytes takes through leaf, spine and
/// leaf of links of `capacity`, where every host sends one in T_comp: `2 x / (1 − 8 x / T_comp) +
/// x / (1 − 16 x / T_comp)`, x = size / capacity. Other networks, service times and background
/// traffic are in [`crate::queueing::Path`], of which this is one instance.
///
/// # Errors
/// [`Saturated`] where that is more than the links can carry (the paper's formula is negative there).
///
/// ```
/// use forerun_model::kuntraruk::t_comm;
/// use forerun_platform::{Bytes, Seconds};
/// // Sorting (equation 13): 8 MB every 1.39 s.
/// let t = t_comm(Bytes(8_000_000), "1.28 Gbit/s".parse()?, Seconds(1.39))?;
/// assert_eq!(format!("{:.4}", t.0), "0.2582");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn t_comm(size: Bytes, capacity: BytesPerSecond, t_comp: Seconds) -> Result<Seconds, Saturated> {
    Path::leaf_spine(8.0, 16.0, capacity, Service::Exponential).delay(size, t_comp).map(|p| p.total)
}

/// Seconds a result in a long run of the three models of sections VI-C and VI-D before
/// communication, where merging costs `per_result` for every result in the merged list and ranks
/// go in step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerResult {
    /// `max(T_comp, per_result · P/2) / (P/2)`: the longest stage for a set of P/2.
    pub parallel_pipeline: f64,
    /// `max(T_comp, per_result (1 + 2 + … + (P − 1))) / (P − 1)`: the master adds the results of
    /// its P − 1 slaves to its list one by one.
    pub master_slave: f64,
    /// `(T_comp + per_result (2 + 4 + … + P)) / P`: task and all levels one after the other.
    pub reduction_tree: f64,
}

/// See [`PerResult`]; `p` is the number of processors of a set.
pub fn per_result(p: u64, t_comp: f64, per_result: f64) -> PerResult {
    let (half, slaves) = (p as f64 / 2.0, p as f64 - 1.0);
    PerResult {
        parallel_pipeline: t_comp.max(per_result * half) / half,
        master_slave: t_comp.max(per_result * slaves * (slaves + 1.0) / 2.0) / slaves,
        reduction_tree: (t_comp + per_result * 2.0 * (p as f64 - 1.0)) / p as f64,
    }
}

/// The largest power of two P for which a set of P/2 results merges in no more than T_comp where
/// merging costs `per_result` for every result in the merged list: the condition T_merge ≤ T_comp
/// of section III-A. At least 2.
pub fn largest_p(t_comp: f64, per_result: f64) -> u64 {
    let mut p = 2u64;
    while p < 1 << 62 && per_result * p as f64 <= t_comp {
        p *= 2;
    }
    p
}

fn lg(p: u64) -> f64 {
    f64::from(p.ilog2())
}
