//! Names, values and calls of a study file, checked as they are read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use forerun_platform::file::{Item, Kind, Place, Section};
use forerun_platform::nearest;

use super::super::models::{Gives, Model, Takes, model, models};
use super::super::quantity::{Dimension, Quantity, is_number};
use super::{Argument, Call, Names};

/// An argument with what it counts; `None` for a list of no values.
pub(super) type Typed = (Argument, Option<Dimension>);

/// The names that can be used at a place: those of a line before the file's constants.
pub(super) struct Scope<'s, 'a, 'i> {
    /// The constants, read as they are asked for.
    constants: &'s Constants<'s, 'a, 'i>,
    /// The values of a line.
    line: BTreeMap<String, Typed>,
    /// The labels of rows in the same entry.
    rows: &'s Labels,
}

/// What the rows of a label count; none where they are wrong, which was noted.
pub(super) type Labels = BTreeMap<String, Option<Dimension>>;

/// `[constants]`. A constant can be made of others, in whatever order they stand.
pub(super) struct Constants<'s, 'a, 'i> {
    root: &'s Section<'a, 'i>,
    section: Option<Section<'a, 'i>>,
    read: RefCell<BTreeMap<String, State>>,
}

/// How far a constant is read.
#[derive(Clone)]
enum State {
    /// It is being read: whoever asks for it now is part of it.
    Reading,
    /// It was read.
    Right(Typed),
    /// It is wrong, which was noted.
    Wrong,
}

impl<'s, 'a, 'i> Constants<'s, 'a, 'i> {
    pub(super) fn new(root: &'s Section<'a, 'i>) -> Self {
        Constants { root, section: root.section("constants"), read: RefCell::default() }
    }

    fn names(&self) -> Vec<String> {
        self.section.as_ref().map(Section::keys).unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        self.section.as_ref().is_some_and(|s| s.has(name))
    }

    /// The constant of a name that is there; `None` after noting what is wrong with it.
    fn get(&self, name: &str) -> Option<Typed> {
        match self.read.borrow().get(name) {
            Some(State::Right(typed)) => return Some(typed.clone()),
            Some(State::Reading | State::Wrong) => return None,
            None => {}
        }
        let item = self.section.as_ref()?.any(name)?;
        self.read.borrow_mut().insert(name.into(), State::Reading);
        let none = Labels::new();
        let scope = Scope { constants: self, line: BTreeMap::new(), rows: &none };
        let read = scope.argument(name, &item, None);
        let state = read.clone().map_or(State::Wrong, State::Right);
        self.read.borrow_mut().insert(name.into(), state);
        read
    }

    /// All constants; what is wrong is noted.
    pub(super) fn all(&self) -> Names {
        let named = |name: String| self.get(&name).map(|(argument, _)| (name, argument));
        self.names().into_iter().filter_map(named).collect()
    }
}

impl<'s, 'a, 'i> Scope<'s, 'a, 'i> {
    pub(super) fn new(
        constants: &'s Constants<'s, 'a, 'i>,
        line: BTreeMap<String, Typed>,
        rows: &'s Labels,
    ) -> Self {
        Scope { constants, line, rows }
    }

    fn has(&self, name: &str) -> bool {
        self.line.contains_key(name) || self.constants.has(name)
    }

    fn get(&self, name: &str) -> Option<Typed> {
        self.line.get(name).cloned().or_else(|| self.constants.get(name))
    }

    fn note(&self, place: &Place, message: String) {
        self.constants.root.note_place(place, message);
    }

    /// What a value of the file stands for, where `takes` is expected; `None` after noting what is wrong.
    pub(super) fn argument(&self, key: &str, item: &Item<'_, '_>, takes: Option<Takes>) -> Option<Typed> {
        let read = match &item.kind {
            Kind::Number(number) => {
                let quantity = Quantity { number: *number, dimension: Dimension::Number };
                (Argument::Value(quantity), Some(Dimension::Number))
            }
            Kind::Text(text) if is_number(text) => match Quantity::read(text) {
                Ok(quantity) => (Argument::Value(quantity), Some(quantity.dimension)),
                Err(e) => {
                    self.note(&item.place, format!("{key} = {e}"));
                    return None;
                }
            },
            Kind::Text(name) => self.named(name, &item.place)?,
            Kind::Table(table) if table.has("rows") => self.listed(table)?,
            Kind::Table(table) => {
                let (call, dimension) = self.call(table)?;
                (Argument::Call(Box::new(call)), Some(dimension))
            }
            Kind::List(items) => return self.list(key, items, takes, &item.place),
            Kind::Other => {
                self.note(&item.place, format!("\"{key}\" is neither a value, a name, a call nor a list"));
                return None;
            }
        };
        if let Some(takes) = takes {
            self.fits(key, &read, takes, &item.place)?;
        }
        Some(read)
    }

    fn named(&self, name: &str, place: &Place) -> Option<Typed> {
        if !self.has(name) {
            let known: Vec<String> = self.line.keys().cloned().chain(self.constants.names()).collect();
            let advice = match nearest(name, known.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => "add it to [constants], or give a value with its unit".into(),
            };
            self.note(place, format!("there is no value \"{name}\" here: {advice}"));
            return None;
        }
        let reading = matches!(self.constants.read.borrow().get(name), Some(State::Reading));
        if reading && !self.line.contains_key(name) {
            self.note(
                place,
                format!("\"{name}\" is made of itself: give one of the values in between a number"),
            );
            return None;
        }
        self.get(name).map(|(_, dimension)| (Argument::Name(name.into()), dimension))
    }

