//! Values of tables whose keys are not known beforehand.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use super::section::computable;
use super::{FileError, Problem, Section};

/// Where a value or a table stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Range<usize>);

/// A value of any kind.
pub struct Item<'a, 'i> {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub kind: Kind<'a, 'i>,
}

/// What a value is.
pub enum Kind<'a, 'i> {
    /// A text in quotes.
    Text(String),
    /// A number without a unit: 0, or from 1e-30 to 1e30.
    Number(f64),
    /// A table.
    Table(Section<'a, 'i>),
    /// A list.
    List(Vec<Item<'a, 'i>>),
    /// True or false, a date, or a number too large or too small to compute with.
    Other,
}

impl<'a, 'i> Section<'a, 'i> {
    /// The keys, in the order of their names.
    pub fn keys(&self) -> Vec<String> {
        self.table.iter().map(|(key, _)| key.get_ref().to_string()).collect()
    }

    /// Where the section stands.
    pub fn place(&self) -> Place {
        Place(self.span.clone())
    }

    /// The value of a key, whatever it is.
    pub fn any(&self, key: &str) -> Option<Item<'a, 'i>> {
        self.get(key).map(|value| self.item(key, value))
    }

    fn item(&self, key: &str, value: &'a Spanned<DeValue<'i>>) -> Item<'a, 'i> {
        let kind = match value.get_ref() {
            DeValue::String(text) => Kind::Text(text.to_string()),
            DeValue::Integer(n) => {
                i128::from_str_radix(n.as_str(), n.radix()).map_or(Kind::Other, |n| Kind::Number(n as f64))
            }
            DeValue::Float(x) => match x.as_str().parse::<f64>() {
                Ok(x) if computable(x) => Kind::Number(x),
                _ => Kind::Other,
            },
            DeValue::Table(table) => Kind::Table(self.within(format!("\"{key}\""), table, value.span())),
            DeValue::Array(list) => Kind::List(list.iter().map(|v| self.item(key, v)).collect()),
            DeValue::Boolean(_) | DeValue::Datetime(_) => Kind::Other,
        };
        Item { place: Place(value.span()), kind }
    }

    /// Notes what is wrong at a place of the same file.
    pub fn note_place(&self, place: &Place, message: impl Into<String>) {
        self.note_at(place.0.clone(), message.into());
    }
}

impl FileError {
    /// That something is wrong at a place of the file `name` with contents `text`, found after it was read.
    pub fn found(name: &str, text: &str, place: &Place, message: String) -> Self {
        FileError::wrong(name, vec![Problem::at(text, place.0.clone(), message)])
    }
}
