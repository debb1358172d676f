//! A PostgreSQL server of the tests' own, in a directory that is removed with it.

use std::env;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::skipped::skipped;

/// A server that listens on loopback, or is stopped at the moment.
pub(crate) struct Server {
    directory: TempDir,
    port: u16,
}

/// A program of PostgreSQL, on the PATH or where Debian has it.
fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    // Debian's directory first: what is on the PATH may be a script that starts it as somebody else.
    debian.chain(env::split_paths(&path)).map(|dir| dir.join(name)).find(|file| file.is_file())
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|s| s.lines().any(|l| l.starts_with("Uid:") && l.split_whitespace().nth(2) == Some("0")))
}

/// Runs a program of PostgreSQL; as the user `postgres` if this is root, whom it refuses.
fn call(program: &Path, arguments: &[&str]) -> Output {
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.args(arguments).stdin(Stdio::null()).current_dir("/");
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

impl Server {
    /// Starts one; `None`, with the reason on standard error, where there is none.
    pub(crate) fn start() -> Option<Server> {
        let (Some(initdb), Some(_)) = (program("initdb"), program("pg_ctl")) else {
            skipped("needs PostgreSQL (Debian's package postgresql)");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(directory.path()).status();
            if !owned.is_ok_and(|s| s.success()) {
                skipped("PostgreSQL does not run as root, and there is no user postgres");
                return None;
            }
        }
        let data = directory.path().join("data");
        let made = call(
            &initdb,
            &["-D", data.to_str()?, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        );
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let server = Server { directory, port };
        server.up();
        Some(server)
    }

    fn control(&self, arguments: &[&str]) -> Output {
        let data = self.directory.path().join("data");
        let log = self.directory.path().join("log");
        let first = ["-D", data.to_str().unwrap(), "-l", log.to_str().unwrap(), "-w"];
        call(&program("pg_ctl").unwrap(), &[&first[..], arguments].concat())
    }

    /// Starts it again.
    pub(crate) fn up(&self) {
        let sockets = self.directory.path().display();
        let options =
            format!("-h 127.0.0.1 -p {} -k {sockets} -c fsync=off -c max_connections=20", self.port);
        let started = self.control(&["-o", &options, "start"]);
        assert!(started.status.success(), "pg_ctl: {}", String::from_utf8_lossy(&started.stdout));
    }

    /// Stops it at once, as if its machine had failed.
    pub(crate) fn down(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// The address of a database, made anew.
    pub(crate) fn database(&self, name: &str) -> String {
        let mut client = self.client("postgres");
        client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        self.address(name)
    }

    fn address(&self, name: &str) -> String {
        format!("postgres://tester@127.0.0.1:{}/{name}", self.port)
    }

    /// A connection to a database.
    pub(crate) fn client(&self, name: &str) -> postgres::Client {
        postgres::Client::connect(&self.address(name), postgres::NoTls).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.down();
    }
}
