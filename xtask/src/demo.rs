//! The main job on real input: counting the words of documents.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Trouble;
use crate::cargo::{cargo, target};
use crate::steps::shown;

/// A task: the words of some documents, each with how often it is there, in order.
const MAP: &str = r"sed 's/<[^>]*>/ /g' | tr -cs A-Za-z '\n' | tr A-Z a-z | sort | uniq -c";
/// A merge: two such lists into one.
const MERGE: &str = r#"sort -m -k2 "$@" | awk '$2!=w{if(n)print n,w;w=$2;n=0}{n+=$1}END{if(n)print n,w}'"#;
/// Documents made where there are none, and words in each.
const MADE: (u64, usize) = (2000, 5000);

/// `cargo xtask demo`.
pub(crate) fn demo(arguments: &[String]) -> Result<(), Trouble> {
    let out = target().join("demo");
    let documents = match arguments {
        [] => documents(&out).map_err(failed("documents could not be made"))?,
        [dir] if !dir.starts_with('-') => PathBuf::from(dir),
        _ => return Err(Trouble::Usage("`demo` takes nothing or one directory of documents".into())),
    };
    fs::create_dir_all(&out).map_err(failed("no room for the result"))?;
    let words = out.join("words.txt");

    println!("Building forerun; the first time, this takes some minutes.");
    say(&mut cargo(&["build", "--release", "--package", "forerun"]))?;
    let mut forerun = Command::new(target().join("release").join("forerun"));
    // Bytes in order, whatever the language of the user.
    forerun.env("LC_ALL", "C");
    forerun.args(["reduce", "--shell", "--commutative", "--map", MAP, "--merge", MERGE]);
    forerun.arg("--json").arg(out.join("outcome.json")).arg("-o").arg(&words).arg(documents);
    say(&mut forerun)?;

    let text = fs::read_to_string(&words).map_err(failed("the result cannot be read"))?;
    println!("\nThe most frequent words, of {} in {}:", text.lines().count(), words.display());
    for (count, word) in most(&text, 10) {
        println!("{count:>10}  {word}");
    }
    Ok(())
}

/// The toolchain's documentation, or documents that are made.
fn documents(out: &Path) -> io::Result<PathBuf> {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output();
    if let Ok(sysroot) = rustc {
        let docs = Path::new(String::from_utf8_lossy(&sysroot.stdout).trim()).join("share/doc/rust/html/std");
        if docs.is_dir() {
            println!("Counting the words of the toolchain's documentation of the standard library.");
            return Ok(docs);
        }
    }
    println!(
        "The toolchain's documentation is not installed (rustup component add rust-docs); \
         counting the words of {} documents made for this.",
        MADE.0
    );
    let dir = out.join("documents");
    fs::create_dir_all(&dir)?;
    for number in 0..MADE.0 {
        fs::write(dir.join(format!("{number:04}.html")), document(number, MADE.1))?;
    }
    Ok(dir)
}

/// A document of `words` words, few of them frequent, as in a language; the same for a number.
fn document(number: u64, words: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "xu", "za"];
    let mut state = number + 1;
    let mut random = || {
        // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut text = String::from("<html><body><p>\n");
    for place in 1..=words {
        // The number of leading zeros makes a word's rank, so its frequency falls by powers.
        let mut rank = random() >> 52 >> (random() % 12);
        loop {
            text.push_str(SYLLABLES[(rank % 16) as usize]);
            rank /= 16;
            if rank == 0 {
                break;
            }
        }
        let _ = if place % 12 == 0 { writeln!(text, "</p><p>") } else { write!(text, " ") };
    }
    text + "</p></body></html>\n"
}

/// The `n` lines of the largest counts.
fn most(counts: &str, n: usize) -> Vec<(u64, &str)> {
    let mut lines: Vec<(u64, &str)> = counts
        .lines()
        .filter_map(|line| {
            let (count, word) = line.trim().split_once(' ')?;
            Some((count.parse().ok()?, word))
        })
        .collect();
    lines.sort_by(|a, b| b.cmp(a));
    lines.truncate(n);
    lines
}

/// Shows a command and runs it.
fn say(command: &mut Command) -> Result<(), Trouble> {
    println!("$ {}", shown(command));
    let status = command.status().map_err(failed("it could not be started"))?;
    if status.success() { Ok(()) } else { Err(Trouble::Failed("the command above failed".into())) }
}

fn failed(what: &str) -> impl FnOnce(io::Error) -> Trouble + '_ {
    move |e| Trouble::Failed(format!("{what}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_the_same_every_time_and_differ_from_each_other() {
        assert_eq!(document(7, 50), document(7, 50));
        assert_ne!(document(7, 50), document(8, 50));
    }

    #[test]
    fn the_largest_counts_come_first() {
        assert_eq!(most("3 a\n20 b\n1 c\n", 2), [(20, "b"), (3, "a")]);
    }
}
