//! The command `forerun`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use forerun::cli::Cli;
use forerun::guardian;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == guardian::WORD) {
        guardian::guard();
        return ExitCode::SUCCESS;
    }
    #[cfg(feature = "mpi")]
    if std::env::args_os().nth(1).is_some_and(|word| word == forerun::mpi::WORD) {
        return forerun::mpi::rank();
    }
    match forerun::commands::dispatch(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            // Where nobody listens, the exit status still tells.
            let _ = writeln!(std::io::stderr(), "forerun: {e}");
            ExitCode::from(e.status())
        }
    }
}
