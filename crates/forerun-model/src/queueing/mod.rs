//! Queueing: what waiting adds to a message, and what a closed loop of ranks comes to.
//!
//! | model | question | formula |
//! |---|---|---|
//! | [`Station`] | how long messages wait at one contention point | M/M/1, M/D/1, M/G/1 (Pollaczek–Khinchine) |
//! | [`Path`] | how long a message takes through leaf, spine and leaf, or any other sequence | the sum of its stations (equations 7 to 11 of Kuntraruk et al.) |
//! | [`Closed`] | throughput and response of ranks that wait for their answers | exact mean value analysis, several servers included, with bounds |
//!
//! Everything here is a pure function of typed quantities. A station that is offered as much as it
//! can serve or more has no steady state, and there is no figure for it: the answer is
//! [`Saturated`], with the load at which it saturates, never a negative or an infinite time.
//!
//! *Assumptions of the open models*: messages come as a Poisson stream, independent of each other,
//! and are served in order of arrival; buffers do not overflow; figures are means in the long run.
//! Messages of a program come neither at random nor for ever, so that these are first-order
//! estimates of contention (Kuntraruk et al., section IV-A, say as much of their own use).
//! *Of the closed model*: product form (see [`Closed`]).

mod closed;
mod path;
mod rate;
mod saturated;
mod station;

pub use closed::{Bounds, Centre, CentreFigures, Closed, Servers, Solution};
pub use forerun_platform::Service;
pub use path::{Passage, Path, Point, PointFigures};
pub use rate::PerSecond;
pub use saturated::Saturated;
pub use station::{Figures, Station};
