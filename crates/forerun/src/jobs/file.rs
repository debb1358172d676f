//! Job files: a job written down, in TOML.
//!
//! ```toml
//! format = 1
//! application = "sort"
//! input = ["big.bin"]
//! type = "i64"
//! strategy = "adaptive"
//! ```
//!
//! Every other key is a long option of the application or of the command, without its dashes; an
//! option given on the command line as well is taken from there. Names of files in a job file are relative to
//! the directory that it is in; those on the command line to where the command runs.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use forerun_platform::file::{Place, bytes, decoded, read, unread};
use forerun_platform::{FileError, nearest};
use toml::Value;

use crate::error::{CliError, request};
use crate::file::shown;

/// What can be run, and stand in a job file.
pub const APPLICATIONS: &str = "sort, features, reduce, lsi, tasks, farm, mandelbrot or hip";

/// The same, each by itself.
const JOBS: [&str; 8] = ["sort", "features", "reduce", "lsi", "tasks", "farm", "mandelbrot", "hip"];

/// Keys whose values are names of files.
const FILES: [&str; 20] = [
    "crawl-dir",
    "csv",
    "femur",
    "fields",
    "input",
    "model",
    "out",
    "tmp",
    "files-from",
    "deliver",
    "profile",
    "platform",
    "write-profile",
    "sbatch",
    "json",
    "hostfile",
    "pelvis",
    "resume",
    "svg",
    "write-model",
];

/// Short names of options, which a file gives by their long names, and whether a value follows.
const SHORT: [(&str, char, bool); 3] = [("processors", 'p', true), ("out", 'o', true), ("quiet", 'q', false)];

/// A job file as words of the command line, and where in it they stand.
#[derive(Debug)]
pub struct JobFile {
    /// The application, its options, what the command line says beside the file, and then the input.
    pub words: Vec<OsString>,
    name: String,
    text: String,
    places: Vec<(String, Place)>,
}

impl JobFile {
    /// The error that something is wrong with the value of a key, at its line; `None` where the file has no such key.
    pub fn wrong(&self, key: &str, what: String) -> Option<CliError> {
        let (_, place) = self.places.iter().find(|(name, _)| name == key)?;
        Some(request(FileError::found(&self.name, &self.text, place, what)))
    }

    /// The error that the file as a whole is wrong.
    pub fn lacks(&self, what: &str) -> CliError {
        request(format!("{}: {what}", self.name))
    }
}

/// What the option of a key takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// One value, which is called so.
    One(String),
    /// Any number of values.
    Several,
}

/// Reads a job file; `rest` is what the command line says beside it, `takes` what the options of an application take (none of what there
/// is no option of).
///
/// # Errors
/// What is wrong with the file, at its line.
pub fn job_file(
    file: &Path,
    rest: &[OsString],
    takes: &dyn Fn(&str, &str) -> Option<Takes>,
) -> Result<JobFile, CliError> {
    let name = shown(file);
    let bytes = bytes(file).map_err(|e| {
        let why = unread(file, &e);
        // A word without a dot was meant for a job.
        if e.kind() == ErrorKind::NotFound && !name.contains(['.', '/']) {
            let meant = nearest(&name, JOBS).map_or(String::new(), |job| format!(" (did you mean {job}?)"));
            return request(format!(
                "{name} is no job{meant}, nor a job file that exists: expected {APPLICATIONS}, or a file"
            ));
        }
        request(why)
    })?;
    let text = decoded(bytes).map_err(|why| request(format!("{name} {why}")))?;
    let mut other = None;
    let places = read(&text, &name, |root| {
        other = root.no_job();
        let places = root.keys().into_iter().filter_map(|key| {
            let place = root.any(&key)?.place;
            Some((key, place))
        });
        let application = root.text("application");
        let example = "\"sort\" (or \"features\", \"reduce\", \"farm\", …)";
        let places = places.collect();
        root.required("application", example, application).map(|_| places)
    })
    .map_err(request);
    if let Some(what) = other {
        return Err(request(format!("{name} {what}")));
    }
    let places = places?;
    // It was read once already; only numbers that no field can have are left to be refused.
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
        let line = 1 + text[..e.span().map_or(0, |span| span.start)].matches('\n').count();
        request(format!("{name}:{line}: a number is larger than any that this can be"))
    })?;
    let mut job = JobFile { words: Vec::new(), name, text, places };
    let wrong = |key: &str, what: String| job.wrong(key, what.clone()).unwrap_or_else(|| job.lacks(&what));
    let application = table.get("application").and_then(Value::as_str).unwrap_or_default();
    let below = |key: &str, value: String| -> String {
        // A database is a file if it is no address of a server.
        if key == "db" && !value.contains("://") {
            let name = value.strip_prefix("sqlite:").unwrap_or(&value);
            return format!("sqlite:{}", beside(file, name).to_string_lossy());
        }
        let is_url = key == "input" && value.contains("://");
        let is_file =
            FILES.contains(&key) && value != "-" && !is_url && !(key == "input" && application == "tasks");
        // A shipped platform, or this machine, is no file.
        let is_name = key == "platform" && !value.contains('/') && !beside(file, &value).is_file();
        if is_file && !is_name { beside(file, &value).to_string_lossy().into_owned() } else { value }
    };
    let mut words = vec![OsString::from(application)];
    // The program of a farm stands before its files.
    let command = table.get("command").filter(|_| application == "farm");
    match command.map(|command| (command, command.as_str())) {
        Some((_, Some(command))) => words.push(command.into()),
        Some((command, None)) => {
            return Err(wrong("command", format!("command = {command}: expected a string, the command")));
        }
        None if application == "farm" => return Err(job.lacks("it has no \"command\", which the job needs")),
        None => {}
    }
    for (key, value) in &table {
        let is_place = ["format", "application", "input"].contains(&key.as_str());
        if is_place || (key == "command" && command.is_some()) || is_given(key, rest) {
            continue;
        }
        option(&mut words, key, value, takes(application, key).as_ref(), &below)
            .map_err(|what| wrong(key, what))?;
    }
    words.extend(rest.iter().cloned());
    // Last, after `--`, so that no file is taken for an option.
    if let Some(input) = table.get("input") {
        words.push("--".into());
        let inputs = scalars(input).ok_or_else(|| {
            wrong("input", format!("input = {input}: expected a string, a number, or a list of such"))
        })?;
        words.extend(inputs.into_iter().map(|v| OsString::from(below("input", v))));
    }
    job.words = words;
    Ok(job)
}

