//! Reading a profile file.

use std::path::Path;

use super::{Cost, Join, JoinAt, Profile, ReductionProfile, Spill, Wait, farm, scatter_gather};
use crate::file::{self, Allowed, FileError, Section};
use crate::units::{PartBytes, Quantity, Seconds, SecondsPerByte};

/// Of two cores that take turns each is no slower than by half.
pub(super) const CONTENTION: Allowed = Allowed::UpTo(1.0);
/// By how much figures of the same job differ.
pub(super) const RATIO: Allowed = Allowed::UpTo(1e6);
/// More than a call takes, 300 years, and more than it takes for each byte.
pub(super) const LONGEST: Seconds = Seconds(1e10);
pub(super) const LONGEST_OF_A_BYTE: SecondsPerByte = SecondsPerByte(1e6);

/// More than any file or memory has.
pub(super) const LARGEST: PartBytes = PartBytes(9e18);

impl Profile {
    /// Reads a profile file's contents; `name` is what messages call the file.
    ///
    /// ```
    /// use forerun_platform::Profile;
    ///
    /// let features = Profile::from_toml(
    ///     r#"
    ///     format = 1
    ///     application = "features"
    ///     source = "by hand"
    ///     program = "wc -w, merged by cat"                  # of a job of external commands, those that cost this
    ///     [reduction]
    ///     task = { fixed = "150 ms", per_byte = "3 ns/B", spread = 0.05, error = 0.01 }
    ///     merge = { per_result = "12.8 ms" }
    ///     sink = { fixed = "2 ms", wait = "20 ms" }         # waited for, as long on a host of any speed; default 0
    ///     finish = "0 s"                                    # default 0
    ///     result_bytes = { fixed = "20 B", per_byte = 1.0 } # of a task, from its input's size
    ///     growth = [1.0, 0.9]                               # by level of merging; default 1
    ///     grown_from = "1 MB"                               # where level 0 merges results of such inputs; default: of any
    ///     join_at = "finish"                                # sets become one: by the "sink", or at the "finish"
    ///     join = { per_byte = "2 ns/B" }                    # by merges of this cost
    ///     join_beside = "0.2 ns/B"                          # of which so much of the result passes while the finish writes
    ///     new_memory = "0.2 ns/B"                           # a merge, into memory not used before; default 0
    ///     contention = 0.1                                  # a task, for each other busy core; default 0
    ///     tried = "2 MB"                                    # the largest task that was measured; default: they hold for any
    ///     [reduction.spill]                                 # where memory is limited
    ///     room = "25 MB"                                    # of results in it; others go to a disk
    ///     ways = 40                                         # and are merged so many at a time; default: any number
    ///     write = { per_byte = "0.4 ns/B" }                 # to put a result there, default 0
    ///     read = { per_byte = "0.3 ns/B" }                  # and to take it from there, default 0
    ///     "#,
    ///     "features.toml",
    /// )?;
    /// assert_eq!(features.reduction.unwrap().merge.per_result, 0.0128);
    /// # Ok::<(), forerun_platform::FileError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong in it, each at its line.
    pub fn from_toml(text: &str, name: &str) -> Result<Profile, FileError> {
        file::read(text, name, profile)
    }

    /// Reads a profile file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Profile, FileError> {
        let path = path.as_ref();
        Profile::from_toml(&file::contents(path)?, &file::named(path))
    }
}

impl ReductionProfile {
    /// Reads the costs of a reduction from a section of a file, with the keys that `[reduction]` has in a
    /// profile file; `None` after noting what is wrong.
    pub fn from_section(section: &Section<'_, '_>) -> Option<ReductionProfile> {
        reduction_of(section)
    }
}

fn profile(root: &Section<'_, '_>) -> Option<Profile> {
    let application = root.text("application");
    let of_farm = root.has("farm") && !root.has("reduction") && !root.has("scatter_gather");
    let application =
        root.required("application", if of_farm { "\"farm\"" } else { "\"sort\"" }, application);
    let source = root.text("source").unwrap_or_default();
    let program = root.text("program");
    let reduction = root.section("reduction");
    let scatter = root.section("scatter_gather");
    let farm = root.section("farm");
    if !["reduction", "scatter_gather", "farm"].iter().any(|section| root.has(section)) {
        root.note(
            "reduction",
            "the file has no costs: add [reduction] with task, merge and result_bytes, or of a farm [farm] with task and result_bytes",
        );
    }
    // A section that is there and wrong leaves no profile.
    let reduction = reduction.map(|s| reduction_of(&s));
    let scatter_gather = scatter.map(|s| scatter_gather::read(&s));
    let farm = farm.map(|s| farm::of(&s));
    if reduction.is_none() && scatter_gather.is_none() && farm.is_none() {
        return None;
    }
    let reduction = reduction.map_or(Some(None), |r| r.map(Some))?;
    let scatter_gather = scatter_gather.map_or(Some(None), |s| s.map(Some))?;
    let farm = farm.map_or(Some(None), |f| f.map(Some))?;
    Some(Profile { application: application?, source, program, reduction, scatter_gather, farm })
}

