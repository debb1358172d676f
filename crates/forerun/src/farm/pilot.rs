//! What a task costs: some from all over the input are done, as many at a time as in the run.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use forerun_apps::FarmJob;
use forerun_platform::{Bytes, Cost, FarmProfile, Wait, Way};
use forerun_skeleton::farm::Shape;
use indicatif::ProgressBar;

use super::run::farm;
use super::sink::sink;
use super::sizes::{Line, Sizes, Tried, larger, smallest_and_large_first};
use super::subset::{Aside, Trial, Trials, deliver, keep};
use crate::cli::FarmShape;
use crate::error::{CliError, failed, request};
use crate::load::{Load, Meter};
use crate::pilot::{Clock, Took, TookOutside, of_calls, widening};
use crate::signals::Interrupt;
use crate::{describe, text};

/// Seconds after which no further tasks are tried. Where a quota stalls them, as much longer by the wall, but no longer than this part of the
/// job here and so many seconds.
const ENOUGH_S: f64 = 0.5;
const STALLED_PART: f64 = 0.05;
const STALLED_S: f64 = 2.0;
/// One in so many tasks is tried, at most; and where the mean of these is off by more than [`ERROR`], as costs differ much.
const PART: usize = 10;
const PART_OF_DIFFERENT: usize = 4;
/// Part of a mean that is known well enough.
const ERROR: f64 = 0.1;
/// How often a finish is tried at most, and seconds after which it is not again.
const FINISHES: usize = 5;
const FINISHES_S: f64 = 0.05;
/// Most tasks that are tried.
const MOST: usize = 2000;
/// Tasks that are tried where inputs differ in size, unless all of them would be: of two sizes. And of so many as long as it takes no longer
/// than anybody notices.
const OF_DIFFERENT: usize = 2;
const PART_OF_QUICK: usize = 2;
const QUICK: (usize, f64) = (16, 0.02);
/// Times that a program which does nothing is started, after a first one that pays for what is set up once.
const STARTS: usize = 3;

/// Part of a task's time from which on work of others than its programs' first threads leaves it open how much of the rest was waiting.
const UNTOLD: f64 = 0.1;
/// Where twice as many at a time take more than so many times as long each, they wait for something that does little more for more.
const SLOWED: f64 = 1.5;
/// More at a time are tried where programs keep less than this part of the cores busy.
const LEFT_OVER: f64 = 0.75;
/// So many times as many at a time as were tried are thought to wait as these do.
const FURTHER: usize = 8;
/// Seconds that a task on a larger input than any before may be expected to take: so many in any case, else this part of the job, up to so many.
const LARGER_S: (f64, f64) = (1.0, 2.0);
const LARGER_PART: f64 = 0.05;
/// How far off one is, as a relative deviation, that was tried with less beside it than it has in the run.
const ALONE: f64 = 0.15;

/// Part of a task's time from which on its waiting is spoken of.
const NOTICED: f64 = 0.1;

/// How a pilot tries tasks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trying {
    /// So many at a time, and up to so many where they mostly wait.
    pub(super) slaves: usize,
    pub(super) widest: usize,
    /// Cores that they share.
    pub(super) cores: usize,
    /// How the job is to run.
    pub(super) on: Way,
}

/// What a pilot found.
pub(super) struct Found {
    pub(super) costs: FarmProfile,
    pub(super) together: Together,
    tasks: usize,
    seconds: f64,
    /// Bytes of an input in the mean.
    mean: f64,
}

/// What more tasks at a time than there are cores do to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Together {
    /// How many at a time were tried and took no longer than fewer, and how many are thought to wait as these do.
    pub(super) tried: usize,
    pub(super) most: usize,
    /// Where more at a time took as much longer: seconds from one to the next at least, however many there are.
    pub(super) each_s: f64,
    /// Bytes of memory of the largest program.
    pub(super) memory: u64,
}

impl Default for Together {
    /// What is thought where nothing was tried here.
    fn default() -> Self {
        Together { tried: usize::MAX, most: usize::MAX, each_s: 0.0, memory: 0 }
    }
}

/// Tasks that were tried at the same time.
struct Round {
    /// Slaves.
    slaves: usize,
    /// The first that is of a later one.
    to: usize,
    /// Whether they were slowed by being more than those before.
    slowed: bool,
}

