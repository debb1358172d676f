//! Trees whose subtrees are runs of consecutive ranks.

use std::ops::Range;

/// How ranks hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// Two chains that meet in the root: every rank receives from one other, so that it takes in no more than it
    /// gives out. The first segment passes all ranks.
    Chain,
    /// In-order binary trees on both sides of the root: half of the ranks take in twice as much as they give out. The first segment passes about
    /// log₂ of the ranks.
    Binary,
}

/// A rank's place in the tree: who is above, and who is below, before it and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) parent: Option<usize>,
    /// The top of the ranks that come just before this one.
    pub(super) before: Option<usize>,
    /// The top of the ranks that come just after it.
    pub(super) after: Option<usize>,
}

impl Tree {
    /// The place of `rank` in the tree of `ranks` ranks under `root`. Cost: the depth of the tree, or constant.
    pub(super) fn place(self, rank: usize, ranks: usize, root: usize) -> Place {
        match self {
            Tree::Chain => {
                let before = (rank <= root).then(|| rank.checked_sub(1)).flatten();
                let after = Some(rank + 1).filter(|&next| rank >= root && next < ranks);
                let parent = match rank {
                    _ if rank == root => None,
                    _ if rank < root => Some(rank + 1),
                    _ => Some(rank - 1),
                };
                Place { parent, before, after }
            }
            Tree::Binary => {
                let (mut all, mut top, mut parent) = (0..ranks, root, None);
                loop {
                    let (left, right) = (all.start..top, top + 1..all.end);
                    if rank == top {
                        return Place { parent, before: middle(&left), after: middle(&right) };
                    }
                    all = if rank < top { left } else { right };
                    parent = Some(top);
                    // The rank is in it, so it is not empty.
                    top = middle(&all).unwrap_or(rank);
                }
            }
        }
    }
}

fn middle(run: &Range<usize>) -> Option<usize> {
    (!run.is_empty()).then(|| run.start + run.len() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks below `rank` and itself, in the order in which they are combined; and how deep they are.
    fn in_order(tree: Tree, rank: usize, ranks: usize, root: usize) -> (Vec<usize>, usize) {
        let Place { before, after, .. } = tree.place(rank, ranks, root);
        let mut all = Vec::new();
        let mut depth = 0;
        for (child, own) in [(before, true), (after, false)] {
            if let Some(child) = child {
                assert_eq!(tree.place(child, ranks, root).parent, Some(rank));
                let (below, deep) = in_order(tree, child, ranks, root);
                all.extend(below);
                depth = depth.max(deep);
            }
            all.extend(own.then_some(rank));
        }
        (all, depth + 1)
    }

    #[test]
    fn every_rank_is_combined_once_and_in_order() {
        for tree in [Tree::Chain, Tree::Binary] {
            for ranks in 1..40 {
                for root in 0..ranks {
                    let (all, depth) = in_order(tree, root, ranks, root);
                    assert_eq!(all, (0..ranks).collect::<Vec<_>>(), "{tree:?} {ranks} {root}");
                    assert!(
                        tree == Tree::Chain || depth <= 2 + ranks.ilog2() as usize,
                        "{ranks} {root}: {depth}"
                    );
                    assert_eq!(tree.place(root, ranks, root).parent, None);
                }
            }
        }
    }
}
