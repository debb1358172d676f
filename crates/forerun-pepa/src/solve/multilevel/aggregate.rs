//! Which states are put together.

use super::PART;
use crate::chain::{Chain, Rates};
use crate::parallel::parts;

/// A pair is put together if what flows between the two is at least this share of what flows out of them. Notay's
/// bound on the quality of a pair asks for about a quarter; with many transitions a state hardly any pair has that, no
/// chain would become small enough to be solved, and what mixes slowest would stay as it is.
const QUALITY: f64 = 0.05;
/// A coupling is as good as a state's strongest from this share of it on.
const AS_STRONG: f64 = 0.25;
const ALONE: u32 = u32::MAX;

/// Pairs each state with the one it is coupled to most strongly, in the weights `w` (all 1 if empty). Gives each
/// state's aggregate and how many there are.
pub(super) fn pairs(chain: &Chain, w: &[f64]) -> (Vec<u32>, usize) {
    let weight = |state: usize| if w.is_empty() { 1.0 } else { w[state] };
    let mut of = vec![ALONE; chain.states()];
    let mut count = 0u32;
    for state in 0..chain.states() {
        if of[state] != ALONE {
            continue;
        }
        let out = chain.exits[state] * weight(state);
        let mut best = (0.0, state);
        for (from, rate) in chain.entering(state) {
            let from = from as usize;
            if of[from] != ALONE {
                continue;
            }
            let back = between(chain, state, from) * weight(state);
            let flow = (rate * weight(from) + back) / 2.0;
            let other = chain.exits[from] * weight(from);
            let quality = flow * (1.0 / out + 1.0 / other);
            if quality > best.0 {
                best = (quality, from);
            }
        }
        of[state] = count;
        if best.0 >= QUALITY {
            of[best.1] = count;
        }
        count += 1;
    }
    (of, count as usize)
}

/// Puts states together with one that they are coupled to about as strongly as to any, up to so many each. Gives each
/// state's aggregate and how many there are.
pub(super) fn groups(chain: &Chain, w: &[f64], most: u32) -> (Vec<u32>, usize) {
    let weight = |state: usize| if w.is_empty() { 1.0 } else { w[state] };
    let mut of = vec![ALONE; chain.states()];
    let mut sizes: Vec<u32> = Vec::new();
    for state in 0..chain.states() {
        if of[state] != ALONE {
            continue;
        }
        let out = chain.exits[state] * weight(state);
        let (mut strongest, mut best) = (0.0f64, (0.0, state));
        for (from, rate) in chain.entering(state) {
            let from = from as usize;
            let flow = rate * weight(from);
            let quality = flow / out + flow / (chain.exits[from] * weight(from));
            strongest = strongest.max(quality);
            let has_room = of[from] == ALONE || sizes[of[from] as usize] < most;
            if has_room && quality > best.0 {
                best = (quality, from);
            }
        }
        // A state that would have to go with one that it hardly leads to stays alone, until those it leads to are one.
        let other = if best.0 >= AS_STRONG * strongest { best.1 } else { state };
        if of[other] == ALONE {
            of[other] = sizes.len() as u32;
            sizes.push(1);
        }
        if other != state {
            of[state] = of[other];
            sizes[of[state] as usize] += 1;
        }
    }
    (of, sizes.len())
}

/// How fast one state leads to another.
fn between(chain: &Chain, from: usize, to: usize) -> f64 {
    let range = chain.rows[to] as usize..chain.rows[to + 1] as usize;
    match chain.from[range.clone()].binary_search(&(from as u32)) {
        Ok(at) => chain.rates.get(range.start + at),
        Err(_) => 0.0,
    }
}

/// The chain of aggregates: what flows between them. The flows out are summed from those, so that
/// what flows out flows in, to the last digit but rounding. Those from which an aggregate is entered are in ascending order, which
/// [`pairs`] needs, if they are to be `sorted`.
pub(super) fn coarsen(chain: &Chain, w: &[f64], of: &[u32], count: usize, sorted: bool) -> Chain {
    // Side by side, since they are looked up together.
    let weight = |state: usize| if w.is_empty() { 1.0 } else { w[state] };
    let weighed: Vec<(u32, f64)> = of.iter().enumerate().map(|(state, a)| (*a, weight(state))).collect();
    // The members of each aggregate.
    let mut first = vec![0u32; count + 1];
    of.iter().for_each(|a| first[*a as usize + 1] += 1);
    for at in 0..count {
        first[at + 1] += first[at];
    }
    let mut next = first.clone();
    let mut members = vec![0u32; of.len()];
    for (state, a) in of.iter().enumerate() {
        members[next[*a as usize] as usize] = state as u32;
        next[*a as usize] += 1;
    }
    // What comes out is the same whatever the parts.
    let parts = parts(count, PART.max(count.div_ceil(4)), |range| {
        let mut some = Part::default();
        let mut flow = vec![0.0; count];
        let mut touched: Vec<u32> = Vec::new();
        for a in range {
            for member in &members[first[a] as usize..first[a + 1] as usize] {
                for (from, rate) in chain.entering(*member as usize) {
                    let (other, weight) = weighed[from as usize];
                    if other as usize == a {
                        continue;
                    }
                    if flow[other as usize] == 0.0 {
                        touched.push(other);
                    }
                    flow[other as usize] += rate * weight;
                }
            }
            if sorted {
                touched.sort_unstable();
            }
            for other in touched.drain(..) {
                // What comes twice has been nothing to begin with, and is nothing the second time.
                let flow = std::mem::take(&mut flow[other as usize]);
                if flow > 0.0 {
                    some.from.push(other);
                    some.rates.push(flow);
                }
            }
            some.rows.push(some.from.len() as u32);
        }
        some
    });
    let mut rows = vec![0];
    let (mut from, mut rates): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
    for some in parts {
        let begin = from.len() as u32;
        rows.extend(some.rows.iter().map(|end| begin + end));
        from.extend(some.from);
        rates.extend(some.rates);
    }
    let mut exits = vec![0.0; count];
    from.iter().zip(&rates).for_each(|(other, flow)| exits[*other as usize] += flow);
    Chain { rows, from, rates: Rates::Plain(rates), exits }
}

/// Some rows of a chain.
#[derive(Default)]
struct Part {
    rows: Vec<u32>,
    from: Vec<u32>,
    rates: Vec<f64>,
}
