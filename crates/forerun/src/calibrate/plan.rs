//! What is measured, by which probes, in which time.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use forerun_platform::random::Random;
use forerun_platform::{Bytes, Machine};
use forerun_skeleton::{Cancel, RunError};

use super::cores::{Cores, Kernel, taken};
use super::doubt::doubt;
use super::series::{Probe, Until, repeat};
use super::storage::Scratch;
use super::threads::{Overheads, PingPong, Stream, Touch, Wake, median_of, outs, start_up, undisturbed};
use super::{Figure, Key, Options};
use crate::allocation;
use crate::error::reason;
use crate::file::shown;

/// The window that programs run with unless they are told otherwise.
const WINDOW: usize = 4;
/// Ranks beyond which overheads are not measured.
const MANY: usize = 16;

/// Ranks that are started to see what each further takes.
const STARTED: usize = 8;

/// How much of everything.
struct Effort {
    machine: Until,
    /// Once more, where the first is in doubt.
    again: Duration,
    storage: Until,
    /// Batches, or rounds, of one measurement.
    batches: usize,
    /// Largest file.
    file: usize,
}

impl Effort {
    fn new(quick: bool) -> Self {
        let until = |relative, least, seconds| Until {
            relative,
            least,
            most: 1000,
            time: Duration::from_secs_f64(seconds),
        };
        if quick {
            Effort {
                machine: until(0.05, 10, 1.4),
                again: Duration::from_secs_f64(0.9),
                storage: until(0.05, 6, 0.45),
                batches: 20,
                file: 16 << 20,
            }
        } else {
            Effort {
                machine: until(0.02, 30, 11.0),
                again: Duration::from_secs_f64(5.5),
                storage: until(0.02, 10, 4.0),
                batches: 50,
                file: 64 << 20,
            }
        }
    }
}

/// Bytes that measuring takes beside the data of cores: messages, and what the C library sets aside.
const BESIDE: u64 = 24 << 20;

/// A probe and the figures it measures.
struct Named<'a> {
    keys: Vec<Key>,
    probe: Probe<'a>,
}

fn named<'a>(keys: &[Key], sample: impl FnMut() -> Result<Vec<f64>, RunError> + 'a) -> Named<'a> {
    let floors = keys.iter().map(|k| k.floor()).collect();
    Named { keys: keys.to_vec(), probe: Probe { floors, sample: Box::new(sample) } }
}

/// What measuring gives.
pub(super) struct Everything {
    pub(super) figures: Vec<Figure>,
    /// What storage was measured.
    pub(super) storage: Option<String>,
    /// Why the figures cannot be relied on, if they cannot.
    pub(super) doubt: Option<String>,
}

/// That a limit of memory leaves `bytes` and stacks for so many cores' threads. With less data, a core would be measured otherwise, and what is
/// measured is kept for runs without the limit.
fn has_room(bytes: u64, cores: usize) -> Result<(), RunError> {
    match allocation::left(cores + 2) {
        Some(left) if left < bytes => Err(RunError::Invalid(format!(
            "memory does not suffice to measure this machine, which takes {}: a limit (ulimit -v or -d) leaves this process {}; measure it once without \
             the limit (forerun calibrate), and it is known from then on",
            Bytes(bytes),
            Bytes(left)
        ))),
        _ => Ok(()),
    }
}