/// Does some of the tasks of `rest` and takes them out of it; their answers are delivered, or kept as bytes where that is asked for. None
/// where there are too few.
///
/// # Errors
/// What failed.
pub(super) fn pilot<J: FarmJob>(
    job: &J,
    rest: &mut Vec<u64>,
    trying: Trying,
    how: &FarmShape,
    kept: Option<&Mutex<Vec<u8>>>,
    interrupt: &Interrupt,
) -> Result<Option<Found>, CliError> {
    let Trying { mut slaves, widest, cores, on } = trying;
    let begun = Instant::now();
    let bytes = |task: u64| job.bytes(task);
    let sizes = Sizes::of(rest.iter().map(|&task| bytes(task)));
    let (n, differ) = (rest.len(), sizes.differ());
    let least = if differ { OF_DIFFERENT.min(n - 1) } else { 0 };
    let most = (n / PART).clamp(slaves.min(n / 2).max(least), MOST.max(slaves));
    let further = most.max((n / PART_OF_DIFFERENT).min(MOST));
    let quick = if differ { (n / PART_OF_QUICK).min(QUICK.0) } else { 0 };
    let all = rest.clone();
    let mut order: Vec<u64> = spread_out(n).take(further.max(quick)).map(|at| all[at]).collect();
    smallest_and_large_first(&mut order, &all, bytes);
    let most = most.min(order.len());
    let start_s = if differ { start_s(job) } else { 0.0 };
    let of_all = |tried: &[Trial]| costs(&weighed(&all, tried.to_vec()), (&sizes, &bytes, start_s));
    let outside = job.outside();
    let clock = if outside { Clock::Programs } else { Clock::of_turns(slaves, cores) };
    let trials = Trials::new(clock);
    // Programs are stalled as much, whoever tells what they took.
    let stretch = clock.stretch().max(Clock::here(slaves).stretch());
    let bar = ProgressBar::hidden();
    let rehearsal = job.rehearsal();
    let aside = rehearsal.is_some().then(Aside::new);
    // What the smallest takes by itself is not to be what it takes beside another.
    let (mut from, mut round) = (0, if differ { 1 } else { slaves });
    let mut rounds: Vec<Round> = Vec::new();
    let mut tried: Vec<Trial> = Vec::new();
    // Those that waited for each other tell nothing of fewer.
    let unslowed = |tried: &[Trial], rounds: &[Round]| match rounds.last() {
        Some(last) if last.slowed => tried[..before_last(rounds)].to_vec(),
        _ => tried.to_vec(),
    };
    // Seconds of the job by as many slaves, without stalls.
    let job_s = |tried: &[Trial]| {
        of_all(tried).map_or(0.0, |of| of.task.seconds(sizes.mean(), 1.0) * n as f64 / trying.slaves as f64)
    };
    let (mut wider, mut together) = (false, Together { tried: 1, most: slaves, ..Together::default() });
    // Whether the largest had none of its size beside it.
    let mut alone = false;
    loop {
        let s = begun.elapsed().as_secs_f64();
        let is_unsure = || of_all(&tried).is_some_and(|of| of.task.error > ERROR);
        let goes_on = from < order.len()
            && (s < ENOUGH_S || s < stretch * ENOUGH_S && s < enough_s(stretch, job_s(&tried)))
            && (from < most || from < further && (wider || is_unsure()) || from < quick && s < QUICK.1);
        let larger = || {
            let of = of_all(&tried)?;
            let job_s = of.task.seconds(sizes.mean(), 1.0) * n as f64 / slaves as f64;
            let budget_s = (LARGER_PART * job_s).clamp(LARGER_S.0, LARGER_S.1);
            let of = |trial: &Trial| (bytes(trial.task) as f64, trial.took.seconds);
            let tried: Vec<(f64, f64)> = tried.iter().map(of).collect();
            larger(&all, bytes, (&tried, start_s, budget_s))
        };
        // The largest that is none too long, when two have shown what may be expected.
        let larger = if differ && from >= OF_DIFFERENT && n > from + 1 { larger() } else { None };
        let to = match larger {
            Some(task) => {
                // As in the run, it has others of its size beside it; but half of them are left.
                let is_like = |other: &u64| 2 * bytes(*other) >= bytes(task) && bytes(*other) <= bytes(task);
                let mut alike: Vec<u64> = all.iter().copied().filter(is_like).collect();
                alike.sort_unstable_by_key(|&other| (other != task, Reverse(bytes(other))));
                alike.truncate(alike.len().div_ceil(2).min(slaves).min(n - from - 1));
                alone = alike.len() < slaves;
                order.retain(|other| !alike.contains(other));
                let to = from + alike.len();
                order.splice(from..from, alike);
                to
            }
            None if goes_on && from < most => most.min(from + round),
            None if goes_on => order.len().min(from + round),
            None => break,
        };
        let tasks = &order[from..to];
        let at_a_time = slaves.min(tasks.len());
        let ranks = if at_a_time > 1 { at_a_time + 1 } else { 1 };
        let shape = Shape { attempts: how.retries.saturating_add(1), ..Shape::new(ranks) };
        let (round_begun, meter) = (Instant::now(), Meter::begin());
        farm((job, tasks), shape, 0, (&bar, Some(&trials), (kept, aside.as_ref())), interrupt)?;
        let (round_s, load) = (round_begun.elapsed().as_secs_f64(), meter.load());
        let mut new = trials.all().split_off(tried.len());
        if outside {
            let at_once = at_once(&new, round_s, at_a_time);
            let crowd = Crowd::of(&new, (round_s, at_once, cores), load);
            new.iter_mut().for_each(|trial| trial.took = crowd.took(trial));
        }
        let before = rounds.last().map_or(0, |last| last.slaves);
        let slowed = wider && at_a_time > before && slowed(&new, of_all(&tried).as_ref(), bytes);
        together.memory = new.iter().map(|trial| trial.memory).fold(together.memory, u64::max);
        let passed_s = new.iter().map(|trial| trial.took.seconds).sum::<f64>();
        tried.append(&mut new);
        rounds.push(Round { slaves: at_a_time, to: tried.len(), slowed });
        from = to;
        // Rounds of short tasks are made longer, since slaves start and end in each.
        round = (2 * round).max(slaves).min(MOST);
        if slowed {
            // As many as took no longer, and no faster than these.
            together.most = together.tried;
            together.each_s = passed_s / tasks.len() as f64 / at_a_time as f64;
            break;
        }
        together.tried = together.tried.max(at_a_time);
        together.most = together.tried.saturating_mul(FURTHER);
        // Where cores are left over, since tasks wait, more are tried at a time.
        let waits = share_of_wait(&tried[before_last(&rounds)..]);
        wider = outside && slaves < widest && slaves as f64 * (1.0 - waits) < LEFT_OVER * cores as f64;
        if wider && at_a_time == slaves {
            slaves = (2 * slaves).min(widest);
            round = slaves;
        }
    }
    let aside = aside.map_or(Vec::new(), Aside::into_answers);
    let sink = rehearsal.map_or(Cost::default(), |how| sink(job, how, &aside, on));
    for (task, answer) in aside {
        let Some(kept) = kept else {
            job.deliver(task, answer).map_err(failed)?;
            continue;
        };
        let kept = &mut *kept.lock().unwrap_or_else(PoisonError::into_inner);
        keep(job, (task, &answer), kept).map_err(failed)?;
    }
    if let Some(kept) = kept.filter(|_| job.rehearses()) {
        // Answers that were kept as bytes are to finish with as well.
        deliver(job, &kept.lock().unwrap_or_else(PoisonError::into_inner)).map_err(request)?;
    }
    let finish = finish(job, &order[..from], (trying.slaves, cores))?;
    let done: HashSet<u64> = order[..from].iter().copied().collect();
    rest.retain(|task| !done.contains(task));
    let found = of_all(&unslowed(&tried, &rounds));
    // Of tasks by their bytes, each is told by what is expected of it.
    let mean = found.as_ref().map_or(0.0, |of| of.task.seconds(sizes.mean(), 1.0));
    let like_others = |trial: &Trial| match &found {
        Some(of) if of.task.seconds(1.0, 0.0) > of.task.seconds(0.0, 0.0) => {
            // An empty input may take next to nothing by its bytes.
            let expected = of.task.seconds(job.bytes(trial.task) as f64, 1.0);
            trial.took.seconds * mean / expected.max(0.1 * trial.took.seconds)
        }
        _ => trial.took.seconds,
    };
    let begins = [0].into_iter().chain(rounds.iter().map(|round| round.to));
    let ends = rounds.iter().map(|round| round.to);
    let drift =
        of_calls(begins.zip(ends).map(|(from, to)| tried[from..to].iter().map(like_others).collect()));
    let drift = if alone { drift.hypot(ALONE) } else { drift };
    Ok(found.map(|costs| Found {
        // The run may be as far from the pilot as its rounds are from each other.
        costs: FarmProfile {
            task: Cost { error: costs.task.error.hypot(drift), ..costs.task },
            sink: Cost { error: if sink.error > 0.0 { sink.error.hypot(drift) } else { 0.0 }, ..sink },
            finish,
            ..costs
        },
        together,
        tasks: tried.len(),
        seconds: begun.elapsed().as_secs_f64(),
        mean: sizes.mean(),
    }))
}

