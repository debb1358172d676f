//! Reading a quantity: a number, then its unit.

use super::print;
use super::table::{FAMILIES, Family, SIZE, TIME, TIME_PER_BYTE};
use super::{UnitError, UnitErrorKind as Kind};
use crate::nearest::nearest;

/// The largest figure, and the smallest above 0, in the base unit: products, quotients and squares of a few
/// such figures can still be told as a number.
pub(crate) const MOST: f64 = 1e30;
pub(crate) const LEAST: f64 = 1e-30;

/// Reads `text` in the units of `family`, in the base unit: 0, or from [`LEAST`] to [`MOST`].
pub(super) fn read(text: &str, family: &Family) -> Result<f64, UnitError> {
    let fail = |kind, why: String| Err(UnitError::new(kind, format!("\"{text}\" {why}")));
    let trimmed = text.trim();
    let (negative, unsigned) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let word = unsigned.to_ascii_lowercase();
    if word.starts_with("inf") || word.starts_with("nan") {
        return fail(
            Kind::NotFinite,
            format!("is not a finite number: write {} as in {:?}", family.noun, family.example),
        );
    }
    let (mantissa, exponent, rest) = split(unsigned);
    if mantissa.is_empty() {
        return fail(
            Kind::NotANumber,
            format!("does not begin with a number: write {} as in {:?}", family.noun, family.example),
        );
    }
    if rest.starts_with([',', '_', '\'']) || rest.starts_with('.') {
        return fail(
            Kind::NotANumber,
            format!(
                "is not a number: write it with digits and one decimal point, as in {:?}",
                family.example
            ),
        );
    }
    if negative {
        return fail(Kind::Negative, format!("is negative: {} is 0 or more", family.noun));
    }
    let unit: String = rest.chars().filter(|c| !c.is_whitespace()).map(plain_micro).collect();
    if unit.is_empty() {
        return fail(
            Kind::MissingUnit,
            format!(
                "has no unit: write one of {} after the number, as in {:?}",
                family.names(),
                family.example
            ),
        );
    }
    let Some(found) = family.find(&unit) else {
        let (kind, why) = unknown((mantissa, exponent), &unit, family);
        return fail(kind, why);
    };
    // The unit's power of ten goes into the decimal text, where it costs no rounding.
    let value = format!("{mantissa}e{}", exponent.saturating_add(found.ten))
        .parse::<f64>()
        .map(|v| v * found.times)
        .unwrap_or(f64::NAN);
    if value.is_nan() || value > MOST {
        let most = family.power(30);
        return fail(
            Kind::NotFinite,
            format!("is more than can be computed with: {} is at most {most}", family.noun),
        );
    }
    let zero = !mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'));
    if !zero && value < LEAST {
        let least = family.power(-30);
        return fail(
            Kind::NotFinite,
            format!("is less than can be computed with: {} is 0, or at least {least}", family.noun),
        );
    }
    Ok(value)
}

/// Both characters that look like µ are read as u.
fn plain_micro(c: char) -> char {
    if c == '\u{b5}' || c == '\u{3bc}' { 'u' } else { c }
}

/// Splits into the digits (with at most one point), the power of ten, and what follows.
fn split(text: &str) -> (&str, i32, &str) {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = digits(&text[end + 1..]);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    let (mantissa, rest) = text.split_at(end);
    if let Some(power) = rest.strip_prefix(['e', 'E']) {
        let sign = usize::from(power.starts_with(['+', '-']));
        let length = digits(&power[sign..]);
        if length > 0 && !mantissa.is_empty() {
            let (power, rest) = power.split_at(sign + length);
            let bound = if power.starts_with('-') { -9999 } else { 9999 };
            return (mantissa, power.parse().unwrap_or(bound), rest);
        }
    }
    (mantissa, 0, rest)
}

