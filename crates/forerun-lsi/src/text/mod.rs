//! From text to terms.

mod stop_words;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

/// How text becomes terms: runs of letters, digits and underscores of at least two characters, in lower case (which is
/// the default of scikit-learn's vectorizers), without stop words, perhaps stemmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// Leave out English function words.
    pub stop_words: bool,
    /// Take word stems (Snowball's English stemmer, "Porter 2") for words.
    pub stem: bool,
}

impl Default for Analysis {
    fn default() -> Self {
        Analysis { stop_words: true, stem: false }
    }
}

impl Analysis {
    /// Gives every term of the text to `take`, in its order.
    pub fn terms(&self, text: &str, mut take: impl FnMut(&str)) {
        let stemmer = self.stem.then(|| Stemmer::create(Algorithm::English));
        let mut word = String::new();
        for run in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if run.chars().nth(1).is_none() {
                continue;
            }
            word.clear();
            word.extend(run.chars().flat_map(char::to_lowercase));
            if self.stop_words && stop_words::is_one(&word) {
                continue;
            }
            match &stemmer {
                Some(stemmer) => take(&stemmer.stem(&word)),
                None => take(&word),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Analysis;

    fn terms(analysis: Analysis, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        analysis.terms(text, |term| terms.push(term.to_string()));
        terms
    }

    #[test]
    fn words_are_runs_of_two_characters_or_more() {
        let all = Analysis { stop_words: false, stem: false };
        assert_eq!(terms(all, "The X-15's wing_span: Ünder 3 m/s"), ["the", "15", "wing_span", "ünder"]);
        assert_eq!(terms(Analysis::default(), "The flows of it"), ["flows"]);
        assert_eq!(terms(Analysis { stop_words: true, stem: true }, "Flows, flowing"), ["flow", "flow"]);
    }
}
