//! Reading the description of a pipeline.

use forerun_model::packet::{Communication, Pipeline, StageCost};
use forerun_platform::file::{self, Allowed, Section};
use forerun_platform::{Bytes, FileError, Seconds, SecondsPerByte, nearest};

/// A pipeline as described.
pub(super) struct Described {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) pipeline: Pipeline,
    /// Of every stage of the pipeline, links among them.
    pub(super) names: Vec<String>,
    /// Packets taken in that a stage holds, where any stage's memory is limited.
    pub(super) limited: bool,
}

/// What stands in `[[stage]]`.
struct Stage {
    name: String,
    cost: StageCost,
    memory: Option<Bytes>,
    link: Option<StageCost>,
}

/// Reads `text`, the contents of the file `name`.
///
/// # Errors
/// Everything that is wrong in it, each at its line.
pub(super) fn read(text: &str, name: &str) -> Result<Described, FileError> {
    file::read(text, name, |root| described(root, name))
}

fn described(root: &Section<'_, '_>, file: &str) -> Option<Described> {
    let name = root.text("name").unwrap_or_else(|| super::stem(file));
    let source = root.text("source").unwrap_or_default();
    let communication = communication(root);
    let input = root.quantity::<Bytes>("input");
    let input = root.required("input", "\"108 MB\"", input);
    let element = root.quantity::<Bytes>("element").unwrap_or(Bytes(1));
    let held = root.count("held").unwrap_or(2) as u64;
    let link = link(root);
    let sections = root.sections("stage");
    if !root.has("stage") || sections.as_ref().is_some_and(Vec::is_empty) {
        root.note("stage", "the file has no stages: add [[stage]] with its name, per_packet and per_byte");
        return None;
    }
    let sections = sections?;
    let read: Vec<Option<Stage>> = sections.iter().map(stage).collect();
    twice(&sections, &read)?;
    let (mut names, mut costs, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    // The section of every stage, that of the stage before of a link.
    let mut of = Vec::new();
    let last = read.len() - 1;
    for (i, stage) in read.into_iter().enumerate() {
        let stage = stage?;
        of.push(i);
        names.push(stage.name.clone());
        costs.push(stage.cost);
        memory.push(stage.memory.map(|b| b.0 as f64));
        if let Some(link) = stage.link.or(link).filter(|_| i < last) {
            names.push(format!("link after {}", stage.name));
            of.push(i);
            costs.push(link);
            memory.push(None);
        }
    }
    let elements = elements(root, input?, element)?;
    let limited = memory.iter().any(Option::is_some);
    let pipeline = Pipeline::new(costs, communication?, elements, element.0 as f64)
        .map_err(|e| root.note(if root.has("element") { "element" } else { "input" }, e.to_string()))
        .ok()?;
    for (i, limit) in memory.iter().enumerate().filter_map(|(i, m)| Some((i, (*m)?))) {
        let needed = pipeline.memory(i, 1, held);
        if limit < needed * (1.0 - 2.0 * f64::EPSILON) {
            sections[of[i]].note(
                "memory",
                format!(
                    "\"{}\" needs {} for packets of one element ({held} that it takes in, and what it gives out): give \
                     it more memory, or make elements smaller",
                    names[i],
                    Bytes(needed.ceil() as u64)
                ),
            );
            return None;
        }
    }
    let pipeline = pipeline.with_memory(&memory, held).map_err(|e| root.note("stage", e.to_string())).ok()?;
    Some(Described { name, source, pipeline, names, limited })
}

/// Notes stages of one name, which nothing that is said of them would tell apart.
fn twice(sections: &[Section<'_, '_>], read: &[Option<Stage>]) -> Option<()> {
    let names: Vec<&str> = read.iter().map(|s| s.as_ref().map_or("", |s| &s.name)).collect();
    let again = (0..names.len()).find(|&i| !names[i].is_empty() && names[..i].contains(&names[i]));
    match again {
        Some(i) => {
            let message = format!("two stages are called \"{}\": give each a name of its own", names[i]);
            sections[i].note("name", message);
            None
        }
        None => Some(()),
    }
}

fn communication(root: &Section<'_, '_>) -> Option<Communication> {
    let text = root.text("communication");
    let text = root.required("communication", "\"fixed-frequency\"", text)?;
    let found = Communication::ALL.into_iter().find(|c| c.name() == text);
    if found.is_none() {
        let meant = nearest(&text, Communication::ALL.map(Communication::name));
        let advice = meant.map_or(String::new(), |m| format!("; did you mean \"{m}\"?"));
        root.note(
            "communication",
            format!("\"communication\" is \"fixed-frequency\" or \"fixed-size\"{advice}"),
        );
    }
    found
}

fn elements(root: &Section<'_, '_>, input: Bytes, element: Bytes) -> Option<u64> {
    if element.0 == 0 || input.0 == 0 {
        root.note(if input.0 == 0 { "input" } else { "element" }, "expected at least \"1 B\"");
        return None;
    }
    if !input.0.is_multiple_of(element.0) {
        let whole = Bytes(input.0.div_ceil(element.0) * element.0);
        root.note(
            "input",
            format!("the input is not a whole number of elements of {element}: write \"{whole:#}\""),
        );
        return None;
    }
    Some(input.0 / element.0)
}

/// `per_packet` and `per_byte`.
fn cost(section: &Section<'_, '_>) -> StageCost {
    let fixed = section.quantity::<Seconds>("per_packet").unwrap_or_default();
    let per_byte = section.quantity::<SecondsPerByte>("per_byte").unwrap_or_default();
    StageCost::new(fixed.0, per_byte.0)
}

fn link(section: &Section<'_, '_>) -> Option<StageCost> {
    let inner = section.section("link")?;
    let cost = cost(&inner);
    inner.finish();
    Some(cost)
}

fn stage(section: &Section<'_, '_>) -> Option<Stage> {
    let name = section.text("name");
    let name = section.required("name", "\"filter\"", name);
    let cost = cost(section);
    let ratio = section.number("ratio", Allowed::Positive);
    let memory = section.quantity::<Bytes>("memory");
    let link = link(section);
    section.finish();
    Some(Stage { name: name?, cost: cost.with_ratio(ratio.unwrap_or(1.0)), memory, link })
}
