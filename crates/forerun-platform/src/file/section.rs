//! Reading the tables of a TOML file, noting everything that is wrong with its place.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{FORMAT, FileError, Problem, sort};
use crate::Measured;
use crate::nearest::nearest;
use crate::units::{LEAST, MOST, Quantity};

type Problems = RefCell<Vec<(Range<usize>, String)>>;

/// Errors of syntax that are shown: one often leads to many.
const SYNTAX: usize = 3;

/// Reads the file `name` with contents `text` by `build`, which notes what is wrong in its section and
/// gives nothing only after it has. The file begins with `format = 1`.
///
/// # Errors
/// Everything that was noted, each at its line; of a file of another sort, in one sentence, which it seems to be.
pub fn read<T>(
    text: &str,
    name: &str,
    build: impl FnOnce(&Section<'_, '_>) -> Option<T>,
) -> Result<T, FileError> {
    let noted: Problems = RefCell::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let syntax = |e: &toml::de::Error| {
            Problem::at(text, e.span().unwrap_or(0..1), format!("this is not TOML: {}", e.message()))
        };
        return Err(match sort::foreign(text) {
            Some(seems) => FileError::foreign(name, &format!("seems to be {seems}, where TOML is expected")),
            None => FileError::wrong(name, errors.iter().map(syntax).collect()).showing(SYNTAX),
        });
    }
    let root = Section {
        table: table.get_ref(),
        span: 0..1,
        title: "the file".into(),
        noted: &noted,
        known: RefCell::default(),
    };
    let (mut built, mut other) = (None, None);
    if root.format() {
        built = build(&root);
        root.finish();
        other = sort::other(root.table, &root.known.borrow());
    }
    let problems = noted.into_inner();
    match built {
        Some(built) if problems.is_empty() => Ok(built),
        _ => {
            if let Some(what) = other {
                return Err(FileError::foreign(name, &what));
            }
            let at = |(span, message)| Problem::at(text, span, message);
            Err(FileError::wrong(name, problems.into_iter().map(at).collect()))
        }
    }
}

/// Whether a number is 0 or of a magnitude that can be computed with.
pub(super) fn computable(x: f64) -> bool {
    x == 0.0 || (LEAST..=MOST).contains(&x.abs())
}

/// One table of a file. Every key asked for is known; [`Section::finish`] reports the others.
pub struct Section<'a, 'i> {
    pub(super) table: &'a DeTable<'i>,
    pub(super) span: Range<usize>,
    title: String,
    noted: &'a Problems,
    known: RefCell<Vec<String>>,
}

