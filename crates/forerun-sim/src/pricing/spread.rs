//! Spread of a stage's time, drawn anew for every item and the same in every run.

use forerun_platform::Stage;

/// Factors on a stage's time: lognormal with mean 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    seed: u64,
}

impl Spread {
    pub(crate) fn new(seed: u64) -> Self {
        Spread { seed }
    }

    /// The factor for one item, given the standard deviation relative to the mean.
    ///
    /// It depends on the seed, the stage, the item and the rank alone, not on when it is asked for.
    pub(crate) fn factor(&self, stage: Stage, item: u64, rank: usize, deviation: f64) -> f64 {
        if deviation <= 0.0 {
            return 1.0;
        }
        // ln X is normal with variance ln(1 + deviation^2) where E X = 1.
        let variance = deviation.mul_add(deviation, 1.0).ln();
        // The rank matters where an item passes through a stage more than once, as merges do.
        let bits = mix(mix(mix(self.seed, stage as u64), item), rank as u64);
        variance.sqrt().mul_add(normal(bits), -variance / 2.0).exp()
    }
}

/// One step of splitmix64 (Steele, Lea and Flood, OOPSLA 2014) from the two words.
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_add(b.wrapping_mul(0xD134_2543_DE82_EF95));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A standard normal number from 64 random bits (Box and Muller 1958).
fn normal(bits: u64) -> f64 {
    let unit = |x: u64| ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let radius = (-2.0 * unit(bits).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(mix(bits, 1))).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_mean_one_and_the_deviation_asked_for() {
        let spread = Spread::new(7);
        let n = 100_000u64;
        for deviation in [0.05, 0.3, 1.0] {
            let xs: Vec<f64> = (0..n).map(|i| spread.factor(Stage::Task, i, 0, deviation)).collect();
            let mean = xs.iter().sum::<f64>() / n as f64;
            let var = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            assert!((mean - 1.0).abs() < 4.0 * deviation / (n as f64).sqrt(), "mean {mean}");
            assert!((var.sqrt() / deviation - 1.0).abs() < 0.1, "deviation {}", var.sqrt());
        }
    }

    #[test]
    fn no_deviation_is_no_spread_and_seeds_differ() {
        assert_eq!(Spread::new(1).factor(Stage::Merge, 3, 0, 0.0), 1.0);
        let one = Spread::new(1).factor(Stage::Merge, 3, 0, 0.5);
        assert_eq!(one, Spread::new(1).factor(Stage::Merge, 3, 0, 0.5));
        assert_ne!(one, Spread::new(2).factor(Stage::Merge, 3, 0, 0.5));
        assert_ne!(one, Spread::new(1).factor(Stage::Task, 3, 0, 0.5));
        assert_ne!(one, Spread::new(1).factor(Stage::Merge, 4, 0, 0.5));
    }
}
