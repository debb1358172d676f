//! What papers do with numbers beside their equations.

use super::{Arguments, Gives, Model, Parameter, Takes, number};
use crate::reproduce::quantity::Dimension;

const fn any(name: &'static str) -> Parameter {
    Parameter { name, takes: Takes::Any }
}

const fn list() -> Parameter {
    Parameter { name: "of", takes: Takes::ManyAny }
}

fn some<'a>(a: &'a Arguments<'_>) -> Result<&'a [f64], String> {
    match a.list("of") {
        [] => Err("the list has no value".into()),
        values => Ok(values),
    }
}

fn ratio(over: f64, under: f64) -> Result<f64, String> {
    match under {
        0.0 => Err("there is no ratio to 0".into()),
        _ => Ok(over / under),
    }
}

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "value",
        about: "a value as it is",
        parameters: &[any("of")],
        gives: Gives::Same,
        compute: |a| Ok(a.get("of")),
    },
    Model {
        name: "ratio",
        about: "of / to, such as a speedup",
        parameters: &[any("of"), any("to")],
        gives: Gives::One(Dimension::Number),
        compute: |a| ratio(a.get("of"), a.get("to")),
    },
    Model {
        name: "relative-difference",
        about: "(of − from) / from",
        parameters: &[any("of"), any("from")],
        gives: Gives::One(Dimension::Number),
        compute: |a| ratio(a.get("of") - a.get("from"), a.get("from")),
    },
    Model {
        name: "relative-size",
        about: "|of − from| / from",
        parameters: &[any("of"), any("from")],
        gives: Gives::One(Dimension::Number),
        compute: |a| ratio((a.get("of") - a.get("from")).abs(), a.get("from")),
    },
    Model {
        name: "times",
        about: "times · of",
        parameters: &[number("times"), any("of")],
        gives: Gives::Same,
        compute: |a| Ok(a.get("times") * a.get("of")),
    },
    Model {
        name: "sum",
        about: "the sum of a list",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| Ok(some(a)?.iter().sum()),
    },
    Model {
        name: "difference",
        about: "of − less",
        parameters: &[any("of"), any("less")],
        gives: Gives::Same,
        compute: |a| Ok(a.get("of") - a.get("less")),
    },
    Model {
        name: "mean",
        about: "the mean of a list",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| some(a).map(|v| v.iter().sum::<f64>() / v.len() as f64),
    },
    Model {
        name: "mean-size",
        about: "the mean of a list's absolute values",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| some(a).map(|v| v.iter().map(|x| x.abs()).sum::<f64>() / v.len() as f64),
    },
    Model {
        name: "greatest",
        about: "the greatest of a list",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| Ok(some(a)?.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
    },
    Model {
        name: "least",
        about: "the least of a list",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| Ok(some(a)?.iter().copied().fold(f64::INFINITY, f64::min)),
    },
    Model {
        name: "greatest-size",
        about: "the greatest of a list's absolute values",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| Ok(some(a)?.iter().map(|x| x.abs()).fold(0.0, f64::max)),
    },
    Model {
        name: "least-size",
        about: "the least of a list's absolute values",
        parameters: &[list()],
        gives: Gives::Same,
        compute: |a| Ok(some(a)?.iter().map(|x| x.abs()).fold(f64::INFINITY, f64::min)),
    },
    Model {
        name: "rounded-up",
        about: "the next whole number of the base unit, at least `of`",
        parameters: &[any("of")],
        gives: Gives::Same,
        compute: |a| Ok(a.get("of").ceil()),
    },
];
