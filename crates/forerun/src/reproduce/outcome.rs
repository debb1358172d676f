//! What is reproduced: rows with the paper's number and ours, and what they come to.

use forerun_platform::statistics::median_of_sorted;
use serde::Serialize;

use super::printed::Digits;

/// An entry worked out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduced {
    /// The entry's name.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// The paper.
    pub paper: String,
    /// What is to be said about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Its rows.
    pub rows: Vec<RowOutcome>,
    /// What the paper's formulas give and the paper does not print.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<Followed>,
    /// What a plot is over.
    #[serde(skip)]
    pub over: Option<String>,
    /// The value of each row that a plot is over; none without such a value.
    #[serde(skip)]
    pub at: Vec<Option<f64>>,
}

/// Whether a number follows from a formula or was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It follows from a formula: ours is to give the same digits.
    Formula,
    /// It was measured: ours is a prediction, and is not scored.
    Measured,
}

/// Whether ours gives the printed digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agrees {
    /// It does.
    Digits,
    /// It does for a reason: under it the digits are the printed ones.
    Reason,
    /// It does not.
    No,
}

impl Agrees {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Agrees::Digits => "digits",
            Agrees::Reason => "reason",
            Agrees::No => "no",
        }
    }
}

/// A prediction of a measurement, in the unit of the row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The prediction.
    pub value: f64,
    /// (prediction − measurement) / measurement; none where that is 0.
    pub relative: Option<f64>,
}

impl Estimate {
    /// A prediction of `measured`.
    pub fn of(value: f64, measured: f64) -> Estimate {
        let relative = (value - measured) / measured;
        Estimate { value, relative: relative.is_finite().then_some(relative) }
    }
}

/// A printed number and ours. Numbers are in the unit that is printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowOutcome {
    /// What it is.
    pub label: String,
    /// What it is without its line.
    #[serde(skip)]
    pub of: String,
    /// Its kind.
    pub kind: Kind,
    /// The paper's number.
    pub paper: f64,
    /// As it is printed.
    pub printed: String,
    /// The unit; nothing for plain numbers.
    pub unit: String,
    /// Ours: from the formula and the printed constants, or our closed form of what was measured.
    pub ours: Option<f64>,
    /// (ours − paper) / paper.
    pub relative: Option<f64>,
    /// Recomputed under the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<f64>,
    /// Why the printed digits do not follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the paper came from the value to the digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<Digits>,
    /// What the paper's model says of a measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Estimate>,
    /// What our closed form says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_form: Option<Estimate>,
    /// What our simulation says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Estimate>,
    /// Why we predict nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What is to be said about it; where the study says nothing, the reason or the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether ours gives the printed digits; none for a measurement.
    pub agrees: Option<Agrees>,
}

/// A number that the paper does not print.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Followed {
    /// What it is.
    pub label: String,
    /// Its value.
    pub value: f64,
    /// Its unit; nothing for plain numbers.
    pub unit: String,
}

/// How many formula rows agree, and how far off the predictions of the measured ones are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Formula rows that agree to the printed digits.
    pub digits: usize,
    /// Those that agree for a reason.
    pub reason: usize,
    /// Those that do not agree, with their entries.
    pub no: Vec<String>,
    /// Measured rows.
    pub measured: usize,
    /// The papers' models, our closed form, our simulation: how far off over the rows that have all three.
    pub common: [Option<Errors>; 3],
    /// The same, each over all rows that it predicts.
    pub all: [Option<Errors>; 3],
}

/// Relative errors of predictions, in size.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// Rows.
    pub rows: usize,
    /// Median.
    pub median: f64,
    /// Greatest, with its sign.
    pub worst: f64,
    /// Where that is.
    pub worst_at: String,
}

/// Who predicts measured rows, in the order of [`Summary::all`].
pub const PREDICTORS: [&str; 3] = ["their model", "closed form", "simulated"];

/// The predictions of a row in the order of [`PREDICTORS`].
pub fn estimates(row: &RowOutcome) -> [Option<Estimate>; 3] {
    [row.theirs, row.closed_form, row.simulated]
}

/// Sums entries up.
pub fn summary(entries: &[Reproduced]) -> Summary {
    let mut out = Summary::default();
    let (mut common, mut all): ([Vec<_>; 3], [Vec<_>; 3]) = Default::default();
    for (entry, row) in entries.iter().flat_map(|e| e.rows.iter().map(move |row| (e, row))) {
        let at = || format!("{}, {}", entry.name, row.label);
        match row.agrees {
            Some(Agrees::Digits) => out.digits += 1,
            Some(Agrees::Reason) => out.reason += 1,
            Some(Agrees::No) => out.no.push(at()),
            None => out.measured += 1,
        }
        let errors = estimates(row).map(|e| e.and_then(|e| e.relative));
        for (who, error) in errors.iter().enumerate() {
            let Some(error) = *error else { continue };
            all[who].push((error, at()));
            if errors.iter().all(Option::is_some) {
                common[who].push((error, at()));
            }
        }
    }
    out.common = common.map(errors);
    out.all = all.map(errors);
    out
}

fn errors(mut of: Vec<(f64, String)>) -> Option<Errors> {
    of.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let (worst, worst_at) = of.last().cloned()?;
    let sizes: Vec<f64> = of.iter().map(|(error, _)| error.abs()).collect();
    let median = median_of_sorted(&sizes)?;
    Some(Errors { rows: of.len(), median, worst, worst_at })
}
