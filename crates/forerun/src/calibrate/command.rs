//! The command `forerun calibrate`.

use forerun_platform::file::{is_standard_output, without_numbers};
use forerun_platform::{Machine, Way};

use super::{Cache, Options, cache, calibrate, calibrate_mpi, doubtful, table};
use crate::cli::{CalibrateArgs, MpiOptions};
use crate::console::Console;
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::file;
use crate::signals::Interrupt;

/// Measures this machine, prints the figures, and keeps them or writes them where asked for.
///
/// # Errors
/// Interrupted; a file or the output asked for cannot be written, the storage not be measured; threads cannot be started.
pub fn calibrate_command(
    args: &CalibrateArgs,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<(), CliError> {
    if let Some(path) = args.out.as_deref().filter(|path| !is_standard_output(path)) {
        file::check("--out", path)?;
    }
    match args.on {
        Way::Mpi => return calibrate_mpi(args, console, interrupt),
        _ if args.processors.is_some() || args.svg.is_some() || args.mpi != MpiOptions::default() => {
            return Err(request(
                "-p, --svg, --hostfile and --mpirun are of --on mpi: give it, or leave them out",
            ));
        }
        _ => {}
    }
    super::plan::check(&args.storage, interrupt.cancel()).map_err(request)?;
    let options = Options { quick: args.quick, storage: Some(args.storage.clone()) };
    let bar = console.bar(Some(100), "calibrate");
    let progress = |_: &str, part: f64| bar.set_position((part * 100.0) as u64);
    let result = calibrate(&options, &progress, interrupt.cancel());
    bar.finish_and_clear();
    // Also where the last of it was measured already: nothing is kept of what was to end.
    stop_if_interrupted(interrupt)?;
    let calibration = result.map_err(failed)?;
    let platform = &calibration.platform;
    let machine = Machine::here();
    console.note("machine", &machine.to_string())?;
    console.text(&table(&calibration.figures))?;
    for note in &calibration.notes {
        console.note("note", note)?;
    }
    if let Some(why) = &calibration.doubt {
        console.note("note", &doubtful(why))?;
    }
    console.data(platform)?;
    // Nor is it where the signal came meanwhile. One that comes when the file has its name is too late.
    stop_if_interrupted(interrupt)?;
    if let Some(stdout) = args.out.as_deref().filter(|path| is_standard_output(path)) {
        return file::write(stdout, platform.to_toml().as_bytes());
    }
    if let Some(path) = &args.out {
        file::write(path, cache::text(platform, calibration.doubt.as_deref()).as_bytes())?;
        return console.note("written", &file::shown(path));
    }
    if calibration.doubt.is_some() {
        return console.say("note", "it is not kept: measure again when the machine is idle");
    }
    // What became of it is its result, however little is to be said.
    match Cache::of_user().map(|c| c.store(&machine, platform)) {
        Some(Ok(path)) => console.say("kept", &file::shown(path)),
        Some(Err(e)) => console.say("note", &without_numbers(&e.to_string())),
        None => console.say("note", "there is no home directory to keep the calibration in; use --out FILE"),
    }
}
