//! Batch scripts and allocations, under a Slurm of the tests' own: two nodes, both of them this host.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::can_run;
use crate::skipped::skipped;
use crate::util::{Place, is_root};

/// A cluster, ended when it goes.
struct Slurm {
    configuration: PathBuf,
    daemons: Vec<Child>,
    _directory: tempfile::TempDir,
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let _ = self.command("scancel").args(["--user", "root"]).output();
        for daemon in self.daemons.iter_mut().rev() {
            let _ = kill_process(Pid::from_child(daemon), Signal::TERM);
            let _ = daemon.wait();
        }
    }
}

/// A program that is on the PATH or where an administrator has it.
fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut dirs = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    dirs.find_map(|dir| Some(dir.join(name)).filter(|file| file.is_file()))
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

impl Slurm {
    /// Starts one; `None`, with the reason, where there is none.
    fn start() -> Option<Slurm> {
        if !can_run() {
            return None;
        }
        let programs = ["munged", "slurmctld", "slurmd", "sbatch"].map(program);
        let [Some(munged), Some(slurmctld), Some(slurmd), Some(_)] = programs else {
            skipped("needs Slurm (Debian's packages slurm-wlm and munge)");
            return None;
        };
        if !is_root() {
            skipped("a node of Slurm needs root");
            return None;
        }
        // Sockets have short names, and munge asks who owns the directories above them.
        let directory = tempfile::Builder::new().prefix("slurm").tempdir_in("/run").unwrap();
        let at = directory.path();
        let configuration = at.join("slurm.conf");
        fs::write(&configuration, configured(at)).unwrap();
        fs::write(at.join("key"), [7u8; 256]).unwrap();
        restrict(&at.join("key"), 0o600);
        restrict(at, 0o755);
        let mut slurm = Slurm { configuration, daemons: Vec::new(), _directory: directory };
        let at = slurm._directory.path().to_owned();
        let option = |name: &str, file: &str| format!("--{name}={}", at.join(file).display());
        let mut munge = Command::new(munged);
        munge.args(["--foreground", "--force"]).args([
            option("key-file", "key"),
            option("socket", "munge.sock"),
            option("pid-file", "munged.pid"),
            option("log-file", "munged.log"),
            option("seed-file", "seed"),
        ]);
        slurm.daemon(munge);
        wait("munged", || at.join("munge.sock").exists());
        let mut control = Command::new(slurmctld);
        control.args(["-D", "-c"]);
        slurm.daemon(control);
        for node in ["n1", "n2"] {
            fs::create_dir_all(at.join("spool").join(node)).unwrap();
            let mut daemon = Command::new(&slurmd);
            daemon.args(["-D", "-c", "-N", node]);
            slurm.daemon(daemon);
        }
        wait("two idle nodes", || {
            let states =
                slurm.command("sinfo").args(["--noheader", "--Node", "--format=%T"]).output().unwrap();
            String::from_utf8_lossy(&states.stdout).lines().filter(|l| *l == "idle").count() == 2
        });
        Some(slurm)
    }

    fn daemon(&mut self, mut command: Command) {
        command.env("SLURM_CONF", &self.configuration).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.daemons.push(command.spawn().unwrap());
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name).unwrap());
        command.env("SLURM_CONF", &self.configuration);
        command
    }

    /// Submits a script and waits for its end; what it wrote.
    fn batch(&self, place: &Place, script: &str) -> String {
        let mut sbatch = self.command("sbatch");
        let inherited = place.command([""; 0]);
        sbatch.envs(inherited.get_envs().filter_map(|(name, value)| Some((name, value?))));
        sbatch.args(["--wait", "--output=said", script]).current_dir(place.path(""));
        let path = format!("{}:{}", forerun().parent().unwrap().display(), env::var("PATH").unwrap());
        let ended = sbatch.env("PATH", path).output().unwrap();
        let said = fs::read_to_string(place.path("said")).unwrap_or_default();
        assert!(ended.status.success(), "{}{said}", text(&ended));
        said
    }
}

