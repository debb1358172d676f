//! `forerun generate`: input to try things on.

use std::io::{BufWriter, Write};

use forerun_platform::random::Random;

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
    let Context { console, interrupt, .. } = context;
    let GenerateCommand::Numbers { count, out, element, seed } = command;
    let n = *count;
    let (width, make): (u64, fn(u64) -> [u8; 8]) = match element.as_str() {
        "i32" | "u32" => (4, u64::to_le_bytes),
        "i64" | "u64" => (8, u64::to_le_bytes),
        // Of a large range, without infinities and NaN.
        "f64" => (8, |x| ((x as i64) as f64 * 1e-6).to_le_bytes()),
        _ => {
            return Err(request(format!(
                "--type {element} is not known: numbers are i32, i64, u32, u64 or f64"
            )));
        }
    };
    let bar = console.bar(Some(n), "numbers");
    file::check("--out", out)?;
    file::check_room("--out", out, n.checked_mul(width))?;
    let made = Made { n, width: width as usize, seed: *seed, make };
    let written = interrupt.busy(|| Ok(file::replace(out, |to| write(to, &made, &bar, interrupt))));
    bar.finish_and_clear();
    if !written?.map_err(|e| file::unwritten(out, &e))? {
        crate::execute::stop_if_interrupted(interrupt)?;
    }
    console.note("made", &format!("{} with {n} random {element} numbers (seed {seed})", file::shown(out)))
}

/// Numbers to make.
struct Made {
    n: u64,
    /// Bytes of each.
    width: usize,
    seed: u64,
    make: fn(u64) -> [u8; 8],
}

/// Gives whether all was written.
fn write(
    out: &mut dyn Write,
    made: &Made,
    bar: &indicatif::ProgressBar,
    interrupt: &Interrupt,
) -> std::io::Result<bool> {
    let mut file = BufWriter::with_capacity(1 << 20, out);
    let mut random = Random::new(made.seed);
    for i in 0..made.n {
        let bytes = (made.make)(random.bits());
        file.write_all(&bytes[8 - made.width..])?;
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
