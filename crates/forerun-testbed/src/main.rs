//! A cluster in a box: `cargo xtask testbed --help`, and docs/testbed.md.
//!
//! Hosts are network namespaces with their own names, links have rates, and control groups hold
//! processor time and memory to what a platform file says: the same that predictions read, so that it
//! states the truth by construction.

mod cgroup;
mod disk;
mod entry;
mod layout;
mod load;
mod network;
mod place;
mod process;
mod status;
mod tool;
mod up;
mod words;

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use forerun_platform::Platform;
use forerun_platform::file::without_numbers;

use place::Place;
use up::Standing;
use words::{Request, Run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (sentence, status) = match words::request(&words) {
        Ok(request) => match answer(request) {
            Ok(text) => {
                println!("{text}");
                return ExitCode::SUCCESS;
            }
            Err(sentence) => (sentence, 1),
        },
        Err(sentence) => (sentence, 2),
    };
    eprintln!("testbed: {}", without_numbers(&sentence));
    ExitCode::from(status)
}

fn answer(request: Request) -> Result<String, String> {
    match request {
        Request::Help => Ok(words::HELP.to_string()),
        Request::Up { file, oversubscribe } => up::up(&platform(&file)?, oversubscribe),
        Request::Down { file } => up::down(&Place::of(&layout::Layout::of(&platform(&file)?)?.name)),
        Request::DownAll => {
            let told: Vec<String> = up::all().iter().map(up::down).collect::<Result<_, _>>()?;
            Ok(if told.is_empty() { "no testbed is up".into() } else { told.join("\n") })
        }
        Request::Status { file } => status::status(&Standing::of(&platform(&file)?)?),
        Request::Run(run) => self::run(&run),
        Request::Load { file, load } => load::load(&Standing::of(&platform(&file)?)?, &load),
        Request::LoadSend(words) => load::send(&words).map(|n| n.to_string()),
        Request::LoadReceive(words) => load::receive(&words).map(|n| n.to_string()),
    }
}

fn platform(file: &str) -> Result<Platform, String> {
    Platform::resolve(file).map_err(|e| e.to_string())
}

/// Becomes the command, on its host.
fn run(run: &Run) -> Result<String, String> {
    let testbed = Standing::of(&platform(&run.file)?)?;
    let hosts = &testbed.layout.hosts;
    let host = run.host.as_deref().unwrap_or(&hosts[0].name);
    let count = run.count.unwrap_or(hosts.len());
    if count > hosts.len() {
        return Err(format!("-n {count} is more than the {} hosts of {}", hosts.len(), testbed.place.name()));
    }
    let mut command = Command::new(testbed.place.path("enter"));
    command.arg(host).args(&run.command).envs(entry::environment(&testbed.place, count));
    Err(format!("{} could not be started: {}", testbed.place.path("enter").display(), command.exec()))
}
