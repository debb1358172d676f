//! Random orders, partners and sizes, so that what drifts while measuring falls on all probes alike.

use std::time::{SystemTime, UNIX_EPOCH};

/// A generator of pseudo-random numbers (xorshift64*).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// A generator that gives something else every time.
    pub(super) fn from_time() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Random((now.as_nanos() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 to below `n`, at least 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A size between the two, each factor as likely as any other.
    pub(super) fn size(&mut self, least: usize, most: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let (from, to) = ((least as f64).ln(), (most as f64).ln());
        ((from + unit * (to - from)).exp() as usize).clamp(least, most)
    }

    /// Brings `items` into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}
