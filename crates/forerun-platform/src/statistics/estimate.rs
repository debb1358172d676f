//! The median of repeated measurements and how well it is known.

use super::median_of_sorted;

/// A median with an interval that holds the true one with 95 % confidence: an endless one of a single measurement, which tells nothing
/// of the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The sample's median.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many measurements there were.
    pub repetitions: usize,
}

impl Estimate {
    /// Half of the interval's width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The same with nothing below 0: differences of measured times may fall below it, costs cannot.
    pub fn not_negative(self) -> Self {
        let Estimate { value, low, high, repetitions } = self;
        Estimate { value: value.max(0.0), low: low.max(0.0), high: high.max(0.0), repetitions }
    }
}

/// The fewest measurements whose range is an interval of 95 %: 1 − 2 · 2⁻⁶ = 96.9 %.
pub const FEWEST: usize = 6;

/// The estimate from `samples`, in the order in which they were measured; `None` if there are none.
///
/// The interval is that of the order statistics x₍ₖ₎ and x₍ₙ₊₁₋ₖ₎ with the largest k for which
/// 2 · P(B(n, ½) < k) ≤ 0.05: it supposes nothing of the distribution. Where neighbours are alike,
/// because the machine drifts, it is wider by √((1 + ρ) / (1 − ρ)) in rank, ρ being the correlation
/// of neighbours' sides of the median. Below [`FEWEST`] samples no interval reaches 95 %, and it is
/// their range; of one, all numbers.
pub fn estimate(samples: &[f64]) -> Option<Estimate> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let value = median_of_sorted(&sorted)?;
    let rho = persistence(samples, value);
    let half = n as f64 / 2.0;
    let wider = (half - rank(n) as f64) * ((1.0 + rho) / (1.0 - rho)).sqrt();
    let k = ((half - wider + 1e-9).floor().max(1.0) as usize).min(rank(n));
    let (low, high) = match n {
        1 => (f64::NEG_INFINITY, f64::INFINITY),
        _ => (*sorted.get(k - 1)?, *sorted.get(n - k)?),
    };
    Some(Estimate { value, low, high, repetitions: n })
}

/// The lower quartile; `None` of nothing.
pub fn quartile(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied()
}

/// The correlation, from 0 to 0.9, of being above the median with the neighbour's being so.
fn persistence(samples: &[f64], median: f64) -> f64 {
    let side = |x: &f64| f64::from(i8::from(*x > median) - i8::from(*x < median));
    let square: f64 = samples.iter().map(|x| side(x).powi(2)).sum();
    let product: f64 = samples.windows(2).map(|w| side(&w[0]) * side(&w[1])).sum();
    if square > 0.0 { (product / square).clamp(0.0, 0.9) } else { 0.0 }
}

/// The k of the interval of `n` samples, from 1.
fn rank(n: usize) -> usize {
    if n > 1000 {
        // The binomial is as good as normal, and 2⁻ⁿ would underflow.
        let n = n as f64;
        return ((n - 1.96 * n.sqrt()) / 2.0).floor() as usize;
    }
    let mut term = 0.5f64.powi(n as i32);
    let mut below = 0.0;
    for k in 0..=n {
        below += term;
        if 2.0 * below > 0.05 {
            return k.max(1);
        }
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    1
}

#[cfg(test)]
mod tests {
    use super::{FEWEST, estimate, quartile, rank};
    use crate::random::Random;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Conover, Practical Nonparametric Statistics: n = 10, 20, 50, 100.
        for (n, k) in [(6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (50, 18), (100, 40)] {
            assert_eq!(rank(n), k, "{n}");
        }
        assert!(rank(1000).abs_diff(rank(1001)) <= 1);
        assert_eq!(rank(FEWEST - 1), 1);
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        let mut random = Random::new(7);
        for n in [6usize, 11, 30, 100] {
            let trials = 4000;
            let mut held = 0;
            for _ in 0..trials {
                // Skewed, with outliers, as measured times are; the median is 1 + ln 2.
                let sample = |r: &mut Random| {
                    let x = 1.0 - (1.0 - r.unit()).ln();
                    if r.unit() < 0.05 && x > 1.0 + 2f64.ln() { x * 100.0 } else { x }
                };
                let samples: Vec<f64> = (0..n).map(|_| sample(&mut random)).collect();
                let e = estimate(&samples).expect("there are samples");
                assert!(e.low <= e.value && e.value <= e.high);
                held += usize::from(e.low <= 1.0 + 2f64.ln() && 1.0 + 2f64.ln() <= e.high);
            }
            let coverage = held as f64 / trials as f64;
            // Four standard errors of 95 % are 1.4 %.
            assert!(coverage > 0.936, "{n}: {coverage}");
        }
    }

    #[test]
    fn drifting_samples_are_known_less_well() {
        let mut random = Random::new(11);
        let trials = 2000;
        let (mut held, mut width, mut shuffled_width) = (0, 0.0, 0.0);
        for _ in 0..trials {
            // x' = x / 2 + noise: neighbours correlate by a half; the median is 0.
            let mut x = 0.0;
            let next = |x: &mut f64, r: &mut Random| {
                *x = *x / 2.0 + r.unit() - 0.5;
                *x
            };
            (0..20).for_each(|_| {
                next(&mut x, &mut random);
            });
            let mut samples: Vec<f64> = (0..60).map(|_| next(&mut x, &mut random)).collect();
            let e = estimate(&samples).expect("there are samples");
            held += usize::from(e.low <= 0.0 && 0.0 <= e.high);
            width += e.half_width();
            random.shuffle(&mut samples);
            shuffled_width += estimate(&samples).expect("there are samples").half_width();
        }
        assert!(width > 1.2 * shuffled_width, "{width} {shuffled_width}");
        let coverage = held as f64 / trials as f64;
        // Of intervals that took them for independent, 81 % would.
        assert!(coverage > 0.90, "{coverage}");
    }

    #[test]
    fn outliers_do_not_move_it_and_nothing_gives_nothing() {
        let mut samples = vec![2.0; 20];
        samples.extend([1e9, 1e9, -5.0]);
        let e = estimate(&samples).expect("there are samples");
        assert_eq!((e.value, e.low, e.high, e.repetitions), (2.0, 2.0, 2.0, 23));
        assert_eq!(estimate(&[]), None);
        assert_eq!((quartile(&[]), quartile(&[5.0, 1.0, 3.0, 4.0])), (None, Some(3.0)));
        let one = estimate(&[3.0]).expect("there is a sample");
        assert_eq!((one.low, one.value, one.high), (f64::NEG_INFINITY, 3.0, f64::INFINITY));
    }
}
