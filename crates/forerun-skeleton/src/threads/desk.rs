//! One rank as the others see it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;

use super::lane::{Incoming, Lane};

/// What a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// A message from anyone.
    Mail,
    /// A message from this rank.
    MailFrom(usize),
    /// Room for a message to this rank.
    Room(usize),
}

impl Wait {
    /// Awake.
    const NOTHING: u64 = u64::MAX;

    fn code(self) -> u64 {
        match self {
            Wait::Mail => 0,
            Wait::MailFrom(rank) => 1 << 32 | rank as u64,
            Wait::Room(rank) => 2 << 32 | rank as u64,
        }
    }
}

/// In a cache line that changes only when the rank goes to sleep or wakes up.
#[repr(align(128))]
struct Sign(AtomicU64);

/// One rank as the others see it.
pub(super) struct Desk<M> {
    sign: Sign,
    /// Lanes to this rank that it has not yet fetched, with their senders.
    opened: Mutex<Vec<(usize, Arc<Lane<M>>)>>,
    /// How many were ever opened, to look at without the lock.
    lanes: AtomicUsize,
    pub(super) counter: AtomicU64,
    pub(super) thread: OnceLock<Thread>,
}

impl<M> Desk<M> {
    pub(super) fn new() -> Self {
        Desk {
            sign: Sign(AtomicU64::new(Wait::NOTHING)),
            opened: Mutex::new(Vec::new()),
            lanes: AtomicUsize::new(0),
            counter: AtomicU64::new(0),
            thread: OnceLock::new(),
        }
    }

    /// Opens a lane from rank `from` to this one.
    pub(super) fn open(&self, from: usize, lane: Arc<Lane<M>>) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push((from, lane));
        self.lanes.fetch_add(1, Ordering::Release);
    }

    /// How many lanes were ever opened to this rank.
    pub(super) fn lanes(&self) -> usize {
        self.lanes.load(Ordering::Acquire)
    }

    /// The receiving ends of the lanes opened since the last time.
    pub(super) fn fetch(&self) -> Vec<(usize, Incoming<M>)> {
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        opened.into_iter().map(|(from, lane)| (from, Incoming::new(lane))).collect()
    }

    /// Says that the rank is about to sleep. It looks once more after a fence.
    pub(super) fn sleep(&self, wait: Wait) {
        self.sign.0.store(wait.code(), Ordering::Relaxed);
    }

    /// Says that the rank is awake.
    pub(super) fn awake(&self) {
        self.sign.0.store(Wait::NOTHING, Ordering::Relaxed);
    }

    /// Whether the rank sleeps for a message from `from`; called after a fence. It is told once.
    pub(super) fn sleeps_for_mail(&self, from: usize) -> bool {
        let code = self.sign.0.load(Ordering::Relaxed);
        (code == Wait::Mail.code() || code == Wait::MailFrom(from).code()) && self.rouse(code)
    }

    /// Whether the rank sleeps for room on its way to `to`; called after a fence. It is told once.
    pub(super) fn sleeps_for_room(&self, to: usize) -> bool {
        let code = self.sign.0.load(Ordering::Relaxed);
        code == Wait::Room(to).code() && self.rouse(code)
    }

    fn rouse(&self, code: u64) -> bool {
        self.sign.0.compare_exchange(code, Wait::NOTHING, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}
