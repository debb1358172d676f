//! Starting the processes of a job, and what becomes of them.

use std::io;

use forerun_apps::ErasedJob;
use forerun_mpi::{Launch, Launcher, linked};
use forerun_platform::{Plan, Way};

use super::{JobOrder, Order, Report, Told, WORD, Work};
use crate::cli::MpiOptions;
use crate::error::{CliError, failed, request};
use crate::execute::{Done, append_finish, measured};
use crate::signals::Interrupt;

/// What starts the ranks: the launcher that is asked for, else that of the MPI that this program is built with.
///
/// # Errors
/// That it is built without one, or that there is no such launcher, and what to do.
pub fn launcher(options: &MpiOptions) -> Result<Launcher, CliError> {
    let flavour = linked().map_err(request)?;
    match &options.mpirun {
        Some(words) => {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            Launcher::named(&words)
        }
        None => Launcher::find(flavour),
    }
    .map_err(|e| request(format!("--on mpi: {e}")))
}

/// Starts `ranks` processes of this program, gives them `input` (an [`Order`]), and listens to what the first says in the
/// end.
///
/// # Errors
/// Interrupted; what failed.
pub fn launch(
    ranks: usize,
    options: &MpiOptions,
    input: &[u8],
    interrupt: &Interrupt,
) -> Result<Report, CliError> {
    let program =
        std::env::current_exe().map_err(|e| failed(format!("this program cannot be found: {e}")))?;
    let launch = Launch {
        launcher: launcher(options)?,
        ranks,
        hostfile: options.hostfile.clone(),
        program,
        arguments: vec![WORD.into()],
        cancel: interrupt.cancel().clone(),
    };
    let said = launch.run(input, io::stdout());
    if let Some(signal) = interrupt.signal() {
        return Err(CliError::Interrupted(signal));
    }
    let said = said.map_err(failed)?;
    serde_json::from_str(&said)
        .map_err(|e| failed(format!("the first rank is another build of forerun: {e}")))
}

/// Runs a job as `plan` says, each rank a process.
///
/// # Errors
/// Interrupted; what failed.
pub fn run(
    work: &Work,
    job: &dyn ErasedJob,
    plan: &Plan,
    platform: &str,
    options: &MpiOptions,
    interrupt: &Interrupt,
) -> Result<Done, CliError> {
    let mut kept = Vec::new();
    job.hand_over(&mut kept).map_err(failed)?;
    let directory = std::env::current_dir().map_err(|e| failed(format!("this directory is gone: {e}")))?;
    let order = JobOrder { work: work.clone(), plan: plan.clone(), directory, kept };
    let input = Order::Job(Box::new(order)).encode().map_err(request)?;
    let told = match launch(plan.processors, options, &input, interrupt)? {
        Report::Done(told) => *told,
        Report::Failed(what) => return Err(failed(what)),
        Report::Refused(what) => return Err(request(what)),
        Report::Measured(_) => return Err(failed("the first rank is another build of forerun")),
    };
    let Told { mut ranks, ranks_s, finish_s, finisher, tasks, result, notes } = told;
    let notes = job.notes().into_iter().chain(notes).collect();
    if let Some(finisher) = ranks.get_mut(finisher..=finisher) {
        append_finish(finisher, ranks_s, finish_s);
    }
    let mut plan = plan.clone();
    plan.grain.tasks = Some(tasks);
    let mut outcome = measured(Way::Mpi, plan, (ranks_s, finish_s), ranks, tasks);
    outcome.job = job.name().to_string();
    outcome.platform = platform.to_string();
    Ok(Done { outcome, result, notes })
}
