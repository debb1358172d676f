//! What transitions are labelled with: few actions and rates, so a number for each pair is enough.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// All pairs of an action and a rate that occur.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    pub(crate) all: Vec<(u32, f64)>,
    numbers: HashMap<(u32, u64), u32>,
}

impl Labels {
    fn get(&mut self, action: u32, rate: f64) -> u32 {
        *self.numbers.entry((action, rate.to_bits())).or_insert_with(|| {
            self.all.push((action, rate));
            self.all.len() as u32 - 1
        })
    }
}

/// The numbers of labels, in two bytes each as long as there are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    low: Vec<u16>,
    /// The upper halves, once there is one that is not 0.
    high: Vec<u16>,
}

impl Numbers {
    /// Appends some.
    pub(crate) fn extend(&mut self, more: &[u32]) {
        grow(&mut self.low, more.len());
        if self.high.is_empty() && more.iter().any(|n| *n > u32::from(u16::MAX)) {
            self.high = vec![0; self.low.len()];
        }
        self.low.extend(more.iter().map(|n| *n as u16));
        if !self.high.is_empty() {
            grow(&mut self.high, more.len());
            self.high.extend(more.iter().map(|n| (n >> 16) as u16));
        }
    }

    /// The one at a place.
    pub(crate) fn get(&self, at: usize) -> u32 {
        let high = self.high.get(at).map_or(0, |h| u32::from(*h) << 16);
        high | u32::from(self.low[at])
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.low.len() + self.high.len()) * 2
    }
}

/// Makes room for more, a quarter more than is there rather than twice as much.
pub(crate) fn grow<T>(all: &mut Vec<T>, more: usize) {
    if all.capacity() - all.len() < more {
        all.reserve_exact(more.max(all.len() / 4));
    }
}

/// Lines of a [`Cache`].
const LINES: usize = 1 << 10;

/// The pairs that a thread met last.
#[derive(Debug)]
pub(crate) struct Cache {
    lines: Vec<(u32, u64, u32)>,
    own: HashMap<(u32, u64), u32>,
}

impl Default for Cache {
    fn default() -> Self {
        // No rate has the bits of 0.
        Cache { lines: vec![(0, 0, 0); LINES], own: HashMap::new() }
    }
}

impl Cache {
    /// The number of a pair.
    pub(crate) fn get(&mut self, action: u32, rate: f64, labels: &Mutex<Labels>) -> u32 {
        let bits = rate.to_bits();
        let mixed = (bits ^ u64::from(action)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let line = &mut self.lines[(mixed >> 54) as usize];
        if (line.0, line.1) != (action, bits) {
            let number = *self
                .own
                .entry((action, bits))
                .or_insert_with(|| labels.lock().unwrap_or_else(PoisonError::into_inner).get(action, rate));
            *line = (action, bits, number);
        }
        line.2
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn large_numbers_may_come_late() {
        let mut numbers = Numbers::default();
        numbers.extend(&[1, 2, 65535]);
        assert_eq!(numbers.bytes(), 6);
        numbers.extend(&[65536, 7, 1 << 30]);
        numbers.extend(&[3]);
        let all: Vec<u32> = (0..7).map(|at| numbers.get(at)).collect();
        assert_eq!(all, [1, 2, 65535, 65536, 7, 1 << 30, 3]);
    }
}
