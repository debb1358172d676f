//! From documents to a model.

use std::collections::HashMap;

use super::{About, Model, ModelOptions, Numbers, Parts, unit};
use crate::matrix::Sparse;
use crate::svd::{SvdOptions, decompose};
use crate::weight::weigh;
use crate::{Analysis, Document, LsiError, Vocabulary};

impl Model {
    /// Indexes documents, in as many dimensions as are asked for or, where they are fewer, as there are documents or terms. Cost: that of [`decompose`], and beside it little.
    ///
    /// # Errors
    /// There are no terms, the rank is 0, or the decomposition does not reach its tolerance.
    pub fn build(documents: &[Document], options: &ModelOptions) -> Result<Model, LsiError> {
        let (vocabulary, mut matrix) = count(documents, options);
        if vocabulary.terms().is_empty() {
            return Err(LsiError::NoTerms { least: options.least_documents, documents: documents.len() });
        }
        let weights = options.weighting.global(&matrix);
        weigh(&mut matrix, options.weighting, &weights);
        let most = matrix.rows().min(matrix.columns());
        let svd =
            decompose(&matrix, &SvdOptions { rank: options.svd.rank.min(most), ..options.svd.clone() })?;
        let rank = svd.values.len();
        let mut terms = Vec::with_capacity(rank * svd.right.rows());
        terms.extend(svd.right.values().iter().map(|&x| x as f32));
        let mut coordinates = Vec::with_capacity(rank * documents.len());
        for row in 0..documents.len() {
            let scaled: Vec<f64> = svd.left.row(row).iter().zip(&svd.values).map(|(d, s)| d * s).collect();
            coordinates.extend(unit(&scaled));
        }
        Ok(Model::of(Parts {
            about: About {
                analysis: options.analysis,
                weighting: options.weighting,
                least_documents: options.least_documents,
                tolerance: options.svd.tolerance,
                seed: options.svd.seed,
            },
            vocabulary,
            ids: documents.iter().map(|d| d.id.clone()).collect(),
            weights,
            values: svd.values,
            terms: Numbers::Own(terms),
            documents: Numbers::Own(coordinates),
        }))
    }
}

/// The vocabulary, and how often each term occurs in each document: a row a document, a column a term.
pub(crate) fn count(documents: &[Document], options: &ModelOptions) -> (Vocabulary, Sparse) {
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut with: Vec<u32> = Vec::new();
    let mut rows: Vec<Vec<(u32, f64)>> = Vec::with_capacity(documents.len());
    for document in documents {
        let mut row: HashMap<u32, f64> = HashMap::new();
        options.analysis.terms(&document.text, |term| {
            let place = match places.get(term) {
                Some(&place) => place,
                None => {
                    with.push(0);
                    places.insert(term.to_string(), with.len() as u32 - 1);
                    with.len() as u32 - 1
                }
            };
            *row.entry(place).or_default() += 1.0;
        });
        for &place in row.keys() {
            with[place as usize] += 1;
        }
        rows.push(row.into_iter().collect());
    }
    let mut kept: Vec<(String, u32)> =
        places.into_iter().filter(|&(_, place)| with[place as usize] >= options.least_documents).collect();
    kept.sort_unstable();
    let mut column: Vec<Option<u32>> = vec![None; with.len()];
    for (new, &(_, old)) in (0..).zip(&kept) {
        column[old as usize] = Some(new);
    }
    let rows = rows.into_iter().map(|row| {
        let column = &column;
        row.into_iter().filter_map(move |(old, count)| column[old as usize].map(|new| (new, count)))
    });
    let matrix = Sparse::from_rows(kept.len(), rows);
    let documents = kept.iter().map(|&(_, old)| with[old as usize]).collect();
    (Vocabulary::new(kept.into_iter().map(|(term, _)| term).collect(), documents), matrix)
}

/// How often each term of the vocabulary occurs in a text, in the terms' order.
pub(crate) fn counts(analysis: &Analysis, text: &str, vocabulary: &Vocabulary) -> Vec<(u32, f64)> {
    let mut found: Vec<u32> = Vec::new();
    analysis.terms(text, |term| found.extend(vocabulary.find(term)));
    found.sort_unstable();
    let groups = found.chunk_by(|a, b| a == b);
    groups.map(|group| (group[0], group.len() as f64)).collect()
}
