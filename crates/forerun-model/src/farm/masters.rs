//! Several masters.

use crate::ModelError;

/// Ranks in groups of one master and its slaves, and tasks dealt to the groups beforehand.
///
/// Of P ranks, group i has those from ⌊i P / M⌋ on, the first of which is its master; and of N tasks, in
/// proportion to its slaves, those from ⌊N · slaves before it / all slaves⌋ on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masters {
    ranks: usize,
    masters: usize,
}

impl Masters {
    /// `ranks` ranks, `masters` of them masters.
    ///
    /// # Errors
    /// No master, or not a slave for each.
    pub fn new(ranks: usize, masters: usize) -> Result<Masters, ModelError> {
        if masters == 0 || ranks / masters < 2 {
            return Err(ModelError::new(format!(
                "{masters} masters of {ranks} ranks: expected at least one, and a slave for each"
            )));
        }
        Ok(Masters { ranks, masters })
    }

    /// The rank of group `i`'s master.
    pub fn master(&self, i: usize) -> usize {
        (i as u128 * self.ranks as u128 / self.masters as u128) as usize
    }

    /// Slaves and tasks of every group, of `tasks` in all.
    pub fn groups(&self, tasks: u64) -> Vec<(u64, u64)> {
        let all = (self.ranks - self.masters) as u128;
        // Slaves before group i are its master's rank less the masters before.
        let before = |i: usize| (self.master(i) - i) as u128;
        let from = |i: usize| (u128::from(tasks) * before(i) / all) as u64;
        (0..self.masters).map(|i| ((before(i + 1) - before(i)) as u64, from(i + 1) - from(i))).collect()
    }
}
