//! From a job and its figures to a plan.

use forerun_apps::{ErasedJob, Extent};
use forerun_model::Load;
use forerun_model::planner::{Choice, Divisible, Fixed, Planned, Request, considered, groups_of};
use forerun_model::reduction::{Prediction, predict};
use forerun_platform::{Bytes, Input, Interval, Outcome, Plan, Platform, ReductionProfile, Strategy, Way};
use forerun_skeleton::reduction::Shape;

use crate::cli::{FigureOptions, ShapeOptions};
use crate::commands::Context;
use crate::console::Console;
use crate::error::{CliError, request};
use crate::load::Beside;
use crate::signals::Interrupt;
use crate::simulate::{makespan, simulate};
use crate::{describe, figures, text};

/// What planning needs to know of a job.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The application's name.
    pub name: String,
    /// What it was given to work on, if that is known.
    pub given: Option<Input>,
    /// How its input can be cut, without that of tasks that are done.
    pub input: Divisible,
    /// Bytes of input of each task that is done before the run.
    pub done: Vec<u64>,
    /// For each of those the bytes of what is left that are before it, where the input can be cut anywhere; empty where that is not known.
    pub before: Vec<u64>,
    /// Whether its merge commutes.
    pub commutative: bool,
    /// Whether that is all of its input, or only like what keeps coming.
    pub known: bool,
    /// How busy others are where it is to run, if that is known.
    pub beside: Option<Beside>,
    /// Bytes of the largest task that was tried, and of the largest that is planned because of it, where tasks could be larger.
    pub tried: Option<(u64, u64)>,
}

/// Pieces that an input of unknown length is planned for: so many that its beginning and its end do not count.
const HORIZON: usize = 4096;

/// How far the costs of tasks are trusted beyond the largest that was tried.
pub(crate) const BEYOND: u64 = 4;

impl Facts {
    /// The facts of a job. Where the planner is to choose the grain, tasks are at most four times
    /// as large as the `largest` that was tried: what larger ones cost was not seen.
    pub fn of(job: &dyn ErasedJob, largest: Option<u64>, shape: &ShapeOptions) -> Self {
        let Extent { bytes, pieces, min_grain, max_grain, kept, breaks } = job.extent();
        let seen = largest.filter(|&l| l > 0 && shape.grain.is_none()).map(|l| l.saturating_mul(BEYOND));
        let seen = seen.map(|seen| seen.max(min_grain)).filter(|&seen| seen < max_grain);
        let tried = largest.zip(seen).filter(|&(_, seen)| seen < bytes);
        let max_grain = seen.unwrap_or(max_grain);
        let first = job.first_sizes();
        let known = first.is_none();
        let (pieces, breaks) = match first {
            Some(sizes) if !sizes.is_empty() => {
                (Some(sizes.into_iter().cycle().take(HORIZON).collect()), Vec::new())
            }
            _ => (pieces, breaks),
        };
        let before = if pieces.is_none() { breaks.iter().map(|&b| b as u64).collect() } else { Vec::new() };
        let input = match pieces {
            Some(sizes) => Divisible::Pieces { sizes, breaks, max_grain },
            None => Divisible::Anywhere { total_bytes: bytes, min_grain, max_grain },
        };
        let (name, given, commutative) = (job.name().into(), job.input(), job.app().commutative());
        Facts { name, given, input, done: kept, before, commutative, known, beside: None, tried }
    }
}

impl Facts {
    /// The same job where others are so busy.
    pub fn beside(self, beside: Option<Beside>) -> Self {
        Facts { beside, ..self }
    }

    /// Widens what is predicted of it by what others do.
    pub fn widen(&self, outcome: &mut Outcome) {
        if let Some(beside) = self.beside {
            beside.widen(&mut outcome.predicted, outcome.processors);
        }
    }

