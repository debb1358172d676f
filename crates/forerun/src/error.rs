//! How a command ends that does not end well.

use std::fmt;

use signal_hook::consts::SIGPIPE;

pub(crate) use forerun_platform::file::reason;
use forerun_platform::file::without_numbers;
use rustix::process::{Resource, getrlimit};

/// What went wrong, and with it the exit status.
#[derive(Debug)]
pub enum CliError {
    /// The request cannot be met as it was made: exit status 2.
    Request(String),
    /// The run failed: exit status 1.
    Run(String),
    /// A signal ended the run: exit status 128 + its number.
    Interrupted(i32),
}

impl CliError {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            CliError::Request(_) => 2,
            CliError::Run(_) => 1,
            CliError::Interrupted(signal) => u8::try_from(128 + signal).unwrap_or(1),
        }
    }

    /// That whoever read standard output has had enough, as `head` has: there is nobody to be told, and it ends as
    /// programs do that the signal SIGPIPE ends.
    pub fn unread(self) -> CliError {
        // Of an application the error is a sentence.
        let ends = |what: &str| {
            let what = without_numbers(what).to_lowercase();
            what.contains("standard output") && what.trim_end_matches('.').ends_with(": broken pipe")
        };
        match self {
            CliError::Run(what) if ends(&what) => CliError::Interrupted(SIGPIPE),
            other => other,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CliError::Request(what) | CliError::Run(what) => {
                let limited = getrlimit(Resource::Fsize).current.is_some();
                f.write_str(&shortened(&with_limits(&without_numbers(what), limited)))
            }
            CliError::Interrupted(_) => f.write_str("interrupted; nothing half-done is left behind"),
        }
    }
}

impl std::error::Error for CliError {}

/// Makes any error a bad request.
pub fn request(e: impl fmt::Display) -> CliError {
    CliError::Request(e.to_string())
}

/// Makes any error a failed run.
pub fn failed(e: impl fmt::Display) -> CliError {
    CliError::Run(e.to_string())
}

/// A sentence in which what the system says of a limit names it: the size of files (where it is `limited`), or the number of processes and
/// threads.
fn with_limits(sentence: &str, limited: bool) -> String {
    const NAMES: [(&str, &str); 2] = [
        ("ile too large", ": more than a limit allows (ulimit -f)"),
        (
            "esource temporarily unavailable",
            ": a limit allows no further process or thread (ulimit -u, or of a control group)",
        ),
    ];
    let mut sentence = sentence.to_owned();
    for (said, limit) in NAMES.into_iter().skip(usize::from(!limited)) {
        // A rank may have named it already.
        if !sentence.contains(limit) {
            sentence = sentence.replacen(said, &format!("{said}{limit}"), 1);
        }
    }
    sentence
}

/// A sentence in which words of more characters than any name of a file has, as paths that are too long are, lose their middle.
fn shortened(sentence: &str) -> String {
    const MOST: usize = 256;
    const END: usize = 100;
    let short = |word: &str| {
        let length = word.chars().count();
        if length <= MOST {
            return word.to_owned();
        }
        let of = |from, many| word.chars().skip(from).take(many).collect::<String>();
        format!("{}…{}", of(0, END), of(length - END, END))
    };
    sentence.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_that_is_too_long_both_ends_are_said() {
        let long = format!("/tmp/ä{}/ö.txt", "é".repeat(5000));
        let said = request(format!("cannot read {long}: File name too long (os error 36)")).to_string();
        assert!(
            said.starts_with("cannot read /tmp/äé") && said.ends_with("é/ö.txt: File name too long"),
            "{said}"
        );
        assert!(said.contains('…') && said.chars().count() < 300, "{said}");
        let fits = format!("{} {}", "a".repeat(256), "b".repeat(200));
        assert_eq!(request(&fits).to_string(), fits);
    }

    #[test]
    fn limits_are_named_once() {
        let threads = "rank 3 of 8 could not be given a thread (Resource temporarily unavailable): use fewer";
        let files = "cannot write out: File too large";
        for (what, limited, said) in [
            (files, true, "cannot write out: File too large: more than a limit allows (ulimit -f)"),
            (files, false, files),
            (
                threads,
                false,
                "rank 3 of 8 could not be given a thread (Resource temporarily unavailable: a limit allows no further process or thread \
                 (ulimit -u, or of a control group)): use fewer",
            ),
            ("other", true, "other"),
        ] {
            let once = with_limits(what, limited);
            assert_eq!((&*once, &*with_limits(&once, limited)), (said, said));
        }
    }

    #[test]
    fn the_system_s_numbers_are_not_said() {
        for (what, said) in [
            ("cannot read a: Permission denied (os error 13)", "cannot read a: Permission denied"),
            ("b: refused (os error 111); then c (os error 2): end", "b: refused; then c: end"),
            ("a file (os error of mine).txt (os error 5)", "a file (os error of mine).txt"),
            ("cut (os error 5", "cut (os error 5"),
            ("", ""),
        ] {
            assert_eq!(request(what).to_string(), said);
            assert_eq!(failed(what).to_string(), said);
        }
    }
}
