//! Long work, with progress, which a signal ends.

use crate::commands::Context;
use crate::error::CliError;
use crate::execute::stop_if_interrupted;

/// Does work that asks after each of its steps whether to stop: it does at a signal. How many steps were done is shown
/// on a terminal, and how long the rest may take where it is known about how many there are.
///
/// # Errors
/// A signal was heard.
pub(super) fn counted<T>(
    context: &Context,
    steps: Option<f64>,
    what: &'static str,
    work: impl FnOnce(&dyn Fn() -> bool) -> T,
) -> Result<T, CliError> {
    let bar = context.console.bar(steps.map(|n| n.ceil() as u64), what);
    let stop = || {
        bar.inc(1);
        context.interrupt.signal().is_some()
    };
    let done = context.interrupt.busy(|| Ok(work(&stop)));
    bar.finish_and_clear();
    stop_if_interrupted(&context.interrupt)?;
    done
}
