//! A sort of more than there is memory for: how long it takes, and what memory it has at most.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use crate::place;
use crate::record::Record;
use crate::table::{Contender, Table};

/// Numbers to sort, 4 GiB of them, and the memory they are sorted in.
const NUMBERS: u64 = 1 << 30;
const MEMORY: &str = "1 GiB";
const ROOM: u64 = 1 << 20;
/// How often it is looked how much memory the command has had at most.
const LOOK: Duration = Duration::from_millis(5);
/// Rounds at most: each writes 8 GiB or more.
const ROUNDS: usize = 3;

/// Sorts 4 GiB in 1 GiB, and checks what comes of it.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let forerun = env::current_exe()?.with_file_name("forerun");
    let dir = tempfile::tempdir()?;
    let (input, output) = (dir.path().join("numbers"), dir.path().join("sorted"));
    place::numbers(&forerun, NUMBERS, &input)?;
    let (mut most, mut failed) = (0, None);
    let sort = || {
        let begun = Instant::now();
        let mut command = Command::new(&forerun);
        command.args(["run", "sort"]).arg(&input).arg("-o").arg(&output);
        command.args(["--memory", MEMORY, "-p", "2", "-q", "--json"]).arg(dir.path().join("outcome.json"));
        match command.env("TMPDIR", dir.path()).spawn().and_then(peak) {
            Ok(kib) => most = most.max(kib),
            Err(e) => failed = Some(e),
        }
        begun.elapsed().as_secs_f64()
    };
    let title = "Sort of 4 GiB of i32 in 1 GiB on 2 processors, from disk to disk, the pilot included";
    record.add(&Table::measure(
        title,
        "s",
        rounds.min(ROUNDS),
        vec![Contender::new("forerun run sort", sort)],
    ));
    if let Some(e) = failed {
        return Err(e);
    }
    check(&input, &output)?;
    record.note(&format!(
        "Memory of the process at its peak (VmHWM, which has pages of mapped files in it too): {} MiB. Of the output all {NUMBERS} numbers were checked to be in order and to have \
         the sum of the input's.",
        most >> 10
    ));
    if most > ROOM {
        return Err(io::Error::other(format!(
            "{most} KiB of memory were in use, where there was to be {ROOM}"
        )));
    }
    Ok(())
}

/// Waits for a process that must succeed; gives the KiB that it had in memory at most.
fn peak(mut child: Child) -> io::Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|p| p.trim().trim_end_matches("kB").trim().parse().ok());
        most = most.max(kib.unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            return match status.success() {
                true => Ok(most),
                false => Err(io::Error::other("the sort failed; what it said is above")),
            };
        }
        thread::sleep(LOOK);
    }
}

/// That numbers are in order, and as many and of the same sum as those of the input.
fn check(input: &Path, output: &Path) -> io::Result<()> {
    let read = |path: &Path| -> io::Result<(u64, i64, bool)> {
        let mut file = io::BufReader::with_capacity(1 << 22, fs::File::open(path)?);
        let (mut count, mut sum, mut ordered, mut last) = (0, 0i64, true, i32::MIN);
        loop {
            let bytes = io::BufRead::fill_buf(&mut file)?;
            let (whole, _) = bytes.as_chunks::<4>();
            if whole.is_empty() {
                return Ok((count, sum, ordered));
            }
            for number in whole.iter().map(|bytes| i32::from_le_bytes(*bytes)) {
                ordered &= number >= last;
                last = number;
                sum = sum.wrapping_add(number.into());
            }
            count += whole.len() as u64;
            let used = 4 * whole.len();
            io::BufRead::consume(&mut file, used);
        }
    };
    let ((given, sum, _), (made, of, ordered)) = (read(input)?, read(output)?);
    match ordered && (given, sum) == (made, of) && made == NUMBERS {
        true => Ok(()),
        false => Err(io::Error::other("the output is not the input in order")),
    }
}
