//! Jobs as scatter-gather: what they cost ([`calibrate`]), how they are planned and predicted, and
//! their runs.

mod calibrate;
mod command;
mod costs;
mod execute;
mod planning;
mod rehearsal;
mod simulate;
mod words;

pub use calibrate::{Calibrated, calibrate};
pub use command::{
    auto, of_profile as costs_of, plan_costed, plan_job, predict_costed, predict_job, run_costed, run_job,
};
pub use execute::execute;
pub use planning::{Facts, check, plan, predicted};
pub use simulate::simulate;
