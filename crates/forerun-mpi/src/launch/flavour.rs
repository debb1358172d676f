//! Which MPI a launcher belongs to, and what it wants to be told.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use forerun_skeleton::AppError;

use super::session;

/// Whose launcher it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// MPICH's, and that of the MPIs that come from it (Intel's, Cray's, MVAPICH).
    Mpich,
    /// Slurm's `srun`, which starts either.
    Slurm,
}

impl Flavour {
    /// The flavour of an MPI that says of itself that it is `version`.
    pub fn of_library(version: &str) -> Option<Flavour> {
        let version = version.to_lowercase();
        if version.contains("open mpi") {
            Some(Flavour::OpenMpi)
        } else if ["mpich", "mvapich", "intel", "cray"].iter().any(|name| version.contains(name)) {
            Some(Flavour::Mpich)
        } else {
            None
        }
    }

    fn name(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "Open MPI",
            Flavour::Mpich => "MPICH",
            Flavour::Slurm => "Slurm",
        }
    }

    /// Debian's packages.
    fn packages(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "openmpi-bin",
            Flavour::Mpich => "mpich",
            Flavour::Slurm => "slurm-client",
        }
    }
}

/// A launcher, with arguments of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    words: Vec<String>,
    flavour: Flavour,
}

/// Names that launchers go by.
const NAMES: [&str; 6] = ["mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "orterun"];

impl Launcher {
    /// The launcher that `words` start: a program and arguments of its own.
    ///
    /// # Errors
    /// That it cannot be started, or is none that is known.
    pub fn named(words: &[String]) -> Result<Launcher, AppError> {
        let Some(program) = words.first() else {
            return Err(AppError::new("no launcher is named: expected a command such as mpirun or srun"));
        };
        match flavour(program) {
            Ok(Some(flavour)) => Ok(Launcher { words: words.to_vec(), flavour }),
            Ok(None) => Err(AppError::new(format!(
                "{program} is no launcher that is known: expected mpirun of Open MPI or MPICH, or srun"
            ))),
            Err(e) => Err(AppError::new(format!("{program} cannot be started: {e}"))),
        }
    }

    /// The launcher on the PATH of the MPI `flavour`.
    ///
    /// # Errors
    /// That there is none, and what to install.
    pub fn find(wanted: Flavour) -> Result<Launcher, AppError> {
        let there = |name: &&str| matches!(flavour(name), Ok(Some(found)) if found == wanted);
        let name = NAMES.iter().find(|name| there(name)).ok_or_else(|| {
            AppError::new(format!(
                "no mpirun of {}, which this program is built with, is on the PATH: install it (Debian: {}) or name \
                 it with --mpirun",
                wanted.name(),
                wanted.packages()
            ))
        })?;
        Ok(Launcher { words: vec![(*name).to_owned()], flavour: wanted })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Whose it is.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// Looks whether ranks can be started, as far as that can be told beforehand.
    ///
    /// # Errors
    /// That the place where Open MPI has its session is full or cannot be written to: its start would hang.
    pub fn check(&self) -> Result<(), AppError> {
        match self.flavour {
            Flavour::OpenMpi => {
                let (directory, name) = session::directory(&self.words, session::variable);
                session::check(self.name(), (&directory, &name), session::ROOM)
            }
            Flavour::Mpich | Flavour::Slurm => Ok(()),
        }
    }

    /// What it may be waiting for while it has started none of `ranks` ranks.
    pub(super) fn awaited(&self, ranks: usize, hostfile: Option<&Path>) -> String {
        let name = self.name();
        match (self.flavour, hostfile) {
            (Flavour::Slurm, _) => format!("{name} waits until Slurm has room for {ranks} of them"),
            (_, Some(file)) => format!(
                "{name} waits for the hosts of {}, each of which has to answer and to ask for no password",
                file.display()
            ),
            (_, None) => format!("{name} has not started the {ranks} of them yet"),
        }
    }

    /// The argument by which `srun` helps the ranks of the MPI that this program is built with to find each other, where
    /// nobody has said another: without help, or with that for another MPI, each would be alone.
    fn plugin(&self) -> Option<&'static str> {
        let said = self.words.iter().any(|word| word.starts_with("--mpi"))
            || env::var_os("SLURM_MPI_TYPE").is_some();
        if said {
            return None;
        }
        match crate::linked().ok()? {
            Flavour::OpenMpi => Some("--mpi=pmix"),
            Flavour::Mpich => Some("--mpi=pmi2"),
            Flavour::Slurm => None,
        }
    }

    /// The command that starts `ranks` processes of the program that is still to be named.
    pub(super) fn command(&self, ranks: usize, hostfile: Option<&Path>) -> Command {
        let mut command = Command::new(self.name());
        command.args(self.words.iter().skip(1)).arg("-n").arg(ranks.to_string());
        match self.flavour {
            Flavour::OpenMpi => {
                // More ranks than cores are allowed, since ranks that wait sleep; a rank has threads of its own,
                // so it is not bound to a core.
                command.args(["--oversubscribe", "--bind-to", "none"]);
                if rustix::process::geteuid().is_root() {
                    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                }
                hostfile.map(|file| command.arg("--hostfile").arg(file));
            }
            Flavour::Mpich => {
                hostfile.map(|file| command.arg("-f").arg(file));
            }
            Flavour::Slurm => {
                command.args(self.plugin());
                command.args(["--input=0", "--kill-on-bad-exit=1", "--overcommit"]);
                hostfile.map(|file| command.env("SLURM_HOSTFILE", file).arg("--distribution=arbitrary"));
            }
        }
        command
    }
}

/// The flavour of a program, by what it says of its version.
fn flavour(program: &str) -> std::io::Result<Option<Flavour>> {
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).envs(as_root()).output()?;
    let said = String::from_utf8_lossy(&said.stdout).to_lowercase() + &String::from_utf8_lossy(&said.stderr);
    let is = |names: &[&str]| names.iter().any(|name| said.contains(name));
    Ok(if is(&["open mpi", "openrte", "prrte"]) {
        Some(Flavour::OpenMpi)
    } else if is(&["hydra", "mpich", "intel(r) mpi"]) {
        Some(Flavour::Mpich)
    } else if is(&["slurm"]) {
        Some(Flavour::Slurm)
    } else {
        None
    })
}

/// Open MPI refuses even to tell its version to root.
fn as_root() -> impl Iterator<Item = (&'static str, &'static str)> {
    let names = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
    names.into_iter().map(|name| (name, "1")).filter(|(name, _)| env::var_os(name).is_none())
}
