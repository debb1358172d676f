//! What a rank's thread and its helper share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, Thread};

use forerun_skeleton::Cancel;

use crate::patience::{Helper, Patience};
use crate::post::Post;

/// The post office of a rank, and who works in it.
pub(crate) struct Office {
    post: Mutex<Post>,
    /// Whether the rank computes, so that the helper is to see to the post.
    computing: AtomicBool,
    /// Whether the run is to end now; what the post says, to be looked at without the lock.
    stopped: AtomicBool,
    /// Whether the rank has ended.
    ended: AtomicBool,
    cancel: Cancel,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) patience: Patience,
}

impl Office {
    pub(crate) fn new(post: Post, rank: usize, size: usize, patience: Patience, cancel: Cancel) -> Self {
        Office {
            post: Mutex::new(post),
            computing: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            cancel,
            rank,
            size,
            patience,
        }
    }

    /// The post, for the rank's thread.
    pub(crate) fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets MPI work; whether anything has come.
    pub(crate) fn progress(&self, post: &mut Post) -> bool {
        let moved = post.progress();
        if self.cancel.is_cancelled() {
            post.stop(self.rank);
        }
        if post.is_stopped() {
            self.stopped.store(true, Ordering::Relaxed);
            // What the application does now may take long, and looks at the flag.
            self.cancel.cancel();
        }
        moved
    }

    /// Whether the run is to end now.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    /// Ends the run.
    pub(crate) fn stop(&self) {
        self.post().stop(self.rank);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Looks until `look` finds something, MPI working before each look; nothing if `give_up` says so.
    pub(crate) fn wait<T>(
        &self,
        give_up: impl Fn(&Self) -> bool,
        mut look: impl FnMut(&mut Post) -> Option<T>,
    ) -> Option<T> {
        let mut wait = self.patience.wait();
        loop {
            let mut post = self.post();
            self.progress(&mut post);
            if give_up(self) {
                return None;
            }
            if let Some(found) = look(&mut post) {
                return Some(found);
            }
            let moving = post.is_moving();
            drop(post);
            wait.pause(moving);
        }
    }

    /// Computes, while the helper sees to the post.
    pub(crate) fn computing<T>(&self, f: impl FnOnce() -> T) -> T {
        self.computing.store(true, Ordering::Relaxed);
        let value = f();
        self.computing.store(false, Ordering::Relaxed);
        value
    }

    /// The helper's life: while the rank computes, it lets MPI work, so that messages go out and come in meanwhile
    /// and counters answer. It looks every 0.1 ms while there is something to do, and down to every 4 ms
    /// where there is not, less than 0.5 % of a core; less often where the rank has a part of a core only, and less often still where
    /// no message is on its way.
    pub(crate) fn help(&self) {
        let Helper { shortest, longest, idle } = self.patience.helper;
        let mut most = longest;
        let mut nap = longest;
        while !self.ended.load(Ordering::Relaxed) {
            thread::park_timeout(nap);
            let mut moved = false;
            if self.computing.load(Ordering::Relaxed) {
                match self.post.try_lock() {
                    Ok(mut post) => {
                        moved = self.progress(&mut post) || !post.is_sent();
                        most = if post.is_moving() { longest } else { idle };
                    }
                    Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => {}
                }
            }
            nap = if moved { shortest } else { (nap * 2).min(most) };
        }
    }

    /// Sends the helper home.
    pub(crate) fn end(&self, helper: Option<&Thread>) {
        self.ended.store(true, Ordering::Relaxed);
        helper.map(Thread::unpark);
    }
}
