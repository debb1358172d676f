//! The SMART form: `.I` and a number begin an entry, `.T`, `.A`, `.B`, `.W` and so on its fields.

use std::path::Path;

use forerun_platform::{FileError, file::Problem};

use super::{Document, Query};
use crate::LsiError;

/// The fields that are a document's text: title, and words of the abstract.
pub const FIELDS: &[char] = &['T', 'W'];

/// Documents of a file, of which these fields are the text, in the order in which they stand. Bytes that are no UTF-8 are
/// replaced.
///
/// # Errors
/// The file cannot be read, or lines of it have another form; all of them are named.
pub fn documents(path: &Path, fields: &[char]) -> Result<Vec<Document>, LsiError> {
    let entries = read(&path.display().to_string(), &super::text(path)?, fields)?;
    Ok(entries.into_iter().map(|(id, text)| Document { id, text }).collect())
}

/// Queries of a file: as [`documents`], of which `.W` is the text.
///
/// # Errors
/// As for [`documents`].
pub fn queries(path: &Path) -> Result<Vec<Query>, LsiError> {
    queries_in(path, &super::text(path)?)
}

/// The queries of a file's text.
pub(super) fn queries_in(path: &Path, text: &str) -> Result<Vec<Query>, LsiError> {
    let entries = read(&path.display().to_string(), text, &['W'])?;
    Ok(entries.into_iter().map(|(id, text)| Query { id, text }).collect())
}

fn read(file: &str, text: &str, fields: &[char]) -> Result<Vec<(String, String)>, LsiError> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut problems = Vec::new();
    // The field that lines belong to, once an entry has begun.
    let mut field: Option<char> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        let line = line.trim_end();
        let mut wrong = |what: &str| problems.push(Problem::at(text, span.clone(), what.into()));
        if let Some(id) =
            line.strip_prefix(".I").filter(|rest| rest.starts_with([' ', '\t']) || rest.is_empty())
        {
            let id = id.trim();
            if id.is_empty() || id.contains(char::is_whitespace) {
                wrong("expected one number after .I, such as \".I 1\"");
            } else if !seen.insert(id.to_string()) {
                wrong("an entry of this number stands above; give every entry its own");
            }
            entries.push((id.to_string(), String::new()));
            field = None;
        } else if let Some(name) = mark(line) {
            if entries.is_empty() {
                wrong("a field before the first entry; an entry begins with \".I\" and its number");
            }
            field = Some(name);
        } else if line.trim().is_empty() {
        } else if let (Some((_, body)), Some(name)) = (entries.last_mut(), field) {
            if fields.contains(&name) {
                if !body.is_empty() {
                    body.push('\n');
                }
                body.push_str(line);
            }
        } else if entries.is_empty() {
            wrong("text before the first entry; an entry begins with \".I\" and its number");
            break;
        } else {
            wrong("text before the first field of its entry; a field begins with a line such as \".W\"");
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(FileError::wrong(file, problems).into()) }
}

/// The field that a line begins: a full stop, a capital letter, nothing else.
fn mark(line: &str) -> Option<char> {
    let mut rest = line.strip_prefix('.')?.chars();
    let name = rest.next().filter(char::is_ascii_uppercase)?;
    rest.as_str().is_empty().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn fields_are_taken_by_name_and_lines_may_end_as_they_like() {
        let text =
            ".I 1\r\n.T\r\na title\r\n.A\r\nsomebody\r\n.W\r\n words\r\n\r\n.5 of them .\r\n.I 2\n.W\n";
        let read = read("f", text, &['T', 'W']).unwrap();
        assert_eq!(
            read,
            [
                ("1".to_string(), "a title\n words\n.5 of them .".to_string()),
                ("2".to_string(), String::new())
            ]
        );
    }

    #[test]
    fn every_wrong_line_is_named() {
        let text = ".I 1\nstray\n.W\nfine\n.I\n.I 1\n.W\n";
        let error = read("f", text, &['W']).unwrap_err().to_string();
        for line in ["f:2:", "f:5:", "f:6:"] {
            assert!(error.contains(line), "{line} in {error}");
        }
        assert!(!error.contains("f:4:"), "{error}");
        assert!(read("f", "what is this\n", &['W']).unwrap_err().to_string().contains("f:1:"));
    }
}
