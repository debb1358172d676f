//! Where an iteration starts.

use forerun_platform::random::Random;

use crate::chain::Chain;

/// Fewer states than this are solved from anywhere in no time.
const FEW: usize = 5000;
/// Steps of the walk: one for so many states, at least and at most so many, and one in so many that do not count, since the beginning
/// is hardly typical.
const STATES: usize = 8;
const LEAST: usize = 1 << 14;
const MOST: usize = 1 << 18;
const SETTLE: usize = 10;
/// What a state that was not met gets, of what one step in an average state is worth.
const UNMET: f64 = 1e-20;

/// Where a random walk goes.
#[derive(Debug)]
pub(super) struct Walk {
    /// The share of the time that it spends in each state, and next to nothing where it never comes.
    pub(super) x: Vec<f64>,
    /// Its last steps.
    pub(super) steps: Vec<(u32, u32)>,
}

/// A chain of so many states; the function passes on every transition of a state and how fast it is.
pub(super) type Transitions<'a> = &'a dyn Fn(usize, &mut dyn FnMut(u32, f64));

/// A distribution to start from: where a random walk from the first state on spends its time. Sweeps move probability
/// by a few states each, so that what is far from where it belongs takes long to get there; what is nearly there
/// does not. The walk is the same every time. None for few states, or if it gets stuck. Cost: its steps.
pub(super) fn walk(n: usize, transitions: Transitions<'_>) -> Option<Walk> {
    if n < FEW {
        return None;
    }
    let mut random = Random::new(1);
    let mut x = vec![0.0; n];
    let (mut state, mut total) = (0usize, 0.0);
    let count = (n / STATES).clamp(LEAST, MOST);
    let mut steps = Vec::with_capacity(count / SETTLE);
    let mut next: Vec<(u32, f64)> = Vec::new();
    for step in 0..count {
        next.clear();
        let mut exit = 0.0;
        transitions(state, &mut |to, rate| {
            if to as usize != state {
                exit += rate;
                next.push((to, rate));
            }
        });
        if next.is_empty() {
            return None;
        }
        if step > count / SETTLE {
            x[state] += 1.0 / exit;
            total += 1.0 / exit;
        }
        let mut left = random.unit() * exit;
        let from = state as u32;
        for (to, rate) in &next {
            state = *to as usize;
            left -= rate;
            if left <= 0.0 {
                break;
            }
        }
        if step > count - count / SETTLE {
            steps.push((from, state as u32));
        }
    }
    let least = UNMET / (n as f64 * count as f64);
    x.iter_mut().for_each(|t| *t = (*t / total).max(least));
    Some(Walk { x, steps })
}

/// The same of a chain; the same for all states where there are few. Cost: a copy of the chain by rows.
pub(super) fn start(chain: &Chain) -> Vec<f64> {
    let n = chain.states();
    if n < FEW {
        return vec![1.0 / n as f64; n];
    }
    let (rows, next) = by_rows(chain);
    let row = |state: usize| &next[rows[state] as usize..rows[state + 1] as usize];
    walk(n, &|state, each| row(state).iter().for_each(|(to, rate)| each(*to, *rate)))
        .map_or_else(|| vec![1.0 / n as f64; n], |walk| walk.x)
}

/// Where each state's transitions begin, and for each where it leads and how fast.
fn by_rows(chain: &Chain) -> (Vec<u32>, Vec<(u32, f64)>) {
    let n = chain.states();
    let mut rows = vec![0u32; n + 1];
    chain.from.iter().for_each(|from| rows[*from as usize + 1] += 1);
    for at in 0..n {
        rows[at + 1] += rows[at];
    }
    let mut next = rows.clone();
    let mut all = vec![(0u32, 0.0); chain.from.len()];
    for to in 0..n {
        for (from, rate) in chain.entering(to) {
            let at = &mut next[from as usize];
            all[*at as usize] = (to as u32, rate);
            *at += 1;
        }
    }
    (rows, all)
}

#[cfg(test)]
mod tests {
    use super::{FEW, start};
    use crate::chain::Chain;

    #[test]
    fn the_start_is_near_the_solution() {
        // A queue: up at rate 1, down at rate 2.
        let n = 2 * FEW;
        let chain = Chain::build(n, |state, each| {
            if state + 1 < n {
                each(state as u32 + 1, 1.0);
            }
            if state > 0 {
                each(state as u32 - 1, 2.0);
            }
        });
        let x = start(&chain);
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 0.01);
        assert!(x.iter().all(|p| *p > 0.0));
        for (state, exact) in [(0, 0.5), (1, 0.25), (2, 0.125)] {
            assert!((x[state] - exact).abs() < 0.05, "{state}: {}", x[state]);
        }
    }
}
