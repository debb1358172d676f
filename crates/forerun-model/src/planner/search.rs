//! The search.

use std::collections::BTreeMap;

use forerun_platform::{Deal, Grain, Plan, Skeleton, Strategy};
use forerun_skeleton::reduction::Shape;

use super::grain::{Cut, cuts};
use super::reason;
use super::request::Request;
use super::{Choice, PlanError, Planned, candidates};
use crate::reduction::{Balance, balance, balanced_share, makespan, predict};
use crate::{ModelError, Speeds};

/// Messages that a rank may be ahead of each receiver.
const WINDOW: usize = 4;

/// A shape and a cut that were tried.
#[derive(Debug, Clone, Copy)]
struct Tried {
    shape: Shape,
    cut: Cut,
    seconds: f64,
}

impl Tried {
    /// The less, the better: time, then processors, then the simpler shape.
    fn beats(&self, other: &Tried) -> bool {
        let (a, b) = (self, other);
        let close = 1e-9 * b.seconds.abs();
        if (a.seconds - b.seconds).abs() > close {
            return a.seconds < b.seconds;
        }
        let rank = |t: &Tried| (t.shape.ranks, t.shape.groups, t.shape.arity, t.cut.tasks);
        rank(a) < rank(b)
    }
}

/// Shapes times cuts of a strategy up to which all are tried.
const EXHAUSTIVE: usize = 1000;
/// Starts of the descent, and steps that it takes at most.
const STARTS: usize = 3;
const ROUNDS: usize = 8;

/// The best so far: of those that may be planned, and of pipelines out of balance.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    best: Option<Tried>,
    fallback: Option<Tried>,
}

impl Found {
    fn any(&self) -> Option<Tried> {
        self.best.or(self.fallback)
    }

    fn add(&mut self, other: &Found) {
        for (to, from) in [(&mut self.best, other.best), (&mut self.fallback, other.fallback)] {
            if let Some(from) = from
                && to.as_ref().is_none_or(|b| from.beats(b))
            {
                *to = Some(from);
            }
        }
    }
}

/// All strategies; of those predicted to take equally long, the first here is chosen.
const STRATEGIES: [Strategy; 4] =
    [Strategy::Adaptive, Strategy::ParallelPipeline, Strategy::ReductionTree, Strategy::MasterSlave];

/// Finds the shape and the grain with the least predicted makespan, under T_merge ≤ T_comp and
/// T_comm ≤ T_comp for the parallel pipeline. What the user fixed is kept; a pipeline that the
/// user fixed against these conditions is planned and warned of.
///
/// Up to 1,000 candidates of a strategy are all tried; of more, some plain ones, and from the best
/// of them a descent in one respect at a time.
///
/// # Errors
/// Limits that no shape or grain meets; figures of the profile or the platform that cannot be.
pub fn plan(request: &Request<'_>) -> Result<Planned, PlanError> {
    reason::check(request)?;
    let mut search = Search { request, speeds: BTreeMap::new(), cuts: BTreeMap::new(), tried: 0 };
    let strategies = request.fixed.strategy.map_or(STRATEGIES.to_vec(), |s| vec![s]);
    let mut found = Vec::new();
    for strategy in strategies {
        if let Some(best) = search.strategy(strategy)? {
            found.push(best);
        }
    }
    // Insertion sort by the total preorder of `beats`.
    let mut ranked: Vec<(Tried, bool)> = Vec::new();
    for f in found {
        let at = ranked.iter().position(|r| f.0.beats(&r.0)).unwrap_or(ranked.len());
        ranked.insert(at, f);
    }
    let Some(&(_, balanced)) = ranked.first() else { return Err(reason::impossible(request)) };
    let mut choices = Vec::with_capacity(ranked.len());
    for (tried, _) in &ranked {
        let load = tried.cut.load(request);
        let prediction = predict(&tried.shape, &load, request.profile, request.platform)?;
        let Shape { strategy, ranks, groups, arity, set, deal, .. } = tried.shape;
        let plan = Plan {
            skeleton: Skeleton::Reduction,
            shares: Vec::new(),
            ahead: 0,
            strategy,
            processors: ranks,
            groups,
            arity,
            set,
            gather: tried.shape.gathered(),
            deal,
            grain: Grain { tasks: request.known_length.then_some(tried.cut.tasks), bytes: tried.cut.grain },
            farm: None,
            window: WINDOW,
            predicted: request.known_length.then_some(prediction.interval),
            reason: prediction.reason.clone(),
        };
        choices.push(Choice { plan, prediction });
    }
    choices[0].plan.reason = reason::words(request, &choices);
    let warnings =
        if balanced { Vec::new() } else { vec![reason::unbalanced(search.balance(&ranked[0].0)?)] };
    Ok(Planned { best: choices[0].clone(), ranked: choices, warnings, tried: search.tried })
}

