//! Steady states of chains whose states lead to near ones only, exactly: a queue, copies of one component.

use super::start::Transitions;
use crate::chain::Chain;

/// Most numbers that are kept, and most operations.
const MOST: (usize, usize) = (20_000_000, 1_000_000_000);
/// Probabilities are kept between this and its inverse, times a power of it.
const SCALE: f64 = 1e100;

/// By how many places transitions lead at most, if so near that elimination is cheap.
pub(super) fn width(n: usize, transitions: Transitions<'_>) -> Option<usize> {
    let mut width = 1;
    for from in 0..n {
        transitions(from, &mut |to, _| width = width.max(from.abs_diff(to as usize)));
        if n.saturating_mul(2 * width + 1) > MOST.0 || n.saturating_mul(width * width) > MOST.1 {
            return None;
        }
    }
    Some(width)
}

/// Solves an irreducible chain as [`super::direct::eliminate`] does, within the band: what eliminating a state adds leads from
/// and to states at most as far before it. A probability may be any power of ten of another. Cost: n · width² operations,
/// 16 n · width bytes.
pub(super) fn eliminate(chain: &Chain, width: usize) -> Vec<f64> {
    let n = chain.states();
    let line = 2 * width + 1;
    // Row i, column j: how fast i leads to j.
    let at = |i: usize, j: usize| i * line + (j + width - i);
    let mut a = vec![0.0; n * line];
    for to in 0..n {
        for (from, rate) in chain.entering(to) {
            a[at(from as usize, to)] = rate;
        }
    }
    for last in (1..n).rev() {
        let first = last.saturating_sub(width);
        let sum: f64 = a[at(last, first)..at(last, last)].iter().sum();
        for i in first..last {
            let share = a[at(i, last)] / sum;
            a[at(i, last)] = share;
            if share != 0.0 {
                for j in first..last {
                    a[at(i, j)] += share * a[at(last, j)];
                }
            }
        }
    }
    // Of each state: its probability, and the power of the scale that it is to be multiplied by. Those in reach
    // have one power.
    let mut x = vec![(0.0f64, 0i32); n];
    x[0] = (1.0, 0);
    let mut power = 0;
    for last in 1..n {
        let first = last.saturating_sub(width);
        let factor = |own: i32| SCALE.powi((own - power).clamp(-4, 4));
        let value: f64 = (first..last).map(|i| x[i].0 * factor(x[i].1) * a[at(i, last)]).sum();
        x[last] = (value, power);
        let largest = (first..=last).map(|i| x[i].0 * factor(x[i].1)).fold(0.0, f64::max);
        if largest > SCALE {
            power += 1;
        } else if largest > 0.0 && largest < 1.0 / SCALE {
            power -= 1;
        }
    }
    let most = x.iter().filter(|p| p.0 > 0.0).map(|p| p.1).max().unwrap_or(0);
    let mut x: Vec<f64> = x.into_iter().map(|(p, power)| p * SCALE.powi((power - most).max(-8))).collect();
    super::normalise(&mut x);
    x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::direct;
    use super::{eliminate, width};
    use crate::chain::Chain;

    proptest! {
        /// It is the elimination of any chain.
        #[test]
        fn a_band_gives_what_the_whole_gives(
            n in 2usize..40,
            reach in 1usize..6,
            rates in prop::collection::vec(-6i32..6, 1000),
        ) {
            let rate = |i: usize, j: usize| 10f64.powi(rates[(i * 37 + j * 11) % rates.len()]);
            let chain = Chain::build(n, |i, each| {
                for j in i.saturating_sub(reach)..n.min(i + reach + 1) {
                    // The next ones always, so that every state leads to every other.
                    if i != j && (i.abs_diff(j) == 1 || rates[(i * 13 + j * 29) % rates.len()] > 0) {
                        each(j as u32, rate(i, j));
                    }
                }
            });
            let reach = width(n, &|to, each| chain.entering(to).for_each(|(from, rate)| each(from, rate))).unwrap();
            let (found, expected) = (eliminate(&chain, reach), direct::eliminate(&chain));
            for (f, e) in found.iter().zip(&expected) {
                prop_assert!((f - e).abs() <= 1e-12 * e, "{} {}", f, e);
            }
        }
    }

    /// Up and down over many powers of ten: most of the time is spent at two places far from the beginning.
    #[test]
    fn probabilities_may_differ_by_any_power_of_ten() {
        let n = 20_001;
        let chain = Chain::build(n, |i, each| {
            let up = if i < 5_000 || (10_000..15_000).contains(&i) { 1e-3 } else { 1e3 };
            if i + 1 < n {
                each(i as u32 + 1, up);
            }
            if i > 0 {
                each(i as u32 - 1, 1.0);
            }
        });
        let x = eliminate(&chain, 1);
        // Down, up, down, up: the first and the middle weigh alike but for one step, and so does the last.
        let expected = [1.0, 1.0, 1.0].map(|w| w / 3.0);
        for (at, e) in [0, 10_000, 20_000].into_iter().zip(expected) {
            assert!((x[at] / e - 1.0).abs() < 0.01, "{at}: {}", x[at]);
        }
        assert!(chain.residual(&x) < 1e-12);
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
