//! `forerun farm`: an external command as the tasks of a farm.

use std::path::Path;

use forerun_apps::command::{CommandFarm, FarmSettings, Inputs, Selection, read_list};

use super::Context;
use crate::cli::FarmCommand;
use crate::error::{CliError, request};
use crate::paths::Paths;
use crate::{farm, jobs};

/// Runs the command for every file.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run(args: &FarmCommand, context: &mut Context) -> Result<(), CliError> {
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
    let paths = Paths::new()
        .reads(inputs.files().iter().map(|file| &file.path))
        .reads(list)
        .writes("--out", out)
        .writes("--resume", args.resume.as_deref())
        .writes("--write-profile", args.how.write_profile.as_deref());
    paths.check(&mut context.console, |_| false)?;
    let settings = FarmSettings {
        command: args.command.clone(),
        shell: args.shell,
        unordered: args.unordered,
        out: args.out.clone(),
        journal: args.resume.clone(),
        timeout: args.timeout.as_deref().map(|s| jobs::time("--timeout", s)).transpose()?,
        max_output: args.max_output.as_deref().map(|s| jobs::size("--max-output", s)).transpose()?,
        tmp: args.tmp.clone(),
        guardian: crate::guardian::start(),
    };
    for note in inputs.notes() {
        context.console.note("note", note)?;
    }
    let context = &*context;
    context.interrupt.busy(|| {
        let job = CommandFarm::new(settings, &inputs, context.interrupt.cancel().clone()).map_err(request)?;
        farm::run(&job, &args.how, context)
    })
}
