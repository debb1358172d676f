//! A reduction put together: application, inputs, sinks, and the shape of the team.

use forerun_platform::{Deal, Plan, Strategy};

use super::share::Share;
use super::work::Work;
use super::{Packet, Reduce, Sink, Sinks, Source, adaptive, master_slave, pipeline, tree};
use crate::{Endpoint, Program, RunError, Stop};

/// How the ranks of a reduction work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Who runs tasks, who merges, when.
    pub strategy: Strategy,
    /// Ranks of all groups together, at least 1.
    pub ranks: usize,
    /// Groups that run side by side on disjoint shares of the input; divides the ranks.
    pub groups: usize,
    /// Fan-in of the tree, at least 2. (Master and slaves have none.)
    pub arity: usize,
    /// Task results that a delivery of the adaptive strategy holds at least, at least 1. (The
    /// published strategies have theirs.)
    pub set: u64,
    /// Task results that a rank of the adaptive strategy gathers before it sends them to the first
    /// rank; a whole set where this is 0 or more than that. Where the merge does not commute,
    /// ranks always gather whole sets.
    pub gather: u64,
    /// How the adaptive strategy hands out tasks.
    pub deal: Deal,
}

impl Shape {
    /// One group of `ranks` ranks, binary, with sets of half as many results as ranks, tasks claimed.
    pub fn new(strategy: Strategy, ranks: usize) -> Self {
        let set = (ranks as u64 / 2).max(1);
        Shape { strategy, ranks, groups: 1, arity: 2, set, gather: 0, deal: Deal::Claimed }
    }

    /// Task results that a rank of the adaptive strategy gathers before it sends them.
    pub fn gathered(&self) -> u64 {
        if self.gather == 0 { self.set } else { self.gather.min(self.set) }
    }

    /// Checks that the strategy can be run so.
    ///
    /// # Errors
    /// [`RunError::Invalid`] with what is wrong and which values would do.
    pub fn check(&self) -> Result<(), RunError> {
        let invalid = |what: String| Err(RunError::Invalid(what));
        let Shape { strategy, ranks, groups, arity, set, deal, .. } = *self;
        if ranks == 0 {
            return invalid("a job needs at least 1 processor".into());
        }
        if arity < 2 {
            return invalid(format!("the arity of a tree is at least 2, not {arity}"));
        }
        if set == 0 {
            return invalid("a set holds at least 1 result".into());
        }
        if let Deal::Even { first_permille: share @ 1001.. } = deal {
            return invalid(format!(
                "the first rank's share of the tasks is at most 1000 thousandths of a mean one, not {share}"
            ));
        }
        if groups == 0 || !ranks.is_multiple_of(groups) {
            return invalid(format!(
                "{ranks} processor{} cannot be cut into {groups} groups of the same size",
                if ranks == 1 { "" } else { "s" }
            ));
        }
        let size = ranks / groups;
        if strategy == Strategy::ParallelPipeline && size > 1 && arity.pow(size.ilog(arity)) != size {
            let below = arity.pow(size.ilog(arity));
            let near = if below == 1 {
                arity.to_string()
            } else {
                format!("{below} or {}", below.saturating_mul(arity))
            };
            // Who asked for groups or a fan-in knows of them.
            let group = if groups == 1 { "" } else { " a group" };
            let by = if arity == 2 { String::new() } else { format!(" of arity {arity}") };
            let powers = match arity {
                2 => "1, 2, 4, 8, …".into(),
                _ => format!("1, {arity}, {}, …", arity.saturating_mul(arity)),
            };
            return invalid(format!(
                "the parallel-pipeline{by} runs on a power of {arity} processors{group} ({powers}), so {near} instead of {size}"
            ));
        }
        Ok(())
    }
}

impl From<&Plan> for Shape {
    fn from(plan: &Plan) -> Shape {
        let Plan { strategy, processors, groups, arity, set, gather, deal, .. } = *plan;
        Shape { strategy, ranks: processors, groups, arity, set, gather, deal }
    }
}

/// A reduction, ready to be run by any way.
#[derive(Debug)]
pub struct Reduction<'a, A, S, K> {
    app: &'a A,
    source: &'a S,
    sinks: &'a K,
    shape: Shape,
}

/// A way of running a program; [`Reduction::run`] calls it with the program of its strategy.
pub trait Runner<M, O> {
    /// What the way gives.
    type Ran;

    /// Runs `program`.
    ///
    /// # Errors
    /// Whatever stops the run.
    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = M, Out = O> + Sync;
}

