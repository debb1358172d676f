//! Jobs read from a file, as words of the command line.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser};

use super::treat::Treat;
use crate::cli::{JobArgs, JobCommand, SayOptions};
use crate::error::{CliError, request};
use crate::jobs;

/// A job read as the words of a job file.
#[derive(Debug, Parser)]
#[command(name = "forerun", no_binary_name = true)]
pub(super) struct Words<H: Args> {
    #[command(flatten)]
    pub(super) say: SayOptions,
    #[command(flatten)]
    pub(super) job: JobArgs<H>,
}

/// Reads a file's words and those beside it.
///
/// # Errors
/// What is wrong with the file, or with them.
pub(super) fn from_file<H: Treat>(words: &[OsString]) -> Result<Words<H>, CliError> {
    let (file, rest) = words.split_first().ok_or_else(|| request("no job: name one, or a job file"))?;
    let file = Path::new(file);
    let args = match Words::<H>::try_parse_from(jobs::words(file, rest)?) {
        Ok(words) => words,
        Err(e) => return Err(request(format!("{}: {}", file.display(), sentence(&e)))),
    };
    match &args.job.job {
        JobCommand::File(words) => {
            let name = words.first().map(|w| w.to_string_lossy().into_owned()).unwrap_or_default();
            Err(request(format!(
                "{}: there is no application {name:?}: expected sort, features, reduce, lsi or tasks",
                file.display()
            )))
        }
        _ => Ok(args),
    }
}

/// What is wrong with the words that a job file stands for, in terms of the file.
fn sentence(e: &clap::Error) -> String {
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) =
        (e.kind(), e.get(ContextKind::InvalidArg))
    {
        let key = word.trim_start_matches('-');
        return format!(
            "there is no key {key}: expected format, application, input, or a long option of the application \
             or of the command without its dashes"
        );
    }
    // The first paragraph; then come tips for a command line.
    let text = e.render().to_string();
    let lines = text.lines().take_while(|l| !l.trim().is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_string()
}
