//! Running a farm on the processes of a communicator. The first rank is a master, and has what all answers come to: the journal, the
//! picture. Answers of other masters go to it at the end.

use std::cell::RefCell;

use forerun_apps::FarmJob;
use forerun_apps::command::Inputs;
use forerun_skeleton::farm::{Farm, ParcelCodec};
use forerun_skeleton::wire::{Plain, whole};
use forerun_skeleton::{AppError, Options, RunError};
use indicatif::ProgressBar;
use mpi::traits::Communicator as _;

use super::job::{Crew, finished, opened, said, unready};
use super::programs::{Keeping, each};
use super::{JobOrder, Told, Work};
use crate::cli::FarmJobArgs;
use crate::error::{CliError, request};
use crate::farm::{Deliveries, Subset, deliver, explain, shape};
use crate::jobs;

/// Runs the farm of `order`; gives what it came to on the first rank.
///
/// # Errors
/// The same on every rank: what failed.
pub(super) fn run(team: &Crew<'_>, order: &JobOrder) -> Result<Option<Told>, CliError> {
    let first = team.world.rank() == 0;
    match &order.work {
        Work::Mandelbrot(args) => work(team, order, || jobs::mandelbrot(args), |_| Ok(())),
        Work::Hip(args) => work(team, order, || jobs::hip(args), |job| jobs::draw_hip(args, job)),
        Work::Farm(args) => {
            let open = || {
                let inputs = Inputs::again(&order.seen).map_err(request)?;
                // One process has the journal, and writes.
                let args = match first {
                    true => args.clone(),
                    false => FarmJobArgs { out: None, resume: None, ..args.clone() },
                };
                jobs::command_farm(&args, &inputs, &team.options.cancel)
            };
            work(team, order, open, |_| Ok(()))
        }
        _ => Err(request("a reduction was planned as a farm")),
    }
}

/// Opens a job on every rank and runs what is left of it. What the pilot had is delivered on the first; `after` follows its result.
fn work<J: FarmJob>(
    team: &Crew<'_>,
    order: &JobOrder,
    open: impl Fn() -> Result<J, CliError>,
    after: impl Fn(&J) -> Result<(), CliError>,
) -> Result<Option<Told>, CliError> {
    let Crew { world, options, plan } = team;
    let first = world.rank() == 0;
    let (rest, kept): (Vec<u64>, Vec<u8>) = whole(&Plain, &order.kept).map_err(request)?;
    let job = &opened(team, order, || open().map_err(said))?;
    each(world, options, || if first { deliver(job, &kept) } else { Ok(()) }).map_err(unready)?;
    let explain = |e: RunError| explain(job, &rest, e, None);
    let shape = shape(job, plan);
    let app = Subset { job, tasks: &rest, bar: &ProgressBar::hidden(), tried: None };
    let sinks = Deliveries { job, tasks: &rest, keep: !first, aside: None };
    let left = RefCell::new(None);
    let options = Options { window: shape.window().max(4), ..options.clone() };
    let runner = Keeping { world, options, codec: ParcelCodec(job.codec()), kept: &left };
    let ran = Farm::new(&app, &sinks, shape).and_then(|farm| farm.run(runner)).map_err(explain)?;
    let left = left.into_inner().flatten().unwrap_or_default();
    // The first finishes, and gets what the others have.
    let left = (first || !left.is_empty()).then_some(left);
    let finish = |all: Vec<Vec<u8>>| -> Result<String, AppError> {
        all.iter().try_for_each(|kept| deliver(job, kept))?;
        let result = job.finish()?;
        after(job).map_err(said)?;
        Ok(result)
    };
    let told = finished(team, left, &Plain, (finish, Vec::new), explain)?.told(ran, rest.len() as u64)?;
    Ok(told.map(|told| Told { missing: job.missing(), ..told }))
}
