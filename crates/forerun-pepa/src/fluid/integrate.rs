//! Differential equations, step by step.

use super::flow::Flows;
use super::implicit;

/// Why it ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    Steps,
    Asked,
}

/// The coefficients of Dormand and Prince's method of order 5 (J. Comput. Appl. Math. 6, 1980).
const A: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// What they differ by from those of order 4.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// More steps than this to go are too many, unless there are too many populations for another method.
const FAR: f64 = 20_000.0;
const POPULATIONS: usize = 1000;

/// An integration in progress.
#[derive(Debug)]
pub(super) struct Integrator {
    tolerance: f64,
    limit: usize,
    pub(super) steps: usize,
    size: f64,
    /// Whether some things happen so much faster than others that steps are implicit.
    stiff: bool,
}

impl Integrator {
    pub(super) fn new(tolerance: f64, limit: usize) -> Self {
        Integrator { tolerance, limit, steps: 0, size: 0.0, stiff: false }
    }

    /// Goes on from one time to another.
    pub(super) fn until(
        &mut self,
        flows: &Flows,
        x: &mut [f64],
        from: f64,
        to: f64,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Stopped> {
        let n = x.len();
        let largest = x.iter().fold(1e-9f64, |a, b| a.max(*b));
        let mut k = vec![vec![0.0; n]; 7];
        let mut y = vec![0.0; n];
        let mut now = from;
        if self.size == 0.0 {
            flows.derivative(x, &mut k[0]);
            let fastest = k[0].iter().fold(0.0f64, |a, b| a.max(b.abs()));
            self.size = if fastest > 0.0 { 1e-3 * largest / fastest } else { to - from };
        }
        while now < to {
            // Once it is known how long steps are.
            if !self.stiff && n <= POPULATIONS && self.steps % 1024 == 1023 && (to - now) / self.size > FAR {
                self.stiff = true;
            }
            if self.steps >= self.limit {
                return Err(Stopped::Steps);
            }
            if self.steps % 256 == 255 && stop() {
                return Err(Stopped::Asked);
            }
            self.steps += 1;
            let last = now + self.size >= to;
            let h = if last { to - now } else { self.size };
            let mut off = vec![f64::INFINITY; n];
            if self.stiff {
                if let Some((next, by)) = implicit::step(flows, x, h, largest) {
                    (y, off) = (next, by);
                }
            } else {
                flows.derivative(x, &mut k[0]);
                for (stage, row) in A.iter().enumerate() {
                    for i in 0..n {
                        let sum: f64 = (0..=stage).map(|j| row[j] * k[j][i]).sum();
                        y[i] = x[i] + h * sum;
                    }
                    flows.derivative(&y, &mut k[stage + 1]);
                }
                for (i, off) in off.iter_mut().enumerate() {
                    *off = h * (0..7).map(|j| E[j] * k[j][i]).sum::<f64>();
                }
            }
            let mut error = 0.0f64;
            for (i, e) in off.into_iter().enumerate() {
                let allowed = self.tolerance * (y[i].abs() + 1e-3 * largest);
                // No population is negative: a step that leaves one so was too long, however small its error looks
                // (what is not there does not flow, and hides how fast it would).
                let beyond = (e.abs() / allowed).max(if y[i] < 0.0 { -y[i] / allowed } else { 0.0 });
                error = if y[i].is_finite() && e.is_finite() { error.max(beyond) } else { f64::INFINITY };
            }
            if error <= 1.0 {
                // Below what is allowed.
                y.iter_mut().for_each(|y| *y = y.max(0.0));
                now = if last { to } else { now + h };
                x.copy_from_slice(&y);
            }
            if !h.is_normal() {
                return Err(Stopped::Steps);
            }
            let order = if self.stiff { 3.0 } else { 5.0 };
            let factor = 0.9 * error.max(1e-10).powf(-1.0 / order);
            if !(last && error <= 1.0) || factor < 1.0 {
                self.size = h * factor.clamp(0.2, 5.0);
            }
        }
        Ok(())
    }
}
