//! The job that `features` asks for: of files, or of pages that a crawl fetches.

use std::path::PathBuf;

use forerun_apps::Job as _;
use forerun_apps::features::{Database, FeatureOptions, FeaturesJob, Fields, Pages};
use forerun_skeleton::{AppError, Cancel};

use super::{gathered, size, time};
use crate::cli::FeatureArgs;
use crate::crawling::{self, HowMany, Sample, Site, Watch};
use crate::error::{CliError, failed, request};
use crate::signals::Interrupt;

/// What the list of pages for other processes is called, in the directory of the crawl.
const LIST: &str = "tasks";

/// The URLs among the inputs; none where they are files.
///
/// # Errors
/// Files and URLs together.
pub fn seeds(args: &FeatureArgs) -> Result<Vec<String>, CliError> {
    let url = |path: &PathBuf| path.to_str().filter(|p| p.contains("://")).map(str::to_owned);
    let seeds: Vec<String> = args.input.iter().filter_map(url).collect();
    match seeds.len() {
        0 => {}
        n if n == args.input.len() => {}
        _ => {
            return Err(request(format!(
                "{} is a URL, and files are named as well: crawl in one run and read files in another, into the same \
                 database",
                seeds[0]
            )));
        }
    }
    Ok(seeds)
}

/// Looks at options that are of the other kind of inputs; of pages also at all else that can be wrong before anything is
/// fetched, and where they are to be kept (`kept`), whether it is said.
///
/// # Errors
/// What is wrong with the options, the model or the database.
pub fn check_features(args: &FeatureArgs, kept: bool, cancel: &Cancel) -> Result<(), CliError> {
    let seeds = seeds(args)?;
    let Some(first) = seeds.first() else {
        let crawl = args.crawl_dir.as_ref().map(|_| "--crawl-dir").or_else(|| args.crawl.given());
        return match crawl {
            Some(option) => {
                Err(request(format!("{option} is of a crawl, and no URL is named: leave it out")))
            }
            None => Ok(()),
        };
    };
    if !args.include.is_empty() {
        return Err(request(format!(
            "--include is of directories: which pages of {first} are taken is said by --types, --below and --depth"
        )));
    }
    let of_directories = [(args.follow_links, "--follow-links"), (args.allow_empty, "--allow-empty")];
    if let Some((_, option)) = of_directories.into_iter().find(|(given, _)| *given) {
        return Err(request(format!("{option} is of directories, and {first} is a URL: leave it out")));
    }
    let options = options(args, cancel)?;
    crawling::crawl(&seeds, &args.crawl)?.check().map_err(request)?;
    if kept {
        directory(args, &options.database)?;
    }
    FeaturesJob::check(&options).map_err(request)
}

/// The job that `features` asks for. Of pages, those that come in the first moment are known, in less of one where the
/// run begins `at_once`, without a pilot; their crawl can be watched.
///
/// # Errors
/// What is wrong with the inputs, the model or the database; why no page comes.
pub fn features(
    args: &FeatureArgs,
    at_once: bool,
    interrupt: &Interrupt,
) -> Result<(FeaturesJob, Option<Watch>), CliError> {
    let cancel = interrupt.cancel();
    let options = options(args, cancel)?;
    let seeds = seeds(args)?;
    if seeds.is_empty() {
        return Ok((FeaturesJob::open(options).map_err(request)?, None));
    }
    let crawl = crawling::crawl(&seeds, &args.crawl)?;
    let dir = directory(args, &options.database)?;
    // The input is not ended by a signal before it is known to keep coming.
    let (close, cancel) = (Cancel::new(), cancel.clone());
    let ends = close.clone();
    let (mut watched, mut refused) = (None, true);
    let site = || -> Result<Box<dyn Pages>, AppError> {
        let stop = move || ends.is_cancelled() || cancel.is_cancelled();
        let watch = watched.insert(Watch::begin(&crawl)).clone();
        let site = Site::start(crawl, &dir, watch, stop)?;
        refused = false;
        Ok(Box::new(site))
    };
    let job = FeaturesJob::follow(options, site, gathered(at_once), &close);
    // A crawl that began and had nothing is a run that failed.
    let job = job.map_err(|e| if refused { request(e) } else { failed(e) })?;
    let job = job.listed_in(dir.join(LIST));
    if job.first_sizes().is_some() {
        interrupt.closes(close);
    }
    Ok((job, watched))
}

/// A sample of the pages that are asked for, to plan from and to predict from.
///
/// # Errors
/// What is wrong with the options; why no page comes.
pub fn sample(args: &FeatureArgs, interrupt: &Interrupt) -> Result<Sample, CliError> {
    let crawl = crawling::crawl(&seeds(args)?, &args.crawl)?;
    crawling::sample(crawl, args.crawl_dir.as_deref(), interrupt)
}

/// The job that `features` asks for, as far as a sample of its pages tells.
///
/// # Errors
/// What is wrong with the model or the database.
pub fn features_of_sample(
    args: &FeatureArgs,
    sample: &Sample,
    cancel: &Cancel,
) -> Result<FeaturesJob, CliError> {
    let more = !matches!(sample.crawl.pages, HowMany::All(_));
    FeaturesJob::of_sample(options(args, cancel)?, sample.inputs.clone(), more).map_err(request)
}

fn options(args: &FeatureArgs, cancel: &Cancel) -> Result<FeatureOptions, CliError> {
    let fields = args.fields.as_deref().map_or_else(|| Ok(Fields::default()), Fields::load);
    Ok(FeatureOptions {
        input: args.input.clone(),
        include: args.include.clone(),
        follow_links: args.follow_links,
        allow_empty: args.allow_empty,
        fields: fields.map_err(request)?,
        model: args.model.clone(),
        database: args.db.parse().map_err(|e| request(format!("--db: {e}")))?,
        largest: size("--max-file", &args.max_file)?,
        patience: time("--patience", &args.patience)?,
        cancel: cancel.clone(),
    })
}

/// The same job in a process that does a part of it, from what was [handed over](forerun_apps::ReductionJob::hand_over).
///
/// # Errors
/// What is wrong with the model; an input that is not on this host.
pub fn features_of_a_team(
    args: &FeatureArgs,
    handed: &[u8],
    cancel: &Cancel,
) -> Result<FeaturesJob, CliError> {
    FeaturesJob::member(options(args, cancel)?, handed).map_err(request)
}

/// Where the crawl keeps its pages.
fn directory(args: &FeatureArgs, database: &Database) -> Result<PathBuf, CliError> {
    if let Some(dir) = &args.crawl_dir {
        return Ok(dir.clone());
    }
    let file = database.file().ok_or_else(|| {
        request("--crawl-dir: say where the crawl keeps its pages, as the database is not a file beside which they could be")
    })?;
    let mut dir = file.as_os_str().to_owned();
    dir.push(".crawl");
    Ok(dir.into())
}
