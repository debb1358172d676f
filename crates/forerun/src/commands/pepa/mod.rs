//! `forerun pepa`: models of the process algebra PEPA.

mod model;
mod solve;
mod states;
mod text;

use crate::cli::pepa::PepaCommand;
use crate::commands::Context;
use crate::error::CliError;

/// Does what is to be done with a model.
///
/// # Errors
/// What is wrong with the model or the request; what failed.
pub fn run(command: &PepaCommand, context: &Context) -> Result<(), CliError> {
    match command {
        PepaCommand::Check(args) => text::check(args, context),
        PepaCommand::Fmt(args) => text::fmt(args, context),
        PepaCommand::States(args) => states::run(args, context),
        PepaCommand::Solve(args) => solve::run(args, context),
    }
}
