//! Running an application's code so that a panic in it is an error of the run.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::{AppError, Charge, Failure};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Says that a panic on this thread is an error of the run from now on, or is not; gives what was said before.
/// While it is, the panic's message is kept off the terminal: whoever catches it says it.
#[inline]
pub fn expect_panics(expected: bool) -> bool {
    GUARDED.replace(expected)
}

/// Goes on with a panic that was expected but is no error of the run, having said what was kept off the terminal.
#[cold]
pub fn unexpected(panic: Box<dyn Any + Send>) -> ! {
    eprintln!("panicked: {}", sentence(&*panic));
    resume_unwind(panic)
}

/// Keeps the default message of a panic off the terminal while it is guarded, and notes its place. The
/// process's one hook is set once, whatever calls it how often.
pub fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if GUARDED.get() {
                PLACE.set(info.location().map(|l| format!("{}:{}", l.file(), l.line())));
            } else {
                usual(info);
            }
        }));
    });
}

/// Runs `f`; an error or a panic becomes the [`Failure`] of `charge` on `rank`.
///
/// # Errors
/// The failure.
pub fn guard<T>(
    rank: usize,
    charge: Charge,
    f: impl FnOnce() -> Result<T, AppError>,
) -> Result<T, Box<Failure>> {
    install_hook();
    let before = GUARDED.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(f));
    GUARDED.set(before);
    let (panicked, of_input, message) = match caught {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(e)) => (false, e.is_of_input(), e.to_string()),
        Err(payload) => (true, false, sentence(&*payload)),
    };
    Err(Box::new(Failure { rank, stage: charge.stage, item: charge.item, panicked, of_input, message }))
}

fn sentence(payload: &(dyn Any + Send)) -> String {
    let what = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "with a value that is not text".into());
    match PLACE.take() {
        Some(place) => format!("{what} ({place})"),
        None => what,
    }
}
