//! The testbed with its servers: PostgreSQL and nginx on a host of their own.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, io, thread};

/// The testbed: sixteen hosts that compute, one where commands are given, and one for servers.
const FILE: &str = "served-16.toml";
/// The port of PostgreSQL.
const PORT: &str = "5499";

/// The testbed, taken down when this is dropped or this process is gone.
pub(super) struct Up {
    forerun: PathBuf,
    testbed: PathBuf,
    file: PathBuf,
    /// Where platform files and outcomes are kept.
    pub(super) kept: PathBuf,
    /// Where jobs run and the servers have their files.
    pub(super) dir: PathBuf,
    guardian: Child,
    postgres: PathBuf,
}

impl Up {
    /// Brings it up, without servers.
    pub(super) fn new() -> io::Result<Up> {
        let variable = |name| env::var_os(name).map(PathBuf::from);
        let missing = || io::Error::other("it is started by `cargo xtask bench testbed-text`");
        let testbed = variable("FORERUN_TESTBED").ok_or_else(missing)?;
        let file = variable("FORERUN_TESTBED_FILES").ok_or_else(missing)?.join(FILE);
        let kept = variable("FORERUN_TESTBED_KEPT").ok_or_else(missing)?;
        fs::create_dir_all(&kept)?;
        // The same every time, since it is in the names of files; and where the user postgres can have files.
        let dir = env::temp_dir().join("forerun-testbed-text");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir)?;
        let versions =
            fs::read_dir("/usr/lib/postgresql")?.flatten().map(|version| version.path().join("bin"));
        let postgres = versions.max().ok_or_else(|| io::Error::other("it needs PostgreSQL"))?;
        // Its input ends with this process. It begins before there is anything to take down.
        let mut guardian = Command::new("sh");
        guardian.args(["-c", "trap '' INT TERM HUP; cat > /dev/null; exec \"$0\" down \"$1\""]);
        guardian.arg(&testbed).arg(&file).process_group(0).stdin(Stdio::piped()).stdout(Stdio::null());
        let forerun = env::current_exe()?.with_file_name("forerun");
        let up = Up { forerun, testbed, file, kept, dir, guardian: guardian.spawn()?, postgres };
        // The servers and the host of commands have nothing to do while the others compute.
        let mut command = Command::new(&up.testbed);
        done(command.arg("up").arg(&up.file).arg("--oversubscribe").stdout(Stdio::null()), "testbed up")?;
        Ok(up)
    }

    /// A command on a host, where MPI finds the first `hosts`.
    fn on(&self, host: &str, hosts: usize) -> Command {
        let mut command = Command::new(&self.testbed);
        command.arg("run").arg(&self.file).args(["--host", host, "-n", &hosts.to_string(), "--"]);
        command.current_dir(&self.dir).stdout(Stdio::null());
        command
    }

    /// `forerun` where commands are given.
    pub(super) fn forerun(&self, hosts: usize, arguments: &str) -> Command {
        let mut command = self.on("front", hosts);
        command.arg(&self.forerun).args(arguments.split_whitespace()).arg("--quiet");
        command
    }

    /// Starts the servers, for the pages below `www`.
    pub(super) fn serve(&self) -> io::Result<()> {
        let (dir, data) = (&*self.dir, self.dir.join("data"));
        fs::create_dir(&data)?;
        done(Command::new("chown").arg("postgres").arg(&data), "chown")?;
        let as_postgres = |command: &mut Command, program: &str| {
            command.args(["runuser", "-u", "postgres", "--"]).arg(self.postgres.join(program));
        };
        let mut made = Command::new("env");
        as_postgres(&mut made, "initdb");
        made.arg("-D").arg(&data).args(["-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C"]);
        done(made.current_dir("/").stdout(Stdio::null()), "initdb")?;
        let mut allowed = fs::OpenOptions::new().append(true).open(data.join("pg_hba.conf"))?;
        writeln!(allowed, "host all all all trust")?;
        let mut server = self.on("server", 1);
        as_postgres(&mut server, "postgres");
        server.arg("-D").arg(&data).args(["-h", "*", "-p", PORT, "-k"]).arg(&data);
        server.args(["-c", "max_connections=40", "-c", "autovacuum=off"]).stderr(Stdio::null()).spawn()?;
        fs::write(dir.join("nginx.conf"), nginx(dir))?;
        let mut nginx = self.on("server", 1);
        nginx.arg("nginx").arg("-p").arg(dir).arg("-c").arg(dir.join("nginx.conf"));
        nginx.arg("-e").arg(dir.join("nginx.log")).stderr(Stdio::null()).spawn()?;
        for _ in 0..100 {
            let tried = self.sql("postgres", "SELECT 1");
            if tried.is_ok() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(100));
        }
        Err(io::Error::other("PostgreSQL does not answer on its host"))
    }

    /// What PostgreSQL answers.
    pub(super) fn sql(&self, database: &str, statement: &str) -> io::Result<String> {
        let mut ask = self.on("server", 1);
        ask.arg(self.postgres.join("psql")).args(["-h", "127.0.0.1", "-p", PORT, "-U", "tester", "-qAt"]);
        ask.args(["-d", database, "-c", statement]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let said = ask.output()?;
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&said.stderr).into_owned())),
        }
    }

    /// A new database, by its address.
    pub(super) fn database(&self, name: &str) -> io::Result<String> {
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {name}"))?;
        self.sql("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(format!("postgres://tester@server:{PORT}/{name}"))
    }

    /// The calibration of the first `hosts`, which is kept: its file.
    pub(super) fn calibration(&self, hosts: usize) -> io::Result<String> {
        let platform = self.kept.join(format!("text-platform-{hosts}.toml"));
        let text = platform.to_string_lossy().into_owned();
        if !platform.is_file() {
            eprintln!("calibrating {hosts} hosts");
            let words = format!("calibrate --on mpi -p {hosts} --out {text}");
            done(&mut self.forerun(hosts, &words), "calibrate")?;
        }
        Ok(text)
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        drop(self.guardian.stdin.take());
        let _ = self.guardian.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn nginx(dir: &Path) -> String {
    let dir = dir.display();
    let temporary =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|t| format!("{t}_temp_path {dir}/{t};"));
    format!(
        "daemon off; master_process off; user root; pid {dir}/nginx.pid;
        events {{ worker_connections 256; }}
        http {{ access_log off; sendfile on; keepalive_requests 1000000; {}
          types {{ text/html html; }} default_type text/plain;
          server {{ listen 80; root {dir}/www; }} }}",
        temporary.join(" ")
    )
}

/// Runs a command that must succeed.
pub(super) fn done(command: &mut Command, what: &str) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{what} failed; what it said is above"))),
    }
}
