//! Catching panics in work without a message on the terminal: the run's error says it.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IN_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Makes panics inside [`work`] silent; other panics are reported as before. Of the process's
/// panic hook, this is set once, before the first run.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !IN_WORK.get() {
                before(info);
            }
        }));
    });
}

/// Calls `f`, in which panics are silent.
#[inline]
pub(crate) fn work<T>(f: impl FnOnce() -> T) -> T {
    // Work can hold a run of its own.
    let outer = IN_WORK.with(|w| w.replace(true));
    let value = f();
    IN_WORK.with(|w| w.set(outer));
    value
}

/// Calls `f`. A panic in [`work`] in it becomes an error with what was said; others go on.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    let outer = IN_WORK.get();
    IN_WORK.set(false);
    let result = catch_unwind(AssertUnwindSafe(f));
    let in_work = IN_WORK.replace(outer);
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
