//! Random orders, so that what drifts while measuring falls on all figures alike.

use std::time::{SystemTime, UNIX_EPOCH};

/// A generator of pseudo-random numbers (xorshift64*).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// A generator that always gives the same.
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A generator that gives something else every time.
    pub(super) fn from_time() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Random::new(now.as_nanos() as u64)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 to below 1.
    #[cfg(test)]
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Brings `items` into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
    }
}
