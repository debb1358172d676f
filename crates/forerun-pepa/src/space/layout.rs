//! How a state of the whole system is packed into bits.

use crate::model::{System, Tree};

/// Some bits of one word of a packed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
}

impl Field {
    pub(crate) fn get(self, state: &[u64]) -> u64 {
        (state[self.word as usize] >> self.shift) & self.mask
    }

    /// What must be added to the word to turn one value into another.
    pub(crate) fn delta(self, from: u64, to: u64) -> u64 {
        to.wrapping_sub(from) << self.shift
    }
}

/// A component and where it is packed.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its local states: the values of a single component's field, the order of an array's fields.
    pub(crate) locals: Vec<u32>,
    /// How many copies: 1 for a single component.
    pub(crate) copies: u32,
    /// One field with a local state, or one a local state with the number of copies in it.
    pub(crate) fields: Vec<Field>,
    pub(crate) is_array: bool,
}

impl Part {
    /// The copies in the `at`-th local state.
    pub(crate) fn count(&self, at: usize, state: &[u64]) -> u64 {
        if self.is_array {
            self.fields[at].get(state)
        } else {
            u64::from(self.fields[0].get(state) == at as u64)
        }
    }
}

/// How a system is packed.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// In the order of the tree's leaves.
    pub(crate) parts: Vec<Part>,
    pub(crate) words: usize,
}

impl Layout {
    /// Packs the leaves one after another; no field is split between words.
    pub(crate) fn of(system: &System, tree: &Tree) -> Layout {
        let mut layout = Layout { parts: Vec::new(), words: 1 };
        let mut used = 0;
        layout.add(system, tree, &mut used);
        layout
    }

    fn add(&mut self, system: &System, tree: &Tree, used: &mut u32) {
        match tree {
            Tree::Leaf(local) => {
                let locals = system.reachable(*local);
                let field = self.field(bits(locals.len() as u64 - 1), used);
                self.parts.push(Part { locals, copies: 1, fields: vec![field], is_array: false });
            }
            Tree::Array(local, copies) => {
                let locals = system.reachable(*local);
                let fields = locals.iter().map(|_| self.field(bits(u64::from(*copies)), used)).collect();
                self.parts.push(Part { locals, copies: *copies, fields, is_array: true });
            }
            Tree::Cooperation(_, parts) => parts.iter().for_each(|p| self.add(system, p, used)),
            Tree::Hiding(_, inner) => self.add(system, inner, used),
        }
    }

    fn field(&mut self, bits: u32, used: &mut u32) -> Field {
        if *used + bits > 64 {
            self.words += 1;
            *used = 0;
        }
        let field = Field { word: self.words as u32 - 1, shift: (*used).min(63), mask: (1u64 << bits) - 1 };
        *used += bits;
        field
    }

    /// The state in which every component is where it begins.
    pub(crate) fn initial(&self) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for part in self.parts.iter().filter(|p| p.is_array) {
            let field = part.fields[0];
            state[field.word as usize] |= u64::from(part.copies) << field.shift;
        }
        state
    }
}

/// The bits that a number up to `largest` takes; at most 33 are asked for.
fn bits(largest: u64) -> u32 {
    64 - largest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn bits_hold_the_largest_number() {
        assert_eq!([0, 1, 2, 3, 4, 255, 256].map(bits), [0, 1, 2, 2, 3, 8, 9]);
    }
}
