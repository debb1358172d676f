//! Errors that point at the line of a file.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::{named, unread};

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The first character that is meant, from 1.
    pub column: usize,
    /// How many characters are meant, at least 1.
    pub length: usize,
    /// What is wrong and what to write, in a sentence.
    pub message: String,
    /// The line as it stands in the file.
    pub text: String,
}

impl Problem {
    /// The problem at a range of bytes of `text`; a range outside of it is moved to its end.
    pub fn at(text: &str, span: Range<usize>, message: String) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let stop =
            (start + 1..=end).rev().find(|at| *at <= span.end && text.is_char_boundary(*at)).unwrap_or(start);
        Problem {
            line: text[..start].matches('\n').count() + 1,
            column: text[begin..start].chars().count() + 1,
            length: text[start..stop].chars().count().max(1),
            message,
            text: text[begin..end].trim_end_matches('\r').to_string(),
        }
    }
}

/// A character as it is shown: one that a terminal would obey instead has a stand-in of the same width, the picture of it
/// that Unicode has for ASCII's. Tabs stay tabs, and ends of lines what they are.
fn legible(c: char) -> char {
    match c {
        '\t' | '\n' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        // Those that turn the direction of writing change what is read as well.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn legible_text(text: &str) -> String {
    text.chars().map(legible).collect()
}

/// Characters of a line that a message shows, and how many of them stand before the place.
const SHOWN: usize = 120;
const BEFORE: usize = 50;

impl Problem {
    /// The line, or the part of a long one around the place, and what leads to the place below it.
    fn excerpt(&self) -> (String, String) {
        let long = self.text.chars().count() > SHOWN;
        let skipped = if long { (self.column - 1).saturating_sub(BEFORE) } else { 0 };
        let mut text: String = if skipped > 0 { "…".into() } else { String::new() };
        text.extend(self.text.chars().skip(skipped).take(SHOWN).map(legible));
        if self.text.chars().count() > skipped + SHOWN {
            text.push('…');
        }
        // Tabs stay tabs, so that the caret stands below its character.
        let before = self.column - 1 - skipped + usize::from(skipped > 0);
        let lead = text.chars().take(before).map(|c| if c == '\t' { c } else { ' ' }).collect();
        (text, lead)
    }
}

/// Why a file gave nothing.
///
/// Displays as compilers do: for every problem `file:line:column: sentence`, then the line with
/// the place underlined. Control characters are shown by stand-ins. Of many problems the first ten are shown, and how many
/// more there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    file: String,
    /// The whole file's fault, if it is none of a line.
    message: String,
    problems: Vec<Problem>,
    /// How many of them are shown.
    most: usize,
}

/// Problems that are shown unless another number is asked for.
const MOST: usize = 10;

impl FileError {
    /// That the file cannot be read at all.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        FileError { file: named(path), message: unread(path, error), problems: Vec::new(), most: MOST }
    }

    /// That the file is none of those that are read: what is said after its name.
    pub fn foreign(file: &str, what: &str) -> Self {
        FileError {
            file: file.to_string(),
            message: format!("{file} {what}"),
            problems: Vec::new(),
            most: MOST,
        }
    }

    /// That there is no such thing.
    pub(crate) fn unknown(name: &str, message: String) -> Self {
        FileError { file: name.to_string(), message, problems: Vec::new(), most: MOST }
    }

    /// That lines of the file are wrong: they are put in their order.
    pub fn wrong(file: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|p| (p.line, p.column));
        // A table that several places use is found wrong by each.
        problems.dedup();
        FileError { file: file.to_string(), message: format!("{file} cannot be used"), problems, most: MOST }
    }

    /// The same, of which at most so many problems are shown.
    pub fn showing(self, most: usize) -> Self {
        FileError { most, ..self }
    }

    /// The file, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is wrong, in the order of the lines; empty if the file could not be read at all.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.problems.is_empty() {
            return f.write_str(&legible_text(&self.message));
        }
        for (i, p) in self.problems.iter().take(self.most).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            let margin = p.line.to_string().len();
            let (text, lead) = p.excerpt();
            // What is underlined may go on where the excerpt ends.
            let carets = p.length.min((text.chars().count() - lead.chars().count()).max(1));
            let (file, message) = (legible_text(&self.file), legible_text(&p.message));
            writeln!(f, "{file}:{}:{}: {message}", p.line, p.column)?;
            writeln!(f, "{:margin$} |", "")?;
            writeln!(f, "{} | {text}", p.line)?;
            write!(f, "{:margin$} | {lead}{}", "", "^".repeat(carets))?;
        }
        match self.problems.len().saturating_sub(self.most) {
            0 => Ok(()),
            1 => write!(f, "\n{}: one more error", legible_text(&self.file)),
            more => write!(f, "\n{}: {more} more errors", legible_text(&self.file)),
        }
    }
}

impl std::error::Error for FileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_problems_the_first_are_shown() {
        let text = "x\n".repeat(40);
        let said = |problems: usize| {
            let all = (0..problems).map(|i| Problem::at(&text, 2 * i..2 * i + 1, "odd".into())).collect();
            FileError::wrong("f", all)
        };
        for (problems, shown, end) in
            [(1, 1, "^"), (10, 10, "^"), (11, 10, "f: one more error"), (40, 10, "f: 30 more errors")]
        {
            let error = said(problems);
            assert_eq!(error.problems().len(), problems);
            let text = error.to_string();
            assert_eq!(text.matches(": odd").count(), shown, "{text}");
            assert!(text.ends_with(end), "{text}");
            assert_eq!(error.showing(usize::MAX).to_string().matches(": odd").count(), problems);
        }
    }

    #[test]
    fn no_terminal_obeys_what_is_shown() {
        let text = "a\tb \u{1b}[31mred\u{9b}0m\u{7f} \u{202e}end\r\n";
        let at = text.find("red").expect("there");
        let problem = Problem::at(text, at..at + 3, "odd: \u{7}".into());
        assert_eq!(problem.text, text.trim_end());
        let said = FileError::wrong("f\u{1b}c", vec![problem]).to_string();
        assert_eq!(
            said,
            "f\u{241b}c:1:10: odd: \u{2407}\n  |\n1 | a\tb \u{241b}[31mred\u{fffd}0m\u{2421} \u{fffd}end\n  |  \t       ^^^"
        );
    }
}
