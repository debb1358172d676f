//! What is said to a person, and where.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use forerun_apps::command::Patient;
use forerun_platform::file::{STANDARD, without_numbers};
use forerun_skeleton::Cancel;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::SayOptions;
use crate::error::{CliError, failed};
use crate::file;
use crate::paths::plain_name;

/// How long a step of a prediction may take before it is said which it is.
const MOMENT: Duration = Duration::from_secs(1);
/// Time between two looks of a bar at the clock.
const TICK: Duration = Duration::from_millis(200);

/// Says things in lines of a label and a text: to standard output, or to standard error where
/// standard output carries data.
#[derive(Debug, Clone)]
pub struct Console {
    quiet: bool,
    to_stderr: bool,
    json: Option<PathBuf>,
    cancel: Cancel,
}

impl Console {
    /// Takes options that were given after a job file, beside those before it.
    ///
    /// # Errors
    /// That data cannot be written there.
    pub fn also(&mut self, say: &SayOptions) -> Result<(), CliError> {
        let quiet = self.quiet || say.quiet;
        *self = Console::new(quiet, say.json.clone().or(self.json.take()), self.cancel.clone())?;
        Ok(())
    }

    /// A console; `json` is where the same goes as data, and `cancel` ends the wait for a reader
    /// of it.
    ///
    /// # Errors
    /// That data cannot be written there.
    pub fn new(quiet: bool, json: Option<PathBuf>, cancel: Cancel) -> Result<Self, CliError> {
        let json = json.map(plain_name);
        let to_stderr = json.as_deref() == Some(Path::new(STANDARD));
        if let Some(path) = json.as_deref().filter(|_| !to_stderr) {
            file::check("--json", path)?;
        }
        Ok(Console { quiet, to_stderr, json, cancel })
    }

    /// From now on standard output carries data.
    pub fn keep_stdout_free(&mut self) {
        self.to_stderr = true;
    }

    /// Where data goes, if it is asked for; `-` is standard output.
    pub fn json(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    fn print(&self, text: &str) -> Result<(), CliError> {
        if self.to_stderr {
            // Where nobody listens there is nobody to tell.
            let _ = writeln!(io::stderr().lock(), "{text}");
            return Ok(());
        }
        match writeln!(io::stdout().lock(), "{text}") {
            // Whoever reads has had enough; what was asked for goes on.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|e| file::unwritten(Path::new("standard output"), &e)),
        }
    }

    /// Says something on the way, unless asked to be quiet: a label and a text that may have
    /// several lines.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note(&self, label: &str, text: &str) -> Result<(), CliError> {
        if self.quiet { Ok(()) } else { self.say(label, &without_numbers(text)) }
    }

    /// Says how far something has come that is under way, on standard error, unless asked to be quiet.
    pub fn progress(&self, label: &str, text: &str) {
        if !self.quiet {
            // Where nobody listens there is nobody to tell.
            let _ = writeln!(io::stderr().lock(), "{label:<9} {}", without_numbers(text));
        }
    }

    /// Says a result.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn say(&self, label: &str, text: &str) -> Result<(), CliError> {
        for (i, line) in text.lines().enumerate() {
            let label = if i == 0 { label } else { "" };
            self.print(format!("{label:<9} {line}").trim_end())?;
        }
        Ok(())
    }

    /// Prints text as it is.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn text(&self, text: &str) -> Result<(), CliError> {
        self.print(text.trim_end_matches('\n'))
    }

    /// Writes data where `--json` asks for it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn data<T: serde::Serialize + ?Sized>(&self, data: &T) -> Result<(), CliError> {
        let Some(path) = &self.json else { return Ok(()) };
        let mut text = serde_json::to_string_pretty(data).map_err(failed)?;
        text.push('\n');
        if path != Path::new(STANDARD) {
            return file::write(path, text.as_bytes());
        }
        Patient::new(io::stdout().as_fd(), &self.cancel)
            .write_all(text.as_bytes())
            .map_err(|e| file::unwritten(Path::new("standard output"), &e))
    }

    /// A bar over `length` steps, drawn on standard error where that is a terminal.
    pub fn bar(&self, length: Option<u64>, what: &'static str) -> ProgressBar {
        let bar = match length {
            Some(n) => ProgressBar::new(n),
            None => ProgressBar::no_length(),
        };
        let hidden = self.quiet || !io::stderr().is_terminal();
        bar.set_draw_target(if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() });
        let style = if length.is_some() {
            "{msg:<10}{wide_bar:.cyan/blue} {human_pos}/{human_len}  {elapsed} of about {duration}"
        } else {
            "{msg:<10}{spinner} {human_pos}  {elapsed}"
        };
        // The template is fixed, so it parses.
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar
    }

    /// A bar over few and long steps, whose time goes on while a step does.
    pub fn ticking(&self, steps: usize, what: &'static str) -> ProgressBar {
        let bar = self.bar(Some(steps as u64), what);
        // Of so few steps nobody knows how long the others take.
        if let Ok(style) =
            ProgressStyle::with_template("{msg:<10}{wide_bar:.cyan/blue} {human_pos}/{human_len}  {elapsed}")
        {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        bar
    }

    /// Does `work`, a step of a bar; where that takes longer than a moment, what `told` gives then is said on standard error, unless
    /// asked to be quiet: what is known so far, and what is under way.
    pub fn telling<T>(
        &self,
        bar: &ProgressBar,
        told: impl FnOnce() -> String + Send,
        work: impl FnOnce() -> T,
    ) -> T {
        if self.quiet {
            return work();
        }
        let (done, is_done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            // Without the thread, nothing is told.
            let _ = thread::Builder::new().name("tells".into()).spawn_scoped(scope, move || {
                if let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(MOMENT) {
                    let told = told();
                    bar.suspend(|| {
                        told.lines().for_each(|line| {
                            // Where nobody listens there is nobody to tell.
                            let _ = writeln!(io::stderr().lock(), "{line}");
                        });
                    });
                }
            });
            // Goes when the work ends, however it does.
            let _done = done;
            work()
        })
    }

    /// Does `work`, which takes at most about so many seconds, with a bar that tells how much of them has passed.
    pub fn timed<T>(&self, seconds: f64, what: &'static str, work: impl FnOnce() -> T) -> T {
        let bar = self.bar(Some(seconds.ceil() as u64), what);
        if bar.is_hidden() {
            return work();
        }
        bar.enable_steady_tick(TICK);
        let begun = Instant::now();
        let (done, is_done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let shown = &bar;
            // Without the thread, the bar stands.
            let _ = thread::Builder::new().name("bar".into()).spawn_scoped(scope, move || {
                while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(TICK) {
                    shown.set_position((begun.elapsed().as_secs()).min(shown.length().unwrap_or(0)));
                }
            });
            // Goes when the work ends, however it does.
            let _done = done;
            let value = work();
            bar.finish_and_clear();
            value
        })
    }
}
