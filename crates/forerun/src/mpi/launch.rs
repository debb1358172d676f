//! Starting the processes of a job, and what becomes of them.

use std::panic::resume_unwind;
use std::time::Duration;
use std::{io, thread};

use forerun_apps::{ErasedJob, partial};
use forerun_mpi::{Launch, Launcher, linked};
use forerun_platform::file::STANDARD;
use forerun_platform::{Bytes, Input, Plan, Way};
use forerun_skeleton::{AppError, Cancel};
use rustix::process::{Resource, getrlimit};

use super::room::Room;
use super::{JobOrder, Order, Report, Told, WORD, Work};
use crate::allocation;
use crate::cli::MpiOptions;
use crate::commands::Context;
use crate::console::Console;
use crate::error::{CliError, failed, reason, request};
use crate::execute::{Done, append_finish, measured};
use crate::guardian;
use crate::signals::Interrupt;
use crate::text;

/// How long no rank begins until that is said.
const BEGIN: Duration = Duration::from_secs(10);

/// What starts the ranks, of which it may be known how many: the launcher that is asked for, else that of the MPI that this program is built with.
///
/// # Errors
/// That it is built without one, that there is no such launcher or no file of hosts, that it does not understand its options, that nobody knows
/// a host, or that there is no room for it to start ranks or for so many of them, and what to do.
pub fn launcher(options: &MpiOptions, ranks: Option<usize>) -> Result<Launcher, CliError> {
    allowed()?;
    let launcher = named(options)?;
    fits(Room::of(&launcher, options.hostfile.as_deref()), ranks.unwrap_or(1))?;
    launcher.check(options.hostfile.as_deref()).map_err(refused)?;
    Ok(launcher)
}

/// Whether all ranks are started on this host, as far as that is known.
pub fn is_here(options: &MpiOptions) -> bool {
    named(options).is_ok_and(|launcher| Room::of(&launcher, options.hostfile.as_deref()).is_here())
}

fn refused(e: AppError) -> CliError {
    request(format!("--on mpi: {e}"))
}

/// Bytes of addresses that a launcher or a rank takes of the library of MPI before it does anything. Of fewer than about 150 MB, Open MPI 4.1
/// ends in a segmentation fault, and its launcher waits for ever.
const LIBRARY: u64 = 190_000_000;
/// Open files with which Open MPI 4.1 starts two ranks; with 32 its launcher waits for ever.
const FILES: u64 = 48;
/// Bytes of the file by which an Open MPI 4.1 rank shares memory with others of its host, and some more; with fewer no rank begins, and its
/// launcher waits for ever.
const SHARED: u64 = 5_000_000;

/// Threads that a run on this host has beside those of its ranks, in this command and Open MPI 4.1's launcher, and those of each rank. With fewer its
/// launcher or a rank falls, or waits for ever.
const THREADS: [u64; 2] = [9, 3];

/// That limits of this process, which what it starts has as well, leave MPI what it needs.
fn allowed() -> Result<(), CliError> {
    if let Some(limit) = allocation::addresses().filter(|&limit| limit < LIBRARY) {
        return Err(failed(format!(
            "--on mpi: memory does not suffice: a limit (ulimit -v) allows a process {}, and MPI takes up to {} before a rank does anything; \
             allow it more, or run on threads",
            Bytes(limit),
            Bytes(LIBRARY)
        )));
    }
    if let Some(limit) = getrlimit(Resource::Nofile).current.filter(|&limit| limit < FILES) {
        return Err(failed(format!(
            "--on mpi: a limit (ulimit -n) allows a process {limit} open files, and MPI needs {FILES} or more: allow it more, or run on threads"
        )));
    }
    if let Some(limit) = getrlimit(Resource::Fsize).current.filter(|&limit| limit < SHARED) {
        return Err(failed(format!(
            "--on mpi: a limit (ulimit -f) allows a process files of {}, and ranks share memory by files of up to {}: allow it more, or run on \
             threads",
            Bytes(limit),
            Bytes(SHARED)
        )));
    }
    Ok(())
}

/// That the limit of processes leaves room for those of so many ranks where they are started on this host; also that they are no more than
/// it has memory for.
fn fits(room: Room, ranks: usize) -> Result<(), CliError> {
    let [beside, each] = THREADS;
    let needed = beside.saturating_add(each.saturating_mul(ranks as u64));
    if room.is_here()
        && let Some(left) = allocation::threads_left(needed)
    {
        return Err(failed(format!(
            "--on mpi: a limit (ulimit -u) leaves this user {} more, and {} take {needed}: allow more, use fewer ranks, or run on threads",
            text::one_or_many(left, "process or thread", "processes and threads"),
            text::plural(ranks as u64, "rank")
        )));
    }
    room.refusal(ranks).map_or(Ok(()), |why| Err(request(format!("--on mpi: {why}"))))
}

/// The launcher, without a look at whether it can start ranks.
fn named(options: &MpiOptions) -> Result<Launcher, CliError> {
    let flavour = linked().map_err(request)?;
    if let Some(hosts) = &options.hostfile {
        let wrong = |why: &str| {
            request(format!("--hostfile {}: {why}; name a file with a host on each line", hosts.display()))
        };
        if hosts.as_os_str() == STANDARD {
            return Err(wrong("the launcher reads it too, and standard input is there once"));
        }
        // The launcher reads it too.
        if std::fs::metadata(hosts).is_ok_and(|of| !of.is_file() && !of.is_dir()) {
            return Err(wrong("it is no regular file"));
        }
        match std::fs::read(hosts) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(wrong("it does not exist")),
            Err(e) => return Err(wrong(&format!("it cannot be read ({})", reason(&e)))),
            Ok(text) if text.iter().all(u8::is_ascii_whitespace) => return Err(wrong("it names no host")),
            Ok(_) => {}
        }
    }
    match &options.mpirun {
        Some(words) => {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            Launcher::named(&words)
        }
        None => Launcher::find(flavour),
    }
    .map_err(refused)
}

