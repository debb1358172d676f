//! Figures with their confidence intervals.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::units::Quantity;

/// A measured or stated figure, with its confidence interval where it was measured.
///
/// In TOML: `"12.4 us"`, or `{ value = "12.4 us", low = "12.1 us", high = "12.9 us" }`. In JSON
/// numbers in the base unit: `{"value": 1.24e-5, "low": 1.21e-5, "high": 1.29e-5}`, without `low`
/// and `high` where there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured<T> {
    /// The figure.
    pub value: T,
    /// The interval that holds it with 95 % confidence, lower end first.
    pub interval: Option<(T, T)>,
}

impl<T> Measured<T> {
    /// A figure stated without an interval.
    pub fn stated(value: T) -> Self {
        Measured { value, interval: None }
    }

    /// A measured figure; `low ≤ value ≤ high`.
    pub fn within(value: T, low: T, high: T) -> Self {
        Measured { value, interval: Some((low, high)) }
    }
}

impl<T> From<T> for Measured<T> {
    fn from(value: T) -> Self {
        Measured::stated(value)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

impl<T: Quantity> Serialize for Measured<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Numbers {
            value: self.value.number(),
            low: self.interval.map(|(low, _)| low.number()),
            high: self.interval.map(|(_, high)| high.number()),
        }
        .serialize(serializer)
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Measured<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Numbers::deserialize(deserializer)?;
        let figure = |number: f64| {
            T::from_number(number).ok_or_else(|| {
                de::Error::custom(format!("{number} is not a figure: it is finite and 0 or more"))
            })
        };
        let value = figure(numbers.value)?;
        let interval = match (numbers.low, numbers.high) {
            (None, None) => None,
            (Some(low), Some(high)) if low <= numbers.value && numbers.value <= high => {
                Some((figure(low)?, figure(high)?))
            }
            (Some(_), Some(_)) => {
                return Err(de::Error::custom("low, value and high are not in ascending order"));
            }
            _ => return Err(de::Error::custom("low and high go together: give both or neither")),
        };
        Ok(Measured { value, interval })
    }
}