    /// Says that the tasks of a plan could be larger, were it known what these cost.
    fn note_tried(&self, plan: &mut Plan) {
        // The next larger that the planner looks at are about twice as large.
        let near = |most: u64| plan.grain.bytes > most / 2;
        let Some((tried, most)) = self.tried.filter(|(_, most)| near(*most)) else { return };
        let (tried, most) = (Bytes(tried), Bytes(most));
        let said = format!(
            "tasks of more than {most} are not planned, since none of more than {tried} was tried, and costs are believed up \
                 to {BEYOND} times as far (--grain asks for larger ones)"
        );
        plan.reason = if plan.reason.is_empty() { said } else { format!("{}; {said}", plan.reason) };
    }

    /// The work when it is cut by `grain` into `tasks` tasks, those that are done included.
    pub fn load(&self, grain: u64, tasks: u64) -> Load {
        let uneven = match &self.input {
            Divisible::Pieces { sizes, breaks, .. } => Load::unevenness(&groups_of(sizes, breaks, grain)),
            _ => 0.0,
        };
        let done_bytes = self.done.iter().map(|&b| b as f64).sum();
        let bytes = (self.input.bytes() + done_bytes) / tasks.max(1) as f64;
        let done = self.done.len() as u64;
        Load {
            commutative: self.commutative,
            known: self.known,
            uneven,
            done,
            done_bytes,
            ..Load::new(tasks, bytes)
        }
    }

    /// The platform of tasks of which only these costs are known, said with them.
    ///
    /// # Errors
    /// What is wrong with the platform.
    pub fn of_costed(
        &self,
        costs: &ReductionProfile,
        options: &FigureOptions,
        context: &Context,
    ) -> Result<Platform, CliError> {
        let costs = describe::profile(costs, None);
        figures::of_costed((&self.name, self.given.as_ref()), &costs, options, context)
    }

    /// That there is something to plan and to predict.
    ///
    /// # Errors
    /// That there is not.
    pub fn not_empty(&self) -> Result<(), CliError> {
        if self.nothing_left() && self.done.is_empty() {
            return Err(request(NOTHING));
        }
        Ok(())
    }

    /// Whether it is known how large tasks are: of those that are known by their costs it may not be said.
    pub fn has_sizes(&self) -> bool {
        self.given.as_ref().is_none_or(|input| input.bytes.is_some())
    }

    /// That tasks have no bytes of input, where these costs charge by them.
    fn without_bytes(&self, costs: &ReductionProfile) -> bool {
        let by_bytes = costs.task.per_byte + costs.task.wait.per_byte > 0.0 || costs.result_bytes.1 > 0.0;
        by_bytes && !self.has_sizes() && !self.nothing_left()
    }

    /// Says so.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note_without_bytes(&self, costs: &ReductionProfile, console: &Console) -> Result<(), CliError> {
        if !self.without_bytes(costs) {
            return Ok(());
        }
        console.note(
            "note",
            "how large tasks are is not said, so that nothing is charged of what the profile has by the byte of a task: give \
             their --size",
        )
    }

    /// How many pieces are planned for.
    pub fn pieces(&self) -> usize {
        match &self.input {
            Divisible::Pieces { sizes, .. } => sizes.len(),
            Divisible::Anywhere { .. } | Divisible::Tasks { .. } => 1,
        }
    }

    /// Whether there is no task left to plan for.
    pub fn nothing_left(&self) -> bool {
        match &self.input {
            Divisible::Pieces { sizes, .. } => sizes.is_empty(),
            Divisible::Anywhere { total_bytes, .. } => *total_bytes == 0,
            Divisible::Tasks { tasks, .. } => *tasks == 0,
        }
    }
}

/// What is said where there is nothing to do, so that no time is predicted.
pub const NOTHING: &str = "there is nothing to predict: the input is empty";

/// Most results that a delivery can be asked to wait for.
const MOST_RESULTS: u64 = 1 << 32;
/// Most messages that a rank can be allowed to be ahead.
pub(crate) const MOST_AHEAD: usize = 1 << 20;
/// Largest fan-in: far beyond it one rank would do nothing but merge.
const MOST_ARITY: usize = 1 << 12;

/// The grain that is asked for, in bytes.
///
/// # Errors
/// What is wrong with it.
pub fn grain(shape: &ShapeOptions) -> Result<Option<u64>, CliError> {
    let Some(text) = &shape.grain else { return Ok(None) };
    match text.parse::<Bytes>() {
        Ok(Bytes(0)) => Err(request(format!("--grain {text}: a task takes at least 1 B"))),
        Ok(Bytes(bytes)) => Ok(Some(bytes)),
        Err(e) => Err(request(format!("--grain {text}: {e}"))),
    }
}

