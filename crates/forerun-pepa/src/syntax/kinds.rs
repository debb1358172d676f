//! Which definitions are of rates and which of processes, before they are read.
//!
//! Names tell only by convention: the Workbench takes either in upper or lower case. What is
//! written tells nearly always; else what the names in it stand for; and last the case of the name.

use std::collections::HashMap;

use super::token::{Kind, Token};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Rate,
    Process,
}

/// For every definition, by the place of its name among the parts, what it is of. Cost: linear, times
/// the length of the longest chain of names that only stand for names.
pub(super) fn sorts(tokens: &[Token]) -> HashMap<usize, Sort> {
    let mut known: HashMap<&str, Sort> = HashMap::new();
    let mut found = HashMap::new();
    let mut open = Vec::new();
    for (at, name) in definitions(tokens) {
        let body = body(tokens, at + 2);
        match told(body) {
            Some(sort) => {
                known.entry(name).or_insert(sort);
                found.insert(at, sort);
            }
            None => open.push((at, name, body)),
        }
    }
    loop {
        let before = open.len();
        open.retain(|(at, name, body)| {
            let sort = names(body).find_map(|n| known.get(n).copied());
            if let Some(sort) = sort {
                known.entry(name).or_insert(sort);
                found.insert(*at, sort);
            }
            sort.is_none()
        });
        if open.len() == before {
            break;
        }
    }
    for (at, name, _) in open {
        let lower = name.starts_with(char::is_lowercase);
        found.insert(at, if lower { Sort::Rate } else { Sort::Process });
    }
    found
}

/// The places of the names that something is defined as.
fn definitions(tokens: &[Token]) -> impl Iterator<Item = (usize, &str)> {
    tokens.windows(2).enumerate().filter_map(|(at, pair)| match (&pair[0].kind, &pair[1].kind) {
        (Kind::Name(name, _), Kind::Is) => Some((at, name.as_str())),
        _ => None,
    })
}

/// The parts up to the semicolon, the next definition or the end.
fn body(tokens: &[Token], from: usize) -> &[Token] {
    let rest = &tokens[from.min(tokens.len())..];
    let end = (0..rest.len())
        .find(|at| match &rest[*at].kind {
            Kind::Mark(';') | Kind::End => true,
            Kind::Name(..) => rest.get(at + 1).is_some_and(|t| t.kind == Kind::Is),
            _ => false,
        })
        .unwrap_or(rest.len());
    &rest[..end]
}

fn names(body: &[Token]) -> impl Iterator<Item = &str> {
    body.iter().filter_map(|t| match &t.kind {
        Kind::Name(name, _) => Some(name.as_str()),
        _ => None,
    })
}

/// What only one of the two can be.
fn told(body: &[Token]) -> Option<Sort> {
    let mark = |marks: &str| body.iter().any(|t| matches!(t.kind, Kind::Mark(c) if marks.contains(c)));
    if mark(",<>[]{}.&") || body.iter().any(|t| t.kind == Kind::Bars) {
        return Some(Sort::Process);
    }
    let number = body.iter().any(|t| matches!(t.kind, Kind::Number(..)));
    (number || mark("-*/")).then_some(Sort::Rate)
}
