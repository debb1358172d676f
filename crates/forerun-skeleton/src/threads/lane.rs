//! The way from one rank to another: a ring of slots.
//!
//! The ring has as many slots as the window has messages, so that there is room for another
//! message exactly when the sender's next slot is empty. A slot says itself whether it is full:
//! neither end looks at a counter that the other writes, and a message moves in the cache line or
//! lines of its slot. (The same idea as in FastForward: Giacomoni, Moseley and Vachharajani,
//! PPoPP 2008.)

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Slots that are made at once: a wide window costs memory only as far as it is used.
const CHUNK: usize = 64;

/// A place for a message, in cache lines of its own.
#[repr(align(64))]
struct Slot<M> {
    /// Whether a message is in it. Who sees that it changed may lock without waiting.
    full: AtomicBool,
    message: Mutex<Option<M>>,
}

impl<M> Slot<M> {
    fn empty() -> Self {
        Slot { full: AtomicBool::new(false), message: Mutex::new(None) }
    }
}

/// Slots that are made together.
type Chunk<M> = Box<[Slot<M>]>;

/// What both ends of a lane share.
pub(super) struct Lane<M> {
    window: usize,
    chunks: Box<[OnceLock<Chunk<M>>]>,
}

impl<M> Lane<M> {
    /// A lane with room for `window` messages.
    pub(super) fn new(window: usize) -> Self {
        Lane { window, chunks: (0..window.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect() }
    }

    /// The slot at `at`, where it has been made.
    fn slot(&self, at: usize) -> Option<&Slot<M>> {
        self.chunks[at / CHUNK].get().map(|slots| &slots[at % CHUNK])
    }

    /// The slot at `at`, which is made now if it has not been.
    fn made(&self, at: usize) -> &Slot<M> {
        let make = || {
            let left = self.window - at / CHUNK * CHUNK;
            (0..left.min(CHUNK)).map(|_| Slot::empty()).collect()
        };
        &self.chunks[at / CHUNK].get_or_init(make)[at % CHUNK]
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 == self.window { 0 } else { at + 1 }
    }
}

/// The end that sends.
pub(super) struct Outgoing<M> {
    lane: Arc<Lane<M>>,
    /// The slot of the next message.
    at: usize,
}

/// The end that receives.
pub(super) struct Incoming<M> {
    lane: Arc<Lane<M>>,
    /// The slot of the next message.
    at: usize,
}

impl<M> Outgoing<M> {
    pub(super) fn new(lane: Arc<Lane<M>>) -> Self {
        Outgoing { lane, at: 0 }
    }

    /// Whether there is room for another message.
    pub(super) fn has_room(&self) -> bool {
        self.lane.slot(self.at).is_none_or(|slot| !slot.full.load(Ordering::Acquire))
    }

    /// Sends a message; there is room for it.
    pub(super) fn put(&mut self, message: M) {
        let slot = self.lane.made(self.at);
        *slot.message.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        slot.full.store(true, Ordering::Release);
        self.at = self.lane.after(self.at);
    }
}

impl<M> Incoming<M> {
    pub(super) fn new(lane: Arc<Lane<M>>) -> Self {
        Incoming { lane, at: 0 }
    }

    /// The next message, if one is here.
    pub(super) fn take(&mut self) -> Option<M> {
        let slot = self.lane.slot(self.at)?;
        if !slot.full.load(Ordering::Acquire) {
            return None;
        }
        let message = slot.message.lock().unwrap_or_else(PoisonError::into_inner).take();
        slot.full.store(false, Ordering::Release);
        self.at = self.lane.after(self.at);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_holds_its_window_in_order_round_and_round() {
        for window in [1, 2, 63, 64, 65, 200] {
            let lane = Arc::new(Lane::new(window));
            let (mut out, mut into) = (Outgoing::new(lane.clone()), Incoming::new(lane));
            let mut number = 0;
            for _ in 0..3 {
                assert_eq!(into.take(), None);
                while out.has_room() {
                    out.put(number);
                    number += 1;
                }
                let held: Vec<usize> = std::iter::from_fn(|| into.take()).collect();
                assert_eq!(held, (number - window..number).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_wide_window_costs_what_is_used_of_it() {
        let lane = Arc::new(Lane::new(1 << 20));
        let mut out = Outgoing::new(lane.clone());
        (0..100).for_each(|n| out.put(n));
        assert_eq!(lane.chunks.iter().filter(|c| c.get().is_some()).count(), 2);
    }
}
