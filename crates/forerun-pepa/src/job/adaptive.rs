//! The adaptive strategy, as a text: an array of ranks that run tasks, gather results and move them to the first, which
//! runs tasks too.

use std::fmt::Write as _;

use super::finish::{Countdown, End};
use super::rates::{Rates, results};
use super::{Activity, Form, Reduction};

/// What ranks do on average.
struct Times {
    /// Results that a rank gathers before it moves them.
    gather: u64,
    /// Seconds of a task with its part of merging.
    task: f64,
    /// The same of the first rank, with its part of delivering.
    first: f64,
    /// Seconds in which the first rank takes in what another has gathered.
    take: f64,
}

impl Times {
    fn of(of: &Reduction<'_>) -> Times {
        let gather = of.gather.clamp(1, of.set);
        let (g, q) = (gather as f64, of.set as f64);
        let pieces = of.set.div_ceil(gather);
        let set = pieces * gather;
        let deliver = of.seconds(Activity::Deliver(set));
        let task = of.seconds(Activity::Task);
        Times {
            gather,
            task: task + of.fold(gather, 1) / g,
            first: task + (of.fold(of.set, 1) + of.seconds(Activity::Deliver(of.set))) / q,
            take: (of.fold(pieces, gather) + deliver) / pieces as f64,
        }
    }
}

/// The model, of at least two ranks; a run has at least one task.
pub(super) fn model(of: &Reduction<'_>, form: Form) -> String {
    let run = form == Form::Run;
    let ranks = of.ranks as u64;
    // Ranks for which there is no task take no part.
    let busy = if run { ranks.min(of.tasks) } else { ranks };
    let waiting = if run { of.tasks - busy } else { 1 };
    let times = Times::of(of);
    let mut rates = Rates::of(of);
    let mut body = String::new();
    let moves = others(&mut body, &mut rates, &times, busy, run, waiting);
    let end = run.then(|| ending(of, &mut rates, busy));
    first(&mut body, &mut rates, &times, &moves, end.as_ref(), of.seconds(Activity::Open), waiting);
    let begin = if body.contains("First_open =") { "First_open" } else { "First" };
    let mut system = begin.to_string();
    if busy > 1 {
        let others = busy - 1;
        let all = moves.join(", ");
        system = format!("{system} <{all}> Rank[{others}]");
        if !moves.is_empty() {
            let gather = times.gather;
            let what = format!("a message of {}", results(gather));
            let message = rates.rate(&format!("lambda_{gather}"), of.seconds(Activity::Move(gather)), &what);
            let network: Vec<String> = moves.iter().map(|a| format!("({a}, {message}).Network")).collect();
            let _ = writeln!(body, "Network = {};", network.join(" + "));
            system = format!("({system}) <{all}> Network");
        }
    }
    if let Some(end) = &end {
        let begins: Vec<&str> =
            ["task", "move"].into_iter().filter(|a| *a == "task" || moves.contains(a)).collect();
        let ends: Vec<&str> = ["task_last", "move_last"]
            .into_iter()
            .filter(|a| *a == "task_last" || moves.contains(a))
            .collect();
        let count = Countdown { waiting, busy, begins: &begins, ends: &ends, end };
        count.write(&mut body, &mut rates);
        let mut shared = ends.join(", ");
        if waiting > 0 {
            shared = format!("{}, {shared}", begins.join(", "));
        }
        system = format!("({system})\n<{shared}, start, {}> {}", end.shared(), count.start());
    }
    format!("{}{}\n{body}\n{system}\n", of.heading(form), rates.write())
}

