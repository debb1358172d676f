//! The adaptive reduction in closed form.
//!
//! *Merges that commute.* Tasks go to whoever is free, so the time is that of list scheduling: a
//! task's share of its rank's work is
//!
//! ```text
//! T' = T + fold(q) / q + o_s(q) / q        q results a set, merged in balance
//! ```
//!
//! the first rank has R = (N / q) (o_r(q) + sink(q)) beside (with pieces of less than a set, their
//! merges as well), and every other its claims. The body
//! ends when `(P − 1) ⌊(t − claims) / T'⌋ + ⌊(t − R) / T'⌋ ≥ N`. Where some tasks are done before the run, T is their mean, and the others,
//! which are whole, take no less than ⌈their number / P⌉ of them. In an even deal the body is each
//! rank's own. Then what is left on each rank, its tasks modulo q, is merged along the tree, and
//! leaves it when a set is complete.
//!
//! Where messages take time of their receiver's port, the first rank has the last piece no sooner than its port has taken all.
//!
//! *Others.* Rounds of a block of q tasks a rank; the cycle is the first rank's
//! `q T + fold(q) + sink(q) + (P − 1) (o_r(q) + sink(q))` or another's `q T + fold(q) + o_s(q)`.
//! The rest is cut evenly and merged along the tree.

use forerun_platform::Deal;

use super::Bound;
use super::climb::{Ready, Tree};
use super::costs::Costs;
use super::timing::{Timing, Totals};
use crate::Load;
use crate::landing::Landing;
use crate::leaving::Leaving;

/// Ranks, fan-in of the tree, results of a set, and how tasks are handed out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Team {
    pub(super) ranks: u64,
    pub(super) arity: u64,
    pub(super) set: u64,
    /// Results that a rank gathers before it sends them to the first rank.
    pub(super) gather: u64,
    pub(super) deal: Deal,
}

pub(super) fn timing(c: &Costs, team: Team, load: &Load, n: u64) -> Timing {
    if load.commutative { unordered(c, team, load.known, n) } else { ordered(c, team, n) }
}

/// Chunks that a rank draws from the counter beside its first, as `Chunks` sizes them.
fn draws(n: u64, ranks: u64, known: bool) -> f64 {
    if !known {
        return (n as f64 / ranks as f64).max(1.0);
    }
    let (mut left, mut batches) = (n, 0u64);
    while left > 0 {
        let size = (left / (2 * ranks)).max(1);
        if size == 1 {
            batches += left.div_ceil(ranks);
            break;
        }
        left = left.saturating_sub(ranks * size);
        batches += 1;
    }
    batches.saturating_sub(1) as f64
}

/// The end of list scheduling `n` tasks of `each` seconds on one rank that is free from `first`
/// and `others` ranks that are free from `from`.
fn schedule(n: u64, each: f64, first: f64, others: u64, from: f64) -> f64 {
    if n == 0 {
        return from.max(first);
    }
    let ranks = others as f64 + 1.0;
    let fluid = (n as f64 * each + first + others as f64 * from) / ranks;
    if first >= fluid {
        // The first rank has no time for tasks.
        let own = from + n.div_ceil(others.max(1)) as f64 * each;
        return first.max(own);
    }
    if each <= 0.0 {
        return fluid;
    }
    let done = |t: f64| {
        let runs = |free: f64| ((t - free) / each * (1.0 + 1e-12)).floor().max(0.0);
        others as f64 * runs(from) + runs(first)
    };
    let mut end = f64::INFINITY;
    for free in [first, from] {
        let whole = ((fluid - free) / each).floor().max(0.0);
        for more in 0..3 {
            let t = free + (whole + f64::from(more)) * each;
            if t < end && t >= fluid * (1.0 - 1e-9) && done(t) >= n as f64 {
                end = t;
                break;
            }
        }
    }
    if end.is_finite() { end } else { fluid + each }
}

/// What the ranks other than the first do: pieces of `gather` results go to the first rank.
struct Sender<'c> {
    c: &'c Costs,
    gather: u64,
    /// Where tasks are dealt evenly, so that each rank knows its own: those of every rank that are done.
    even: Option<u64>,
    /// The last piece is kept for the tree.
    keeps: bool,
}

