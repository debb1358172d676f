//! The planner: ranks, block size, shares and overlap with the least predicted makespan.

use forerun_platform::{Grain, Plan, Platform, ScatterGatherProfile, Skeleton, Strategy};
use forerun_skeleton::Cancel;
use forerun_skeleton::scatter_gather::Shape;

use super::predict::predict_until;
use super::team::ended;
use super::{Blocks, Prediction, Setting, shares};
use crate::ModelError;
use crate::planner::processors;

/// Blocks read ahead and packets written behind where a core is free for it: one in hand, one ready.
const AHEAD: usize = 2;
/// More blocks than so many are not tried: what more of them could gain is below what is measured.
const MOST_BLOCKS: u64 = 2048;
/// Fewer blocks a rank than so many are not tried, but where there is nothing else: nothing overlaps.
const LEAST_BLOCKS: u64 = 2;
/// A larger setting has to be better by so much to be preferred: fewer processors, less overlap.
const WORTH: f64 = 0.005;

/// What a plan is asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The machine.
    pub platform: &'a Platform,
    /// The costs.
    pub profile: &'a ScatterGatherProfile,
    /// Bytes of the input.
    pub bytes: u64,
    /// Least and most bytes that a block can have.
    pub block: (u64, u64),
    /// What the bytes of a block are a multiple of, elements being whole: others are rounded down.
    pub step: u64,
    /// Processors to use at most.
    pub max_processors: usize,
    /// Messages that a rank may be ahead of each receiver.
    pub window: usize,
    /// What is fixed.
    pub fixed: Fixed,
}

/// Parts of the plan that are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fixed {
    /// Ranks.
    pub processors: Option<usize>,
    /// Bytes of a block, at most: s.
    pub block: Option<u64>,
    /// Blocks read ahead.
    pub ahead: Option<usize>,
}

/// A plan and what is predicted for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan; its `predicted` and `reason` are filled in.
    pub plan: Plan,
    /// What is predicted for it.
    pub prediction: Prediction,
}

/// What the planner found.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The best of all.
    pub best: Choice,
    /// The best for every number of processors tried, ascending.
    pub by_processors: Vec<Choice>,
    /// Predictions that were made.
    pub tried: usize,
}

/// Chooses ranks, block size, shares and overlap; of very many ranks that takes seconds, and `cancel` ends it at once.
///
/// # Errors
/// What is asked for cannot be; or what can be does not fit in memory; that it was ended.
pub fn plan(request: &Request<'_>, cancel: &Cancel) -> Result<Planned, ModelError> {
    let fixed = &request.fixed;
    let max = request.max_processors;
    if max == 0 || fixed.processors == Some(0) {
        return Err(ModelError::new("a plan needs at least 1 processor"));
    }
    if let Some(p) = fixed.processors.filter(|&p| p > max) {
        return Err(ModelError::new(format!("{p} processors asked for, and at most {max} allowed")));
    }
    if fixed.block == Some(0) {
        return Err(ModelError::new("a block of 0 bytes: expected at least 1 byte"));
    }
    let mut search = Search { request, cancel, tried: 0, error: None };
    let totals = fixed.processors.map_or_else(|| processors(max), |p| vec![p]);
    let by_processors: Vec<Choice> = totals
        .into_iter()
        .map(|ranks| search.best_of(ranks))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let mut best: Option<&Choice> = None;
    for choice in &by_processors {
        let limit = best.map_or(f64::INFINITY, |b| b.prediction.makespan_s * (1.0 - WORTH));
        if choice.prediction.makespan_s < limit {
            best = Some(choice);
        }
    }
    match best {
        Some(best) => Ok(Planned { best: best.clone(), by_processors, tried: search.tried }),
        None => Err(search.error.unwrap_or_else(|| ModelError::new("no plan was found"))),
    }
}

/// Blocks read ahead and packets written behind where `ranks` ranks have a host of `cores` cores: none where none is
/// left for that.
pub fn ahead(ranks: usize, cores: usize) -> usize {
    if ranks < cores { AHEAD } else { 0 }
}

struct Search<'r, 'a> {
    request: &'r Request<'a>,
    cancel: &'r Cancel,
    tried: usize,
    /// Why the last setting could not be.
    error: Option<ModelError>,
}