/// Writes the ranks other than the first; gives the actions by which they move results.
fn others(
    out: &mut String,
    rates: &mut Rates,
    times: &Times,
    busy: u64,
    run: bool,
    waiting: u64,
) -> Vec<&'static str> {
    if busy < 2 {
        return Vec::new();
    }
    let mut moves = Vec::new();
    if waiting > 0 {
        moves.push("move");
    }
    if run {
        moves.push("move_last");
    }
    // One result in so many makes what is gathered complete.
    let complete = 1.0 / times.gather as f64;
    let what = "a task with its part of merging";
    let full = rates.rate(
        "mu_full",
        times.task / complete,
        &format!("{what}, over the probability that enough is gathered"),
    );
    let mut choices = vec![format!("(task_full, {full}).Full")];
    if complete < 1.0 {
        let more = rates.rate(
            "mu",
            times.task / (1.0 - complete),
            &format!("{what}, over the probability that it is not"),
        );
        if waiting > 0 {
            choices.push(format!("(task, {more}).Rank"));
        }
        if run {
            choices.push(format!("(task_last, {more}).Idle"));
        }
    }
    let _ = writeln!(out, "Rank = {};", choices.join(" + "));
    let full: Vec<String> = moves
        .iter()
        .map(|a| format!("({a}, infty).{}", if *a == "move" { "Rank" } else { "Idle" }))
        .collect();
    let _ = writeln!(out, "Full = {};", full.join(" + "));
    if run {
        let _ = writeln!(out, "Idle = (start, infty).Rank;");
    }
    moves
}

/// Writes the first rank.
fn first(
    out: &mut String,
    rates: &mut Rates,
    times: &Times,
    moves: &[&str],
    end: Option<&End>,
    open: f64,
    waiting: u64,
) {
    let task = rates.rate(
        "mu_first",
        times.first,
        "a task of the first rank, with its part of merging and delivering",
    );
    let mut begin = "First";
    if end.is_some() && open > 0.0 {
        let opening = rates.rate("omega", open, "opening or closing the sink");
        let _ = writeln!(out, "First_open = (open, {opening}).First;");
        begin = "First_open";
    }
    let take = (times.take > 0.0 && !moves.is_empty()).then(|| {
        rates.rate("delta", times.take, "its part of merging and delivering what another rank has gathered")
    });
    let mut states = vec![("First", "First_takes")];
    if end.is_some() {
        states.push(("First_idle", "First_idle_takes"));
    }
    for (state, takes) in states {
        let mut choices = Vec::new();
        if state == "First" {
            if waiting > 0 {
                choices.push(format!("(task, {task}).First"));
            }
            if end.is_some() {
                choices.push(format!("(task_last, {task}).First_idle"));
            }
        } else if let Some(end) = end {
            choices.push(format!("{}.First_next", end.text));
        }
        let to = if take.is_some() { takes } else { state };
        choices.extend(moves.iter().map(|action| format!("({action}, infty).{to}")));
        let _ = writeln!(out, "{state} = {};", choices.join(" + "));
        if let Some(rate) = &take {
            let _ = writeln!(out, "{takes} = (deliver, {rate}).{state};");
        }
    }
    if end.is_some() {
        let _ = writeln!(out, "First_next = (start, infty).{begin};");
    }
}

/// What happens when no rank has a task left: what they hold goes up the tree, level by level, until sets are
/// complete, which the first rank delivers.
fn ending(of: &Reduction<'_>, rates: &mut Rates, busy: u64) -> End {
    let each = of.tasks / busy;
    // Whoever gathers g results holds from 0 to g - 1 of them: of few tasks, all. Of an even deal it is known how many.
    let gather = of.gather.clamp(1, of.set);
    let held = match each {
        few if few < gather => few.max(1),
        _ if of.dealt => each % gather,
        _ => gather.div_ceil(2),
    };
    if held == 0 {
        return End::of(&[close(of)], rates);
    }
    let arity = of.arity as u64;
    let (mut pieces, mut size, mut seconds) = (busy, held, 0.0);
    // Sets leave the tree when they are complete.
    while pieces > 1 && size < of.set {
        let came = arity.min(pieces) - 1;
        seconds += came as f64 * (of.seconds(Activity::Move(size)) + of.seconds(Activity::Merge(size, size)));
        size *= came + 1;
        pieces = pieces.div_ceil(arity);
    }
    if pieces > 1 {
        seconds += of.seconds(Activity::Move(size));
    }
    let what = format!("moving and merging what {busy} ranks hold, {} each, up the tree", results(held));
    let deliver = pieces as f64 * of.seconds(Activity::Deliver(size));
    let told = format!("delivering {}", results(size * pieces));
    let steps = [
        ("merge_up", "nu_up", seconds, what.as_str()),
        ("deliver_last", "delta_last", deliver, &told),
        close(of),
    ];
    End::of(&steps, rates)
}

/// The last activity of a run.
fn close(of: &Reduction<'_>) -> (&'static str, &'static str, f64, &'static str) {
    ("close", "omega", of.seconds(Activity::Open), "opening or closing the sink")
}
