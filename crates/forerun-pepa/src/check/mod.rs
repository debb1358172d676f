//! What is probably not meant, though the model means something.

mod cooperation;
mod definitions;

use crate::model::{Compiled, Settings, compile};
use crate::space::{Exploration, Space, SpaceError};
use crate::syntax::{Diagnostic, Dialect, Model, parse};

/// The states that are looked at for deadlocks and passive actions without a partner, at most.
const LOOKED_AT: usize = 200_000;

/// All that there is to say about a text: what is wrong, and what is probably not meant. States are looked at up
/// to 200,000 of them. Cost: under a second.
pub fn check(text: &str, dialect: Dialect) -> Vec<Diagnostic> {
    let parsed = parse(text, dialect);
    let mut all = parsed.diagnostics;
    if let Some(model) = &parsed.model {
        all.extend(check_model(model, dialect));
    }
    all.sort_by_key(|d| (d.span.start, d.span.end, std::cmp::Reverse(d.severity)));
    all.dedup();
    all
}

fn check_model(model: &Model, dialect: Dialect) -> Vec<Diagnostic> {
    let compiled = compile(model, &Settings::new());
    let mut all = definitions::unused(model, &compiled, dialect);
    all.extend(compiled.problems.iter().cloned());
    if compiled.system.is_some() {
        all.extend(cooperation::sets(model, &compiled));
        all.extend(definitions::components(model, &compiled));
        all.extend(states(model, &compiled));
    }
    all
}

/// What only a look at the states tells.
fn states(model: &Model, compiled: &Compiled) -> Option<Diagnostic> {
    let system = compiled.system.as_ref()?;
    let span = model.system.span().range();
    let how = Exploration { aggregate: true, limit: LOOKED_AT, threads: 1 };
    match Space::explore(system, &how, &mut |_| true) {
        Err(e @ (SpaceError::Unpartnered { .. } | SpaceError::Mixed { .. })) => {
            Some(Diagnostic::error("passive", span, e.to_string()))
        }
        // Larger ones tell when they are solved.
        Err(_) => None,
        Ok(space) => {
            let stuck = |s: &usize| space.from(*s).next().is_none();
            let first = (0..space.states()).find(stuck)?;
            let count = (0..space.states()).filter(stuck).count();
            let others = if count > 1 { format!(" and in {} others", count - 1) } else { String::new() };
            let state = space.describe(system, first);
            let message = format!("nothing can happen any more in state ({state}){others}: a deadlock");
            Some(Diagnostic::warning("deadlock", span, message))
        }
    }
}
