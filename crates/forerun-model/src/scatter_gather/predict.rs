//! A scatter-gather's makespan from its shape, blocks, profile and platform.

use std::collections::BTreeMap;

use forerun_platform::{Interval, Platform, ScatterGatherProfile, Stage, StageTotal};
use forerun_skeleton::Cancel;
use forerun_skeleton::scatter_gather::Shape;

use super::bound::{bandwidths, of_deal, of_gather};
use super::team::{Node, Team, ended};
use super::{Bandwidths, Blocks, Bound, deal, effective, explain, gather, interval};
use crate::{ModelError, Speeds, Wire};

/// How a scatter-gather is run: who, and with how much under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Ranks and their shares.
    pub shape: Shape,
    /// Messages that the first rank may be ahead of each other, at least 1.
    pub window: usize,
    /// Blocks read ahead and packets written behind; 0: the first rank reads and writes itself.
    pub ahead: usize,
}

impl Setting {
    /// `ranks` ranks with equal shares, a window of 4, reading and writing by the first rank.
    pub fn new(ranks: usize) -> Self {
        Setting { shape: Shape::new(ranks), window: 4, ahead: 0 }
    }
}

/// A predicted run.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Expected seconds from start to end.
    pub makespan_s: f64,
    /// The same with its 95 % interval.
    pub interval: Interval,
    /// Seconds until the last block is sent: t_read of Juhász and Charaf.
    pub deal_s: f64,
    /// From then until the first rank has processed its last block: t_proc(s) if it has one left.
    pub turn_s: f64,
    /// From then until all is written: t_local and t_write.
    pub gather_s: f64,
    /// Seconds of the makespan that the application takes when all is written.
    pub finish_s: f64,
    /// Bandwidths of the parts.
    pub bandwidths: Bandwidths,
    /// What bounds the deal, and gathering.
    pub bounds: (Bound, Bound),
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Calls and seconds by stage, of all ranks, waiting left out.
    pub stages: BTreeMap<Stage, StageTotal>,
    /// What bounds the time, in a sentence.
    pub reason: String,
}

/// Predicts a run, rank by rank and block by block: exact where costs do not vary and messages do
/// not compete for links (what is above a rendezvous threshold is taken as met at once).
///
/// With t_i when the first rank has block i, a_i = t_i + o_s + transit when its owner has it at the
/// earliest, and c_r the clock of rank r: `c_r = max(c_r, a_i) + o_r + t_proc(s)`, and t_{i+1} is
/// held up by storage ([`Setting::ahead`]), by a window that is full, and by the blocks that the
/// first rank processes itself. Then packets are taken as the result needs them, evenly from all
/// ranks. Cost: proportional to the ranks, to the blocks, and for a packet to the logarithm of the ranks that have some.
///
/// # Errors
/// A profile or a platform that cannot be; too little memory ([`super::memory`]).
pub fn predict(
    setting: &Setting,
    blocks: &Blocks,
    profile: &ScatterGatherProfile,
    platform: &Platform,
) -> Result<Prediction, ModelError> {
    predict_until(setting, blocks, profile, platform, &Cancel::new())
}

/// As [`predict()`], unless the flag is set: it is looked at now and then.
pub(super) fn predict_until(
    setting: &Setting,
    blocks: &Blocks,
    profile: &ScatterGatherProfile,
    platform: &Platform,
    cancel: &Cancel,
) -> Result<Prediction, ModelError> {
    let profile = effective(profile, setting, blocks, platform)?;
    let Setting { shape, window, ahead } = setting;
    let speeds = Speeds::new(platform, shape.ranks)?;
    let nodes = (0..shape.ranks).map(|r| Node::new(speeds.of(r))).collect();
    let wire = Wire::on(platform, shape.ranks)?;
    if cancel.is_cancelled() {
        return Err(ended());
    }
    let mut team = Team {
        profile: &profile,
        wire: wire.clone(),
        window: (*window).max(1),
        nodes,
        messages: 0,
        bytes: 0,
        totals: [StageTotal::default(); Stage::ALL.len()],
        cancel,
        steps: 0,
    };
    let deal_s = deal::deal(&mut team, blocks, shape, *ahead)?;
    let turned = team.nodes[0].clock;
    let end = gather::gather(&mut team, blocks.largest().max(1), *ahead)?;
    let finish_s = profile.finish.seconds(blocks.bytes as f64, 1.0);
    let makespan_s = team.nodes.iter().map(|n| n.clock).fold(end, f64::max) + finish_s;
    if finish_s > 0.0 {
        team.totals[Stage::Finish as usize] = StageTotal { count: 1, total_s: finish_s };
    }

    let b = bandwidths(&profile, &wire, blocks, &team);
    let whole = blocks.bytes.max(1) as f64;
    let per_byte = |node: &Node| {
        let s = blocks.largest().max(1) as f64;
        profile.local.seconds(s, node.blocks as f64) / s / node.speed * node.total as f64 / whole
    };
    let s = blocks.largest().max(1) as f64;
    let own = profile.process.seconds(s, s / profile.element_bytes) / s / team.nodes[0].speed
        * team.nodes[0].total as f64
        / whole;
    let others = team.nodes.iter().skip(1).map(per_byte).fold(0.0, f64::max);
    let bounds = (of_deal(&b, own, *ahead), of_gather(&b, others, *ahead));
    let gather_s = end - turned;
    let reason = explain::reason(blocks, &b, bounds, (turned, gather_s));
    let stages = Stage::ALL.into_iter().zip(team.totals).filter(|(_, t)| t.count > 0).collect();
    let interval = interval::interval(makespan_s, &team.totals, &profile);
    Ok(Prediction {
        makespan_s,
        interval,
        deal_s,
        turn_s: turned - deal_s,
        gather_s,
        finish_s,
        bandwidths: b,
        bounds,
        messages: team.messages,
        bytes: team.bytes,
        stages,
        reason,
    })
}
