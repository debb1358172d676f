//! Where a sequence of sweeps is going.

/// Iterates that are looked at: as many errors that shrink slowest are taken out, less one.
pub(super) const KEPT: usize = 5;

/// Combines successive iterates, so that what still changes from one to the next is least: reduced rank extrapolation
/// (Eddy, Mešina; Smith, Ford and Sidi, *Extrapolation methods for vector sequences*, SIAM Review 29, 1987). Sweeps shrink
/// each part of the error by a factor of its own; the few that shrink slowest are nearly all of what is left,
/// and are taken out at once. Probabilities that become negative stay what they were. None if the iterates do not differ
/// enough. At most [`KEPT`] iterates. Cost: two passes over them.
pub(super) fn extrapolate(iterates: &[Vec<f64>]) -> Option<Vec<f64>> {
    let k = iterates.len().checked_sub(1)?;
    let mut gram = differences(iterates);
    let largest = (0..k).map(|i| gram[i][i]).fold(0.0, f64::max);
    if !largest.is_normal() {
        return None;
    }
    // Changes that are hardly independent shall not be told apart by rounding.
    (0..k).for_each(|i| gram[i][i] += largest * 1e-15);
    let mut shares = solve(gram)?;
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= sum);
    if !shares.iter().all(|s| s.is_finite()) {
        return None;
    }
    let last = iterates.last()?;
    let mut next = vec![0.0; last.len()];
    for (share, x) in shares.iter().zip(&iterates[1..]) {
        next.iter_mut().zip(x).for_each(|(n, x)| *n += share * x);
    }
    next.iter_mut().zip(last).for_each(|(n, old)| {
        if !(*n > 0.0 && n.is_finite()) {
            *n = *old;
        }
    });
    Some(next)
}

/// The products of the changes from each iterate to the next.
fn differences(iterates: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let k = iterates.len() - 1;
    let mut sums = [[0.0; KEPT]; KEPT];
    let mut changes = [0.0; KEPT];
    for at in 0..iterates[0].len() {
        for (change, pair) in changes.iter_mut().zip(iterates.windows(2)) {
            *change = pair[1][at] - pair[0][at];
        }
        for (row, one) in sums.iter_mut().zip(changes) {
            row.iter_mut().zip(changes).for_each(|(sum, other)| *sum += one * other);
        }
    }
    sums[..k].iter().map(|row| row[..k].to_vec()).collect()
}

/// Solves `a c = (1, …, 1)`; `a` is symmetric and positive definite.
fn solve(mut a: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let k = a.len();
    let mut c = vec![1.0; k];
    for p in 0..k {
        let row = a[p].clone();
        if !(row[p] > 0.0 && row[p].is_normal()) {
            return None;
        }
        for i in p + 1..k {
            let factor = a[i][p] / row[p];
            a[i].iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
            c[i] -= factor * c[p];
        }
    }
    for p in (0..k).rev() {
        let known: f64 = (p + 1..k).map(|j| a[p][j] * c[j]).sum();
        c[p] = (c[p] - known) / a[p][p];
    }
    Some(c)
}

#[cfg(test)]
mod tests {
    use super::extrapolate;

    #[test]
    fn errors_that_shrink_by_factors_are_taken_out() {
        let at = |t: i32| -> Vec<f64> {
            let slow = 0.9f64.powi(t);
            let swinging = (-0.7f64).powi(t);
            vec![1.0 + slow, 2.0 - slow + swinging, 3.0 + 0.5 * swinging, 4.0]
        };
        let iterates: Vec<Vec<f64>> = (0..4).map(at).collect();
        let x = extrapolate(&iterates).expect("iterates that differ");
        for (found, exact) in x.iter().zip([1.0, 2.0, 3.0, 4.0]) {
            assert!((found - exact).abs() < 1e-9, "{x:?}");
        }
    }

    #[test]
    fn nothing_to_see_in_what_stands_still() {
        assert_eq!(extrapolate(&[vec![1.0, 2.0], vec![1.0, 2.0], vec![1.0, 2.0]]), None);
        assert_eq!(extrapolate(&[]), None);
    }
}
