//! Pairs of which one of the two ranks does not know yet.

use super::pairs::PairId;
use super::peers::{Peers, Way};

/// No entry.
const NONE: u32 = u32::MAX;

/// For each rank, the buffers that another rank has made to or from it and that it has not looked
/// for yet. A rank keeps those that it knows of itself, where it finds them without the world's
/// help; entries are used again, so that there are few.
#[derive(Debug)]
pub(crate) struct Introductions {
    /// The last entry for each rank.
    last: Vec<u32>,
    entries: Vec<Entry>,
    free: u32,
}

#[derive(Debug)]
struct Entry {
    peer: u32,
    way: Way,
    pair: PairId,
    /// The one before it for the same rank, or that was freed before.
    before: u32,
}

impl Introductions {
    pub(crate) fn new(ranks: usize) -> Self {
        Introductions { last: vec![NONE; ranks], entries: Vec::new(), free: NONE }
    }

    /// Leaves word for `rank` of its buffer to or from `peer`.
    pub(crate) fn add(&mut self, rank: u32, peer: u32, way: Way, pair: PairId) {
        let entry = Entry { peer, way, pair, before: self.last[rank as usize] };
        let place = self.free;
        if let Some(free) = self.entries.get_mut(place as usize) {
            self.free = std::mem::replace(free, entry).before;
            self.last[rank as usize] = place;
        } else {
            self.last[rank as usize] = self.entries.len() as u32;
            self.entries.push(entry);
        }
    }

    /// Moves what there is for `rank` to where it keeps its buffers.
    pub(crate) fn take(&mut self, rank: u32, peers: &mut Peers) {
        let mut place = std::mem::replace(&mut self.last[rank as usize], NONE);
        while let Some(entry) = self.entries.get_mut(place as usize) {
            peers.add(entry.peer, entry.way, entry.pair);
            let next = std::mem::replace(&mut entry.before, self.free);
            self.free = place;
            place = next;
        }
    }
}
