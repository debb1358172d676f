//! Rotations of a hip: flexion, abduction, internal rotation.

use std::fmt;
use std::str::FromStr;

use super::prosthesis::Side;
use super::vector::Rotation;

/// Angles from one to another in steps, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Angles {
    from: f64,
    step: f64,
    count: usize,
}

/// Most angles of a motion.
const MOST: f64 = 3601.0;

impl Angles {
    /// Number of angles.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none: never.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Angle `i`, in degrees.
    pub fn at(&self, i: usize) -> f64 {
        self.from + self.step * i as f64
    }

    /// The place of the angle nearest to 0.
    pub(super) fn neutral(&self) -> usize {
        (0..self.count).min_by(|&a, &b| self.at(a).abs().total_cmp(&self.at(b).abs())).unwrap_or(0)
    }
}

/// As it is read.
impl fmt::Display for Angles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.from, self.at(self.count.saturating_sub(1)), self.step)
    }
}

impl FromStr for Angles {
    type Err = String;

    /// Reads `FROM:TO:STEP`, such as `-30:120:2`.
    fn from_str(text: &str) -> Result<Angles, String> {
        let parts: Vec<Option<f64>> = text.split(':').map(|part| part.trim().parse().ok()).collect();
        let &[Some(from), Some(to), Some(step)] = parts.as_slice() else {
            return Err("expected FROM:TO:STEP in degrees, such as -30:120:2".into());
        };
        if let Some(angle) = [from, to].into_iter().find(|angle| angle.is_nan() || angle.abs() > 360.0) {
            return Err(format!("the angle {angle}: expected one from -360 to 360 degrees"));
        }
        if step.is_nan() || step <= 0.0 {
            return Err(format!("the step {step}: expected more than 0 degrees, such as {from}:{to}:2"));
        }
        if to < from {
            return Err(format!("expected the smaller angle first, as in {to}:{from}:{step}"));
        }
        let count = ((to - from) / step + 1e-9).floor() + 1.0;
        if count > MOST {
            return Err(format!(
                "the step {step} gives {count} angles, and at most {MOST} are tried: expected a longer one"
            ));
        }
        Ok(Angles { from, step, count: count as usize })
    }
}

/// The rotation of a femur whose thigh is first turned inwards about its own length, then away from the body, then to the
/// front; x to the front, y up, z to the right.
pub fn hip_rotation(side: Side, flexion: f64, abduction: f64, internal: f64) -> Rotation {
    let sideways = side.lateral();
    let flexed = Rotation::about([0.0, 0.0, 1.0], flexion);
    let abducted = Rotation::about([1.0, 0.0, 0.0], -abduction * sideways);
    let turned = Rotation::about([0.0, 1.0, 0.0], internal * sideways);
    flexed.after(&abducted).after(&turned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_go_where_they_are_called_after() {
        for side in [Side::Right, Side::Left] {
            let knee = [0.0, -400.0, 0.0];
            let toes = [100.0, -800.0, 0.0];
            let out = |p: [f64; 3]| p[2] * side.lateral();
            assert!(hip_rotation(side, 30.0, 0.0, 0.0).of(knee)[0] > 100.0, "to the front");
            assert!(out(hip_rotation(side, 0.0, 30.0, 0.0).of(knee)) > 100.0, "away from the body");
            assert!(out(hip_rotation(side, 0.0, 0.0, 30.0).of(toes)) < -40.0, "toes to the middle");
            let back = hip_rotation(side, 20.0, 0.0, 0.0).after(&hip_rotation(side, -20.0, 0.0, 0.0));
            assert!(
                back.0
                    .iter()
                    .flatten()
                    .zip([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
                    .all(|(a, b)| (a - b).abs() < 1e-12)
            );
        }
    }

    #[test]
    fn angles_are_read() {
        let angles: Angles = "-30:120:2".parse().expect("angles");
        assert_eq!((angles.len(), angles.at(0), angles.at(75), angles.neutral()), (76, -30.0, 120.0, 15));
        assert_eq!("0:0:1".parse::<Angles>().expect("one").len(), 1);
        for text in ["-30:120:2", "0:0:1", "-0.3:0.7:0.1", "-359.9:360:0.2"] {
            let angles: Angles = text.parse().expect("angles");
            assert_eq!(angles.to_string().parse(), Ok(angles));
        }
        for bad in ["", "1:2", "1:2:0", "5:1:1", "0:1:-1", "a:b:c", "0:1:1:1", "0:360:0.01", "0:nan:1"] {
            assert!(bad.parse::<Angles>().is_err(), "{bad}");
        }
    }
}
