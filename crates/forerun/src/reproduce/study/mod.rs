//! Study files: what a paper prints, and which model with which constants gives ours.
//!
//! A study is TOML. The shipped ones are in `studies/` at the root of the repository and are compiled in.
//!
//! ```toml
//! format = 1
//! paper = "who, what, where"
//!
//! [constants]                        # names for values, with units; or a call of a model
//! t_comp = "0.15 s"
//! t_comm = { model = "kuntraruk-equation-11", size = "23720 B", capacity = "1.28 Gbit/s" }
//!
//! [[entry]]                          # a table, a figure or an equation
//! name = "kuntraruk-table-1"
//! title = "Results for 16 processors"
//!
//! [[entry.line]]                     # a line of it: its printed values, by names
//! label = "4096 documents"
//! tasks = 4096
//! predicted = "77 s"
//!
//! [[entry.row]]                      # for every line that has `predicted`
//! label = "predicted"
//! paper = "predicted"                # or a printed number: then it is one row without lines
//! ours = { model = "kuntraruk-equation-6-without-drain", processors = 16 }
//! [entry.row.because]                # where the digits do not follow
//! reason = "T_comm was 2.58 ms"
//! with = { t_comm = "2.58 ms" }      # other constants, or: ours = another call
//! ```
//!
//! In a call a text that begins with a digit is a value with its unit, any other is the name of a constant
//! or of a value of the line; a table is a call itself. A parameter that is not given is the constant or the
//! value of that name. `{ rows = "label" }` is the list of what the rows of that label in the same entry
//! give, recomputed under their reasons where the call is itself under a reason.

mod entry;
mod measured;
mod read;
mod scope;
mod shipped;

use std::collections::BTreeMap;
use std::rc::Rc;

use forerun_platform::file::Place;

use super::models::Model;
use super::predict::Pattern;
use super::printed::{Digits, Printed};

pub use shipped::shipped;

/// A study file, read and checked: every name in it is known and every value has the right unit.
#[derive(Debug)]
pub struct Study {
    /// What the file is called.
    pub file: String,
    /// Its contents, for errors found later.
    pub text: String,
    /// The paper.
    pub paper: String,
    /// Its constants.
    pub constants: Names,
    /// Its entries, in the order of the file.
    pub entries: Vec<Entry>,
}

/// Values by name.
pub type Names = BTreeMap<String, Argument>;

/// A table, a figure, an equation.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// What is to be said about it.
    pub note: String,
    /// Its rows.
    pub rows: Vec<Row>,
    /// What follows from the paper's formulas although the paper does not print it.
    pub follows: Vec<Follows>,
    /// The value of its lines that its plot is over.
    pub over: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// A printed number.
#[derive(Debug)]
pub struct Row {
    /// What it is; with its line's label before.
    pub label: String,
    /// The label in the file, the same for all lines.
    pub of: String,
    /// As it is printed.
    pub printed: Printed,
    /// What is to be said about it.
    pub note: Option<String>,
    /// The values of its line.
    pub line: Rc<Names>,
    /// A calculation or a measurement.
    pub kind: RowKind,
    /// Where it stands.
    pub place: Place,
}

/// What kind of number is printed.
#[derive(Debug)]
pub enum RowKind {
    /// It follows from a formula.
    Formula {
        /// Ours.
        ours: Call,
        /// The only way from value to digits that counts.
        digits: Option<Digits>,
        /// Why the digits do not follow, tried in this order.
        because: Vec<Reason>,
    },
    /// They measured it.
    Measured {
        /// What the paper's model says of it.
        theirs: Option<Argument>,
        /// What is to be predicted.
        pattern: Option<Box<Pattern>>,
    },
}

/// Why printed digits do not follow from the printed formula and constants.
#[derive(Debug)]
pub struct Reason {
    /// In words.
    pub text: String,
    /// Values that stand for those of the same name.
    pub with: Names,
    /// Another calculation.
    pub ours: Option<Call>,
}

/// A number that the paper's formulas give and the paper does not print.
#[derive(Debug)]
pub struct Follows {
    /// What it is.
    pub label: String,
    /// Its calculation.
    pub ours: Call,
    /// The unit that it is shown in.
    pub unit: super::quantity::Unit,
    /// The values of its line.
    pub line: Rc<Names>,
    /// Where it stands.
    pub place: Place,
}

/// A model and its arguments.
#[derive(Debug, Clone)]
pub struct Call {
    /// The model.
    pub model: &'static Model,
    /// An argument for each of its parameters.
    pub arguments: Vec<Argument>,
}

/// What stands for a parameter.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A value in the base unit.
    Value(super::quantity::Quantity),
    /// The value of that name.
    Name(String),
    /// What a call gives.
    Call(Box<Call>),
    /// A list.
    List(Vec<Argument>),
    /// What the rows of that label give.
    Rows(String),
}
