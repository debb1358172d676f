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
            let number = *self.own.entry((action, bits)).or_insert_with(|| {
                labels.lock().unwrap_or_else(PoisonError::into_inner).get(action, rate)
            });
            *line = (action, bits, number);
        }
        line.2
    }
}
