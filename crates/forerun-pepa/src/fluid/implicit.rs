//! Steps for equations in which some things happen very much faster than others.
//!
//! An explicit method takes steps as short as the fastest of what happens, long after it has settled. This one looks at how
//! the rates change with the populations, and solves a system of linear equations a step, whose length is then a matter of what still changes.

use super::flow::Flows;

/// Where the stages of RODAS3 are (Sandu et al., *Benchmarking stiff ODE solvers for atmospheric chemistry problems II: Rosenbrock
/// solvers*, Atmospheric Environment 31, 1997; order 3, stiffly accurate), γ = 1/2, for unknowns in which no matrix is multiplied (Hairer and
/// Wanner, *Solving Ordinary Differential Equations II*, section IV.7).
const A: [[f64; 3]; 4] = [[0.0; 3], [0.0; 3], [2.0, 0.0, 0.0], [2.0, 0.0, 1.0]];
const C: [[f64; 3]; 4] = [[0.0; 3], [4.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, -8.0 / 3.0]];
const GAMMA: f64 = 0.5;
/// What the stages contribute; the last one alone is the difference to the result of order 2.
const M: [f64; 4] = [2.0, 0.0, 1.0, 1.0];

/// Populations that are changed by so little of themselves tell how rates depend on them.
const NUDGE: f64 = 1e-7;

/// One step of length `h` from `x`: what follows, and how far off each value may be. None if the equations cannot be solved. Cost: n³/3
/// operations and n evaluations of all rates, for n populations.
pub(super) fn step(flows: &Flows, x: &[f64], h: f64, largest: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = x.len();
    let lu = Lu::of(matrix(flows, x, 1.0 / (h * GAMMA), largest))?;
    let mut k: Vec<Vec<f64>> = Vec::with_capacity(M.len());
    let mut y = vec![0.0; n];
    for (a, c) in A.iter().zip(C) {
        y.copy_from_slice(x);
        let mut right = vec![0.0; n];
        for (a, k) in a.iter().zip(&k) {
            y.iter_mut().zip(k).for_each(|(y, k)| *y += a * k);
        }
        flows.derivative(&y, &mut right);
        for (c, k) in c.iter().zip(&k) {
            right.iter_mut().zip(k).for_each(|(r, k)| *r += c / h * k);
        }
        k.push(lu.solve(right));
    }
    y.copy_from_slice(x);
    for (m, k) in M.iter().zip(&k) {
        y.iter_mut().zip(k).for_each(|(y, k)| *y += m * k);
    }
    k.pop().map(|error| (y, error))
}

/// `shift` times one less how rates of change depend on each population, row by row.
fn matrix(flows: &Flows, x: &[f64], shift: f64, largest: f64) -> Vec<Vec<f64>> {
    let n = x.len();
    let mut all = vec![vec![0.0; n]; n];
    let (mut now, mut then) = (vec![0.0; n], vec![0.0; n]);
    flows.derivative(x, &mut now);
    let mut y = x.to_vec();
    for (j, x) in x.iter().enumerate() {
        // Upward: below 0 nothing flows.
        y[j] = x + NUDGE * x.max(1e-3 * largest);
        let by = y[j] - x;
        flows.derivative(&y, &mut then);
        y[j] = *x;
        for (row, (now, then)) in all.iter_mut().zip(now.iter().zip(&then)) {
            row[j] = (now - then) / by;
        }
        all[j][j] += shift;
    }
    all
}

/// Factors of a matrix, with rows exchanged.
struct Lu {
    rows: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Lu {
    fn of(mut rows: Vec<Vec<f64>>) -> Option<Lu> {
        let n = rows.len();
        let mut order: Vec<usize> = (0..n).collect();
        for p in 0..n {
            let best = (p..n).max_by(|a, b| rows[*a][p].abs().total_cmp(&rows[*b][p].abs()))?;
            rows.swap(p, best);
            order.swap(p, best);
            let (upper, lower) = rows.split_at_mut(p + 1);
            let pivot = &upper[p];
            if !pivot[p].is_normal() {
                return None;
            }
            for row in lower.iter_mut().filter(|row| row[p] != 0.0) {
                let factor = row[p] / pivot[p];
                row[p] = factor;
                row[p + 1..].iter_mut().zip(&pivot[p + 1..]).for_each(|(r, p)| *r -= factor * p);
            }
        }
        Some(Lu { rows, order })
    }

    fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.iter().map(|at| right[*at]).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let known: f64 = row[..i].iter().zip(&x).map(|(a, x)| a * x).sum();
            x[i] -= known;
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            let known: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
        x
    }
}
