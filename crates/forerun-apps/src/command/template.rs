//! A command as it was given: its words, and where the files go.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use std::os::unix::process::CommandExt as _;

use forerun_skeleton::AppError;

use super::{argument, program};

/// Placeholders of similar tools that have no meaning here.
const FOREIGN: [&str; 6] = ["{.}", "{/}", "{//}", "{/.}", "{#}", "{%}"];

/// How a map command takes the files of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Their contents on standard input: any number of files, or a piece of one.
    StandardInput,
    /// Their names as arguments: any number of files, but no piece.
    Names,
    /// One name inside a word: one file a task.
    OneName,
    /// Names and contents (a shell's command); of a piece only the content.
    Both,
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Plain(String),
    /// All names, each a word of its own.
    All,
    /// Text round names: `parts[0] name(picks[0]) parts[1] …`.
    Mixed {
        parts: Vec<String>,
        picks: Vec<usize>,
    },
}

/// A parsed command.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    text: String,
    program: PathBuf,
    name: String,
    words: Vec<Word>,
    names: bool,
    contents: bool,
    one: bool,
}

impl Template {
    /// The map command.
    pub(crate) fn map(text: &str, shell: bool) -> Result<Self, AppError> {
        Self::of_files("map", text, shell)
    }

    /// The command of a farm's task.
    pub(crate) fn task(text: &str, shell: bool) -> Result<Self, AppError> {
        Self::of_files("task", text, shell)
    }

    fn of_files(role: &str, text: &str, shell: bool) -> Result<Self, AppError> {
        if shell {
            return Self::shell(role, text, true);
        }
        let words = split(role, text)?;
        let mut parsed = Vec::new();
        for word in &words[1..] {
            if unknown(word, &[]) {
                return Err(AppError::new(format!(
                    "the {role} command has the word `{word}`, but the only placeholder of a {role} is `{{}}`, the task's files; use --shell to pass `{word}` on as it is"
                )));
            }
            parsed.push(match word.as_str() {
                "{}" => Word::All,
                w if w.contains("{}") => mixed(w, &["{}"]),
                w => Word::Plain(w.to_owned()),
            });
        }
        let one = parsed.iter().any(|w| matches!(w, Word::Mixed { .. }));
        Self::direct(role, text, &words[0], parsed, one)
    }

    /// The merge command.
    pub(crate) fn merge(text: &str, shell: bool) -> Result<Self, AppError> {
        if shell {
            return Self::shell("merge", text, mentions_arguments(text));
        }
        let words = split("merge", text)?;
        let both = words[1..].iter().any(|w| w == "{}");
        let picked = |p: &str| words[1..].iter().any(|w| w.contains(p));
        let (left, right) = (picked("{1}"), picked("{2}"));
        let refuse = |what: &str| Err(AppError::new(format!("the merge command `{text}` {what}")));
        if let Some(word) = words[1..].iter().find(|w| unknown(w, &["{1}", "{2}"])) {
            return refuse(&format!(
                "has the word `{word}`, but the placeholders of a merge are `{{1}}` and `{{2}}`, or `{{}}` for both"
            ));
        }
        if words[1..].iter().any(|w| w != "{}" && w.contains("{}")) {
            return refuse(
                "has `{}` inside a word, where two names cannot stand: use `{1}` and `{2}`, or `{}` alone",
            );
        }
        if left != right || (both && left) {
            return refuse(
                "must name both `{1}` and `{2}`, or `{}` for both, or none to get them on standard input",
            );
        }
        let parsed = words[1..]
            .iter()
            .map(|word| match word.as_str() {
                "{}" => Word::All,
                w if w.contains("{1}") || w.contains("{2}") => mixed(w, &["{1}", "{2}"]),
                w => Word::Plain(w.to_owned()),
            })
            .collect();
        Self::direct("merge", text, &words[0], parsed, false)
    }

    fn direct(role: &str, text: &str, name: &str, words: Vec<Word>, one: bool) -> Result<Self, AppError> {
        let names = words.iter().any(|w| !matches!(w, Word::Plain(_)));
        Ok(Template {
            text: text.to_owned(),
            program: program::find(role, name)?,
            name: name.to_owned(),
            words,
            names,
            contents: !names,
            one,
        })
    }

