//! `forerun pepa check` and `fmt`.

use forerun_pepa::syntax::{Diagnostic, Severity, parse, print};
use serde::Serialize;

use super::model::{dialect, read};
use crate::cli::pepa::{CheckArgs, FmtArgs};
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::file;
use crate::text::plural;

/// What there is to say about a model.
#[derive(Debug, Serialize)]
struct Said {
    file: String,
    severity: &'static str,
    kind: &'static str,
    line: usize,
    column: usize,
    message: String,
}

pub(super) fn check(args: &CheckArgs, context: &Context) -> Result<(), CliError> {
    let mut said = Vec::new();
    let (mut errors, mut warnings) = (0, 0);
    for path in &args.files {
        let text = read(path)?;
        let name = file::shown(path);
        let all = forerun_pepa::check::check(&text, dialect(args.dialect));
        let count = |s: Severity| all.iter().filter(|d| d.severity == s).count();
        let (e, w) = (count(Severity::Error), count(Severity::Warning));
        errors += e;
        warnings += w;
        if all.is_empty() {
            context.console.text(&format!("{name}: nothing to say"))?;
        } else {
            let shown = shown(&all);
            context
                .console
                .text(&Diagnostic::render(&shown, &name, &text).showing(shown.len()).to_string())?;
            let counts = format!("{name}: {}, {}", plural(e as u64, "error"), plural(w as u64, "warning"));
            context.console.text(&counts)?;
        }
        said.extend(all.iter().map(|d| {
            let at = d.problem(&text);
            Said {
                file: name.clone(),
                severity: d.severity.name(),
                kind: d.kind,
                line: at.line,
                column: at.column,
                message: d.message.clone(),
            }
        }));
    }
    context.console.data(&said)?;
    if errors > 0 || (args.strict && warnings > 0) {
        let both = format!("{} and {}", plural(errors as u64, "error"), plural(warnings as u64, "warning"));
        return Err(request(format!("{both} in {}", plural(args.files.len() as u64, "model"))));
    }
    Ok(())
}

/// Errors of a model that `check` shows: one often leads to many.
const ERRORS: usize = 10;

/// What is said about a model: all of it but errors beyond the first ones.
fn shown(all: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut errors: Vec<&Diagnostic> = all.iter().filter(|d| d.severity == Severity::Error).collect();
    errors.sort_by_key(|d| d.span.start);
    let others = all.iter().filter(|d| d.severity != Severity::Error);
    errors.into_iter().take(ERRORS).chain(others).cloned().collect()
}

pub(super) fn fmt(args: &FmtArgs, context: &Context) -> Result<(), CliError> {
    let mut other = Vec::new();
    for path in &args.files {
        let text = read(path)?;
        let name = file::shown(path);
        let parsed = parse(&text, dialect(args.dialect));
        let Some(model) = parsed.model else {
            return Err(request(Diagnostic::render(&parsed.diagnostics, &name, &text)));
        };
        let canonical = print(&model);
        if args.check {
            if canonical != text {
                other.push(name);
            }
        } else if args.write {
            if canonical != text {
                file::write(path, canonical.as_bytes())?;
                context.console.note("written", &name)?;
            }
        } else {
            context.console.text(&canonical)?;
        }
    }
    context.console.data(&other)?;
    if other.is_empty() {
        return Ok(());
    }
    Err(failed(format!("not in canonical form: {}; `forerun pepa fmt -w` writes it", other.join(", "))))
}