/// Measures everything.
pub(super) fn measure(
    options: &Options,
    machine: &Machine,
    reading: f64,
    progress: &dyn Fn(&str, f64),
    cancel: &Cancel,
) -> Result<Everything, RunError> {
    let memory = machine.memory.map(|m| m.0);
    has_room(taken(machine.cores, memory) + BESIDE, machine.cores)?;
    let effort = Effort::new(options.quick);
    let mut random = Random::from_time();
    let disk = if options.storage.is_some() { effort.storage.time.as_secs_f64() } else { 0.0 };
    let share = effort.machine.time.as_secs_f64() / (effort.machine.time.as_secs_f64() + disk);

    progress("cores and threads", 0.0);
    let mut once = |until: Until, from: f64, to: f64| {
        let cores = Cores::new(machine.cores, memory);
        let mut probes = exchange(machine.cores, effort.batches, reading, cancel);
        probes.extend(messages(effort.batches, reading, cancel));
        probes.extend(kernels(&cores));
        let told = |part| progress("cores and threads", (from + (to - from) * part) * share);
        let figures = run(probes, until, &mut random, cancel, &told)?;
        let doubt = doubt(&figures, cores.got());
        Ok::<_, RunError>((figures, doubt))
    };
    let mut found = once(effort.machine, 0.0, 0.9)?;
    if found.1.is_some() {
        let second = once(Until { time: effort.again, ..effort.machine }, 0.9, 1.0)?;
        // What disturbs makes messages longer, never shorter.
        if second.1.is_none() || slowness(&second.0) < slowness(&found.0) {
            found = second;
        }
    }
    let (mut figures, doubt) = found;

    let mut described = None;
    if let Some(dir) = &options.storage {
        progress("storage", share);
        let told = |part| progress("storage", share + (1.0 - share) * part);
        match storage(dir, &effort, &mut random, cancel, &told) {
            Ok((measured, what)) => {
                figures.extend(measured);
                described = Some(what);
            }
            Err(_) if cancel.is_cancelled() => return Err(RunError::Cancelled),
            Err(why) => return Err(RunError::Invalid(unmeasured(dir, &why))),
        }
    }
    Ok(Everything { figures, storage: described, doubt })
}

/// Seconds of what messages are made of.
fn slowness(figures: &[Figure]) -> f64 {
    let counts = |key| matches!(key, Key::RoundTrip | Key::Gap);
    figures.iter().filter(|f| counts(f.key)).map(|f| f.estimate.value).sum()
}

fn run(
    probes: Vec<Named<'_>>,
    until: Until,
    random: &mut Random,
    cancel: &Cancel,
    progress: &dyn Fn(f64),
) -> Result<Vec<Figure>, RunError> {
    let (keys, mut probes): (Vec<_>, Vec<_>) = probes.into_iter().map(|n| (n.keys, n.probe)).unzip();
    let estimates = repeat(&mut probes, until, random, cancel, progress)?;
    let pairs = keys.into_iter().flatten().zip(estimates.into_iter().flatten());
    Ok(pairs.map(|(key, estimate)| Figure { key, estimate }).collect())
}

/// Round trips and overheads, in a run of two ranks, and how the overheads grow with the ranks
/// where more have a core of their own.
fn exchange(cores: usize, batches: usize, reading: f64, cancel: &Cancel) -> Vec<Named<'_>> {
    let overheads = move |ranks| {
        let times = outs(&Overheads::new(10 * batches, reading, cancel), ranks, WINDOW, cancel)?;
        Ok::<_, RunError>((undisturbed(&times, 0)?, undisturbed(&times, 1)?))
    };
    let keys = [Key::RoundTrip, Key::Latency, Key::Send, Key::Receive];
    let two = named(&keys, move || {
        let times = outs(&PingPong { batches: 2 * batches, batch: 5, reading }, 2, WINDOW, cancel)?;
        let round_trip = undisturbed(&times, 0)?;
        let (send, receive) = overheads(2)?;
        Ok(vec![round_trip, round_trip / 2.0 - send - receive, send, receive])
    });
    let many = cores.min(MANY);
    let more = (many > 2).then(|| {
        named(&[Key::SendPerRank, Key::ReceivePerRank], move || {
            let (few, lot) = (overheads(2)?, overheads(many)?);
            let further = (many - 2) as f64;
            Ok(vec![(lot.0 - few.0) / further, (lot.1 - few.1) / further])
        })
    });
    [Some(two), more].into_iter().flatten().collect()
}

