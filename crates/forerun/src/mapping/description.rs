//! What is to be mapped.

use forerun_pepa::pipeline::Pipeline;
use forerun_platform::file::{Allowed, Item, Kind, Section, read};
use forerun_platform::{FileError, Seconds};

/// More candidates than this are refused.
const CANDIDATES: usize = 100_000;

/// A link between two processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The processors, from 1.
    pub between: (usize, usize),
    /// The time of one transfer, in seconds.
    pub latency: f64,
}

/// Stages, processors, links, and which mappings to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The work of each stage, relative.
    pub work: Vec<f64>,
    /// For each processor the seconds that a stage of work 1 takes which has it to itself.
    pub times: Vec<f64>,
    /// Links with a latency of their own.
    pub links: Vec<Link>,
    /// The latency of all others, in seconds.
    pub latency: f64,
    /// The time of a transfer within a processor, in seconds.
    pub local: f64,
    /// The processor where the input lies, from 1, if it must be moved.
    pub input: Option<usize>,
    /// The processor where the output belongs.
    pub output: Option<usize>,
    /// For each candidate the processor of each stage, from 1.
    pub candidates: Vec<Vec<usize>>,
}

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its line.
    pub fn read(text: &str, name: &str) -> Result<Description, FileError> {
        read(text, name, build)
    }

    /// The seconds of a transfer from one processor to another.
    fn transfer(&self, from: usize, to: usize) -> f64 {
        if from == to {
            return self.local;
        }
        let link = self.links.iter().find(|l| l.between == (from, to) || l.between == (to, from));
        link.map_or(self.latency, |l| l.latency)
    }

    /// The pipeline of a mapping: stages share a processor equally.
    pub fn pipeline(&self, mapping: &[usize]) -> Pipeline {
        let sharing = |p: usize| mapping.iter().filter(|q| **q == p).count() as f64;
        let process =
            mapping.iter().zip(&self.work).map(|(p, work)| 1.0 / (self.times[p - 1] * work * sharing(*p)));
        let first = self.input.map_or(self.local, |from| self.transfer(from, mapping[0]));
        let last = self.output.map_or(self.local, |to| self.transfer(mapping[mapping.len() - 1], to));
        let between = mapping.windows(2).map(|pair| self.transfer(pair[0], pair[1]));
        let moves = std::iter::once(first).chain(between).chain([last]).map(|seconds| 1.0 / seconds);
        Pipeline { mapping: mapping.to_vec(), process: process.collect(), moves: moves.collect() }
    }
}

fn build(root: &Section<'_, '_>) -> Option<Description> {
    let work = match (root.numbers("work", Allowed::Positive), root.count("stages")) {
        (Some(_), Some(_)) => {
            root.note("stages", "\"work\" already says how many stages there are; take one of the two out");
            None
        }
        (Some(work), None) if !work.is_empty() => Some(work),
        (None, Some(stages)) => Some(vec![1.0; stages]),
        _ => {
            if !root.has("work") && !root.has("stages") {
                root.missing("stages", "3");
            } else if root.has("work") {
                root.note(
                    "work",
                    "\"work\" names the work of each stage, at least of one, such as [1, 1, 2]",
                );
            }
            None
        }
    };
    let processors = root.sections("processor");
    if processors.as_ref().is_none_or(Vec::is_empty) && !root.has("processor") {
        root.missing("processor", "[{ time = \"100 ms\" }]");
    }
    let mut times = Vec::new();
    for section in processors.into_iter().flatten() {
        times.push(seconds(&section, "time").or_else(|| section.required("time", "\"100 ms\"", None)));
        section.finish();
    }
    let times: Option<Vec<f64>> = times.into_iter().collect();
    let count = times.as_ref().map_or(0, Vec::len);
    let mut links = Vec::new();
    for section in root.sections("link").into_iter().flatten() {
        links.push(link(&section, count));
        section.finish();
    }
    let local = if root.has("local") { seconds(root, "local") } else { Some(1e-4) };
    let latency = if root.has("latency") { seconds(root, "latency") } else { local };
    let place = |key: &str| {
        let place = root.count(key);
        if place.is_some_and(|p| p > count) {
            root.note(key, format!("there are {count} processors"));
        }
        place.filter(|p| *p <= count)
    };
    let (input, output) = (place("input"), place("output"));
    let stages = work.as_ref().map_or(0, Vec::len);
    let candidates = candidates(root, stages, count);
    let links: Option<Vec<Link>> = links.into_iter().collect();
    root.finish();
    Some(Description {
        work: work?,
        times: times?,
        links: links?,
        latency: latency?,
        local: local?,
        input,
        output,
        candidates: candidates?,
    })
}

/// A time above 0.
fn seconds(section: &Section<'_, '_>, key: &str) -> Option<f64> {
    let Seconds(value) = section.quantity::<Seconds>(key)?;
    if value > 0.0 {
        return Some(value);
    }
    section.note(key, format!("\"{key}\" must be above 0, such as \"0.1 ms\""));
    None
}

fn link(section: &Section<'_, '_>, count: usize) -> Option<Link> {
    let latency = seconds(section, "latency").or_else(|| section.required("latency", "\"1 ms\"", None));
    let between = section.required("between", "[1, 2]", section.any("between"))?;
    let ends = whole(&between.kind, count);
    match ends.as_deref() {
        Some([a, b]) if a != b => Some(Link { between: (*a, *b), latency: latency? }),
        _ => {
            let message =
                format!("\"between\" names two of the {count} processors by their numbers, such as [1, 2]");
            section.note("between", message);
            None
        }
    }
}

/// A list of numbers of processors.
fn whole(kind: &Kind<'_, '_>, count: usize) -> Option<Vec<usize>> {
    let Kind::List(items) = kind else { return None };
    let number = |item: &Item<'_, '_>| match item.kind {
        Kind::Number(n) if n.fract() == 0.0 && n >= 1.0 && n <= count as f64 => Some(n as usize),
        _ => None,
    };
    items.iter().map(number).collect()
}

fn candidates(root: &Section<'_, '_>, stages: usize, count: usize) -> Option<Vec<Vec<usize>>> {
    let found = root.required("candidates", "\"all\"", root.any("candidates"))?;
    match &found.kind {
        Kind::Text(all) if all == "all" => {
            let total = count.checked_pow(u32::try_from(stages).ok()?).filter(|n| *n <= CANDIDATES);
            let Some(total) = total else {
                let message = format!("there are more than {CANDIDATES} mappings; name the ones to look at");
                root.note("candidates", message);
                return None;
            };
            let digit = |n: usize, at: usize| n / count.pow((stages - 1 - at) as u32) % count + 1;
            Some((0..total).map(|n| (0..stages).map(|at| digit(n, at)).collect()).collect())
        }
        Kind::List(items) if !items.is_empty() => {
            let mut all = Vec::new();
            for item in items {
                match whole(&item.kind, count).filter(|m| m.len() == stages) {
                    Some(mapping) => all.push(mapping),
                    None => root.note_place(
                        &item.place,
                        format!(
                            "a candidate names one of the {count} processors for each of the {stages} stages"
                        ),
                    ),
                }
            }
            (all.len() == items.len()).then_some(all)
        }
        _ => {
            root.note(
                "candidates",
                "\"candidates\" is \"all\", or a list of mappings such as [[1, 1, 2], [1, 2, 3]]",
            );
            None
        }
    }
}
