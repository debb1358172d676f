//! Statistics of measured times: medians and how well they are known, and what is fitted to points of which some are far off.

mod estimate;
mod line;
mod segment;
mod threshold;

pub use estimate::{Estimate, FEWEST, estimate, quartile};
pub use line::{Line, line};
pub use segment::{Segment, further, segment};
pub use threshold::threshold;

/// The median; of an even number of values the mean of the middle two, `None` of nothing. O(n log n).
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// The median of values in ascending order, as [`median`].
pub fn median_of_sorted(ascending: &[f64]) -> Option<f64> {
    let n = ascending.len();
    Some((*ascending.get(n.checked_sub(1)? / 2)? + ascending[n / 2]) / 2.0)
}

/// The quantile of the standard normal distribution for a probability 0 < p < 1 (Abramowitz and
/// Stegun, 26.2.23; error below 4.5e-4).
pub fn normal_quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p).max(f64::MIN_POSITIVE);
    let t = (-2.0 * tail.ln()).sqrt();
    let over = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let under = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let above = (t - over / under).max(0.0);
    if p < 0.5 { -above } else { above }
}

/// The half-width, in standard errors, of a two-sided interval of this confidence (0 to 1) by Student's
/// distribution with so many degrees of freedom; infinite without any. By Hill's expansion
/// (Communications of the ACM 13, 1970, algorithm 396).
pub fn student_quantile(confidence: f64, freedom: usize) -> f64 {
    use std::f64::consts::FRAC_PI_2;
    let p = 1.0 - confidence;
    let n = freedom as f64;
    match freedom {
        0 => f64::INFINITY,
        1 => (p * FRAC_PI_2).cos() / (p * FRAC_PI_2).sin(),
        2 => (2.0 / (p * (2.0 - p)) - 2.0).sqrt(),
        _ => {
            let a = 1.0 / (n - 0.5);
            let b = (48.0 / a) / a;
            let mut c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
            let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
            let mut y = (d * p).powf(2.0 / n);
            if y > 0.05 + a {
                let x = normal_quantile(p / 2.0);
                y = x * x;
                if freedom < 5 {
                    c += 0.3 * (n - 4.5) * (x + 0.6);
                }
                let c = (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b + c;
                y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
                y = (a * y * y).exp_m1();
            } else {
                y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0))
                    * y
                    - 1.0)
                    * (n + 1.0)
                    / (n + 2.0)
                    + 1.0 / y;
            }
            (n * y).sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{median, normal_quantile, student_quantile};

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        for (p, z) in [(0.5, 0.0), (0.8413, 1.0), (0.975, 1.959_964), (0.999, 3.090_232)] {
            assert!((normal_quantile(p) - z).abs() < 6e-4, "{p}");
            assert!((normal_quantile(1.0 - p) + z).abs() < 6e-4, "{p}");
        }
    }

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, t) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (9, 2.262),
            (19, 2.093),
            (60, 2.000),
            (1000, 1.962),
        ] {
            assert!((student_quantile(0.95, freedom) - t).abs() < 2e-3, "{freedom}");
        }
        assert!((student_quantile(0.99, 9) - 3.250).abs() < 2e-3);
        assert_eq!(student_quantile(0.95, 0), f64::INFINITY);
    }
}
