//! Models that stand alone: described in a file, and shown as lines, a table and a curve.
//!
//! | module | what it does |
//! |---|---|
//! | [`packet`] | the packet size of a pipeline |
//! | [`farm`] | a farm's processors and masters |

pub mod farm;
mod farm_algebra;
mod farm_file;
pub mod packet;
mod packet_file;

use std::path::Path;

pub(crate) use self::farm_algebra::model as farm_model;

use crate::cli::DrawOptions;
use crate::console::Console;
use crate::error::CliError;
use crate::paths::Paths;

/// That nothing is written over the description, and all that is asked for can be written.
fn check(file: &Path, draw: &DrawOptions, console: &Console) -> Result<(), CliError> {
    draw.writable()?;
    draw.among(Paths::new().reads([file])).apart(console.json(), |_| false)
}

/// What a description is called that does not say it.
fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned())
}
