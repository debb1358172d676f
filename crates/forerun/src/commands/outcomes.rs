//! `forerun compare` and `forerun report`: what to do with outcomes.

use std::io::{self, IsTerminal};

use crate::cli::{CompareArgs, ReportArgs};
use crate::console::Console;
use crate::error::{CliError, failed, request};
use crate::{compare, drawings, file, outcomes, report, text};

/// Puts predicted times beside measured ones.
///
/// # Errors
/// What is wrong with a file.
pub fn compare(args: &CompareArgs, console: &Console) -> Result<(), CliError> {
    args.draw.writable()?;
    let outcomes = outcomes::read(&args.outcomes).map_err(request)?;
    let colour = io::stdout().is_terminal() && text::colour(&io::stdout());
    console.text(&compare::table(&outcomes, colour))?;
    args.draw.write(|| drawings::compared_sheet(&outcomes), || drawings::makespans(&outcomes))?;
    console.data(&compare::json(&outcomes).map_err(failed)?)
}

/// Writes a page.
///
/// # Errors
/// What is wrong with a file, or the page cannot be written.
pub fn report(args: &ReportArgs, console: &Console) -> Result<(), CliError> {
    file::check("--out", &args.out)?;
    let outcomes = outcomes::read(&args.outcomes).map_err(request)?;
    report::write(&outcomes, &args.out).map_err(failed)?;
    console.note("report", &file::shown(&args.out))?;
    console.data(&outcomes)
}