/// What the sink of a reduction leaves.
type Left<A, K> = <<K as Sinks<<A as Reduce>::Partial>>::Sink as Sink<<A as Reduce>::Partial>>::Out;

impl<'a, A, S, K> Reduction<'a, A, S, K>
where
    A: Reduce + Sync,
    S: Source<Input = A::Input> + Sync,
    K: Sinks<A::Partial> + Sync,
{
    /// Puts a reduction together.
    ///
    /// # Errors
    /// [`RunError::Invalid`] where the strategy cannot be run in this shape, or not in the order
    /// of the inputs that the merge needs.
    pub fn new(app: &'a A, source: &'a S, sinks: &'a K, shape: Shape) -> Result<Self, RunError> {
        shape.check()?;
        if shape.groups > 1 && source.len().is_none() && !app.commutative() {
            return Err(RunError::Invalid(
                "a merge that is not commutative over an input of unknown length needs a single group".into(),
            ));
        }
        Ok(Reduction { app, source, sinks, shape })
    }

    /// Runs it by `runner`. Each strategy is a program of its own, so that a rank of a simple one
    /// is not as large as a rank of the largest. The rank that delivers for a group returns what
    /// its sink leaves, the others nothing.
    ///
    /// # Errors
    /// Whatever stops the run.
    pub fn run<R>(&self, runner: R) -> Result<R::Ran, RunError>
    where
        R: Runner<Packet<A::Partial>, Option<Left<A, K>>>,
    {
        match self.shape.strategy {
            _ if self.shape.ranks == self.shape.groups => runner.run(&Alone(self.teams())),
            Strategy::ParallelPipeline if self.source.len().is_none() => {
                runner.run(&EndlessPipeline(self.teams()))
            }
            Strategy::ParallelPipeline if self.shape.arity == 2 => runner.run(&BinaryPipeline(self.teams())),
            Strategy::ParallelPipeline => runner.run(&Pipeline(self.teams())),
            Strategy::ReductionTree => runner.run(&Tree(self.teams())),
            Strategy::MasterSlave => runner.run(&MasterSlave(self.teams())),
            Strategy::Adaptive => runner.run(&Adaptive(self.teams())),
        }
    }

    fn teams(&self) -> Teams<'a, A, S, K> {
        let Shape { ranks, groups, .. } = self.shape;
        let (size, inputs) = (ranks / groups, self.source.len());
        let work = |group| {
            let share = Share::of(group * size, ranks, groups, inputs);
            Work { app: self.app, source: self.source, sinks: self.sinks, share }
        };
        Teams { shape: self.shape, works: (0..groups).map(work).collect() }
    }
}

/// What the ranks of each group have at hand, once for all of them: a rank can be one of a million.
struct Teams<'a, A, S, K> {
    shape: Shape,
    works: Vec<Work<'a, A, S, K>>,
}

impl<'a, A, S, K> Teams<'a, A, S, K> {
    fn of(&self, rank: usize) -> &Work<'a, A, S, K> {
        &self.works[rank * self.works.len() / self.shape.ranks]
    }
}

/// Makes a strategy's async function a program.
macro_rules! program {
    ($name:ident, |$w:ident, $e:ident, $shape:ident| $life:expr) => {
        struct $name<'a, A, S, K>(Teams<'a, A, S, K>);

        impl<A, S, K> Program for $name<'_, A, S, K>
        where
            A: Reduce + Sync,
            S: Source<Input = A::Input> + Sync,
            K: Sinks<A::Partial> + Sync,
        {
            type Msg = Packet<A::Partial>;
            type Out = Option<Left<A, K>>;

            async fn rank<E: Endpoint<Self::Msg>>(&self, $e: &mut E) -> Result<Self::Out, Stop> {
                let $w = self.0.of($e.rank());
                let $shape = &self.0.shape;
                $life.await
            }
        }
    };
}

program!(Alone, |w, e, _shape| async { w.alone(e).await.map(Some) });
program!(BinaryPipeline, |w, e, shape| pipeline::rank::<2, true, _, _, _, _>(w, e, shape.arity));
program!(Pipeline, |w, e, shape| pipeline::rank::<0, true, _, _, _, _>(w, e, shape.arity));
program!(EndlessPipeline, |w, e, shape| pipeline::rank::<0, false, _, _, _, _>(w, e, shape.arity));
program!(Tree, |w, e, shape| tree::rank(w, e, shape.arity));
program!(MasterSlave, |w, e, _shape| master_slave::rank(w, e));
program!(Adaptive, |w, e, shape| adaptive::rank(
    w,
    e,
    adaptive::Knobs { arity: shape.arity, set: shape.set, gather: shape.gathered(), deal: shape.deal }
));
