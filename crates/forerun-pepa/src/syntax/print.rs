//! A model in its canonical form.

use std::fmt::Write as _;

use super::ast::{Action, ActionSet, Activity, Expr, Model, Name, Operator, Process, Rate, Remarks};
use super::dialect::Dialect;
use super::kinds::{Sort, sorts};
use super::lexer::lex;

/// A longer line is broken.
const WIDTH: usize = 100;
/// Chains of different cooperations up to this length are written with parentheses, for tools that
/// read from the right.
const PARENTHESES: usize = 64;

/// Writes a model: rates, then processes, then the system equation, one space where one is
/// enough, comments as `//`. Reading it gives the same model, and printing that the same text. (A
/// rate that would be read as a process is written as a product with 1.)
pub fn print(model: &Model) -> String {
    let mut out = String::new();
    let lines = definitions(model);
    let marked = mistaken(model, &lines);
    for (at, rate) in model.rates.iter().enumerate() {
        entry(&mut out, &rate.remarks, rate.remarks.apart && at > 0, &line(model, &lines, &marked, at));
    }
    for (at, process) in model.processes.iter().enumerate() {
        let first = at == 0;
        let mark = if marked[model.rates.len() + at] { "#" } else { "" };
        let head = format!("{mark}{} = ", name(&process.name));
        let line = format!("{};", broken(&head, &process.body));
        entry(&mut out, &process.remarks, first || process.remarks.apart, &line);
    }
    entry(&mut out, &model.remarks, true, &broken("", &model.system));
    for line in &model.below {
        let _ = writeln!(out, "{}", comment(line));
    }
    out
}

/// The definitions, rates first, without marks.
fn definitions(model: &Model) -> Vec<String> {
    let rates = model.rates.iter().map(|rate| format!("{} = {};", name(&rate.name), print_expr(&rate.body)));
    let processes =
        model.processes.iter().map(|p| format!("{} = {};", name(&p.name), print_process(&p.body)));
    rates.chain(processes).collect()
}

/// Definition `at` with the mark that it needs.
fn line(model: &Model, lines: &[String], marked: &[bool], at: usize) -> String {
    match (marked[at], model.rates.get(at)) {
        (false, _) => lines[at].clone(),
        (true, Some(rate)) => format!("{} = {} * 1;", name(&rate.name), operand(&rate.body, 2, false)),
        (true, None) => format!("#{}", lines[at]),
    }
}

/// Which definitions would be taken for one of the other sort, as names alone tell nothing but by their
/// case. What is marked may tell of others, so that it is looked at until nothing changes.
fn mistaken(model: &Model, lines: &[String]) -> Vec<bool> {
    let mut marked = vec![false; lines.len()];
    loop {
        let text: String = (0..lines.len()).map(|at| line(model, lines, &marked, at)).collect();
        let mut sorts: Vec<_> = sorts(&lex(&text, Dialect::Any).tokens).into_iter().collect();
        sorts.sort_unstable_by_key(|(at, _)| *at);
        let mut more = false;
        for (at, (_, sort)) in sorts.into_iter().enumerate().take(lines.len()) {
            let meant = if at < model.rates.len() { Sort::Rate } else { Sort::Process };
            if sort != meant && !marked[at] {
                marked[at] = true;
                more = true;
            }
        }
        if !more {
            return marked;
        }
    }
}

fn entry(out: &mut String, remarks: &Remarks, apart: bool, line: &str) {
    if apart && !out.is_empty() {
        out.push('\n');
    }
    for above in &remarks.above {
        let _ = writeln!(out, "{}", comment(above));
    }
    out.push_str(line);
    if let Some(beside) = &remarks.beside {
        let _ = write!(out, " {}", comment(beside));
    }
    out.push('\n');
}

/// A comment; what would be read as part of its mark is kept from it.
fn comment(line: &str) -> String {
    if line.starts_with('/') { format!("// {line}") } else { format!("//{line}") }
}

/// A process after `head`, over several lines if it is long.
fn broken(head: &str, process: &Process) -> String {
    let whole = format!("{head}{}", print_process(process));
    if whole.chars().count() <= WIDTH {
        return whole;
    }
    let margin = " ".repeat(head.chars().count().saturating_sub(2));
    match process {
        Process::Choice(all) => {
            let all: Vec<String> = all.iter().map(|p| within(p, Place::Choice)).collect();
            format!("{head}{}", all.join(&format!("\n{margin}+ ")))
        }
        Process::Cooperation(first, rest) if !needs_parentheses(rest) => {
            let mut text = format!("{head}{}", within(first, Place::Cooperation));
            for (set, process) in rest {
                let _ = write!(text, "\n{margin}{} {}", print_set(set), within(process, Place::Cooperation));
            }
            text
        }
        _ => whole,
    }
}

