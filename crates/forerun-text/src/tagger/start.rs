//! Start tags in context: the cheapest sequence of candidates.

use super::lexicon::Candidate;
use super::tags::Tag;
use super::transitions::Transitions;

/// Paths that cost this much more than the best of their word are given up: e⁶ times less likely.
const BEAM: u32 = 384;

/// Room for one sentence, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Costs of (tag before, tag) of the word at hand and of the one before it.
    costs: Vec<u32>,
    next: Vec<u32>,
    /// For each word, where its block in `back` begins.
    blocks: Vec<u32>,
    /// The candidate two words before, for each (tag before, tag).
    back: Vec<u8>,
}

/// Writes the cheapest tags into `out`; `words` gives the candidates of each word, none of them empty and none
/// longer than 255. Exact but for the beam (Viterbi over pairs of tags).
/// Costs for each word the product of three neighbours' candidates at most, less by what the beam gives up.
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
    let at = |i: usize| if i < words { candidates(i) } else { BOUNDARY };
    let Paths { costs, next, blocks, back } = paths;
    costs.clear();
    costs.push(0);
    blocks.clear();
    back.clear();
    let (mut a, mut b) = (BOUNDARY, BOUNDARY);
    // One step more than words: what the end of the sentence says about the last of them.
    for i in 0..=words {
        let c = at(i);
        blocks.push(back.len() as u32);
        next.clear();
        if a.len() == 1 && b.len() == 1 && c.len() == 1 {
            next.push(0);
            back.push(0);
        } else {
            let best = costs.iter().copied().min().unwrap_or(0);
            let block = back.len();
            next.resize(b.len() * c.len(), u32::MAX);
            back.resize(block + b.len() * c.len(), 0);
            for (bi, tb) in b.iter().enumerate() {
                let to = bi * c.len()..(bi + 1) * c.len();
                let (next, back) = (&mut next[to.clone()], &mut back[block..][to]);
                for (ai, ta) in a.iter().enumerate() {
                    let so_far = costs[ai * b.len() + bi];
                    if so_far > best + BEAM {
                        continue;
                    }
                    let row = transitions.after(ta.tag, tb.tag);
                    for ((tc, least), from) in c.iter().zip(&mut *next).zip(&mut *back) {
                        let cost = match row {
                            Some(row) => u32::from(row[tc.tag.index()]),
                            None => transitions.cost(ta.tag, tb.tag, tc.tag),
                        };
                        if so_far + cost < *least {
                            (*least, *from) = (so_far + cost, ai as u8);
                        }
                    }
                }
                for (tc, least) in c.iter().zip(next) {
                    *least = least.saturating_add(u32::from(tc.cost));
                }
            }
        }
        std::mem::swap(costs, next);
        (a, b) = (b, c);
    }
    // Only the boundary is left as the last tag: the pairs are one a candidate of the last word.
    let mut bi = (0..a.len()).min_by_key(|&i| costs[i]).unwrap_or(0);
    let mut ci = 0;
    out.resize(words, Tag::BOUNDARY);
    for i in (0..words).rev() {
        out[i] = at(i)[bi].tag;
        let width = at(i + 1).len();
        let ai = back[blocks[i + 1] as usize + bi * width + ci];
        (ci, bi) = (bi, ai as usize);
    }
}
