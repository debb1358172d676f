//! The pipelined reduction over MPI beside `MPI_Reduce`, whatever its algorithm: `reduce_beside` of forerun-mpi, run by the launcher.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

use crate::place::in_memory;
use crate::record::Record;
use crate::testbed::up::{Tools, Up};

/// Ranks on this machine.
const RANKS: [usize; 2] = [2, 4];
/// Open MPI's algorithms for a reduction that are forced, by their numbers (coll_tuned_reduce_algorithm).
const ALGORITHMS: [(u32, &str); 5] =
    [(2, "chain"), (3, "pipeline"), (4, "binary"), (5, "binomial"), (6, "in-order binary")];
/// The segments that it cuts values into, in KiB.
const SEGMENTS: [u32; 3] = [16, 64, 256];
/// The ranks of those runs.
const FORCED: usize = 4;
/// Hosts at 100 Mbit/s, with a tenth of a core each, their file, and the most MiB of values there.
const HOSTS: [(usize, &str); 2] = [(4, "tenth-4.toml"), (8, "tenth-8.toml")];
const MOST: &str = "8";

/// Runs it on this machine, forced and not, and on a testbed where there may be one.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = in_memory()?;
    let program = program()?;
    let rounds = rounds.to_string();
    let version = launcher().arg("--version").output()?.stdout;
    let version = String::from_utf8_lossy(&version);
    let is_open = version.contains("Open MPI");
    record.note(&format!(
        "Sums of doubles to rank 0: medians of {rounds} rounds of the time until the last rank is done, contenders in turns. {}.",
        version.lines().find(|line| !line.trim().is_empty()).unwrap_or("The launcher does not say its version")
    ));
    let here = |ranks: usize, more: &[String]| {
        let mut command = launcher();
        if is_open {
            command.args(["--oversubscribe", "--bind-to", "none"]);
        }
        command.args(more).args(["-n", &ranks.to_string()]).arg(&program).arg(&rounds);
        table(&mut command)
    };
    for ranks in RANKS {
        record.note(&format!("## {ranks} ranks of this machine\n\n{}", here(ranks, &[])?));
    }
    if is_open {
        for (algorithm, name) in ALGORITHMS {
            for segment in SEGMENTS {
                let settings = [
                    ("use_dynamic_rules", 1),
                    ("reduce_algorithm", algorithm),
                    ("reduce_algorithm_segmentsize", segment << 10),
                ];
                let more: Vec<String> = settings
                    .iter()
                    .flat_map(|(name, value)| {
                        ["--mca".into(), format!("coll_tuned_{name}"), value.to_string()]
                    })
                    .collect();
                let text = here(FORCED, &more)?;
                record.note(&format!(
                    "## {FORCED} ranks, MPI_Reduce by {name} in segments of {segment} KiB\n\n{text}"
                ));
            }
        }
    }
    match Tools::find(dir.path()) {
        Ok(tools) if rustix::process::geteuid().is_root() => {
            for (hosts, file) in HOSTS {
                let up = Up::new(&tools, file)?;
                let mut command = up.run(&[]);
                command.arg("mpirun").args(["-n", &hosts.to_string(), "--map-by", "node"]).arg(&program);
                let text = table(command.args(["5", MOST]))?;
                record.note(&format!(
                    "## {hosts} hosts at 100 Mbit/s, a tenth of a core each; 5 rounds\n\n{text}"
                ));
            }
        }
        _ => record.note("Not root: no hosts with a network between them."),
    }
    Ok(())
}

/// The example, which `cargo xtask bench` has built.
fn program() -> io::Result<PathBuf> {
    let beside = env::current_exe()?.with_file_name("examples").join("reduce_beside");
    match beside.is_file() {
        true => Ok(beside),
        false => Err(io::Error::other(format!("there is no {}", Path::display(&beside)))),
    }
}

/// MPI's launcher, which may be root's.
fn launcher() -> Command {
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// The table that a run prints.
fn table(command: &mut Command) -> io::Result<String> {
    let told =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    match told.status.success() && text.contains("| MB |") {
        true => Ok(text),
        false => Err(io::Error::other("a run of reduce_beside failed; what it said is above")),
    }
}
