//! Generalised conjugate residuals around sweeps or the multilevel cycle (Eisenstat, Elman and Schultz, SIAM J.
//! Numer. Anal. 20, 1983), which also allow a preconditioner that is not the same in every step.

use super::multilevel::{Hierarchy, dot, remainder};
use super::sweep::symmetric;
use crate::chain::Chain;

/// Improves `x`, with a hierarchy or else with a sweep to and fro, by at most `steps` steps, or until the residual has shrunk by `factor`; gives how many steps
/// it took. `x` may become negative in places.
pub(super) fn improve(
    chain: &Chain,
    hierarchy: Option<&Hierarchy>,
    x: &mut [f64],
    steps: usize,
    factor: f64,
) -> usize {
    let n = chain.states();
    let zeros = vec![0.0; n];
    let mut r = Vec::new();
    remainder(chain, x, &zeros, &mut r);
    let begin = dot(&r, &r).sqrt();
    // Directions and what they change, kept as long as memory allows.
    let kept = (400_000_000 / (16 * n)).clamp(3, 30);
    let mut directions: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for step in 0..steps {
        let mut d = Vec::new();
        match hierarchy {
            Some(hierarchy) => hierarchy.apply(chain, &r, &mut d),
            None => symmetric(chain, &r, &mut d),
        }
        let mut q = Vec::new();
        remainder(chain, &d, &zeros, &mut q);
        q.iter_mut().for_each(|q| *q = -*q);
        for (other, change) in &directions {
            let share = dot(&q, change);
            q.iter_mut().zip(change).for_each(|(q, c)| *q -= share * c);
            d.iter_mut().zip(other).for_each(|(d, o)| *d -= share * o);
        }
        let size = dot(&q, &q).sqrt();
        if !size.is_normal() {
            return step;
        }
        q.iter_mut().for_each(|q| *q /= size);
        d.iter_mut().for_each(|d| *d /= size);
        let along = dot(&q, &r);
        x.iter_mut().zip(&d).for_each(|(x, d)| *x += along * d);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= along * q);
        if dot(&r, &r).sqrt() <= factor * begin {
            return step + 1;
        }
        if directions.len() == kept {
            directions.remove(0);
        }
        directions.push((d, q));
    }
    steps
}
