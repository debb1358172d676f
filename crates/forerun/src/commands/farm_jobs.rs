//! `forerun run mandelbrot`, `forerun run hip`.

use forerun_apps::hip::{Cup, Hip, Limits, Motion, RangeOfMotion, Side, Stem, read_stl};
use forerun_apps::mandelbrot::{Picture, View};

use super::Context;
use crate::chart::{LineChart, Series};
use crate::cli::{HipCommand, MandelbrotCommand};
use crate::error::{CliError, request};
use crate::farm;
use crate::paths::Paths;

/// Makes a picture.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn mandelbrot(args: &MandelbrotCommand, context: &mut Context) -> Result<(), CliError> {
    let Some((re, im)) = args.centre.split_once(',') else {
        return Err(request(format!("--centre {}: expected RE,IM, such as -0.75,0", args.centre)));
    };
    let size = args
        .size
        .split_once(['x', 'X'])
        .and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    let Some(size) = size else {
        return Err(request(format!(
            "--size {}: expected points a row and rows, such as 1024x768",
            args.size
        )));
    };
    let view = View::new((re.trim(), im.trim()), args.width, size, args.iterations).map_err(request)?;
    Paths::new()
        .writes("--out", Some(&args.out))
        .writes("--write-profile", args.how.write_profile.as_deref())
        .check(&mut context.console, |_| false)?;
    crate::file::check("--out", &args.out)?;
    let context = &*context;
    context.interrupt.busy(|| farm::run(&Picture::new(view, &args.out), &args.how, context))
}

/// Tries the rotations of a hip.
///
/// # Errors
/// What is wrong with the request or a mesh; what failed.
pub fn hip(args: &HipCommand, context: &mut Context) -> Result<(), CliError> {
    Paths::new()
        .reads([&args.femur, &args.pelvis])
        .writes("--out", args.out.as_deref())
        .writes("--svg", args.svg.as_deref())
        .writes("--write-profile", args.how.write_profile.as_deref())
        .check(&mut context.console, |_| false)?;
    for (option, file) in [("--out", &args.out), ("--svg", &args.svg)] {
        if let Some(file) = file {
            crate::file::check(option, file)?;
        }
    }
    for (option, smaller, larger, what) in [
        ("--cup", args.head, args.cup, "the head's radius"),
        ("--head", args.neck, args.head, "the neck's radius"),
        ("--neck-length", args.head, args.neck_length, "the head's radius"),
    ] {
        if smaller >= larger {
            return Err(request(format!("{option} {larger}: expected more than {what}, {smaller}")));
        }
    }
    let context = &*context;
    context.interrupt.busy(|| {
        let stem = Stem {
            neck_radius: args.neck,
            neck_length: args.neck_length,
            head_radius: args.head,
            ..Stem::default()
        };
        let hip = Hip {
            femur: read_stl(&args.femur).map_err(request)?,
            pelvis: read_stl(&args.pelvis).map_err(request)?,
            femur_centre: args.femur_centre.map(|centre| centre.0),
            pelvis_centre: args.pelvis_centre.map(|centre| centre.0),
            side: if args.left { Side::Left } else { Side::Right },
            cup: Cup {
                inner_radius: args.head,
                outer_radius: args.cup,
                inclination: args.inclination,
                anteversion: args.anteversion,
            },
            stem,
            resection: args.resection,
        };
        let motion = Motion { flexion: args.flexion, abduction: args.abduction, rotation: args.rotation };
        let job = RangeOfMotion::new(hip, motion, args.out.clone()).map_err(request)?;
        farm::run(&job, &args.how, context)?;
        match &args.svg {
            Some(svg) => crate::file::write(svg, plot(&job.limits()).svg().as_bytes()),
            None => Ok(()),
        }
    })
}

/// The limits over flexion.
fn plot(limits: &[Limits]) -> LineChart {
    let series = |name: &str, of: &dyn Fn(&Limits) -> Option<f64>| Series {
        name: name.into(),
        points: limits.iter().map(|l| (l.flexion, of(l).unwrap_or(f64::NAN))).collect(),
        ..Series::default()
    };
    LineChart {
        title: "How far the hip is free, from neutral on".into(),
        x: "flexion, degrees".into(),
        y: "degrees".into(),
        series: vec![
            series("most internal rotation", &|l| Some(l.rotation?.1)),
            series("least internal rotation (external)", &|l| Some(l.rotation?.0)),
            series("most abduction", &|l| Some(l.abduction?.1)),
            series("least abduction (adduction)", &|l| Some(l.abduction?.0)),
        ],
        ..LineChart::default()
    }
}
