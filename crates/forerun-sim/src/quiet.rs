//! Catching panics in work without a message on the terminal: the run's error says it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use forerun_skeleton::guard::{expect_panics, unexpected};

pub(crate) use forerun_skeleton::guard::install_hook as install;

/// Calls `f`. A panic in it that came from work, as `work` says, becomes an error with that and with what was said; others
/// go on, and are said then.
// All of the run is quiet, and not work by itself: in virtual time work takes little longer than saying so would.
pub(crate) fn catch<T, W>(f: impl FnOnce() -> T, work: impl FnOnce() -> Option<W>) -> Result<T, (W, String)> {
    // Work can hold a run of its own.
    let outer = expect_panics(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    expect_panics(outer);
    result.map_err(|payload| match work() {
        Some(work) => (work, said(payload.as_ref())),
        None => unexpected(payload),
    })
}

#[cold]
fn said(payload: &(dyn Any + Send)) -> String {
    if let Some(s) = payload.downcast_ref::<&str>() {
        (*s).to_owned()
    } else if let Some(s) = payload.downcast_ref::<String>() {
        s.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
