//! What can be said on the command line.

use std::str::FromStr;

use forerun_platform::{BytesPerSecond, Seconds};

use crate::load::Load;

/// The help.
pub(crate) const HELP: &str = "\
A cluster in a box: the hosts, links and switches of a platform file, on this machine. Needs root.

Usage: cargo xtask testbed up FILE [--oversubscribe]
       cargo xtask testbed run FILE [-n N] [--host HOST] [--] COMMAND…
       cargo xtask testbed load FILE --from HOST --to HOST --rate RATE --for TIME [--tcp]
       cargo xtask testbed status FILE
       cargo xtask testbed down FILE | --all

FILE is a platform file, such as those in examples/testbed.

  up      Builds it: each host a network namespace with a name of its own, its processor time held to
          `throttle` (or to its cores) and its memory to `memory`, links and switches held to their
          bandwidths, and where [storage] is stated a disk of that rate (FORERUN_TESTBED_DISK). Up already, it stays.
          More processor time than the machine has is refused without --oversubscribe.
  run     Runs a command on the first host, or on HOST, where `mpirun -n N` of Open MPI and of MPICH
          finds the others: a rank a host. -n lists only the first N of them.
  load    Background traffic of that payload for that time: packets, or with --tcp a stream. It takes
          no processor time of the hosts.
  status  The hosts with what they have sent, received and been stalled.
  down    Ends what runs on it and removes everything, in whatever state it is; --all does so for every
          testbed of which something is left.

Exit status: 0 all is well, 1 something failed, 2 the request makes no sense; of `run` the command's.";

/// What is asked for.
pub(crate) enum Request {
    Help,
    Up {
        file: String,
        oversubscribe: bool,
    },
    Run(Run),
    Load {
        file: String,
        load: Load,
    },
    Status {
        file: String,
    },
    Down {
        file: String,
    },
    DownAll,
    /// The ends of a load, which it starts itself.
    LoadSend(Vec<String>),
    LoadReceive(Vec<String>),
}

/// A command to be run on a host.
pub(crate) struct Run {
    pub(crate) file: String,
    pub(crate) host: Option<String>,
    /// How many hosts MPI is told of.
    pub(crate) count: Option<usize>,
    pub(crate) command: Vec<String>,
}

/// Reads the words.
///
/// # Errors
/// What makes no sense, in a sentence.
pub(crate) fn request(words: &[String]) -> Result<Request, String> {
    let Some((verb, rest)) = words.split_first() else { return Ok(Request::Help) };
    if matches!(verb.as_str(), "help" | "--help" | "-h") || rest.first().is_some_and(|w| w == "--help") {
        return Ok(Request::Help);
    }
    match verb.as_str() {
        "load-send" => return Ok(Request::LoadSend(rest.to_vec())),
        "load-receive" => return Ok(Request::LoadReceive(rest.to_vec())),
        _ => {}
    }
    let mut words = Words { verb, left: rest };
    match verb.as_str() {
        "up" => {
            let (mut file, mut oversubscribe) = (None, false);
            while let Some(word) = words.next() {
                match word {
                    "--oversubscribe" => oversubscribe = true,
                    word => words.file(&mut file, word)?,
                }
            }
            Ok(Request::Up { file: words.needed(file, "a platform file")?, oversubscribe })
        }
        "status" | "down" => {
            let (mut file, mut all) = (None, false);
            while let Some(word) = words.next() {
                match word {
                    "--all" if verb == "down" => all = true,
                    word => words.file(&mut file, word)?,
                }
            }
            match (all, file) {
                (true, None) => Ok(Request::DownAll),
                (true, Some(file)) => Err(format!("`down` takes {file} or --all, not both")),
                (false, file) => {
                    let file = words.needed(file, "a platform file")?;
                    Ok(if verb == "down" { Request::Down { file } } else { Request::Status { file } })
                }
            }
        }
        "run" => run(words),
        "load" => load(words),
        other => Err(format!("there is no `testbed {other}`: it is up, run, load, status or down")),
    }
}

