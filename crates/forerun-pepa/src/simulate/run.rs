//! One replication.

use forerun_platform::random::Random;

use crate::space::{Engine, SpaceError, Walker};

/// What happened, bin by bin.
#[derive(Debug, Clone)]
pub(super) struct Bins {
    /// How often each action happened.
    pub(super) events: Vec<f64>,
    /// The components in each local state, times the time that they were there.
    pub(super) numbers: Vec<f64>,
    pub(super) total: u64,
    /// It ended in a state in which nothing can happen.
    pub(super) stuck: bool,
}

/// Events between two looks at whether to stop.
pub(super) const PATIENCE: u64 = 1 << 14;

/// Simulates from the initial state until `time`.
pub(super) fn run(
    engine: &Engine<'_>,
    mut random: Random,
    time: f64,
    bins: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Bins, SpaceError> {
    let (actions, labels) = (engine.actions().len(), engine.labels().len());
    let mut out =
        Bins { events: vec![0.0; bins * actions], numbers: vec![0.0; bins * labels], total: 0, stuck: false };
    let mut walker = engine.walker()?;
    let width = time / bins as f64;
    let bin_of = |at: f64| ((at / width) as usize).min(bins - 1);
    let mut now = 0.0;
    while now < time {
        let rate = walker.look()?;
        let next = if rate > 0.0 { now + random.exponential(rate) } else { f64::INFINITY };
        out.stuck = rate <= 0.0;
        spend(&mut out, &*walker, labels, now, next.min(time), width, bins);
        now = next;
        if now < time {
            let action = walker.go(random.unit() * rate);
            out.events[bin_of(now) * actions + action] += 1.0;
            out.total += 1;
            if out.total.is_multiple_of(PATIENCE) && stop() {
                return Err(SpaceError::Stopped);
            }
        }
    }
    Ok(out)
}

/// Adds the time from `from` to `to` in the state to the bins that it is in.
fn spend(out: &mut Bins, walker: &dyn Walker, labels: usize, from: f64, to: f64, width: f64, bins: usize) {
    let mut at = from;
    let mut bin = ((from / width) as usize).min(bins - 1);
    loop {
        let end = if bin + 1 == bins { to } else { to.min((bin + 1) as f64 * width) };
        walker.count(end - at, &mut out.numbers[bin * labels..(bin + 1) * labels]);
        at = end;
        bin += 1;
        if at >= to || bin == bins {
            return;
        }
    }
}
