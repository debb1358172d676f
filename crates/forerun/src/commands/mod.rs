//! What each command does.

pub mod crawl;
pub mod crawled;
pub mod farm;
pub mod features;
pub mod generate;
pub mod isoefficiency;
pub mod job;
mod job_file;
pub mod lsi;
pub mod map;
pub mod model;
pub mod outcomes;
pub mod pepa;
pub mod plan;
pub mod platform;
pub mod predict;
pub mod reproduce;
pub mod run;
pub mod stream;
pub mod tagger;
pub mod treat;
pub mod waited;

use forerun_apps::SeenFiles;
use forerun_apps::command::Inputs;
use forerun_platform::{Machine, Platform, Profile, Way};

use self::job_file::{Words, from_file};
use self::treat::Treat;
use self::waited::Piloted;
use crate::allocation;
use crate::calibrate::calibrate_command;
use crate::cli::{AnyJob, Cli, Command, GenerateCommand, JobCommand, PlatformCommand};
use crate::console::Console;
use crate::crawling::{Sampled, Watch};
use crate::error::{CliError, failed, request};
use crate::farm::Farming;
use crate::load::{Beside, Meter};
use crate::mpi::Work;
use crate::paths::{self, Paths};
use crate::signals::Interrupt;
use crate::text;

/// What every command has at hand.
#[derive(Debug, Clone)]
pub struct Context {
    /// Where to say things.
    pub console: Console,
    /// Whether to stop.
    pub interrupt: Interrupt,
    /// The job, for other processes that are to run it.
    pub work: Option<Work>,
    /// The files that it is of, as they were seen before any was read: see [`Work::look`].
    pub seen: SeenFiles,
    /// Whether these processes are all started on this machine.
    pub here: bool,
    /// Of a job whose inputs are pages, what a sample tells of their crawl.
    pub sampled: Option<Sampled>,
    /// The platform, where it had to be known before the job.
    pub platform: Option<Platform>,
    /// The profile, where it had to be known before the job.
    pub profile: Option<Profile>,
    /// Of a job whose inputs are pages, their crawl under way.
    pub crawl: Option<Watch>,
    /// What others do on this machine meanwhile.
    pub meter: Meter,
    /// What pilots took.
    pub piloted: Piloted,
}

impl Context {
    /// Notes that other processes are to run a job.
    ///
    /// # Errors
    /// That it is of a file that they cannot have.
    pub fn ask(&mut self, work: Work) -> Result<(), CliError> {
        let seen = work.look();
        self.note_work(seen, work)
    }

    /// The same, of a job of these inputs.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub fn ask_of(&mut self, inputs: &Inputs, work: Work) -> Result<(), CliError> {
        self.note_work(inputs.seen(), work)
    }

    fn note_work(&mut self, seen: SeenFiles, work: Work) -> Result<(), CliError> {
        if let Some(own) = seen.own() {
            return Err(request(format!(
                "{} is another file in each process, and ranks are processes of their own: name the file itself",
                own.display()
            )));
        }
        (self.seen, self.work) = (seen, Some(work));
        Ok(())
    }

    /// Says that ranks share cores, where on one of these numbers of processors some do.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note_shared(&self, processors: impl AsRef<[usize]>, platform: &Platform) -> Result<(), CliError> {
        let cores = platform.cores();
        let more = processors.as_ref().iter().filter(|p| **p > cores);
        let more: Vec<String> = more.map(|p| text::count(*p as u64)).collect();
        if more.is_empty() {
            return Ok(());
        }
        let (on, has) = (more.join(", "), text::plural(cores as u64, "core"));
        let shared = format!(
            "{} has {has}: of more ranks ({on}) some share a core, and only take turns",
            platform.name
        );
        self.console.note("note", &shared)
    }

    /// How busy others have been so far on this machine: in the way of what runs here, where the platform that was `asked` for is this
    /// machine and no processes on other hosts are to run the job, and else of a pilot that was on so many processors.
    pub fn beside(&self, asked: Option<&str>, platform: &Platform, tried: usize) -> Option<Beside> {
        let machine = Machine::here();
        let described = platform.machine.as_ref().is_some_and(|is| *is == machine.to_string());
        let this = asked.is_none_or(|p| p == "this") || described && platform.cores() == machine.cores;
        Some(Beside::new(self.meter.load()?, this && (self.work.is_none() || self.here), tried))
    }

    /// What others mean for a run of that way, for which they are [`Context::beside`] what is predicted.
    pub fn of_run(&self, beside: Option<Beside>, on: Way) -> Option<Beside> {
        beside?.of_run(on, self.here)
    }

    /// Says that others have processors of which the most of these numbers, or the pilot, needed some.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note_beside(
        &self,
        beside: Option<Beside>,
        processors: impl AsRef<[usize]>,
    ) -> Result<(), CliError> {
        let most = processors.as_ref().iter().max().copied().unwrap_or(1);
        beside.and_then(|others| others.note(most)).map_or(Ok(()), |note| self.console.note("note", &note))
    }
}

