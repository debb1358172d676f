//! A model in its canonical form.

use std::fmt::Write as _;

use super::ast::{Action, ActionSet, Activity, Expr, Model, Name, Operator, Process, Rate, Remarks};

/// A longer line is broken.
const WIDTH: usize = 100;
/// Chains of different cooperations up to this length are written with parentheses, for tools that
/// read from the right.
const PARENTHESES: usize = 64;

/// Writes a model: rates, then processes, then the system equation, one space where one is
/// enough, comments as `//`. Reading it gives the same model, and printing that the same text.
pub fn print(model: &Model) -> String {
    let mut out = String::new();
    for (first, rate) in first(&model.rates) {
        let line = format!("{} = {};", name(&rate.name), print_expr(&rate.body));
        entry(&mut out, &rate.remarks, rate.remarks.apart && !first, &line);
    }
    for (first, process) in first(&model.processes) {
        let head = format!("{} = ", name(&process.name));
        let line = format!("{};", broken(&head, &process.body));
        entry(&mut out, &process.remarks, first || process.remarks.apart, &line);
    }
    entry(&mut out, &model.remarks, true, &broken("", &model.system));
    for line in &model.below {
        let _ = writeln!(out, "{}", comment(line));
    }
    out
}

fn first<T>(all: &[T]) -> impl Iterator<Item = (bool, &T)> {
    all.iter().enumerate().map(|(at, item)| (at == 0, item))
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
