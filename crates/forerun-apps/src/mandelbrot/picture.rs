//! The picture: colours, and the file.

use std::path::Path;

use forerun_platform::file::shown;
use forerun_skeleton::AppError;

use super::View;
use crate::whole::write_whole;

/// Colours of escape times: black where a point does not escape, else round a circle of colours that turns with the
/// logarithm of the iterations, so that every scale has some.
fn colour(iterations: u32, most: u32) -> [u8; 3] {
    if iterations >= most {
        return [0; 3];
    }
    let turn = f64::from(iterations).ln_1p();
    [0.55, 0.65, 0.8].map(|phase| {
        let wave = (std::f64::consts::TAU * (0.35 * turn + phase)).cos();
        (127.5 * (1.0 + wave)).round() as u8
    })
}

/// Writes the picture of a view as a PNG, from the iterations of all its points, row by row. It gets its name when it is
/// complete.
///
/// # Errors
/// A sentence that names the file.
pub fn write_png(view: &View, iterations: &[u32], to: &Path) -> Result<(), AppError> {
    let file = encoded(view, iterations)
        .map_err(|e| AppError::new(format!("{} cannot be written: {e}", shown(to))))?;
    write_whole(to, &file)
}

/// Rows of the picture of a view, as a PNG.
pub(super) fn encoded(view: &View, iterations: &[u32]) -> Result<Vec<u8>, png::EncodingError> {
    let width = view.size().0;
    let rows = iterations.len() / width.max(1) as usize;
    let mut file = Vec::new();
    let bytes: Vec<u8> = iterations.iter().flat_map(|&n| colour(n, view.most())).collect();
    let mut encoder = png::Encoder::new(&mut file, width, rows as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(file)
}
