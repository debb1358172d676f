//! The jobs that run as farms.

use std::path::Path;

use forerun_apps::command::{CommandFarm, FarmSettings, Inputs};
use forerun_apps::hip::{Cup, Hip, Limits, Motion, RangeOfMotion, Side, Stem, read_stl};
use forerun_apps::mandelbrot::{Picture, View};
use forerun_skeleton::Cancel;

use super::{size, timeout};
use crate::chart::{LineChart, Series};
use crate::cli::{FarmJobArgs, HipArgs, MandelbrotArgs};
use crate::error::{CliError, request};
use crate::file::shown;

/// The picture that is asked for.
///
/// # Errors
/// What is wrong with the view.
pub fn mandelbrot(args: &MandelbrotArgs) -> Result<Picture, CliError> {
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
    if let Some(other) = other_image(&args.out) {
        return Err(request(format!(
            "-o {}: the picture is written as PNG, which {other:?} says it is not: name it {}",
            shown(&args.out),
            shown(args.out.with_extension("png"))
        )));
    }
    Picture::new(view, &args.out).map_err(request)
}

/// The ends of names of pictures in other formats.
const OTHER_IMAGES: [&str; 18] = [
    "jpg", "jpeg", "jfif", "gif", "bmp", "tif", "tiff", "webp", "avif", "heic", "jxl", "svg", "pdf", "ppm",
    "pgm", "pbm", "pnm", "tga",
];

/// The end of a file's name, if it says that the file is a picture in another format.
fn other_image(name: &Path) -> Option<String> {
    let end = name.extension()?.to_str()?;
    OTHER_IMAGES.iter().any(|other| end.eq_ignore_ascii_case(other)).then(|| format!(".{end}"))
}

/// The hip that is asked for.
///
/// # Errors
/// What is wrong with its measures, or with a mesh.
pub fn hip(args: &HipArgs) -> Result<RangeOfMotion, CliError> {
    for (option, smaller, larger, what) in [
        ("--cup", args.head, args.cup, "the head's radius"),
        ("--head", args.neck, args.head, "the neck's radius"),
        ("--neck-length", args.head, args.neck_length, "the head's radius"),
    ] {
        if smaller >= larger {
            return Err(request(format!("{option} {larger}: expected more than {what}, {smaller}")));
        }
    }
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
    RangeOfMotion::new(hip, motion, args.out.clone()).map_err(request)
}

/// Writes the plot of a hip's limits, where it is asked for.
///
/// # Errors
/// That it cannot be written.
pub fn draw_hip(args: &HipArgs, job: &RangeOfMotion) -> Result<(), CliError> {
    match &args.svg {
        Some(svg) => crate::file::write(svg, plot(&job.limits()).svg().as_bytes()),
        None => Ok(()),
    }
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

/// The command that is to be run for each of `inputs`.
///
/// # Errors
/// What is wrong with the command, its limits, the journal or where outputs go.
pub fn command_farm(args: &FarmJobArgs, inputs: &Inputs, cancel: &Cancel) -> Result<CommandFarm, CliError> {
    let settings = FarmSettings {
        command: args.command.clone(),
        shell: args.shell,
        unordered: args.unordered,
        keep_going: args.keep_going,
        out: args.out.clone(),
        journal: args.resume.clone(),
        timeout: args.timeout.as_deref().map(timeout).transpose()?,
        max_output: args.max_output.as_deref().map(|s| size("--max-output", s)).transpose()?,
        tmp: args.tmp.clone(),
        guardian: crate::guardian::start(),
    };
    CommandFarm::new(settings, inputs, cancel.clone()).map_err(request)
}
