//! Reads the files of outcomes that `run`, `predict` and `emulate` write with `--json`.

use std::fmt;
use std::path::{Path, PathBuf};

use forerun_platform::Outcome;
use forerun_platform::file::unread;
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

/// Why outcomes could not be read: one sentence that names the file, the place, what was expected
/// and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    file: PathBuf,
    line: Option<usize>,
    message: String,
    /// The sentence, where it names the file itself.
    whole: Option<String>,
}

impl ReadError {
    /// The file that could not be read, `-` for standard input.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The line, from 1, where there is one.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(whole) = &self.whole {
            return f.write_str(whole);
        }
        let file = forerun_platform::file::named(&self.file);
        match self.line {
            Some(line) => write!(f, "{file}, line {line}: {}", self.message),
            None => write!(f, "{file}: {}", self.message),
        }
    }
}

impl std::error::Error for ReadError {}

const WRITERS: &str = "`forerun run --json FILE` or `forerun predict --json FILE` writes such a file";

/// Reads one or more files, each a JSON list of outcomes, in the order given; `-` is standard input.
///
/// # Errors
/// A file that is missing, unreadable, not JSON, not a list of outcomes or an empty list, and an
/// outcome whose numbers make no sense (a negative time, no processors).
pub fn read<P: AsRef<Path>>(files: &[P]) -> Result<Vec<Outcome>, ReadError> {
    let mut all = Vec::new();
    for file in files.iter().map(AsRef::as_ref) {
        let fail = |message| ReadError { file: file.into(), line: None, message, whole: None };
        let bytes = forerun_platform::file::bytes(file)
            .map_err(|e| ReadError { whole: Some(unread(file, &e)), ..fail(String::new()) })?;
        let wide = forerun_platform::file::is_utf16(&bytes);
        let text = forerun_platform::file::decoded(bytes).map_err(|why| {
            fail(if wide {
                format!("it {why}")
            } else {
                format!("it is not text, and so no list of outcomes: {WRITERS}")
            })
        })?;
        all.extend(parse(file, &text)?);
    }
    Ok(all)
}

/// Reads a JSON list of outcomes; `file` is only named in errors.
///
/// # Errors
/// As [`read`].
pub fn parse(file: &Path, text: &str) -> Result<Vec<Outcome>, ReadError> {
    let fail = |line, message| ReadError { file: file.into(), line, message, whole: None };
    if text.trim().is_empty() {
        return Err(fail(None, format!("it is empty; expected a JSON list of outcomes: {WRITERS}")));
    }
    let list: Vec<Outcome> = serde_json::from_str(text).map_err(|e| match e.classify() {
        Category::Syntax | Category::Eof | Category::Io => fail(Some(e.line()), no_json(text, &e)),
        Category::Data => match serde_json::from_str(text) {
            Ok(value) => fail(Some(e.line()), misfit(&value, &e)),
            Err(e) => fail(Some(e.line()), no_json(text, &e)),
        },
    })?;
    if list.is_empty() {
        return Err(fail(None, format!("it holds an empty list; expected at least one outcome: {WRITERS}")));
    }
    for (at, outcome) in list.iter().enumerate() {
        if let Some(wrong) = nonsense(outcome) {
            return Err(fail(None, format!("outcome {} has {wrong}", at + 1)));
        }
    }
    Ok(list)
}

/// What is wrong with text that is no JSON.
fn no_json(text: &str, error: &serde_json::Error) -> String {
    let column = error.column();
    match error.classify() {
        _ if !text.trim_start().starts_with(['[', '{']) => {
            format!("this is not JSON; expected a list of outcomes: {WRITERS}")
        }
        Category::Eof => {
            format!(
                "the JSON ends at column {column} before it is complete; expected a list of outcomes: {WRITERS}"
            )
        }
        _ => format!(
            "the JSON is broken at column {column} ({}); expected a list of outcomes: {WRITERS}",
            what(error)
        ),
    }
}

/// What is wrong with JSON that is not a list of outcomes, naming the outcome.
fn misfit(found: &Value, error: &serde_json::Error) -> String {
    match found {
        Value::Array(items) => {
            // Whatever else is written by --json has none of these.
            let foreign =
                items.iter().position(|item| item.get("way").is_none() && item.get("makespan_s").is_none());
            if let Some(at) = foreign {
                return format!(
                    "item {} of the list is no outcome; expected what `run` and `predict` give: {WRITERS}",
                    at + 1
                );
            }
            let first = items
                .iter()
                .enumerate()
                .find_map(|(at, item)| Outcome::deserialize(item).err().map(|e| (at, e)));
            let (at, error) = first.map_or((0, what(error)), |(at, e)| (at, what(&e)));
            format!(
                "outcome {} of the list is not one ({error}); expected what `run` and `predict` give: {WRITERS}",
                at + 1
            )
        }
        other => {
            let found = match other {
                Value::Object(_) => "one object",
                Value::String(_) => "a string",
                Value::Number(_) => "a number",
                _ => "another value",
            };
            format!("expected a list of outcomes `[{{\"way\": …}}, …]`, found {found}; {WRITERS}")
        }
    }
}

/// What is wrong with an outcome's numbers. Reports divide by them and draw to their scale.
fn nonsense(outcome: &Outcome) -> Option<String> {
    let bad = |s: f64| !s.is_finite() || s < 0.0;
    let predicted = outcome.predicted.iter().chain(&outcome.plan.predicted);
    if outcome.processors == 0 {
        return Some("`processors` 0; expected at least 1".into());
    }
    if bad(outcome.makespan_s) {
        return Some(format!("`makespan_s` {}; expected seconds, not negative", outcome.makespan_s));
    }
    for p in predicted {
        if bad(p.makespan_s) || bad(p.low_s) || bad(p.high_s) || p.low_s > p.high_s {
            return Some(format!(
                "`predicted` {} from {} to {}; expected seconds, not negative, low before high",
                p.makespan_s, p.low_s, p.high_s
            ));
        }
    }
    let stages = outcome.stages.values().chain(outcome.ranks.iter().flat_map(|rank| rank.stages.values()));
    if let Some(stage) = { stages }.find(|stage| bad(stage.total_s)) {
        return Some(format!("a stage of `total_s` {}; expected seconds, not negative", stage.total_s));
    }
    let spans = outcome.ranks.iter().flat_map(|rank| &rank.timeline);
    if let Some(span) =
        { spans }.find(|span| bad(span.start_s) || bad(span.end_s) || span.end_s < span.start_s)
    {
        return Some(format!(
            "a span from {} to {} in `timeline`; expected seconds since the start, start before end",
            span.start_s, span.end_s
        ));
    }
    None
}

/// What serde_json says, without its " at line … column …".
fn what(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).to_string()
}
