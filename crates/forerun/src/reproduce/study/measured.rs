//! Reading what is to be predicted beside a measurement.

use forerun_platform::file::Section;
use forerun_platform::{Platform, ReductionProfile, ScatterGatherProfile, Strategy, nearest, presets};

use super::super::models::Takes;
use super::super::predict::{Pattern, Reduction, RoundTrip, ScatterGather};
use super::super::quantity::{Dimension, Unit};
use super::scope::Scope;
use super::{Argument, RowKind};

/// A measured row: `theirs`, what the paper's model says, and `predict`.
pub(super) fn read(
    section: &Section<'_, '_>,
    scope: &Scope<'_, '_, '_>,
    profiles: Option<&Section<'_, '_>>,
    unit: &Unit,
) -> Option<RowKind> {
    let theirs = match section.any("theirs") {
        Some(item) => Some(scope.argument("theirs", &item, Some(Takes::One(unit.dimension)))?.0),
        None => None,
    };
    let pattern = match section.section("predict") {
        Some(table) => Some(Box::new(pattern(&table, scope, profiles)?)),
        None if section.has("predict") => return None,
        None => None,
    };
    if pattern.is_some() && unit.dimension != Dimension::Time {
        section.note("paper", "only measured times are predicted: this is printed without a unit of time");
        return None;
    }
    Some(RowKind::Measured { theirs, pattern })
}

fn pattern(
    table: &Section<'_, '_>,
    scope: &Scope<'_, '_, '_>,
    profiles: Option<&Section<'_, '_>>,
) -> Option<Pattern> {
    let name = table.text("pattern");
    let name = table.required("pattern", "\"reduction\"", name);
    let platform = platform(table);
    let value = |key, takes| value(table, scope, key, takes);
    let pattern = match name?.as_str() {
        "reduction" => {
            let profile = profile(table, profiles, ReductionProfile::from_section);
            let strategy = strategy(table);
            let processors = value("processors", Takes::Whole);
            let groups = value("groups", Takes::Whole);
            let tasks = value("tasks", Takes::Whole);
            let size = value("size", Takes::One(Dimension::Size));
            Pattern::Reduction(Reduction {
                platform: platform?,
                profile: profile?,
                strategy: strategy?,
                processors: processors?,
                groups: groups?,
                tasks: tasks?,
                size: size?,
            })
        }
        "round-trip" => {
            let processors = value("processors", Takes::Whole);
            let size = value("size", Takes::One(Dimension::Size));
            Pattern::RoundTrip(RoundTrip { platform: platform?, processors: processors?, size: size? })
        }
        "scatter-gather" => {
            let profile = profile(table, profiles, ScatterGatherProfile::from_section);
            let processors = value("processors", Takes::Whole);
            let size = |key| value(key, Takes::One(Dimension::Size));
            let (input, block) = (size("input"), size("block"));
            let window = value("window", Takes::Whole);
            let ahead = value("ahead", Takes::One(Dimension::Number));
            Pattern::ScatterGather(ScatterGather {
                platform: platform?,
                profile: profile?,
                processors: processors?,
                input: input?,
                block: block?,
                window: window?,
                ahead: ahead?,
            })
        }
        _ => {
            table.note("pattern", "\"pattern\" is \"reduction\", \"round-trip\" or \"scatter-gather\"");
            return None;
        }
    };
    table.finish();
    Some(pattern)
}

fn value(
    table: &Section<'_, '_>,
    scope: &Scope<'_, '_, '_>,
    key: &'static str,
    takes: Takes,
) -> Option<Argument> {
    match table.any(key) {
        Some(item) => scope.argument(key, &item, Some(takes)).map(|(argument, _)| argument),
        None => {
            table.missing(key, &format!("… ({})", takes.words()));
            None
        }
    }
}

/// The platform: a shipped one, or a file.
fn platform(table: &Section<'_, '_>) -> Option<Platform> {
    let name = table.text("platform");
    let name = table.required("platform", &format!("\"{}\"", presets()[0].name), name)?;
    match Platform::resolve(&name) {
        Ok(platform) => Some(platform),
        Err(e) => {
            let first = e.to_string();
            table.note("platform", first.lines().next().unwrap_or_default());
            None
        }
    }
}

fn strategy(table: &Section<'_, '_>) -> Option<Strategy> {
    let name = table.text("strategy");
    let name = table.required("strategy", "\"parallel-pipeline\"", name)?;
    let found = Strategy::ALL.into_iter().find(|s| s.name() == name);
    if found.is_none() {
        let names = Strategy::ALL.map(Strategy::name).join(", ");
        table.note("strategy", format!("there is no strategy \"{name}\": it is one of {names}"));
    }
    found
}

/// `profile`: the name of `[profile.NAME]`, whose keys are those of the pattern's section in a profile file.
fn profile<T>(
    table: &Section<'_, '_>,
    profiles: Option<&Section<'_, '_>>,
    read: fn(&Section<'_, '_>) -> Option<T>,
) -> Option<T> {
    let name = table.text("profile");
    let name = table.required("profile", "\"features\", with a section [profile.features]", name)?;
    let known = profiles.map(Section::keys).unwrap_or_default();
    match profiles.filter(|p| p.has(&name)).and_then(|p| p.section(&name)) {
        Some(section) => read(&section),
        None => {
            let advice = match nearest(&name, known.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("add [profile.{name}]"),
            };
            table.note("profile", format!("there is no profile \"{name}\" here: {advice}"));
            None
        }
    }
}
