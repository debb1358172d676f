//! Master and slaves where results are merged as they come, as a text: the slaves are an array, so that one state
//! stands for all that differ only in which of them does what.

use std::fmt::Write as _;

use super::finish::{Countdown, End};
use super::rates::{Rates, results};
use super::{Activity, Form, Reduction};

/// The model; a run has at least one task.
pub(super) fn model(of: &Reduction<'_>, form: Form) -> String {
    let slaves = of.ranks as u64 - 1;
    let run = form == Form::Run;
    let busy = if run { slaves.min(of.tasks) } else { slaves };
    // By what results come: while tasks are left for the slave, and when none is.
    let mut moves = Vec::new();
    if !run || of.tasks > busy {
        moves.push("move");
    }
    if run {
        moves.push("move_last");
    }
    let mut rates = Rates::of(of);
    let mut body = slave(of, &mut rates, &moves);
    let end = run.then(|| ending(of, &mut rates, of.tasks % slaves));
    let begin = master(of, &mut rates, &moves, slaves, end.as_ref(), &mut body);
    let message = rates.rate("lambda_1", of.seconds(Activity::Move(1)), "a message of 1 result");
    let network: Vec<String> = moves.iter().map(|action| format!("({action}, {message}).Network")).collect();
    let _ = writeln!(body, "Network = {};", network.join(" + "));
    let all = moves.join(", ");
    let mut system = format!("({begin} <{all}> Slave[{busy}]) <{all}> Network");
    if let Some(end) = &end {
        let count =
            Countdown { waiting: of.tasks - busy, busy, begins: &["move"], ends: &["move_last"], end };
        count.write(&mut body, &mut rates);
        system = format!("({system})\n<{all}, start, {}> {}", end.shared(), count.start());
    }
    format!("{}{}\n{body}\n{system}\n", of.heading(form), rates.write())
}

fn slave(of: &Reduction<'_>, rates: &mut Rates, moves: &[&str]) -> String {
    let task = rates.phased("task", "mu", of.seconds(Activity::Task), "a task");
    if moves == ["move"] {
        return format!("Slave = {task}.(move, infty).Slave;\n");
    }
    let ready: Vec<String> = moves
        .iter()
        .map(|action| format!("({action}, infty).{}", if *action == "move" { "Slave" } else { "Idle" }))
        .collect();
    format!("Slave = {task}.Ready;\nReady = {};\nIdle = (start, infty).Slave;\n", ready.join(" + "))
}

/// What the master does when it holds `rest` results and nothing is left to come.
fn ending(of: &Reduction<'_>, rates: &mut Rates, rest: u64) -> End {
    let last = if rest > 0 { of.seconds(Activity::Deliver(rest)) } else { 0.0 };
    let (rate, what) = (format!("delta_{rest}"), format!("delivering {}", results(rest)));
    let close = ("close", "omega", of.seconds(Activity::Open), "opening or closing the sink");
    End::of(&[("deliver_last", &rate, last, &what), close], rates)
}

/// Writes the master; gives the state that it begins in.
fn master(
    of: &Reduction<'_>,
    rates: &mut Rates,
    moves: &[&str],
    slaves: u64,
    end: Option<&End>,
    out: &mut String,
) -> &'static str {
    let open = of.seconds(Activity::Open);
    let begin = if end.is_some() && open > 0.0 { "Master" } else { "Master_0" };
    if begin == "Master" {
        let opening = rates.rate("omega", open, "opening or closing the sink");
        let _ = writeln!(out, "Master = (open, {opening}).Master_0;");
    }
    // It never holds more results than there are.
    let most = if end.is_some() { (slaves - 1).min(of.tasks) } else { slaves - 1 };
    for held in 0..=most {
        let mut choices = Vec::new();
        if end.is_none() || held < of.tasks {
            let then = taken(of, rates, held, slaves);
            choices.extend(moves.iter().map(|action| format!("({action}, infty){then}")));
        }
        if let Some(end) = end.filter(|_| held == of.tasks % slaves) {
            choices.push(format!("{}.{begin}", end.text));
        }
        let _ = writeln!(out, "Master_{held} = {};", choices.join("\n         + "));
    }
    begin
}

/// What the master does with a result when it holds so many.
fn taken(of: &Reduction<'_>, rates: &mut Rates, held: u64, slaves: u64) -> String {
    let mut text = String::new();
    if held > 0 {
        let seconds = of.seconds(Activity::Merge(held, 1));
        let what = format!("merging {held} and 1 results");
        if let Some(merge) = rates.work("merge", &format!("nu_{held}_1"), seconds, &what) {
            text += &format!(".{merge}");
        }
    }
    if held + 1 < slaves {
        return format!("{text}.Master_{}", held + 1);
    }
    let seconds = of.seconds(Activity::Deliver(slaves));
    let what = format!("delivering {}", results(slaves));
    if let Some(deliver) = rates.work("deliver", &format!("delta_{slaves}"), seconds, &what) {
        text += &format!(".{deliver}");
    }
    format!("{text}.Master_0")
}
