//! `forerun model`: models that stand alone.

use crate::cli::ModelCommand;
use crate::commands::Context;
use crate::error::CliError;
use crate::models::{farm, packet};

/// Shows a model.
///
/// # Errors
/// What is wrong with its description; a file that cannot be written.
pub fn run(command: &ModelCommand, context: &mut Context) -> Result<(), CliError> {
    match command {
        ModelCommand::Packet(args) => packet::run(args, context),
        ModelCommand::Farm(args) => farm::run(args, context),
    }
}
