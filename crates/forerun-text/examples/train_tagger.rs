//! Trains a tagger on nine tenths of a tagged corpus, writes its model, and says how accurate it is on the tenth
//! that it has not seen (every tenth file): `train_tagger CORPUS MODEL`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use forerun_text::TextError;
use forerun_text::tagger::train::{Corpus, Training, eval::evaluate, train};
use forerun_text::tagger::{Model, Tagger};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, model] = &arguments[..] else {
        eprintln!("usage: train_tagger CORPUS MODEL (a zip archive or a directory, and the file to write)");
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

fn run(corpus: &Path, file: &Path) -> Result<(), TextError> {
    let corpus = Corpus::read(corpus)?;
    println!("{} files, {} words, {} tags", corpus.files.len(), corpus.tokens(), corpus.tags.len() - 1);
    let held_out = |file: usize| file % 10 == 9;
    let start = Instant::now();
    let mut tell = |what: &str| println!("{:6.1} s  {what}", start.elapsed().as_secs_f64());
    let model = train(&corpus, &Training::default(), |file| !held_out(file), &mut tell);
    model.save(file)?;
    let start = Instant::now();
    let tagger = Tagger::new(Model::load(file)?);
    println!("{} bytes, loaded in {:.0} ms", model.to_bytes().len(), start.elapsed().as_secs_f64() * 1e3);
    let a = evaluate(&tagger, &corpus, held_out);
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    println!(
        "held out: {} of {} words right, {} of {} known, {} of {} unknown",
        percent(a.overall()),
        a.known + a.unknown,
        percent(a.of_known()),
        a.known,
        percent(a.of_unknown()),
        a.unknown
    );
    Ok(())
}
