//! `forerun tagger`: training and evaluating taggers.

use std::path::Path;
use std::time::Instant;

use forerun_apps::features::find_model;
use forerun_text::tagger::Tagger;
use forerun_text::tagger::train::eval::{Accuracy, evaluate};
use forerun_text::tagger::train::{Corpus, Training, train};
use serde_json::{Value, json};

use crate::cli::tagger::TaggerCommand;
use crate::commands::Context;
use crate::console::Console;
use crate::error::{CliError, failed, request};
use crate::file;
use crate::paths::Paths;
use crate::text::plural;

/// Every so many files one is held out.
const TENTH: usize = 10;

/// Where so large a part of the words has tags that a model does not have, its tags are others.
const OTHER_TAGS: f64 = 0.01;

fn is_held_out(file: usize) -> bool {
    file % TENTH == TENTH - 1
}

/// Trains or evaluates.
///
/// # Errors
/// A corpus or a model that cannot be read, a file that cannot be written.
pub fn run(command: &TaggerCommand, context: &mut Context) -> Result<(), CliError> {
    match command {
        TaggerCommand::Train { corpus, out, all } => {
            Paths::new().reads([corpus]).writes("--out", Some(out)).check(&mut context.console, |_| false)?;
            learn(corpus, out, *all, context)
        }
        TaggerCommand::Eval { corpus, model, all } => {
            let model = find_model(model.as_deref()).map_err(request)?;
            let tagger = Tagger::load(&model).map_err(request)?;
            let corpus = Corpus::read(corpus).map_err(request)?;
            let accuracy = evaluate(&tagger, &corpus, |file| *all || is_held_out(file));
            if accuracy.words() == 0 {
                let files = plural(corpus.files.len() as u64, "file");
                return Err(request(format!(
                    "{files}, of which none is held out (every {TENTH}th is): give --all to count on all, or more files"
                )));
            }
            say(&accuracy, &context.console)?;
            context.console.data(&data(&accuracy))
        }
    }
}

fn learn(corpus: &Path, out: &Path, all: bool, context: &Context) -> Result<(), CliError> {
    let console = &context.console;
    file::check("--out", out)?;
    let corpus = Corpus::read(corpus).map_err(request)?;
    let (files, words, tags) = (corpus.files.len(), corpus.tokens(), corpus.tags.len() - 1);
    let counts = [(files, "file"), (words, "word"), (tags, "tag")].map(|(n, what)| plural(n as u64, what));
    console.note("corpus", &counts.join(", "))?;
    let begun = Instant::now();
    let mut unsaid = Ok(());
    let mut tell = |what: &str| {
        let said = console.note("training", &format!("{:6.1} s  {what}", begun.elapsed().as_secs_f64()));
        if unsaid.is_ok() {
            unsaid = said;
        }
    };
    let model = train(&corpus, &Training::default(), |file| all || !is_held_out(file), &mut tell);
    unsaid?;
    let bytes = model.to_bytes();
    file::write(out, &bytes)?;
    console
        .say("model", &format!("{} in {}", forerun_platform::Bytes(bytes.len() as u64), file::shown(out)))?;
    if all {
        return console.data(&Value::Null);
    }
    let tagger = Tagger::load(out).map_err(failed)?;
    let accuracy = evaluate(&tagger, &corpus, is_held_out);
    if accuracy.words() == 0 {
        let why =
            format!("not known: of {} none is held out (every {TENTH}th is)", plural(files as u64, "file"));
        console.say("accuracy", &why)?;
        return console.data(&Value::Null);
    }
    say(&accuracy, console)?;
    console.data(&data(&accuracy))
}

/// Says how accurate a tagger is, and where its tags are others than the corpus's.
fn say(accuracy: &Accuracy, console: &Console) -> Result<(), CliError> {
    console.say("accuracy", &told(accuracy))?;
    let share = accuracy.foreign as f64 / accuracy.words() as f64;
    if share < OTHER_TAGS {
        return Ok(());
    }
    let (foreign, words) = (accuracy.foreign, plural(accuracy.words(), "word"));
    let note = format!(
        "{:.0} % of them, {foreign} of {words}, have a tag that the model does not know: it was made for other tags than the \
         corpus has, and the accuracy says little",
        share * 100.0
    );
    console.note("note", &note)
}

fn told(accuracy: &Accuracy) -> String {
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    format!(
        "{} of {} words right: {} of {} known ones, {} of {} unknown ones",
        percent(accuracy.overall()),
        accuracy.words(),
        percent(accuracy.of_known()),
        accuracy.known,
        percent(accuracy.of_unknown()),
        accuracy.unknown
    )
}

fn data(of: &Accuracy) -> Value {
    json!({
        "overall": of.overall(),
        "known": { "words": of.known, "right": of.known_right },
        "foreign": of.foreign,
        "unknown": { "words": of.unknown, "right": of.unknown_right },
    })
}
