//! Writing TOML a person would write.

use std::fmt::Write;

use crate::Measured;
use crate::units::Quantity;

/// Collects lines of a file.
#[derive(Debug, Default)]
pub(crate) struct Writer(String);

impl Writer {
    /// A file that begins with its format.
    pub(crate) fn new() -> Self {
        Writer(format!("format = {}\n", super::FORMAT))
    }

    /// A table's header, such as `[network]`.
    pub(crate) fn header(&mut self, header: &str) {
        self.0.push_str(&format!("\n{header}\n"));
    }

    /// A key and its value as TOML.
    pub(crate) fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    /// A key and a text, unless it is empty.
    pub(crate) fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.raw(key, quoted(text));
        }
    }

    /// A key and a quantity.
    pub(crate) fn quantity(&mut self, key: &str, quantity: impl Quantity) {
        self.raw(key, format_args!("\"{quantity:#}\""));
    }

    /// The file.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// A figure as TOML.
pub(crate) fn figure<T: Quantity>(figure: &Measured<T>) -> String {
    match figure.interval {
        None => format!("\"{:#}\"", figure.value),
        Some((low, high)) => {
            format!("{{ value = \"{:#}\", low = \"{low:#}\", high = \"{high:#}\" }}", figure.value)
        }
    }
}
