//! The parallel pipeline (Kuntraruk, Pottenger and Ross, figures 1 and 4): in step t, with level l = t mod n, a
//! rank whose digit l in base a is less than a − 1 sends what it holds to the rank with a − 1 there and takes a new
//! task; the others receive and merge.

use super::program::{Step, deliver, merge};
use super::{Form, Reduction};

/// Steps of a stream that are left out, and those that are kept, in numbers of levels.
const LEFT_OUT: u64 = 2;

pub(super) fn programs(of: &Reduction<'_>, form: Form) -> Vec<Vec<Step>> {
    let (ranks, arity) = (of.ranks, of.arity);
    let levels = ranks.ilog(arity);
    let each = (ranks - ranks / arity) as u64;
    let (tasks, steps) = match form {
        Form::Run => {
            let taking = of.tasks.saturating_sub(ranks as u64).div_ceil(each);
            (of.tasks, taking + u64::from(levels))
        }
        // In equilibrium every rank does the same again after as many steps as there are levels.
        Form::Stream => (u64::MAX, (LEFT_OUT + 1) * u64::from(levels)),
    };
    let last = ranks - 1;
    let mut all: Vec<Vec<Step>> = vec![Vec::new(); ranks];
    let mut held: Vec<u64> = (0..ranks as u64).map(|rank| u64::from(rank < tasks)).collect();
    all[last].push(Step::Open);
    for (steps, _) in all.iter_mut().zip(&held).filter(|(_, held)| **held > 0) {
        steps.push(Step::Task);
    }
    for step in 0..steps {
        if form == Form::Stream && step == LEFT_OUT * u64::from(levels) {
            all.iter_mut().for_each(Vec::clear);
        }
        let stride = arity.pow((step % u64::from(levels)) as u32);
        let first = ranks as u64 + step * each;
        let above = ranks / (stride * arity);
        for receiver in (0..ranks).filter(|r| r / stride % arity == arity - 1) {
            let base = receiver - (arity - 1) * stride;
            let mut came = 0;
            for digit in 0..arity - 1 {
                let sender = base + digit * stride;
                let results = std::mem::take(&mut held[sender]);
                all[sender].push(Step::Send(receiver, results));
                all[receiver].push(Step::Receive(sender, results));
                merge(&mut all[receiver], &mut came, results);
                let high = receiver / (stride * arity);
                let task = first + (high + (sender % (stride * arity)) * above) as u64;
                if task < tasks {
                    all[sender].push(Step::Task);
                    held[sender] = 1;
                }
            }
            if came > 0 && held[receiver] > 0 {
                all[receiver].push(Step::Merge(came, held[receiver]));
            }
            held[receiver] += came;
        }
        if step + 1 >= u64::from(levels) {
            let mut of_last = held[last];
            deliver(&mut all[last], &mut of_last);
            held[last] = of_last;
        }
    }
    if form == Form::Run {
        let mut of_last = held[last];
        deliver(&mut all[last], &mut of_last);
        all[last].push(Step::Close);
    }
    all
}
