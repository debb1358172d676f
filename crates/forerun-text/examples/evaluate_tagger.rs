//! How accurate a model is on every tenth file of a tagged corpus: `evaluate_tagger CORPUS MODEL`.

use std::path::Path;
use std::process::ExitCode;

use forerun_text::TextError;
use forerun_text::tagger::Tagger;
use forerun_text::tagger::train::{Corpus, eval::evaluate};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, model] = &arguments[..] else {
        eprintln!("usage: evaluate_tagger CORPUS MODEL (a zip archive or a directory, and the model's file)");
        return ExitCode::from(2);
    };
    match run(Path::new(corpus), Path::new(model)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(corpus: &Path, model: &Path) -> Result<(), TextError> {
    let corpus = Corpus::read(corpus)?;
    let accuracy = evaluate(&Tagger::load(model)?, &corpus, |file| file % 10 == 9);
    println!("{accuracy:?}");
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    let [all, known, unknown] = [accuracy.overall(), accuracy.of_known(), accuracy.of_unknown()].map(percent);
    println!("{all} of all words right, {known} of known ones, {unknown} of unknown ones");
    Ok(())
}
