//! What was waited for before a run.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use forerun_platform::Outcome;

use super::Context;
use crate::error::CliError;
use crate::{compare, text};

/// Part of a run's time, and seconds, from either of which on it is said what a pilot took; of one that takes less than the last, nobody
/// waits for it.
const PART: f64 = 0.05;
const SECONDS: f64 = 0.5;
const NOTHING: f64 = 0.05;

/// Seconds that pilots took since the command began, or since they were last asked for.
#[derive(Debug, Clone, Default)]
pub struct Piloted(Arc<Mutex<f64>>);

impl Piloted {
    /// Does what is a pilot.
    pub fn time<T>(&self, pilot: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let found = pilot();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += begun.elapsed().as_secs_f64();
        found
    }

    fn take(&self) -> f64 {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Context {
    /// Notes in the outcome of a run, the first after a pilot, what that pilot took, and says what both took where that is not little.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note_waited(&self, outcome: &mut Outcome) -> Result<(), CliError> {
        // Of a crawl, the pilot is in the time that is measured.
        if !compare::is_measured(outcome.way) || outcome.pages.is_some() {
            return Ok(());
        }
        let pilot_s = self.piloted.take();
        outcome.pilot_s = (pilot_s > 0.0).then_some(pilot_s);
        said(pilot_s, outcome.makespan_s).map_or(Ok(()), |said| self.console.note("", &said))
    }
}

/// What a pilot and a run took together, where the pilot took more than a little.
fn said(pilot_s: f64, run_s: f64) -> Option<String> {
    let much = pilot_s > SECONDS || pilot_s > NOTHING && pilot_s > PART * run_s;
    let [pilot, run, both] = [pilot_s, run_s, pilot_s + run_s].map(text::seconds);
    much.then(|| format!("pilot {pilot}, run {run}: {both} together"))
}

#[cfg(test)]
mod tests {
    use super::{Piloted, said};

    #[test]
    fn a_pilot_that_takes_a_part_of_the_run_is_said() {
        assert_eq!(said(5.0, 3.0).unwrap(), "pilot 5.00 s, run 3.00 s: 8.00 s together");
        assert_eq!([said(0.0, 0.1), said(0.04, 0.1), said(0.4, 9.0)], [None, None, None]);
        assert!(said(0.4, 7.0).is_some() && said(0.6, 1e6).is_some());
    }

    #[test]
    fn pilots_are_told_once() {
        let piloted = Piloted::default();
        assert_eq!(piloted.clone().time(|| 7), 7);
        assert!(piloted.take() > 0.0);
        assert_eq!(piloted.take(), 0.0);
    }
}
