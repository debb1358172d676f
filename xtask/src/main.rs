//! The project's chores, as code: `cargo xtask --help`.

mod bench;
mod cargo;
mod demo;
mod needs;
mod steps;
mod test;
mod testbed;

use std::process::ExitCode;

const HELP: &str = "\
The project's chores.

Usage: cargo xtask <CHORE>

Chores:
  test [--quick]      Check everything: formatting, lints, documentation, tests and doc tests.
                      As root on Debian it first installs the programs that the tests use and
                      that are missing; elsewhere it says which they are, and the tests that
                      need them report themselves skipped. --quick installs nothing and leaves
                      out the tests that start a browser.
  bench [NAME] [ARG…] Measure beside rivals, in one run. Prints tables and writes a dated record
                      under benches/runs. NAME is accuracy, messages, scatter, sort or
                      simulate; without it, all; or, only where named,
                      testbed, testbed-farm or testbed-text.
                      `cargo xtask bench --help` says what each takes.
  demo [DIR]          The main job on real input: count the words of the toolchain's own HTML
                      documentation, or of DIR, or, where there is neither, of documents that it
                      makes. Shows the prediction beside the time that it took.
  testbed VERB …      A cluster in a box, for MPI: up, run, load, status and down of the hosts that a
                      platform file describes. Needs root; `cargo xtask testbed --help` says more.

Exit status: 0 all is well, 1 something failed, 2 the request makes no sense.";

/// Why a chore did not succeed.
enum Trouble {
    /// Something failed and has been reported.
    Failed(String),
    /// The request makes no sense.
    Usage(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (chore, rest) = match arguments.split_first() {
        Some((chore, rest)) => (chore.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match chore {
        "test" => test::test(rest),
        "bench" => bench::bench(rest),
        "demo" => demo::demo(rest),
        "testbed" => testbed::testbed(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Trouble::Usage(format!(
            "there is no chore `{other}`: `cargo xtask --help` lists those there are"
        ))),
    };
    let (sentence, status) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Trouble::Failed(sentence)) => (sentence, 1),
        Err(Trouble::Usage(sentence)) => (sentence, 2),
    };
    eprintln!("xtask: {sentence}");
    ExitCode::from(status)
}
