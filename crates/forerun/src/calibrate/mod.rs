//! Measuring this machine: what becomes its platform file.
//!
//! Every figure is the median of repeated measurements with its 95 % interval; repeating ends when
//! the interval is narrow (2 % to either side, quick 5 %) or the time is over (about 15 s, quick
//! 2 s; half as much again where a machine is busy). The measurements take turns in random order, each starts the endpoint anew, and within
//! each the lower quartile of short batches stands for it, so that a machine that does other things too
//! moves the figures little. What such a machine spoils all the same is told by how much of the processors the threads got, and by
//! what the figures came out as (`doubt.rs`): it is measured once more, and never kept while it is in doubt. Other programs, a laptop's heat or a cloud's neighbours may still move
//! all of them from one hour to the next: no interval of one calibration knows that.
//!
//! Speeds are relative: this machine's is 1 by definition. The time of a fixed kernel
//! (`kernel` of the host) relates two calibrated machines: `Host::relative_speed`.

mod cache;
mod clock;
mod command;
mod cores;
mod doubt;
mod figure;
mod mpi;
mod pin;
mod plan;
mod series;
mod storage;
mod table;
mod this_machine;
mod threads;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use forerun_platform::statistics::Estimate;
use forerun_platform::statistics::FEWEST;
use forerun_platform::{BytesPerSecond, Seconds, SecondsPerByte};
use forerun_platform::{
    Contention, Host, Machine, Measured, Network, Overhead, Platform, Share, Sharing, StartUp, Storage,
};
use forerun_skeleton::{Cancel, RunError};

pub use cache::{Cache, CacheError};
pub use command::calibrate_command;
pub use figure::{Figure, Key};
pub use mpi::calibrate_mpi;
pub use table::table;
pub use this_machine::{Origin, ThisMachine, for_this_machine};

/// What to measure and how well.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Under 3 s, with wider intervals.
    pub quick: bool,
    /// The directory whose storage is measured; `None` measures none.
    pub storage: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The platform.
    pub platform: Platform,
    /// Every figure, those that a platform has no place for too.
    pub figures: Vec<Figure>,
    /// What a person should know about it.
    pub notes: Vec<String>,
    /// Why the figures cannot be relied on, if they cannot.
    pub doubt: Option<String>,
}

/// Measures this machine, once more where what was found is in doubt: the threads that measured did not have their processors, or
/// figures of messages came out as none of threads on one machine, too rarely or too differently. `progress` is told what is measured and which part of all is done.
///
/// # Errors
/// Cancelled, threads cannot be started, or the storage that is asked for cannot be measured.
pub fn calibrate(
    options: &Options,
    progress: &dyn Fn(&str, f64),
    cancel: &Cancel,
) -> Result<Calibration, RunError> {
    let machine = Machine::here();
    let busy = busy(&machine);
    let reading = clock::reading();
    let plan::Everything { figures, storage, doubt } =
        plan::measure(options, &machine, reading, progress, cancel)?;
    progress("done", 1.0);
    let mut notes: Vec<String> = busy.filter(|_| doubt.is_none()).into_iter().collect();
    let few = figures.iter().filter(|f| f.estimate.repetitions < FEWEST).count();
    if few > 0 {
        notes.push(format!(
            "{} measured fewer than {} times before the time was over, and no interval of 95 % is known",
            if few == 1 { "1 figure was".into() } else { format!("{few} figures were") },
            FEWEST
        ));
    }
    let mut platform = platform(options, &machine, &figures, reading, storage);
    if let Some(why) = &doubt {
        platform.source = format!("doubtful ({why}): {}", platform.source);
    }
    let why = doubt.as_deref().map(doubtful);
    platform.doubt = in_doubt(notes.iter().chain(&why).map(String::as_str));
    Ok(Calibration { platform, figures, notes, doubt })
}

/// That a calibration cannot be relied on, and why, in words.
fn doubtful(why: &str) -> String {
    format!("this machine could not be measured well ({why}): predictions from it may be far off")
}