/// Treats any job, a farm too.
fn any<H: Treat, F: Farming>(job: AnyJob<H, F>, context: &mut Context) -> Result<(), CliError> {
    let job = match job {
        AnyJob::Farm(args) => return farm::of(&args, context),
        AnyJob::Mandelbrot(args) => return farm::mandelbrot(&args, context),
        AnyJob::Hip(args) => return farm::hip(&args, context),
        AnyJob::Sort(args) => JobCommand::Sort(args),
        AnyJob::Features(args) => JobCommand::Features(args),
        AnyJob::Reduce(args) => JobCommand::Reduce(args),
        AnyJob::Lsi(args) => JobCommand::Lsi(args),
        AnyJob::Tasks(args) => JobCommand::Tasks(args),
        AnyJob::File(words) => {
            let Words { say, job } = from_file::<H, F>(&words)?;
            context.console.also(&say)?;
            return any(job.job, context);
        }
    };
    job::of(job, context)
}

/// Programs of others that a command may come to run at a time, as far as that is said before it begins.
fn at_a_time(command: &Command) -> usize {
    let asked = match command {
        Command::Farm(args) => args.how.processors.get(),
        Command::Reduce(args) => args.how.processors.get(),
        _ => None,
    };
    asked.unwrap_or(0).max(allocation::cores())
}

/// Does what the command line says.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn dispatch(cli: Cli) -> Result<(), CliError> {
    allocation::may_open_files(at_a_time(&cli.command) as u64)?;
    let interrupt =
        Interrupt::listen().map_err(|e| failed(format!("signals cannot be listened for: {e}")))?;
    let console = Console::new(cli.say.quiet, cli.say.json, interrupt.cancel().clone())?;
    let told = console.clone();
    forerun_apps::command::tell_waits(move |what| told.progress("waiting", what));
    let mut context = Context {
        console,
        interrupt,
        work: None,
        seen: SeenFiles::default(),
        here: false,
        sampled: None,
        platform: None,
        profile: None,
        crawl: None,
        meter: Meter::begin(),
        piloted: Piloted::default(),
    };
    let done = match cli.command {
        Command::Calibrate(args) => {
            let paths =
                Paths::new().writes("--out", args.out.as_deref()).writes("--svg", args.svg.as_deref());
            paths.check(&mut context.console, |_| false)?;
            context.interrupt.busy(|| calibrate_command(&args, &context.console, &context.interrupt))
        }
        Command::Reduce(reduce) => job::reduce(&reduce.job, &reduce.how, &mut context),
        Command::Farm(args) => farm::of(&args, &mut context),
        Command::Run(args) => any(args.job, &mut context),
        Command::Plan(args) => any(args.job, &mut context),
        Command::Predict(args) => any(args.job, &mut context),
        Command::Compare(args) => {
            paths::once(&args.outcomes)?;
            args.draw.among(Paths::new().reads(&args.outcomes)).check(&mut context.console, |_| false)?;
            outcomes::compare(&args, &context.console)
        }
        Command::Report(args) => {
            paths::once(&args.outcomes)?;
            let paths = Paths::new().reads(&args.outcomes).writes("--out", Some(&args.out));
            paths.check(&mut context.console, |_| false)?;
            outcomes::report(&args, &context.console)
        }
        Command::Features(args) => features::run(&args.what, &context),
        Command::Tagger(args) => tagger::run(&args.what, &mut context),
        Command::Reproduce(args) => reproduce::run(&args, &mut context),
        Command::Platform(args) => {
            if let PlatformCommand::Check { files } = &args.what {
                Paths::new().reads(files).check(&mut context.console, |_| false)?;
            }
            platform::run(&args.what, &context)
        }
        Command::Generate(args) => {
            let GenerateCommand::Numbers { out, .. } = &args.what;
            Paths::new().writes("--out", Some(out)).check(&mut context.console, |_| false)?;
            generate::run(&args.what, &context)
        }
        Command::Crawl(args) => crawl::run(&args, &mut context),
        Command::Model(args) => model::run(&args.what, &mut context),
        Command::Map(args) => map::run(&args, &mut context),
        Command::Lsi(args) => lsi::run(&args.what, &mut context),
        Command::Pepa(args) => pepa::run(&args.what, &mut context),
    };
    // Whatever ended early after a signal ended for it.
    let done = done.map_err(|e| context.interrupt.signal().map_or(e, CliError::Interrupted));
    context.interrupt.over();
    done
}
