//! `forerun farm`: an external command as the tasks of a farm.

use std::path::Path;

use forerun_apps::command::{Inputs, Selection, read_list};

use super::Context;
use crate::cli::FarmCommand;
use crate::error::{CliError, request};
use crate::mpi::Work;
use crate::{farm, jobs, paths};

/// Runs the command for every file.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run(command: &FarmCommand, context: &mut Context) -> Result<(), CliError> {
    let FarmCommand { job: args, how } = command;
    paths::once(&args.input)?;
    let mut selection = Selection { paths: args.input.clone(), include: args.include.clone() };
    if let Some(from) = &args.files_from {
        selection.paths.extend(read_list(from).map_err(request)?);
    }
    if selection.paths.is_empty() {
        return Err(request("no input: name files or directories, or give --files-from"));
    }
    let inputs = Inputs::open(&selection).map_err(request)?;
    let out = args.out.as_deref().filter(|out| *out != Path::new("-"));
    if out.is_none() {
        context.console.keep_stdout_free()?;
    }
    let list = args.files_from.as_deref().filter(|from| *from != Path::new("-"));
    let paths = farm::paths(how)
        .reads(inputs.files().iter().map(|file| &file.path))
        .reads(list)
        .writes("--out", out)
        .writes("--resume", args.resume.as_deref());
    paths.check(&mut context.console, |_| false)?;
    for note in inputs.notes() {
        context.console.note("note", note)?;
    }
    context.work = farm::for_processes(how, || Work::farm(args, &inputs))?;
    context.interrupt.busy(|| {
        let job = jobs::command_farm(args, &inputs, context.interrupt.cancel())?;
        farm::run(&job, how, || Ok(()), context)
    })
}
