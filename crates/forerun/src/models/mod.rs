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
use crate::paths::{Paths, is_read};

/// That nothing is written over the description and a platform's, that both do not come from standard input, and that all that is
/// asked for can be written; `of` has what else is.
fn check(
    file: &Path,
    platform: Option<&str>,
    draw: &DrawOptions,
    of: Paths,
    console: &mut Console,
) -> Result<(), CliError> {
    draw.writable()?;
    let platform = platform.map(Path::new).filter(|p| is_read(p));
    draw.among(of.reads([file]).reads(platform)).check(console, |_| false)
}

/// What a description is called that does not say it.
fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned())
}
