//! The words of a command line that name its job, as a shell reads them back.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// What a command line says of its job: all but what only `plan` takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    /// The words, quoted.
    pub(super) line: String,
}

/// Options, with a value, that the script pins itself.
const PINNED: [&str; 12] = [
    "--strategy",
    "--processors",
    "--groups",
    "--arity",
    "--grain",
    "--skeleton",
    "--block",
    "--ahead",
    "--masters",
    "--tasks-per-message",
    "--prefetch",
    "-p",
];
/// Options, with a value, of `plan` alone.
const OF_PLAN: [&str; 3] = ["--max-processors", "--sbatch", "--json"];

impl Words {
    pub(super) fn of_job(command: &[OsString]) -> Words {
        let mut words = Vec::new();
        let mut rest = command.iter().skip(1).peekable();
        let mut seen_plan = false;
        while let Some(word) = rest.next() {
            if !seen_plan && word == "plan" {
                seen_plan = true;
                continue;
            }
            let text = word.to_string_lossy();
            let name = text.split('=').next().unwrap_or(&text);
            if PINNED.contains(&name) || OF_PLAN.contains(&name) {
                if !text.contains('=') {
                    rest.next();
                }
                continue;
            }
            // Whoever planned quietly wants to hear of the run.
            if ["-q", "--quiet"].contains(&name) {
                continue;
            }
            // `-p8`, the only short option of a plan with a value.
            if text.strip_prefix("-p").is_some_and(|p| p.parse::<usize>().is_ok()) {
                continue;
            }
            words.push(quoted(word));
        }
        Words { line: words.join(" ") }
    }

    /// Whether the option is among them.
    pub(super) fn has(&self, option: &str) -> bool {
        self.line
            .split(' ')
            .any(|word| word == option || word.strip_prefix(option).is_some_and(|w| w.starts_with('=')))
    }
}

/// A word as bash reads it back.
fn quoted(word: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_string(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        // A script is text: bytes that are none are spelled.
        None => {
            let spelled = |&b: &u8| match b {
                b'\'' | b'\\' => format!("\\{}", char::from(b)),
                b' '..=b'~' => char::from(b).to_string(),
                _ => format!("\\x{b:02x}"),
            };
            format!("$'{}'", word.as_bytes().iter().map(spelled).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt as _;

    use super::Words;

    fn quoted(word: impl AsRef<OsStr>) -> String {
        super::quoted(word.as_ref())
    }

    fn words(line: &str) -> String {
        Words::of_job(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).line
    }

    #[test]
    fn the_job_is_what_plan_was_given() {
        assert_eq!(words("forerun plan sort a.bin --max-processors 8 --type i64"), "sort a.bin --type i64");
        assert_eq!(words("forerun plan sort a.bin -p 8 --sbatch=x --grain 4KiB"), "sort a.bin");
        assert_eq!(words("forerun plan -q sort plan --json -"), "sort plan");
        assert_eq!(words("forerun plan sort -p8 -paper.bin"), "sort -paper.bin");
        assert_eq!(
            words("forerun plan farm cat in --masters dynamic --prefetch=2 --retries 3"),
            "farm cat in --retries 3"
        );
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a.bin"), "a.bin");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
        assert_eq!(quoted(OsStr::from_bytes(b"a'\xff\n")), r"$'a\'\xff\x0a'");
    }
}
