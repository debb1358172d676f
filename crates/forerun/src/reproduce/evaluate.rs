//! What the rows of a study give.

use forerun_platform::FileError;
use forerun_platform::file::Place;

use super::models::{Arguments, Takes};
use super::outcome::{Agrees, Estimate, Followed, Kind, Reproduced, RowOutcome};
use super::predict::Predicted;
use super::printed::{Digits, Printed};
use super::study::{Argument, Call, Entry, Names, Reason, Row, RowKind, Study};
use crate::signals::Interrupt;

/// How deep calls may be made of calls: a constant that is made of itself ends here.
const DEEPEST: usize = 64;

/// Where names have values.
#[derive(Clone, Copy)]
struct Scene<'a> {
    study: &'a Study,
    entry: &'a Entry,
    line: &'a Names,
    /// The values of a reason, and that it is one.
    with: Option<&'a Names>,
}

impl<'a> Scene<'a> {
    fn call(&self, call: &Call, depth: usize) -> Result<f64, String> {
        if depth > DEEPEST {
            return Err(format!("{} is made of itself", call.model.name));
        }
        let mut values = Vec::with_capacity(call.arguments.len());
        for (parameter, argument) in call.model.parameters.iter().zip(&call.arguments) {
            let value = self.argument(argument, depth + 1)?;
            if parameter.takes == Takes::Whole && !value.iter().all(|v| *v >= 1.0 && v.fract() == 0.0) {
                return Err(format!(
                    "{} of {} is {}, where {} is expected",
                    parameter.name,
                    call.model.name,
                    value.first().copied().unwrap_or(f64::NAN),
                    parameter.takes.words()
                ));
            }
            values.push(value);
        }
        let given = Arguments { parameters: call.model.parameters, values: &values };
        let result = (call.model.compute)(&given).map_err(|e| format!("{}: {e}", call.model.name))?;
        match result.is_finite() {
            true => Ok(result),
            false => Err(format!("{} gives no finite number for these values", call.model.name)),
        }
    }

    fn argument(&self, argument: &Argument, depth: usize) -> Result<Vec<f64>, String> {
        match argument {
            Argument::Value(quantity) => Ok(vec![quantity.number]),
            Argument::Call(call) => self.call(call, depth).map(|v| vec![v]),
            Argument::List(list) => {
                let mut all = Vec::with_capacity(list.len());
                for argument in list {
                    all.extend(self.argument(argument, depth)?);
                }
                Ok(all)
            }
            Argument::Name(name) => self.named(name, depth),
            Argument::Rows(label) => {
                let rows = self.entry.rows.iter().filter(|row| row.of == *label);
                rows.map(|row| self.of_row(row)).collect()
            }
        }
    }

    fn named(&self, name: &str, depth: usize) -> Result<Vec<f64>, String> {
        if depth > DEEPEST {
            return Err(format!("\"{name}\" is made of itself"));
        }
        if let Some(instead) = self.with.and_then(|with| with.get(name)) {
            return Scene { with: None, ..*self }.argument(instead, depth + 1);
        }
        match self.line.get(name).or_else(|| self.study.constants.get(name)) {
            Some(argument) => self.argument(argument, depth + 1),
            None => Err(format!("there is no value \"{name}\"")),
        }
    }

    /// What a row of the same entry gives, in the base unit.
    fn of_row(&self, row: &'a Row) -> Result<f64, String> {
        let scene = Scene { line: &row.line, with: None, ..*self };
        match &row.kind {
            RowKind::Formula { ours, digits, because } => {
                let settled = scene.settle(&row.printed, ours, *digits, because)?;
                let again = settled.explained.filter(|_| self.with.is_some());
                Ok(again.map_or(settled.ours, |(value, _)| value))
            }
            RowKind::Measured { .. } => Ok(row.printed.value * row.printed.unit.one),
        }
    }

    fn one(&self, argument: &Argument) -> Result<f64, String> {
        self.argument(argument, 0)?.first().copied().ok_or_else(|| "a list has no value".into())
    }

    /// Ours, and whether it agrees, as it is or for a reason.
    fn settle(
        &self,
        printed: &Printed,
        ours: &Call,
        digits: Option<Digits>,
        because: &'a [Reason],
    ) -> Result<Settled<'a>, String> {
        let value = self.call(ours, 0)?;
        let agrees = |value| printed.agrees(printed.in_unit(value), digits);
        if let Some(digits) = agrees(value) {
            return Ok(Settled {
                ours: value,
                agrees: Agrees::Digits,
                digits: Some(digits),
                explained: None,
            });
        }
        let mut first = None;
        for reason in because {
            let scene = Scene { with: Some(&reason.with), ..*self };
            let again = scene.call(reason.ours.as_ref().unwrap_or(ours), 0)?;
            if let Some(digits) = agrees(again) {
                let explained = Some((again, reason));
                return Ok(Settled { ours: value, agrees: Agrees::Reason, digits: Some(digits), explained });
            }
            first.get_or_insert((again, reason));
        }
        Ok(Settled { ours: value, agrees: Agrees::No, digits: None, explained: first })
    }
}

