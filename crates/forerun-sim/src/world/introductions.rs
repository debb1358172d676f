//! Pairs of which one of the two ranks does not know yet.

use super::pairs::PairId;
use super::peers::{Peers, Way};

/// No page.
const NONE: u32 = u32::MAX;

/// Entries of a page.
const ENTRIES: usize = 7;

/// For each rank, the buffers that another rank has made to or from it and that it has not looked
/// for yet. A rank keeps those that it knows of itself, where it finds them without the world's
/// help; pages are used again, so that there are few.
///
/// A page is a cache line: where a million ranks are introduced to each other, the time goes into
/// waiting for memory.
#[derive(Debug)]
pub(crate) struct Introductions {
    /// The last page for each rank.
    last: Vec<u32>,
    pages: Vec<Page>,
    free: u32,
}

#[derive(Debug)]
#[repr(align(64))]
struct Page {
    /// The one before it for the same rank, or that was freed before.
    before: u32,
    len: u32,
    /// The key in [`Peers`], and the buffer.
    entries: [(u32, PairId); ENTRIES],
}

impl Introductions {
    pub(crate) fn new(ranks: usize) -> Self {
        Introductions { last: vec![NONE; ranks], pages: Vec::new(), free: NONE }
    }

    /// Leaves word for `rank` of its buffer to or from `peer`.
    pub(crate) fn add(&mut self, rank: u32, peer: u32, way: Way, pair: PairId) {
        let last = self.last[rank as usize];
        let entry = (Peers::key(peer, way), pair);
        if let Some(page) = self.pages.get_mut(last as usize)
            && let Some(place) = page.entries.get_mut(page.len as usize)
        {
            *place = entry;
            page.len += 1;
            return;
        }
        let page = Page { before: last, len: 1, entries: [entry; ENTRIES] };
        let place = self.free;
        if let Some(free) = self.pages.get_mut(place as usize) {
            self.free = std::mem::replace(free, page).before;
            self.last[rank as usize] = place;
        } else {
            self.last[rank as usize] = self.pages.len() as u32;
            self.pages.push(page);
        }
    }

    /// Moves what there is for `rank` to where it keeps its buffers, the latest first; says whether there
    /// was anything.
    pub(crate) fn take(&mut self, rank: u32, peers: &mut Peers) -> bool {
        let mut place = std::mem::replace(&mut self.last[rank as usize], NONE);
        let any = place != NONE;
        while let Some(page) = self.pages.get_mut(place as usize) {
            page.entries.iter().take(page.len as usize).rev().for_each(|&(key, pair)| peers.add(key, pair));
            let next = std::mem::replace(&mut page.before, self.free);
            self.free = place;
            place = next;
        }
        any
    }
}
