//! Jobs as scatter-gather: what they cost (`calibrate`), how they are planned and predicted, and
//! their runs.

mod auto;
mod calibrate;
mod costs;
mod execute;
mod figures;
mod plan;
mod planning;
mod predict;
mod rehearsal;
mod run;
mod simulate;
mod small;
mod words;

pub use auto::{auto_plan, auto_predict, auto_run};
pub use calibrate::{Calibrated, Coming, calibrate};
pub use execute::{execute, explain};
pub use figures::{of_costed, of_profile as costs_of};
pub use plan::{plan_costed, plan_job};
pub use planning::{Facts, check, check_own, plan, predicted};
pub use predict::{NO_MODEL, predict_costed, predict_job};
pub use run::{run_costed, run_job};
pub use simulate::{effort, simulate};