/// Seconds after which no further tasks are tried where a quota makes all take so many times as long, the job as well, which takes `job_s` without.
fn enough_s(stretch: f64, job_s: f64) -> f64 {
    let most = (STALLED_PART * stretch * job_s).min(STALLED_S);
    (stretch * ENOUGH_S).min(most).max(ENOUGH_S)
}

/// Tasks that were tried before the last round.
fn before_last(rounds: &[Round]) -> usize {
    rounds.len().checked_sub(2).map_or(0, |at| rounds[at].to)
}

/// How much of the time of these tasks was waiting, 0 to 1.
fn share_of_wait(tried: &[Trial]) -> f64 {
    let add = |sum: Took, trial: &Trial| Took {
        seconds: sum.seconds + trial.took.seconds,
        wait: sum.wait + trial.took.wait,
    };
    tried.iter().fold(Took::default(), add).share()
}

/// Whether these tasks took much longer than is expected of them by those before, which were fewer at a time.
fn slowed(new: &[Trial], expected: Option<&FarmProfile>, bytes: impl Fn(u64) -> u64) -> bool {
    let Some(expected) = expected else { return false };
    let expected_s: f64 = new.iter().map(|t| expected.task.seconds(bytes(t.task) as f64, 1.0)).sum();
    new.iter().map(|trial| trial.took.seconds).sum::<f64>() > SLOWED * expected_s
}

