//! Learning all three levels from a tagged corpus.
//!
//! Rules correct what the levels before them get wrong, so they must learn from errors like those that new text
//! will have. The corpus is therefore cut into folds, each is tagged by a lexicon that was counted in all the
//! others, and the rules are learned from these errors. The lexicon of the model is then counted in everything.

pub mod corpus;
pub mod eval;

mod contextual;
mod counts;
mod lexical;
mod templates;

pub use corpus::{Corpus, CorpusFile};

use super::model::{Model, Start};
use super::{Tagger, no_pairs};

/// How to train.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Training {
    /// Into how many folds the corpus is cut, by file; at least two.
    pub folds: usize,
    /// The most lexical rules.
    pub lexical_rules: usize,
    /// The most contextual rules.
    pub contextual_rules: usize,
    /// The least number of errors by which a contextual rule must make the training text better.
    pub least_score: u32,
}

impl Default for Training {
    fn default() -> Self {
        Self { folds: 8, lexical_rules: 400, contextual_rules: 4000, least_score: 3 }
    }
}

/// Trains a model on the files of a corpus that `chosen` takes, by number. `progress` is told what happens.
///
/// The same corpus gives the same model. Brown takes about two minutes on one core.
pub fn train(
    corpus: &Corpus,
    training: &Training,
    chosen: impl Fn(usize) -> bool,
    progress: &mut dyn FnMut(&str),
) -> Model {
    let files: Vec<usize> = (0..corpus.files.len()).filter(|&f| chosen(f)).collect();
    let folds = training.folds.clamp(2, files.len().max(2));
    let of = |take: &dyn Fn(usize) -> bool| -> Vec<&counts::Tagged> {
        let files = files.iter().enumerate().filter(|(n, _)| take(n % folds)).map(|(_, &f)| f);
        files.flat_map(|f| &corpus.files[f].sentences).map(Vec::as_slice).collect()
    };
    let start = |sentences: &[&counts::Tagged]| {
        let (lexicon, guesser, transitions) = counts::count(corpus, sentences);
        Model {
            tags: corpus.tags.clone(),
            lexicon,
            start: Start::InContext { transitions: Box::new(transitions), guesser: Box::new(guesser) },
            lexical: Vec::new(),
            pairs: no_pairs(),
            contextual: Vec::new(),
        }
    };
    progress("counting");
    let mut taggers: Vec<Tagger> = (0..folds).map(|fold| Tagger::new(start(&of(&|n| n != fold)))).collect();
    let held_out: Vec<Vec<&counts::Tagged>> = (0..folds).map(|fold| of(&|n| n == fold)).collect();

    progress("learning lexical rules");
    let mut samples = lexical::Samples::default();
    for (tagger, sentences) in taggers.iter().zip(&held_out) {
        samples.add(corpus, tagger, sentences);
    }
    let (rules, of_rule) = samples.learn(training.lexical_rules);
    progress(&format!("{} lexical rules", rules.len()));
    let with_rules = |model: &mut Model| {
        model.lexical = rules.clone();
        if let Start::InContext { guesser, .. } = &mut model.start {
            guesser.of_rule = of_rule.clone();
        }
    };
    taggers = taggers
        .into_iter()
        .map(|tagger| {
            let mut model = tagger.model;
            with_rules(&mut model);
            Tagger::new(model)
        })
        .collect();

    progress("learning contextual rules");
    let mut text = contextual::Text::new(corpus);
    for (tagger, sentences) in taggers.iter().zip(&held_out) {
        text.add(corpus, tagger, sentences);
    }
    drop(taggers);
    let learned = text.learn(training.contextual_rules, training.least_score, progress);

    let mut model = start(&of(&|_| true));
    with_rules(&mut model);
    model.contextual = contextual::renumbered(corpus, learned, &mut model.lexicon);
    model
}