/// That a shape meets what is fixed, whatever the costs.
///
/// # Errors
/// Why none does.
pub fn possible(request: &Request<'_>) -> Result<(), PlanError> {
    reason::check(request)?;
    let strategies = request.fixed.strategy.map_or(Strategy::ALL.to_vec(), |s| vec![s]);
    match strategies.into_iter().all(|strategy| candidates::shapes(request, strategy).is_empty()) {
        true => Err(reason::impossible(request)),
        false => Ok(()),
    }
}

/// The shapes of the fixed strategy (or of all) that [`plan`] compares for a request.
///
/// # Errors
/// As [`plan`].
pub fn considered(request: &Request<'_>) -> Result<Vec<Shape>, PlanError> {
    reason::check(request)?;
    let search = Search { request, speeds: BTreeMap::new(), cuts: BTreeMap::new(), tried: 0 };
    let mut all = Vec::new();
    for strategy in request.fixed.strategy.map_or(Strategy::ALL.to_vec(), |s| vec![s]) {
        for shape in candidates::shapes(request, strategy) {
            all.push(shape);
            for cut in cuts(request, shape.ranks)? {
                let tried = Tried { shape, cut, seconds: 0.0 };
                all.extend(search.balance_first(&tried)?);
            }
        }
    }
    Ok(all)
}

struct Search<'r, 'a> {
    request: &'r Request<'a>,
    /// Speeds of the ranks and cuts of the input, by number of ranks.
    speeds: BTreeMap<usize, Speeds>,
    cuts: BTreeMap<usize, Vec<Cut>>,
    tried: usize,
}

impl Search<'_, '_> {
    /// The best of a strategy, and whether a pipeline's stages balance in it.
    fn strategy(&mut self, strategy: Strategy) -> Result<Option<(Tried, bool)>, PlanError> {
        let shapes = candidates::shapes(self.request, strategy);
        let mut found = Found::default();
        let mut size = 0;
        for shape in &shapes {
            size += self.cuts(shape.ranks)?.len();
        }
        if size <= EXHAUSTIVE {
            for &shape in &shapes {
                for cut in self.cuts(shape.ranks)? {
                    self.consider(shape, cut, &mut found)?;
                }
            }
        } else {
            self.descend(&shapes, &mut found)?;
        }
        let fixed = self.request.fixed.strategy.is_some();
        Ok(match (found.best, found.fallback) {
            (Some(best), _) => Some((best, true)),
            (None, Some(fallback)) if fixed => Some((fallback, false)),
            _ => None,
        })
    }

    /// Tries the plain shapes of some numbers of ranks with some cuts, and from the best of them
    /// goes to the best shape that differs in one respect, or the best cut, while that is better.
    fn descend(&mut self, shapes: &[Shape], found: &mut Found) -> Result<(), PlanError> {
        let most = shapes.iter().map(|s| s.ranks).max().unwrap_or(1);
        let mut starts: Vec<Tried> = Vec::new();
        for &shape in shapes {
            let size = shape.ranks / shape.groups;
            let some = shape.ranks.is_power_of_two() || shape.ranks == most;
            if !some || !candidates::plain(&shape) || !(shape.groups == 1 || size == 1 || size == 8) {
                continue;
            }
            let cuts = self.cuts(shape.ranks)?;
            for i in 0..cuts.len().min(5) {
                let cut = cuts[i * (cuts.len() - 1) / 4.min(cuts.len() - 1).max(1)];
                starts.push(self.consider(shape, cut, found)?);
            }
        }
        starts.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        starts.dedup_by_key(|t| (t.shape.ranks, t.shape.groups));
        for start in starts.into_iter().take(STARTS) {
            let mut at = start;
            for _ in 0..ROUNDS {
                let mut here = Found::default();
                for cut in self.cuts(at.shape.ranks)? {
                    self.consider(at.shape, cut, &mut here)?;
                }
                let cut = here.any().map_or(at.cut, |t| t.cut);
                for &shape in shapes.iter().filter(|s| candidates::neighbours(s, &at.shape)) {
                    for cut in self.like(shape.ranks, cut, at.shape.ranks)? {
                        self.consider(shape, cut, &mut here)?;
                    }
                }
                found.add(&here);
                match here.any() {
                    Some(next) if next.beats(&at) => at = next,
                    _ => break,
                }
            }
        }
        Ok(())
    }