    fn shell(role: &str, text: &str, names: bool) -> Result<Self, AppError> {
        if text.trim().is_empty() {
            return Err(empty(role));
        }
        let plain = |w: &str| Word::Plain(w.to_owned());
        Ok(Template {
            text: text.to_owned(),
            program: program::find(role, "sh")?,
            name: "sh".to_owned(),
            words: vec![plain("-c"), plain(text), plain("sh"), Word::All],
            names,
            contents: true,
            one: false,
        })
    }

    /// As it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What may be wrong with it, where it has failed.
    pub(crate) fn doubt(&self) -> Option<&'static str> {
        let shell = self.contents && self.words.contains(&Word::All);
        (shell && self.text.contains("{}") && !mentions_arguments(&self.text))
            .then_some("with --shell, files are \"$@\", and {} is left as it is")
    }

    /// How it takes files.
    pub(crate) fn takes(&self) -> Takes {
        match (self.names, self.contents) {
            (true, true) => Takes::Both,
            (true, false) if self.one => Takes::OneName,
            (true, false) => Takes::Names,
            (false, _) => Takes::StandardInput,
        }
    }

    /// Whether it is given names.
    pub(crate) fn names(&self) -> bool {
        self.names
    }

    /// Whether it is given contents.
    pub(crate) fn contents(&self) -> bool {
        self.contents
    }

    /// The process to start, with `names` where they go.
    pub(crate) fn command<'p>(&self, names: impl Iterator<Item = &'p Path>) -> Command {
        let names: Vec<OsString> = names.map(argument::safe).collect();
        let mut command = Command::new(&self.program);
        command.arg0(&self.name);
        for word in &self.words {
            match word {
                Word::Plain(text) => {
                    command.arg(text);
                }
                Word::All => {
                    command.args(&names);
                }
                Word::Mixed { parts, picks } => {
                    let mut whole = OsString::from(&parts[0]);
                    for (pick, part) in picks.iter().zip(&parts[1..]) {
                        whole.push(names.get(*pick).map(OsString::as_os_str).unwrap_or_default());
                        whole.push(part);
                    }
                    command.arg(whole);
                }
            }
        }
        command
    }
}

fn empty(role: &str) -> AppError {
    AppError::new(format!("the {role} command is empty: give a program and its arguments"))
}

fn split(role: &str, text: &str) -> Result<Vec<String>, AppError> {
    let words = shlex::split(text).ok_or_else(|| {
        AppError::new(format!("the {role} command `{text}` has a quote or a backslash that is not closed"))
    })?;
    if words.iter().any(|w| w.contains('\0')) {
        return Err(AppError::new(format!(
            "the {role} command has a NUL character, which no argument can hold"
        )));
    }
    match words.first() {
        None => Err(empty(role)),
        Some(w) if w.is_empty() => Err(empty(role)),
        Some(w) if ["{}", "{1}", "{2}"].iter().any(|p| w.contains(p)) => Err(AppError::new(format!(
            "the {role} command `{text}` begins with a placeholder: its first word must be a program"
        ))),
        Some(_) => Ok(words),
    }
}

/// Whether the word is a placeholder and none of `known`. Only a whole word is taken for one, so
/// that `a{2}` in a regular expression and `{print}` in an awk program stay what they are.
fn unknown(word: &str, known: &[&str]) -> bool {
    let numbered = word
        .strip_prefix('{')
        .and_then(|w| w.strip_suffix('}'))
        .is_some_and(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()));
    (numbered || FOREIGN.contains(&word)) && !known.contains(&word)
}

/// Splits a word at the placeholders; `picks` are their places in `placeholders`.
fn mixed(word: &str, placeholders: &[&str]) -> Word {
    let (mut parts, mut picks, mut rest) = (Vec::new(), Vec::new(), word);
    while let Some((at, pick)) =
        placeholders.iter().enumerate().filter_map(|(i, p)| Some((rest.find(p)?, i))).min()
    {
        parts.push(rest[..at].to_owned());
        picks.push(pick);
        rest = &rest[at + placeholders[pick].len()..];
    }
    parts.push(rest.to_owned());
    Word::Mixed { parts, picks }
}

/// Whether a shell's text may refer to its arguments; errs on the side of yes (`for x do` does so
/// without a `$`).
fn mentions_arguments(text: &str) -> bool {
    text.contains('$') || text.contains("for ")
}