/// The grain that is asked for, as far as it makes a difference: a task takes so much at most, so that more than there is (what is `done`
/// included) is all of it, and more than the pieces are put together to is no more than that.
///
/// # Errors
/// That the application cannot do with it.
fn fitting(grain: Option<u64>, input: &Divisible, done: u64) -> Result<Option<u64>, CliError> {
    let Some(asked) = grain else { return Ok(None) };
    let (least, most, all) = match input {
        Divisible::Anywhere { total_bytes, min_grain, max_grain } => {
            (*min_grain, *max_grain, total_bytes.saturating_add(done).max(*min_grain))
        }
        Divisible::Pieces { max_grain, .. } => (0, *max_grain, *max_grain),
        Divisible::Tasks { .. } => return Ok(grain),
    };
    let refused = |can: String| {
        let asked = text::bytes(asked);
        Err(request(format!(
            "--grain: the application can do with tasks of {can}, and {asked} are asked for"
        )))
    };
    match asked.min(all) {
        grain if grain < least => refused(format!("at least {}", text::bytes(least))),
        grain if grain > most => refused(format!("at most {}", text::bytes(most))),
        grain => Ok(Some(grain)),
    }
}

/// Looks at what is pinned, before anything is measured for a plan that cannot be.
///
/// # Errors
/// The option that cannot be met whatever the job.
pub fn check(shape: &ShapeOptions, processors: Option<usize>) -> Result<(), CliError> {
    grain(shape)?;
    let refuse = |what: String| Err(request(what));
    if !(1..=MOST_AHEAD).contains(&shape.window) {
        return refuse(format!(
            "--window {}: a rank can be at least 1 message ahead, and at most {MOST_AHEAD}",
            shape.window
        ));
    }
    if let Some(set) = shape.set.filter(|&s| !(1..=MOST_RESULTS).contains(&s)) {
        return refuse(format!(
            "--set {set}: a delivery holds at least 1 result, and at most {MOST_RESULTS}"
        ));
    }
    if let Some(arity) = shape.arity.filter(|&a| !(2..=MOST_ARITY).contains(&a)) {
        return refuse(format!(
            "--arity {arity}: the fan-in of a tree is at least 2, and at most {MOST_ARITY}"
        ));
    }
    if shape.groups == Some(0) {
        return refuse("--groups 0: there is at least 1 group".into());
    }
    if let (Some(groups), Some(p)) = (shape.groups, processors)
        && !p.is_multiple_of(groups)
    {
        return refuse(format!(
            "--groups {groups}: {} cannot be cut into {groups} groups of the same size; \
             give a divisor of {p}",
            text::plural(p as u64, "processor")
        ));
    }
    Ok(())
}

/// Plans a job: what is pinned in `shape` and `processors` stays, the rest is chosen.
///
/// # Errors
/// Why there is no such plan.
pub fn plan(
    facts: &Facts,
    profile: &ReductionProfile,
    platform: &Platform,
    shape: &ShapeOptions,
    processors: Option<usize>,
    max_processors: Option<usize>,
    interrupt: &Interrupt,
) -> Result<Planned, CliError> {
    let request = asked(facts, profile, platform, shape, processors, max_processors)?;
    let request = Request { cancel: interrupt.cancel().clone(), ..request };
    let planned = forerun_model::plan(&request);
    crate::execute::stop_if_interrupted(interrupt)?;
    let mut planned = planned.map_err(crate::error::request)?;
    for choice in planned.ranked.iter_mut().chain([&mut planned.best]) {
        choice.plan.window = shape.window;
    }
    // What keeps coming is shared out one task after the other: nothing is left to choose.
    if facts.known {
        refine(&mut planned, &request, facts, interrupt)?;
        follow(&mut planned, &request, facts, interrupt)?;
    }
    for choice in planned.ranked.iter_mut().chain([&mut planned.best]) {
        facts.note_tried(&mut choice.plan);
    }
    if let Some(beside) = facts.beside {
        for choice in planned.ranked.iter_mut().chain([&mut planned.best]) {
            let intervals = choice.plan.predicted.iter_mut().chain([&mut choice.prediction.interval]);
            beside.widen(intervals, choice.plan.processors);
        }
    }
    Ok(planned)
}

