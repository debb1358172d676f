//! The model of ranks of which each has its own steps, as a text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::program::{Step, programs};
use super::rates::{Rates, results as said};
use super::{Activity, Form, Reduction};

/// The most activities of a line, tasks with their phases counted once.
const LONGEST: usize = 8;

/// Moves from one rank to another, with the numbers of results that they are of.
type Moves = BTreeMap<(usize, usize), Vec<u64>>;

pub(super) fn model(of: &Reduction<'_>, form: Form) -> String {
    let programs = programs(of, form);
    let mut moves = Moves::new();
    for (rank, steps) in programs.iter().enumerate() {
        for step in steps {
            if let Step::Send(to, results) = step {
                let sizes = moves.entry((rank, *to)).or_default();
                if let Err(at) = sizes.binary_search(results) {
                    sizes.insert(at, *results);
                }
            }
        }
    }
    let mut writer = Writer { of, form, rates: Rates::of(of), moves };
    let mut ranks = String::new();
    for (rank, steps) in programs.iter().enumerate() {
        writer.rank(&mut ranks, rank, steps);
    }
    let network = writer.network();
    let system = writer.system(programs.len());
    format!("{}{}\n{ranks}{network}\n{system}\n", of.heading(form), writer.rates.write())
}

struct Writer<'a> {
    of: &'a Reduction<'a>,
    form: Form,
    rates: Rates,
    moves: Moves,
}

impl Writer<'_> {
    /// A rank's component: a line for each task, or for some activities of a rank that has none.
    fn rank(&mut self, out: &mut String, rank: usize, steps: &[Step]) {
        let name = format!("Rank_{}", rank + 1);
        let mut lines: Vec<Vec<String>> = vec![Vec::new()];
        for step in steps {
            let Some(text) = self.step(rank, *step) else { continue };
            match lines.last_mut().filter(|line| !is_full(line, *step)) {
                Some(line) => line.push(text),
                None => lines.push(vec![text]),
            }
        }
        if self.form == Form::Run {
            // One gives the rate, the others agree.
            let rate = if rank == 0 { self.rates.again() } else { "infty".into() };
            if let Some(line) = lines.last_mut() {
                line.push(format!("(finish, {rate})"));
            }
        }
        let called = |at: usize| if at == 0 { name.clone() } else { format!("{name}_{}", at + 1) };
        for (at, line) in lines.iter().enumerate() {
            let next = called((at + 1) % lines.len());
            let _ = writeln!(out, "{} = {}.{next};", called(at), line.join("."));
        }
    }

    /// A step as an activity; none if it takes no time and nobody takes part in it.
    fn step(&mut self, rank: usize, step: Step) -> Option<String> {
        let (number, of) = (rank + 1, self.of);
        let rates = &mut self.rates;
        match step {
            Step::Task => {
                let seconds = of.seconds(Activity::Task);
                Some(rates.phased(&format!("task_{number}"), "mu", seconds, "a task"))
            }
            Step::Send(to, results) => Some(format!("({}, infty)", self.action(rank, to, results))),
            Step::Receive(from, results) => Some(format!("({}, infty)", self.action(from, rank, results))),
            Step::Merge(left, right) => {
                let seconds = of.seconds(Activity::Merge(left, right));
                let what = format!("merging {left} and {right} results");
                rates.work(&format!("merge_{number}"), &format!("nu_{left}_{right}"), seconds, &what)
            }
            Step::Deliver(results) => {
                let seconds = of.seconds(Activity::Deliver(results));
                let what = format!("delivering {}", said(results));
                rates.work("deliver", &format!("delta_{results}"), seconds, &what)
            }
            Step::Open | Step::Close => {
                let action = if step == Step::Open { "open" } else { "close" };
                let seconds = of.seconds(Activity::Open);
                rates.work(action, "omega", seconds, "opening or closing the sink")
            }
        }
    }

    /// `move_2_1`, from the second rank to the first; with the number of results where that is not always the same.
    fn action(&self, from: usize, to: usize, results: u64) -> String {
        let one = self.moves.get(&(from, to)).is_some_and(|sizes| sizes.len() == 1);
        match one {
            true => format!("move_{}_{}", from + 1, to + 1),
            false => format!("move_{}_{}_of_{results}", from + 1, to + 1),
        }
    }

    fn actions(&self, which: impl Fn(usize, usize) -> bool) -> Vec<String> {
        let chosen = self.moves.iter().filter(|((from, to), _)| which(*from, *to));
        chosen.flat_map(|((from, to), sizes)| sizes.iter().map(|n| self.action(*from, *to, *n))).collect()
    }

    fn network(&mut self) -> String {
        let all: Vec<(usize, usize, u64)> = self
            .moves
            .iter()
            .flat_map(|((from, to), sizes)| sizes.iter().map(|n| (*from, *to, *n)))
            .collect();
        if all.is_empty() {
            return String::new();
        }
        let mut choices = Vec::new();
        for (from, to, results) in all {
            let seconds = self.of.seconds(Activity::Move(results));
            let what = format!("a message of {}", said(results));
            let rate = self.rates.rate(&format!("lambda_{results}"), seconds, &what);
            choices.push(format!("({}, {rate}).Network", self.action(from, to, results)));
        }
        format!("Network = {};\n", choices.join("\n        + "))
    }

    /// The ranks and the network.
    fn system(&self, ranks: usize) -> String {
        let system = self.together(0..ranks);
        match self.moves.is_empty() {
            true => system,
            false => format!("({system})\n<{}> Network", self.actions(|_, _| true).join(", ")),
        }
    }

    /// Some ranks, one half with the other, so that no model is nested deeply.
    fn together(&self, ranks: Range<usize>) -> String {
        if ranks.len() == 1 {
            return format!("Rank_{}", ranks.start + 1);
        }
        let middle = ranks.start + ranks.len().next_power_of_two() / 2;
        let halves = [ranks.start..middle, middle..ranks.end];
        let mut shared = self.actions(|from, to| {
            let [left, right] = &halves;
            left.contains(&from) && right.contains(&to) || right.contains(&from) && left.contains(&to)
        });
        if self.form == Form::Run {
            shared.push("finish".into());
        }
        let [left, right] = halves.map(|half| match half.len() {
            1 => self.together(half),
            _ => format!("({})", self.together(half)),
        });
        format!("{left} <{}> {right}", shared.join(", "))
    }
}

/// Whether a step begins the next line.
fn is_full(line: &[String], step: Step) -> bool {
    let has_task = || line.iter().any(|text| text.contains("(task_"));
    line.len() >= LONGEST || step == Step::Task && has_task()
}
