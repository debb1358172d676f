//! How fast virtual time runs, and what a rank costs there.

use std::io;
use std::process::Command;

use forerun_platform::{
    Bytes, Cost, Measured, Network, Overhead, ReductionProfile, Seconds, SecondsPerByte, Sharing, Strategy,
};
use forerun_sim::costed::{Costed, Inputs};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, Totals, run_totals};
use forerun_skeleton::reduction::{Reduction, Runner, Shape};
use forerun_skeleton::{Message, Options, Program, RunError};
use rustix::time::{ClockId, clock_gettime};

use crate::record::Record;
use crate::table::{Contender, Table};

/// Tasks where there are few ranks.
const TASKS: u64 = 1 << 19;
/// Ranks on which the bytes of each are measured as well, and tasks there: the runtime itself takes
/// too much beside fewer ranks. The last is a run that goes on, so that making the ranks and the buffers between them is little
/// of it.
const MANY: [(usize, u64); 3] = [(1 << 10, TASKS), (1 << 20, 4 << 20), (1 << 20, LONG)];
const LONG: u64 = 96 << 20;
/// Argument of the process that runs a strategy on so many ranks.
const ALONE: &str = "--simulate-alone";

/// Measures every strategy on every number of ranks.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    for ranks in [16, 64, 256, 1024] {
        let contender = |strategy: Strategy| {
            // The adaptive strategy draws from counters more than it sends.
            let each = once(strategy, ranks, TASKS).0 as f64 / TASKS as f64;
            Contender::new(format!("{}, {each:.2} messages a task", strategy.name()), move || {
                let (messages, seconds) = once(strategy, ranks, TASKS);
                messages as f64 / seconds / 1e6
            })
        };
        let contenders = Strategy::ALL.into_iter().map(contender).collect();
        record.add(&Table::measure(
            format!("A reduction of {TASKS} tasks on {ranks} ranks"),
            "million messages a second of CPU time",
            rounds,
            contenders,
        ));
    }
    // One master that merges so many results is beyond the end of virtual time, and `adaptive` sends hardly anything.
    let goes_on = [Strategy::ParallelPipeline, Strategy::ReductionTree];
    for (i, strategy) in (0..MANY.len()).flat_map(|i| Strategy::ALL.map(|strategy| (i, strategy))) {
        if MANY[i].1 == LONG && !goes_on.contains(&strategy) {
            continue;
        }
        let arguments = [ALONE, strategy.name(), &i.to_string()];
        let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        record.note(&format!("- {}", String::from_utf8_lossy(&output.stdout).trim()));
    }
    Ok(())
}

/// Runs a strategy on many ranks if the arguments ask for it; gives the line to print.
pub(crate) fn alone(mut arguments: impl Iterator<Item = String>) -> Option<String> {
    arguments.find(|a| a == ALONE)?;
    let name = arguments.next()?;
    let strategy = Strategy::ALL.into_iter().find(|s| s.name() == name)?;
    let (ranks, tasks) = *MANY.get(arguments.next()?.parse::<usize>().ok()?)?;
    // Once on few ranks, so that what the runtime needs is there.
    once(strategy, 16, 1 << 10);
    let before = status("VmRSS:");
    let (messages, seconds) = once(strategy, ranks, tasks);
    let bytes = status("VmHWM:").saturating_sub(before) * 1024 / ranks as u64;
    Some(format!(
        "{name} on {ranks} ranks, {} tasks a rank, in a process of its own: {messages} messages in \
         {seconds:.2} s of CPU time, {:.1} million a second, {bytes} bytes a rank",
        tasks / ranks as u64,
        messages as f64 / seconds / 1e6
    ))
}

/// Runs once; gives messages and seconds of CPU time.
fn once(strategy: Strategy, ranks: usize, tasks: u64) -> (u64, f64) {
    let profile = ReductionProfile {
        task: Cost::constant(0.1e-3),
        merge: Cost { per_result: 1e-6, ..Cost::default() },
        ..ReductionProfile::default()
    };
    let app = Costed::new(&profile, Inputs::Uniform { tasks, bytes: 1000 }).expect("a valid profile");
    let virtually = Virtually {
        network: network(),
        prices: Profiled::at_speed_one(&profile).expect("a valid profile"),
        options: Options::new(ranks),
    };
    let begun = cpu_seconds();
    let reduction =
        Reduction::new(&app, &app, &app, Shape::new(strategy, ranks)).expect("a shape that can be");
    let totals = reduction.run(virtually).expect("nothing in it can fail");
    (totals.messages, cpu_seconds() - begun)
}

struct Virtually {
    network: LogGps,
    prices: Profiled,
    options: Options,
}

impl<M: Message, O> Runner<M, O> for Virtually {
    type Ran = Totals<O>;

    fn run<P: Program<Msg = M, Out = O>>(self, program: &P) -> Result<Totals<O>, RunError> {
        run_totals(program, &self.network, &self.prices, &self.options)
    }
}

/// A cluster's network: 5 us, 1 GB/s.
fn network() -> LogGps {
    let overhead = Overhead {
        base: Measured::stated(Seconds(1e-6)),
        per_rank: Measured::stated(Seconds(0.0)),
        per_byte: Measured::stated(SecondsPerByte(1e-10)),
    };
    let network = Network {
        latency: Measured::stated(Seconds(5e-6)),
        send_overhead: overhead,
        receive_overhead: overhead,
        gap: Measured::stated(Seconds(0.5e-6)),
        receive_gap_per_byte: Measured::default(),
        receive_sharing: Sharing::default(),
        interference_per_byte: Measured::default(),
        send_interference_per_byte: Measured::default(),
        gap_per_byte: Measured::stated(SecondsPerByte(1e-9)),
        rendezvous_threshold: Some(Bytes(1 << 40)),
        segment: None,
        wake_up: Measured::stated(Seconds(0.0)),
        start_up: None,
        topology: None,
    };
    LogGps::new(&network, 2).expect("a valid network")
}

/// CPU time of this thread, so that other load matters less.
pub(crate) fn cpu_seconds() -> f64 {
    // Not the figure of schedstat: of a thread that runs, it is that of the last tick of the scheduler's clock.
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// A figure in KiB from the kernel; 0 where it gives none.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(field));
    line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}