/// That what is pinned can be had on a platform, whatever the job's costs: asked before they are measured.
///
/// # Errors
/// Why there is no such plan.
pub fn possible(
    facts: &Facts,
    platform: &Platform,
    shape: &ShapeOptions,
    processors: Option<usize>,
    max_processors: Option<usize>,
) -> Result<(), CliError> {
    let unknown = ReductionProfile::default();
    let request = asked(facts, &unknown, platform, shape, processors, max_processors)?;
    forerun_model::planner::possible(&request).map_err(crate::error::request)
}

/// What the planner is asked.
fn asked<'a>(
    facts: &Facts,
    profile: &'a ReductionProfile,
    platform: &'a Platform,
    shape: &ShapeOptions,
    processors: Option<usize>,
    max_processors: Option<usize>,
) -> Result<Request<'a>, CliError> {
    check(shape, processors)?;
    let done: u64 = facts.done.iter().sum();
    let grain = fitting(grain(shape)?, &facts.input, done)?;
    let fixed = Fixed {
        strategy: shape.strategy.get(),
        processors,
        groups: shape.groups,
        arity: shape.arity,
        grain,
        set: shape.set,
    };
    let base = Request::new(platform, profile, facts.input.clone());
    // More ranks than cores would only take turns.
    let most = max_processors.unwrap_or(usize::MAX).min(base.max_processors);
    Ok(Request {
        max_processors: processors.unwrap_or(most),
        fixed,
        commutative: facts.commutative,
        known_length: facts.known,
        done: (facts.done.len() as u64, done),
        ..base
    })
}

/// Tasks, or ranks, that may be simulated to refine a plan, and shapes that are tried.
const REFINING: (u64, usize) = (100_000, 64);

/// The adaptive strategy has knobs whose settings the closed form tells apart less finely than they
/// differ: of those close to the best by the closed form, takes the best in virtual time.
fn refine(
    planned: &mut Planned,
    request: &Request<'_>,
    facts: &Facts,
    interrupt: &Interrupt,
) -> Result<(), CliError> {
    let Some(choice) = planned.ranked.iter_mut().find(|c| c.plan.strategy == Strategy::Adaptive) else {
        return Ok(());
    };
    let tasks = choice.plan.grain.tasks.unwrap_or(0).max(1);
    let tries = REFINING.1.min((REFINING.0 / tasks.max(choice.plan.processors as u64)) as usize);
    if tries < 2 || choice.plan.group_size() < 2 {
        return Ok(());
    }
    let plan = choice.plan.clone();
    let of_it = Fixed {
        strategy: Some(Strategy::Adaptive),
        processors: Some(plan.processors),
        grain: Some(plan.grain.bytes).filter(|_| !matches!(request.input, Divisible::Tasks { .. })),
        ..request.fixed
    };
    let shapes = considered(&Request { fixed: of_it, ..request.clone() }).map_err(crate::error::request)?;
    let load = facts.load(plan.grain.bytes, tasks);
    let (costs, platform) = (request.profile, request.platform);
    let mut close: Vec<(f64, Shape)> = Vec::new();
    for shape in shapes {
        crate::execute::stop_if_interrupted(interrupt)?;
        let seconds = predict(&shape, &load, costs, platform).map_err(crate::error::request)?.makespan_s;
        close.push((seconds, shape));
    }
    close.sort_by(|a, b| a.0.total_cmp(&b.0));
    close.dedup_by_key(|c| c.1);
    let mut best: Option<(f64, Plan)> = None;
    for (_, shape) in close.into_iter().take(tries) {
        let Shape { groups, arity, set, gather, deal, .. } = shape;
        let tried = Plan { groups, arity, set, gather, deal, ..plan.clone() };
        let seconds = makespan(facts, &tried, costs, platform, interrupt);
        crate::execute::stop_if_interrupted(interrupt)?;
        let Ok(seconds) = seconds else { continue };
        if best.as_ref().is_none_or(|b| seconds < b.0) {
            best = Some((seconds, tried));
        }
    }
    if let Some((_, tried)) = best {
        let prediction =
            predict(&Shape::from(&tried), &load, costs, platform).map_err(crate::error::request)?;
        choice.plan = Plan { predicted: Some(prediction.interval), ..tried };
        choice.prediction = prediction;
        planned.rank_again(request);
    }
    Ok(())
}

