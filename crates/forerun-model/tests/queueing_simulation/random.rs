//! Seeded random numbers, and confidence intervals.

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform over (0, 1].
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON / 2.0
    }

    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.uniform().ln()
    }
}

const BATCHES: usize = 30;
/// The 99.975 % quantile of Student's t with 29 degrees of freedom.
const T: f64 = 3.93;

/// Mean and half width of the interval from batch means; the first batch warms up.
pub(crate) fn interval(samples: &[f64]) -> (f64, f64) {
    let size = samples.len() / (BATCHES + 1);
    let means: Vec<f64> = samples[size..]
        .chunks_exact(size)
        .take(BATCHES)
        .map(|b| b.iter().sum::<f64>() / size as f64)
        .collect();
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, T * (variance / n).sqrt())
}

#[track_caller]
pub(crate) fn within(formula: f64, samples: &[f64], what: &str) {
    let (mean, half) = interval(samples);
    println!("{what}: {formula:.5}, simulated {mean:.5} ± {half:.5}");
    assert!(half < 0.06 * mean, "{what}: {mean} ± {half} says too little");
    assert!((formula - mean).abs() <= half, "{what}: {formula} is not within {mean} ± {half}");
}