/// Notes of a calibration as its platform keeps them.
fn in_doubt<'a>(notes: impl Iterator<Item = &'a str>) -> Option<String> {
    Some(notes.collect::<Vec<_>>().join("; ")).filter(|all| !all.is_empty())
}

/// That a machine is doing other things, if it is.
fn busy(machine: &Machine) -> Option<String> {
    let load = load().filter(|load| *load > 0.5 * machine.cores as f64)?;
    Some(format!(
        "the machine was doing other things (load {load:.1}, cores {}): the figures are surer when it is idle",
        machine.cores
    ))
}

/// How many threads wanted to run in the last minute, where the system says.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn platform(
    options: &Options,
    machine: &Machine,
    figures: &[Figure],
    reading: f64,
    storage: Option<String>,
) -> Platform {
    let find = |key| figures.iter().find(|f| f.key == key).map(|f| f.estimate);
    let time = |key| measured(find(key), Seconds).unwrap_or_default();
    let share = |key| measured(find(key), Share).unwrap_or_default();
    let host = Host {
        memory: machine.memory,
        kernel: measured(find(Key::Kernel), Seconds),
        contention: Contention {
            compute: share(Key::ComputeContention),
            memory: share(Key::MemoryContention),
        },
        ..Host::new("here", 1, machine.cores)
    };
    let network = Network {
        latency: time(Key::Latency),
        send_overhead: Overhead {
            base: time(Key::Send),
            per_rank: time(Key::SendPerRank),
            ..Overhead::default()
        },
        receive_overhead: Overhead {
            base: time(Key::Receive),
            per_rank: time(Key::ReceivePerRank),
            per_byte: measured(find(Key::Touch), SecondsPerByte).unwrap_or_default(),
        },
        gap: time(Key::Gap),
        wake_up: time(Key::WakeUp),
        start_up: start_up(find(Key::StartUp), find(Key::StartUpPerRank)),
        // Messages move by ownership.
        gap_per_byte: Measured::default(),
        receive_gap_per_byte: Measured::default(),
        receive_sharing: Sharing::default(),
        interference_per_byte: Measured::default(),
        send_interference_per_byte: Measured::default(),
        rendezvous_threshold: None,
        segment: None,
        topology: None,
    };
    let read = measured(find(Key::Read), BytesPerSecond);
    let write = measured(find(Key::Write), BytesPerSecond);
    Platform {
        source: source(options, storage),
        machine: Some(machine.to_string()),
        clock: Some(clock::describe(reading)),
        measured: Some(forerun_platform::today()),
        storage: read.zip(write).map(|(read, write)| Storage { read, write }),
        ..Platform::new("this-machine", vec![host], network)
    }
}

/// What ranks beyond the first take, from what two and what each further takes.
fn start_up(two: Option<Estimate>, further: Option<Estimate>) -> Option<StartUp> {
    let per_rank = further?.not_negative();
    let base = two?;
    let less = |two: f64| two - per_rank.value;
    let base = Estimate { value: less(base.value), low: less(base.low), high: less(base.high), ..base };
    Some(StartUp { base: measured(Some(base), Seconds)?, per_rank: measured(Some(per_rank), Seconds)? })
}

/// An estimate as a figure of a platform.
fn measured<T>(estimate: Option<Estimate>, of: impl Fn(f64) -> T) -> Option<Measured<T>> {
    let e = estimate?.not_negative();
    if !e.high.is_finite() {
        return Some(Measured::stated(of(rounded(e.value))));
    }
    let [value, low, high] = [e.value, e.low, e.high].map(rounded);
    Some(Measured::within(of(value), of(low), of(high)))
}

/// The number with four significant digits: more are not known of anything measured here.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn source(options: &Options, storage: Option<String>) -> String {
    let quick = if options.quick { " --quick" } else { "" };
    let build = if cfg!(debug_assertions) { ", a build without optimisation" } else { "" };
    let mut source = format!(
        "forerun calibrate{quick} {}{build}; medians with 95 % intervals; the network is the endpoint on threads, whose messages move by ownership; speed 1 is this machine's",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(storage) = storage {
        source.push_str("; ");
        source.push_str(&storage);
    }
    source
}
