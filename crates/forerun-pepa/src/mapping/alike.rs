//! Processors that are like each other.

use super::Grid;
use super::grid::choose;

/// Which processors can take each other's places in any mapping without that anything changes.
#[derive(Debug, Clone)]
pub(super) struct Alike {
    /// For each processor the first one that it is like.
    kind: Vec<usize>,
    /// Whether they are told apart all the same.
    apart: bool,
}

impl Alike {
    /// Two processors are alike if every stage takes as long on one as on the other, and so does every transfer.
    pub(super) fn of(grid: &Grid, apart: bool) -> Alike {
        let all = 0..grid.processors();
        let like = |p: usize, q: usize| {
            let t = &grid.transfers;
            let others = all.clone().filter(|x| *x != p && *x != q);
            grid.times.iter().all(|times| times[p] == times[q])
                && grid.input[p] == grid.input[q]
                && grid.output[p] == grid.output[q]
                && t[p][p] == t[q][q]
                && t[p][q] == t[q][p]
                && others.into_iter().all(|x| t[p][x] == t[q][x] && t[x][p] == t[x][q])
        };
        Alike { kind: all.clone().map(|p| (0..p).find(|q| like(p, *q)).unwrap_or(p)).collect(), apart }
    }

    /// All sets of up to `most` processors that a next stage can be on, given those `used` so far in the order of their
    /// first use: of the processors of a kind that are not used yet, always the first ones. Each with the
    /// number of sets that it stands for. In a set, used ones come first, in the order of their first use.
    pub(super) fn next(&self, used: &[usize], most: usize) -> Vec<(Vec<usize>, f64)> {
        let count = self.kind.len();
        let mut order = used.to_vec();
        let mut fresh: Vec<usize> = (0..count).filter(|p| !used.contains(p)).collect();
        fresh.sort_by_key(|p| (self.kind[*p], *p));
        order.extend(&fresh);
        let mut sets = Vec::new();
        self.add(&order, used.len(), most, 0, &mut Vec::new(), &mut sets);
        let stands_for = |set: &[usize]| {
            let of_kind = |all: &[usize], kind: usize| all.iter().filter(|p| self.kind[**p] == kind).count();
            let new: Vec<usize> = set.iter().copied().filter(|p| !used.contains(p)).collect();
            if self.apart {
                return 1.0;
            }
            let kinds = (0..count).filter(|k| self.kind[*k] == *k);
            kinds.map(|k| choose(of_kind(&fresh, k), of_kind(&new, k))).product::<f64>()
        };
        sets.into_iter().map(|set| (set.clone(), stands_for(&set))).collect()
    }

    /// Adds all ways to go on with a set, from a place in the order on.
    fn add(
        &self,
        order: &[usize],
        used: usize,
        most: usize,
        from: usize,
        set: &mut Vec<usize>,
        sets: &mut Vec<Vec<usize>>,
    ) {
        if !set.is_empty() {
            sets.push(set.clone());
        }
        if set.len() == most {
            return;
        }
        for at in from..order.len() {
            // A fresh one only if the one of its kind before it is in the set.
            let skipped = !self.apart
                && at > used
                && self.kind[order[at - 1]] == self.kind[order[at]]
                && !set.contains(&order[at - 1]);
            if skipped {
                continue;
            }
            set.push(order[at]);
            self.add(order, used, most, at + 1, set, sets);
            set.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Alike;

    #[test]
    fn representatives_stand_for_all_sets() {
        // 0, 2 and 3 are alike.
        let alike = Alike { kind: vec![0, 1, 0, 0], apart: false };
        let all = alike.next(&[2], 1);
        assert_eq!(all, [(vec![2], 1.0), (vec![0], 2.0), (vec![1], 1.0)]);
        for (used, most) in [(&[][..], 4), (&[1][..], 3), (&[3, 0][..], 2), (&[][..], 2)] {
            let sets: f64 = (1..=most).map(|k| super::choose(4, k)).sum();
            let stands: f64 = alike.next(used, most).iter().map(|(_, n)| n).sum();
            assert_eq!(stands, sets, "{used:?} {most}");
            let apart = Alike { apart: true, ..alike.clone() };
            assert_eq!(apart.next(used, most).len() as f64, sets, "{used:?} {most}");
        }
    }
}
