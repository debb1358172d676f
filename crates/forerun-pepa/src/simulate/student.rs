//! Quantiles of Student's distribution.

/// The half-width, in standard errors, of a two-sided interval of this confidence with so many degrees of
/// freedom; infinite without any. By Hill's expansion (Communications of the ACM 13, 1970, algorithm 396).
pub(super) fn quantile(confidence: f64, freedom: usize) -> f64 {
    let p = 1.0 - confidence;
    let n = freedom as f64;
    match freedom {
        0 => f64::INFINITY,
        1 => (p * std::f64::consts::FRAC_PI_2).cos() / (p * std::f64::consts::FRAC_PI_2).sin(),
        2 => (2.0 / (p * (2.0 - p)) - 2.0).sqrt(),
        _ => {
            let a = 1.0 / (n - 0.5);
            let b = (48.0 / a) / a;
            let mut c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
            let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * std::f64::consts::FRAC_PI_2).sqrt() * n;
            let x = d * p;
            let mut y = x.powf(2.0 / n);
            if y > 0.05 + a {
                let x = normal(p / 2.0);
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

/// The lower quantile of the normal distribution (Abramowitz and Stegun, 26.2.23), below 1/2: negative.
fn normal(p: f64) -> f64 {
    let t = (-2.0 * p.ln()).sqrt();
    let top = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let bottom = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    -(t - top / bottom)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in
            [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (19, 2.093), (60, 2.000), (1000, 1.962)]
        {
            let t = quantile(0.95, freedom);
            assert!((t - expected).abs() < 2e-3, "{freedom}: {t}");
        }
        assert!((quantile(0.99, 9) - 3.250).abs() < 2e-3);
    }
}
