//! Writing a quantity in a unit that suits it.

use super::table::{Family, Unit};

/// Significant digits of the short form.
const DIGITS: usize = 4;

/// Four significant digits in the largest of `units` that keeps the number at 1 or more.
pub(super) fn short(value: f64, family: &Family, units: &[&str]) -> String {
    // Round first, so that 999.96 us becomes 1 ms and not 1000 us.
    let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    let unit = suiting(rounded, family, units);
    // Files have u, which every keyboard has; people read µ.
    let name = match unit.name.strip_prefix('u') {
        Some(rest) => format!("µ{rest}"),
        None => unit.name.to_string(),
    };
    format!("{} {name}", plain(format!("{:.*e}", DIGITS - 1, value / size(unit))))
}

/// The fewest significant digits that read back as exactly `value`.
pub(super) fn exact(value: f64, family: &Family, units: &[&str]) -> String {
    let unit = suiting(value, family, units);
    for digits in 0..17 {
        let text = format!("{} {}", plain(format!("{:.digits$e}", value / size(unit))), unit.name);
        if super::read::read(&text, family) == Ok(value) {
            return text;
        }
    }
    // The quotient was rounded: the base unit has none.
    match units.iter().filter_map(|n| family.find(n)).find(|u| size(*u) == 1.0) {
        Some(base) => format!("{value:e} {}", base.name),
        // Or its power of ten moves the point of the number's own digits (no family without a base
        // unit has other units).
        None => {
            let digits = format!("{value:e}");
            let (mantissa, power) = digits.split_once('e').unwrap_or((&digits, "0"));
            let power = power.parse().unwrap_or(0) - unit.ten;
            format!("{} {}", plain(format!("{mantissa}e{power}")), unit.name)
        }
    }
}

fn size(unit: Unit) -> f64 {
    10f64.powi(unit.ten) * unit.times
}

fn suiting(value: f64, family: &Family, units: &[&str]) -> Unit {
    let mut listed = units.iter().filter_map(|n| family.find(n));
    let mut unit = listed.next().unwrap_or(family.units[0]);
    if value == 0.0 || !value.is_finite() {
        return family.units.iter().copied().find(|u| size(*u) == 1.0).unwrap_or(unit);
    }
    for larger in listed {
        // A hair below 1 is 1 that was divided by an inexact power of ten.
        if value.abs() / size(larger) >= 1.0 - 1e-12 {
            unit = larger;
        }
    }
    unit
}

/// `1.250e2` as `125`, `1.234e-3` as `0.001234`: a decimal without trailing zeros; numbers that
/// would need many zeros stay as they are.
fn plain(scientific: String) -> String {
    let Some((mantissa, power)) = scientific.split_once('e') else { return scientific };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return "0".into();
    }
    let power: i32 = power.parse().unwrap_or(0);
    if !(-6..=20).contains(&power) {
        let point = if digits.len() > 1 { "." } else { "" };
        return format!("{sign}{}{point}{}e{power}", &digits[..1], &digits[1..]);
    }
    let point = power + 1;
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
    }
    let point = point as usize;
    if digits.len() <= point {
        return format!("{sign}{digits}{}", "0".repeat(point - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..point], &digits[point..])
}
