//! Files that are there when they are complete.

use std::path::Path;

use forerun_skeleton::AppError;

use crate::command::plain;
use crate::partial;
use crate::pieces;

/// Writes a file, which gets its name when it is complete.
///
/// # Errors
/// A sentence that names it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let trouble =
        |e: std::io::Error| AppError::new(format!("{} cannot be written: {}", path.display(), plain(&e)));
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = partial::begin(directory, 0o666).map_err(trouble)?;
    pieces::write_all(&mut file, bytes).map_err(trouble)?;
    file.persist(path).map_err(|e| trouble(e.error))?;
    Ok(())
}
