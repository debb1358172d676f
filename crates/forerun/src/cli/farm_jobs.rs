//! The words of applications that run as farms.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Args, Subcommand};
use forerun_apps::hip::Angles;
use serde::{Deserialize, Serialize};

use super::count::count;
use super::farm::FarmJobArgs;
use super::job::{FeatureArgs, LsiJobArgs, ReduceArgs, SortArgs, TasksArgs, WithJob};

/// A job, a farm too, and how it is to be treated: as `H` where it can be a reduction, as `F` where it is a farm.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "JOB", subcommand_help_heading = "Jobs")]
pub struct AnyJobArgs<H: Args, F: Args> {
    /// The job.
    #[command(subcommand)]
    pub job: AnyJob<H, F>,
}

/// All jobs.
#[derive(Debug, Subcommand)]
pub enum AnyJob<H: Args, F: Args> {
    /// Sort files of numbers.
    Sort(WithJob<SortArgs, H>),
    /// Extract features of documents, noun phrases, into a database.
    #[command(mut_args = only_reduces)]
    Features(WithJob<FeatureArgs, H>),
    /// Reduce files by external commands.
    #[command(mut_args = only_reduces)]
    Reduce(WithJob<ReduceArgs, H>),
    /// Match queries with the documents of a model of latent semantic indexing.
    #[command(mut_args = only_reduces)]
    Lsi(WithJob<LsiJobArgs, H>),
    /// Tasks known only by their costs, as a profile has them; to plan, predict and simulate.
    #[command(mut_args = without_program)]
    Tasks(WithJob<TasksArgs, H>),
    /// An external command for each of many files, as a farm.
    Farm(Box<WithJob<FarmJobArgs, F>>),
    /// A picture of a part of the Mandelbrot set, as deep as you like, as a farm.
    #[command(after_help = MANDELBROT_EXAMPLES)]
    Mandelbrot(Box<WithJob<MandelbrotArgs, F>>),
    /// The range of motion of a hip with a prosthesis, as a farm.
    #[command(after_help = HIP_EXAMPLES)]
    Hip(Box<WithJob<HipArgs, F>>),
    /// A job file: TOML with `application`, `input` and any of the application's options.
    #[command(external_subcommand)]
    File(Vec<OsString>),
}

/// Hides what only a job takes that can be another pattern than a reduction; given, it is refused in words of its own.
pub(super) fn only_reduces(option: Arg) -> Arg {
    hidden(option, &["skeleton", "block", "ahead"])
}

/// Hides what only a job takes that is more than its costs.
fn without_program(option: Arg) -> Arg {
    hidden(option, &["sbatch"])
}

fn hidden(option: Arg, names: &[&str]) -> Arg {
    match names.contains(&option.get_id().as_str()) {
        true => option.hide(true),
        false => option,
    }
}

/// Pictures to begin with.
const MANDELBROT_EXAMPLES: &str = "\
Examples:
  the whole set:
    forerun run mandelbrot -o set.png
  around i, 1e-50 wide, with all the digits that takes:
    forerun run mandelbrot --centre=0,1 --width 1e-50 --iterations 5000 -o deep.png
  by four processes of MPI, one of which hands the tasks out:
    forerun run mandelbrot --on mpi -p 4 -o set.png
  how long a large one would take on one, two and four processors:
    forerun predict mandelbrot --size 20000x20000 -p 1,2,4";

/// A hip to begin with.
const HIP_EXAMPLES: &str = "\
Meshes are in millimetres, with x to the front, y up and z to the right. The head of the femur is cut off at the \
neck, the pelvis is reamed to the cup, and both are tested without the head, which turns in the cup.

Example:
  forerun run hip --femur femur.stl --pelvis pelvis.stl --pelvis-centre=-36.7,-78.2,81.2 \\
    -o motion.csv";

