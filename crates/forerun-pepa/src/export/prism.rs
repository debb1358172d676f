//! A model for PRISM.
//!
//! PRISM multiplies the rates of modules that synchronise, where PEPA takes the minimum of apparent rates. So all
//! components go into one module, with a variable for each (for an array one for each local state), and
//! every combination of activities becomes a command whose rate spells the apparent rates out.

use std::fmt::{self, Write as _};

use Sign::{Active, Passive};

use crate::model::{System, TAU, Tree};
use crate::space::cooperate;

/// More commands than this are refused.
const COMMANDS: usize = 200_000;

/// Why there is no such model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrismError {
    /// Too many combinations of activities.
    TooMany,
    /// A passive action has no partner.
    Unpartnered(String),
    /// An action is active and passive in components that stand for one partner.
    Mixed(String),
}

impl fmt::Display for PrismError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrismError::TooMany => write!(
                f,
                "the model would have more than {COMMANDS} commands; write copies as arrays, `P[n]`"
            ),
            PrismError::Unpartnered(action) => {
                write!(f, "`{action}` is passive and has no partner that gives it a rate")
            }
            PrismError::Mixed(action) => {
                write!(f, "`{action}` is active in one component and passive in another beside it")
            }
        }
    }
}

impl std::error::Error for PrismError {}

/// Whether rates or weights are meant.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sign {
    Active,
    Passive,
}

/// One way in which an action can happen.
#[derive(Debug, Clone)]
struct Way {
    guard: Vec<String>,
    rate: String,
    update: Vec<String>,
}

/// An action below some node of the tree.
#[derive(Debug, Clone)]
enum Rule {
    Leaf(Sign, String, Vec<Way>),
    /// Active and passive in one component, or side by side.
    Mixed,
    Any(Vec<Rule>),
    All(Vec<Rule>),
}

/// Writes a system as a PRISM model of a continuous-time Markov chain with the same states and rates.
///
/// # Errors
/// A system that cannot be written so.
pub fn prism(system: &System) -> Result<String, PrismError> {
    let mut writer = Writer { system, variables: String::new(), count: 0, roots: Vec::new() };
    let top = writer.node(&system.tree);
    writer.roots.extend(top);
    let mut out = String::from("// written by forerun pepa export\nctmc\n\n");
    let mut formulas = String::new();
    let mut commands = String::new();
    let mut number = 0;
    for (at, (action, rule)) in writer.roots.iter().enumerate() {
        let name = &system.actions[*action as usize];
        let mut named = Named { formulas: &mut formulas, root: at, count: 0 };
        let (sign, _, ways) = flatten(rule, name, &mut named)?;
        if sign == Passive {
            return Err(PrismError::Unpartnered(name.clone()));
        }
        for way in ways {
            number += 1;
            if number > COMMANDS {
                return Err(PrismError::TooMany);
            }
            let label = if *action == TAU { String::new() } else { identifier(name) };
            let update = if way.update.is_empty() { "true".to_string() } else { way.update.join(" & ") };
            let _ = writeln!(commands, "  [{label}] {} -> {} : {update};", way.guard.join(" & "), way.rate);
        }
    }
    let _ = write!(out, "{formulas}\nmodule system\n{}\n{commands}endmodule\n", writer.variables);
    for action in 1..system.actions.len() {
        let name = &system.actions[action];
        if writer.roots.iter().any(|(a, _)| *a as usize == action) {
            let name = identifier(name);
            let _ = write!(out, "\nrewards \"{name}\"\n  [{name}] true : 1;\nendrewards\n");
        }
    }
    Ok(out)
}

/// A name that PRISM takes: none of its keywords has such an end.
fn identifier(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    format!("{plain}_a")
}

/// Formulas for the apparent rates of a root.
struct Named<'a> {
    formulas: &'a mut String,
    root: usize,
    count: usize,
}

impl Named<'_> {
    fn name(&mut self, text: String) -> String {
        if text.len() < 24 {
            return text;
        }
        self.count += 1;
        let name = format!("apparent_{}_{}", self.root, self.count);
        let _ = writeln!(self.formulas, "formula {name} = {text};");
        name
    }
}

/// All ways, with their apparent rate.
fn flatten(rule: &Rule, action: &str, named: &mut Named<'_>) -> Result<(Sign, String, Vec<Way>), PrismError> {
    match rule {
        Rule::Mixed => Err(PrismError::Mixed(action.to_string())),
        Rule::Leaf(sign, apparent, ways) => Ok((*sign, apparent.clone(), ways.clone())),
        Rule::Any(all) => {
            let mut parts = Vec::new();
            let mut ways = Vec::new();
            let mut sign = None;
            for rule in all {
                let (own, apparent, more) = flatten(rule, action, named)?;
                if sign.is_some_and(|s| s != own) {
                    return Err(PrismError::Mixed(action.to_string()));
                }
                sign = Some(own);
                parts.push(apparent);
                ways.extend(more);
            }
            let sum = named.name(format!("({})", parts.join(" + ")));
            Ok((sign.unwrap_or(Active), sum, ways))
        }
        Rule::All(all) => {
            let mut flat = Vec::new();
            for rule in all {
                flat.push(flatten(rule, action, named)?);
            }
            together(flat, named)
        }
    }
}

