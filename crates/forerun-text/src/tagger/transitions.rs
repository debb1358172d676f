//! What a tag costs after the two before it.

use super::tags::Tag;

/// Costs in the table at most: 32 MiB, ten times what a large corpus needs.
const CELLS: usize = 1 << 24;

/// Where the costs of all tags after a pair of tags are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(u32);

/// A pair of tags whose costs are not in the table.
const SEARCHED: Row = Row(u32::MAX);

/// Costs of tags in context: of pairs, and of those triples that have been seen.
///
/// The likelihood of a tag after two others is the interpolation of the relative frequencies of one, two and
/// three tags (Brants, *TnT*, 2000, equation 6); a triple that has not been seen has the cost of its last pair.
///
/// The costs of all tags after a pair are side by side; pairs after which nothing was seen share those of their last tag.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    tags: usize,
    /// For each pair of tags where its row begins.
    rows: Vec<Row>,
    /// Rows of as many costs as there are tags, first those of single tags.
    costs: Vec<u16>,
    /// Ascending.
    triples: Vec<([Tag; 3], u16)>,
}

impl Transitions {
    /// A table of the costs of pairs, row by row of the first tag, and of triples.
    ///
    /// # Panics
    /// If `pairs` has not `tags`² entries.
    pub(crate) fn new(tags: usize, pairs: Vec<u16>, mut triples: Vec<([Tag; 3], u16)>) -> Self {
        assert_eq!(pairs.len(), tags * tags);
        triples.sort_unstable();
        triples.dedup_by_key(|(triple, _)| *triple);
        let mut rows: Vec<Row> = (0..tags).flat_map(|_| (0..tags).map(|b| Row((b * tags) as u32))).collect();
        let mut costs = pairs;
        for list in triples.chunk_by(|(a, _), (b, _)| a[..2] == b[..2]) {
            let [a, b, _] = list[0].0;
            let row = &mut rows[a.index() * tags + b.index()];
            if costs.len() + tags > CELLS {
                *row = SEARCHED;
                continue;
            }
            *row = Row(costs.len() as u32);
            let (start, single) = (costs.len(), b.index() * tags);
            costs.extend_from_within(single..single + tags);
            list.iter().for_each(|([_, _, c], cost)| costs[start + c.index()] = *cost);
        }
        Self { tags, rows, costs, triples }
    }

    /// How many tags there are.
    pub fn tags(&self) -> usize {
        self.tags
    }

    /// The costs of pairs, row by row of the first tag.
    pub(crate) fn pairs(&self) -> &[u16] {
        &self.costs[..self.tags * self.tags]
    }

    /// The triples with costs of their own, ascending.
    pub(crate) fn triples(&self) -> &[([Tag; 3], u16)] {
        &self.triples
    }

    /// Where the costs of all tags after `a` and `b` are.
    #[inline]
    pub(crate) fn row(&self, a: Tag, b: Tag) -> Row {
        self.rows[a.index() * self.tags + b.index()]
    }

    /// The costs of a row by the tags' numbers; `None` where they are to be asked for one by one.
    #[inline]
    pub(crate) fn after(&self, row: Row) -> Option<&[u16]> {
        (row != SEARCHED).then(|| &self.costs[row.0 as usize..][..self.tags])
    }

    /// What `c` costs after `a` and `b`.
    pub fn cost(&self, a: Tag, b: Tag, c: Tag) -> u32 {
        let searched = || {
            let found = self.triples.binary_search_by_key(&[a, b, c], |(triple, _)| *triple);
            found.map_or(self.costs[b.index() * self.tags + c.index()], |n| self.triples[n].1)
        };
        u32::from(self.after(self.row(a, b)).map_or_else(searched, |row| row[c.index()]))
    }
}
