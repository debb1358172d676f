//! The command `forerun`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use forerun::cli::Cli;

fn main() -> ExitCode {
    match forerun::commands::dispatch(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            // Where nobody listens, the exit status still tells.
            let _ = writeln!(std::io::stderr(), "forerun: {e}");
            ExitCode::from(e.status())
        }
    }
}