/// A picture of the Mandelbrot set.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct MandelbrotArgs {
    /// The middle, as RE,IM: decimal numbers with as many digits as you need.
    #[arg(long, value_name = "RE,IM", default_value = "-0.75,0", allow_hyphen_values = true)]
    pub centre: String,
    /// Width of the part of the plane, from 1000 down to 1e-280.
    #[arg(long, value_name = "WIDTH", default_value_t = 3.5)]
    pub width: f64,
    /// Points a row and rows of the picture.
    #[arg(long, value_name = "WxH", default_value = "1024x1024")]
    pub size: String,
    /// Iterations after which a point is taken not to escape.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = iterations)]
    pub iterations: u32,
    /// The picture, as PNG.
    #[arg(short, long, value_name = "FILE.png", default_value = "mandelbrot.png")]
    pub out: PathBuf,
}

/// A hip, and which rotations are tried.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct HipArgs {
    /// The femur, as STL.
    #[arg(long, value_name = "FILE.stl")]
    pub femur: PathBuf,
    /// The pelvis, as STL.
    #[arg(long, value_name = "FILE.stl")]
    pub pelvis: PathBuf,
    /// The middle of the femur's head, as X,Y,Z; without it, that of the sphere that fits it.
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub femur_centre: Option<Centre>,
    /// The middle of the socket; without it, that of the femur's head: the bones are in place.
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub pelvis_centre: Option<Centre>,
    /// It is the left hip.
    #[arg(long)]
    pub left: bool,
    /// Angles of flexion that are tried; extension is negative.
    #[arg(long, value_name = "FROM:TO:STEP", default_value = "-30:130:2", allow_hyphen_values = true)]
    #[serde(with = "angles")]
    pub flexion: Angles,
    /// Angles of abduction; adduction is negative.
    #[arg(long, value_name = "FROM:TO:STEP", default_value = "-30:50:2", allow_hyphen_values = true)]
    #[serde(with = "angles")]
    pub abduction: Angles,
    /// Angles of internal rotation; external is negative.
    #[arg(long, value_name = "FROM:TO:STEP", default_value = "-50:50:2", allow_hyphen_values = true)]
    #[serde(with = "angles")]
    pub rotation: Angles,
    /// Radius of the head, and of the inside of the cup.
    #[arg(long, value_name = "MM", default_value_t = 16.0, value_parser = length)]
    pub head: f64,
    /// Radius of the cup's outside.
    #[arg(long, value_name = "MM", default_value_t = 27.0, value_parser = length)]
    pub cup: f64,
    /// How far the cup opens sideways rather than down, in degrees (radiographic inclination).
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0, allow_hyphen_values = true)]
    pub inclination: f64,
    /// How far the cup opens to the front, in degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 15.0, allow_hyphen_values = true)]
    pub anteversion: f64,
    /// Radius of the stem's neck.
    #[arg(long, value_name = "MM", default_value_t = 6.0, value_parser = length)]
    pub neck: f64,
    /// Length of the neck, from the middle of the head.
    #[arg(long, value_name = "MM", default_value_t = 40.0, value_parser = length)]
    pub neck_length: f64,
    /// Where the femur's neck is cut, from the middle of the head.
    #[arg(long, value_name = "MM", default_value_t = 30.0, value_parser = length)]
    pub resection: f64,
    /// Write every rotation tried, and whether it is free, as CSV.
    #[arg(short, long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Write the limits of rotation and abduction over flexion as a plot, as SVG.
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
}

/// Angles as they are given.
mod angles {
    use forerun_apps::hip::Angles;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(angles: &Angles, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(angles)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Angles, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A point that was given.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Centre(pub [f64; 3]);

fn point(text: &str) -> Result<Centre, String> {
    let numbers: Vec<f64> = text.split(',').map_while(|part| part.trim().parse().ok()).collect();
    match <[f64; 3]>::try_from(numbers) {
        Ok(point) if point.iter().all(|x| x.is_finite()) && text.split(',').count() == 3 => Ok(Centre(point)),
        _ => Err("expected three numbers in millimetres, such as -36.7,-78.2,81.2".into()),
    }
}

fn iterations(text: &str) -> Result<u32, String> {
    u32::try_from(count(text)?).map_err(|_| format!("expected a whole number up to {}", u32::MAX))
}

fn length(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(mm) if mm > 0.0 && mm <= 1000.0 => Ok(mm),
        _ => Err("expected millimetres, above 0 and at most 1000".into()),
    }
}