impl Sender<'_> {
    fn pieces(&self, k: u64) -> u64 {
        if self.keeps { k.saturating_sub(1) / self.gather } else { k / self.gather }
    }

    /// After `k` tasks, merged in balance as they come, and into one at the end.
    fn ready(&self, k: u64) -> Ready {
        let (c, g) = (self.c, self.gather);
        let pieces = self.pieces(k);
        let left = k - pieces * g;
        let piece = g as f64 * c.task + c.fold(g);
        let cycle = piece + c.sending(g);
        let rest = left as f64 * c.task + c.fold(left);
        let own = self.even.map_or(0.0, |done| c.whole(k - done.min(k)) - k as f64 * c.task);
        let at = pieces as f64 * cycle + rest + own;
        if pieces == 0 {
            return Ready { at, left, ..Ready::default() };
        }
        // The port takes one piece after the other.
        let injected = piece + c.send(g) + (pieces - 1) as f64 * cycle.max(c.port(g));
        // What it takes of the processor is in the cycles.
        let leaving = Leaving::until(injected + c.port(g), 0.0, injected);
        Ready { at, left, leaving, last: injected + c.transit(g), ..Ready::default() }
    }

    /// When the first piece of any arrives.
    fn first(&self) -> f64 {
        let (c, g) = (self.c, self.gather);
        g as f64 * c.task + c.fold(g) + c.send(g) + c.transit(g)
    }
}

/// What the first rank does with pieces of `gather` results: receive, merge them to sets, deliver.
struct Service {
    /// Pieces that make a set, and results of that set.
    pieces: u64,
    set: u64,
    /// Seconds to merge a set of them.
    merge: f64,
}

impl Service {
    fn new(c: &Costs, gather: u64, set: u64) -> Service {
        let pieces = set.div_ceil(gather);
        Service { pieces, set: pieces * gather, merge: c.fold_of(pieces, gather) }
    }

    /// Seconds for `n` pieces.
    fn seconds(&self, c: &Costs, gather: u64, n: u64) -> f64 {
        let sets = n / self.pieces;
        n as f64 * c.reception(gather)
            + sets as f64 * (self.merge + c.sink(self.set))
            + c.fold_of(n % self.pieces, gather)
    }
}