/// Starts `ranks` processes of this program, gives them `input` (an [`Order`]), and listens to what the first says in the
/// end.
///
/// # Errors
/// That there is no room for so many; interrupted; what failed.
pub fn launch(
    ranks: usize,
    options: &MpiOptions,
    input: &[u8],
    (console, interrupt): (&Console, &Interrupt),
) -> Result<Report, CliError> {
    let program =
        std::env::current_exe().map_err(|e| failed(format!("this program cannot be found: {e}")))?;
    allowed()?;
    let launcher = named(options)?;
    let room = Room::of(&launcher, options.hostfile.as_deref());
    fits(room, ranks)?;
    if let Some(note) = room.note(ranks) {
        console.progress("note", &note);
    }
    let said = interrupt.hurrying(|hurry| {
        let launch = Launch {
            launcher,
            ranks,
            hostfile: options.hostfile.clone(),
            program,
            arguments: vec![WORD.into()],
            cancel: interrupt.cancel().clone(),
            hurry: hurry.clone(),
            begin: BEGIN,
            watcher: Some(guardian::watcher),
        };
        launch.run(input, io::stdout(), |late| console.progress("start", late))
    });
    if let Some(signal) = interrupt.signal() {
        return Err(CliError::Interrupted(signal));
    }
    let said = said.map_err(failed)?;
    serde_json::from_str(&said)
        .map_err(|e| failed(format!("the first rank is another build of forerun: {e}")))
}

/// Runs a job as `plan` says, each rank a process.
///
/// # Errors
/// Interrupted; what failed.
pub fn run(
    work: &Work,
    job: &dyn ErasedJob,
    plan: &Plan,
    platform: &str,
    options: &MpiOptions,
    context: &Context,
) -> Result<Done, CliError> {
    let mut kept = Vec::new();
    job.hand_over(&mut kept).map_err(failed)?;
    let order = || told((work, plan), kept, options, context);
    let mut told = match job.first_sizes() {
        None => order()?,
        Some(_) => beside(job, plan, &context.interrupt, order)?,
    };
    told.notes.splice(..0, job.notes());
    Ok(done(told, plan, (job.name(), job.input(), platform)))
}

/// Runs a job whose inputs keep coming: tells its ranks of them meanwhile.
fn beside(
    job: &dyn ErasedJob,
    plan: &Plan,
    interrupt: &Interrupt,
    ranks: impl FnOnce() -> Result<Told, CliError>,
) -> Result<Told, CliError> {
    let stop = Cancel::new();
    thread::scope(|scope| {
        let teller = scope.spawn(|| {
            let tasks = job.list_tasks(plan.grain.bytes, &stop);
            if tasks.is_err() {
                // The ranks would wait for ever.
                interrupt.cancel().cancel();
            }
            tasks
        });
        let told = ranks();
        stop.cancel();
        let tasks = teller.join().unwrap_or_else(|panic| resume_unwind(panic));
        match (told, tasks) {
            (Err(e @ CliError::Interrupted(_)), _) => Err(e),
            // Ranks that failed are why there are no more; where there are none, they end for that.
            (Err(e), Ok(_)) => Err(e),
            (_, Err(e)) => Err(failed(e)),
            (Ok(told), Ok(tasks)) => Ok(Told { tasks, ..told }),
        }
    })
}

/// Starts the processes of a job, and hears what it came to.
///
/// # Errors
/// Interrupted; what failed.
pub fn told(
    (work, plan): (&Work, &Plan),
    kept: Vec<u8>,
    options: &MpiOptions,
    context: &Context,
) -> Result<Told, CliError> {
    let directory = std::env::current_dir().map_err(|e| failed(format!("this directory is gone: {e}")))?;
    let (work_of, seen) = (work.clone(), context.seen.clone());
    let order = JobOrder { work: work_of, plan: plan.clone(), directory, seen, kept };
    let input = Order::Job(Box::new(order)).encode().map_err(request)?;
    let said = launch(plan.ranks(), options, &input, (&context.console, &context.interrupt));
    if said.is_err() {
        // Ranks that were killed put nothing away themselves.
        work.outputs().into_iter().for_each(partial::put_away);
    }
    match said? {
        Report::Done(told) => Ok(*told),
        Report::Failed(what) => Err(failed(what)),
        Report::Refused(what) => Err(request(what)),
        Report::Measured(_) => Err(failed("the first rank is another build of forerun")),
    }
}

/// What a run came to: with the job's name, its input, and the platform's name.
pub fn done(told: Told, plan: &Plan, (job, input, platform): (&str, Option<Input>, &str)) -> Done {
    let Told { mut ranks, ranks_s, finish_s, finisher, tasks, result, notes, missing: _ } = told;
    if let Some(finisher) = ranks.get_mut(finisher..=finisher) {
        append_finish(finisher, ranks_s, finish_s);
    }
    let mut plan = plan.clone();
    plan.grain.tasks = Some(tasks);
    let mut outcome = measured(Way::Mpi, plan, (ranks_s, finish_s), ranks, tasks);
    outcome.job = job.to_string();
    outcome.input = input;
    outcome.platform = platform.to_string();
    Done { outcome, result, notes }
}
