//! Reading a study file.

use std::collections::BTreeSet;
use std::path::Path;

use forerun_platform::FileError;
use forerun_platform::file::{self, Section};

use super::Study;
use super::entry;
use super::scope::Constants;

impl Study {
    /// Reads a study file's contents; `name` is what messages call the file.
    ///
    /// # Errors
    /// Everything that is wrong in it, each at its line.
    pub fn from_toml(text: &str, name: &str) -> Result<Study, FileError> {
        file::read(text, name, |root| study(root, text, name))
    }

    /// Reads a study file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load(path: &Path) -> Result<Study, FileError> {
        Study::from_toml(&file::contents(path)?, &file::named(path))
    }
}

fn study(root: &Section<'_, '_>, text: &str, name: &str) -> Option<Study> {
    let paper = root.text("paper");
    let paper = root.required("paper", "\"who, what, where\"", paper);
    root.text("about");
    let constants = Constants::new(root);
    let profiles = root.section("profile");
    let sections = root.sections("entry");
    if !root.has("entry") {
        root.note("entry", "the file has no entry: add [[entry]] with name, title and [[entry.row]]");
    }
    let mut entries = Vec::new();
    let mut names = BTreeSet::new();
    let mut whole = true;
    for section in sections? {
        match entry::read(&section, &constants, profiles.as_ref()) {
            Some(entry) => {
                if !names.insert(entry.name.clone()) {
                    section.note("name", format!("there are two entries \"{}\"", entry.name));
                }
                entries.push(entry);
            }
            None => whole = false,
        }
    }
    let constants = constants.all();
    let paper = paper?;
    whole.then(|| Study { file: name.into(), text: text.into(), paper, constants, entries })
}