fn together(
    flat: Vec<(Sign, String, Vec<Way>)>,
    named: &mut Named<'_>,
) -> Result<(Sign, String, Vec<Way>), PrismError> {
    let active: Vec<&str> = flat.iter().filter(|(s, ..)| *s == Active).map(|(_, a, _)| a.as_str()).collect();
    let sign = if active.is_empty() { Passive } else { Active };
    let of: Vec<&str> =
        if active.is_empty() { flat.iter().map(|(_, a, _)| a.as_str()).collect() } else { active };
    let least = if of.len() == 1 { of[0].to_string() } else { format!("min({})", of.join(", ")) };
    // Where somebody cannot take part, nobody can.
    let possible: Vec<String> = flat.iter().map(|(_, a, _)| format!("{a} > 0")).collect();
    let apparent = named.name(format!("(({}) ? {least} : 0)", possible.join(" & ")));
    let mut ways = vec![Way { guard: Vec::new(), rate: least, update: Vec::new() }];
    for (_, whole, more) in &flat {
        if ways.len() * more.len() > COMMANDS {
            return Err(PrismError::TooMany);
        }
        let both = |left: &Way, right: &Way| Way {
            guard: [left.guard.clone(), right.guard.clone()].concat(),
            // The only way has all of the rate.
            rate: if more.len() == 1 {
                left.rate.clone()
            } else {
                format!("{} * ({} / {whole})", left.rate, right.rate)
            },
            update: [left.update.clone(), right.update.clone()].concat(),
        };
        ways = ways.iter().flat_map(|l| more.iter().map(move |r| both(l, r))).collect();
    }
    Ok((sign, apparent, ways))
}

struct Writer<'a> {
    system: &'a System,
    variables: String,
    count: usize,
    roots: Vec<(u32, Rule)>,
}

impl Writer<'_> {
    fn node(&mut self, tree: &Tree) -> Vec<(u32, Rule)> {
        match tree {
            Tree::Leaf(local) => self.leaf(*local, None),
            Tree::Array(local, copies) => self.leaf(*local, Some(*copies)),
            Tree::Cooperation(set, parts) => {
                let parts = parts.iter().map(|p| self.node(p)).collect();
                cooperate(set, parts, Rule::Any, Rule::All)
            }
            Tree::Hiding(set, inner) => {
                let (hidden, kept): (Vec<_>, Vec<_>) =
                    self.node(inner).into_iter().partition(|(a, _)| set.binary_search(a).is_ok());
                self.roots.extend(hidden.into_iter().map(|(_, rule)| (TAU, rule)));
                kept
            }
        }
    }

    /// Declares a component's variables and gives its rules.
    fn leaf(&mut self, begin: u32, copies: Option<u32>) -> Vec<(u32, Rule)> {
        let locals = self.system.reachable(begin);
        self.count += 1;
        let number = self.count;
        let label = |at: usize| self.system.locals[locals[at] as usize].label.as_str();
        let variable = |at: usize| match copies {
            Some(_) => format!("c{number}_{at}"),
            None => format!("c{number}"),
        };
        match copies {
            Some(n) => {
                for at in 0..locals.len() {
                    let first = if at == 0 { n } else { 0 };
                    let _ = writeln!(
                        self.variables,
                        "  {} : [0..{n}] init {first}; // {}",
                        variable(at),
                        label(at)
                    );
                }
            }
            None => {
                let names: Vec<String> = (0..locals.len()).map(|at| format!("{at}: {}", label(at))).collect();
                let last = locals.len() - 1;
                let _ = writeln!(self.variables, "  c{number} : [0..{last}] init 0; // {}", names.join(", "));
            }
        }
        let mut rules = Vec::new();
        for (action, steps) in self.system.by_action(&locals) {
            let rule = rule(&steps, &variable, copies);
            if action == TAU {
                self.roots.push((TAU, rule));
            } else {
                rules.push((action, rule));
            }
        }
        rules
    }
}

fn rule(steps: &[(usize, usize, f64)], variable: &dyn Fn(usize) -> String, copies: Option<u32>) -> Rule {
    if steps.iter().any(|s| s.2 > 0.0) && steps.iter().any(|s| s.2 < 0.0) {
        return Rule::Mixed;
    }
    let sign = if steps.iter().any(|s| s.2 > 0.0) { Active } else { Passive };
    let mut terms = Vec::new();
    let mut ways = Vec::new();
    for (from, to, rate) in steps {
        let (rate, source) = (rate.abs(), variable(*from));
        let way = match copies {
            Some(_) => {
                terms.push(format!("{rate:?}*{source}"));
                let target = variable(*to);
                let update = vec![format!("({source}'={source}-1)"), format!("({target}'={target}+1)")];
                let guard = vec![format!("{source}>0")];
                Way {
                    guard,
                    rate: format!("{rate:?}*{source}"),
                    update: if from == to { Vec::new() } else { update },
                }
            }
            None => {
                terms.push(format!("({source}={from}?{rate:?}:0)"));
                let update = vec![format!("({source}'={to})")];
                Way {
                    guard: vec![format!("{source}={from}")],
                    rate: format!("{rate:?}"),
                    update: if from == to { Vec::new() } else { update },
                }
            }
        };
        ways.push(way);
    }
    Rule::Leaf(sign, format!("({})", terms.join(" + ")), ways)
}
