//! What the master takes for each answer: to bring it in, where ranks share no memory, and to deliver it.

use std::time::Instant;

use forerun_apps::{FarmJob, Rehearsal};
use forerun_platform::{Cost, Way};
use forerun_skeleton::{AppError, Codec as _, Message as _};

use crate::pilot::{Clock, PAGE, Took, by_the_byte, widening};

/// How often delivering is tried at least and at most, after a first time that pays for what is set up once, and seconds after which it
/// is not any more.
const TIMES: (usize, usize) = (2, 12);
const ENOUGH_S: f64 = 0.15;
/// Relative error of a cost whose spread cannot be told, and the least of any: the disk and what reads a pipe may be slower for many.
const ERROR: (f64, f64) = (0.25, 0.1);

/// One answer.
struct Delivered {
    bytes: f64,
    took: Took,
}

/// What delivering costs the master, tried by `rehearsal` with these answers. Nothing where it cannot be tried: a full disk is the run's
/// to tell of.
pub(super) fn sink<J: FarmJob>(
    job: &J,
    mut rehearsal: Rehearsal<'_, J::Answer>,
    answers: &[(u64, J::Answer)],
    on: Way,
) -> Cost {
    let (begun, clock) = (Instant::now(), Clock::here(1));
    let mut once = |answer: &J::Answer| -> Result<Delivered, AppError> {
        let mut sent = Vec::new();
        if on == Way::Mpi {
            job.codec().encode(answer, &mut sent)?;
        }
        let under_way = clock.begin();
        match on {
            Way::Mpi => rehearsal(&job.codec().decode(&mut &sent[..])?)?,
            _ => rehearsal(answer)?,
        }
        Ok(Delivered { bytes: answer.bytes() as f64, took: under_way.took() })
    };
    let (mut tried, mut first) = (Vec::new(), true);
    for (_, answer) in answers.iter().cycle() {
        let done = tried.len() >= TIMES.1;
        if done || tried.len() >= TIMES.0 && begun.elapsed().as_secs_f64() > ENOUGH_S {
            break;
        }
        match once(answer) {
            Ok(_) if std::mem::take(&mut first) => {}
            Ok(delivered) => tried.push(delivered),
            Err(_) => return Cost::default(),
        }
    }
    cost(&tried)
}

/// The cost of which these are calls.
fn cost(tried: &[Delivered]) -> Cost {
    let n = tried.len() as f64;
    let sum = |of: &dyn Fn(&Delivered) -> f64| tried.iter().map(of).sum::<f64>();
    let (seconds, bytes) = (sum(&|d| d.took.seconds), sum(&|d| d.bytes));
    if seconds <= 0.0 {
        return Cost::default();
    }
    let (per_result, per_byte) = by_the_byte(seconds / n, bytes / n, PAGE);
    let said = |d: &Delivered| per_byte * d.bytes + per_result;
    let squares = sum(&|d| (d.took.seconds / said(d).max(f64::MIN_POSITIVE) - 1.0).powi(2));
    let spread = if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { ERROR.0 };
    let error = (spread / n.sqrt() * widening(n - 1.0)).max(ERROR.1);
    let took = Took { seconds, wait: sum(&|d| d.took.wait) };
    Cost { per_byte, per_result, spread, error, ..Cost::default() }.waiting(took.share())
}

#[cfg(test)]
mod tests {
    use super::{Cost, Delivered, Took, cost};

    fn of(calls: &[(f64, f64)]) -> Cost {
        let call = |&(bytes, seconds)| Delivered { bytes, took: Took { seconds, wait: 0.25 * seconds } };
        cost(&calls.iter().map(call).collect::<Vec<_>>())
    }

    #[test]
    fn large_answers_cost_by_the_byte_and_small_ones_by_the_answer() {
        let large = of(&[(4e6, 4e-3), (2e6, 2e-3), (4e6, 4e-3)]);
        assert!((large.seconds(8e6, 1.0) / 8e-3 - 1.0).abs() < 0.01, "{large:?}");
        assert!((large.wait.per_byte / 0.25e-9 - 1.0).abs() < 0.01, "{large:?}");
        assert!((0.1..0.2).contains(&large.error), "{large:?}");
        let small = of(&[(10.0, 1e-5), (20.0, 1e-5)]);
        assert!((small.seconds(100.0, 1.0) / 1e-5 - 1.0).abs() < 0.01, "{small:?}");
        // Calls that differ are known less well.
        assert!(of(&[(4e6, 2e-3), (4e6, 6e-3)]).error > 0.3);
        assert_eq!(of(&[]), Cost::default());
    }
}
