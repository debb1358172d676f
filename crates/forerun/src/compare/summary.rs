//! How far off each predictor was over all configurations.

use super::{By, Compared, Configuration, median, relative_error};

/// How far off one predictor was over all configurations that were measured too.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Who predicted.
    pub by: By,
    /// Pairs of a prediction and a way of measuring.
    pub pairs: usize,
    /// Median of the errors' sizes, against the medians measured.
    pub median: f64,
    /// The error greatest in size, with its sign.
    pub worst: f64,
    /// Where that is.
    pub worst_at: Configuration,
}

/// Sums the errors up by predictor; those with nothing to compare are left out.
pub fn summaries<'a>(compared: impl IntoIterator<Item = &'a Compared>) -> Vec<Summary> {
    let mut errors: Vec<(By, f64, &Configuration)> = Vec::new();
    for c in compared {
        for (runs, p) in c.measured.iter().flat_map(|runs| c.predictions.iter().map(move |p| (runs, p))) {
            let error = relative_error(p.makespan.makespan_s, runs.median());
            errors.extend(error.map(|error| (p.by, error, &c.configuration)));
        }
    }
    errors.sort_by(|(_, a, _), (_, b, _)| a.abs().total_cmp(&b.abs()));
    By::ALL
        .into_iter()
        .filter_map(|by| {
            let of: Vec<_> = errors.iter().filter(|(who, ..)| *who == by).collect();
            let sizes: Vec<f64> = of.iter().map(|(_, error, _)| error.abs()).collect();
            of.last().map(|(_, worst, at)| Summary {
                by,
                pairs: of.len(),
                median: median(&sizes),
                worst: *worst,
                worst_at: (*at).clone(),
            })
        })
        .collect()
}
