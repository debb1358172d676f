//! Reading models.

use std::path::Path;

use forerun_pepa::model::{Settings, System, compile};
use forerun_pepa::syntax::{Diagnostic, Dialect, Model, Severity, parse};
use forerun_platform::file::{bytes, lenient, named, unread};

use crate::cli::pepa::{DialectArg, ModelArgs};
use crate::error::{CliError, request};

/// The dialect that is meant.
pub(super) fn dialect(of: DialectArg) -> Dialect {
    match of {
        DialectArg::Any => Dialect::Any,
        DialectArg::Eclipse => Dialect::Eclipse,
        DialectArg::Workbench => Dialect::Workbench,
        DialectArg::Ipc => Dialect::Ipc,
    }
}

/// A file's text. Comments of older models are in older encodings.
pub(super) fn read(path: &Path) -> Result<String, CliError> {
    let bytes = bytes(path).map_err(|e| request(unread(path, &e)))?;
    lenient(bytes, latin).map_err(|why| request(format!("{} {why}", named(path))))
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// Reads `name=value`s.
pub(super) fn settings(all: &[String]) -> Result<Settings, CliError> {
    let mut settings = Settings::new();
    for one in all {
        let wrong = || request(format!("--set {one}: expected a rate's name and its value, such as r=0.5"));
        let (name, value) = one.split_once('=').ok_or_else(wrong)?;
        let value: f64 = value.trim().parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(wrong)?;
        settings.insert(name.trim().to_string(), value);
    }
    Ok(settings)
}

/// A model that was read and compiled.
pub(super) struct Loaded {
    pub(super) model: Model,
    pub(super) system: System,
}

/// Reads and compiles a model; its errors are a bad request.
pub(super) fn load(args: &ModelArgs) -> Result<Loaded, CliError> {
    let text = read(&args.file)?;
    let file = named(&args.file);
    let settings = settings(&args.set)?;
    let parsed = parse(&text, dialect(args.dialect));
    let refuse = |all: &[Diagnostic]| {
        let errors: Vec<Diagnostic> = all.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
        request(Diagnostic::render(&errors, &file, &text))
    };
    let Some(model) = parsed.model else { return Err(refuse(&parsed.diagnostics)) };
    if let Some(unknown) = settings.keys().find(|name| !model.rates.iter().any(|r| r.name.text == **name)) {
        let known: Vec<&str> = model.rates.iter().map(|r| r.name.text.as_str()).collect();
        let advice = forerun_platform::nearest(unknown, known.iter().copied())
            .map_or(format!("it defines {}", known.join(", ")), |close| format!("did you mean {close}?"));
        return Err(request(format!("--set {unknown}: {file} defines no such rate; {advice}")));
    }
    let compiled = compile(&model, &settings);
    match compiled.system {
        Some(system) => Ok(Loaded { model, system }),
        None => Err(refuse(&compiled.problems)),
    }
}
