//! Models that stand alone: described in a file, and shown as lines, a table and a curve.
//!
//! | module | what it does |
//! |---|---|
//! | [`packet`] | the packet size of a pipeline |
//! | [`farm`] | a farm's processors and masters |

pub mod farm;
mod farm_file;
pub mod packet;
mod packet_file;

use std::path::Path;

/// What a description is called that does not say it.
fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned())
}
