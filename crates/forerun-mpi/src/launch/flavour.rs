//! Which MPI a launcher belongs to, and what it wants to be told.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use forerun_platform::file::reason;
use forerun_skeleton::AppError;
use rustix::process::Signal;

use super::{hosts, leftovers, session, sieve, told};

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

/// The variables by which a launcher has a file of hosts that nobody names: of Open MPI 4 and 5, and of MPICH.
const DEFAULT_HOSTS: [(Flavour, &str); 3] = [
    (Flavour::OpenMpi, "OMPI_MCA_orte_default_hostfile"),
    (Flavour::OpenMpi, "PRTE_MCA_prte_default_hostfile"),
    (Flavour::Mpich, "HYDRA_HOST_FILE"),
];

/// Where ranks are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// All on this host.
    Here,
    /// On others too, or nobody knows.
    Elsewhere {
        /// Ranks that a file of hosts says that these have room for.
        slots: Option<usize>,
    },
}

/// Versions that know what a rehearsal is, in small letters.
const REHEARSING: [&str; 2] = ["(open mpi) 4.", "(openrte) 4."];
/// What a rehearsal says in which all was understood; what it then fails by is that nothing is started.
const MAPPED: [&str; 2] = ["JOB MAP", "<map"];
/// How long a rehearsal may take.
const REHEARSAL: Duration = Duration::from_secs(2);
/// Variables by which hosts are reached in another way than by their addresses, or named elsewhere.
const ELSEWHERE: [&str; 6] = [
    "OMPI_MCA_plm_rsh_agent",
    "OMPI_MCA_orte_rsh_agent",
    "OMPI_MCA_plm",
    "HYDRA_LAUNCHER",
    "HYDRA_LAUNCHER_EXEC",
    "SLURM_JOB_ID",
];

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
            Err(e) => {
                let why = match e.kind() {
                    io::ErrorKind::NotFound if program.contains('/') => {
                        format!("there is no program {program}")
                    }
                    io::ErrorKind::NotFound => format!("no program on the PATH is called {program}"),
                    io::ErrorKind::WouldBlock => return Err(no_process(program)),
                    _ => format!("{program} cannot be started ({})", reason(&e)),
                };
                Err(AppError::new(format!("{why}; --mpirun names mpirun of Open MPI or MPICH, or srun")))
            }
        }
    }

    /// The launcher on the PATH of the MPI `flavour`.
    ///
    /// # Errors
    /// That there is none, and what to install; that one which is there cannot be asked.
    pub fn find(wanted: Flavour) -> Result<Launcher, AppError> {
        for name in NAMES {
            match flavour(name) {
                Ok(Some(found)) if found == wanted => {
                    return Ok(Launcher { words: vec![name.to_owned()], flavour: wanted });
                }
                // Nobody knows what it is, nor what others are.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(no_process(name)),
                _ => {}
            }
        }
        Err(AppError::new(format!(
            "no mpirun of {}, which this program is built with, is on the PATH: install it (Debian: {}) or name \
             it with --mpirun",
            wanted.name(),
            wanted.packages()
        )))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Whose it is.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// The directory in which it makes those of its sessions, where that is known.
    pub(super) fn sessions(&self) -> Option<PathBuf> {
        let of_open_mpi = || session::directory(&self.words, session::variable).0;
        (self.flavour == Flavour::OpenMpi).then(of_open_mpi)
    }

    /// Where it starts ranks, with a file of hosts or without one, and outside of any allocation. Without, the launcher may have one by its
    /// environment.
    pub fn place(&self, hostfile: Option<&Path>) -> Place {
        self.place_by(hostfile, |name| env::var_os(name))
    }

    fn place_by(&self, hostfile: Option<&Path>, set: impl Fn(&str) -> Option<OsString>) -> Place {
        let mut own = DEFAULT_HOSTS.iter().filter(|(of, _)| *of == self.flavour);
        let default = own.find_map(|(_, name)| set(name));
        let hostfile = hostfile.or(default.as_deref().map(Path::new));
        let files = ["--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f", "--default-hostfile"];
        let named = self.words.iter().any(|word| files.contains(&word.as_str()));
        let text = hostfile.map(|file| fs::read_to_string(file).unwrap_or_default());
        let mut names = hosts::of_words(&self.words);
        names.extend(text.iter().flat_map(|text| hosts::of_file(text)));
        let here = names.iter().all(|name| hosts::is_here(name)) && (text.is_none() || !names.is_empty());
        if here && !named && self.flavour != Flavour::Slurm {
            return Place::Here;
        }
        Place::Elsewhere { slots: text.as_deref().filter(|_| !named).and_then(hosts::slots) }
    }

    /// Looks whether ranks can be started on this host or those of a file, as far as that can be told beforehand.
    ///
    /// # Errors
    /// That the place where Open MPI has its session is not there, is full or cannot be written to (its start would hang); that
    /// the launcher does not understand its own words; that nobody knows a host.
    pub fn check(&self, hostfile: Option<&Path>) -> Result<(), AppError> {
        match self.flavour {
            Flavour::OpenMpi => {
                let (directory, name) = session::directory(&self.words, session::variable);
                session::check(self.name(), (&directory, &name), session::ROOM)?;
                self.rehearse(hostfile)?;
            }
            Flavour::Mpich => {}
            // Slurm has its own addresses.
            Flavour::Slurm => return Ok(()),
        }
        self.check_hosts(hostfile)
    }

    /// Has Open MPI 4 do all but start, which takes it some hundredths of a second, so that it says what it does not understand of its
    /// options or of a file of hosts; without either there is nothing to find.
    ///
    /// # Errors
    /// What that is.
    fn rehearse(&self, hostfile: Option<&Path>) -> Result<(), AppError> {
        let is_known = version(self.name()).is_ok_and(|said| REHEARSING.iter().any(|v| said.contains(v)));
        if !is_known || self.words.len() < 2 && hostfile.is_none() {
            return Ok(());
        }
        let mut command = self.command(1, hostfile);
        command.args(["--do-not-launch", "/bin/true"]).stdin(Stdio::null());
        // Of one that takes long or cannot be started, a run says why.
        let Ok(mut child) = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() else {
            return Ok(());
        };
        let heard = heard(&mut child, REHEARSAL);
        // Where it was killed, it could not.
        if let Some(sessions) = self.sessions() {
            leftovers::end_session(&sessions, child.id());
        }
        let Ok(Some((status, said))) = heard else { return Ok(()) };
        // One that a signal ended was ended with this process.
        let ended = status.signal().is_some_and(|signal| signal != Signal::ABORT.as_raw());
        // Its status can be 0 nevertheless; what it has to say is between rules.
        let refuses = !status.success() || said.lines().any(sieve::is_rule);
        if ended || !refuses || MAPPED.iter().any(|map| said.contains(map)) {
            return Ok(());
        }
        let said: Vec<String> = said.lines().map(str::to_owned).collect();
        let why = told::condensed(&said).unwrap_or_else(|| format!("it ends with {status}"));
        Err(AppError::new(format!("{} cannot start ranks: {}", self.name(), why.trim_end_matches('.'))))
    }

    /// Looks whether anybody knows the hosts, where they are reached as usual.
    ///
    /// # Errors
    /// The first that nobody knows.
    fn check_hosts(&self, hostfile: Option<&Path>) -> Result<(), AppError> {
        let ways = ["rsh_agent", "launch_agent", "-launcher", "plm"];
        let other = self.words.iter().any(|word| ways.iter().any(|way| word.contains(way)))
            || ELSEWHERE.iter().any(|name| env::var_os(name).is_some());
        if other {
            return Ok(());
        }
        let mut names = hosts::of_words(&self.words);
        if let Some(text) = hostfile.and_then(|file| fs::read_to_string(file).ok()) {
            names.extend(hosts::of_file(&text));
        }
        match hosts::unknown(names) {
            None => Ok(()),
            Some(name) => Err(AppError::new(format!(
                "{} cannot start ranks: nobody knows the host {name}; correct its name, or give it an address",
                self.name()
            ))),
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

/// That a program could not be started because there are as many processes as there may be.
pub(super) fn no_process(program: &str) -> AppError {
    AppError::new(format!(
        "{program} cannot be started: a limit (ulimit -u, or of a control group) allows no further process; allow more"
    ))
}

/// What a program says of its version, in small letters.
fn version(program: &str) -> io::Result<String> {
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).envs(as_root()).output()?;
    Ok(String::from_utf8_lossy(&said.stdout).to_lowercase() + &String::from_utf8_lossy(&said.stderr))
}

/// All that a program says, and how it ends, if it does within that time; else it is killed.
fn heard(child: &mut Child, within: Duration) -> io::Result<Option<(ExitStatus, String)>> {
    let (out, err) = match (reader(child.stdout.take()), reader(child.stderr.take())) {
        (Ok(out), Ok(err)) => (out, err),
        (Err(e), _) | (_, Err(e)) => return end(child).and(Err(e)),
    };
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > within {
            return end(child).map(|()| None);
        }
        thread::sleep(Duration::from_millis(2));
    };
    let said = [out, err].map(|all| all.join().unwrap_or_default()).concat();
    Ok(Some((status, said)))
}

/// Ends a program that takes too long.
fn end(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

/// Reads all of a stream beside.
fn reader(from: Option<impl io::Read + Send + 'static>) -> io::Result<thread::JoinHandle<String>> {
    thread::Builder::new().name("launcher".into()).spawn(move || {
        let mut all = Vec::new();
        let _ = from.map(|mut from| from.read_to_end(&mut all));
        String::from_utf8_lossy(&all).into_owned()
    })
}

/// The flavour of a program, by what it says of its version.
fn flavour(program: &str) -> io::Result<Option<Flavour>> {
    let said = version(program)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_may_be_named_by_the_environment() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hosts");
        fs::write(&file, "node1 slots=2\nnode2 slots=2\n").unwrap();
        let launcher = |flavour| Launcher { words: vec!["launcher".into()], flavour };
        for (of, name) in DEFAULT_HOSTS {
            let set = |asked: &str| (asked == name).then(|| file.clone().into_os_string());
            let there = Place::Elsewhere { slots: Some(4) };
            assert_eq!(launcher(of).place_by(None, set), there, "{name}");
            assert_eq!(launcher(of).place_by(None, |_| None), Place::Here);
            // Another's means nothing to it, and a file that is named is the one.
            let other = if of == Flavour::Mpich { Flavour::OpenMpi } else { Flavour::Mpich };
            assert_eq!(launcher(other).place_by(None, set), Place::Here);
            assert_eq!(launcher(other).place_by(Some(&file), |_| None), there);
        }
    }

    #[test]
    fn a_launcher_that_is_not_there_is_said_to_be_none() {
        for (program, said) in [
            ("no-such-launcher", "no program on the PATH is called no-such-launcher; --mpirun names"),
            ("no/such/launcher", "there is no program no/such/launcher; --mpirun names"),
            ("/dev/null", "/dev/null cannot be started (permission denied); --mpirun names"),
            ("true", "true is no launcher that is known"),
        ] {
            let why = Launcher::named(&[program.into()]).unwrap_err().to_string();
            assert!(why.starts_with(said), "{why}");
        }
    }
}
