//! Testbeds that are taken down whatever happens, and commands inside.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs, io};

/// What the bench works with.
pub(crate) struct Tools {
    pub(crate) forerun: PathBuf,
    pub(crate) testbed: PathBuf,
    /// Where platform files are.
    pub(crate) files: PathBuf,
    /// Where outcomes are kept.
    pub(crate) kept: PathBuf,
    /// Where jobs run.
    pub(crate) dir: PathBuf,
}

impl Tools {
    /// Those that `cargo xtask bench` names; jobs run in `dir`.
    pub(crate) fn find(dir: &Path) -> io::Result<Tools> {
        let variable = |name| env::var_os(name).map(PathBuf::from);
        let missing = || io::Error::other("it is started by `cargo xtask bench`");
        let tools = Tools {
            forerun: env::current_exe()?.with_file_name("forerun"),
            testbed: variable("FORERUN_TESTBED").ok_or_else(missing)?,
            files: variable("FORERUN_TESTBED_FILES").ok_or_else(missing)?,
            kept: variable("FORERUN_TESTBED_KEPT").ok_or_else(missing)?,
            dir: dir.to_path_buf(),
        };
        fs::create_dir_all(&tools.kept)?;
        Ok(tools)
    }
}

/// A testbed that is up, and taken down when this is dropped or this process is gone, whatever ended it.
pub(crate) struct Up<'t> {
    tools: &'t Tools,
    /// The platform file that describes it.
    file: PathBuf,
    guardian: Child,
}

impl<'t> Up<'t> {
    /// The testbed of the platform file of this name.
    pub(crate) fn new(tools: &'t Tools, name: &str) -> io::Result<Up<'t>> {
        Self::with(tools, name, &[])
    }

    /// The same, with more options of `up`.
    pub(crate) fn with(tools: &'t Tools, name: &str, options: &[&str]) -> io::Result<Up<'t>> {
        let file = tools.files.join(name);
        // Its input ends with this process. It begins before there is anything to take down.
        let mut guardian = Command::new("sh");
        guardian
            .args(["-c", "trap '' INT TERM HUP; cat > /dev/null; exec \"$0\" down \"$1\""])
            .arg(&tools.testbed)
            .arg(&file)
            // A group of its own: what ends this process by its group does not end the guardian.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let up = Up { tools, guardian: guardian.spawn()?, file };
        let mut command = Command::new(&tools.testbed);
        done(command.arg("up").arg(&up.file).args(options).stdout(Stdio::null()), "testbed up")?;
        Ok(up)
    }

    /// `forerun` with these arguments on the first host.
    pub(crate) fn forerun(&self, arguments: &[&str]) -> Command {
        let mut command = self.run(&[]);
        command.arg(&self.tools.forerun).args(arguments);
        command
    }

    /// A command, to be added, on a host that `options` of `run` say.
    pub(crate) fn run(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.tools.testbed);
        command.arg("run").arg(&self.file).args(options).arg("--");
        command.current_dir(&self.tools.dir).stdout(Stdio::null());
        command
    }

    /// The calibration of these hosts, which is kept: its file.
    pub(crate) fn calibration(&self, name: &str, hosts: usize) -> io::Result<String> {
        let platform = self.tools.kept.join(format!("platform-{name}.toml"));
        let text = platform.to_string_lossy().into_owned();
        if !platform.is_file() {
            eprintln!("calibrating {hosts} hosts");
            let svg = self.tools.kept.join(format!("calibration-{name}.svg"));
            let (ranks, svg) = (hosts.to_string(), svg.to_string_lossy());
            let words = ["calibrate", "--on", "mpi", "-p", &ranks, "--out", &text, "--svg", &svg];
            done(&mut self.forerun(&words), "calibrate")?;
        }
        Ok(text)
    }

    /// The first host's disk.
    pub(crate) fn disk(&self) -> io::Result<PathBuf> {
        let mut ask = Command::new(&self.tools.testbed);
        ask.arg("run").arg(&self.file).args(["--", "sh", "-c", "printf %s \"$FORERUN_TESTBED_DISK\""]);
        let told = ask.stderr(Stdio::inherit()).output()?;
        match String::from_utf8(told.stdout) {
            Ok(path) if told.status.success() && Path::new(&path).is_dir() => Ok(path.into()),
            _ => Err(io::Error::other("the testbed's hosts have no disks")),
        }
    }
}

impl Drop for Up<'_> {
    fn drop(&mut self) {
        drop(self.guardian.stdin.take());
        let _ = self.guardian.wait();
    }
}

/// Runs a command that must succeed.
pub(crate) fn done(command: &mut Command, what: &str) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{what} failed; what it said is above"))),
    }
}
