//! Running commands one after the other, each with its heading, and what became of them.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::Trouble;

/// What became of the steps so far.
#[derive(Default)]
pub(crate) struct Steps(Vec<Step>);

struct Step {
    name: &'static str,
    took: Duration,
    passed: bool,
}

impl Steps {
    /// Runs a step; the others run even where it fails, so that one run shows all that is wrong.
    pub(crate) fn run(&mut self, name: &'static str, mut command: Command) {
        println!("\n── {name}: {}", shown(&command));
        let begun = Instant::now();
        let passed = match command.status() {
            Ok(status) => status.success(),
            Err(e) => {
                eprintln!("`{}` could not be started: {e}", command.get_program().to_string_lossy());
                false
            }
        };
        self.0.push(Step { name, took: begun.elapsed(), passed });
    }

    /// Prints the steps.
    ///
    /// # Errors
    /// Those that failed.
    pub(crate) fn end(self) -> Result<(), Trouble> {
        println!();
        for Step { name, took, passed } in &self.0 {
            println!("{:6} {name:24} {:6.1} s", if *passed { "ok" } else { "FAILED" }, took.as_secs_f64());
        }
        let failed: Vec<_> = self.0.iter().filter(|s| !s.passed).map(|s| s.name).collect();
        match failed.as_slice() {
            [] => Ok(()),
            names => Err(Trouble::Failed(format!("failed: {}", names.join(", ")))),
        }
    }
}

/// A command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut words: Vec<String> = command
        .get_envs()
        .filter_map(|(name, value)| {
            Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
        })
        .collect();
    let program = std::path::Path::new(command.get_program());
    words.push(program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned());
    words.extend(command.get_args().map(|a| quoted(&a.to_string_lossy())));
    words.join(" ")
}

/// A word in quotes where a shell would need them.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_so_that_a_shell_reads_it_back() {
        let mut command = Command::new("/usr/bin/printf");
        command.args(["%s\n", "it's", "", "plain-1"]).env("LC_ALL", "a b");
        assert_eq!(shown(&command), "LC_ALL='a b' printf '%s\n' 'it'\\''s' '' plain-1");
    }

    #[test]
    fn a_failed_step_is_named_and_the_next_still_runs() {
        let mut steps = Steps::default();
        steps.run("one", Command::new("false"));
        steps.run("two", Command::new("/nonesuch"));
        steps.run("three", Command::new("true"));
        assert_eq!(steps.0.len(), 3);
        let Err(Trouble::Failed(sentence)) = steps.end() else { panic!("it did not fail") };
        assert_eq!(sentence, "failed: one, two");
    }
}