/// Where a process stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Choice,
    Cooperation,
    /// After `.`
    Prefix,
    /// Before `/`
    Hidden,
    /// Before `[`
    Copied,
}

fn within(process: &Process, place: Place) -> String {
    let bare = match process {
        Process::Constant(_) => true,
        Process::Array(..) => matches!(place, Place::Cooperation | Place::Hidden),
        Process::Prefix(..) => place == Place::Choice,
        // The Workbench would hide in all of a cooperation.
        Process::Hiding(..) | Process::Choice(_) | Process::Cooperation(..) => false,
    };
    let text = print_process(process);
    if bare { text } else { format!("({text})") }
}

/// Writes a process on one line.
pub fn print_process(process: &Process) -> String {
    match process {
        Process::Prefix(activities, then) => {
            let mut text: String = activities.iter().map(|a| format!("{}.", activity(a))).collect();
            text.push_str(&within(then, Place::Prefix));
            text
        }
        Process::Choice(all) => all.iter().map(|p| within(p, Place::Choice)).collect::<Vec<_>>().join(" + "),
        Process::Cooperation(first, rest) => {
            let parentheses = needs_parentheses(rest);
            let mut text = within(first, Place::Cooperation);
            for (at, (set, process)) in rest.iter().enumerate() {
                if parentheses && at > 0 && rest[at - 1].0 != *set {
                    text = format!("({text})");
                }
                let _ = write!(text, " {} {}", print_set(set), within(process, Place::Cooperation));
            }
            text
        }
        Process::Hiding(inner, set) => format!("{} / {{{}}}", within(inner, Place::Hidden), names(set)),
        Process::Array(inner, copies, set, _) => {
            let inner = within(inner, Place::Copied);
            match set.is_empty() {
                true => format!("{inner}[{}]", print_expr(copies)),
                false => format!("{inner}[{}, {{{}}}]", print_expr(copies), names(set)),
            }
        }
        Process::Constant(constant) => name(constant),
    }
}

fn needs_parentheses(rest: &[(ActionSet, Process)]) -> bool {
    rest.len() <= PARENTHESES && rest.windows(2).any(|pair| pair[0].0 != pair[1].0)
}

fn print_set(set: &ActionSet) -> String {
    match set {
        ActionSet::Listed(all) => format!("<{}>", names(all)),
        ActionSet::Shared(_) => "<*>".into(),
    }
}

fn activity(activity: &Activity) -> String {
    let action = match &activity.action {
        Action::Named(action) => name(action),
        Action::Tau(_) => "tau".into(),
    };
    format!("({action}, {})", print_rate(&activity.rate))
}

fn print_rate(rate: &Rate) -> String {
    match rate {
        Rate::Active(expr) => print_expr(expr),
        Rate::Passive(None, _) => "infty".into(),
        Rate::Passive(Some(weight), _) => format!("{} * infty", operand(weight, 2, false)),
    }
}

fn names(all: &[Name]) -> String {
    all.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A name, in quotes if it would not be read as one without.
fn name(name: &Name) -> String {
    let text = &name.text;
    let mut chars = text.chars();
    let begins = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let goes_on = chars.all(|c| c.is_alphanumeric() || "_$'`".contains(c));
    // Words that mean something else without quotes.
    let word = matches!(text.as_str(), "tau" | "infty" | "T" | "if" | "immediate");
    let alone = text.starts_with('_')
        && !text[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    if begins && goes_on && !alone && !word { text.clone() } else { format!("\"{text}\"") }
}

/// Writes an expression with no more parentheses than it needs.
pub fn print_expr(expr: &Expr) -> String {
    match expr {
        Expr::Number(_, text, _) => text.clone(),
        Expr::Name(of) => name(of),
        Expr::Negative(inner, _) => format!("-{}", operand(inner, 3, false)),
        Expr::Passive(_) => "infty".into(),
        Expr::Binary(operator, left, right) => {
            let (sign, level) = sign(*operator);
            format!("{} {sign} {}", operand(left, level, false), operand(right, level, true))
        }
    }
}

fn sign(operator: Operator) -> (char, u8) {
    match operator {
        Operator::Add => ('+', 1),
        Operator::Subtract => ('-', 1),
        Operator::Multiply => ('*', 2),
        Operator::Divide => ('/', 2),
    }
}

/// An operand of an operator of a level: in parentheses if it binds less, or as much on the right.
fn operand(expr: &Expr, level: u8, right: bool) -> String {
    let text = print_expr(expr);
    let own = match expr {
        Expr::Binary(operator, ..) => sign(*operator).1,
        _ => 3,
    };
    if own < level || (own == level && right) { format!("({text})") } else { text }
}
