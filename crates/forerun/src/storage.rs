//! The storage of a described machine in the costs of a job.
//!
//! What reading and writing cost a pilot is what this machine's storage and its cache make of them. On a machine that is
//! described, the input is taken to be on the device and not in memory, and the result to be written before the job is
//! done: a byte takes as long as was measured here or as the described storage needs, whichever is longer. Of several
//! ranks that read, each is taken to have it for itself. For this machine, and where ranks are started from here on
//! the machine that is described, what was measured stands; but what a pilot of scatter-gather finds to come from a device takes no less than a
//! rate that is stated.

use forerun_apps::ErasedJob;
use forerun_model::Speeds;
use forerun_platform::{BytesPerSecond, Platform, Profile, ScatterGatherProfile, Storage};

use crate::cli::FigureOptions;
use crate::commands::Context;
use crate::error::{CliError, request};

/// The storage that counts, where it is not the one that the pilot has seen; says so.
///
/// # Errors
/// Standard error is gone.
pub fn described<'p>(
    platform: &'p Platform,
    options: &FigureOptions,
    context: &Context,
) -> Result<Option<&'p Storage>, CliError> {
    let here = options.platform.as_deref().is_none_or(|spec| spec == "this") || context.work.is_some();
    let Some(storage) = platform.storage.as_ref().filter(|_| !here) else { return Ok(None) };
    let rate = |rate: f64| BytesPerSecond(rate).to_string();
    let line = format!(
        "of {}: reads at most {}, writes at most {}",
        platform.name,
        rate(storage.read.value.0),
        rate(storage.write.value.0)
    );
    context.console.note("storage", &line)?;
    Ok(Some(storage))
}

/// Puts the storage into the costs of a reduction: tasks wait for what they read, the finish for what it writes beside
/// its work.
///
/// # Errors
/// A first host without speed.
pub fn in_reduction(
    profile: &mut Profile,
    job: &dyn ErasedJob,
    platform: &Platform,
    storage: &Storage,
) -> Result<(), CliError> {
    let Some(costs) = &mut profile.reduction else { return Ok(()) };
    if job.reads_files() {
        let wait = &mut costs.task.wait.per_byte;
        *wait = wait.max(1.0 / storage.read.value.0);
    }
    if job.writes_results() {
        let speed = Speeds::of_first_rank(platform).map_err(request)?;
        let works = costs.finish.work().on(speed).per_byte;
        let wait = &mut costs.finish.wait.per_byte;
        *wait = wait.max(1.0 / storage.write.value.0 - works);
    }
    Ok(())
}

/// Puts the storage into the costs of scatter-gather.
pub fn in_scatter_gather(costs: &mut ScatterGatherProfile, storage: &Storage) {
    for (phase, rate) in [(&mut costs.read, storage.read), (&mut costs.write, storage.write)] {
        phase.per_byte = phase.per_byte.max(1.0 / rate.value.0);
    }
}

/// What of the input is to come from a device, `from_device` of it, takes as long as that needs by its stated rate at least: a pilot does not
/// wait for all that the system reads ahead for it meanwhile, and a run does. (A rate that was measured may be another device's.)
pub fn behind_a_pilot(costs: &mut ScatterGatherProfile, from_device: f64, storage: &Storage) {
    if storage.read.interval.is_none() {
        costs.read.per_byte = costs.read.per_byte.max(from_device / storage.read.value.0);
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Measured, PhaseCost};

    use super::*;

    #[test]
    fn what_comes_from_a_device_takes_no_less_than_its_stated_rate() {
        let rate = |rate| Measured::stated(BytesPerSecond(rate));
        let measured = Measured::within(BytesPerSecond(1e6), BytesPerSecond(0.9e6), BytesPerSecond(1.1e6));
        let read = |from_device: f64, read| {
            let mut costs = ScatterGatherProfile {
                read: PhaseCost { per_byte: 1e-7, ..PhaseCost::default() },
                ..ScatterGatherProfile::default()
            };
            behind_a_pilot(&mut costs, from_device, &Storage { read, write: rate(1e9) });
            costs.read.per_byte
        };
        assert_eq!([read(0.5, rate(1e6)), read(0.05, rate(1e6)), read(0.0, rate(1e6))], [5e-7, 1e-7, 1e-7]);
        assert_eq!(read(0.5, measured), 1e-7);
    }

    #[test]
    fn the_slower_of_both_counts() {
        let rate = |rate| Measured::stated(BytesPerSecond(rate));
        let storage = Storage { read: rate(1e6), write: rate(1e9) };
        let mut costs = ScatterGatherProfile {
            read: PhaseCost { fixed: 1e-3, ..PhaseCost::per_byte(1e-9) },
            write: PhaseCost::per_byte(1e-8),
            ..ScatterGatherProfile::default()
        };
        in_scatter_gather(&mut costs, &storage);
        assert_eq!((costs.read.fixed, costs.read.per_byte, costs.write.per_byte), (1e-3, 1e-6, 1e-8));
    }
}
