//! Benoit, Cole, Gilmore and Hillston: the throughput of a pipeline's mappings by PEPA.

use forerun_pepa::mapping::{Mapping, Objective, Ranked, rank};

use super::{Arguments, Gives, Model, Parameter, Takes, time};
use crate::mapping::{Candidates, Description, Link};
use crate::reproduce::quantity::Dimension::{Number, PerSecond, Time};

/// The processor of each stage.
const MAPPING: Parameter = Parameter { name: "mapping", takes: Takes::Many(Number) };
/// What a stage takes on each processor.
const TIMES: Parameter = Parameter { name: "times", takes: Takes::Many(Time) };
/// Latencies between processors: 1 and 2, 1 and 3, …, 2 and 3, ….
const LINKS: Parameter = Parameter { name: "links", takes: Takes::Many(Time) };
/// What a transfer within a processor takes.
const LOCAL: Parameter = time("local");

const ONE: &[Parameter] = &[MAPPING, TIMES, LINKS, LOCAL];

/// Solves `candidates`; the best first.
fn ranked(a: &Arguments<'_>, candidates: Vec<Mapping>) -> Result<Vec<Ranked>, String> {
    let (times, links) = (a.list("times"), a.list("links"));
    let pairs: Vec<(usize, usize)> =
        (0..times.len()).flat_map(|i| (i + 1..times.len()).map(move |j| (i, j))).collect();
    if links.len() != pairs.len() {
        return Err(format!(
            "links has {} latencies, where {} processors have {} pairs",
            links.len(),
            times.len(),
            pairs.len()
        ));
    }
    if times.iter().chain(links).chain([&a.get("local")]).any(|t| t.is_nan() || *t <= 0.0) {
        return Err("a time of times, links or local is not above 0".into());
    }
    let links = pairs.into_iter().zip(links).map(|(between, &latency)| Link { between, latency }).collect();
    let stages = candidates.first().map_or(0, Vec::len);
    let description = Description {
        times: vec![times.to_vec(); stages],
        replicas: vec![1; stages],
        links,
        latency: a.get("local"),
        local: a.get("local"),
        input: None,
        output: None,
        candidates: Candidates::All,
    };
    let grid = description.grid(None);
    rank(&grid, &candidates, Objective::Throughput, 1, &|| false, &|| {}).map_err(|e| e.to_string())
}

/// The mapping that is given.
fn one(a: &Arguments<'_>) -> Result<Ranked, String> {
    let processors = a.list("times").len();
    let mapping: Vec<usize> = a.list("mapping").iter().map(|p| *p as usize).collect();
    if mapping.is_empty() || !mapping.iter().all(|p| (1..=processors).contains(p)) {
        return Err(format!("mapping names a processor that is not one of {processors}, or none"));
    }
    ranked(a, vec![mapping.into_iter().map(|p| vec![p - 1]).collect()])?
        .into_iter()
        .next()
        .ok_or_else(|| "nothing was solved".into())
}

/// The best of all mappings of as many stages as the mapping has whose first stage is on processor 1.
fn best(a: &Arguments<'_>) -> Result<Ranked, String> {
    let (stages, processors) = (a.list("mapping").len(), a.list("times").len());
    let mut candidates = vec![vec![vec![0]]];
    for _ in 1..stages {
        if candidates.len().saturating_mul(processors) > 10_000 {
            return Err("more than 10000 mappings".into());
        }
        let longer =
            |m: &Mapping| (0..processors).map(|p| [m.as_slice(), &[vec![p]]].concat()).collect::<Vec<_>>();
        candidates = candidates.iter().flat_map(longer).collect();
    }
    ranked(a, candidates)?.into_iter().next().ok_or_else(|| "nothing was solved".into())
}

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "benoit-throughput",
        about: "throughput of a pipeline on the processors of mapping, of the PEPA model of section 2",
        parameters: ONE,
        gives: Gives::One(PerSecond),
        compute: |a| Ok(one(a)?.solved.throughput),
    },
    Model {
        name: "benoit-best-throughput",
        about: "the largest of all mappings with the first stage on processor 1 (section 4)",
        parameters: ONE,
        gives: Gives::One(PerSecond),
        compute: |a| Ok(best(a)?.solved.throughput),
    },
    Model {
        name: "benoit-states",
        about: "states of that model",
        parameters: ONE,
        gives: Gives::One(Number),
        compute: |a| Ok(one(a)?.solved.states as f64),
    },
    Model {
        name: "benoit-transitions",
        about: "transitions of that model",
        parameters: ONE,
        gives: Gives::One(Number),
        compute: |a| Ok(one(a)?.solved.transitions as f64),
    },
];
