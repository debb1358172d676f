//! `forerun generate`: input to try things on.

use std::fs::File;
use std::io::{BufWriter, Write};

use crate::cli::GenerateCommand;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::file;
use crate::signals::Interrupt;

/// Numbers made between two looks at whether to stop.
const BATCH: u64 = 1 << 16;

/// Makes input.
///
/// # Errors
/// A count or a type that cannot be, a file that cannot be written, interrupted.
pub fn run(command: &GenerateCommand, context: &Context) -> Result<(), CliError> {
    let Context { console, interrupt } = context;
    let GenerateCommand::Numbers { count, out, element, seed } = command;
    let n = parse_count(count).map_err(CliError::Request)?;
    let make: fn(u64) -> ([u8; 8], usize) = match element.as_str() {
        "i32" | "u32" => |x| (x.to_le_bytes(), 4),
        "i64" | "u64" => |x| (x.to_le_bytes(), 8),
        // Of a large range, without infinities and NaN.
        "f64" => |x| (((x as i64) as f64 * 1e-6).to_le_bytes(), 8),
        _ => {
            return Err(request(format!(
                "--type {element} is not known: numbers are i32, i64, u32, u64 or f64"
            )));
        }
    };
    let bar = console.bar(Some(n), "numbers");
    file::check("--out", out)?;
    let written = interrupt.busy(|| Ok(file::replace(out, |to| write(to, n, *seed, make, &bar, interrupt))));
    bar.finish_and_clear();
    if !written?.map_err(|e| file::unwritten(out, &e))? {
        crate::execute::stop_if_interrupted(interrupt)?;
    }
    console.note("made", &format!("{} with {n} random {element} numbers (seed {seed})", out.display()))
}

/// Gives whether all was written.
fn write(
    out: &mut File,
    n: u64,
    seed: u64,
    make: fn(u64) -> ([u8; 8], usize),
    bar: &indicatif::ProgressBar,
    interrupt: &Interrupt,
) -> std::io::Result<bool> {
    let mut file = BufWriter::with_capacity(1 << 20, out);
    let mut state = seed;
    for i in 0..n {
        let (bytes, width) = make(split_mix(&mut state));
        file.write_all(&bytes[8 - width..])?;
        if i % BATCH == 0 {
            bar.set_position(i);
            if interrupt.signal().is_some() {
                return Ok(false);
            }
        }
    }
    file.flush()?;
    Ok(true)
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Reads `1000000`, `1_000_000` or `1e6`.
fn parse_count(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text} is not a count: expected a whole number such as 1000000 or 1e8");
    let digits = text.replace('_', "");
    if let Ok(n) = digits.parse() {
        return Ok(n);
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).ok_or_else(wrong)?;
    let exponent: u32 = exponent.parse().map_err(|_| wrong())?;
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let shift = exponent.checked_sub(part.len() as u32).ok_or_else(wrong)?;
    let value: u64 = format!("{whole}{part}").parse().map_err(|_| wrong())?;
    10u64.checked_pow(shift).and_then(|p| value.checked_mul(p)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::parse_count;

    #[test]
    fn counts_are_whole_numbers_however_written() {
        assert_eq!(parse_count("1e8"), Ok(100_000_000));
        assert_eq!(parse_count("2.5e3"), Ok(2500));
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(parse_count("0"), Ok(0));
        for bad in ["", "-1", "1.5", "1e", "e3", "1e99", "1.25e1", "ten"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }
}
