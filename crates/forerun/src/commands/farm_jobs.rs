//! `forerun run mandelbrot`, `forerun run hip`.

use super::Context;
use crate::cli::{HipCommand, MandelbrotCommand};
use crate::error::CliError;
use crate::mpi::Work;
use crate::{farm, jobs};

/// Makes a picture.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn mandelbrot(args: &MandelbrotCommand, context: &mut Context) -> Result<(), CliError> {
    let MandelbrotCommand { job, how } = args;
    let picture = jobs::mandelbrot(job)?;
    farm::paths(how).writes("--out", Some(&job.out)).check(&mut context.console, |_| false)?;
    crate::file::check("--out", &job.out)?;
    context.work = farm::for_processes(how, || Work::Mandelbrot(job.clone()).in_words())?;
    context.interrupt.busy(|| farm::run(&picture, how, || Ok(()), context))
}

/// Tries the rotations of a hip.
///
/// # Errors
/// What is wrong with the request or a mesh; what failed.
pub fn hip(args: &HipCommand, context: &mut Context) -> Result<(), CliError> {
    let HipCommand { job, how } = args;
    farm::paths(how)
        .reads([&job.femur, &job.pelvis])
        .writes("--out", job.out.as_deref())
        .writes("--svg", job.svg.as_deref())
        .check(&mut context.console, |_| false)?;
    for (option, file) in [("--out", &job.out), ("--svg", &job.svg)] {
        if let Some(file) = file {
            crate::file::check(option, file)?;
        }
    }
    context.work = farm::for_processes(how, || Work::Hip(Box::new(job.clone())).in_words())?;
    context.interrupt.busy(|| {
        let range = jobs::hip(job)?;
        farm::run(&range, how, || jobs::draw_hip(job, &range), context)
    })
}
