//! Which sort of file one seems to be, told by what is in it.

use toml::de::DeTable;

use crate::nearest::nearest;

/// The sorts of TOML files that forerun reads, and keys that tell each from those below it.
const SORTS: [(&str, &[&str]); 10] = [
    ("a platform file", &["host", "network"]),
    ("a profile", &["application", "reduction"]),
    ("a profile", &["application", "scatter_gather"]),
    ("a profile", &["application", "farm"]),
    (JOB, &["application"]),
    ("a pipeline for `forerun model packet`", &["communication", "stage"]),
    ("a farm for `forerun model farm`", &["tasks", "work"]),
    ("a pipeline for `forerun map`", &["candidates", "processor"]),
    ("a study for `forerun reproduce`", &["paper", "entry"]),
    ("a file of fields for `forerun run features`", &["field"]),
];

/// What a job file is called.
const JOB: &str = "a job file";

/// The sort of a file that has these keys.
fn of(has: impl Fn(&str) -> bool) -> Option<(&'static str, &'static [&'static str])> {
    SORTS.into_iter().find(|(_, keys)| keys.iter().all(|key| has(key)))
}

/// That a file seems to be of another sort than the one whose reader asked for the keys `known`, to be said after its name.
pub(super) fn other(table: &DeTable<'_>, known: &[String]) -> Option<String> {
    let is_known = |key: &str| known.iter().any(|k| k == key);
    let (seems, keys) = of(|key| table.iter().any(|(k, _)| k.get_ref() == key))?;
    let wanted = of(is_known).map_or("something else", |(wanted, _)| wanted);
    let unknown = |key: &str| !is_known(key);
    // A profile has what tells a job file as well, but not the job's options. Keys that are mistyped are of neither.
    let option = |key: &str| unknown(key) && nearest(key, known.iter().map(String::as_str)).is_none();
    let has = |key: &str| table.iter().any(|(k, _)| k.get_ref() == key);
    let is_other = match seems {
        // Only profiles say where they are from.
        JOB if is_known("source") && has("source") => false,
        JOB => wanted != JOB && table.iter().any(|(k, _)| option(k.get_ref())),
        _ => keys.iter().any(|key| unknown(key)),
    };
    if !is_other {
        return None;
    }
    Some(format!("seems to be {seems} (it has {}), where {wanted} is expected", keys.join(" and ")))
}

/// That a file seems to be of another sort than a job file, which may have any keys; to be said after its name.
pub(super) fn no_job(has: impl Fn(&str) -> bool) -> Option<String> {
    let (seems, keys) = of(has).filter(|(seems, _)| *seems != JOB)?;
    Some(format!("seems to be {seems} (it has {}), where {JOB} is expected", keys.join(" and ")))
}

/// What a text is that is no TOML, where it tells by its beginning.
pub(super) fn foreign(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // A table of TOML has a name or a list of tables, in brackets on one line.
    let inside = text.strip_prefix('[').map(str::trim_start);
    match text.chars().next()? {
        '{' => Some("JSON"),
        '[' if inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(['{', ']'])) => {
            Some("JSON")
        }
        '<' => Some("XML or HTML"),
        _ if text.starts_with("#!") => Some("a script"),
        _ if text.starts_with("%PDF") => Some("PDF"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::{Platform, Profile};

    const PLATFORM: &str =
        "format = 1\nname = \"x\"\n[[host]]\nname = \"a\"\n[network]\nlatency = \"1 us\"\n";

    #[test]
    fn a_file_of_another_sort_is_said_to_be_one_in_a_sentence() {
        let profile = "format = 1\napplication = \"sort\"\n[reduction]\ntask = \"1 ms\"\n";
        let job = "format = 1\napplication = \"sort\"\ninput = \"in\"\n";
        let pipeline = "format = 1\ncommunication = \"fixed\"\ninput = \"1 MB\"\n[[stage]]\nname = \"a\"\n";
        let farm = "format = 1\ntasks = 10\nwork = \"1 ms\"\n";
        let map = "format = 1\nstages = 3\ncandidates = \"all\"\n[[processor]]\ntime = \"1 s\"\n";
        let study = "format = 1\npaper = \"x\"\n[[entry]]\nname = \"a\"\n";
        for (text, seems) in [
            (profile, "a profile (it has application and reduction)"),
            (job, "a job file (it has application)"),
            (pipeline, "`forerun model packet`"),
            (farm, "`forerun model farm`"),
            (map, "`forerun map`"),
            (study, "`forerun reproduce`"),
            ("{\"format\": 1}", "seems to be JSON"),
            (" [{\"way\": ", "seems to be JSON"),
            ("<!doctype html>\n<html>", "XML or HTML"),
            ("#!/bin/sh\necho", "a script"),
        ] {
            let said = Platform::from_toml(text, "x.toml").unwrap_err().to_string();
            assert!(said.starts_with("x.toml seems to be ") && said.contains(seems), "{said}");
            assert!(
                said.contains("where a platform file is expected")
                    || said.ends_with("where TOML is expected"),
                "{said}"
            );
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        let of_job = Profile::from_toml(job, "x.toml").unwrap_err().to_string();
        assert_eq!(of_job, "x.toml seems to be a job file (it has application), where a profile is expected");
        let said = Profile::from_toml(PLATFORM, "x.toml").unwrap_err().to_string();
        assert_eq!(
            said,
            "x.toml seems to be a platform file (it has host and network), where a profile is expected"
        );
    }

    #[test]
    fn what_is_wrong_in_a_file_of_the_sort_that_is_wanted_is_said_at_its_lines() {
        for text in [
            PLATFORM.to_string(),
            PLATFORM.replace("format = 1", "format = 2"),
            PLATFORM.replace("format = 1\n", ""),
        ] {
            let error = Platform::from_toml(&text, "x.toml").unwrap_err();
            assert!(!error.problems().is_empty(), "{error}");
        }
        let error = Profile::from_toml("format = 1\napplication = \"sort\"\n", "x.toml").unwrap_err();
        assert!(error.to_string().contains("the file has no costs"), "{error}");
        // A key of another sort is a mistake like any other.
        let error = Platform::from_toml(&format!("{PLATFORM}[farm]\nwork = 1\n"), "x.toml").unwrap_err();
        assert!(error.to_string().contains("\"farm\" is no key of the file"), "{error}");
    }

    #[test]
    fn what_is_no_toml_at_all_has_few_errors() {
        let prose = "It is a truth universally acknowledged,\nthat a single man\n".repeat(200);
        let said = read(&prose, "x.toml", |_| Some(())).unwrap_err().to_string();
        assert!(said.contains("this is not TOML") && said.lines().count() < 15, "{said}");
        for text in ["format = 1\n[[a]]\nb = {", "format = 1\n[a\n", "[\"a b\"]\nc = "] {
            assert!(read(text, "x.toml", |_| Some(())).unwrap_err().to_string().contains("this is not TOML"));
        }
    }
}
