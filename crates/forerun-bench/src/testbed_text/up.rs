//! The testbed with its servers: PostgreSQL and nginx on a host of their own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, io, thread};

use crate::testbed::up::{Tools, Up, done};

/// Sixteen hosts that compute, one where commands are given, and one for servers.
const FILE: &str = "served-16.toml";
/// The port of PostgreSQL.
const PORT: &str = "5499";

/// The testbed, and what its servers need.
pub(super) struct Served<'t> {
    pub(super) tools: &'t Tools,
    up: Up<'t>,
    /// Where PostgreSQL's programs are.
    postgres: PathBuf,
}

impl<'t> Served<'t> {
    /// Brings it up, without servers.
    pub(super) fn new(tools: &'t Tools) -> io::Result<Served<'t>> {
        let versions =
            fs::read_dir("/usr/lib/postgresql")?.flatten().map(|version| version.path().join("bin"));
        let postgres = versions.max().ok_or_else(|| io::Error::other("it needs PostgreSQL"))?;
        // The servers and the host of commands have nothing to do while the others compute.
        Ok(Served { tools, up: Up::with(tools, FILE, &["--oversubscribe"])?, postgres })
    }

    /// A command on a host, where MPI finds the first `hosts`.
    fn on(&self, host: &str, hosts: usize) -> Command {
        self.up.run(&["--host", host, "-n", &hosts.to_string()])
    }

    /// `forerun` where commands are given.
    pub(super) fn forerun(&self, hosts: usize, arguments: &str) -> Command {
        self.forerun_on("front", hosts, arguments)
    }

    /// `forerun` on the first host that computes.
    pub(super) fn computing(&self, arguments: &str) -> Command {
        self.forerun_on("node1", 1, arguments)
    }

    fn forerun_on(&self, host: &str, hosts: usize, arguments: &str) -> Command {
        let mut command = self.on(host, hosts);
        command.arg(&self.tools.forerun).args(arguments.split_whitespace()).arg("--quiet");
        command
    }

    /// Starts the servers, for the pages below `www`.
    pub(super) fn serve(&self) -> io::Result<()> {
        let (dir, data) = (&*self.tools.dir, self.tools.dir.join("data"));
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
        let platform = self.tools.kept.join(format!("text-platform-{hosts}.toml"));
        let text = platform.to_string_lossy().into_owned();
        if !platform.is_file() {
            eprintln!("calibrating {hosts} hosts");
            let words = format!("calibrate --on mpi -p {hosts} --out {text}");
            done(&mut self.forerun(hosts, &words), "calibrate")?;
        }
        Ok(text)
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
