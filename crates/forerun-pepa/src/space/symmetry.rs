//! Components that can be exchanged without anybody noticing.
//!
//! Equal components of one cooperation can be permuted: the permuted state behaves the same. So
//! one state stands for all permutations of it. Copies that do not cooperate with each other
//! become an array, of which only the numbers in each local state are kept; others are kept in
//! ascending order.

use super::layout::{Field, Layout};
use super::span::{Span, spans};
use crate::model::{System, Tree};

/// Bits that a group may take whose order is remembered.
const BITS: u32 = 12;

/// Equal components of a cooperation: the fields of each.
#[derive(Debug, Clone)]
struct Group {
    members: Vec<Vec<Field>>,
    /// All of them, if they are in a few bits.
    span: Option<Span>,
}

impl Group {
    fn of(members: Vec<Vec<Field>>) -> Group {
        let all = spans(&members.concat(), BITS);
        let span = all.into_iter().next().filter(|s| {
            s.fields.len() == members.iter().map(Vec::len).sum::<usize>() && s.mask.count_ones() <= BITS
        });
        Group { members, span }
    }
}

/// Space to put members of groups in order.
#[derive(Debug, Default)]
pub(crate) struct Sorting {
    keys: Vec<u64>,
    /// For each group that has a span, by its value, what the value is in order, plus 1; 0 where that is not known yet.
    remembered: Vec<Vec<u32>>,
}

/// All groups, inner ones before those that contain them.
#[derive(Debug, Clone)]
pub(crate) struct Symmetry {
    groups: Vec<Group>,
}

/// Puts equal components together; gives the tree in which copies have become arrays.
pub(crate) fn fold(system: &System, tree: &Tree) -> Tree {
    match tree {
        Tree::Leaf(_) | Tree::Array(..) => tree.clone(),
        Tree::Hiding(set, inner) => Tree::Hiding(set.clone(), fold(system, inner).into()),
        Tree::Cooperation(set, parts) => {
            let mut kinds: Vec<(Tree, u32)> = Vec::new();
            for part in parts {
                let part = fold(system, part);
                match kinds.iter_mut().find(|(kind, _)| *kind == part) {
                    Some((_, count)) => *count += 1,
                    None => kinds.push((part, 1)),
                }
            }
            let mut folded = Vec::new();
            for (kind, count) in kinds {
                let alone = system.alphabet(&kind).iter().all(|a| set.binary_search(a).is_err());
                match kind {
                    Tree::Leaf(local) if alone && count > 1 => folded.push(Tree::Array(local, count)),
                    other => folded.extend(vec![other; count as usize]),
                }
            }
            match folded.len() {
                1 => folded.remove(0),
                _ => Tree::Cooperation(set.clone(), folded),
            }
        }
    }
}

impl Group {
    /// Puts the members in order.
    fn sort(&self, state: &mut [u64], keys: &mut Vec<u64>) {
        let width = self.members[0].len();
        keys.clear();
        for member in &self.members {
            keys.extend(member.iter().map(|f| f.get(state)));
        }
        if width == 1 {
            keys.sort_unstable();
        } else if !keys.chunks_exact(width).is_sorted() {
            let mut rows: Vec<&[u64]> = keys.chunks_exact(width).collect();
            rows.sort_unstable();
            let sorted = rows.concat();
            keys.copy_from_slice(&sorted);
        } else {
            return;
        }
        for (member, row) in self.members.iter().zip(keys.chunks_exact(width)) {
            for (field, value) in member.iter().zip(row) {
                let word = &mut state[field.word as usize];
                *word = (*word & !(field.mask << field.shift)) | (value << field.shift);
            }
        }
    }
}

impl Symmetry {
    /// The groups of a folded tree.
    pub(crate) fn of(folded: &Tree, layout: &Layout) -> Symmetry {
        let mut symmetry = Symmetry { groups: Vec::new() };
        symmetry.add(folded, layout, &mut 0);
        symmetry
    }

