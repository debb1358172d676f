//! Master and slaves in closed form.
//!
//! With S = P − 1 slaves, a slave's cycle is c = T + o_s(1), and the master's time for the S
//! results that arrive together is
//!
//! ```text
//! m(S) = S o_r(1) + Σ_{k=2…S} merge(k − 1, 1) + sink(S)
//! ```
//!
//! The first results arrive at a = T + o_s + transit, so N = J S + r tasks end at the latest of
//! `a + J m(S) + m(r)` (the master is never idle) and, waiting for the slaves up to the last or
//! the last but one round, `a + J c + m(r)` and `a + (J − 1) c + m(S) + m(r)`.
//!
//! Where messages wait for the master's port, or some tasks are done before the run, they are followed one by one (`meeting`), by up to 64 slaves; of more the
//! port's own time bounds the end from below.

use super::costs::Costs;
use super::timing::{Timing, Totals};
use super::{Bound, meeting};

pub(super) fn timing(own: &Costs, ranks: usize, n: u64, ordered: bool) -> Timing {
    let slaves = ranks as u64 - 1;
    let (rounds, rest) = (n / slaves, n % slaves);
    let full = |c: &Costs| slaves as f64 * c.receive(1) + c.append(slaves) + c.sink(slaves);
    // No cycle of the master is shorter than without what messages take of it while it merges.
    let least = full(own);
    let c = &own.busy();
    let full = full(c);
    let part = rest as f64 * c.receive(1) + c.append(rest) + c.sink(rest);
    let alone = c.task + c.send(1);
    let slave = alone.max(c.port(1));
    let first = alone + c.transit(1);
    let j = rounds as f64;
    // A slave without a task ends with an empty message.
    let idle = slaves.saturating_sub(n) as f64;
    // Their messages come first, while the master may still open the sink.
    let empty =
        if idle > 0.0 { c.open().max(c.send(0) + c.transit(0)) + idle * c.receive(0) } else { c.open() };
    let mut end = empty;
    if n > 0 {
        // From the first round, from the last whole one, from the rest; between them it is linear.
        end = empty.max(first) + j * full + part;
        if rounds > 0 {
            end = end.max(first + (j - 1.0) * slave + full + part);
        }
        if rest > 0 {
            end = end.max(first + j * slave + part);
        }
    }
    if ordered && n > 0 && idle > 0.0 {
        // In the order of the tasks, the empty messages come last.
        let merged = first.max(c.open()) + part - c.sink(n);
        end = merged.max(c.send(0) + c.transit(0)) + idle * c.receive(0) + c.sink(n);
    }
    // What comes to the master by its port.
    let landing = c.landing(1).0;
    let cycle = full.max(slave).max(slaves as f64 * landing);
    if n > 0 {
        end = end.max(first + (n - 1) as f64 * landing);
    }
    if c.meets(1).is_some() || own.is_entangled() || c.mixed() {
        let least = least.max(slave).max(slaves as f64 * landing);
        end = meeting::master_slave(own, slaves, n, ordered, least).or(end);
    }
    let mut totals = Totals::default();
    totals.ran(c, n);
    totals.message(own, 1, n as f64);
    totals.message(own, 0, idle);
    totals.merged(n as f64 - j - f64::from(rest > 0), j * c.append(slaves) + c.append(rest));
    totals.delivered(j, c.sink(slaves));
    totals.delivered(f64::from(rest > 0), c.sink(rest));
    totals.delivered(2.0, c.open());
    let bound = if cycle > full.max(slave) {
        Bound::Communication
    } else if full > slave {
        Bound::Master
    } else {
        Bound::largest(&[(Bound::Task, c.task), (Bound::Communication, slave - c.task)])
    };
    let path_tasks = if full > slave { 1.0 } else { n.div_ceil(slaves) as f64 };
    Timing {
        seconds: end + c.open(),
        fill: first,
        drain: if rest > 0 { part } else { full } + c.open(),
        cycle,
        results: slaves as f64,
        bound,
        path_tasks,
        racers: slaves.min(n) as f64,
        totals,
    }
}
