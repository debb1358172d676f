//! `forerun model farm --by pepa`: a farm's makespan by a process algebra model, and the model itself.

use forerun_model::farm::Farm;
use forerun_pepa::job::{self, JobError, Limits};

use super::farm::Row;
use crate::cli::FarmArgs;
use crate::commands::Context;
use crate::console::Console;
use crate::error::{CliError, failed, request};
use crate::{file, text};

/// That the model can be written, and is of one number of processors.
pub(super) fn check(args: &FarmArgs) -> Result<(), CliError> {
    let Some(path) = &args.write_model else { return Ok(()) };
    if args.processors.len() != 1 {
        return Err(request("--write-model: a model is of one number of processors: give one by -p"));
    }
    file::check("--write-model", path)
}

/// The model of a farm of so many ranks, one of them the master.
pub(crate) fn model(farm: &Farm, ranks: usize) -> Result<job::Farm, CliError> {
    let trip = farm.trip(ranks).map_err(request)?;
    let tasks = farm.tasks();
    // A slave whose port is not free yet answers later; with one task at a time it waits for the next one meanwhile.
    let meanwhile_s = if tasks.prefetch == 1 { trip.total_s - trip.slave_s } else { 0.0 };
    Ok(job::Farm {
        slaves: ranks as u64 - 1,
        tasks: tasks.count,
        prefetch: tasks.prefetch,
        give_s: trip.give_s,
        work_s: trip.slave_s.max(trip.slave_port_s - meanwhile_s),
        wire_s: (trip.total_s - trip.give_s - trip.slave_s - trip.take_s).max(0.0),
        take_s: trip.take_s,
        hold_s: trip.sink_s.max(trip.port_s - trip.give_s - trip.take_s),
    })
}

/// Puts the makespan by its model into each row; gives what there is to say about that.
pub(super) fn predict(farm: &Farm, rows: &mut [Row], context: &Context) -> Result<Vec<String>, CliError> {
    let stop = || context.interrupt.signal().is_some();
    let mut notes = vec![
        "tasks over their throughput in the model of a stream; all times exponential, whatever their spread"
            .to_string(),
    ];
    let mut states = 0;
    for row in rows {
        match context
            .interrupt
            .busy(|| Ok(job::predict_farm(&model(farm, row.processors)?, &Limits::default(), &stop)))?
        {
            Ok(found) => {
                row.pepa_s = Some(found.seconds);
                states = states.max(found.states);
            }
            Err(JobError::TooLarge { limit, .. }) => {
                notes.push(format!(
                    "from {} processors on its model has more than {} states, the limit",
                    row.processors,
                    text::count(limit as u64)
                ));
                break;
            }
            Err(JobError::Stopped) => crate::execute::stop_if_interrupted(&context.interrupt)?,
            Err(e) => return Err(failed(e)),
        }
    }
    notes[0] += &format!(", of at most {}", text::plural(states as u64, "state"));
    Ok(notes)
}

/// Writes the model, where that is asked for.
pub(super) fn write(farm: &Farm, args: &FarmArgs, console: &Console) -> Result<(), CliError> {
    let Some((path, ranks)) = args.write_model.as_deref().zip(args.processors.first()) else { return Ok(()) };
    file::write(path, model(farm, *ranks as usize)?.model().as_bytes())?;
    console.note("model", &file::shown(path))
}
