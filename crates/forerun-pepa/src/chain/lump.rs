//! States that need not be told apart.

use std::collections::HashMap;

use super::Chain;
use crate::space::Space;

/// A chain with fewer states that behaves the same.
#[derive(Debug, Clone)]
pub struct Lumped {
    /// Each state's class.
    pub of: Vec<u32>,
    /// One state of each class.
    pub members: Vec<u32>,
    /// The chain of classes.
    pub chain: Chain,
}

/// Rates are compared to ten digits: sums of the same rates in another order are the same.
fn digits(rate: f64) -> u64 {
    let bits = rate.to_bits();
    // Rounded to 34 of 52 bits.
    (bits + (1 << 17)) >> 18
}

/// The coarsest ordinary lumping (Kemeny and Snell, 1960; Buchholz, J. Appl. Prob. 31, 1994) in which all states of a
/// class do every action at the same rate: so throughputs, and all that is reckoned from them, stay what they
/// are. Classes are split by the rates at which their states lead to other classes until nothing changes. Cost: one
/// pass over the transitions a round; rounds are as many as the longest chain of differences.
pub fn lump(space: &Space) -> Lumped {
    let states = space.states();
    // At first, by what they do.
    let mut signature: Vec<(u32, u64)> = Vec::new();
    let mut by_signature: HashMap<(u32, Vec<(u32, u64)>), u32> = HashMap::new();
    let mut sums: Vec<(u32, f64)> = Vec::new();
    let mut of = vec![0u32; states];
    let mut count = 0;
    let mut round = 0;
    loop {
        by_signature.clear();
        let mut next = vec![0u32; states];
        for state in 0..states {
            sums.clear();
            for step in space.from(state) {
                let to = of[step.to as usize];
                if round == 0 {
                    sums.push((step.action, step.rate));
                } else if to != of[state] {
                    sums.push((to, step.rate));
                }
            }
            collect(&mut sums, &mut signature);
            let number = by_signature.len() as u32;
            let key = (of[state], std::mem::take(&mut signature));
            next[state] = *by_signature.entry(key).or_insert(number);
        }
        let found = by_signature.len();
        of = next;
        if found == count && round > 0 {
            break;
        }
        count = found;
        round += 1;
    }
    let mut members = vec![u32::MAX; count];
    for (state, class) in of.iter().enumerate().rev() {
        members[*class as usize] = state as u32;
    }
    let chain = Chain::build(count, |class, each| {
        space.from(members[class] as usize).for_each(|step| each(of[step.to as usize], step.rate));
    });
    Lumped { of, members, chain }
}

/// Adds what has the same key, in the order of the keys.
fn collect(sums: &mut [(u32, f64)], into: &mut Vec<(u32, u64)>) {
    sums.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for run in sums.chunk_by(|a, b| a.0 == b.0) {
        into.push((run[0].0, digits(run.iter().map(|(_, rate)| rate).sum())));
    }
}
