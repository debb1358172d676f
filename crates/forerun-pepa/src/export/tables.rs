//! The chain as text: Matrix Market, DOT, CSV.

use std::io::{self, Write};

use crate::chain::Chain;
use crate::model::System;
use crate::space::Space;

/// Writes the generator Q in Matrix Market's coordinate format: rows are the states left, columns those
/// entered, numbered from 1; the diagonal makes rows sum to 0.
///
/// # Errors
/// Those of `out`.
pub fn matrix_market(chain: &Chain, out: &mut dyn Write) -> io::Result<()> {
    let n = chain.states();
    let diagonal = (0..n).filter(|s| chain.exit(*s) != 0.0).count();
    writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(
        out,
        "% generator of a continuous-time Markov chain: row i, column j is the rate from state i to state j"
    )?;
    writeln!(out, "{n} {n} {}", chain.entries() + diagonal)?;
    for to in 0..n {
        for (from, rate) in chain.entering(to) {
            writeln!(out, "{} {} {rate:e}", from + 1, to + 1)?;
        }
        if chain.exit(to) != 0.0 {
            writeln!(out, "{} {} {:e}", to + 1, to + 1, -chain.exit(to))?;
        }
    }
    Ok(())
}

/// Writes the transitions as a graph in DOT: nodes are states with their local states, edges have action and rate.
///
/// # Errors
/// Those of `out`.
pub fn dot(system: &System, space: &Space, out: &mut dyn Write) -> io::Result<()> {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "digraph states {{")?;
    writeln!(out, "  node [shape=box];")?;
    for state in 0..space.states() {
        let start = if state == 0 { ", penwidth=2" } else { "" };
        writeln!(out, "  s{state} [label=\"{}\"{start}];", quoted(&space.describe(system, state)))?;
    }
    for state in 0..space.states() {
        for step in space.from(state) {
            let action = quoted(&system.actions[step.action as usize]);
            writeln!(out, "  s{state} -> s{} [label=\"{action}, {}\"];", step.to, step.rate)?;
        }
    }
    writeln!(out, "}}")
}

/// A field of a line of CSV.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

/// Writes the states as CSV: number, probability if there is one, then for each component its local state, or
/// for each local state of an array how many copies are in it.
///
/// # Errors
/// Those of `out`.
pub fn states_csv(system: &System, space: &Space, x: Option<&[f64]>, out: &mut dyn Write) -> io::Result<()> {
    let label = |local: u32| system.locals[local as usize].label.as_str();
    let mut head = vec!["state".to_string()];
    if x.is_some() {
        head.push("probability".into());
    }
    for (number, (locals, copies)) in space.components().enumerate() {
        if copies == 1 {
            head.push(field(&format!("component {}", number + 1)));
        } else {
            head.extend(locals.iter().map(|l| field(&format!("{} of component {}", label(*l), number + 1))));
        }
    }
    writeln!(out, "{}", head.join(","))?;
    for state in 0..space.states() {
        let mut line = vec![state.to_string()];
        if let Some(x) = x {
            line.push(format!("{:e}", x[state]));
        }
        for (component, (locals, copies)) in space.components().enumerate() {
            let counts = (0..locals.len()).map(|at| space.count(state, component, at));
            if copies == 1 {
                let at = counts.into_iter().position(|c| c == 1).unwrap_or(0);
                line.push(field(label(locals[at])));
            } else {
                line.extend(counts.map(|c| c.to_string()));
            }
        }
        writeln!(out, "{}", line.join(","))?;
    }
    Ok(())
}

/// Writes the transitions as CSV: from, action, rate, to.
///
/// # Errors
/// Those of `out`.
pub fn transitions_csv(system: &System, space: &Space, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "from,action,rate,to")?;
    for state in 0..space.states() {
        for step in space.from(state) {
            let action = field(&system.actions[step.action as usize]);
            writeln!(out, "{state},{action},{:e},{}", step.rate, step.to)?;
        }
    }
    Ok(())
}
