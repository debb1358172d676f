//! What a model means: names looked up, rates reckoned, sequential components as small machines.

mod compile;
mod names;
mod rates;
mod sequential;
mod system;

pub use compile::{Compiled, compile};
pub use rates::Settings;
pub use system::{Local, Move, Strength, System, TAU, Tree};