fn forerun() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_forerun"))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn restrict(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn wait(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: not there after a minute");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Two nodes of two processors each.
fn configured(at: &Path) -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = name.split('.').next().unwrap();
    let at = at.display();
    let nodes: String = ["n1", "n2"]
        .iter()
        .map(|node| {
            let port = free_port();
            format!(
                "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=8000\n"
            )
        })
        .collect();
    format!(
        "ClusterName=tests\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmUser=root\nSlurmdUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={at}/munge.sock\nCryptoType=crypto/munge\n\
         StateSaveLocation={at}\nSlurmdSpoolDir={at}/spool/%n\nSlurmctldPidFile={at}/control.pid\n\
         SlurmdPidFile={at}/%n.pid\nSlurmctldLogFile={at}/control.log\nSlurmdLogFile={at}/%n.log\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
         SchedulerType=sched/builtin\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU_Memory\n\
         SlurmdParameters=config_overrides\nReturnToService=2\n{nodes}\
         PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        free_port()
    )
}

#[test]
fn slurm_runs_what_was_planned() {
    let Some(slurm) = Slurm::start() else { return };
    let place = Place::new();
    // Tasks so long that two processors are worth it, however long a message of this machine was seen to take.
    let costs = "task = { fixed = \"1 ms\", per_byte = \"1 us/B\" }\nmerge = { per_byte = \"1 ns/B\" }\nresult_bytes = { per_byte = 1.0 }\n";
    place.write("profile.toml", format!("format = 1\napplication = \"sort\"\n[reduction]\n{costs}"));
    place.run("generate numbers 200000 -o numbers").ok();
    place.run("run sort numbers -o expected --profile profile.toml -p 1 -q").ok();

    // On one node, with threads.
    place.run("plan sort numbers -o sorted -p 2 --sbatch job.sh").ok();
    let said = slurm.batch(&place, "job.sh");
    assert!(said.contains("on 2 processors") && said.contains("measured"), "{said}");
    assert!(place.read("sorted") == place.read("expected"));
    fs::remove_file(place.path("sorted")).unwrap();

    // As processes: as many as there are tasks, started by mpirun and by srun, which is told how.
    for launcher in ["", "--mpirun srun"] {
        let run = format!("forerun run sort numbers -o sorted --on mpi --profile profile.toml {launcher}");
        place.write("mpi.sh", format!("#!/bin/bash\n#SBATCH --nodes=1 --ntasks=2 --time=5\n{run}\n"));
        let said = slurm.batch(&place, "mpi.sh");
        assert!(said.contains("on 2 processors") && said.contains("measured"), "{launcher}: {said}");
        assert!(place.read("sorted") == place.read("expected"), "{launcher}");
        fs::remove_file(place.path("sorted")).unwrap();
    }

    // A host has more processors than the job was given.
    let run = "forerun run sort numbers -o sorted --profile profile.toml --platform this";
    place.write("one.sh", format!("#!/bin/bash\n#SBATCH --ntasks=1 --cpus-per-task=1 --time=5\n{run}\n"));
    let said = slurm.batch(&place, "one.sh");
    assert!(said.contains("on 1 processor,") || said.contains("on 1 processor\n"), "{said}");
    place.assert_clean();
}

#[test]
fn slurm_takes_the_request_of_a_plan_for_several_nodes() {
    let Some(slurm) = Slurm::start() else { return };
    let place = Place::new();
    place.profile();
    place.run("generate numbers 2000000 -o numbers").ok();
    let plan =
        "plan sort numbers -o sorted --profile profile.toml --platform lehigh-fire -p 2 --sbatch job.sh";
    place.run(plan).ok();
    let script = place.text("job.sh");
    assert!(script.contains("--nodes=2") && script.contains("--on mpi"), "{script}");
    let mut sbatch = slurm.command("sbatch");
    let would = sbatch.args(["--test-only", "job.sh"]).current_dir(place.path("")).output().unwrap();
    assert!(would.status.success(), "{script}{}", text(&would));
    assert!(text(&would).contains("n[1-2]"), "{}", text(&would));
}
