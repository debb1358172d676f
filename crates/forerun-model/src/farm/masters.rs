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
        self.each(tasks).collect()
    }

    /// The different ones among [`groups`](Self::groups), at most four, ascending. Cost: that of a few groups where all that
    /// there can be are soon met, at most that of all.
    pub(super) fn kinds(&self, tasks: u64) -> Vec<(u64, u64)> {
        // A group has its whole share or one more: of the slaves where they are not even, of the tasks where its slaves' part is no
        // whole number.
        let all = (self.ranks - self.masters) as u128;
        let fewest = (self.ranks / self.masters) as u64 - 1;
        let most = self.ranks.div_ceil(self.masters) as u64 - 1;
        let splits = |slaves: u64| usize::from(!(u128::from(tasks) * u128::from(slaves)).is_multiple_of(all));
        let possible = (fewest..=most).map(|slaves| 1 + splits(slaves)).sum();
        let mut kinds: Vec<(u64, u64)> = Vec::new();
        for group in self.each(tasks) {
            if !kinds.contains(&group) {
                kinds.push(group);
            }
            if kinds.len() == possible {
                break;
            }
        }
        kinds.sort_unstable();
        kinds
    }

    fn each(&self, tasks: u64) -> impl Iterator<Item = (u64, u64)> {
        let all = (self.ranks - self.masters) as u128;
        // Slaves before group i are its master's rank less the masters before.
        let before = move |i: usize| (self.master(i) - i) as u128;
        let from = move |i: usize| (u128::from(tasks) * before(i) / all) as u64;
        (0..self.masters).map(move |i| ((before(i + 1) - before(i)) as u64, from(i + 1) - from(i)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Masters;

    proptest! {
        #[test]
        fn kinds_are_the_different_groups(masters in 1usize..60, slaves in 1usize..5, more in 0usize..40, tasks in 1u64..3000) {
            let masters = Masters::new(masters * (slaves + 1) + more, masters).expect("a slave for each");
            let mut groups = masters.groups(tasks);
            groups.sort_unstable();
            groups.dedup();
            prop_assert_eq!(masters.kinds(tasks), groups);
        }
    }
}