/// What was on the cores while programs were tried.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crowd {
    /// How many of them were under way at once, and cores that there are.
    at_once: f64,
    cores: usize,
    /// For which part of the time all cores were taken, at most.
    busy: f64,
}

impl Crowd {
    /// Of the tasks of a round, beside the `load` of others.
    fn of(tried: &[Trial], (round_s, at_once, cores): (f64, f64, usize), load: Option<Load>) -> Crowd {
        let worked: f64 = tried.iter().filter_map(|trial| trial.outside).map(|took| took.worked).sum();
        let has_room = load.is_some_and(|load| load.has_room(at_once.ceil() as usize));
        let busy = match load {
            _ if has_room && at_once <= cores as f64 => 0.0,
            Some(load) if round_s > 0.0 => (worked / round_s + load.others()) / cores.max(1) as f64,
            _ => 1.0,
        };
        Crowd { at_once, cores, busy: busy.min(1.0) }
    }

    /// What a task took, of what passed: its work, and what it waited. Where there were no more of them than cores, what it was kept from these by others is in it;
    /// else it was kept by others of its kind, which is none of its own. What other threads and programs than the first may have been kept from
    /// a core is not told from waiting; it is no more than the part of the time in which all were taken.
    fn took(self, trial: &Trial) -> Took {
        let Some(TookOutside { passed, worked, others, waited }) = trial.outside else {
            return of_turns(trial.took, self.at_once, self.cores);
        };
        let told = if others > UNTOLD * passed { 1.0 - self.busy } else { 1.0 };
        let wait = waited * told;
        if self.at_once <= self.cores as f64 {
            return Took { seconds: passed, wait };
        }
        let turn = passed * self.cores as f64 / self.at_once;
        let work = worked.max((worked + waited - wait).min(turn)).min(passed.max(turn));
        Took { seconds: work + wait, wait }
    }
}

/// What starting a program takes, in the median; 0 where none is started.
fn start_s<J: FarmJob>(job: &J) -> f64 {
    let _ = job.start();
    let mut seconds: Vec<f64> = (0..STARTS).map_while(|_| job.start()).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
}

/// What a finish costs, by itself and for each answer: tried with the answer of one of `tasks` and with those of all.
fn finish<J: FarmJob>(job: &J, tasks: &[u64], (slaves, cores): (usize, usize)) -> Result<Cost, CliError> {
    if tasks.is_empty() || !job.rehearses() {
        return Ok(Cost::default());
    }
    let clock = Clock::of_turns(slaves, cores);
    let once = |tasks: &[u64]| -> Result<f64, CliError> {
        let begun = clock.begin();
        job.rehearse_finish(tasks).map_err(request)?;
        Ok(begun.seconds())
    };
    let several = |tasks: &[u64]| -> Result<Vec<f64>, CliError> {
        let begun = Instant::now();
        let mut seconds = vec![once(tasks)?];
        while seconds.len() < FINISHES && begun.elapsed().as_secs_f64() < FINISHES_S {
            seconds.push(once(tasks)?);
        }
        seconds.sort_unstable_by(f64::total_cmp);
        Ok(seconds)
    };
    // What is done at the first time only, the run does not do again.
    once(&tasks[..1])?;
    Ok(line(&several(&tasks[..1])?, (&several(tasks)?, tasks.len())))
}

/// The cost of which one answer and `n` answers take these seconds, in ascending order.
fn line(one: &[f64], (all, n): (&[f64], usize)) -> Cost {
    let median = |of: &[f64]| of[of.len() / 2];
    let (first, last) = (median(one), median(all));
    if n < 2 {
        return Cost { per_result: last, error: 1.0, ..Cost::default() };
    }
    let per_result = ((last - first) / (n - 1) as f64).max(0.0);
    // As far as the middle half of them is apart, it may be off.
    let error = (all[3 * all.len() / 4] - all[all.len() / 4]) / last.max(f64::MIN_POSITIVE);
    Cost { fixed: (first - per_result).max(0.0), per_result, error, ..Cost::default() }
}

/// How many of the tasks of a round were under way at once on average: fewer than slaves, where these start one after the other, end at
/// different times or have not enough to do.
fn at_once(tried: &[Trial], round_s: f64, slaves: usize) -> f64 {
    let sum: f64 = tried.iter().map(|trial| trial.took.seconds).sum();
    if round_s > 0.0 { (sum / round_s).clamp(1.0, slaves.max(1) as f64) } else { 1.0 }
}

/// Of the time of a program that was one of so many at once: no more of it than there were cores for was on one. How much less is
/// not known, and as many at once take as long again whatever it is: by the time that each takes, or by the cores that all share.
fn of_turns(took: Took, at_once: f64, cores: usize) -> Took {
    let on_a_core = (cores as f64 / at_once.max(1.0)).min(1.0);
    Took { wait: took.seconds * (1.0 - on_a_core), ..took }
}