    /// Whether nothing can be exchanged.
    pub(crate) fn is_trivial(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds the groups of a subtree; gives its fields.
    fn add(&mut self, tree: &Tree, layout: &Layout, part: &mut usize) -> Vec<Field> {
        match tree {
            Tree::Leaf(_) | Tree::Array(..) => {
                let fields = layout.parts[*part].fields.clone();
                *part += 1;
                fields
            }
            Tree::Hiding(_, inner) => self.add(inner, layout, part),
            Tree::Cooperation(_, parts) => {
                let fields: Vec<Vec<Field>> = parts.iter().map(|p| self.add(p, layout, part)).collect();
                let mut grouped = vec![false; parts.len()];
                for at in 0..parts.len() {
                    if grouped[at] {
                        continue;
                    }
                    let equal: Vec<usize> = (at..parts.len()).filter(|o| parts[*o] == parts[at]).collect();
                    if equal.len() > 1 {
                        equal.iter().for_each(|o| grouped[*o] = true);
                        let members = equal.iter().map(|o| fields[*o].clone()).collect();
                        self.groups.push(Group::of(members));
                    }
                }
                fields.concat()
            }
        }
    }

    /// Turns a state into the one that stands for all its permutations.
    pub(crate) fn canonical(&self, state: &mut [u64], sorting: &mut Sorting) {
        let Sorting { keys, remembered } = sorting;
        remembered.resize_with(self.groups.len(), Vec::new);
        for (group, known) in self.groups.iter().zip(remembered) {
            let Some(span) = &group.span else {
                group.sort(state, keys);
                continue;
            };
            known.resize(span.mask as usize + 1, 0);
            let known = &mut known[span.value(state)];
            if *known == 0 {
                group.sort(state, keys);
                *known = span.value(state) as u32 + 1;
            } else {
                let word = &mut state[span.word as usize];
                *word = (*word & !(span.mask << span.shift)) | (u64::from(*known - 1) << span.shift);
            }
        }
    }

    /// How many states a state stands for, if members of groups are told apart.
    pub(crate) fn permutations(&self, state: &[u64]) -> f64 {
        let mut product = 1.0;
        for group in &self.groups {
            let mut rows: Vec<Vec<u64>> =
                group.members.iter().map(|m| m.iter().map(|f| f.get(state)).collect()).collect();
            rows.sort_unstable();
            let runs = rows.chunk_by(|a, b| a == b).map(|run| run.len() as u64);
            product *= multinomial(runs);
        }
        product
    }
}

/// In how many ways things can be dealt so that the piles have these sizes. Infinite if it is beyond 10³⁰⁸. Cost: some
/// thousand steps for each size, however large.
pub(crate) fn multinomial(sizes: impl Iterator<Item = u64>) -> f64 {
    // The largest pile is dealt first, which can be done in one way; of each other one every thing that is dealt at least doubles
    // the number of ways, so that it is small or soon beyond all numbers.
    let (mut placed, mut others) = (0u64, Vec::new());
    for size in sizes {
        others.push(size.min(placed));
        placed = placed.max(size);
    }
    let mut product = 1.0f64;
    for size in others {
        for i in 1..=size {
            placed += 1;
            product *= placed as f64 / i as f64;
            if product.is_infinite() {
                return product;
            }
        }
    }
    if product < 1e15 { product.round() } else { product }
}

#[cfg(test)]
mod tests {
    use super::multinomial;

    #[test]
    fn ways_to_deal_piles_of_any_size() {
        assert_eq!(multinomial([2, 1, 1].into_iter()), 12.0);
        assert_eq!(multinomial([3, 0, 4, 5].into_iter()), 27720.0);
        assert_eq!(multinomial([0, 0].into_iter()), 1.0);
        // A billion copies in one local state, or nearly, take no longer than a few.
        let many = 1u64 << 60;
        assert_eq!(multinomial([0, many, 0].into_iter()), 1.0);
        assert_eq!(multinomial([1, many, 0].into_iter()), (many + 1) as f64);
        assert_eq!(multinomial([many / 2, many / 2].into_iter()), f64::INFINITY);
    }
}
