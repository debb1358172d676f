//! What work costs in virtual time.

mod availability;
mod measured;
mod phased;
mod profiled;
mod spread;
mod stalls;
#[cfg(test)]
mod tests;

use forerun_skeleton::Charge;

pub use measured::Measured;
pub use phased::Phased;
pub use profiled::Profiled;

use crate::Time;

/// What a piece of work costs on a rank. The work is always done; only its price differs.
pub trait Pricing {
    /// Does `f`, which is the work that `charge` names and which `rank` begins at `now`, and says
    /// how long the rank takes for it.
    fn price<T>(&self, rank: usize, now: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time);
}

/// Work that costs nothing: what remains is communication.
#[derive(Debug, Clone, Copy, Default)]
pub struct Free;

impl Pricing for Free {
    fn price<T>(&self, _: usize, _: Time, _: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        (f(), Time::ZERO)
    }
}