/// What each of some tasks, of `all` in ascending order, stands for: all that are nearer to it than to another. (Costs that change over
/// the input, as those of pictures and motions do, are not those of the places where most were tried.)
fn weighed(all: &[u64], mut tried: Vec<Trial>) -> Vec<(Trial, f64)> {
    tried.sort_unstable_by_key(|trial| trial.task);
    let middle = |trial: &Trial| all.partition_point(|task| *task < trial.task) as f64 + 0.5;
    let mut from = 0.0;
    let ends = tried.windows(2).map(|two| (middle(&two[0]) + middle(&two[1])) / 2.0);
    let ends: Vec<f64> = ends.chain([all.len() as f64]).collect();
    tried.into_iter().zip(ends).map(|(trial, to)| (trial, to - std::mem::replace(&mut from, to))).collect()
}

/// Costs, their spread, and by how much those of all may be off, of tasks that stand for so many: by the task, and by the byte as well where
/// inputs differ in size and what was tried tells.
fn costs(
    tried: &[(Trial, f64)],
    (sizes, bytes, start_s): (&Sizes, &dyn Fn(u64) -> u64, f64),
) -> Option<FarmProfile> {
    let of_mean = means(tried)?;
    if !sizes.differ() {
        return Some(of_mean);
    }
    let line = |of: &dyn Fn(&Trial) -> f64, start_s: f64| {
        let tried = tried.iter().map(|(trial, weight)| Tried {
            bytes: bytes(trial.task) as f64,
            value: of(trial),
            weight: *weight,
        });
        Line::of(&tried.collect::<Vec<_>>(), (sizes, start_s))
    };
    let Some(Line { fixed, per_byte, spread, error }) = line(&|trial| trial.took.seconds, start_s) else {
        return Some(of_mean);
    };
    let waits = Took { seconds: of_mean.task.seconds(0.0, 1.0), wait: of_mean.task.wait.fixed };
    let task = Cost { fixed, per_byte, spread, error, ..Cost::default() }.waiting(waits.share());
    let result_bytes =
        line(&|trial| trial.bytes as f64, 0.0).map_or((0.0, 0.0), |line| (line.fixed, line.per_byte));
    Some(FarmProfile { task, result_bytes, ..of_mean })
}

/// Mean costs, their spread, and by how much the mean may be off, of tasks that stand for so many.
fn means(tried: &[(Trial, f64)]) -> Option<FarmProfile> {
    let (n, all) = (tried.len() as f64, tried.iter().map(|(_, weight)| weight).sum::<f64>());
    if tried.is_empty() || all <= 0.0 {
        return None;
    }
    let mean_of =
        |of: &dyn Fn(&Trial) -> f64| tried.iter().map(|(t, weight)| weight * of(t)).sum::<f64>() / all;
    let mean = mean_of(&|trial| trial.took.seconds);
    let wait = mean_of(&|trial| trial.took.wait);
    let bytes = mean_of(&|trial| trial.bytes as f64);
    let variance = mean_of(&|trial| (trial.took.seconds - mean).powi(2)) * n / (n - 1.0).max(1.0);
    // Of a single task nothing is known of the spread: it could as well have been anything.
    let spread = if n < 2.0 { 1.0 } else { variance.sqrt() / mean.max(f64::MIN_POSITIVE) };
    let wait = Wait { fixed: wait.min(mean), ..Wait::default() };
    // Uneven weights are worth fewer tasks.
    let error =
        spread * tried.iter().map(|(_, weight)| weight.powi(2)).sum::<f64>().sqrt() / all * widening(n - 1.0);
    let task = Cost { wait, spread, error, ..Cost::constant(mean - wait.fixed) };
    Some(FarmProfile { task, result_bytes: (bytes, 0.0), ..FarmProfile::default() })
}

/// The numbers below `n`, each once, in an order whose beginnings are spread evenly: those of van der Corput.
fn spread_out(n: usize) -> impl Iterator<Item = usize> {
    let bits = n.next_power_of_two().trailing_zeros();
    (0..n.next_power_of_two())
        .map(move |i| if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) })
        .filter(move |at| *at < n)
}

impl Found {
    /// What was found, in a line.
    pub(super) fn words(&self) -> String {
        let tasks = text::plural(self.tasks as u64, "task");
        format!("{} ({tasks} timed in {})", words(&self.costs, self.mean), text::seconds(self.seconds))
    }
}

