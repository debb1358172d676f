//! Platforms by name: the shipped ones and files.

use std::path::Path;

use super::Platform;
use crate::file::{self, FileError};
use crate::nearest::nearest;
use crate::preset::{preset, presets};

impl Platform {
    /// Reads a platform file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Platform, FileError> {
        let path = path.as_ref();
        Platform::from_toml(&file::contents(path)?, &file::named(path))
    }

    /// The platform that `spec` means: the name of a preset, or else the path of a file.
    ///
    /// # Errors
    /// There is neither (the message lists the presets), or what is wrong in the file.
    pub fn resolve(spec: &str) -> Result<Platform, FileError> {
        if let Some(preset) = preset(spec) {
            return preset.platform();
        }
        let path = Path::new(spec);
        if spec == file::STANDARD
            || path.exists()
            || spec.contains(['/', std::path::MAIN_SEPARATOR])
            || path.extension().is_some()
        {
            return Platform::load(path);
        }
        let names = || presets().iter().map(|p| p.name);
        let advice = match nearest(spec, names()) {
            Some(name) => format!("did you mean {name}? Otherwise name"),
            None => "name".into(),
        };
        let list = names().collect::<Vec<_>>().join(", ");
        let message = format!(
            "no platform is called \"{spec}\": {advice} one of those shipped ({list}), the path of a platform file, or \"this\" for this machine"
        );
        Err(FileError::unknown(spec, message))
    }
}