fn unordered(c: &Costs, team: Team, known: bool, n: u64) -> Timing {
    let (set, gather) = (team.set, team.gather.clamp(1, team.set));
    let even = known && matches!(team.deal, Deal::Even { .. });
    let undone = c.undone(n);
    let mut totals = Totals::default();
    totals.ran(c, n);
    totals.delivered(2.0, c.open());
    // The ranks that take part, and what the first is dealt.
    let (ranks, own) = match team.deal {
        Deal::Even { first_permille } if known => {
            let own = first_share(n, team.ranks, first_permille);
            ((n - own).saturating_add(1).min(team.ranks), own)
        }
        _ if known => {
            let ranks = team.ranks.min(n.max(1));
            (ranks, n / ranks)
        }
        _ => (team.ranks, n / team.ranks),
    };
    let others = ranks - 1;
    let left = n - own;
    let each = left.checked_div(others).unwrap_or(0);
    let more = left - each * others;
    // In an even deal every rank has so many that are done, and others one more.
    let done = (n - undone) / ranks.max(1);
    let keeps = even && team.arity >= ranks;
    let sender = Sender { c, gather, even: even.then_some(done), keeps };
    // Pieces that go to the first rank before the tree, and what it does with them.
    let pieces = (others - more) * sender.pieces(each) + more * sender.pieces(each + 1);
    let service = Service::new(c, gather, set);
    let serve = service.seconds(c, gather, pieces);
    let sets = pieces / service.pieces;
    let mine = own / set;
    let tasks = if even { c.whole(own - done.min(own)) } else { own as f64 * c.task };
    let alone = tasks + mine as f64 * (c.fold(set) + c.sink(set)) + c.fold_due(own % set);
    totals.message(c, gather, pieces as f64);
    totals.merged((pieces * (gather - 1)) as f64, pieces as f64 * c.fold(gather));
    totals.merged((sets * (service.pieces - 1)) as f64, sets as f64 * service.merge);
    totals.merged((mine * (set - 1)) as f64, mine as f64 * c.fold(set));
    totals.delivered(sets as f64, c.sink(service.set));
    totals.delivered(mine as f64, c.sink(set));
    let claims = if even { 0.0 } else { draws(n, team.ranks, known) * c.claim() };
    // By the first rank's port they come one after the other.
    let landing = c.landing(gather).0;
    let lands = pieces > 0 && landing > 0.0;
    let landed = if lands { sender.first() + (pieces - 1) as f64 * landing } else { 0.0 };
    let port = Landing::until(landed);
    let first = Ready { at: c.open() + alone + serve, left: own % set, landing: port, ..Ready::default() };
    let (body, first, low, high) = if even {
        let (low, high) = (sender.ready(each), sender.ready(each + 1));
        let ends = if more > 0 { high } else { low };
        // The last pieces of all arrive together.
        let last =
            if others > 0 && ends.last > 0.0 { ends.last.max(landed) + c.receive(gather) } else { 0.0 };
        let first = Ready { at: first.at.max(last), ..first };
        (first.at.max(if others > 0 { ends.at } else { 0.0 }), first, low, high)
    } else {
        // Ranks draw on while their ports are busy with what they have sent.
        let per_task = if each >= gather {
            c.task + (c.fold(gather) + c.sending(gather)) / gather as f64
        } else {
            c.task + c.fold_due(each) / each.max(1) as f64
        };
        let load = c.open() + serve + mine as f64 * c.sink(set);
        // The first rank's first chunk is its own, whatever else it has to do.
        let chunk = if known { (n / (2 * team.ranks)).max(u64::from(n > 0)) } else { 1 };
        let body = schedule(n, per_task, load, others, claims).max(load + chunk as f64 * per_task);
        // Those that are left are whole, however many are done.
        let body = body.max(c.whole(undone.div_ceil(ranks)));
        let ready = sender.ready(each);
        let other = Ready { at: body + c.fold(ready.left) - c.fold_due(ready.left), ..ready };
        let late = if pieces > 0 { c.transit(gather) + c.receive(gather) } else { 0.0 };
        // The last piece of each has gone through its port.
        let sent = if ready.last > 0.0 { ready.last + c.receive(gather) } else { 0.0 };
        let landed = if lands { landed + c.receive(gather) } else { 0.0 };
        (body, Ready { at: (body + late).max(landed).max(sent), ..first }, other, other)
    };
    let more = if even { more } else { 0 };
    let tree = Tree { c, arity: team.arity, set, ranks, low, high, more };
    // Pieces too few for a set wait on the first rank, and may make one with its own.
    let waiting = pieces % service.pieces;
    let held = own % set + waiting * gather;
    let (full, left) = (held / set, held % set);
    // What is in a piece was merged by the rank that sent it.
    let sent = waiting as f64 * c.fold(gather);
    totals.merged(-((waiting * (gather - 1)) as f64), -sent);
    let charged = c.fold_due(own % set) + c.fold_of(waiting, gather) + sent;
    let merging = (full as f64 * c.fold(set) + c.fold_due(left) - charged).max(0.0);
    let first = Ready { at: first.at + merging + full as f64 * c.sink(set), left, ..first };
    totals.merged((full * (set - 1)) as f64, full as f64 * c.fold(set));
    totals.delivered(full as f64, c.sink(set));
    count_left(c, &tree, left, &mut totals);
    let root = tree.climb(first, &mut totals);
    let end = root.at + c.sink(root.results);
    totals.delivered(f64::from(root.results > 0), c.sink(root.results));
    let mean = n as f64 / ranks as f64;
    let merges = (pieces as f64 * c.fold(gather) + mine as f64 * c.fold(set)) / ranks as f64;
    let served = c.open() + serve + mine as f64 * c.sink(set);
    let bound = if served > mean * c.task + merges && n > 0 {
        Bound::First
    } else if end - body > body {
        Bound::Depth
    } else {
        Bound::largest(&[
            (Bound::Task, c.task * mean),
            (Bound::Merge, merges),
            (Bound::Communication, pieces as f64 * c.send(gather) / ranks as f64 + claims),
        ])
    };
    // Claimed tasks even out: what is left of their spread is that of the last.
    let path_tasks = if even { mean.ceil() } else { 1.0 };
    Timing {
        seconds: end + c.open(),
        fill: (set.min(n) as f64 * c.task).max(c.task),
        drain: end - body + c.open(),
        cycle: body / n.max(1) as f64,
        results: 1.0,
        bound,
        path_tasks,
        racers: ranks.min(undone) as f64,
        totals,
    }
}

/// Counts the merges of what is left on the ranks, as far as they come before the tree.
fn count_left(c: &Costs, tree: &Tree<'_>, first: u64, totals: &mut Totals) {
    totals.merged((first - u64::from(first.count_ones())) as f64, c.fold_due(first));
    let mut all = |left: u64, ranks: u64| {
        totals.merged((left.saturating_sub(1) * ranks) as f64, c.fold(left) * ranks as f64);
    };
    all(tree.high.left, tree.more.min(tree.ranks - 1));
    all(tree.low.left, (tree.ranks - 1).saturating_sub(tree.more));
}

