//! What a model means: names looked up, rates reckoned, sequential components as small machines.

mod compile;
mod names;
mod rates;
mod sequential;
mod system;

pub use compile::{COMPONENTS, Compiled, compile};
pub use rates::Settings;
pub use system::{Local, Move, Strength, System, TAU, Tree};

/// The name that may have been meant; names of one or two letters are too close to each other to tell.
fn close<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    forerun_platform::nearest(typed, known).filter(|_| typed.chars().count() > 2)
}
