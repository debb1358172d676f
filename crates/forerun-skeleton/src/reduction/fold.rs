//! Merging results one after the other at the cost of a balanced tree.

use super::Piece;

/// Results in order, kept like the digits of a binary counter: every piece stands for more
/// results, in powers of two, than the one after it. Results that arrive one by one are merged by
/// a balanced tree: n of them cost n − 1 merges, none takes part in more than lg n, and at most
/// lg n + 1 pieces are held.
#[derive(Debug)]
pub struct Fold<P> {
    held: Vec<Piece<P>>,
}

impl<P> Default for Fold<P> {
    fn default() -> Self {
        Fold { held: Vec::new() }
    }
}

impl<P> Fold<P> {
    /// Nothing held.
    pub fn new() -> Self {
        Self::default()
    }

    /// Task results held.
    pub fn results(&self) -> u64 {
        self.held.iter().map(|p| p.results).sum()
    }

    /// Number of pieces held.
    pub fn depth(&self) -> usize {
        self.held.len()
    }

    /// Adds a piece after those that are held.
    pub fn push(&mut self, piece: Piece<P>) {
        self.held.push(piece);
    }

    /// The two pieces, the earlier one first, to merge before a piece of `incoming` results is
    /// pushed: smaller ones are merged with each other first, so that a large piece after many
    /// small ones is merged once, not once with each of them.
    pub fn due_before(&mut self, incoming: u64) -> Option<(Piece<P>, Piece<P>)> {
        let [.., a, _] = self.held.as_slice() else { return None };
        if class(a.results) < class(incoming) { self.last_two() } else { None }
    }

    /// The two pieces to merge after a push, the earlier one first: while the later one is as
    /// large as the earlier. The result is to be [pushed](Fold::push).
    pub fn due(&mut self) -> Option<(Piece<P>, Piece<P>)> {
        let [.., a, b] = self.held.as_slice() else { return None };
        if class(a.results) <= class(b.results) { self.last_two() } else { None }
    }

    /// The last two pieces, the earlier one first, to merge until one is left.
    pub fn last_two(&mut self) -> Option<(Piece<P>, Piece<P>)> {
        if self.held.len() < 2 {
            return None;
        }
        let right = self.held.pop()?;
        let left = self.held.pop()?;
        Some((left, right))
    }

    /// Two pieces of like size (the same power of two), the smallest there are, or with `all` the
    /// smallest two, until one is left; for merges that commute. So pieces that do not match wait
    /// for others, and at most lg n + 1 are held.
    pub fn alike(&mut self, all: bool) -> Option<(Piece<P>, Piece<P>)> {
        self.held.sort_by_key(|p| std::cmp::Reverse(p.results));
        let class = |p: &Piece<P>| p.results.max(1).ilog2();
        let at = self.held.windows(2).rposition(|w| all || class(&w[0]) == class(&w[1]))?;
        let right = self.held.remove(at + 1);
        Some((self.held.remove(at), right))
    }

    /// Takes out the fewest pieces that make `results` results or more, or all; what is left keeps
    /// its order. For merges that commute: what is taken is ordered by size, the largest first.
    pub fn take(&mut self, results: u64) -> Fold<P> {
        self.held.sort_by_key(|p| std::cmp::Reverse(p.results));
        let mut sum = 0;
        let fewest = self.held.iter().take_while(|p| {
            let short = sum < results;
            sum += p.results;
            short
        });
        let fewest = fewest.count();
        let left = self.held.split_off(fewest);
        Fold { held: std::mem::replace(&mut self.held, left) }
    }

    /// The last piece held.
    pub fn pop(&mut self) -> Option<Piece<P>> {
        self.held.pop()
    }
}

/// The power of two that `results` reaches.
fn class(results: u64) -> u32 {
    results.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::{Fold, Piece};

    #[test]
    fn merges_neighbours_in_order_and_in_balance() {
        for n in 0..200u64 {
            let mut fold = Fold::new();
            let (mut merges, mut depth) = (0, 0);
            let mut merge = |(a, b): (Piece<Vec<u64>>, Piece<Vec<u64>>)| {
                merges += 1;
                depth = depth.max(a.results + b.results);
                let value = [a.value, b.value].concat();
                Piece { value, first: a.first, results: a.results + b.results }
            };
            for i in 0..n {
                fold.push(Piece { value: vec![i], first: i, results: 1 });
                while let Some(pair) = fold.due() {
                    let piece = merge(pair);
                    fold.push(piece);
                }
                assert!(fold.held.len() <= 9);
            }
            while let Some(pair) = fold.last_two() {
                let piece = merge(pair);
                fold.push(piece);
            }
            let whole = fold.pop().map_or(Vec::new(), |p| p.value);
            assert_eq!(whole, (0..n).collect::<Vec<_>>());
            assert_eq!(merges, n.saturating_sub(1));
        }
    }

    #[test]
    fn pieces_of_like_size_are_merged_whatever_their_order() {
        let mut fold = Fold::new();
        for results in [2, 1, 2] {
            fold.push(Piece { value: (), first: 0, results });
        }
        let (a, b) = fold.alike(false).unwrap();
        assert_eq!((a.results, b.results), (2, 2));
        fold.push(Piece { value: (), first: 0, results: 4 });
        assert!(fold.alike(false).is_none());
        assert_eq!(fold.alike(true).map(|(a, b)| (a.results, b.results)), Some((4, 1)));
    }

    #[test]
    fn takes_the_fewest_pieces_that_suffice() {
        let sizes = |f: &Fold<()>| f.held.iter().map(|p| p.results).collect::<Vec<_>>();
        let mut fold = Fold::new();
        for results in [2, 1, 2, 4, 1] {
            fold.push(Piece { value: (), first: 0, results });
        }
        assert_eq!(sizes(&fold.take(6)), [4, 2]);
        assert_eq!(sizes(&fold), [2, 1, 1]);
        assert_eq!(sizes(&fold.take(100)), [2, 1, 1]);
        assert_eq!(fold.results(), 0);
    }
}