fn reduction_of(section: &Section<'_, '_>) -> Option<ReductionProfile> {
    let task = cost(section, "task");
    let task = section.required("task", "\"150 ms\"", task);
    takes_time(section, task.as_ref());
    let merge = cost(section, "merge");
    let merge = section.required("merge", "{ per_result = \"12.8 ms\" }", merge);
    let sink = cost(section, "sink").unwrap_or_default();
    let finish = cost(section, "finish").unwrap_or_default();
    let size = result_bytes(section);
    let size = section.required("result_bytes", "\"20 B\"", size);
    let growth = section.numbers("growth", Allowed::PositiveTo(1e6)).unwrap_or_default();
    let alike = ": leave it out where inputs of any size are alike";
    let grown_from = section.size_of_some("grown_from", LARGEST, alike);
    let grown_from = grown_from.map_or(0.0, Quantity::number);
    let contention = section.number("contention", CONTENTION).unwrap_or(0.0);
    let new_memory = section.quantity_to("new_memory", LONGEST_OF_A_BYTE).map_or(0.0, |each| each.0);
    let any = " of a task: leave it out where the costs hold for any";
    let tried = section.size_of_some("tried", LARGEST, any);
    let tried = tried.map_or(0.0, Quantity::number);
    let join = join(section);
    let spill = section.inner("spill").map(|s| spill(&s));
    section.finish();
    let (task, merge, result_bytes) = (task?, merge?, size?);
    // A section that is there and wrong leaves no costs.
    let spill = spill.map_or(Some(None), |s| s.map(Some))?;
    Some(ReductionProfile {
        task,
        merge,
        sink,
        finish,
        result_bytes,
        growth,
        grown_from,
        join,
        contention,
        new_memory,
        spill,
        tried,
    })
}

/// `[reduction.spill]`.
fn spill(section: &Section<'_, '_>) -> Option<Spill> {
    let room = section.quantity_to("room", LARGEST).map(Quantity::number);
    let room = section.required("room", "\"25 MB\"", room);
    let ways = section.number("ways", Allowed::UpTo(1e12)).unwrap_or(0.0);
    let (write, read) = (cost(section, "write"), cost(section, "read"));
    section.finish();
    Some(Spill { room: room?, ways, write: write.unwrap_or_default(), read: read.unwrap_or_default() })
}

/// `join_at`, `join` and `join_beside`, which go together.
fn join(section: &Section<'_, '_>) -> Option<Join> {
    let cost = cost(section, "join");
    let beside = section.quantity_to("join_beside", LONGEST_OF_A_BYTE).map(|each| each.0);
    let at = match section.text("join_at")?.as_str() {
        "sink" => JoinAt::Sink,
        "finish" => JoinAt::Finish,
        _ => {
            section.note("join_at", "\"join_at\" says when sets are joined: \"sink\" or \"finish\"");
            return None;
        }
    };
    let cost = section.required("join", "{ per_byte = \"2 ns/B\" }", cost)?;
    Some(Join { at, cost, beside: beside.unwrap_or(0.0) })
}

pub(super) fn cost(reduction: &Section<'_, '_>, key: &'static str) -> Option<Cost> {
    let Some(section) = reduction.inner(key) else {
        return reduction.quantity_to::<Seconds>(key, LONGEST).map(|s| Cost::constant(s.0));
    };
    let noted = section.noted();
    let (fixed, per_byte, per_result) = line(&section);
    let cost = Cost {
        fixed,
        per_byte,
        per_result,
        wait: wait(&section),
        spread: section.number("spread", RATIO).unwrap_or(0.0),
        error: section.number("error", RATIO).unwrap_or(0.0),
    };
    section.finish();
    if !["fixed", "per_byte", "per_result", "wait"].iter().any(|k| section.has(k)) {
        section.note("fixed", format!("\"{key}\" says no time: add fixed, per_byte or per_result"));
    }
    // What is wrong is no cost of 0.
    (section.noted() == noted).then_some(cost)
}

/// Notes a task that costs nothing at all: whatever it is, it takes some time.
pub(super) fn takes_time(section: &Section<'_, '_>, task: Option<&Cost>) {
    let some = |cost: &Cost| cost.seconds(1.0, 1.0) > 0.0;
    if task.is_some_and(|task| !some(task)) {
        section.note(
            "task",
            "\"task\" takes no time, with which there is nothing to predict: give what one costs",
        );
    }
}

/// What a call waits, by call, byte and result, or one time for each call.
fn wait(cost: &Section<'_, '_>) -> Wait {
    let Some(section) = cost.inner("wait") else {
        return Wait::constant(cost.quantity_to::<Seconds>("wait", LONGEST).unwrap_or_default().0);
    };
    let (fixed, per_byte, per_result) = line(&section);
    section.finish();
    Wait { fixed, per_byte, per_result }
}

/// `fixed`, `per_byte` and `per_result`.
fn line(section: &Section<'_, '_>) -> (f64, f64, f64) {
    let seconds = |key| section.quantity_to(key, LONGEST).unwrap_or_default().0;
    let per_byte = section.quantity_to("per_byte", LONGEST_OF_A_BYTE).unwrap_or_default().0;
    (seconds("fixed"), per_byte, seconds("per_result"))
}

pub(super) fn result_bytes(reduction: &Section<'_, '_>) -> Option<(f64, f64)> {
    let Some(section) = reduction.inner("result_bytes") else {
        return reduction.quantity_to("result_bytes", LARGEST).map(|b| (b.number(), 0.0));
    };
    let fixed = section.quantity_to("fixed", LARGEST).unwrap_or_default();
    let per_byte = section.number("per_byte", RATIO).unwrap_or(0.0);
    section.finish();
    if !section.has("fixed") && !section.has("per_byte") {
        section.note("fixed", "\"result_bytes\" says no size: add fixed or per_byte");
    }
    Some((fixed.number(), per_byte))
}
