//! Pictures of the Mandelbrot set, and the motion of a hip.

use super::Context;
use crate::cli::{HipArgs, MandelbrotArgs, WithJob};
use crate::error::CliError;
use crate::farm::{Farming, Wanted};
use crate::mpi::Work;
use crate::{farm, jobs};

/// Makes a picture, or says how long that would take.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn mandelbrot<F: Farming>(
    args: &WithJob<MandelbrotArgs, F>,
    context: &mut Context,
) -> Result<(), CliError> {
    let (job, how) = (&args.job, &args.how.ways());
    let picture = jobs::mandelbrot(job)?;
    let wanted = args.how.wanted();
    if wanted == Wanted::Run {
        farm::paths(how).writes("--out", Some(&job.out)).check(&mut context.console, |_| false)?;
        crate::file::check("--out", &job.out)?;
        context.work = farm::for_processes(how, || Work::Mandelbrot(job.clone()).in_words())?;
    } else {
        farm::paths(how).check(&mut context.console, |_| false)?;
    }
    context.interrupt.busy(|| farm::treat(&picture, (how, &wanted), || Ok(()), context))
}

/// Tries the rotations of a hip, or says how long that would take.
///
/// # Errors
/// What is wrong with the request or a mesh; what failed.
pub fn hip<F: Farming>(args: &WithJob<HipArgs, F>, context: &mut Context) -> Result<(), CliError> {
    let (job, how) = (&args.job, &args.how.ways());
    let wanted = args.how.wanted();
    let paths = farm::paths(how).reads([&job.femur, &job.pelvis]);
    if wanted == Wanted::Run {
        paths
            .writes("--out", job.out.as_deref())
            .writes("--svg", job.svg.as_deref())
            .check(&mut context.console, |_| false)?;
        for (option, file) in [("--out", &job.out), ("--svg", &job.svg)] {
            if let Some(file) = file {
                crate::file::check(option, file)?;
            }
        }
        context.work = farm::for_processes(how, || Work::Hip(Box::new(job.clone())).in_words())?;
    } else {
        paths.check(&mut context.console, |_| false)?;
    }
    context.interrupt.busy(|| {
        let range = jobs::hip(job)?;
        farm::treat(&range, (how, &wanted), || jobs::draw_hip(job, &range), context)
    })
}
