//! The command `forerun`.

use std::io::Write as _;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use clap::error::ErrorKind;
use forerun::cli::{Cli, sentence_with_help, words};
use forerun::error::{self, CliError};
use forerun::{allocation, guardian, signals};
use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGPIPE;

/// What is said where a limit of memory has no room for what cannot do without.
const NO_MEMORY: &str = "forerun: memory does not suffice: a limit (ulimit -v or -d) leaves this process too little; allow it more, or use fewer \
                         processors\n";

/// Bytes of stack that a command has, and those from which on it is content with what the system gives the first thread: with fewer
/// (`ulimit -s`), it runs on a thread of its own.
const STACK: usize = 8 << 20;
const ENOUGH_STACK: u64 = 4 << 20;

/// What is said where there is no room for that.
const NO_STACK: &str = "forerun: a limit (ulimit -s) leaves this process too little stack, and another (ulimit -v, -d or -u) has no room for a \
                        thread that has more: allow it more";

fn main() -> ExitCode {
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= ENOUGH_STACK) {
        return command();
    }
    match thread::Builder::new().name("command".into()).stack_size(STACK).spawn(command) {
        // As where the first thread panics.
        Ok(running) => running.join().unwrap_or_else(|_| ExitCode::from(101)),
        Err(_) => {
            let _ = writeln!(std::io::stderr(), "{NO_STACK}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line says, whatever it is. Not a part of its caller, whose stack may be small.
#[inline(never)]
fn command() -> ExitCode {
    // A rank has few tasks as a rule, so that the first of its results, whose memory is new, are many of all.
    match allocation::limit() {
        Some(limit) => {
            forerun_mapped::keep_memory_within(limit);
            forerun_mapped::end_without_memory(NO_MEMORY, 1);
        }
        None => forerun_mapped::keep_memory(),
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == guardian::WORD) {
        guardian::guard();
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == guardian::WATCH) {
        guardian::watch();
        return ExitCode::SUCCESS;
    }
    // Where that cannot be, the signal ends the process, as it does others.
    let _ = signals::outlive_large_files();
    #[cfg(feature = "mpi")]
    if std::env::args_os().nth(1).is_some_and(|word| word == forerun::mpi::WORD) {
        return forerun::mpi::rank();
    }
    let cli = match Cli::try_parse_from(words(std::env::args_os())) {
        Ok(cli) => cli,
        // Help that was asked for, or that is given where nothing is said.
        Err(e) if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            e.exit()
        }
        Err(e) => return ended(&error::request(sentence_with_help(&e))),
    };
    match forerun::commands::dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => match e.unread() {
            // As quietly as if the signal had ended it.
            unread @ CliError::Interrupted(SIGPIPE) => ExitCode::from(unread.status()),
            e => ended(&e),
        },
    }
}

fn ended(e: &CliError) -> ExitCode {
    // Where nobody listens, the exit status still tells.
    let _ = writeln!(std::io::stderr(), "forerun: {e}");
    ExitCode::from(e.status())
}
