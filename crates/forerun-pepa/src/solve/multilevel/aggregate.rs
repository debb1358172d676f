//! Which states are put together.

use crate::chain::Chain;

/// A pair is put together if what flows between the two is at least this share of what flows out of them. Notay's
/// bound on the quality of a pair asks for about a quarter; with many transitions a state hardly any pair has that, no
/// chain would become small enough to be solved, and what mixes slowest would stay as it is.
const QUALITY: f64 = 0.05;
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

/// How fast one state leads to another.
fn between(chain: &Chain, from: usize, to: usize) -> f64 {
    let range = chain.rows[to] as usize..chain.rows[to + 1] as usize;
    match chain.from[range.clone()].binary_search(&(from as u32)) {
        Ok(at) => chain.rates[range.start + at],
        Err(_) => 0.0,
    }
}

/// The chain of aggregates: what flows between them. The flows out are summed from those, so that
/// what flows out flows in, to the last digit but rounding.
pub(super) fn coarsen(chain: &Chain, w: &[f64], of: &[u32], count: usize) -> Chain {
    let weight = |state: u32| if w.is_empty() { 1.0 } else { w[state as usize] };
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
    let mut coarse = Chain { rows: vec![0], from: Vec::new(), rates: Vec::new(), exits: vec![0.0; count] };
    let mut flow = vec![0.0; count];
    let mut touched: Vec<u32> = Vec::new();
    for a in 0..count {
        for member in &members[first[a] as usize..first[a + 1] as usize] {
            for (from, rate) in chain.entering(*member as usize) {
                let other = of[from as usize];
                if other as usize == a {
                    continue;
                }
                if flow[other as usize] == 0.0 {
                    touched.push(other);
                }
                flow[other as usize] += rate * weight(from);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for other in touched.drain(..) {
            let f = std::mem::take(&mut flow[other as usize]);
            coarse.from.push(other);
            coarse.rates.push(f);
            coarse.exits[other as usize] += f;
        }
        coarse.rows.push(coarse.from.len() as u32);
    }
    coarse
}
