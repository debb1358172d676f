//! A group of one rank: every task's result is delivered, nothing is merged or sent.

use super::Bound;
use super::costs::Costs;
use super::timing::{Timing, Totals};

/// `open + n (T + sink(1)) + close`.
pub(super) fn timing(c: &Costs, n: u64) -> Timing {
    let (tasks, sink) = (c.tasks(n), c.sink(1));
    let each = if n > 0 { tasks / n as f64 + sink } else { c.task + sink };
    let mut totals = Totals::default();
    totals.ran(c, n);
    totals.delivered(n as f64, sink);
    totals.delivered(2.0, c.open());
    Timing {
        seconds: tasks + n as f64 * sink + 2.0 * c.open(),
        fill: c.open(),
        drain: c.open(),
        cycle: each,
        results: 1.0,
        bound: Bound::largest(&[(Bound::Task, c.task), (Bound::Sink, sink)]),
        path_tasks: n as f64,
        racers: 1.0,
        totals,
    }
}