/// What is said of a prediction that is from virtual time.
const FOLLOWED: &str = "; tasks differ, so their run was followed in virtual time";

/// Follows the best of every strategy in virtual time where tasks differ, since some inputs are larger or some tasks done: the
/// closed form has them all take the mean, so that they share out better than they do.
fn follow(
    planned: &mut Planned,
    request: &Request<'_>,
    facts: &Facts,
    interrupt: &Interrupt,
) -> Result<(), CliError> {
    let differ = |plan: &Plan| {
        let tasks = plan.grain.tasks.unwrap_or(0);
        let load = facts.load(plan.grain.bytes, tasks);
        let some_done = 0 < load.done && load.done < tasks;
        plan.processors > 1
            && (some_done || load.uneven > 0.0)
            && tasks.max(plan.processors as u64) <= REFINING.0
    };
    let mut followed = false;
    for choice in planned.ranked.iter_mut().filter(|c| differ(&c.plan)) {
        // Where virtual time cannot say, the closed form does.
        if let Ok(outcome) = simulate(facts, &choice.plan, request.profile, request.platform, interrupt) {
            choice.plan.predicted = outcome.predicted;
            followed = true;
        }
        crate::execute::stop_if_interrupted(interrupt)?;
    }
    if followed {
        planned.rank_again(request);
        planned.best.plan.reason += FOLLOWED;
        planned.ranked[0].plan.reason += FOLLOWED;
    }
    Ok(())
}

/// What a prediction says, as an outcome.
pub fn predicted(facts: &Facts, choice: &Choice, platform: &Platform) -> Outcome {
    let Prediction { interval, messages, bytes, stages, .. } = &choice.prediction;
    Outcome {
        messages: *messages,
        bytes: *bytes,
        stages: stages.clone(),
        ..analytic((&facts.name, facts.given.as_ref()), &choice.plan, *interval, platform)
    }
}