    /// What the value of a name counts; `None` after noting that there is no such value.
    pub(super) fn known(&self, name: &str, place: &Place) -> Option<Option<Dimension>> {
        self.named(name, place).map(|(_, dimension)| dimension)
    }

    /// `{ rows = "label" }`.
    fn listed(&self, table: &Section<'_, '_>) -> Option<Typed> {
        let label = table.text("rows")?;
        table.finish();
        match self.rows.get(&label) {
            Some(Some(dimension)) => Some((Argument::Rows(label), Some(*dimension))),
            Some(None) => None,
            None => {
                let advice = match nearest(&label, self.rows.keys().map(String::as_str)) {
                    Some(meant) => format!("did you mean \"{meant}\"?"),
                    None => "give the label of a [[entry.row]] that stands before".into(),
                };
                table.note("rows", format!("there are no rows \"{label}\" here: {advice}"));
                None
            }
        }
    }

    fn list(&self, key: &str, items: &[Item<'_, '_>], takes: Option<Takes>, place: &Place) -> Option<Typed> {
        if let Some(takes) = takes.filter(|t| !t.is_list()) {
            self.note(place, format!("\"{key}\" is a list, where {} is expected", takes.words()));
            return None;
        }
        let each = takes.map(|t| match t {
            Takes::Many(dimension) => Takes::One(dimension),
            _ => Takes::Any,
        });
        let read: Option<Vec<Typed>> = items.iter().map(|item| self.argument(key, item, each)).collect();
        let read = read?;
        let dimension = read.first().and_then(|(_, d)| *d);
        if let Some(at) = read.iter().position(|(_, d)| *d != dimension) {
            self.note(&items[at].place, format!("\"{key}\" is a list of values that do not count the same"));
            return None;
        }
        Some((Argument::List(read.into_iter().map(|(argument, _)| argument).collect()), dimension))
    }

    fn fits(&self, key: &str, (argument, dimension): &Typed, takes: Takes, place: &Place) -> Option<()> {
        let is_list = match argument {
            Argument::List(_) | Argument::Rows(_) => true,
            Argument::Name(name) => matches!(self.get(name), Some((Argument::List(_), _))),
            _ => false,
        };
        let dimension = dimension.unwrap_or(Dimension::Number);
        let fits = is_list == takes.is_list()
            && match takes {
                Takes::One(wanted) | Takes::Many(wanted) => dimension == wanted,
                Takes::Whole => dimension == Dimension::Number,
                Takes::Any | Takes::ManyAny => true,
            };
        if let (Takes::Whole, Argument::Value(q)) = (takes, argument)
            && (q.number < 1.0 || q.number.fract() != 0.0)
        {
            self.note(place, format!("\"{key}\" is {}, where {} is expected", q.number, takes.words()));
            return None;
        }
        if !fits {
            let is = if is_list { "a list".into() } else { dimension.words().to_string() };
            self.note(place, format!("\"{key}\" is {is}, where {} is expected", takes.words()));
            return None;
        }
        Some(())
    }

    /// A call of a model, and what it gives.
    pub(super) fn call(&self, table: &Section<'_, '_>) -> Option<(Call, Dimension)> {
        let name = table.text("model");
        let name = table.required("model", "\"ratio\"", name)?;
        let Some(found) = model(&name) else {
            let advice = match nearest(&name, models().map(|m| m.name)) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => "`forerun reproduce --models` lists them".into(),
            };
            table.note("model", format!("there is no model \"{name}\": {advice}"));
            return None;
        };
        self.arguments(found, table)
    }

    fn arguments(&self, model: &'static Model, table: &Section<'_, '_>) -> Option<(Call, Dimension)> {
        let mut arguments = Vec::with_capacity(model.parameters.len());
        let mut shared: Option<Dimension> = None;
        let mut whole = true;
        for parameter in model.parameters {
            let place = table.any(parameter.name).map_or_else(|| table.place(), |item| item.place);
            let read = match table.any(parameter.name) {
                Some(item) => self.argument(parameter.name, &item, Some(parameter.takes)),
                None if self.has(parameter.name) => self
                    .named(parameter.name, &place)
                    .filter(|typed| self.fits(parameter.name, typed, parameter.takes, &place).is_some()),
                None => {
                    let wanted = parameter.takes.words();
                    let message = format!(
                        "{} needs \"{}\", {wanted}: give it in the call, or as a constant of that name",
                        model.name, parameter.name
                    );
                    self.note(&place, message);
                    None
                }
            };
            let Some((argument, dimension)) = read else {
                whole = false;
                continue;
            };
            if matches!(parameter.takes, Takes::Any | Takes::ManyAny) {
                match (shared, dimension) {
                    (Some(one), Some(other)) if one != other => {
                        let message = format!(
                            "\"{}\" is {}, where {} is expected as for the others",
                            parameter.name,
                            other.words(),
                            one.words()
                        );
                        self.note(&place, message);
                        whole = false;
                    }
                    _ => shared = shared.or(dimension),
                }
            }
            arguments.push(argument);
        }
        table.finish();
        let gives = match model.gives {
            Gives::One(dimension) => dimension,
            Gives::Same => shared.unwrap_or(Dimension::Number),
        };
        whole.then_some((Call { model, arguments }, gives))
    }
}
