//! Jobs read from a file, as words of the command line.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, Parser};
use forerun_platform::nearest;

use super::treat::Treat;
use crate::cli::{self, AnyJob, AnyJobArgs, SayOptions};
use crate::error::{CliError, request};
use crate::farm::Farming;
use crate::jobs::{self, JobFile, Takes};

/// A job read as the words of a job file.
#[derive(Debug, Parser)]
#[command(name = "forerun", no_binary_name = true)]
pub(super) struct Words<H: Args, F: Args> {
    #[command(flatten)]
    pub(super) say: SayOptions,
    #[command(flatten)]
    pub(super) job: AnyJobArgs<H, F>,
}

/// Reads a file's words and those beside it.
///
/// # Errors
/// What is wrong with the file, or with them.
pub(super) fn from_file<H: Treat, F: Farming>(words: &[OsString]) -> Result<Words<H, F>, CliError> {
    let (file, rest) = words.split_first().ok_or_else(|| request("no job: name one, or a job file"))?;
    let job = jobs::job_file(Path::new(file), rest, &takes::<H, F>)?;
    let args =
        Words::<H, F>::try_parse_from(&job.words).map_err(|e| wrong(&job, rest, &e, &keys::<H, F>(&job)))?;
    match &args.job.job {
        AnyJob::File(words) => {
            let name = words.first().map(|w| w.to_string_lossy().into_owned()).unwrap_or_default();
            let what = format!("there is no application {name:?}: expected {}", jobs::APPLICATIONS);
            Err(job.wrong("application", what.clone()).unwrap_or_else(|| job.lacks(&what)))
        }
        _ => Ok(args),
    }
}

/// What the option of a key takes, of an application or of the command.
fn takes<H: Treat, F: Farming>(application: &str, key: &str) -> Option<Takes> {
    let command = Words::<H, F>::command();
    let own = command.find_subcommand(application).into_iter().flat_map(clap::Command::get_arguments);
    let option = own.chain(command.get_arguments()).find(|a| a.get_long() == Some(key))?;
    let name =
        || option.get_value_names().and_then(|names| names.first()).map_or("VALUE".into(), |n| n.to_string());
    Some(match option.get_action() {
        ArgAction::SetTrue | ArgAction::Help => Takes::Nothing,
        ArgAction::Append => Takes::Several,
        _ if option.get_value_delimiter().is_some() => Takes::Several,
        _ => Takes::One(name()),
    })
}

/// The keys that a file of the application may have.
fn keys<H: Treat, F: Farming>(job: &JobFile) -> Vec<String> {
    let command = Words::<H, F>::command();
    let application = job.words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let own = command.find_subcommand(application).into_iter().flat_map(clap::Command::get_arguments);
    let longs = own.chain(command.get_arguments()).filter_map(|a| a.get_long());
    longs.chain(["format", "application", "input"]).map(str::to_owned).collect()
}

/// What is wrong with the words that a job file stands for: at the line of the key that it is about, where that is of
/// the file.
fn wrong(job: &JobFile, rest: &[OsString], e: &clap::Error, known: &[String]) -> CliError {
    let about = match e.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(several)) => several.clone(),
        _ => Vec::new(),
    };
    let advice = |typed: &str| {
        match nearest(typed, known.iter().map(String::as_str)) {
        Some(meant) if meant != typed => format!("did you mean \"{meant}\"?"),
        _ => "expected format, application, what the application takes, or a long option of it or of the command without \
              its dashes"
            .into(),
    }
    };
    let keys: Vec<&str> = about.iter().map(|argument| key(argument)).collect();
    if e.kind() == ErrorKind::MissingRequiredArgument {
        let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
        return job.lacks(&format!("it has no {}, which the job needs", keys.join(" and no ")));
    }
    let sentence = match (e.kind(), about.first().zip(keys.first())) {
        (ErrorKind::UnknownArgument, Some((_, key))) => {
            let application = job.words.first().map_or("".into(), |word| word.to_string_lossy());
            format!("\"{key}\" is no key of a job file of {application}: {}", advice(key))
        }
        (_, Some((argument, key))) => cli::sentence(e).replace(&format!("'{argument}'"), key),
        _ => cli::sentence(e),
    };
    let of_the_file = keys.first().filter(|key| !jobs::is_given(key, rest));
    of_the_file.and_then(|key| job.wrong(key, sentence.clone())).unwrap_or_else(|| match of_the_file {
        Some(_) => job.lacks(&sentence),
        None => request(cli::sentence(e)),
    })
}

/// The key of a job file for an argument as clap has it, such as `--processors <P>` or `<COUNT>`.
fn key(argument: &str) -> &str {
    match argument.strip_prefix("--") {
        Some(option) => option.split([' ', '=', '[']).next().unwrap_or(option),
        None if argument == "<COMMAND>" => "command",
        None => "input",
    }
}
