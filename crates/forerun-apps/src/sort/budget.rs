//! How much memory the buffers of a sort may take together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number of bytes shared by everything that allocates for one sort. Clones share it.
///
/// Buffers that are worked in and runs that rest between two stages count against the whole
/// budget; resting runs may take only half of it, so that work can always go on without waiting
/// for another rank to let go. Nothing ever waits for the budget: who does not get a lease takes
/// less or uses the disk.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    limit: u64,
    used: AtomicU64,
    resting: AtomicU64,
}

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Budget(Arc::new(Counters { limit, used: AtomicU64::new(0), resting: AtomicU64::new(0) }))
    }

    /// All of it, in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes not leased now; 0 if more than the limit is.
    pub fn available(&self) -> u64 {
        self.0.limit.saturating_sub(self.0.used.load(Ordering::Relaxed))
    }

    /// A lease of `bytes` if so many are available.
    pub fn try_lease(&self, bytes: u64) -> Option<Lease> {
        add_within(&self.0.used, bytes, self.0.limit).then(|| Lease {
            budget: self.clone(),
            bytes,
            rests: false,
        })
    }

    /// A lease of `bytes`, beyond the limit if it must be: for the least with which work can go
    /// on, which whoever sets the limit leaves room for.
    pub fn lease(&self, bytes: u64) -> Lease {
        self.0.used.fetch_add(bytes, Ordering::Relaxed);
        Lease { budget: self.clone(), bytes, rests: false }
    }
}

fn add_within(counter: &AtomicU64, bytes: u64, limit: u64) -> bool {
    counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|&sum| sum <= limit)
        })
        .is_ok()
}

/// Bytes taken out of a [`Budget`]; dropping it gives them back.
#[derive(Debug)]
pub struct Lease {
    budget: Budget,
    bytes: u64,
    rests: bool,
}

impl Lease {
    /// Bytes leased.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes it a lease of `bytes`, even beyond the limit.
    pub fn resize(&mut self, bytes: u64) {
        let counters = &*self.budget.0;
        for counter in [&counters.used].into_iter().chain(self.rests.then_some(&counters.resting)) {
            if bytes >= self.bytes {
                counter.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            } else {
                counter.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
            }
        }
        self.bytes = bytes;
    }

    /// Counts it as the lease of a resting run; `false`, and no change, if too many rest already.
    pub fn try_rest(&mut self) -> bool {
        let counters = &*self.budget.0;
        self.rests = self.rests || add_within(&counters.resting, self.bytes, counters.limit / 2);
        self.rests
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.resize(0);
    }
}
