//! The rates of a model, each defined where it is used and said in words.

use std::fmt::Write as _;

use super::{Activity, Reduction};

/// A message that takes no time is given this part of a task's.
const INSTANT: f64 = 1e-6;
/// The action `finish`, and each `start` of a rank after it, are given this part of a task's: no less, since the
/// fastest rate is what uniformisation goes by.
const AGAIN: f64 = 1e-3;

/// The rates that a model uses, in the order in which it does.
pub(super) struct Rates {
    like: f64,
    phases: u32,
    all: Vec<(String, f64, String)>,
}

impl Rates {
    /// Of a model whose longest times are like this one.
    pub(super) fn new(like: f64, phases: u32) -> Rates {
        let like = if like > 0.0 { like } else { 1e-3 };
        Rates { like, phases: phases.max(1), all: Vec::new() }
    }

    /// Of a reduction.
    pub(super) fn of(of: &Reduction<'_>) -> Rates {
        let others = [Activity::Move(1), Activity::Merge(1, 1), Activity::Deliver(1), Activity::Open];
        let task = of.seconds(Activity::Task);
        let longest = others.into_iter().map(|a| of.seconds(a)).fold(0.0, f64::max);
        Rates::new(if task > 0.0 { task } else { longest }, of.phases)
    }

    /// Seconds of `finish`.
    pub(super) fn finish_s(&self) -> f64 {
        self.like * AGAIN
    }

    /// The name of the rate of what takes so long, or no time.
    pub(super) fn rate(&mut self, name: &str, seconds: f64, what: &str) -> String {
        if !self.all.iter().any(|(known, ..)| known == name) {
            self.all.push((name.into(), seconds.max(self.like * INSTANT), what.into()));
        }
        name.into()
    }

    /// The rate at which a run finishes and begins again.
    pub(super) fn again(&mut self) -> String {
        self.rate("rho", self.finish_s(), "a thousandth of a task, to finish and to start a rank again")
    }

    /// An activity in its phases, `(phase, r).….(action, r)`, or nothing where it takes no time.
    pub(super) fn work(&mut self, action: &str, rate: &str, seconds: f64, what: &str) -> Option<String> {
        if seconds <= 0.0 {
            return None;
        }
        Some(self.phased(action, rate, seconds, what))
    }

    /// The same, at once where it takes no time.
    pub(super) fn phased(&mut self, action: &str, rate: &str, seconds: f64, what: &str) -> String {
        let n = if seconds > 0.0 { self.phases } else { 1 };
        let what = if n > 1 { format!("{what}: one of its {n} phases") } else { what.to_string() };
        let rate = self.rate(rate, seconds / f64::from(n), &what);
        let mut out = String::new();
        for _ in 1..n {
            let _ = write!(out, "(phase, {rate}).");
        }
        let _ = write!(out, "({action}, {rate})");
        out
    }

    /// The definitions, a line each.
    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        for (name, seconds, what) in &self.all {
            let _ = writeln!(out, "{name} = {:?};  // {what}: {} s", 1.0 / seconds, short(*seconds));
        }
        out
    }
}

/// A number of results in words.
pub(super) fn results(n: u64) -> String {
    format!("{n} result{}", if n == 1 { "" } else { "s" })
}

/// A number in few digits, for a comment.
fn short(value: f64) -> String {
    let text = format!("{value:.3e}");
    match text.parse::<f64>() {
        Ok(rounded) if (1e-4..1e6).contains(&rounded) => format!("{rounded}"),
        _ => text,
    }
}
