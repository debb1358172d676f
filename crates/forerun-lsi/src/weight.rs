//! From counts of terms in documents to weights.
//!
//! With f the count of a term in a document, n the number of documents, d that of those with the term, and
//! p = f divided by the term's count in all documents:
//!
//! | name | of a term in a document | of a term |
//! |---|---|---|
//! | `tf-idf` | 1 + ln f | ln((1 + n)/(1 + d)) + 1 |
//! | `tf-idf-raw` | f | ln((1 + n)/(1 + d)) + 1 |
//! | `log-entropy` | ln(1 + f) | 1 + Σ p ln p / ln n |
//!
//! A document's weights are then divided by their Euclidean length. `tf-idf` is what scikit-learn's `TfidfVectorizer`
//! calculates with `sublinear_tf=True`, `tf-idf-raw` what it does by default; `log-entropy` is Dumais' ("Improving the retrieval
//! of information from external sources", Behavior Research Methods 23, 1991).

use serde::{Deserialize, Serialize};

use crate::matrix::Sparse;

/// How counts are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// (1 + ln f) · idf.
    #[default]
    TfIdf,
    /// f · idf.
    TfIdfRaw,
    /// ln(1 + f) · (1 − the entropy of the term).
    LogEntropy,
}

impl Weighting {
    /// All of them.
    pub const ALL: [Weighting; 3] = [Weighting::TfIdf, Weighting::TfIdfRaw, Weighting::LogEntropy];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Weighting::TfIdf => "tf-idf",
            Weighting::TfIdfRaw => "tf-idf-raw",
            Weighting::LogEntropy => "log-entropy",
        }
    }

    /// The weight of a term that occurs `count` times (at least once) in a document, without the term's own.
    pub fn local(self, count: f64) -> f64 {
        match self {
            Weighting::TfIdf => 1.0 + count.ln(),
            Weighting::TfIdfRaw => count,
            Weighting::LogEntropy => count.ln_1p(),
        }
    }

    /// The weight of every term, from their counts: a row a document, a column a term.
    pub fn global(self, counts: &Sparse) -> Vec<f64> {
        let documents = counts.rows() as f64;
        let columns = (0..counts.rows()).map(|row| counts.row(row));
        if self != Weighting::LogEntropy {
            let mut with = vec![0.0; counts.columns()];
            for &term in columns.flat_map(|(terms, _)| terms) {
                with[term as usize] += 1.0;
            }
            return with.into_iter().map(|d: f64| ((1.0 + documents) / (1.0 + d)).ln() + 1.0).collect();
        }
        let mut totals = vec![0.0; counts.columns()];
        for (&term, &count) in columns.clone().flat_map(|(terms, counts)| terms.iter().zip(counts)) {
            totals[term as usize] += count;
        }
        let mut entropy = vec![0.0; counts.columns()];
        for (&term, &count) in columns.flat_map(|(terms, counts)| terms.iter().zip(counts)) {
            let p = count / totals[term as usize];
            entropy[term as usize] -= p * p.ln();
        }
        // Of a single document ln n is 0, and so is every entropy.
        let most = documents.ln().max(f64::MIN_POSITIVE);
        entropy.into_iter().map(|e| (1.0 - e / most).max(0.0)).collect()
    }
}

/// Weighs the counts of every document with these weights of the terms, and makes its length 1.
pub fn weigh(counts: &mut Sparse, weighting: Weighting, global: &[f64]) {
    for row in 0..counts.rows() {
        let (terms, values) = counts.row_values_mut(row);
        for (&term, value) in terms.iter().zip(values.iter_mut()) {
            *value = weighting.local(*value) * global[term as usize];
        }
        let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            values.iter_mut().for_each(|v| *v /= length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_by_hand() {
        // Term 0 in both documents, once and three times; term 1 twice in the second.
        let counts = Sparse::from_rows(2, [vec![(0, 1.0)], vec![(0, 3.0), (1, 2.0)]]);
        let idf = Weighting::TfIdf.global(&counts);
        assert!((idf[0] - 1.0).abs() < 1e-15 && (idf[1] - (1.5f64.ln() + 1.0)).abs() < 1e-15);
        let entropy = Weighting::LogEntropy.global(&counts);
        let h = -(0.25 * 0.25f64.ln() + 0.75 * 0.75f64.ln()) / 2f64.ln();
        assert!((entropy[0] - (1.0 - h)).abs() < 1e-15 && entropy[1] == 1.0, "{entropy:?}");
        let mut weighted = counts.clone();
        weigh(&mut weighted, Weighting::TfIdf, &idf);
        let (a, b) = (1.0 + 3f64.ln(), (1.0 + 2f64.ln()) * idf[1]);
        let length = a.hypot(b);
        assert!((weighted.row(1).1[0] - a / length).abs() < 1e-15);
        assert!((weighted.row(1).1[1] - b / length).abs() < 1e-15);
        assert_eq!(weighted.row(0).1, [1.0]);
    }
}
