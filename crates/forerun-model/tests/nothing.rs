//! A job without a task.

use forerun_model::Load;
use forerun_model::reduction::predict;
use forerun_platform::{Cost, Host, Network, Platform, ReductionProfile, Strategy};
use forerun_skeleton::reduction::Shape;

#[test]
fn no_task_takes_a_time_that_can_be_told() {
    let platform = Platform::new("here", vec![Host::new("host", 1, 2)], Network::default());
    let task = Cost { spread: 0.5, error: 0.1, ..Cost::constant(1e-3) };
    let profile = ReductionProfile { task, ..ReductionProfile::default() };
    for strategy in [Strategy::MasterSlave, Strategy::ReductionTree, Strategy::Adaptive] {
        for ranks in [1, 2] {
            let told = predict(&Shape::new(strategy, ranks), &Load::new(0, 0.0), &profile, &platform);
            assert!(told.is_ok_and(|told| told.makespan_s < 1e-3), "{} on {ranks}", strategy.name());
        }
    }
}
