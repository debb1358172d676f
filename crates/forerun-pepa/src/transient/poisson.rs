//! Poisson probabilities for uniformisation.

/// The probabilities of a Poisson distribution from `first` on; what is left out is less than was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Poisson {
    /// The first number of events that has a probability here.
    pub first: usize,
    /// The probabilities, which sum to 1.
    pub weights: Vec<f64>,
}

/// The probabilities of a Poisson distribution with this mean, without tails of together at most `epsilon`: computed
/// from the middle outwards and scaled at the end, so that nothing underflows or overflows (Fox and Glynn,
/// Communications of the ACM 31, 1988; here the tails are cut where the terms themselves bound them). Cost: about 2·√(mean · −ln ε) terms.
pub fn poisson(mean: f64, epsilon: f64) -> Poisson {
    if mean <= 0.0 {
        return Poisson { first: 0, weights: vec![1.0] };
    }
    let mode = mean.floor() as usize;
    // Relative to the probability of the mode, which is at least 1 / (3 + 3 √mean).
    let cut = epsilon / 2.0 / (3.0 + 3.0 * mean.sqrt());
    let mut left = vec![1.0];
    let mut k = mode;
    // Terms fall off ever faster: the tail below k is less than term · k / (mean − k).
    while k > 0 {
        let term = left[left.len() - 1] * k as f64 / mean;
        k -= 1;
        if k as f64 + 1.0 < mean && term * (k as f64 + 1.0) / (mean - k as f64) < cut {
            k += 1;
            break;
        }
        left.push(term);
    }
    let first = k;
    left.reverse();
    let mut weights = left;
    let mut k = mode;
    loop {
        let term = weights[weights.len() - 1] * mean / (k + 1) as f64;
        k += 1;
        // The tail above k is less than a geometric series.
        let ratio = mean / (k + 1) as f64;
        if ratio < 1.0 && term / (1.0 - ratio) < cut {
            break;
        }
        weights.push(term);
    }
    // The smallest are added first.
    let mut sorted = weights.clone();
    sorted.sort_by(f64::total_cmp);
    let sum: f64 = sorted.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    Poisson { first, weights }
}

#[cfg(test)]
mod tests {
    use super::poisson;

    #[test]
    fn small_means_are_as_the_formula_says() {
        let p = poisson(2.0, 1e-14);
        assert_eq!(p.first, 0);
        let mut expected = (-2.0f64).exp();
        for (k, weight) in p.weights.iter().enumerate().take(20) {
            if k > 0 {
                expected *= 2.0 / k as f64;
            }
            assert!((weight - expected).abs() < 1e-13, "{k}: {weight} {expected}");
        }
    }

    #[test]
    fn mean_and_variance_are_those_of_the_distribution() {
        for mean in [0.01, 1.0, 30.0, 1e4, 1e7] {
            let p = poisson(mean, 1e-12);
            let at = |i: usize| (p.first + i) as f64;
            let first: f64 = p.weights.iter().enumerate().map(|(i, w)| w * at(i)).sum();
            let variance: f64 = p.weights.iter().enumerate().map(|(i, w)| w * (at(i) - mean).powi(2)).sum();
            assert!((first / mean - 1.0).abs() < 1e-8, "{mean}: {first}");
            assert!((variance / mean - 1.0).abs() < 1e-6, "{mean}: {variance}");
        }
    }
}