impl<'a, 'i> Section<'a, 'i> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
        let mut known = self.known.borrow_mut();
        if !known.iter().any(|k| k == key) {
            known.push(key.to_string());
        }
        drop(known);
        self.table.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v)
    }

    /// Whether the key is there, be its value right or wrong.
    pub fn has(&self, key: &str) -> bool {
        self.table.iter().any(|(k, _)| k.get_ref() == key)
    }

    /// Notes what is wrong with the value of `key`, or with the section if it has no such key.
    pub fn note(&self, key: &str, message: impl Into<String>) {
        let found = self.table.iter().find(|(k, _)| k.get_ref() == key);
        let span = found.map_or(self.span.clone(), |(_, v)| v.span());
        self.note_at(span, message.into());
    }

    pub(super) fn note_at(&self, span: Range<usize>, message: String) {
        self.noted.borrow_mut().push((span, message));
    }

    /// How many things were noted in the file so far: if no more are after some values were read, these are right.
    pub fn noted(&self) -> usize {
        self.noted.borrow().len()
    }

    /// Notes that `key`, of which `example` is one, is missing.
    pub fn missing(&self, key: &str, example: &str) {
        self.note_at(self.span.clone(), format!("{} has no \"{key}\": add {key} = {example}", self.title));
    }

    /// `value` of `key`; notes that it is missing if it is not there at all.
    pub fn required<T>(&self, key: &str, example: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(key) {
            self.missing(key, example);
        }
        value
    }

    fn expected(&self, key: &str, value: &Spanned<DeValue<'i>>, what: &str) {
        let is = match value.get_ref() {
            DeValue::String(_) => "a text in quotes",
            DeValue::Integer(_) | DeValue::Float(_) => "a number without a unit",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.note_at(value.span(), format!("\"{key}\" is {is}, where {what} is expected"));
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::String(s) => Some(s.to_string()),
            DeValue::Datetime(date) => Some(date.to_string()),
            _ => {
                self.expected(key, value, "a text in quotes");
                None
            }
        }
    }

    /// The one of `all` that is called `name`, as `key` says; `None` after noting what there is.
    pub(crate) fn named<T: Copy>(
        &self,
        key: &'static str,
        name: &str,
        all: &[T],
        of: fn(T) -> &'static str,
    ) -> Option<T> {
        let found = all.iter().copied().find(|&one| of(one) == name);
        if found.is_none() {
            let names: Vec<String> = all.iter().map(|&one| format!("\"{}\"", of(one))).collect();
            self.note(key, format!("{key} is \"{name}\": write {}", names.join(" or ")));
        }
        found
    }

    /// A whole number of at least 1.
    pub fn count(&self, key: &str) -> Option<usize> {
        let value = self.get(key)?;
        let parsed = value.get_ref().as_integer().map(|n| i128::from_str_radix(n.as_str(), n.radix()));
        match parsed {
            Some(Ok(n)) if n >= 1 && usize::try_from(n).is_ok() => usize::try_from(n).ok(),
            Some(_) => {
                self.note_at(value.span(), format!("\"{key}\" is a whole number, 1 or more"));
                None
            }
            None => {
                self.expected(key, value, "a whole number, 1 or more,");
                None
            }
        }
    }

    /// A plain number.
    pub fn number(&self, key: &str, allowed: Allowed) -> Option<f64> {
        let value = self.get(key)?;
        self.number_in(key, value, allowed)
    }

    fn number_in(&self, key: &str, value: &Spanned<DeValue<'i>>, allowed: Allowed) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(n) => i128::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
            DeValue::Float(x) => x.as_str().parse::<f64>().ok(),
            _ => {
                self.expected(key, value, &format!("a number {}", allowed.words()));
                return None;
            }
        };
        let wrong = || self.note_at(value.span(), format!("\"{key}\" is a number {}", allowed.words()));
        let Some(number) = number.filter(|x| x.is_finite() && allowed.has_sign(*x)) else {
            wrong();
            return None;
        };
        if !computable(number) {
            let limit = if number > 1.0 { "more than 1e30" } else { "less than 1e-30" };
            self.note_at(value.span(), format!("\"{key}\" is {limit}, with which nothing can be computed"));
            return None;
        }
        if !allowed.holds(number) {
            wrong();
            return None;
        }
        Some(number)
    }

    /// A list of plain numbers, at least one.
    pub fn numbers(&self, key: &str, allowed: Allowed) -> Option<Vec<f64>> {
        let value = self.get(key)?;
        let Some(list) = value.get_ref().as_array() else {
            self.expected(key, value, "a list of numbers");
            return None;
        };
        if list.is_empty() {
            self.note_at(value.span(), format!("\"{key}\" is an empty list: give a number, or leave it out"));
            return None;
        }
        list.iter().map(|v| self.number_in(key, v, allowed)).collect()
    }

    /// A quantity.
    pub fn quantity<T: Quantity>(&self, key: &str) -> Option<T> {
        let value = self.get(key)?;
        self.quantity_in(key, value)
    }

    fn quantity_in<T: Quantity>(&self, key: &str, value: &Spanned<DeValue<'i>>) -> Option<T> {
        let Some(text) = value.get_ref().as_str() else {
            self.expected(key, value, &format!("a quantity with its unit, such as {},", T::EXAMPLE));
            return None;
        };
        match text.parse() {
            Ok(quantity) => Some(quantity),
            Err(error) => {
                self.note_at(value.span(), format!("{key} = {error}"));
                None
            }
        }
    }

    /// A quantity of at most `most`.
    pub fn quantity_to<T: Quantity>(&self, key: &str, most: T) -> Option<T> {
        self.quantity(key).filter(|value| self.is_within(key, value, &most))
    }

    /// A size that something has, so more than none, and at most `most`; `without` says what leaving it out means.
    pub fn size_of_some<T: Quantity>(&self, key: &str, most: T, without: &str) -> Option<T> {
        let size = self.quantity_to::<T>(key, most)?;
        if size.number() > 0.0 {
            return Some(size);
        }
        self.note(key, format!("\"{key}\" is {size}, which is no size{without}"));
        None
    }

    /// A figure, as [`Section::measured`] reads it, that is all of it at most `most`.
    pub fn measured_to<T: Quantity>(&self, key: &str, most: T) -> Option<Measured<T>> {
        let figure = self.measured::<T>(key)?;
        let largest = figure.interval.map_or(figure.value, |(_, high)| high);
        self.is_within(key, &largest, &most).then_some(figure)
    }

    fn is_within<T: Quantity>(&self, key: &str, value: &T, most: &T) -> bool {
        let within = value <= most;
        if !within {
            self.note(key, format!("\"{key}\" is {value}, and cannot be more than {most}"));
        }
        within
    }

    /// A figure: a quantity, or a table of `value`, `low` and `high`.
    pub fn measured<T: Quantity>(&self, key: &str) -> Option<Measured<T>> {
        let Some(inner) = self.inner(key) else {
            return self.quantity(key).map(Measured::stated);
        };
        let value = inner.quantity::<T>("value");
        let value = inner.required("value", T::EXAMPLE, value);
        let (low, high) = (inner.quantity::<T>("low"), inner.quantity::<T>("high"));
        let interval = match (inner.has("low"), inner.has("high")) {
            (true, false) => {
                inner.missing("high", T::EXAMPLE);
                None
            }
            (false, true) => {
                inner.missing("low", T::EXAMPLE);
                None
            }
            _ => low.zip(high),
        };
        inner.finish();
        if let (Some(value), Some((low, high))) = (value, interval) {
            if low > high {
                inner.note("low", format!("low is {low}, above high, which is {high}: exchange them"));
            } else if value < low || value > high {
                inner.note(
                    "value",
                    format!("value is {value}, which is not within low = {low} and high = {high}"),
                );
            }
        }
        Some(Measured { value: value?, interval })
    }

    /// The table of `key`, if it is one.
    pub fn inner(&self, key: &str) -> Option<Section<'a, 'i>> {
        let value = self.get(key)?;
        Some(self.within(format!("\"{key}\""), value.get_ref().as_table()?, value.span()))
    }

    /// The table of `key`; anything else is noted.
    pub fn section(&self, key: &str) -> Option<Section<'a, 'i>> {
        let value = self.get(key)?;
        match value.get_ref().as_table() {
            Some(table) => Some(self.within(format!("[{key}]"), table, value.span())),
            None => {
                self.expected(key, value, "a table");
                None
            }
        }
    }

    /// The tables of the list `key`.
    pub fn sections(&self, key: &str) -> Option<Vec<Section<'a, 'i>>> {
        let value = self.get(key)?;
        let Some(list) = value.get_ref().as_array() else {
            self.expected(key, value, &format!("a list of tables, each under [[{key}]],"));
            return None;
        };
        let mut sections = Vec::new();
        for (i, item) in list.iter().enumerate() {
            match item.get_ref().as_table() {
                Some(table) => sections.push(self.within(format!("{key} {}", i + 1), table, item.span())),
                None => self.expected(key, item, "a table"),
            }
        }
        Some(sections)
    }

    pub(super) fn within(
        &self,
        title: String,
        table: &'a DeTable<'i>,
        span: Range<usize>,
    ) -> Section<'a, 'i> {
        Section { table, span, title, noted: self.noted, known: RefCell::default() }
    }

    /// Notes every key that was not asked for.
    pub fn finish(&self) {
        let known = self.known.borrow();
        for (key, _) in self.table {
            let name = key.get_ref().as_ref();
            if !known.iter().any(|k| k == name) {
                let unused = known.iter().map(String::as_str).filter(|k| !self.has(k));
                let advice = match nearest(name, unused) {
                    Some(meant) => format!("did you mean \"{meant}\"?"),
                    None => format!("it may have {}", known.join(", ")),
                };
                self.note_at(key.span(), format!("\"{name}\" is no key of {}: {advice}", self.title));
            }
        }
    }

    /// That the file seems to be of another sort than a job file, which may have any keys; to be said after its name.
    pub fn no_job(&self) -> Option<String> {
        sort::no_job(|key| self.has(key))
    }

    /// Whether the file's format is the one this build reads.
    fn format(&self) -> bool {
        let reads = format!("this build of Forerun reads format {FORMAT}");
        let Some(value) = self.get("format") else {
            self.note_at(
                0..1,
                format!("the file does not say its format: begin it with format = {FORMAT} ({reads})"),
            );
            return false;
        };
        match value.get_ref().as_integer().map(|n| u64::from_str_radix(n.as_str(), n.radix())) {
            Some(Ok(FORMAT)) => true,
            Some(Ok(other)) => {
                let message = format!(
                    "the file has format {other}; {reads}: rewrite it, or use the build that wrote it"
                );
                self.note_at(value.span(), message);
                false
            }
            _ => {
                self.note_at(value.span(), format!("format is a whole number; {reads}"));
                false
            }
        }
    }
}

/// Which numbers a key takes.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    /// Above 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// Above 0, at most so much.
    PositiveTo(f64),
    /// From 0 to so much.
    UpTo(f64),
}

impl Allowed {
    fn has_sign(self, x: f64) -> bool {
        match self {
            Allowed::Positive | Allowed::PositiveTo(_) => x > 0.0,
            Allowed::NotNegative | Allowed::UpTo(_) => x >= 0.0,
        }
    }

    fn holds(self, x: f64) -> bool {
        match self {
            Allowed::Positive | Allowed::NotNegative => self.has_sign(x),
            Allowed::PositiveTo(most) | Allowed::UpTo(most) => self.has_sign(x) && x <= most,
        }
    }

    fn words(self) -> String {
        match self {
            Allowed::Positive => "above 0".into(),
            Allowed::NotNegative => "of 0 or more".into(),
            Allowed::PositiveTo(most) => format!("above 0 and up to {most}"),
            Allowed::UpTo(most) => format!("from 0 to {most}"),
        }
    }
}
