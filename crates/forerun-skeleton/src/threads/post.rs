//! What all ranks of a run share: the desks, and how a rank waits and is woken.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::desk::{Desk, Wait};
use super::lane::{Incoming, Lane, Outgoing};
use crate::{Cancel, Failure, Options};

/// How long a rank sleeps before it looks whether the run was cancelled.
const NAP: Duration = if cfg!(test) { Duration::from_secs(60) } else { Duration::from_millis(20) };
/// Looks before a rank sleeps, where every rank has a core: 10 to 30 us, about what a wake-up costs.
const SPINS: u32 = 512;
/// Looks between which a rank that spins lets others run: the one that it waits for may be among
/// them, whatever the number of cores, where other programs keep these busy.
const SPINS_A_YIELD: u32 = 64;
/// Looks before a rank sleeps where there are more ranks than cores, each after letting others run.
const YIELDS: u32 = 4;

/// The post office of a run.
pub(super) struct Post<M> {
    desks: Vec<Desk<M>>,
    window: usize,
    spins: u32,
    stopped: AtomicBool,
    cancel: Cancel,
    failure: Mutex<Option<Failure>>,
}

impl<M> Post<M> {
    pub(super) fn new(options: &Options) -> Self {
        let cores = thread::available_parallelism().map_or(1, |n| n.get());
        Post {
            desks: (0..options.ranks).map(|_| Desk::new()).collect(),
            window: options.window,
            spins: if options.ranks <= cores { SPINS } else { 0 },
            stopped: AtomicBool::new(false),
            cancel: options.cancel.clone(),
            failure: Mutex::new(None),
        }
    }

    pub(super) fn ranks(&self) -> usize {
        self.desks.len()
    }

    pub(super) fn window(&self) -> usize {
        self.window
    }

    /// Looks that a rank takes before its waiting is timed.
    pub(super) fn glances(&self) -> u32 {
        self.spins.min(8)
    }

    pub(super) fn claim(&self, counter: usize) -> u64 {
        self.desks[counter].counter.fetch_add(1, Ordering::Relaxed)
    }

    /// Says that `rank` lives on this thread.
    pub(super) fn move_in(&self, rank: usize) {
        // A rank moves in once.
        let _ = self.desks[rank].thread.set(thread::current());
    }

    /// Opens a lane and gives its sending end.
    pub(super) fn open(&self, from: usize, to: usize) -> Outgoing<M> {
        let lane = Arc::new(Lane::new(self.window));
        self.desks[to].open(from, lane.clone());
        Outgoing::new(lane)
    }

    /// How many lanes were ever opened to `rank`.
    pub(super) fn lanes(&self, rank: usize) -> usize {
        self.desks[rank].lanes()
    }

    /// The receiving ends of lanes to `rank` that were opened since the last time.
    pub(super) fn fetch(&self, rank: usize) -> Vec<(usize, Incoming<M>)> {
        self.desks[rank].fetch()
    }

    fn wake(&self, rank: usize) {
        if let Some(thread) = self.desks[rank].thread.get() {
            thread.unpark();
        }
    }

    /// Whether the run is to end now.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    /// Ends the run: every rank that waits wakes up and sees it.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        (0..self.desks.len()).for_each(|r| self.wake(r));
    }

    /// Notes a failure, if it is the first, and ends the run.
    pub(super) fn fail(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.stop();
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Spins, yields, then sleeps, until `look` finds something; `None` if the run ends.
    pub(super) fn wait<T>(&self, rank: usize, wait: Wait, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        if self.is_stopped() {
            return None;
        }
        let (looks, step) = if self.spins > 0 { (self.spins, SPINS_A_YIELD) } else { (YIELDS, 1) };
        for turn in 1..=looks {
            if let Some(found) = look() {
                return Some(found);
            }
            if turn.is_multiple_of(step) { thread::yield_now() } else { spin_loop() }
        }
        let desk = &self.desks[rank];
        let found = loop {
            desk.sleep(wait);
            fence(Ordering::SeqCst);
            if let Some(found) = look() {
                break Some(found);
            }
            if self.is_stopped() {
                break None;
            }
            thread::park_timeout(NAP);
        };
        desk.awake();
        found
    }

    /// Wakes rank `to` if it sleeps for the message that `from` has just put into its lane.
    pub(super) fn tell_mail(&self, from: usize, to: usize) {
        fence(Ordering::SeqCst);
        if self.desks[to].sleeps_for_mail(from) {
            self.wake(to);
        }
    }

    /// Wakes those of `senders` that sleep for room in their lanes to rank `me`, of which it has
    /// taken messages.
    pub(super) fn tell_room(&self, me: usize, senders: impl Iterator<Item = usize>) {
        fence(Ordering::SeqCst);
        for from in senders {
            if self.desks[from].sleeps_for_room(me) {
                self.wake(from);
            }
        }
    }

    /// Ends the run when it is dropped armed.
    pub(super) fn bell(&self) -> Bell<'_, M> {
        Bell(Some(self))
    }
}

/// Ends the run when it is dropped armed.
pub(super) struct Bell<'a, M>(Option<&'a Post<M>>);

impl<M> Bell<'_, M> {
    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl<M> Drop for Bell<'_, M> {
    fn drop(&mut self) {
        if let Some(post) = self.0 {
            post.stop();
        }
    }
}
