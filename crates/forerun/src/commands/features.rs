//! `forerun features`: what is in a database of features.

use std::fmt::Write as _;

use forerun_apps::features::{Answer, Phrase, Query};
use serde_json::{Value, json};

use crate::cli::features::FeaturesCommand;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::text::plural;

/// Asks a database.
///
/// # Errors
/// A database that is not there or has no features; where the answer cannot be written.
pub fn run(command: &FeaturesCommand, context: &Context) -> Result<(), CliError> {
    match command {
        FeaturesCommand::Top { db, limit } => {
            let (totals, top) = query(db)?.top(*limit).map_err(request)?;
            let [phrases, documents] = [totals.phrases, totals.documents].map(|n| n as u64);
            let of = format!("{} of {}", plural(phrases, "phrase"), plural(documents, "document"));
            context.console.note("features", &of)?;
            context.console.text(&table(&top))?;
            context.console.data(&top.iter().map(data).collect::<Vec<_>>())
        }
        FeaturesCommand::Search { db, phrase, limit } => {
            let answer = query(db)?.search(&phrase.join(" "), *limit).map_err(request)?;
            context.console.text(&told(&answer))?;
            context.console.data(&answered(&answer))
        }
    }
}

fn query(db: &str) -> Result<Query, CliError> {
    Ok(Query::new(db.parse().map_err(request)?))
}

fn table(phrases: &[Phrase]) -> String {
    let mut text = format!("{:>9}  {:>9}  phrase\n", "frequency", "documents");
    for Phrase { phrase, frequency, documents } in phrases {
        // Text cannot fail to be written.
        let _ = writeln!(text, "{frequency:>9}  {documents:>9}  {phrase}");
    }
    text
}

fn told(answer: &Answer) -> String {
    let mut text = match &answer.phrase {
        Some(Phrase { phrase, frequency, documents }) => {
            let (times, among) = (plural(*frequency as u64, "time"), plural(*documents as u64, "document"));
            format!("{phrase}: {times} in {among}\n")
        }
        None => format!("{}: not there\n", answer.key),
    };
    for found in &answer.found {
        let id = if found.id == "1" { String::new() } else { format!(" [{}]", found.id) };
        let _ = writeln!(
            text,
            "{:>9}  {}{id}: {}",
            found.frequency,
            found.file,
            places(&found.places, &answer.fields)
        );
    }
    if !answer.containing.is_empty() {
        let _ = write!(text, "\nphrases that contain it\n{}", table(&answer.containing));
    }
    text
}

/// The first places, by the names of their fields: `title 12, body 340`.
fn places(json: &str, fields: &[String]) -> String {
    const SHOWN: usize = 5;
    let list: Vec<(usize, u64, u64)> = serde_json::from_str(json).unwrap_or_default();
    let name = |n: usize| fields.get(n).map_or("?", String::as_str);
    let mut shown: Vec<String> =
        list.iter().take(SHOWN).map(|(field, start, _)| format!("{} {start}", name(*field))).collect();
    if list.len() > SHOWN {
        shown.push(format!("{} more", list.len() - SHOWN));
    }
    shown.join(", ")
}

fn data(of: &Phrase) -> Value {
    json!({ "phrase": of.phrase, "frequency": of.frequency, "documents": of.documents })
}

fn answered(answer: &Answer) -> Value {
    let found = answer.found.iter().map(|f| {
        let places: Value = serde_json::from_str(&f.places).unwrap_or_default();
        json!({ "file": f.file, "id": f.id, "frequency": f.frequency, "places": places })
    });
    json!({
        "key": answer.key,
        "phrase": answer.phrase.as_ref().map(data),
        "found": found.collect::<Vec<_>>(),
        "containing": answer.containing.iter().map(data).collect::<Vec<_>>(),
        "fields": answer.fields,
    })
}
