//! `forerun pepa`: models of the process algebra PEPA.

mod course;
mod export;
mod measure;
mod model;
mod passage;
mod progress;
mod simulate;
mod solve;
mod states;
mod sweep;
mod text;

use crate::cli::pepa::PepaCommand;
use crate::commands::Context;
use crate::error::CliError;
use crate::paths::Paths;

/// Does what is to be done with a model.
///
/// # Errors
/// What is wrong with the model or the request; what failed.
pub fn run(command: &PepaCommand, context: &mut Context) -> Result<(), CliError> {
    paths(command).check(&mut context.console, |_| false)?;
    match command {
        PepaCommand::Check(args) => text::check(args, context),
        PepaCommand::Fmt(args) => text::fmt(args, context),
        PepaCommand::States(args) => states::run(args, context),
        PepaCommand::Solve(args) => solve::run(args, context),
        PepaCommand::Transient(args) => course::transient(args, context),
        PepaCommand::Passage(args) => passage::run(args, context),
        PepaCommand::Fluid(args) => course::fluid(args, context),
        PepaCommand::Simulate(args) => simulate::run(args, context),
        PepaCommand::Sweep(args) => sweep::run(args, context),
        PepaCommand::Export(args) => export::run(args, context),
    }
}

/// What a command reads and writes.
fn paths(command: &PepaCommand) -> Paths {
    let of = Paths::new();
    match command {
        PepaCommand::Check(args) => of.reads(&args.files),
        PepaCommand::Fmt(args) => of.reads(&args.files),
        PepaCommand::States(args) => of.reads([&args.model.file]),
        PepaCommand::Solve(args) => of.reads([&args.model.file]),
        PepaCommand::Transient(args) => {
            of.reads([&args.model.file]).writes("--csv", args.times.csv.as_deref())
        }
        PepaCommand::Passage(args) => of.reads([&args.model.file]).writes("--csv", args.times.csv.as_deref()),
        PepaCommand::Fluid(args) => of.reads([&args.model.file]).writes("--csv", args.times.csv.as_deref()),
        PepaCommand::Simulate(args) => of.reads([&args.model.file]),
        PepaCommand::Sweep(args) => {
            let of = of.reads([&args.model.file]).writes("--csv", args.csv.as_deref());
            of.writes("--svg", args.svg.as_deref())
        }
        PepaCommand::Export(args) => of.reads([&args.model.file]).writes("--out", Some(&args.out)),
    }
}

/// A number with six significant digits.
pub(crate) fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-5.0..=9.0).contains(&magnitude) {
        return format!("{value:.5e}");
    }
    format!("{value:.*}", (5.0 - magnitude).max(0.0) as usize)
}