/// Costs in a line, of tasks on so many bytes in the mean.
pub(super) fn words(costs: &FarmProfile, mean: f64) -> String {
    let Cost { fixed, per_byte, wait, spread, .. } = costs.task;
    let Cost { fixed: finish, per_result: each, .. } = costs.finish;
    let finish = match (finish > 0.0, each > 0.0) {
        (false, false) => String::new(),
        (true, false) => format!(", finish {}", text::seconds(finish)),
        (false, true) => format!(", finish {} a result", text::seconds(each)),
        (true, true) => format!(", finish {} and {} a result", text::seconds(finish), text::seconds(each)),
    };
    let bytes = costs.result_bytes.0 + costs.result_bytes.1 * mean;
    let sink = costs.sink.seconds(bytes, 1.0);
    // What is less than a part in a thousand bounds nothing.
    let sink = match sink * 1e3 > costs.task.seconds(mean, 1.0) {
        true => format!(", output {} ({} each)", text::seconds(sink), Bytes(bytes.round() as u64)),
        false => String::new(),
    };
    let each_byte = match per_byte + wait.per_byte {
        0.0 => String::new(),
        each => format!(" + {}", describe::per_byte(each)),
    };
    let task = text::seconds(fixed + wait.fixed) + &each_byte;
    let waits = (wait.fixed + wait.per_byte * mean) / costs.task.seconds(mean, 1.0).max(f64::MIN_POSITIVE);
    let waits = match waits >= NOTICED {
        true => format!(", waiting for {} of it", text::share(waits)),
        false => String::new(),
    };
    format!("task {task} ±{}{waits}{sink}{finish}", text::share(spread))
}

#[cfg(test)]
mod tests {
    use forerun_apps::mandelbrot::{Picture, View};
    use forerun_skeleton::farm::{Answer as _, Masters};

    use super::*;

    fn trying(slaves: usize, cores: usize) -> Trying {
        Trying { slaves, widest: slaves, cores, on: Way::Threads }
    }

    #[test]
    fn a_pilot_that_is_stalled_lasts_longer_but_costs_little_of_the_job() {
        // Without a quota, and with half of a core.
        assert_eq!([enough_s(1.0, 1e9), enough_s(2.0, 1e9)], [0.5, 1.0]);
        // A tenth of a core: two seconds, less of a job that takes 25 s there, and as without of a short one.
        assert_eq!([enough_s(10.0, 1e9), enough_s(10.0, 2.5), enough_s(10.0, 0.5)], [2.0, 1.25, 0.5]);
    }

