//! The studies that are compiled in.

use forerun_platform::FileError;

use super::Study;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("studies/", $name, ".toml"), include_str!(concat!("../../../studies/", $name, ".toml")))),*]
    };
}

/// Name and contents of every shipped study, in the order of the papers. (This crate's `studies` is a link to the
/// repository's.)
static FILES: &[(&str, &str)] = files![
    "kuntraruk-speedup",
    "kuntraruk-features",
    "kuntraruk-strategies",
    "kuntraruk-end-to-end",
    "kuntraruk-sorting",
    "juhasz-equations",
    "juhasz-figures",
    "benoit-mappings",
    "mizutani-overhead",
    "du-packets",
];

/// The shipped studies.
///
/// # Errors
/// None, as long as the shipped files are right.
pub fn shipped() -> Result<Vec<Study>, FileError> {
    FILES.iter().map(|(name, text)| Study::from_toml(text, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A study that is not in the list would not be found by anybody.
    #[test]
    fn every_study_of_the_repository_is_shipped() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("studies");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| format!("studies/{}", file.unwrap().file_name().into_string().unwrap()))
            .filter(|name| name.ends_with(".toml"))
            .collect();
        there.sort();
        let mut shipped: Vec<_> = FILES.iter().map(|(name, _)| name.to_string()).collect();
        shipped.sort();
        assert_eq!(there, shipped);
    }
}