    /// The cuts for `ranks` ranks that are most like `cut` for `of` ranks: in grain, and in tasks
    /// a rank.
    fn like(&mut self, ranks: usize, cut: Cut, of: usize) -> Result<Vec<Cut>, PlanError> {
        let cuts = self.cuts(ranks)?;
        let nearest = |wanted: f64| {
            let off = |c: &Cut| ((c.tasks.max(1) as f64) / wanted.max(1.0)).ln().abs();
            cuts.iter().min_by(|a, b| off(a).total_cmp(&off(b))).copied()
        };
        let tasks = cut.tasks as f64;
        let mut like: Vec<Cut> =
            [nearest(tasks), nearest(tasks * ranks as f64 / of as f64)].into_iter().flatten().collect();
        like.dedup();
        Ok(like)
    }

    /// Tries a shape, also with its first rank's share balanced, and keeps what is best.
    fn consider(&mut self, shape: Shape, cut: Cut, found: &mut Found) -> Result<Tried, PlanError> {
        let mut tried = self.one(shape, cut)?;
        if let Some(balanced) = self.balance_first(&tried)? {
            let other = self.one(balanced, cut)?;
            if other.beats(&tried) {
                tried = other;
            }
        }
        let to = if self.balanced(&tried)? { &mut found.best } else { &mut found.fallback };
        if to.as_ref().is_none_or(|b| tried.beats(b)) {
            *to = Some(tried);
        }
        Ok(tried)
    }

    /// The shape with its first rank's share balanced, where tasks are dealt evenly.
    fn balance_first(&self, tried: &Tried) -> Result<Option<Shape>, PlanError> {
        let Deal::Even { .. } = tried.shape.deal else { return Ok(None) };
        let Request { profile, platform, .. } = *self.request;
        let first_permille = balanced_share(&tried.shape, &tried.cut.load(self.request), profile, platform)?;
        Ok((first_permille < 1000).then_some(Shape { deal: Deal::Even { first_permille }, ..tried.shape }))
    }

    fn balanced(&self, tried: &Tried) -> Result<bool, PlanError> {
        let Shape { strategy, ranks, groups, .. } = tried.shape;
        Ok(strategy != Strategy::ParallelPipeline || ranks == groups || self.balance(tried)?.holds())
    }

    fn balance(&self, tried: &Tried) -> Result<Balance, PlanError> {
        let Shape { ranks, groups, arity, .. } = tried.shape;
        let load = tried.cut.load(self.request);
        Ok(balance(ranks / groups, arity, &load, self.request.profile, self.request.platform)?)
    }

    fn cuts(&mut self, ranks: usize) -> Result<Vec<Cut>, PlanError> {
        if let Some(cuts) = self.cuts.get(&ranks) {
            return Ok(cuts.clone());
        }
        let cuts = cuts(self.request, ranks)?;
        self.cuts.insert(ranks, cuts.clone());
        Ok(cuts)
    }

    fn one(&mut self, shape: Shape, cut: Cut) -> Result<Tried, PlanError> {
        let Request { platform, profile, .. } = *self.request;
        if let std::collections::btree_map::Entry::Vacant(v) = self.speeds.entry(shape.ranks) {
            v.insert(Speeds::new(platform, shape.ranks)?);
        }
        self.tried += 1;
        if self.request.cancel.is_cancelled() {
            return Err(ModelError::new("the search was ended before it was complete").into());
        }
        let load = cut.load(self.request);
        let seconds = makespan(&shape, &load, profile, platform, &self.speeds[&shape.ranks])?;
        Ok(Tried { shape, cut, seconds })
    }
}