impl Search<'_, '_> {
    /// The best plan on so many ranks, where one can be.
    fn best_of(&mut self, ranks: usize) -> Result<Option<Choice>, ModelError> {
        let mut found: Option<(f64, Setting, Blocks, u64)> = None;
        for ahead in self.overlaps(ranks) {
            for size in self.sizes(ranks) {
                let blocks = Blocks::of(self.request.bytes, size);
                let setting = self.setting(ranks, ahead, 1000)?;
                let Some(seconds) = self.seconds(&setting, &blocks)? else { continue };
                let worth = if found.as_ref().is_some_and(|f| f.1.ahead < ahead) { 1.0 - WORTH } else { 1.0 };
                if found.as_ref().is_none_or(|f| seconds < f.0 * worth) {
                    found = Some((seconds, setting, blocks, size));
                }
            }
        }
        let Some((mut least, mut setting, blocks, size)) = found else { return Ok(None) };
        // What the first rank does beside its share it takes from it.
        // Where there are fewer blocks than other ranks, and none of these is slower, any smaller share is none.
        let alike = setting.shape.shares.is_empty() && blocks.count < ranks as u64;
        let permilles = (0..if alike { 1 } else { 20u32 }).map(|i| 950 - 50 * i).filter(|_| ranks > 1);
        for first in permilles {
            let tried = self.setting(ranks, setting.ahead, first)?;
            if let Some(seconds) = self.seconds(&tried, &blocks)?
                && seconds < least * (1.0 - WORTH)
            {
                (least, setting) = (seconds, tried);
            }
        }
        self.choice(setting, &blocks, size).map(Some)
    }

    fn setting(&self, ranks: usize, ahead: usize, first: u32) -> Result<Setting, ModelError> {
        let shape = Shape { ranks, shares: shares(self.request.platform, ranks, first)? };
        Ok(Setting { shape, window: self.request.window, ahead })
    }

    /// The predicted seconds; `None` where it does not fit in memory.
    fn seconds(&mut self, setting: &Setting, blocks: &Blocks) -> Result<Option<f64>, ModelError> {
        self.tried += 1;
        if self.cancel.is_cancelled() {
            return Err(ended());
        }
        match predict_until(setting, blocks, self.request.profile, self.request.platform, self.cancel) {
            Ok(p) => Ok(Some(p.makespan_s)),
            Err(_) if self.cancel.is_cancelled() => Err(ended()),
            Err(e) => {
                self.error = Some(e);
                Ok(None)
            }
        }
    }

    fn choice(&self, setting: Setting, blocks: &Blocks, size: u64) -> Result<Choice, ModelError> {
        let Request { profile, platform, .. } = *self.request;
        let prediction = predict_until(&setting, blocks, profile, platform, self.cancel)?;
        let plan = Plan {
            skeleton: Skeleton::ScatterGather,
            strategy: Strategy::MasterSlave,
            processors: setting.shape.ranks,
            groups: 1,
            arity: 2,
            set: 1,
            gather: 0,
            deal: forerun_platform::Deal::default(),
            grain: Grain { tasks: Some(blocks.count), bytes: size },
            shares: setting.shape.shares.clone(),
            ahead: setting.ahead,
            farm: None,
            window: setting.window,
            predicted: Some(prediction.interval),
            reason: prediction.reason.clone(),
        };
        Ok(Choice { plan, prediction })
    }

    /// Whether storage goes on beside the first rank: only where its host has a core for it.
    fn overlaps(&self, ranks: usize) -> Vec<usize> {
        if let Some(ahead) = self.request.fixed.ahead {
            return vec![ahead];
        }
        let cores = self.request.platform.hosts.first().map_or(1, |h| h.cores);
        let mut all = vec![0, ahead(ranks, cores)];
        all.dedup();
        all
    }

    /// Sizes of blocks worth trying.
    fn sizes(&self, ranks: usize) -> Vec<u64> {
        let Request { bytes, block: (least, most), fixed, .. } = self.request;
        let step = self.request.step.max(1);
        let whole = |size: u64| (size - size % step).max(step);
        if let Some(block) = fixed.block {
            return vec![whole(block)];
        }
        let low = (*least).max(bytes / MOST_BLOCKS).max(1).min((*most).max(1));
        let high = (bytes / (LEAST_BLOCKS * ranks as u64)).clamp(low, (*most).max(low));
        let mut all = vec![low];
        while let Some(next) = all.last().map(|s| s * 2).filter(|&s| s < high) {
            all.push(next);
        }
        all.push(high);
        let mut all: Vec<u64> = all.into_iter().map(whole).collect();
        all.dedup();
        all
    }
}
