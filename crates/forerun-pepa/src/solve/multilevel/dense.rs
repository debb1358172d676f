//! The coarsest equations.

use crate::chain::Chain;

/// Factors of a chain's equations without one state, whose value is set to 0: they are determined
/// but for a multiple of the solution. The state is the one with the largest flow: relative to one that is hardly
/// ever visited, all others would be the small difference of huge numbers.
#[derive(Debug)]
pub(super) struct Lu {
    n: usize,
    /// The state left out.
    out: usize,
    /// Row by row; below the diagonal the multipliers.
    a: Vec<f64>,
}

impl Lu {
    /// Factors them: without pivoting, as columns are diagonally dominant. Cost: n³/3. None if a pivot
    /// vanishes.
    pub(super) fn of(chain: &Chain) -> Option<Lu> {
        let n = chain.states() - 1;
        let out = (0..=n).max_by(|i, j| chain.exits[*i].total_cmp(&chain.exits[*j])).unwrap_or(n);
        let place = |state: usize| state - usize::from(state > out);
        let mut a = vec![0.0; n * n];
        for to in (0..=n).filter(|to| *to != out) {
            let row = place(to) * n;
            for (from, rate) in chain.entering(to).filter(|(from, _)| *from as usize != out) {
                a[row + place(from as usize)] = -rate;
            }
            a[row + place(to)] = chain.exits[to];
        }
        for k in 0..n {
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let row = &upper[k * n..];
            let pivot = row[k];
            if !(pivot.is_normal() && pivot > 0.0) {
                return None;
            }
            for line in lower.chunks_exact_mut(n) {
                let factor = line[k] / pivot;
                line[k] = factor;
                if factor != 0.0 {
                    for (x, y) in line[k + 1..].iter_mut().zip(&row[k + 1..]) {
                        *x -= factor * y;
                    }
                }
            }
        }
        Some(Lu { n, out, a })
    }

    /// Solves for one right-hand side.
    pub(super) fn solve(&self, r: &[f64], e: &mut Vec<f64>) {
        let n = self.n;
        e.clear();
        e.extend(r.iter().enumerate().filter(|(at, _)| *at != self.out).map(|(_, r)| r));
        for i in 0..n {
            let sum: f64 = self.a[i * n..i * n + i].iter().zip(&e[..i]).map(|(l, y)| l * y).sum();
            e[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&e[i + 1..]).map(|(u, y)| u * y).sum();
            e[i] = (e[i] - sum) / row[i];
        }
        e.insert(self.out, 0.0);
    }
}
