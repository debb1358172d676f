//! Start tags in context: the cheapest sequence of candidates.

use super::lexicon::Candidate;
use super::tags::Tag;
use super::transitions::{Row, Transitions};

/// Paths that cost this much more than the best of their word are given up: e⁶ times less likely.
const BEAM: u32 = 384;

/// The best path that ends with two tags.
#[derive(Clone, Copy, Debug)]
struct Path {
    cost: u32,
    /// What may come after its two tags costs.
    row: Row,
    /// The path to the word before it.
    before: u32,
    tag: Tag,
    /// Which of the last tags that are left of its word this is.
    group: u16,
}

/// A path to go on from, below what that costs: the cheaper one is the lesser one, of equal ones the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way(u64);

impl Way {
    const NONE: Self = Self(u64::MAX);

    #[inline]
    fn new(cost: u32, from: u32) -> Self {
        Self(u64::from(cost) << 32 | u64::from(from))
    }

    #[inline]
    fn cost(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    fn from(self) -> u32 {
        self.0 as u32
    }
}

/// Room for one sentence, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Of all words those that are not given up, word by word; of one word those that end with the same tag are side by side.
    kept: Vec<Path>,
    /// The tags that those of the word before end with.
    last: Vec<Tag>,
    next: Vec<Tag>,
    /// For each of these tags and each candidate of the word at hand the cheapest way there.
    ways: Vec<Way>,
}

