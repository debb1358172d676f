//! Jobs that are farms: an external command for each of many files, pictures of the Mandelbrot set, the motion of a hip.

use forerun_apps::command::{Inputs, Selection};
use forerun_platform::Way;
use forerun_platform::file::is_standard_output;

use super::Context;
use crate::cli::{FarmJobArgs, HipArgs, MandelbrotArgs, WithJob};
use crate::error::{CliError, request};
use crate::farm::{Farming, Wanted};
use crate::mpi::Work;
use crate::{farm, file, jobs, mpi, paths};

/// Runs the command for every file, or says how long that would take.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn of<F: Farming>(command: &WithJob<FarmJobArgs, F>, context: &mut Context) -> Result<(), CliError> {
    let (args, how, wanted) = (&command.job, &command.how.ways(), command.how.wanted());
    // Of one that is not run, nothing is written: what is in a journal counts as done.
    let there = args.resume.clone().filter(|journal| wanted == Wanted::Run || journal.exists());
    let args = &match wanted {
        Wanted::Run => args.clone(),
        _ => FarmJobArgs { out: None, resume: there, ..args.clone() },
    };
    paths::files(&args.input)?;
    paths::once(&args.input)?;
    let mut selection = Selection { paths: args.input.clone(), include: args.include.clone() };
    if let Some(from) = &args.files_from {
        farm::paths(how, &wanted).reads([from]).one_from_standard_input()?;
        jobs::listed(from, &mut selection.paths)?;
    }
    if selection.paths.is_empty() {
        return Err(request("no input: name files or directories, or give --files-from"));
    }
    let inputs = Inputs::open_once(&selection).map_err(request)?;
    let out = args.out.as_deref().filter(|out| !is_standard_output(out));
    let searched = selection.clone();
    let list = args.files_from.as_deref();
    let paths = farm::paths(how, &wanted)
        .reads(inputs.files().iter().map(|file| &file.path))
        .reads(list)
        .searches(searched)
        .writes("--out", out)
        .prints("--out", out.is_none() && wanted == Wanted::Run)
        .writes("--resume", args.resume.as_deref());
    paths.check(&mut context.console, |_| false)?;
    for note in inputs.notes() {
        context.console.note("note", note)?;
    }
    if wanted == Wanted::Run {
        context.here = how.on == Way::Mpi && mpi::is_here(&how.mpi);
        if let Some(work) = farm::for_processes(how, || Work::farm(args, &inputs))? {
            context.ask_of(&inputs, work)?;
        }
    }
    // The arguments as they were given: what is only planned has no output.
    farm::check_script((how, &wanted), || Work::farm(&command.job, &inputs))?;
    context.interrupt.busy(|| {
        let job = jobs::command_farm(args, &inputs, context.interrupt.cancel())?;
        farm::treat(&job, (how, &wanted), || Ok(()), context)
    })
}

/// Makes a picture, or says how long that would take.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn mandelbrot<F: Farming>(
    args: &WithJob<MandelbrotArgs, F>,
    context: &mut Context,
) -> Result<(), CliError> {
    let (job, how) = (&args.job, &args.how.ways());
    let picture = jobs::mandelbrot(job)?;
    let wanted = args.how.wanted();
    if wanted == Wanted::Run {
        farm::paths(how, &wanted).writes("--out", Some(&job.out)).check(&mut context.console, |_| false)?;
        file::check("--out", &job.out)?;
        context.here = how.on == Way::Mpi && mpi::is_here(&how.mpi);
        if let Some(work) = farm::for_processes(how, || Work::Mandelbrot(job.clone()).in_words())? {
            context.ask(work)?;
        }
    } else {
        farm::check_script((how, &wanted), || Work::Mandelbrot(job.clone()).in_words())?;
        farm::paths(how, &wanted).check(&mut context.console, |_| false)?;
    }
    context.interrupt.busy(|| farm::treat(&picture, (how, &wanted), || Ok(()), context))
}

/// Tries the rotations of a hip, or says how long that would take.
///
/// # Errors
/// What is wrong with the request or a mesh; what failed.
pub fn hip<F: Farming>(args: &WithJob<HipArgs, F>, context: &mut Context) -> Result<(), CliError> {
    let (job, how) = (&args.job, &args.how.ways());
    let wanted = args.how.wanted();
    paths::files([&job.femur, &job.pelvis])?;
    let paths = farm::paths(how, &wanted).reads([&job.femur, &job.pelvis]);
    if wanted == Wanted::Run {
        paths
            .writes("--out", job.out.as_deref())
            .writes("--svg", job.svg.as_deref())
            .check(&mut context.console, |_| false)?;
        for (option, file) in [("--out", &job.out), ("--svg", &job.svg)] {
            if let Some(file) = file {
                file::check(option, file)?;
            }
        }
        context.here = how.on == Way::Mpi && mpi::is_here(&how.mpi);
        if let Some(work) = farm::for_processes(how, || Work::Hip(Box::new(job.clone())).in_words())? {
            context.ask(work)?;
        }
    } else {
        farm::check_script((how, &wanted), || Work::Hip(Box::new(job.clone())).in_words())?;
        paths.check(&mut context.console, |_| false)?;
    }
    context.interrupt.busy(|| {
        let range = jobs::hip(job)?;
        farm::treat(&range, (how, &wanted), || jobs::draw_hip(job, &range), context)
    })
}
