//! A batch script for Slurm that runs a job as planned.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use forerun_platform::{Plan, Platform, Skeleton};

use crate::describe::shape;
use crate::error::{CliError, request};
use crate::text;

/// Checks that the plan can be run by one process, as the script does.
///
/// # Errors
/// That it needs more than one host.
pub fn check(plan: &Plan, platform: &Platform) -> Result<(), CliError> {
    let most = platform.hosts.iter().map(|h| h.cores).max().unwrap_or(1);
    if plan.processors <= most {
        return Ok(());
    }
    Err(request(format!(
        "--sbatch: the plan is for {} processors and a host of {} has {most}: jobs run on the threads of one \
         host, so plan with --max-processors {most}",
        plan.processors, platform.name
    )))
}

/// The script: asks for the processors and the time that the plan needs, and runs the job with
/// the plan pinned. `command` is the command line that made the plan.
pub fn script(plan: &Plan, platform: &Platform, command: &[OsString]) -> String {
    let per_host = platform.hosts.first().map_or(1, |h| h.cores).max(1);
    // Threads share a host; a plan for more than one host is for a cluster with that many.
    let nodes = plan.processors.div_ceil(per_host);
    let limit = plan.predicted.map_or(0.0, |p| p.high_s);
    // Half as much again, and a minute: a job that is stopped at its limit has been for nothing.
    let minutes = ((limit * 1.5 + 60.0) / 60.0).ceil();
    let job = job_words(command);
    let predicted = plan.predicted.map_or("nothing".into(), |p| text::interval(&p));
    let mut run = vec!["forerun run".to_string(), job];
    run.extend(match plan.skeleton {
        Skeleton::Reduction => vec![
            format!("--strategy {}", plan.strategy.name()),
            format!("--processors {}", plan.processors),
            format!("--groups {}", plan.groups),
            format!("--arity {}", plan.arity),
            format!("--grain '{} B'", plan.grain.bytes),
        ],
        Skeleton::ScatterGather => vec![
            format!("--skeleton {}", plan.skeleton.name()),
            format!("--processors {}", plan.processors),
            format!("--block '{} B'", plan.grain.bytes),
            format!("--ahead {}", plan.ahead),
        ],
        Skeleton::Farm => vec![format!("--processors {}", plan.processors)],
    });
    run.retain(|w| !w.is_empty());
    format!(
        "#!/bin/bash\n\
         #SBATCH --job-name=forerun\n\
         #SBATCH --nodes={nodes}\n\
         #SBATCH --ntasks={nodes}\n\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --time={minutes:.0}\n\
         \n\
         # {}, predicted {predicted}.\n\
         {}\n",
        plan.processors.min(per_host),
        shape(plan),
        run.join(" \\\n    "),
    )
}

/// The words of the command line that name the job: all but what only `plan` takes.
fn job_words(command: &[OsString]) -> String {
    let mut words = Vec::new();
    let mut rest = command.iter().skip(1).peekable();
    let pinned = [
        "--strategy",
        "--processors",
        "--groups",
        "--arity",
        "--grain",
        "--skeleton",
        "--block",
        "--ahead",
        "-p",
    ];
    let of_plan = ["--max-processors", "--sbatch", "--json"];
    let mut seen_plan = false;
    while let Some(word) = rest.next() {
        if !seen_plan && word == "plan" {
            seen_plan = true;
            continue;
        }
        let text = word.to_string_lossy();
        let name = text.split('=').next().unwrap_or(&text);
        if pinned.contains(&name) || of_plan.contains(&name) {
            if !text.contains('=') {
                rest.next();
            }
            continue;
        }
        // `-p8`, the only short option of a plan with a value.
        if text.strip_prefix("-p").is_some_and(|p| p.parse::<usize>().is_ok()) {
            continue;
        }
        words.push(quoted(word));
    }
    words.join(" ")
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

    use super::job_words;

    fn quoted(word: impl AsRef<OsStr>) -> String {
        super::quoted(word.as_ref())
    }

    fn words(line: &str) -> String {
        job_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_job_is_what_plan_was_given() {
        assert_eq!(words("forerun plan sort a.bin --max-processors 8 --type i64"), "sort a.bin --type i64");
        assert_eq!(words("forerun plan sort a.bin -p 8 --sbatch=x --grain 4KiB"), "sort a.bin");
        assert_eq!(words("forerun plan sort plan --json -"), "sort plan");
        assert_eq!(words("forerun plan sort -p8 -paper.bin"), "sort -paper.bin");
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
