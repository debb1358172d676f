//! Values to pixels.

/// Maps values to pixels, evenly or by logarithm.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    from: f64,
    to: f64,
    log: bool,
    start: f64,
    end: f64,
}

impl Scale {
    /// A scale from values `from` … `to` to pixels `start` … `end`; by logarithm both values are positive.
    pub fn new((from, to): (f64, f64), (start, end): (f64, f64), log: bool) -> Scale {
        let (from, to) = if log { (from.ln(), to.ln()) } else { (from, to) };
        Scale { from, to: if to > from { to } else { from + 1.0 }, log, start, end }
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        // What a logarithm cannot show is drawn at the end of the scale.
        let value = if self.log { value.max(f64::MIN_POSITIVE).ln().max(self.from) } else { value };
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }
}

/// The next of 1, 2, 5 times a power of ten, for a positive number.
pub fn nice(raw: f64) -> f64 {
    let power = 10f64.powi(raw.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|d| d * power).find(|v| *v >= raw * 0.999_999).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_map_ends_to_ends() {
        let scale = Scale::new((1.0, 8.0), (0.0, 30.0), true);
        assert!(
            [(1.0, 0.0), (2.0, 10.0), (8.0, 30.0)].iter().all(|(v, px)| (scale.at(*v) - px).abs() < 1e-9)
        );
        assert!(Scale::new((3.0, 3.0), (0.0, 30.0), false).at(3.0).is_finite());
    }
}
