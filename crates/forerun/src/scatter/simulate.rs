//! Predictions of scatter-gather by virtual time.

use forerun_model::scatter_gather::{Blocks, Choice, Setting, effective};
use forerun_platform::{Outcome, Plan, Platform, ScatterGatherProfile, Stage, StageTotal, Way};
use forerun_sim::costed::{CostedBlocks, Inputs};
use forerun_sim::pricing::Phased;
use forerun_sim::{LogGps, run};
use forerun_skeleton::scatter_gather::{Scatter, Shape};
use forerun_skeleton::{Options, RunError};

use super::Facts;
use crate::effort::Effort;
use crate::error::{CliError, failed};
use crate::execute::TIMELINE;
use crate::signals::Interrupt;

/// How much [`simulate`] has to follow for a plan.
pub fn effort(choice: &Choice) -> Effort {
    Effort {
        processors: choice.plan.processors,
        tasks: choice.plan.grain.tasks.unwrap_or(0),
        messages: choice.prediction.messages,
        runs: 1,
        sizes: true,
    }
}

/// Simulates a plan: what every message and every call costs is charged, nothing is run.
///
/// # Errors
/// Where virtual time cannot say; interrupted.
pub fn simulate(
    facts: &Facts,
    plan: &Plan,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    interrupt: &Interrupt,
) -> Result<Outcome, CliError> {
    let ranks = plan.processors;
    let blocks = Blocks { bytes: facts.bytes, count: plan.grain.tasks.unwrap_or(0) };
    let setting = Setting { shape: Shape::from(plan), window: plan.window, ahead: plan.ahead };
    let profile = effective(costs, &setting, &blocks, platform).map_err(failed)?;
    let explain = |e: RunError| match (e, interrupt.signal()) {
        (RunError::Cancelled, Some(signal)) => CliError::Interrupted(signal),
        (e, _) => failed(e),
    };
    let sizes = (0..blocks.count).map(|i| blocks.size(i)).collect();
    let app = CostedBlocks::new(Inputs::Each(sizes), blocks.largest());
    let scatter = Scatter::new(&app, &app, &app, setting.shape).map_err(explain)?;
    let network = LogGps::on(platform, ranks).map_err(explain)?;
    let pricing = Phased::new(&profile, platform, ranks, plan.ahead).map_err(explain)?;
    let options =
        Options { ranks, window: plan.window, timeline: TIMELINE, cancel: interrupt.cancel().clone() };
    let ran = run(&scatter, &network, &pricing, &options).map_err(explain)?;
    let finish = profile.finish.seconds(facts.bytes as f64, 1.0);
    let mut outcome =
        Outcome::from_ranks(Way::Simulated, plan.clone(), ran.makespan_s + finish, ran.ranks, blocks.count);
    outcome.stages.insert(Stage::Finish, StageTotal { count: 1, total_s: finish });
    outcome.job.clone_from(&facts.name);
    outcome.input.clone_from(&facts.given);
    outcome.platform.clone_from(&platform.name);
    // The figures are off by as much as in the closed form.
    outcome.predicted = plan.predicted.map(|mut interval| {
        let shift = outcome.makespan_s - interval.makespan_s;
        interval.makespan_s += shift;
        interval.low_s = (interval.low_s + shift).max(0.0);
        interval.high_s += shift;
        interval
    });
    Ok(outcome)
}
