//! How fast virtual time runs: messages per second of CPU time (it has one thread, and so other
//! load on the machine matters less), medians of several runs; and bytes a rank.
//!
//! The first table is of the reduction's own patterns, with `Costed`; there tasks per second stand
//! beside messages, because the adaptive strategy sends few. Then come small programs that do
//! little but communicate. `cargo bench -p forerun-sim` runs everything but the largest;
//! `cargo bench -p forerun-sim -- million` runs 2^20 ranks of the small pipeline, and
//! `… -- million parallel-pipeline` (or `reduction-tree`) those of a real pattern with 32 tasks a rank
//! (or the number that follows), in a process of their own so that its peak memory is theirs.

mod programs;
mod real;

use forerun_platform::{Cost, ReductionProfile, Strategy};
use forerun_sim::{LogGps, Totals, pricing, run_totals};
use forerun_skeleton::{Options, Program};
use rustix::time::{ClockId, clock_gettime};

use programs::{Claims, Farm, MasterSlave, Pipeline, Stream};
use real::Real;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    // For instruction counters such as valgrind's: one short run.
    if args.iter().any(|a| a == "count-pipeline") {
        return count(&Pipeline { levels: 6, steps: 2048 }, 64);
    }
    if args.iter().any(|a| a == "count-master") {
        return count(&MasterSlave { tasks: 1 << 16 }, 64);
    }
    if let Some(strategy) = args.iter().find_map(|a| strategy(a.strip_prefix("count-real-")?)) {
        let totals = Real { strategy, ranks: 64, tasks: 1 << 16 }.run(&network());
        return println!("{} messages", totals.messages);
    }
    let wanted = |name: &str| args.is_empty() || args.iter().any(|a| name.contains(a.as_str()));
    if args.iter().any(|a| a == "million")
        && let Some(strategy) = args.iter().find_map(|a| strategy(a))
    {
        let each = args.iter().find_map(|a| a.parse().ok()).unwrap_or(32);
        return real_million(strategy, each);
    }
    if args.iter().any(|a| a == "million") {
        let window = args.iter().find_map(|a| a.parse().ok()).unwrap_or(4);
        million(window);
        return;
    }
    if wanted("real") {
        println!("{:32} {:>8} {:>24} {:>10}", "pattern", "M msg/s", "(least to most)", "M tasks/s");
        for strategy in Strategy::ALL {
            for ranks in [16, 64, 1024] {
                let real = Real { strategy, ranks, tasks: 1 << 20 };
                real_rates(&real);
            }
        }
    }
    for levels in [4, 6, 8, 10] {
        let program = Pipeline { levels, steps: (1 << 22) >> levels };
        if wanted("pipeline") {
            report(&format!("pipeline, {} ranks", program.ranks()), &program, program.ranks(), 4, 7);
        }
    }
    for ranks in [64, 1024] {
        if wanted("master") {
            report(&format!("master-slave, {ranks} ranks"), &MasterSlave { tasks: 1 << 20 }, ranks, 4, 7);
        }
        if wanted("farm") {
            report(&format!("farm, {ranks} ranks"), &Farm { tasks: 1 << 20 }, ranks, 4, 7);
        }
        if wanted("claims") {
            report(&format!("claims, {ranks} ranks"), &Claims { tasks: 1 << 20 }, ranks, 4, 7);
        }
    }
    if wanted("stream") {
        report("stream, 2 ranks", &Stream { messages: 1 << 21 }, 2, 4, 7);
    }
}

fn strategy(name: &str) -> Option<Strategy> {
    Strategy::ALL.into_iter().find(|s| s.name() == name)
}

fn network() -> LogGps {
    let text = forerun_platform::Network {
        latency: measured(forerun_platform::Seconds(5e-6)),
        send_overhead: overhead(1e-6),
        receive_overhead: overhead(1.5e-6),
        gap: measured(forerun_platform::Seconds(0.5e-6)),
        gap_per_byte: measured(forerun_platform::SecondsPerByte(1e-9)),
        rendezvous_threshold: Some(forerun_platform::Bytes(1 << 40)),
        ..forerun_platform::Network::default()
    };
    LogGps::new(&text, 2).expect("a valid network")
}

