//! Catching panics in work without a message on the terminal: the run's error says it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use forerun_skeleton::guard::{expect_panics, expects_panics};

pub(crate) use forerun_skeleton::guard::install_hook as install;

/// Calls `f`, in which panics are silent.
#[inline]
pub(crate) fn work<T>(f: impl FnOnce() -> T) -> T {
    // Work can hold a run of its own.
    let outer = expect_panics(true);
    let value = f();
    expect_panics(outer);
    value
}

/// Calls `f`. A panic in [`work`] in it becomes an error with what was said; others go on.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    let outer = expects_panics();
    expect_panics(false);
    let result = catch_unwind(AssertUnwindSafe(f));
    let in_work = expect_panics(outer);
    result.map_err(|payload| if in_work { said(payload.as_ref()) } else { resume_unwind(payload) })
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