/// Writes the cheapest tags into `out`; `words` gives the candidates of each word, none of them empty. Exact but for the beam
/// (Viterbi over pairs of tags, of which only those are held that the beam keeps).
/// Costs for each word its candidates times the paths of the word before it that are kept; where both are one, next to nothing.
pub(crate) fn cheapest<'a>(
    transitions: &Transitions,
    words: usize,
    candidates: impl Fn(usize) -> &'a [Candidate],
    paths: &mut Paths,
    out: &mut Vec<Tag>,
) {
    const BOUNDARY: &[Candidate] = &[Candidate { tag: Tag::BOUNDARY, cost: 0 }];
    out.clear();
    if words == 0 {
        return;
    }
    let Paths { kept, last, next, ways } = paths;
    kept.clear();
    last.clear();
    let row = transitions.row(Tag::BOUNDARY, Tag::BOUNDARY);
    kept.push(Path { cost: 0, row, before: 0, tag: Tag::BOUNDARY, group: 0 });
    last.push(Tag::BOUNDARY);
    // Where those of the word before begin.
    let mut begin = 0;
    // One step more than words: what the end of the sentence says about the last of them.
    for i in 0..=words {
        let list = if i < words { candidates(i) } else { BOUNDARY };
        let at = kept.len();
        if let ([tag], [only]) = (&mut last[..], list)
            && at == begin + 1
        {
            let row = transitions.row(*tag, only.tag);
            kept.push(Path { cost: 0, row, before: begin as u32, tag: only.tag, group: 0 });
            (*tag, begin) = (only.tag, at);
            continue;
        }
        let cells = last.len() * list.len();
        if ways.len() < cells {
            ways.resize(cells, Way::NONE);
        }
        ways[..cells].fill(Way::NONE);
        let mut best = u32::MAX;
        for (from, path) in (begin as u32..).zip(&kept[begin..]) {
            let first = usize::from(path.group) * list.len();
            let ways = list.iter().zip(&mut ways[first..first + list.len()]);
            let so_far = path.cost;
            let mut put = |cost: u32, candidate: &Candidate, way: &mut Way| {
                let cost = so_far + u32::from(candidate.cost) + cost;
                best = best.min(cost);
                *way = Way::new(cost, from).min(*way);
            };
            match transitions.after(path.row) {
                Some(row) => ways.for_each(|(c, way)| put(u32::from(row[c.tag.index()]), c, way)),
                None => {
                    let a = kept[path.before as usize].tag;
                    ways.for_each(|(c, way)| put(transitions.cost(a, path.tag, c.tag), c, way));
                }
            }
        }
        next.clear();
        for (n, candidate) in list.iter().enumerate() {
            let (before, group) = (kept.len(), next.len() as u16);
            let mut cell = n;
            for &tag in &*last {
                let way = ways[cell];
                cell += list.len();
                // Costs are counted from the best on: no sentence is too long for them.
                let cost = way.cost() - best;
                if cost <= BEAM {
                    let row = transitions.row(tag, candidate.tag);
                    kept.push(Path { cost, row, before: way.from(), tag: candidate.tag, group });
                }
            }
            if kept.len() > before {
                next.push(candidate.tag);
            }
        }
        std::mem::swap(last, next);
        begin = at;
    }
    // Only the boundary is left as the last tag.
    let mut at = (begin..kept.len()).min_by_key(|&at| kept[at].cost).unwrap_or(0);
    out.resize(words, Tag::BOUNDARY);
    for tag in out.iter_mut().rev() {
        at = kept[at].before as usize;
        *tag = kept[at].tag;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TAGS: usize = 4;

    /// The cost of a sequence of tags, and of the end after it; `None` if a word cannot have one of them.
    fn cost(transitions: &Transitions, words: &[Vec<Candidate>], tags: &[Tag]) -> Option<u32> {
        let (mut sum, mut a, mut b) = (0, Tag::BOUNDARY, Tag::BOUNDARY);
        for (word, &tag) in words.iter().zip(tags) {
            let candidate = word.iter().find(|c| c.tag == tag)?;
            sum += transitions.cost(a, b, tag) + u32::from(candidate.cost);
            (a, b) = (b, tag);
        }
        Some(sum + transitions.cost(a, b, Tag::BOUNDARY))
    }

    /// The least cost of all sequences there are.
    fn least(transitions: &Transitions, words: &[Vec<Candidate>]) -> u32 {
        let all = (TAGS - 1).pow(words.len() as u32);
        let sequence = |n: usize| -> Vec<Tag> {
            let digit = |i: u32| n / (TAGS - 1).pow(i) % (TAGS - 1);
            (0..words.len() as u32).map(|i| Tag(1 + digit(i) as u16)).collect()
        };
        (0..all).filter_map(|n| cost(transitions, words, &sequence(n))).min().unwrap()
    }

    fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let tags = prop::sample::subsequence(vec![1, 2, 3], 1..=TAGS - 1);
        (tags, prop::collection::vec(0..20_u16, TAGS)).prop_map(|(tags, costs)| {
            tags.into_iter().zip(costs).map(|(tag, cost)| Candidate { tag: Tag(tag), cost }).collect()
        })
    }

    fn transitions() -> impl Strategy<Value = Transitions> {
        let tag = || (0..TAGS as u16).prop_map(Tag);
        let triple = ([tag(), tag(), tag()], 0..20_u16);
        (prop::collection::vec(0..20_u16, TAGS * TAGS), prop::collection::vec(triple, 0..40))
            .prop_map(|(pairs, triples)| Transitions::new(TAGS, pairs, triples))
    }

    proptest! {
        /// Of costs that come nowhere near the beam.
        #[test]
        fn no_sequence_is_cheaper(
            transitions in transitions(),
            sentences in prop::collection::vec(prop::collection::vec(candidates(), 1..6), 1..4),
        ) {
            let (mut paths, mut out) = (Paths::default(), Vec::new());
            for words in &sentences {
                cheapest(&transitions, words.len(), |i| &words[i], &mut paths, &mut out);
                prop_assert_eq!(cost(&transitions, words, &out), Some(least(&transitions, words)));
            }
        }
    }

    /// However long the sentence: what it costs in all would be more than a number of 32 bits has room for.
    #[test]
    fn costs_do_not_overflow() {
        let transitions = Transitions::new(2, vec![u16::MAX; 4], Vec::new());
        let (mut paths, mut out) = (Paths::default(), Vec::new());
        let list = [Candidate { tag: Tag(1), cost: u16::MAX }, Candidate { tag: Tag(0), cost: u16::MAX }];
        cheapest(&transitions, 200_000, |_| &list, &mut paths, &mut out);
        assert_eq!(out.len(), 200_000);
    }
}
