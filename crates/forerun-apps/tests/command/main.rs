//! External commands as task and merge, with real programs.

mod bad_commands;
mod bad_inputs;
mod cutting;
mod processes;
mod results;
mod util;
