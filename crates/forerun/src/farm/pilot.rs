//! What a task costs: some from all over the input are done, as many at a time as in the run.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use forerun_apps::FarmJob;
use forerun_platform::{Bytes, Cost, FarmProfile, Wait, Way};
use forerun_skeleton::farm::Shape;
use indicatif::ProgressBar;

use super::run::farm;
use super::sink::sink;
use super::sizes::{Line, Sizes, Tried, smallest_and_large_first};
use super::subset::{Aside, Trial, Trials, deliver, keep};
use crate::cli::FarmShape;
use crate::error::{CliError, failed, request};
use crate::pilot::{Clock, Took, of_calls, widening};
use crate::signals::Interrupt;
use crate::{describe, text};

/// Seconds after which no further tasks are tried.
const ENOUGH_S: f64 = 0.5;
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

/// What a pilot found.
pub(super) struct Found {
    pub(super) costs: FarmProfile,
    tasks: usize,
    seconds: f64,
    /// Bytes of an input in the mean.
    mean: f64,
}

/// Does some of the tasks of `rest`, so many at a time on so many cores, and takes them out of it; their answers are delivered, or
/// kept as bytes where that is asked for. None where there are too few.
///
/// # Errors
/// What failed.
pub(super) fn pilot<J: FarmJob>(
    job: &J,
    rest: &mut Vec<u64>,
    (slaves, cores, on): (usize, usize, Way),
    how: &FarmShape,
    kept: Option<&Mutex<Vec<u8>>>,
    interrupt: &Interrupt,
) -> Result<Option<Found>, CliError> {
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
    let of_all = |tried: Vec<Trial>| costs(&weighed(&all, tried), (&sizes, &bytes, start_s));
    let outside = job.outside();
    let tried = Trials::new(if outside { Clock::Programs } else { Clock::of_turns(slaves, cores) });
    let bar = ProgressBar::hidden();
    let rehearsal = job.rehearsal();
    let aside = rehearsal.is_some().then(Aside::new);
    // What the smallest takes by itself is not to be what it takes beside another.
    let (mut from, mut round) = (0, if differ { 1 } else { slaves });
    let mut rounds: Vec<usize> = Vec::new();
    let mut tried_at_once: Vec<f64> = Vec::new();
    let is_unsure = || of_all(tried.all()).is_some_and(|of| of.task.error > ERROR);
    let goes_on = |from: usize| {
        let s = begun.elapsed().as_secs_f64();
        from < order.len()
            && s < ENOUGH_S
            && (from < most || from < further && is_unsure() || from < quick && s < QUICK.1)
    };
    while goes_on(from) {
        let to = if from < most { most } else { order.len() };
        let tasks = &order[from..to.min(from + round)];
        let slaves = slaves.min(tasks.len());
        let ranks = if slaves > 1 { slaves + 1 } else { 1 };
        let shape = Shape { attempts: how.retries.saturating_add(1), ..Shape::new(ranks) };
        let round_begun = Instant::now();
        farm((job, tasks), shape, 0, (&bar, Some(&tried), (kept, aside.as_ref())), interrupt)?;
        let round_s = round_begun.elapsed().as_secs_f64();
        let all = tried.all();
        let together = at_once(&all[tried_at_once.len()..], round_s, slaves);
        tried_at_once.resize(all.len(), together);
        rounds.push(all.len());
        from += tasks.len();
        // Rounds of short tasks are made longer, since slaves start and end in each.
        round = (2 * round).max(slaves).min(MOST);
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
    let finish = finish(job, &order[..from], (slaves, cores))?;
    let done: HashSet<u64> = order[..from].iter().copied().collect();
    rest.retain(|task| !done.contains(task));
    let mut tried = tried.all();
    if outside {
        for (trial, at_once) in tried.iter_mut().zip(tried_at_once) {
            trial.took = of_turns(trial.took, at_once, cores);
        }
    }
    let begins = [0].into_iter().chain(rounds.iter().copied());
    let found = of_all(tried.clone());
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
    let drift =
        of_calls(begins.zip(&rounds).map(|(from, &to)| tried[from..to].iter().map(like_others).collect()));
    Ok(found.map(|costs| Found {
        // The run may be as far from the pilot as its rounds are from each other.
        costs: FarmProfile {
            task: Cost { error: costs.task.error.hypot(drift), ..costs.task },
            sink: Cost { error: if sink.error > 0.0 { sink.error.hypot(drift) } else { 0.0 }, ..sink },
            finish,
            ..costs
        },
        tasks: tried.len(),
        seconds: begun.elapsed().as_secs_f64(),
        mean: sizes.mean(),
    }))
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
    format!("task {task} ±{}{sink}{finish}", text::share(spread))
}

#[cfg(test)]
mod tests {
    use forerun_apps::mandelbrot::{Picture, View};
    use forerun_skeleton::farm::{Answer as _, Masters};

    use super::*;

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
            let found = pilot(&picture, &mut rest, (1, 2, Way::Threads), &how, kept.as_ref(), &interrupt)
                .expect("done");
            let finish = found.expect("some were tried").costs.finish.seconds(0.0, 512.0);
            assert!(finish > 1e-4, "{keep}: {finish}");
            assert_eq!(kept.is_some_and(|kept| !kept.into_inner().expect("no panic").is_empty()), keep);
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
        let settings = FarmSettings { command: "cat {}".into(), ..FarmSettings::default() };
        for (slaves, cores) in [(1, 2), (2, 2), (4, 2), (8, 2), (8, 1)] {
            let job = CommandFarm::new(settings.clone(), &inputs, interrupt.cancel().clone()).expect("a job");
            let mut rest: Vec<u64> = (0..job.tasks()).collect();
            let kept = Mutex::default();
            let found = pilot(&job, &mut rest, (slaves, cores, Way::Threads), &how, Some(&kept), &interrupt);
            let task = found.expect("done").expect("some were tried").costs.task;
            let on_a_core = task.fixed / (task.fixed + task.wait.fixed);
            // No more at once than slaves, and fewer where they start and end one by one.
            let share = (cores as f64 / slaves as f64).min(1.0);
            assert!((share - 1e-9..1.0 + 1e-9).contains(&on_a_core), "{slaves} on {cores}: {on_a_core}");
        }
    }

    /// Programs that were not all at once, since slaves start and end one by one or the last round had fewer, used more of the cores each.
    #[test]
    fn rounds_that_are_not_full_are_not_taken_for_full_ones() {
        let trial = |seconds| Trial { task: 0, took: Took { seconds, wait: 0.0 }, bytes: 0 };
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
        let took = |task, seconds, bytes| Trial { task, took: Took { seconds, wait: 0.5 }, bytes };
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
                    bytes: 0,
                });
                let found = means(&weighed(&tasks, some.collect())).expect("some").task.fixed;
                assert!((found / mean - 1.0).abs() < 0.05, "{at}, {tried} of {all}: {found}, {mean}");
            }
        }
    }
}
