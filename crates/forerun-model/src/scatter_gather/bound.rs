//! What bounds each phase.

use std::fmt;

use forerun_platform::ScatterGatherProfile;
use forerun_skeleton::scatter_gather::HEADER;

use super::Blocks;
use super::team::{Node, Team};
use crate::Wire;

/// What the ranks wait for in the long run of a phase. The bandwidths of Juhász and Charaf are named
/// where they have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Reading: b_io.
    Read,
    /// Sending blocks: b_dist.
    Distribution,
    /// Processing blocks, on the rank that takes longest with its own: b_proc.
    Processing,
    /// All that the first rank does itself in this phase, one after the other.
    First,
    /// Bringing packets to the first rank: b_gather.
    Gathering,
    /// Resolving a rank's own dependencies, on the rank that takes longest.
    Local,
    /// Resolving all dependencies on the first rank, its own included: b_resolution.
    Resolution,
    /// Writing: b_io.
    Write,
}

impl Bound {
    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Read => "reading",
            Bound::Distribution => "distribution",
            Bound::Processing => "processing",
            Bound::First => "first rank",
            Bound::Gathering => "gathering",
            Bound::Local => "local resolution",
            Bound::Resolution => "resolution",
            Bound::Write => "writing",
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Bandwidths of the parts of both phases, in bytes of the whole input or result a second. What
/// takes no time has an infinite one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bandwidths {
    /// b_io, reading.
    pub read: f64,
    /// b_dist: blocks leave the first rank at this rate while they are sent (equation 1).
    pub distribution: f64,
    /// b_proc of all ranks together.
    pub processing: f64,
    /// b_gather: packets come in at this rate while they are received.
    pub gathering: f64,
    /// b_resolution (equation 9).
    pub resolution: f64,
    /// b_io, writing.
    pub write: f64,
}

/// The bandwidths for blocks and packets of `s` bytes.
pub(super) fn bandwidths(
    profile: &ScatterGatherProfile,
    wire: &Wire,
    blocks: &Blocks,
    team: &Team<'_>,
) -> Bandwidths {
    let s = blocks.largest();
    let (size, message, empty) = (s as f64, (s + HEADER) as f64, HEADER as f64);
    let rate = |seconds: f64| if seconds > 0.0 { size / seconds } else { f64::INFINITY };
    let elements = size / profile.element_bytes;
    let process = profile.process.seconds(size, elements);
    // The slowest rank with its share decides.
    let share = |node: &Node| node.total as f64 / blocks.bytes.max(1) as f64;
    let slowest = team.nodes.iter().map(|n| share(n) * process / n.speed).fold(0.0, f64::max);
    let first = &team.nodes[0];
    let ways = team.nodes.iter().filter(|n| n.total > 0).count();
    let own = profile.local.seconds(size, first.blocks as f64) * share(first);
    let global = if team.nodes.len() == 1 { 0.0 } else { profile.global.seconds(size, ways as f64) };
    // What others send; a rank's own packets need no message.
    let sent = 1.0 - share(first);
    let receive = wire.receive(message) + wire.send(empty);
    let receive = sent * receive.max(wire.port(message)).max(wire.landing(message).0);
    Bandwidths {
        read: rate(profile.read.seconds(size, 1.0)),
        distribution: rate(sent * wire.send(message).max(wire.port(message))),
        processing: rate(slowest),
        gathering: rate(receive),
        resolution: rate((own + global) / first.speed),
        write: rate(profile.write.seconds(size, 1.0)),
    }
}

/// What bounds a phase: the part that takes longest of those that go on beside each other, and the
/// first rank where it is the sum of what it does itself and none of that is most of it.
fn longest(beside: &[(Bound, f64)], itself: &[(Bound, f64)]) -> Bound {
    /// From this share on, a part of what the first rank does stands for all of it.
    const MOST: f64 = 0.75;
    let first: f64 = itself.iter().map(|(_, seconds)| seconds).sum();
    let longest = |parts: &[(Bound, f64)]| parts.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    match longest(beside) {
        Some((bound, seconds)) if seconds >= first => bound,
        _ => match longest(itself) {
            Some((bound, seconds)) if seconds >= MOST * first => bound,
            _ => Bound::First,
        },
    }
}

/// What bounds the deal.
pub(super) fn of_deal(b: &Bandwidths, own: f64, ahead: usize) -> Bound {
    let mut beside =
        vec![(Bound::Distribution, 1.0 / b.distribution), (Bound::Processing, 1.0 / b.processing)];
    let mut itself = vec![(Bound::Processing, own), (Bound::Distribution, 1.0 / b.distribution)];
    if ahead > 0 { &mut beside } else { &mut itself }.push((Bound::Read, 1.0 / b.read));
    longest(&beside, &itself)
}

/// What bounds gathering; `others` is what the slowest of the other ranks takes a byte.
pub(super) fn of_gather(b: &Bandwidths, others: f64, ahead: usize) -> Bound {
    let mut beside = vec![(Bound::Local, others), (Bound::Gathering, 1.0 / b.gathering)];
    let mut itself = vec![(Bound::Resolution, 1.0 / b.resolution), (Bound::Gathering, 1.0 / b.gathering)];
    if ahead > 0 { &mut beside } else { &mut itself }.push((Bound::Write, 1.0 / b.write));
    longest(&beside, &itself)
}