fn run(mut words: Words<'_>) -> Result<Request, String> {
    let (mut file, mut host, mut count) = (None, None, None);
    let command = loop {
        match words.next() {
            Some("--host") => host = Some(words.value::<String>("--host", "a host")?),
            Some("-n") => {
                let n = words.value::<usize>("-n", "a number of hosts")?;
                count = Some(if n > 0 { n } else { return Err("-n is 1 or more".into()) });
            }
            Some("--") => break words.left.to_vec(),
            Some(word) if file.is_some() && !word.starts_with('-') => {
                break [&[word.to_string()], words.left].concat();
            }
            Some(word) => words.file(&mut file, word)?,
            None => break Vec::new(),
        }
    };
    let file = words.needed(file, "a platform file")?;
    if command.is_empty() {
        return Err("`run` takes a command after the platform file".into());
    }
    Ok(Request::Run(Run { file, host, count, command }))
}

fn load(mut words: Words<'_>) -> Result<Request, String> {
    let (mut file, mut from, mut to, mut rate, mut time, mut tcp) = (None, None, None, None, None, false);
    while let Some(word) = words.next() {
        match word {
            "--from" => from = Some(words.value("--from", "a host")?),
            "--to" => to = Some(words.value("--to", "a host")?),
            "--rate" => rate = Some(words.value::<BytesPerSecond>("--rate", "a rate such as \"30 Mbit/s\"")?),
            "--for" => time = Some(words.value::<Seconds>("--for", "a time such as \"10 s\"")?),
            "--tcp" => tcp = true,
            word => words.file(&mut file, word)?,
        }
    }
    let file = words.needed(file, "a platform file")?;
    let load = Load {
        from: words.needed(from, "--from with a host")?,
        to: words.needed(to, "--to with a host")?,
        rate: words.needed(rate, "--rate, such as \"30 Mbit/s\"")?,
        time: words.needed(time, "--for, such as \"10 s\"")?,
        tcp,
    };
    if load.rate.0 <= 0.0 {
        return Err("--rate is above 0".into());
    }
    Ok(Request::Load { file, load })
}

struct Words<'a> {
    verb: &'a str,
    left: &'a [String],
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (word, left) = self.left.split_first()?;
        self.left = left;
        Some(word)
    }

    fn value<T: FromStr>(&mut self, option: &str, what: &str) -> Result<T, String> {
        let word = self.next().ok_or_else(|| format!("{option} takes {what}"))?;
        word.parse().map_err(|_| format!("{option} takes {what}, not \"{word}\""))
    }

    fn file(&self, file: &mut Option<String>, word: &str) -> Result<(), String> {
        if word.starts_with('-') {
            return Err(format!("`{}` takes no {word}: `testbed --help` says what it takes", self.verb));
        }
        match file.replace(word.to_string()) {
            None => Ok(()),
            Some(first) => {
                Err(format!("`{}` takes one platform file, not both {first} and {word}", self.verb))
            }
        }
    }

    fn needed<T>(&self, value: Option<T>, what: &str) -> Result<T, String> {
        value.ok_or_else(|| format!("`{}` takes {what}", self.verb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<Request, String> {
        request(&text.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_begins_where_the_words_of_run_end() {
        for text in ["run -n 4 f.toml --host b -- mpirun -n 4 x", "run f.toml -n 4 --host b mpirun -n 4 x"] {
            let Ok(Request::Run(run)) = said(text) else { panic!("{text}") };
            assert_eq!((run.file.as_str(), run.host.as_deref(), run.count), ("f.toml", Some("b"), Some(4)));
            assert_eq!(run.command, ["mpirun", "-n", "4", "x"]);
        }
    }

    #[test]
    fn what_makes_no_sense_is_told_in_a_sentence() {
        let wrong = |text: &str| said(text).err().unwrap_or_default();
        assert_eq!(wrong("up"), "`up` takes a platform file");
        assert_eq!(wrong("up a b"), "`up` takes one platform file, not both a and b");
        assert!(wrong("up a --all").contains("takes no --all"));
        assert!(wrong("run a").contains("takes a command"));
        assert_eq!(wrong("run a -n 0 -- x"), "-n is 1 or more");
        assert!(wrong("load a --from b --to c --for 1s").contains("takes --rate"));
        assert!(wrong("load a --rate 30").contains("not \"30\""));
        assert!(wrong("fly a").contains("no `testbed fly`"));
    }
}
