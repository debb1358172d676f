//! Which mappings to look at.

use forerun_pepa::mapping::Mapping;
use forerun_platform::file::{Item, Kind, Section};

/// Which mappings to look at.
#[derive(Debug, Clone, PartialEq)]
pub enum Candidates {
    /// All that there are.
    All,
    /// These.
    Listed(Vec<Mapping>),
}

impl Candidates {
    /// Reads `candidates`, of pipelines of so many stages on so many processors.
    pub(super) fn read(root: &Section<'_, '_>, stages: usize, processors: usize) -> Option<Candidates> {
        let found = root.required("candidates", "\"all\"", root.any("candidates"))?;
        match &found.kind {
            Kind::Text(all) if all == "all" => Some(Candidates::All),
            Kind::List(items) if !items.is_empty() => {
                let mut all = Vec::new();
                for item in items {
                    match mapping(item, processors).filter(|m| m.len() == stages) {
                        Some(mapping) => all.push(mapping),
                        None => root.note_place(
                            &item.place,
                            format!(
                                "a candidate names one of the {processors} processors for each of the {stages} stages, or \
                                 a list of different ones for a replicated stage, such as [1, [2, 3]]"
                            ),
                        ),
                    }
                }
                (all.len() == items.len()).then_some(Candidates::Listed(all))
            }
            _ => {
                root.note(
                    "candidates",
                    "\"candidates\" is \"all\", or a list of mappings such as [[1, 1, 2], [1, [2, 3], 1]]",
                );
                None
            }
        }
    }
}

/// A mapping as it is written in a file and on a command line: numbers of processors from 1.
fn mapping(item: &Item<'_, '_>, processors: usize) -> Option<Mapping> {
    let Kind::List(stages) = &item.kind else { return None };
    let stage = |item: &Item<'_, '_>| match &item.kind {
        Kind::Number(_) => number(item, processors).map(|p| vec![p]),
        Kind::List(all) if !all.is_empty() => {
            let all: Vec<usize> = all.iter().map(|i| number(i, processors)).collect::<Option<_>>()?;
            let apart = (1..all.len()).all(|i| !all[..i].contains(&all[i]));
            apart.then_some(all)
        }
        _ => None,
    };
    stages.iter().map(stage).collect()
}

/// The number of a processor, from 1; gives it from 0.
pub(super) fn number(item: &Item<'_, '_>, processors: usize) -> Option<usize> {
    match item.kind {
        Kind::Number(n) if n.fract() == 0.0 && n >= 1.0 && n <= processors as f64 => Some(n as usize - 1),
        _ => None,
    }
}