/// The outcome of a job, with its input, that a closed form expects to take so long.
pub fn analytic(
    (job, input): (&str, Option<&Input>),
    plan: &Plan,
    interval: Interval,
    platform: &Platform,
) -> Outcome {
    let (tasks, makespan_s) = (plan.grain.tasks.unwrap_or(0) as f64, interval.makespan_s);
    Outcome {
        predicted: Some(interval),
        throughput: if makespan_s > 0.0 { tasks / makespan_s } else { 0.0 },
        job: job.into(),
        input: input.cloned(),
        platform: platform.name.clone(),
        ..Outcome::from_ranks(Way::Analytic, plan.clone(), makespan_s, Vec::new(), 0)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use forerun_model::planner::Divisible;
    use forerun_platform::{Cost, Host, Network, Platform, ReductionProfile};

    use super::{FOLLOWED, Facts, ShapeOptions, fitting, plan};
    use crate::signals::Interrupt;

    #[derive(Parser)]
    struct Asked {
        #[command(flatten)]
        shape: ShapeOptions,
    }

    fn facts(sizes: Vec<u64>, done: Vec<u64>) -> Facts {
        let input = Divisible::Pieces { sizes, breaks: Vec::new(), max_grain: u64::MAX };
        Facts {
            name: "job".into(),
            given: None,
            input,
            done,
            before: Vec::new(),
            commutative: true,
            known: true,
            beside: None,
            tried: None,
        }
    }

    /// A second for every byte of input.
    fn profile() -> ReductionProfile {
        ReductionProfile { task: Cost { per_byte: 1.0, ..Cost::default() }, ..ReductionProfile::default() }
    }

    #[test]
    fn tasks_that_differ_do_not_share_out_as_evenly_as_their_mean() {
        let platform = Platform::new("p", vec![Host::new("h", 1, 2)], Network::default());
        let interrupt = Interrupt::listen().expect("signals");
        let of = |facts: &Facts| {
            let Asked { shape } = Asked::parse_from(["job"]);
            plan(facts, &profile(), &platform, &shape, Some(2), None, &interrupt).expect("a plan")
        };
        // One file is most of the input: no two processors take half of it each.
        let mut sizes = vec![1; 20];
        sizes[11] = 60;
        let planned = of(&facts(sizes, Vec::new()));
        let (expected, closed_form) = (planned.best.expected(), planned.best.prediction.makespan_s);
        assert!(expected.makespan_s >= 60.0 && closed_form < 60.0, "{expected:?} {closed_form}");
        assert!(planned.best.plan.reason.ends_with(FOLLOWED), "{}", planned.best.plan.reason);
        assert!(planned.best.plan.reason.starts_with("60 s predicted"), "{}", planned.best.plan.reason);
        let order: Vec<f64> = planned.ranked.iter().map(|c| c.expected().makespan_s).collect();
        assert!(order.is_sorted() && order.len() > 1, "{order:?}");
        // Of like ones the closed form is enough.
        let planned = of(&facts(vec![1; 20], Vec::new()));
        assert_eq!(planned.best.expected(), planned.best.prediction.interval);
        assert!(!planned.best.plan.reason.contains(FOLLOWED));
        // Those of which some are done are followed.
        assert!(of(&facts(vec![1; 19], vec![1])).best.plan.reason.ends_with(FOLLOWED));
    }

    #[test]
    fn a_grain_of_more_than_there_is_takes_all() {
        let anywhere = |total_bytes, max_grain| Divisible::Anywhere { total_bytes, min_grain: 4, max_grain };
        let pieces = |sizes: &[u64], max_grain| Divisible::Pieces {
            sizes: sizes.to_vec(),
            breaks: Vec::new(),
            max_grain,
        };
        for (input, done, asked, taken) in [
            (anywhere(100, 1000), 0, 1 << 60, 100),
            (anywhere(100, 1000), 0, 50, 50),
            // The pilot has done some of it, or all.
            (anywhere(60, 100), 40, 1 << 60, 100),
            (anywhere(0, 100), 100, 50, 50),
            (anywhere(0, 100), 0, 50, 4),
            (pieces(&[], 100), 100, 50, 50),
            (pieces(&[10, 20], 100), 70, 1 << 60, 100),
            // One each, whatever their sizes.
            (pieces(&[10, 20], 1), 0, 15, 1),
        ] {
            assert_eq!(fitting(Some(asked), &input, done).unwrap(), Some(taken), "{input:?} {asked}");
            assert_eq!(fitting(None, &input, done).unwrap(), None);
        }
        // Memory has room for no more, and tasks have an element.
        for (asked, words) in [(1 << 60, "at most 50 B, and 1 EiB"), (3, "at least 4 B, and 3 B")] {
            let refused = fitting(Some(asked), &anywhere(100, 50), 0).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }

    /// Of a million ranks every prediction takes part of a second, and a search makes hundreds.
    #[test]
    fn a_search_that_is_ended_makes_no_further_prediction() {
        let platform = Platform::new("p", vec![Host::new("h", 1000, 1000)], Network::default());
        let of = facts(Vec::new(), Vec::new());
        let input = Divisible::Anywhere { total_bytes: 1 << 40, min_grain: 1, max_grain: 1 << 40 };
        let (facts, profile) = (Facts { input, ..of }, profile());
        let base = super::asked(
            &facts,
            &profile,
            &platform,
            &Asked::parse_from(["job"]).shape,
            Some(1_000_000),
            None,
        );
        let request = base.unwrap_or_else(|e| panic!("{e}"));
        request.cancel.cancel();
        let begun = std::time::Instant::now();
        let error = forerun_model::plan(&request).expect_err("it was ended").to_string();
        assert!(error.contains("ended"), "{error}");
        assert!(begun.elapsed().as_secs_f64() < 5.0, "{:?}", begun.elapsed());
    }
}
