//! What counts a run's tasks down to its end, as a text.

use std::fmt::Write as _;

use super::rates::Rates;

/// Definitions in a line.
const IN_A_LINE: u64 = 4;

/// A counter: an action of the first kind for each of the tasks that are not begun at the start, then one of the second
/// for each rank that had one, then the end, after which the ranks are started one after the other.
pub(super) struct Countdown<'a> {
    /// Tasks that are not begun when the run begins.
    pub(super) waiting: u64,
    /// Ranks that have a task then, at least 1.
    pub(super) busy: u64,
    /// What begins one of the tasks that wait, any of these.
    pub(super) begins: &'a [&'a str],
    /// What leaves a rank with nothing to do, any of these.
    pub(super) ends: &'a [&'a str],
    /// What then comes.
    pub(super) end: &'a End,
}

impl Countdown<'_> {
    /// The state that it begins in.
    pub(super) fn start(&self) -> String {
        format!("Left_{}", self.waiting + self.busy)
    }

    pub(super) fn write(&self, out: &mut String, rates: &mut Rates) {
        let all = self.waiting + self.busy;
        let busy = self.busy;
        let _ = writeln!(
            out,
            "// Left_n: n - {busy} tasks are not begun; from {busy} on: n ranks have something to do."
        );
        for left in (1..=all).rev() {
            let by = if left > busy { self.begins } else { self.ends };
            let choices: Vec<String> = by.iter().map(|a| format!("({a}, infty).Left_{}", left - 1)).collect();
            let _ = write!(out, "Left_{left} = {};", choices.join(" + "));
            out.push(if (all - left) % IN_A_LINE == IN_A_LINE - 1 || left == 1 { '\n' } else { ' ' });
        }
        let _ = match self.end.is_finish() {
            true => writeln!(out, "Left_0 = (finish, infty).Start_1;"),
            false => writeln!(out, "Left_0 = ({}, infty).(finish, infty).Start_1;", self.end.first),
        };
        for rank in 1..=busy {
            let next = if rank == busy { self.start() } else { format!("Start_{}", rank + 1) };
            let _ = write!(out, "Start_{rank} = (start, {}).{next};", rates.again());
            out.push(if rank % IN_A_LINE == 0 || rank == busy { '\n' } else { ' ' });
        }
    }
}

/// The last activities of a run, in turn, then `finish`: those that take no time are left out.
pub(super) struct End {
    /// The activities.
    pub(super) text: String,
    /// The first action.
    pub(super) first: String,
}

impl End {
    /// Of actions, with the names of their rates, seconds, and what they are.
    pub(super) fn of(steps: &[(&str, &str, f64, &str)], rates: &mut Rates) -> End {
        let mut parts = Vec::new();
        let mut first = None;
        for (action, rate, seconds, what) in steps.iter().filter(|step| step.2 > 0.0) {
            let rate = rates.rate(rate, *seconds, what);
            parts.push(format!("({action}, {rate})"));
            first.get_or_insert_with(|| action.to_string());
        }
        parts.push(format!("(finish, {})", rates.again()));
        End { text: parts.join("."), first: first.unwrap_or_else(|| "finish".into()) }
    }

    fn is_finish(&self) -> bool {
        self.first == "finish"
    }

    /// The actions in which the counter takes part.
    pub(super) fn shared(&self) -> String {
        if self.is_finish() { "finish".into() } else { format!("{}, finish", self.first) }
    }
}