/// Whether the command line says `key` itself.
pub fn is_given(key: &str, rest: &[OsString]) -> bool {
    let long = format!("--{key}");
    rest.iter().filter_map(|w| w.to_str()).any(|word| {
        let is_long = word.strip_prefix(&long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        is_long || shorts(word).any(|name| name == key)
    })
}

/// The options that a word gives by their short names: several flags may share one, and a last option with its value.
fn shorts(word: &str) -> impl Iterator<Item = &'static str> {
    let mut more = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default().chars();
    std::iter::from_fn(move || {
        let (name, _, valued) = SHORT.iter().find(more.next().map(|c| move |s: &&(_, char, _)| s.1 == c)?)?;
        if *valued {
            more = "".chars();
        }
        Some(*name)
    })
}

/// `path` as seen from where the command runs, where it is relative to the job file.
fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

fn option(
    words: &mut Vec<OsString>,
    key: &str,
    value: &Value,
    takes: Option<&Takes>,
    below: &impl Fn(&str, String) -> String,
) -> Result<(), String> {
    let refused = |expected: &str| Err(format!("{key} = {value}: expected {expected}"));
    match (takes, value) {
        (Some(Takes::Nothing), Value::Boolean(_)) | (None, _) => {}
        (Some(Takes::Nothing), _) => return refused("true or false"),
        (Some(Takes::Several), Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Array(_)) => {
            if scalars(value).is_none() {
                return refused("a list of strings or numbers");
            }
        }
        (Some(Takes::Several), _) => return refused("a string, a number, or a list of such"),
        (Some(Takes::One(_)), Value::String(_) | Value::Integer(_) | Value::Float(_)) => {}
        (Some(Takes::One(what)), _) => return refused(&format!("a string or a number ({what})")),
    }
    match value {
        Value::Boolean(true) => words.push(format!("--{key}").into()),
        Value::Boolean(false) => {}
        _ => {
            let values = scalars(value)
                .ok_or_else(|| format!("{key} = {value}: expected a string, a number, true, or a list"))?;
            words.extend(values.into_iter().map(|v| OsString::from(format!("--{key}={}", below(key, v)))));
        }
    }
    Ok(())
}

