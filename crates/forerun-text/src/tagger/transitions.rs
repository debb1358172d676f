//! What a tag costs after the two before it.

use hashbrown::HashTable;

use super::tags::Tag;

/// Costs of tags in context: a table of pairs, and of those triples that have been seen.
///
/// The likelihood of a tag after two others is the interpolation of the relative frequencies of one, two and
/// three tags (Brants, *TnT*, 2000, equation 6); a triple that has not been seen has the cost of its last pair.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    tags: usize,
    pairs: Vec<u16>,
    /// Key in the upper 48 bits, cost in the lower 16.
    triples: HashTable<u64>,
}

impl Transitions {
    /// A table of the costs of pairs, row by row of the first tag.
    ///
    /// # Panics
    /// If `pairs` has not `tags`² entries.
    pub(crate) fn new(
        tags: usize,
        pairs: Vec<u16>,
        triples: impl ExactSizeIterator<Item = ([Tag; 3], u16)>,
    ) -> Self {
        assert_eq!(pairs.len(), tags * tags);
        let mut table = HashTable::with_capacity(triples.len() * 2);
        for (triple, cost) in triples {
            let key = key(triple);
            table.insert_unique(mix(key), key << 16 | u64::from(cost), |e| mix(e >> 16));
        }
        Self { tags, pairs, triples: table }
    }

    /// How many tags there are.
    pub fn tags(&self) -> usize {
        self.tags
    }

    /// The costs of pairs, row by row of the first tag.
    pub(crate) fn pairs(&self) -> &[u16] {
        &self.pairs
    }

    /// The triples with costs of their own, in no order.
    pub(crate) fn triples(&self) -> impl Iterator<Item = ([Tag; 3], u16)> {
        self.triples.iter().map(|&e| {
            let part = |shift: u32| Tag((e >> shift) as u16);
            ([part(48), part(32), part(16)], e as u16)
        })
    }

    /// What `c` costs after `a` and `b`.
    #[inline]
    pub fn cost(&self, a: Tag, b: Tag, c: Tag) -> u32 {
        let key = key([a, b, c]);
        match self.triples.find(mix(key), |e| e >> 16 == key) {
            Some(e) => (e & 0xffff) as u32,
            None => u32::from(self.pairs[b.index() * self.tags + c.index()]),
        }
    }
}

fn key([a, b, c]: [Tag; 3]) -> u64 {
    u64::from(a.0) << 32 | u64::from(b.0) << 16 | u64::from(c.0)
}

#[inline]
fn mix(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}