/// A formula's row, in the base unit.
struct Settled<'a> {
    ours: f64,
    agrees: Agrees,
    digits: Option<Digits>,
    /// The value under the reason that gives the printed digits, else under the first.
    explained: Option<(f64, &'a Reason)>,
}

/// Works out an entry.
///
/// # Errors
/// A row that cannot be calculated or predicted, with its place in the study.
pub fn reproduce(study: &Study, entry: &Entry, interrupt: &Interrupt) -> Result<Reproduced, FileError> {
    let fault = |place: &Place, label: &str, message: String| {
        FileError::found(&study.file, &study.text, place, format!("{}, {label}: {message}", entry.name))
    };
    let mut rows = Vec::with_capacity(entry.rows.len());
    for row in &entry.rows {
        let scene = Scene { study, entry, line: &row.line, with: None };
        rows.push(outcome(&scene, row, interrupt).map_err(|e| fault(&row.place, &row.label, e))?);
    }
    let mut follows = Vec::with_capacity(entry.follows.len());
    for one in &entry.follows {
        let scene = Scene { study, entry, line: &one.line, with: None };
        let value = scene.call(&one.ours, 0).map_err(|e| fault(&one.place, &one.label, e))?;
        follows.push(Followed {
            label: one.label.clone(),
            value: value / one.unit.one,
            unit: one.unit.symbol.clone(),
        });
    }
    let mut over = Vec::new();
    if let Some(name) = &entry.over {
        for row in &entry.rows {
            let scene = Scene { study, entry, line: &row.line, with: None };
            let at = row.line.contains_key(name).then(|| scene.named(name, 0)).transpose();
            let at = at.map_err(|e| fault(&row.place, &row.label, e))?;
            over.push(at.and_then(|v| v.first().copied()));
        }
    }
    Ok(Reproduced {
        name: entry.name.clone(),
        title: entry.title.clone(),
        paper: study.paper.clone(),
        note: entry.note.clone(),
        rows,
        follows,
        over: entry.over.clone(),
        at: over,
    })
}

fn outcome(scene: &Scene<'_>, row: &Row, interrupt: &Interrupt) -> Result<RowOutcome, String> {
    let printed = &row.printed;
    let mut out = RowOutcome {
        label: row.label.clone(),
        of: row.of.clone(),
        kind: Kind::Formula,
        paper: printed.value,
        printed: printed.text.clone(),
        unit: printed.unit.symbol.clone(),
        ours: None,
        relative: None,
        explained: None,
        reason: None,
        digits: None,
        theirs: None,
        closed_form: None,
        simulated: None,
        refused: None,
        note: row.note.clone(),
        agrees: None,
    };
    match &row.kind {
        RowKind::Formula { ours, digits, because } => {
            let settled = scene.settle(printed, ours, *digits, because)?;
            out.ours = Some(printed.in_unit(settled.ours));
            out.agrees = Some(settled.agrees);
            out.digits = settled.digits;
            if let Some((value, reason)) = settled.explained {
                out.explained = Some(printed.in_unit(value));
                out.reason = Some(reason.text.clone());
            }
        }
        RowKind::Measured { theirs, pattern } => {
            out.kind = Kind::Measured;
            let estimate = |base: f64| Estimate::of(printed.in_unit(base), printed.value);
            if let Some(theirs) = theirs {
                out.theirs = Some(estimate(scene.one(theirs)?));
            }
            if let Some(pattern) = pattern {
                match pattern.predict(&|argument| scene.one(argument), interrupt)? {
                    Predicted::Times { closed_form, simulated } => {
                        out.closed_form = Some(estimate(closed_form));
                        out.simulated = Some(estimate(simulated));
                    }
                    Predicted::Refused(why) => out.refused = Some(why),
                }
            }
            out.ours = out.closed_form.map(|e| e.value);
        }
    }
    // Whoever reads only the note reads why.
    out.note = out.note.or_else(|| out.reason.clone()).or_else(|| out.refused.clone());
    out.relative = out.ours.and_then(|ours| Estimate::of(ours, printed.value).relative);
    Ok(out)
}