fn measured<T>(value: T) -> forerun_platform::Measured<T> {
    forerun_platform::Measured::stated(value)
}

fn overhead(base: f64) -> forerun_platform::Overhead {
    forerun_platform::Overhead {
        base: measured(forerun_platform::Seconds(base)),
        per_rank: measured(forerun_platform::Seconds(0.0)),
        per_byte: measured(forerun_platform::SecondsPerByte(1e-10)),
    }
}

fn prices() -> pricing::Profiled {
    let profile = ReductionProfile {
        task: Cost::constant(0.1e-3),
        merge: Cost { per_result: 1e-6, ..Cost::default() },
        ..ReductionProfile::default()
    };
    pricing::Profiled::at_speed_one(&profile).expect("a valid profile")
}

/// Runs once; gives messages (or operations, where there are none) and seconds.
fn once<P: Program>(program: &P, ranks: usize, window: usize) -> (u64, f64) {
    let (network, prices) = (network(), prices());
    let options = Options { window, ..Options::new(ranks) };
    messages_and_seconds(|| run_totals(program, &network, &prices, &options).expect("the run ends"))
}

fn messages_and_seconds<O>(run: impl FnOnce() -> Totals<O>) -> (u64, f64) {
    let start = cpu_seconds();
    let totals = run();
    let seconds = cpu_seconds() - start;
    let works: u64 = totals.stages.values().map(|s| s.count).sum();
    (if totals.messages > 0 { totals.messages } else { works / 4 }, seconds)
}

fn count<P: Program>(program: &P, ranks: usize) {
    let totals = run_totals(program, &network(), &prices(), &Options::new(ranks)).expect("the run ends");
    println!("{} messages", totals.messages);
}

fn report<P: Program>(name: &str, program: &P, ranks: usize, window: usize, times: usize) {
    rates(name, times, || once(program, ranks, window));
}

fn rates(name: &str, times: usize, mut run: impl FnMut() -> (u64, f64)) {
    let mut rates: Vec<f64> = (0..times)
        .map(|_| {
            let (messages, seconds) = run();
            messages as f64 / seconds
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!(
        "{name:32} {:8.1} M/s   ({:.1} to {:.1})",
        rates[times / 2] / 1e6,
        rates[0] / 1e6,
        rates[times - 1] / 1e6
    );
}

fn real_rates(real: &Real) {
    let mut runs: Vec<(f64, f64)> = (0..5)
        .map(|_| {
            let (messages, seconds) = messages_and_seconds(|| real.run(&network()));
            (messages as f64 / seconds / 1e6, real.tasks as f64 / seconds / 1e6)
        })
        .collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, median, most) = (runs[0], runs[2], runs[4]);
    let range = format!("({:.2} to {:.2})", least.0, most.0);
    println!("{:32} {:8.2} {range:>24} {:10.2}", real.name(), median.0, median.1);
}

fn real_million(strategy: Strategy, each: u64) {
    let ranks = 1 << 20;
    let real = Real { strategy, ranks, tasks: each * ranks as u64 };
    let before = status("VmRSS:");
    let (messages, seconds) = messages_and_seconds(|| real.run(&network()));
    let bytes = (status("VmHWM:") - before) * 1024 / real.ranks as u64;
    println!(
        "{}: {messages} messages in {seconds:.1} s, {:.1} M/s, {bytes} bytes a rank",
        real.name(),
        messages as f64 / seconds / 1e6
    );
}

fn million(window: usize) {
    let program = Pipeline { levels: 20, steps: 200 };
    let before = status("VmRSS:");
    let (messages, seconds) = once(&program, program.ranks(), window);
    let bytes = (status("VmHWM:") - before) * 1024 / program.ranks() as u64;
    println!(
        "pipeline, 2^20 ranks, window {window}: {messages} messages in {seconds:.1} s, {:.1} M/s, {bytes} bytes a rank",
        messages as f64 / seconds / 1e6
    );
}

/// A figure in KiB from the kernel; 0 where it gives none.
fn status(field: &str) -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|s| {
            s.lines().find_map(|l| l.strip_prefix(field)?.trim().strip_suffix(" kB")?.trim().parse().ok())
        })
        .unwrap_or(0)
}

/// CPU time of this thread.
fn cpu_seconds() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}
