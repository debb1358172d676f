//! Which part of the plane is looked at.

use std::str::FromStr;

use dashu_float::DBig;
use forerun_skeleton::AppError;

use super::deep::Real;

/// A part of the complex plane and the picture of it.
#[derive(Debug, Clone)]
pub struct View {
    /// The middle, to all its digits.
    pub(super) centre: (Real, Real),
    /// Width of the part.
    width: f64,
    /// Points a row and rows.
    size: (u32, u32),
    /// Iterations after which a point is taken not to escape.
    most: u32,
}

/// Least width: beyond it, distances between points are no longer normal numbers.
const LEAST_WIDTH: f64 = 1e-280;
/// Distance between points, relative to those of the plane, below which they are no longer distinct enough to be
/// iterated as they are.
const FINE: f64 = 1e-13;
/// Bits of the centre beyond those of the distance between points.
const SPARE_BITS: usize = 64;
/// Longest number of the centre.
const MOST_DIGITS: usize = 10_000;

impl View {
    /// The part of width `width` around `centre`, decimal numbers of any length; `size` points a row and rows.
    ///
    /// # Errors
    /// What is not a number or out of bounds, in a sentence.
    pub fn new(centre: (&str, &str), width: f64, size: (u32, u32), most: u32) -> Result<View, AppError> {
        if size.0 == 0 || size.1 == 0 || size.0 > 1 << 16 || size.1 > 1 << 16 {
            return Err(AppError::new(format!(
                "--size {}x{}: expected 1 to 65536 points each way",
                size.0, size.1
            )));
        }
        if !(LEAST_WIDTH..=1e3).contains(&width) {
            let plain = width == 0.0 || (1e-3..1e6).contains(&width.abs());
            let width = if plain { format!("{width}") } else { format!("{width:e}") };
            return Err(AppError::new(format!(
                "--width {width}: the part of the plane is {LEAST_WIDTH:e} to 1000 wide"
            )));
        }
        if most == 0 {
            return Err(AppError::new("--iterations 0: expected at least 1"));
        }
        let bits = SPARE_BITS + (f64::from(size.0) / width).log2().max(0.0).ceil() as usize;
        let number = |text: &str| {
            let bad =
                || AppError::new(format!("`{text}` is no number: expected one such as -0.7436438870371587"));
            let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
            // What is far out of bounds is not worked out.
            let small = text.len() <= MOST_DIGITS
                && text
                    .split_once(['e', 'E'])
                    .is_none_or(|(_, e)| e.parse().is_ok_and(|e: i16| e.abs() <= 999));
            let value =
                if plain && small { DBig::from_str(text).map_err(|_| bad())? } else { return Err(bad()) };
            let value = value.with_base_and_precision::<2>(bits).value().with_rounding();
            if value.to_f64().value().abs() <= 1e3 { Ok(value) } else { Err(bad()) }
        };
        Ok(View { centre: (number(centre.0)?, number(centre.1)?), width, size, most })
    }

    /// Points a row and rows.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Iterations after which a point is taken not to escape.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Distance between neighbouring points.
    pub fn step(&self) -> f64 {
        self.width / f64::from(self.size.0)
    }

    /// Whether points are too close to each other to be told apart by numbers of 53 bits.
    pub fn is_deep(&self) -> bool {
        self.step() < FINE
    }

    /// How far the points of a row are from the middle: to the right, and up.
    pub(super) fn offsets(&self, row: u64) -> (Vec<f64>, f64) {
        let step = self.step();
        let from_middle = |at: f64, count: u32| (at + 0.5 - f64::from(count) / 2.0) * step;
        let right = (0..self.size.0).map(|x| from_middle(x.into(), self.size.0)).collect();
        (right, -from_middle(row as f64, self.size.1))
    }

    /// How far the point at place `x`, `y` of a coarser picture, of `count` points each way, is from the middle.
    pub(super) fn sampled(&self, x: u32, y: u32, count: u32) -> (f64, f64) {
        let part = |at: u32, size: u32| {
            // Of the picture's own points, the one nearest to the middle of the coarser one.
            let at = ((f64::from(at) + 0.5) / f64::from(count) * f64::from(size)).floor();
            (at + 0.5 - f64::from(size) / 2.0) * self.step()
        };
        (part(x, self.size.0), -part(y, self.size.1))
    }
}