/// A value that is a string, a number, or a list of such, as strings.
fn scalars(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(s) => Some(vec![s.clone()]),
        Value::Integer(n) => Some(vec![n.to_string()]),
        Value::Float(x) => Some(vec![x.to_string()]),
        Value::Array(values) => {
            values.iter().map(scalars).collect::<Option<Vec<_>>>().map(|v| v.into_iter().flatten().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::job_file;

    fn of(text: &str, rest: &[&str]) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("job.toml");
        std::fs::write(&file, text).unwrap();
        let rest: Vec<OsString> = rest.iter().map(OsString::from).collect();
        match job_file(&file, &rest, &|_, _| None).map(|job| job.words) {
            Ok(words) => {
                let here = format!("{}/", dir.path().display());
                Ok(words.into_iter().map(|w| w.into_string().unwrap().replace(&here, "HERE/")).collect())
            }
            Err(e) => Err(e.to_string().replace(&dir.path().display().to_string(), "")),
        }
    }

    #[test]
    fn a_job_file_stands_for_the_words_of_the_command_line() {
        let text = "format = 1\napplication = \"reduce\"\ninput = [\"-a\", \"b\"]\nmap = \"wc -w\"\n\
                    shell = true\ncommutative = false\ninclude = [\"*.x\", \"*.y\"]\nprocessors = 2\n";
        assert_eq!(
            of(text, &[]).unwrap(),
            [
                "reduce",
                "--include=*.x",
                "--include=*.y",
                "--map=wc -w",
                "--processors=2",
                "--shell",
                "--",
                "HERE/-a",
                "HERE/b"
            ]
        );
        assert_eq!(
            of("format = 1\napplication = \"tasks\"\ninput = 64", &[]).unwrap(),
            ["tasks", "--", "64"]
        );
    }

    #[test]
    fn the_program_of_a_farm_stands_before_its_files() {
        let text =
            "format = 1\napplication = \"farm\"\ninput = [\"a\"]\ncommand = \"wc -c {}\"\nresume = \"j\"\n";
        assert_eq!(
            of(text, &["-p", "1"]).unwrap(),
            ["farm", "wc -c {}", "--resume=HERE/j", "-p", "1", "--", "HERE/a"]
        );
        let text = "format = 1\napplication = \"hip\"\nfemur = \"f.stl\"\npelvis = \"/p.stl\"\nflexion = \"-5:5:1\"\n";
        assert_eq!(
            of(text, &[]).unwrap(),
            ["hip", "--femur=HERE/f.stl", "--flexion=-5:5:1", "--pelvis=/p.stl"]
        );
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let text = "format = 1\napplication = \"sort\"\ninput = \"a\"\nprocessors = 2\ntype = \"i64\"";
        assert_eq!(of(text, &["-p", "1"]).unwrap(), ["sort", "--type=i64", "-p", "1", "--", "HERE/a"]);
        assert_eq!(
            of(text, &["--type=u32"]).unwrap(),
            ["sort", "--processors=2", "--type=u32", "--", "HERE/a"]
        );
        let text = format!("{text}\nquiet = true\nout = \"b\"");
        for (word, left) in [
            ("-q", vec!["sort", "--out=HERE/b", "--processors=2", "--type=i64"]),
            ("--quiet", vec!["sort", "--out=HERE/b", "--processors=2", "--type=i64"]),
            ("-qp1", vec!["sort", "--out=HERE/b", "--type=i64"]),
            ("-oqp", vec!["sort", "--processors=2", "--quiet", "--type=i64"]),
        ] {
            let words = of(&text, &[word]).unwrap();
            assert_eq!(words, [left, vec![word, "--", "HERE/a"]].concat());
        }
    }

    #[test]
    fn files_are_beside_the_job_file_and_names_and_absolute_paths_stay() {
        let text = "format = 1\napplication = \"reduce\"\ninput = \"/in\"\nplatform = \"lehigh-fire\"\n\
                    out = \"-\"\nfiles-from = \"list\"\nmap = \"cat\"";
        assert_eq!(
            of(text, &[]).unwrap(),
            [
                "reduce",
                "--files-from=HERE/list",
                "--map=cat",
                "--out=-",
                "--platform=lehigh-fire",
                "--",
                "/in"
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text, place, words| {
            let said = of(text, &[]).unwrap_err();
            assert!(said.starts_with(&format!("/job.toml:{place}: ")) && said.contains(words), "{said}");
        };
        wrong("application = \"sort\"", "1:1", "format = 1");
        wrong("format = 2", "1:10", "reads format 1");
        wrong("format = 1\ninput = \"x\"", "1:1", "application");
        wrong(
            "format = 1\napplication = \"sort\"\nprocessors = 99999999999999999999999",
            "3",
            "larger than any",
        );
        wrong("format = 1\napplication = \"sort\"\ntype = { a = 1 }", "3:8", "type");
        wrong("format = 1\napplication = 3", "2:15", "application");
        wrong("format = ", "1:10", "not TOML");
        wrong("format = 1\napplication = \"farm\"\ncommand = 3", "3:11", "expected a string");
        let said = of("format = 1\napplication = \"farm\"\ninput = \"x\"", &[]).unwrap_err();
        assert_eq!(said, "/job.toml: it has no \"command\", which the job needs");
    }
}
