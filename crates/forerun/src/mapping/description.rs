//! What is to be mapped.

use forerun_pepa::mapping::Grid;
use forerun_platform::file::{Allowed, Item, Kind, Section, read};
use forerun_platform::{FileError, Seconds};

use super::candidates::{Candidates, number};
use super::monitor::Reading;

/// A link between two processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The processors, from 0.
    pub between: (usize, usize),
    /// The time of one transfer, in seconds.
    pub latency: f64,
}

/// Stages, processors, links, and which mappings to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// For each stage and each processor the seconds that the stage takes if it has the processor to itself.
    pub times: Vec<Vec<f64>>,
    /// On how many processors each stage may be, at most.
    pub replicas: Vec<usize>,
    /// Links with a latency of their own.
    pub links: Vec<Link>,
    /// The latency of all others, in seconds.
    pub latency: f64,
    /// The time of a transfer within a processor, in seconds.
    pub local: f64,
    /// The processor where the input lies, from 0, if it must be moved.
    pub input: Option<usize>,
    /// The processor where the output belongs.
    pub output: Option<usize>,
    /// Which mappings to look at.
    pub candidates: Candidates,
}

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its line.
    pub fn read(text: &str, name: &str) -> Result<Description, FileError> {
        read(text, name, build)
    }

    /// How many processors there are.
    pub fn processors(&self) -> usize {
        self.times.first().map_or(0, Vec::len)
    }

    /// Stages and processors as they are described, changed by what a monitor says, if there is one.
    pub fn grid(&self, now: Option<&Reading>) -> Grid {
        let count = self.processors();
        let mut transfers = vec![vec![self.latency; count]; count];
        let measured = now.map_or(&[][..], |r| &r.links);
        for Link { between: (a, b), latency } in self.links.iter().chain(measured) {
            transfers[*a][*b] = *latency;
            transfers[*b][*a] = *latency;
        }
        (0..count).for_each(|p| transfers[p][p] = self.local);
        let mut times = self.times.clone();
        for (p, speed) in now.map_or(&[][..], |r| &r.speeds) {
            times.iter_mut().for_each(|of| of[*p] /= speed);
        }
        let place = |of: Option<usize>| of.map_or_else(|| vec![self.local; count], |p| transfers[p].clone());
        let (input, output) = (place(self.input), place(self.output));
        Grid { times, transfers, input, output, replicas: self.replicas.clone() }
    }
}

fn build(root: &Section<'_, '_>) -> Option<Description> {
    let work = work(root);
    let stages = work.as_ref().map_or(0, Vec::len);
    let processors = root.sections("processor");
    if processors.as_ref().is_none_or(Vec::is_empty) && !root.has("processor") {
        root.missing("processor", "[{ time = \"100 ms\" }]");
    }
    let mut columns = Vec::new();
    for section in processors.into_iter().flatten() {
        columns.push(column(&section, work.as_deref().unwrap_or(&[])));
        section.finish();
    }
    let count = columns.len();
    let columns: Option<Vec<Vec<f64>>> = columns.into_iter().collect();
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
        place.filter(|p| *p <= count).map(|p| p - 1)
    };
    let (input, output) = (place("input"), place("output"));
    let replicas = replicas(root, stages, count);
    let candidates = Candidates::read(root, stages, count);
    let links: Option<Vec<Link>> = links.into_iter().collect();
    let (columns, work) = (columns?, work?);
    let times = (0..work.len()).map(|s| columns.iter().map(|of| of[s]).collect()).collect();
    Some(Description {
        times,
        replicas: replicas?,
        links: links?,
        latency: latency?,
        local: local?,
        input,
        output,
        candidates: candidates?,
    })
}

/// The work of each stage, relative.
fn work(root: &Section<'_, '_>) -> Option<Vec<f64>> {
    match (root.numbers("work", Allowed::Positive), root.count("stages")) {
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
    }
}

/// What each stage takes on a processor: `time` for work 1, or `times`, one for each stage.
fn column(section: &Section<'_, '_>, work: &[f64]) -> Option<Vec<f64>> {
    if !section.has("times") {
        let time = seconds(section, "time").or_else(|| section.required("time", "\"100 ms\"", None))?;
        return Some(work.iter().map(|w| w * time).collect());
    }
    if section.has("time") {
        section.note("time", "\"times\" already says what each stage takes; take one of the two out");
    }
    let item = section.any("times")?;
    let one = |item: &Item<'_, '_>| match &item.kind {
        Kind::Text(text) => text.parse::<Seconds>().ok().map(|s| s.0).filter(|s| *s > 0.0),
        _ => None,
    };
    let all: Option<Vec<f64>> = match &item.kind {
        Kind::List(items) => items.iter().map(one).collect(),
        _ => None,
    };
    let all = all.filter(|all| all.len() == work.len());
    if all.is_none() {
        let message = format!(
            "\"times\" names what each of the {} stages takes here, above 0, such as [\"100 ms\", \"0.2 s\"]",
            work.len()
        );
        section.note("times", message);
    }
    all
}

/// On how many processors each stage may be.
fn replicas(root: &Section<'_, '_>, stages: usize, processors: usize) -> Option<Vec<usize>> {
    let Some(item) = root.any("replicas") else { return Some(vec![1; stages]) };
    let one = |item: &Item<'_, '_>| number(item, processors).map(|n| n + 1);
    let all = match &item.kind {
        Kind::List(items) => {
            items.iter().map(one).collect::<Option<Vec<usize>>>().filter(|a| a.len() == stages)
        }
        _ => one(&item).map(|n| vec![n; stages]),
    };
    if all.is_none() {
        let message = format!(
            "\"replicas\" says on how many of the {processors} processors a stage may be: one number, or one for each of \
             the {stages} stages"
        );
        root.note_place(&item.place, message);
    }
    all
}

/// A time above 0.
pub(super) fn seconds(section: &Section<'_, '_>, key: &str) -> Option<f64> {
    let Seconds(value) = section.quantity::<Seconds>(key)?;
    if value > 0.0 {
        return Some(value);
    }
    section.note(key, format!("\"{key}\" must be above 0, such as \"0.1 ms\""));
    None
}

pub(super) fn link(section: &Section<'_, '_>, count: usize) -> Option<Link> {
    let latency = seconds(section, "latency").or_else(|| section.required("latency", "\"1 ms\"", None));
    let between = section.required("between", "[1, 2]", section.any("between"))?;
    let ends: Option<Vec<usize>> = match &between.kind {
        Kind::List(items) => items.iter().map(|i| number(i, count)).collect(),
        _ => None,
    };
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