/// Streams, large messages and sleeping receivers.
fn messages(batches: usize, reading: f64, cancel: &Cancel) -> Vec<Named<'_>> {
    let stream = move |key, window: usize| {
        named(&[key], move || {
            // Several windows a batch: what a window holds may come at once.
            let stream = Stream { batches, batch: 4 * window.max(8) };
            let times = outs(&stream, 2, window, cancel)?;
            Ok(vec![undisturbed(&times, 1)?])
        })
    };
    let mut sizes = [64 << 10, 256 << 10, 1 << 20, 4 << 20];
    let mut random = Random::from_time();
    let touch = named(&[Key::Touch], move || {
        random.shuffle(&mut sizes);
        let times = outs(&Touch { sizes: sizes.to_vec() }, 2, WINDOW, cancel)?;
        Ok(vec![times[1].iter().sum::<f64>() / sizes.len() as f64])
    });
    let wake = named(&[Key::WakeUp, Key::WakingSend], move || {
        // What an awake receiver takes, from the same moment.
        let round_trip =
            undisturbed(&outs(&PingPong { batches: 20, batch: 5, reading }, 2, WINDOW, cancel)?, 0)?;
        let times = outs(&Wake { rounds: 6 }, 2, WINDOW, cancel)?;
        Ok(vec![median_of(&times, 1)? - round_trip / 2.0, median_of(&times, 0)?])
    });
    let start = named(&[Key::StartUp, Key::StartUpPerRank], move || {
        let (two, more) = (start_up(2, cancel)?, start_up(STARTED, cancel)?);
        Ok(vec![two, (more - two) / (STARTED - 2) as f64])
    });
    vec![stream(Key::Gap, WINDOW), stream(Key::WideGap, 64), touch, wake, start]
}

/// The kernels, alone and on all cores.
fn kernels(cores: &Cores) -> Vec<Named<'_>> {
    if cores.count() == 1 {
        return vec![named(&[Key::Kernel], || Ok(vec![cores.alone(Kernel::Compute)]))];
    }
    let order = || {
        let mut alone_first = false;
        move || {
            alone_first = !alone_first;
            alone_first
        }
    };
    let (mut compute_order, mut memory_order) = (order(), order());
    let compute = named(&[Key::Kernel, Key::ComputeContention], move || {
        let (alone, share) = cores.contention(Kernel::Compute, compute_order())?;
        Ok(vec![alone, share])
    });
    let memory = named(&[Key::MemoryContention], move || {
        Ok(vec![cores.contention(Kernel::Memory, memory_order())?.1])
    });
    vec![compute, memory]
}

/// That the storage of a directory cannot be measured, and why.
fn unmeasured(dir: &Path, why: &str) -> String {
    let dir = shown(dir);
    format!(
        "--storage {dir}: its storage cannot be measured ({why}); name a directory that can be written to, with 100 MiB free"
    )
}

/// Whether the storage of a directory can be measured: asked before all else is.
///
/// # Errors
/// Why it cannot, in a sentence.
pub(super) fn check(dir: &Path, cancel: &Cancel) -> Result<(), String> {
    Scratch::new(dir, 0, cancel).map(drop).map_err(|e| {
        // Where no file can be made, some file systems say that there is none of its name.
        let refuses = e.kind() == io::ErrorKind::NotFound && dir.is_dir();
        unmeasured(dir, &if refuses { "no file can be made in it".into() } else { reason(&e) })
    })
}

fn storage(
    dir: &Path,
    effort: &Effort,
    random: &mut Random,
    cancel: &Cancel,
    progress: &dyn Fn(f64),
) -> Result<(Vec<Figure>, String), String> {
    let begun = Instant::now();
    let mut scratch = Scratch::new(dir, effort.file, cancel).map_err(|e| reason(&e))?;
    let described = scratch.describe();
    let failed = |e: std::io::Error| RunError::Invalid(reason(&e));
    let probe = named(&[Key::Write, Key::Read], move || {
        Ok(vec![scratch.write().map_err(failed)?, scratch.read().map_err(failed)?])
    });
    let until = Until { time: effort.storage.time.saturating_sub(begun.elapsed()), ..effort.storage };
    let figures = run(vec![probe], until, random, cancel, progress).map_err(|e| e.to_string())?;
    Ok((figures, described))
}

#[cfg(test)]
mod tests {
    use super::Effort;

    /// What is promised of `--quick`, and said of the other: measuring ends when its time is over (see `series.rs`), on a busy machine once
    /// more, and how long the last probes take there nobody can promise.
    #[test]
    fn measuring_has_no_more_time_than_is_said() {
        for (quick, usual_s, most_s) in [(true, 2.0, 3.0), (false, 15.0, 22.5)] {
            let Effort { machine, again, storage, .. } = Effort::new(quick);
            let once_s = (machine.time + storage.time).as_secs_f64();
            assert!(once_s <= usual_s && once_s + again.as_secs_f64() < most_s, "{quick}: {once_s} s");
        }
    }
}