/// The sentence for a unit that `family` does not have, with what may have been meant.
fn unknown((mantissa, exponent): (&str, i32), unit: &str, family: &Family) -> (Kind, String) {
    let number = match exponent {
        0 => mantissa.to_owned(),
        power => format!("{mantissa}e{power}"),
    };
    let stem = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")).unwrap_or(unit);
    let per_second = if family.find("B/s").is_some() { "/s" } else { "" };
    if let Some(prefix) = stem.strip_suffix('b').filter(|p| is_prefix(p)) {
        // Thousands are written with a small letter.
        let prefix = if prefix == "K" { "k" } else { prefix };
        let known = |unit: String| family.find(&unit).map(|unit| format!("\"{number} {}\"", unit.name));
        let both = [known(format!("{prefix}bit/s")), known(format!("{prefix}B{per_second}"))];
        let both = both.into_iter().flatten().collect::<Vec<_>>().join(" or ");
        if !both.is_empty() {
            let why = format!("is ambiguous, since b may mean bits or bytes: write {both}");
            return (Kind::AmbiguousUnit, why);
        }
    }
    if stem == "KB" && family.find(&format!("kB{per_second}")).is_some() {
        return (
            Kind::AmbiguousUnit,
            format!(
                "is ambiguous: write \"{number} kB{per_second}\" for thousands of bytes or \"{number} KiB{per_second}\" for 1024s"
            ),
        );
    }
    let lead = format!("has the unit \"{unit}\", which is not one of {}", family.noun);
    // As costs are said to people: "5 ms/MB".
    if let Some((time, size)) = unit.split_once('/')
        && let Some((time, size)) = TIME.find(time).zip(SIZE.find(size))
        && (family.noun == TIME_PER_BYTE.noun || size.name != "B")
    {
        if family.noun != TIME_PER_BYTE.noun {
            let why = format!(
                "is a time for several bytes, where {} is expected: write one as in {:?}",
                family.noun, family.example
            );
            return (Kind::UnknownUnit, why);
        }
        let ten = exponent.saturating_add(time.ten - size.ten);
        let each = format!("{mantissa}e{ten}").parse::<f64>().map(|v| v * time.times / size.times);
        let each = print::exact(each.unwrap_or(f64::NAN), family, &["ps/B", "ns/B", "us/B", "ms/B", "s/B"]);
        return (Kind::UnknownUnit, format!("{lead}: did you mean \"{each}\"?"));
    }
    if let Some(meant) = meant(unit, stem, family) {
        return (Kind::UnknownUnit, format!("{lead}: did you mean \"{number} {meant}\"?"));
    }
    if let Some(other) = FAMILIES.iter().find(|f| f.find(unit).is_some()) {
        return (
            Kind::UnknownUnit,
            format!(
                "is {}, where {} is expected: write one as in {:?}",
                other.noun, family.noun, family.example
            ),
        );
    }
    (Kind::UnknownUnit, format!("{lead} ({}): write one as in {:?}", family.names(), family.example))
}

fn is_prefix(p: &str) -> bool {
    matches!(p, "" | "k" | "K" | "M" | "G" | "T" | "P" | "E" | "Ki" | "Mi" | "Gi" | "Ti" | "Pi" | "Ei")
}

/// What a unit is for, after its slash, whatever the capitals.
fn below(unit: &str) -> Option<String> {
    unit.split_once('/').map(|(_, below)| below.to_ascii_lowercase())
}

/// The unit of `family` that `unit` may stand for.
fn meant(unit: &str, stem: &str, family: &Family) -> Option<&'static str> {
    let names = || family.units.iter().map(|u| u.name);
    let alias = match unit.to_ascii_lowercase().as_str() {
        "sec" | "secs" | "second" | "seconds" => "s",
        "msec" | "millis" | "milliseconds" => "ms",
        "usec" | "micros" | "microseconds" => "us",
        "nsec" | "nanos" | "nanoseconds" => "ns",
        "m" | "mins" | "minute" | "minutes" if family.find("min").is_some() => "min",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "byte" | "bytes" => "B",
        "k" | "ki" => "KiB",
        "m" | "mi" => "MiB",
        "g" | "gi" => "GiB",
        "t" | "ti" => "TiB",
        "p" | "pi" => "PiB",
        "e" | "ei" => "EiB",
        _ => "",
    };
    if let Some(found) = family.find(alias) {
        return Some(found.name);
    }
    // "Mbps" and "100 Mbit" for a rate, then a difference in capitals, then a slip of the finger.
    let bits = stem.strip_suffix("bps").or_else(|| unit.strip_suffix("bps")).map(|p| format!("{p}bit/s"));
    let rate = format!("{stem}/s");
    let per_byte = format!("{unit}/B");
    let one_letter = unit.chars().count() < 2;
    names()
        .find(|n| bits.as_deref() == Some(*n) || *n == rate || *n == per_byte)
        .or_else(|| names().find(|n| n.eq_ignore_ascii_case(unit)))
        .or_else(|| {
            let elsewhere = FAMILIES.iter().any(|f| f.find(unit).is_some());
            // A slip of the finger is none where it would be another size: "ms/KB" is no "ms/B".
            let alike = |name: &str| below(name) == below(unit);
            if one_letter || elsewhere { None } else { nearest(unit, names()).filter(|name| alike(name)) }
        })
}
