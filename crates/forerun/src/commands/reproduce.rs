//! `forerun reproduce`: the source papers' tables, theirs beside ours.

use std::io;
use std::path::Path;

use forerun_platform::nearest;
use serde::Serialize;

use crate::cli::ReproduceArgs;
use crate::commands::Context;
use crate::drawn::Sheet;
use crate::error::{CliError, request};
use crate::execute::stop_if_interrupted;
use crate::paths::Paths;
use crate::reproduce::evaluate::reproduce;
use crate::reproduce::models::{Gives, models};
use crate::reproduce::outcome::summary;
use crate::reproduce::study::{Entry, Study, shipped};
use crate::reproduce::{drawing, table};
use crate::{file, text};

/// Reproduces, or lists what can be.
///
/// # Errors
/// What is wrong with the request or with a study; interrupted.
pub fn run(args: &ReproduceArgs, context: &mut Context) -> Result<(), CliError> {
    if args.models {
        if args.draw.csv.is_some() || args.draw.svg.is_some() {
            return Err(request("--models: --csv and --svg are of entries; --json writes the models"));
        }
        return list_models(context);
    }
    args.draw.writable()?;
    args.draw.among(Paths::new()).check(&mut context.console, |_| false)?;
    let context = &*context;
    let Context { console, interrupt, .. } = context;
    let studies = match &args.studies {
        Some(folder) => load(folder)?,
        None => shipped().map_err(request)?,
    };
    let all: Vec<(&Study, &Entry)> =
        studies.iter().flat_map(|study| study.entries.iter().map(move |entry| (study, entry))).collect();
    let mut names: Vec<&str> = all.iter().map(|(_, entry)| entry.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        return Err(request(format!("two studies have an entry \"{}\"; give one another name", twice[0])));
    }
    let chosen = match (args.all, args.names.as_slice()) {
        (true, _) => all,
        (false, []) => return list(&all, args, context),
        (false, names) => choose(&all, names)?,
    };
    let colour = text::colour(&io::stdout());
    let mut entries = Vec::with_capacity(chosen.len());
    for (study, entry) in chosen {
        let worked_out = reproduce(study, entry, interrupt);
        stop_if_interrupted(interrupt)?;
        let worked_out = worked_out.map_err(request)?;
        console.text(&format!("{}\n", table::entry(&worked_out, colour)))?;
        console.text("")?;
        entries.push(worked_out);
    }
    if entries.len() > 1 {
        console.text(&table::summary(&summary(&entries)))?;
    }
    args.draw.write(|| drawing::sheet(&entries), || drawing::plot(&entries))?;
    console.data(&entries)
}

/// The study files of a folder, in the order of their names.
fn load(folder: &Path) -> Result<Vec<Study>, CliError> {
    let refuse = |why: &str| {
        request(format!(
            "--studies {}: {why}; give a folder of study files, such as a copy of studies/",
            file::shown(folder)
        ))
    };
    let read = std::fs::read_dir(folder).map_err(|e| refuse(&crate::error::reason(&e)))?;
    let mut files = Vec::new();
    for file in read {
        let path = file.map_err(|e| refuse(&crate::error::reason(&e)))?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(refuse("there is no file NAME.toml in it"));
    }
    files.iter().map(|file| Study::load(file).map_err(request)).collect()
}

fn choose<'a>(
    all: &[(&'a Study, &'a Entry)],
    names: &[String],
) -> Result<Vec<(&'a Study, &'a Entry)>, CliError> {
    let find = |name: &String| {
        all.iter().find(|(_, entry)| entry.name == *name).copied().ok_or_else(|| {
            let advice = match nearest(name, all.iter().map(|(_, entry)| entry.name.as_str())) {
                Some(meant) => format!("did you mean {meant}? "),
                None => String::new(),
            };
            request(format!("there is no entry {name}: {advice}`forerun reproduce --list` lists them"))
        })
    };
    names.iter().map(find).collect()
}

/// An entry in a list.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    title: &'a str,
    rows: usize,
    paper: &'a str,
    study: &'a str,
}

fn list(all: &[(&Study, &Entry)], args: &ReproduceArgs, context: &Context) -> Result<(), CliError> {
    if args.draw.svg.is_some() {
        return Err(request("--svg: a list has no plot; name an entry, or give --all"));
    }
    let width = all.iter().map(|(_, entry)| entry.name.len()).max().unwrap_or(0);
    let mut listed = Vec::with_capacity(all.len());
    for (study, entry) in all {
        let rows = text::plural(entry.rows.len() as u64, "row");
        let (name, title) = (text::printable(&entry.name), text::printable(&entry.title));
        context.console.text(&format!("{name:<width$}  {title} ({rows})"))?;
        listed.push(Listed {
            name: &entry.name,
            title: &entry.title,
            rows: entry.rows.len(),
            paper: &study.paper,
            study: &study.file,
        });
    }
    if let Some(path) = &args.draw.csv {
        let mut sheet = Sheet::new(&["name", "title", "rows", "paper", "study"]);
        for l in &listed {
            sheet.rows.push(vec![
                l.name.into(),
                l.title.into(),
                l.rows.into(),
                l.paper.into(),
                l.study.into(),
            ]);
        }
        file::write(path, &sheet.csv()?)?;
    }
    context.console.data(&listed)
}

/// A model in a list.
#[derive(Serialize)]
struct ListedModel {
    name: &'static str,
    about: &'static str,
    gives: Option<&'static str>,
    parameters: Vec<ListedParameter>,
}

/// A parameter in a list.
#[derive(Serialize)]
struct ListedParameter {
    name: &'static str,
    takes: String,
}

fn list_models(context: &Context) -> Result<(), CliError> {
    let mut listed = Vec::new();
    for model in models() {
        let parameters: Vec<&str> = model.parameters.iter().map(|p| p.name).collect();
        context.console.text(&format!("{}({}): {}", model.name, parameters.join(", "), model.about))?;
        listed.push(ListedModel {
            name: model.name,
            about: model.about,
            gives: match model.gives {
                Gives::One(dimension) => Some(dimension.base()),
                Gives::Same => None,
            },
            parameters: model
                .parameters
                .iter()
                .map(|p| ListedParameter { name: p.name, takes: p.takes.words() })
                .collect(),
        });
    }
    context.console.data(&listed)
}
