//! Master and slaves where the merge keeps the order: the master takes results from one slave after the other.

use super::program::{Step, deliver, merge};
use super::{Form, Reduction};

pub(super) fn programs(of: &Reduction<'_>, form: Form) -> Vec<Vec<Step>> {
    let slaves = of.ranks - 1;
    let tasks = match form {
        Form::Run => of.tasks,
        Form::Stream => slaves as u64,
    };
    let mut all: Vec<Vec<Step>> = vec![Vec::new(); of.ranks];
    if form == Form::Run {
        all[0].push(Step::Open);
    }
    let mut held = 0;
    // A slave without a task says so once.
    for turn in 0..tasks.max(slaves as u64) {
        let slave = 1 + (turn % slaves as u64) as usize;
        let results = u64::from(turn < tasks);
        if results > 0 {
            all[slave].push(Step::Task);
        }
        all[slave].push(Step::Send(0, results));
        all[0].push(Step::Receive(slave, results));
        merge(&mut all[0], &mut held, results);
        if held >= slaves as u64 {
            deliver(&mut all[0], &mut held);
        }
    }
    deliver(&mut all[0], &mut held);
    if form == Form::Run {
        all[0].push(Step::Close);
    }
    all
}