/// Tasks of the first rank in an even deal, as the strategy deals them.
pub(super) fn first_share(tasks: u64, ranks: u64, permille: u16) -> u64 {
    match permille {
        _ if ranks == 1 => tasks,
        1000.. => tasks.div_ceil(ranks),
        _ => (u128::from(tasks) * u128::from(permille) / (1000 * u128::from(ranks))) as u64,
    }
}

/// The first rank's share in an even deal, in thousandths of a mean share, with which it ends
/// its tasks and its service when the others end their tasks: with R its service and T' a task's
/// part of a rank's work, x tasks of N such that `T' x + R (N − x) / N = T' (N − x) / (P − 1)`.
pub(super) fn balanced_share(c: &Costs, team: Team, n: u64) -> u16 {
    let (p, set, gather) = (team.ranks as f64, team.set, team.gather.clamp(1, team.set));
    if n / team.ranks < gather || team.ranks == 1 {
        return 1000;
    }
    let own = c.task + (c.fold(set) + c.sink(set)) / set as f64;
    let each = c.task + (c.fold(gather) + c.sending(gather)) / gather as f64;
    // For every task of another: its part of what the first rank does with its piece.
    let service = Service::new(c, gather, set);
    let serve = service.seconds(c, gather, service.pieces) / service.set as f64;
    // own · x + serve · (n − x) = each · (n − x) / (P − 1), x of the first rank
    let rate = each / (p - 1.0) - serve;
    let share = rate / (own + rate);
    (share * p * 1000.0).clamp(0.0, 1000.0) as u16
}

fn ordered(c: &Costs, team: Team, n: u64) -> Timing {
    let Team { ranks, set, .. } = team;
    let stride = set.saturating_mul(ranks);
    let (rounds, rest) = (n / stride, n % stride);
    let j = rounds as f64;
    let others = (ranks - 1) as f64;
    let block = set as f64 * c.task + c.fold(set);
    let takes = others * (c.reception(set) + c.sink(set));
    let landing = others * c.landing(set).0;
    let first = (block + c.sink(set) + takes).max(landing);
    let other = (block + c.sending(set)).max(c.port(set));
    let cycle = first.max(other);
    let mut totals = Totals::default();
    totals.ran(c, n);
    totals.merged(j * ranks as f64 * (set as f64 - 1.0), j * ranks as f64 * c.fold(set));
    totals.message(c, set, j * others);
    totals.delivered(j * ranks as f64, c.sink(set));
    totals.delivered(2.0, c.open());
    // The first round: the first rank waits for the first block of another.
    let arrived = other + c.transit(set);
    let fill = ((block + c.sink(set)).max(arrived) + takes).max(arrived + (others - 1.0) * c.landing(set).0);
    let body = if rounds > 0 { fill + (j - 1.0) * cycle } else { 0.0 } + c.open();
    let own = rest.div_ceil(ranks);
    let few = rest.min(ranks);
    let free = if rounds > 0 { j * other } else { 0.0 };
    let mut end = body;
    if rest > 0 {
        let at = own as f64 * c.task + c.fold(own);
        totals.merged(few as f64 * (own as f64 - 1.0), few as f64 * c.fold(own));
        let first = Ready { at: body + at, left: own, ..Ready::default() };
        let other = Ready { at: free + at, left: own, ..Ready::default() };
        let tree = Tree { c, arity: team.arity, set: u64::MAX, ranks: few, low: other, high: other, more: 0 };
        let root = tree.in_order(first, &mut totals);
        end = root.at + c.sink(rest);
        totals.delivered(1.0, c.sink(rest));
    }
    let bound = if first > 1.1 * other && rounds > 0 {
        Bound::First
    } else if rounds == 0 && end > 2.0 * own as f64 * (c.task + c.fold(own) / own.max(1) as f64) {
        Bound::Depth
    } else {
        Bound::largest(&[
            (Bound::Task, set as f64 * c.task),
            (Bound::Merge, c.fold(set)),
            (Bound::Communication, c.send(set)),
        ])
    };
    Timing {
        seconds: end + c.open(),
        fill: if rounds > 0 { block } else { end },
        drain: end - body + c.open(),
        cycle,
        results: stride as f64,
        bound,
        path_tasks: n.div_ceil(ranks) as f64,
        racers: ranks.min(n) as f64,
        totals,
    }
}
