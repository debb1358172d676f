//! Which mapping is best.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use forerun_pepa::measures::Measures;
use forerun_pepa::model::{Settings, compile};
use forerun_pepa::pipeline::Pipeline;
use forerun_pepa::solve::{Solving, steady};
use forerun_pepa::space::{Exploration, Space};
use forerun_pepa::syntax::{Dialect, parse};
use serde::Serialize;

use super::Description;

/// A mapping that was solved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// The processor of each stage, from 1.
    pub mapping: Vec<usize>,
    /// How many inputs pass through a second.
    pub throughput: f64,
    /// The states of its model.
    pub states: usize,
    /// The transitions of its model.
    pub transitions: usize,
}

/// Solves every candidate, on so many threads, and puts the best first; equally good ones (to twelve digits) in the
/// order in which they were named. `done` is told of each. `stop` ends it early: then there is none.
///
/// # Errors
/// A model that cannot be solved, with its mapping.
pub fn rank(
    description: &Description,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Candidate>, String> {
    let all = &description.candidates;
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Result<Candidate, String>)>> = Mutex::new(Vec::with_capacity(all.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, all.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(mapping) = all.get(at).filter(|_| !stop()) else { return };
                    let solved = solve(&description.pipeline(mapping), stop);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((at, solved));
                    done();
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(at, _)| *at);
    let mut ranked =
        found.into_iter().map(|(_, solved)| solved).collect::<Result<Vec<Candidate>, String>>()?;
    // Stable, so that equal ones stay in their order; rounding does not tell them apart.
    let digits = |t: f64| format!("{t:.11e}").parse::<f64>().unwrap_or(t);
    ranked.sort_by(|a, b| digits(b.throughput).total_cmp(&digits(a.throughput)));
    Ok(ranked)
}

fn solve(pipeline: &Pipeline, stop: &dyn Fn() -> bool) -> Result<Candidate, String> {
    let mapping = pipeline.mapping.clone();
    let place = |why: String| format!("mapping {mapping:?}: {why}");
    let parsed = parse(&pipeline.model(), Dialect::Any);
    let first =
        |all: &[forerun_pepa::syntax::Diagnostic]| all.first().map_or(String::new(), |d| d.message.clone());
    let model = parsed.model.ok_or_else(|| place(first(&parsed.diagnostics)))?;
    let compiled = compile(&model, &Settings::new());
    let system = compiled.system.ok_or_else(|| place(first(&compiled.problems)))?;
    let how = Exploration { threads: 1, ..Exploration::default() };
    let space = Space::explore(&system, &how, &mut |_| !stop()).map_err(|e| place(e.to_string()))?;
    let found = steady(&system, &space, &Solving::default(), stop).map_err(|e| place(e.to_string()))?;
    let measures = Measures::of(&system, &space, &found.x);
    let throughput = measures.throughput_of("process_1").unwrap_or(0.0);
    Ok(Candidate {
        mapping: pipeline.mapping.clone(),
        throughput,
        states: space.states(),
        transitions: space.transitions(),
    })
}
