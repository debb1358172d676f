//! Reading the description of a farm.

use forerun_model::farm::Tasks;
use forerun_platform::file::{self, Allowed, Section};
use forerun_platform::{Bytes, FileError, Seconds};

/// A farm as described.
pub(super) struct Described {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) platform: Option<String>,
    /// Most processors.
    pub(super) processors: Option<usize>,
    pub(super) tasks: Tasks,
}

/// Reads `text`, the contents of the file `name`.
///
/// # Errors
/// Everything that is wrong in it, each at its line.
pub(super) fn read(text: &str, name: &str) -> Result<Described, FileError> {
    file::read(text, name, |root| described(root, name))
}

fn described(root: &Section<'_, '_>, file: &str) -> Option<Described> {
    let name = root.text("name").unwrap_or_else(|| super::stem(file));
    let source = root.text("source").unwrap_or_default();
    let platform = root.text("platform");
    let processors = root.count("processors");
    let count = root.count("tasks");
    let count = root.required("tasks", "1048576", count);
    let work = root.quantity::<Seconds>("work");
    let work = root.required("work", "\"200 us\"", work);
    let message = root.quantity::<Bytes>("message");
    let message = root.required("message", "\"8 B\"", message);
    let answer = root.quantity::<Bytes>("answer");
    let answer = root.required("answer", "\"12 B\"", answer);
    let spread = root.number("spread", Allowed::NotNegative).unwrap_or(0.0);
    let prefetch = root.count("prefetch").unwrap_or(1) as u64;
    let tasks =
        Tasks { spread, prefetch, ..Tasks::new(count? as u64, work?.0, message?.0 as f64, answer?.0 as f64) };
    if processors.is_some_and(|p| !(2..1 << 20).contains(&p)) {
        root.note("processors", "a farm has a master and at least one slave: \"processors\" is 2 to 1048575");
    }
    Some(Described { name, source, platform, processors, tasks })
}