    #[test]
    fn samples_are_spread_and_all_are_met_once() {
        for n in [0usize, 1, 2, 3, 7, 64, 100, 1001] {
            let mut all: Vec<usize> = spread_out(n).collect();
            if n == 1001 {
                let mut first: Vec<usize> = all[..16].to_vec();
                first.sort_unstable();
                assert!(first.windows(2).all(|w| w[1] - w[0] > 30), "{first:?}");
            }
            all.sort_unstable();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }

    /// On MPI, where the first rank finishes with answers that the pilot has kept as bytes.
    #[test]
    fn the_finish_is_tried_whether_answers_are_kept_or_delivered() {
        let interrupt = Interrupt::listen().expect("signals");
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        for keep in [false, true] {
            let view = View::new(("-0.75", "0"), 3.5, (512, 512), 500).expect("a view");
            let picture = Picture::new(view, std::path::Path::new("none.png")).expect("memory");
            let kept = keep.then(Mutex::default);
            let mut rest: Vec<u64> = (0..picture.tasks()).collect();
            let found =
                pilot(&picture, &mut rest, trying(1, 2), &how, kept.as_ref(), &interrupt).expect("done");
            let finish = found.expect("some were tried").costs.finish.seconds(0.0, 512.0);
            assert!(finish > 1e-4, "{keep}: {finish}");
            assert_eq!(kept.is_some_and(|kept| !kept.into_inner().expect("no panic").is_empty()), keep);
        }
    }

    /// A task of programs in which so many seconds passed, of which so many were work, of others than first threads, and waiting.
    fn outside(passed: f64, worked: f64, others: f64, waited: f64) -> Trial {
        let took = Took { seconds: passed, wait: 0.0 };
        Trial { took, outside: Some(TookOutside { passed, worked, others, waited }), ..Trial::default() }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn what_programs_wait_is_told_from_work_and_from_what_keeps_them_from_a_core() {
        // At once, part of the time in which all of two cores are taken, and what a task took: work of it and waiting.
        for (at_once, busy, task, (work, wait)) in [
            // It sleeps, or works, and has a core.
            (2.0, 0.0, outside(0.05, 0.002, 0.0, 0.048), (0.002, 0.048)),
            (2.0, 0.0, outside(0.05, 0.05, 0.0, 0.0), (0.05, 0.0)),
            // Programs of programs as well, and a core is left for all.
            (2.0, 0.0, outside(0.05, 0.02, 0.02, 0.03), (0.02, 0.03)),
            // Others take all cores: who was kept from one by them, is known of first threads only.
            (2.0, 1.0, outside(0.05, 0.02, 0.0, 0.03), (0.02, 0.03)),
            (2.0, 1.0, outside(0.05, 0.02, 0.02, 0.03), (0.05, 0.0)),
            (2.0, 1.0, outside(0.05, 0.02, 0.0, 0.0), (0.05, 0.0)),
            // Eight take turns on two cores: 0.03 of 0.04 each was kept from one by the others.
            (8.0, 1.0, outside(0.04, 0.01, 0.0, 0.0), (0.01, 0.0)),
            (8.0, 1.0, outside(0.04, 0.01, 0.01, 0.03), (0.01, 0.0)),
            // Or they sleep.
            (8.0, 0.1, outside(0.04, 0.001, 0.0, 0.039), (0.001, 0.039)),
        ] {
            let took = Crowd { at_once, cores: 2, busy }.took(&task);
            assert!(near(took.seconds, work + wait) && near(took.wait, wait), "{at_once} {busy}: {took:?}");
        }
        // Of programs of which the system says nothing, it is not known.
        let unknown = Trial { outside: None, ..outside(0.04, 0.0, 0.0, 0.04) };
        let took = |at_once| Crowd { at_once, cores: 2, busy: 0.0 }.took(&unknown);
        assert_eq!((took(2.0).wait, took(8.0).wait), (0.0, 0.03));
    }

    #[test]
    fn cores_are_taken_by_who_works_on_them() {
        let busy = |others, at_once, worked| {
            let tried = [outside(1.0, worked, worked, 1.0 - worked); 4];
            Crowd::of(&tried, (1.0, at_once, 4), Some(Load::of(others, 4))).busy
        };
        assert_eq!((busy(0.0, 4.0, 1.0), busy(2.0, 2.0, 0.1)), (0.0, 0.0));
        assert!(near(busy(2.0, 4.0, 0.1), 0.6) && near(busy(0.0, 40.0, 0.5), 0.5));
        assert_eq!((busy(4.0, 4.0, 0.5), busy(0.0, 8.0, 1.0)), (1.0, 1.0));
        assert_eq!(Crowd::of(&[], (1.0, 1.0, 4), None).busy, 1.0);
    }

    /// More at a time that take as much longer wait for the same: whatever their bytes say.
    #[test]
    fn those_that_wait_for_one_another_are_noticed() {
        let costs = FarmProfile {
            task: Cost { fixed: 0.01, per_byte: 1e-3, ..Cost::default() },
            ..FarmProfile::default()
        };
        let of = |seconds| Trial { took: Took { seconds, wait: 0.0 }, ..Trial::default() };
        for (seconds, bytes, expected) in
            [(0.01, 0, false), (0.013, 0, false), (0.02, 0, true), (0.02, 10, false), (0.04, 10, true)]
        {
            assert_eq!(slowed(&[of(seconds); 4], Some(&costs), |_| bytes), expected, "{seconds} {bytes}");
        }
        assert!(!slowed(&[of(1.0)], None, |_| 0));
    }

    /// However busy the machine is: programs that sleep wait, and a few at a time show that as many more could.
    #[test]
    fn programs_that_sleep_are_tried_several_at_a_time() {
        use forerun_apps::command::{CommandFarm, FarmSettings, Inputs, Selection};

        let interrupt = Interrupt::listen().expect("signals");
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        let dir = tempfile::tempdir().expect("a directory");
        for i in 0..100 {
            std::fs::write(dir.path().join(format!("f{i:03}")), "x").expect("written");
        }
        let inputs = Inputs::open(&Selection { paths: vec![dir.path().into()], include: Vec::new() });
        let inputs = inputs.expect("files");
        let settings = FarmSettings { command: "sleep 0.05".into(), ..FarmSettings::default() };
        // What was never read from the disk before is not waited for.
        std::process::Command::new("sleep").arg("0").status().expect("it runs");
        let job = CommandFarm::new(settings, &inputs, interrupt.cancel().clone()).expect("a job");
        let mut rest: Vec<u64> = (0..job.tasks()).collect();
        let kept = Mutex::default();
        let trying = Trying { widest: 64, ..trying(1, 2) };
        let found = pilot(&job, &mut rest, trying, &how, Some(&kept), &interrupt);
        let Found { costs, together, .. } = found.expect("done").expect("some were tried");
        if std::fs::read_to_string("/proc/self/schedstat").is_ok() {
            assert!(costs.task.wait.fixed > 0.025, "{:?}", costs.task);
            assert!(together.most >= FURTHER || together.each_s > 0.0, "{together:?}");
        } else {
            assert_eq!(costs.task.wait, Wait::default());
        }
    }

    /// What programs use of the processor is no waiting of ours, however many are tried at once.
    #[test]
    fn programs_use_cores() {
        use forerun_apps::command::{CommandFarm, FarmSettings, Inputs, Selection};

        let interrupt = Interrupt::listen().expect("signals");
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        let dir = tempfile::tempdir().expect("a directory");
        for i in 0..16 {
            std::fs::write(dir.path().join(format!("f{i:02}")), "x").expect("written");
        }
        let inputs = Inputs::open(&Selection { paths: vec![dir.path().into()], include: Vec::new() });
        let inputs = inputs.expect("files");
        let count = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; cat \"$1\"";
        let settings = FarmSettings { command: count.into(), shell: true, ..FarmSettings::default() };
        for (slaves, cores) in [(1, 2), (2, 2), (4, 2), (8, 2), (8, 1)] {
            let job = CommandFarm::new(settings.clone(), &inputs, interrupt.cancel().clone()).expect("a job");
            let mut rest: Vec<u64> = (0..job.tasks()).collect();
            let kept = Mutex::default();
            let found = pilot(&job, &mut rest, trying(slaves, cores), &how, Some(&kept), &interrupt);
            let task = found.expect("done").expect("some were tried").costs.task;
            let on_a_core = task.fixed / (task.fixed + task.wait.fixed);
            // No more at once than slaves, and fewer where they start and end one by one.
            let share = (cores as f64 / slaves as f64).min(1.0);
            assert!((0.5 * share..1.0 + 1e-9).contains(&on_a_core), "{slaves} on {cores}: {on_a_core}");
        }
    }

    /// Programs that were not all at once, since slaves start and end one by one or the last round had fewer, used more of the cores each.
    #[test]
    fn rounds_that_are_not_full_are_not_taken_for_full_ones() {
        let trial = |seconds| Trial { took: Took { seconds, wait: 0.0 }, ..Trial::default() };
        // Of four, each on a core for 1 ms of two: all at once, two by two, and one after the other.
        for (each_s, round_s) in [(2e-3, 2e-3), (1e-3, 2e-3), (1e-3, 4e-3)] {
            let together = at_once(&[trial(each_s); 4], round_s, 4);
            let took = of_turns(trial(each_s).took, together, 2);
            assert!((took.seconds - took.wait - 1e-3).abs() < 1e-12, "{each_s} in {round_s}: {took:?}");
        }
        assert_eq!((at_once(&[], 0.0, 4), at_once(&[trial(1.0)], 0.1, 4)), (1.0, 4.0));
    }

    /// A file takes some time by itself, which is not that of each answer.
    #[test]
    fn what_a_finish_takes_by_itself_is_not_taken_for_that_of_its_answers() {
        let of = line(&[1.0e-3, 1.1e-3, 5e-3], (&[2.0e-3, 2.1e-3, 2.2e-3], 11));
        assert!((of.per_result - 1e-4).abs() < 1e-12 && (of.fixed - 1e-3).abs() < 1e-12, "{of:?}");
        assert!((of.error - 0.2 / 2.1).abs() < 1e-12, "{of:?}");
        // More answers never take less, and of one nothing tells both apart.
        let of = line(&[2e-3], (&[1e-3], 5));
        assert_eq!((of.fixed, of.per_result), (2e-3, 0.0));
        assert_eq!(line(&[1e-3], (&[1e-3], 1)).per_result, 1e-3);
    }

    #[test]
    fn costs_are_means() {
        let took = |task, seconds, bytes| Trial {
            task,
            took: Took { seconds, wait: 0.5 },
            bytes,
            ..Trial::default()
        };
        let tried = vec![took(4, 3.0, 30), took(1, 1.0, 10), took(2, 2.0, 20)];
        let found = means(&weighed(&[1, 2, 4], tried.clone())).expect("some");
        assert_eq!((found.task.fixed, found.task.wait.fixed), (1.5, 0.5));
        assert_eq!((found.task.spread, found.result_bytes), (0.5, (20.0, 0.0)));
        assert!((found.task.error - 0.5 / 3f64.sqrt() * widening(2.0)).abs() < 1e-12);
        assert!(means(&[]).is_none());
        // The last stands for eight of ten, which is known less well than by three that are spread.
        let found = means(&weighed(&[1, 2, 4, 5, 6, 7, 8, 9, 10, 11], tried)).expect("some");
        assert!((found.task.fixed + 0.5 - (1.0 + 2.0 + 8.0 * 3.0) / 10.0).abs() < 1e-12);
        assert!(found.task.error > found.task.spread / 3f64.sqrt() * widening(2.0));
    }

    /// Tasks whose costs change over the input: as many as there is time for are tried, and they stand for all.
    #[test]
    fn a_sample_stands_for_the_whole_input_however_costs_change_over_it() {
        let shapes: [fn(f64) -> f64; 4] =
            [|x| 1.0 - x, |x| x * x, |x| (-12.0 * x).exp(), |x| 1.0 + f64::from(u8::from(x > 0.9)) * 20.0];
        for (at, shape) in shapes.into_iter().enumerate() {
            for (all, tried) in [(500u64, 50), (500, 63), (3000, 127), (3000, 200)] {
                let cost = |task: u64| shape(task as f64 / all as f64);
                let mean = (0..all).map(cost).sum::<f64>() / all as f64;
                let tasks: Vec<u64> = (0..all).collect();
                let some = spread_out(tasks.len()).take(tried).map(|at| at as u64).map(|task| Trial {
                    task,
                    took: Took { seconds: cost(task), wait: 0.0 },
                    ..Trial::default()
                });
                let found = means(&weighed(&tasks, some.collect())).expect("some").task.fixed;
                assert!((found / mean - 1.0).abs() < 0.05, "{at}, {tried} of {all}: {found}, {mean}");
            }
        }
    }
}
