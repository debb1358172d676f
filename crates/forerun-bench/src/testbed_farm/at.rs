//! A testbed of so many hosts that is up while something is measured there, and what was kept of it.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use forerun_platform::{Outcome, Way};
use serde_json::{Value, json};

use crate::testbed::outcomes;
use crate::testbed::up::{Tools, Up, done};

/// What was kept of a run.
pub(super) struct Kept {
    pub(super) outcomes: Vec<Outcome>,
    /// Whether the result is that of one process.
    pub(super) right: bool,
}

impl Kept {
    /// Seconds measured, or predicted by this way.
    pub(super) fn seconds(&self, way: Way) -> Option<f64> {
        self.outcomes.iter().find(|o| o.way == way).map(|o| o.makespan_s)
    }
}

/// The hosts.
pub(super) struct At<'t> {
    pub(super) tools: &'t Tools,
    pub(super) hosts: usize,
    file: &'static str,
    /// With the calibration's file; none while nothing was to be measured.
    up: Option<(Up<'t>, String)>,
}

impl<'t> At<'t> {
    /// None is up yet.
    pub(super) fn new(tools: &'t Tools, hosts: usize, file: &'static str) -> At<'t> {
        At { tools, hosts, file, up: None }
    }

    /// Brings them up and calibrates them, if that was not done.
    fn up(&mut self) -> io::Result<(&Up<'t>, &str)> {
        if self.up.is_none() {
            let up = Up::new(self.tools, self.file)?;
            let platform = up.calibration(&self.hosts.to_string(), self.hosts)?;
            self.up = Some((up, platform));
        }
        let (up, platform) = self.up.as_ref().ok_or_else(|| io::Error::other("nothing is up"))?;
        Ok((up, platform))
    }

    /// What `name` is kept of, or else a run by so many ranks, measured now.
    pub(super) fn kept(
        &mut self,
        name: &str,
        (words, result): (&[String], &str),
        ranks: usize,
        how: &[&str],
    ) -> io::Result<Kept> {
        let kept = self.tools.kept.join(format!("farm-{name}.json"));
        if let Ok(json) = fs::read(&kept) {
            let mut kept: Value = serde_json::from_slice(&json)?;
            let right = kept["right"] == true;
            return Ok(Kept { outcomes: serde_json::from_value(kept["outcomes"].take())?, right });
        }
        let (tools, expected) = (self.tools, self.expected((words, result))?);
        let (up, platform) = self.up()?;
        eprintln!("{name}");
        let mut run = up.forerun(&["run"]);
        run.args(words).args(["--on", "mpi", "-p", &ranks.to_string(), "--platform", platform]).args(how);
        run.args(["--by", "analytic,simulated", "--quiet", "--json"]).arg(tools.dir.join("outcomes.json"));
        done(&mut run, name)?;
        let right = fs::read(tools.dir.join(result))? == expected;
        // To replace it would be a part of the next run.
        fs::remove_file(tools.dir.join(result))?;
        let outcomes = outcomes(tools)?;
        fs::write(&kept, serde_json::to_vec(&json!({ "outcomes": outcomes, "right": right }))?)?;
        Ok(Kept { outcomes, right })
    }

    /// What one process makes of a job, on all of this machine.
    fn expected(&self, (words, result): (&[String], &str)) -> io::Result<Vec<u8>> {
        let dir = &self.tools.dir;
        // Inputs differ by the number of hosts, by the same words.
        let file = dir.join(format!("expected-{}-{}-{}", self.hosts, words[0], digest(words)));
        if !file.is_file() {
            let mut run = Command::new(&self.tools.forerun);
            run.arg("run").args(words).arg("--quiet").current_dir(dir).stdout(Stdio::null());
            done(&mut run, "the run by one process")?;
            fs::rename(dir.join(result), &file)?;
        }
        fs::read(&file)
    }

    /// What a plan of a farm says, which is kept, and the profile that it is made from: its JSON.
    pub(super) fn plan(&mut self, words: &[String], how: &[&str], profile: &Path) -> io::Result<Vec<u8>> {
        let kept = profile.with_extension("json");
        if !(kept.is_file() && profile.is_file()) {
            let hosts = self.hosts.to_string();
            let (up, platform) = self.up()?;
            eprintln!("planning");
            let mut plan = up.forerun(&["plan"]);
            plan.args(words).args(["-p", &hosts, "--platform", platform]).args(how).arg("--write-profile");
            plan.arg(profile).args(["--quiet", "--json"]).arg(&kept);
            done(&mut plan, "plan")?;
        }
        fs::read(&kept)
    }
}

/// A number of the job's words, by which jobs of other sizes have other files.
fn digest(words: &[String]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
