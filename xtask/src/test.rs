//! The whole check.

use crate::Trouble;
use crate::cargo::cargo;
use crate::needs;
use crate::steps::Steps;

/// Set for tests that start a browser to leave themselves out.
const NO_BROWSER: &str = "FORERUN_TEST_NO_BROWSER";
/// The same for tests that build and start MPI programs.
const NO_MPI: &str = "FORERUN_TEST_NO_MPI";

/// `cargo xtask test`.
pub(crate) fn test(arguments: &[String]) -> Result<(), Trouble> {
    let quick = match arguments {
        [] => false,
        [flag] if flag == "--quick" => true,
        other => {
            return Err(Trouble::Usage(format!(
                "`test` takes nothing or --quick, not `{}`; for single tests use cargo test -p CRATE NAME",
                other.join(" ")
            )));
        }
    };
    if !quick {
        needs::provide();
    }
    let mut steps = Steps::default();
    steps.run("formatting", cargo(&["fmt", "--all", "--check"]));
    let with_mpi = !quick && needs::are_for_mpi();
    let mut lints = cargo(&["clippy", "--locked", "--workspace", "--all-targets"]);
    if with_mpi {
        lints.args(["--features", "forerun/mpi"]);
    }
    lints.args(["--", "-D", "warnings"]);
    steps.run("lints", lints);
    let mut tests = cargo(&["test", "--locked", "--workspace", "--no-fail-fast"]);
    if quick {
        tests.env(NO_BROWSER, "1").env(NO_MPI, "1");
    }
    steps.run("tests and doc tests", tests);
    if with_mpi {
        // Of the whole workspace, like the step before it: what both use is then compiled once.
        let jobs = ["test", "--locked", "--workspace", "--features", "forerun/mpi", "--test", "mpi"];
        steps.run("jobs on MPI", cargo(&jobs));
    }
    let mut docs = cargo(&["doc", "--locked", "--workspace", "--no-deps", "--document-private-items"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    steps.run("documentation", docs);
    steps.end()
}
