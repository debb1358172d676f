//! How figures that are no [`Measured`](crate::Measured) stand in JSON, checked as they are read.

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::Seconds;

/// A count of at least 1.
pub(crate) fn count<'de, D: Deserializer<'de>>(d: D) -> Result<usize, D::Error> {
    match usize::deserialize(d)? {
        0 => Err(de::Error::custom("a count is 1 or more")),
        n => Ok(n),
    }
}

/// A number above 0.
pub(crate) fn positive<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    let x = f64::deserialize(d)?;
    if x > 0.0 && x.is_finite() { Ok(x) } else { Err(de::Error::custom(format!("{x} is not above 0"))) }
}

/// A time above 0, as a number of seconds.
pub(crate) fn positive_seconds<'de, D: Deserializer<'de>>(d: D) -> Result<Seconds, D::Error> {
    positive(d).map(Seconds)
}

/// A time as a number of seconds.
pub(crate) fn seconds<S: Serializer>(time: &Seconds, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_f64(time.0)
}

/// A number of 0 or more.
pub(crate) fn not_negative<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    let x = f64::deserialize(d)?;
    if x >= 0.0 && x.is_finite() { Ok(x) } else { Err(de::Error::custom(format!("{x} is not 0 or more"))) }
}

/// An optional size as a whole number.
pub(crate) mod optional_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Bytes;

    pub(crate) fn serialize<S: Serializer>(size: &Option<Bytes>, s: S) -> Result<S::Ok, S::Error> {
        size.map(|b| b.0).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Bytes>, D::Error> {
        Ok(Option::<u64>::deserialize(d)?.map(Bytes))
    }
}
