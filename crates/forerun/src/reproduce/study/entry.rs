//! Reading an entry of a study: its lines, its rows, what follows.

use std::collections::BTreeMap;
use std::rc::Rc;

use forerun_platform::file::{Item, Kind, Section};

use super::super::printed::{Digits, Printed};
use super::super::quantity::{Unit, is_number};
use super::scope::{Constants, Labels, Scope, Typed};
use super::{Argument, Call, Entry, Follows, Names, Reason, Row, RowKind, measured};

/// A line: its label and its values.
struct Line {
    label: String,
    values: BTreeMap<String, Typed>,
    printed: BTreeMap<String, Printed>,
    names: Rc<Names>,
}

/// What a row is read with.
pub(super) struct Reader<'s, 'a, 'i> {
    pub(super) constants: &'s Constants<'s, 'a, 'i>,
    pub(super) profiles: Option<&'s Section<'a, 'i>>,
    /// Labels of the rows so far.
    rows: Labels,
    lines: Vec<Line>,
}

pub(super) fn read<'s>(
    section: &Section<'s, '_>,
    constants: &Constants<'_, '_, '_>,
    profiles: Option<&Section<'_, '_>>,
) -> Option<Entry> {
    let name = section.text("name");
    let name = section.required("name", "\"kuntraruk-table-1\"", name);
    let title = section.text("title");
    let title = section.required("title", "\"Results for 16 processors\"", title);
    let note = section.text("note").unwrap_or_default();
    let digits = digits(section);
    let none = Labels::new();
    let scope = Scope::new(constants, BTreeMap::new(), &none);
    let lines: Option<Vec<Line>> =
        section.sections("line").unwrap_or_default().iter().map(|s| line(s, &scope)).collect();
    let over = section.text("over");
    if let (Some(over), Some(lines)) = (&over, &lines)
        && !lines.iter().any(|l| l.values.contains_key(over))
    {
        section.note("over", format!("no line has a value \"{over}\" to draw over"));
    }
    let mut reader = Reader { constants, profiles, rows: Labels::new(), lines: lines? };
    let mut rows = Vec::new();
    let mut whole = true;
    let sections = section.sections("row");
    if !section.has("row") {
        section.note("row", "the entry has no rows: add [[entry.row]] with label, paper and ours");
    }
    for row in sections.unwrap_or_default() {
        match reader.row(&row, digits) {
            Some(of) => rows.extend(of),
            None => whole = false,
        }
    }
    let mut follows = Vec::new();
    for section in section.sections("follows").unwrap_or_default() {
        match reader.follows(&section) {
            Some(of) => follows.extend(of),
            None => whole = false,
        }
    }
    section.finish();
    let place = section.place();
    let (name, title) = (name?, title?);
    whole.then_some(Entry { name, title, note, rows, follows, over, place })
}

/// `digits`, where it is said.
fn digits(section: &Section<'_, '_>) -> Option<Digits> {
    match section.text("digits")?.as_str() {
        "rounded" => Some(Digits::Rounded),
        "cut" => Some(Digits::Cut),
        _ => {
            section.note("digits", "\"digits\" says how the paper came to them: \"rounded\" or \"cut\"");
            None
        }
    }
}

/// A line: every key but its label is a value.
fn line(section: &Section<'_, '_>, scope: &Scope<'_, '_, '_>) -> Option<Line> {
    let label = section.text("label");
    let label = section.required("label", "\"4096 documents\"", label);
    let (mut values, mut printed, mut names) = (BTreeMap::new(), BTreeMap::new(), Names::new());
    let mut whole = true;
    for key in section.keys().into_iter().filter(|k| k != "label") {
        let Some(item) = section.any(&key) else { continue };
        match scope.argument(&key, &item, None) {
            Some(typed) => {
                names.insert(key.clone(), typed.0.clone());
                values.insert(key.clone(), typed);
            }
            None => whole = false,
        }
        if let Some(of) = text_of(&item).and_then(|text| Printed::read(&text).ok()) {
            printed.insert(key, of);
        }
    }
    let label = label?;
    whole.then(|| Line { label, values, printed, names: Rc::new(names) })
}

/// The text of a number as it stands in the file.
fn text_of(item: &Item<'_, '_>) -> Option<String> {
    match &item.kind {
        Kind::Text(text) if is_number(text) => Some(text.clone()),
        Kind::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

impl Reader<'_, '_, '_> {
    /// The rows that `[[entry.row]]` stands for: one, or one a line.
    fn row(&mut self, section: &Section<'_, '_>, digits_of_entry: Option<Digits>) -> Option<Vec<Row>> {
        let label = section.text("label");
        let label = section.required("label", "\"predicted\"", label);
        let rows = self.rows_of(section, label.as_deref().unwrap_or_default(), digits_of_entry);
        let counts = rows.as_ref().and_then(|r| r.first()).map(|r| r.printed.unit.dimension);
        self.rows.insert(label?, counts);
        rows
    }

    fn rows_of(
        &self,
        section: &Section<'_, '_>,
        label: &str,
        digits_of_entry: Option<Digits>,
    ) -> Option<Vec<Row>> {
        let paper = section.text("paper");
        let paper = section.required("paper", "\"77 s\" or the name of a line's value", paper);
        let (only, paper) = (self.only(section)?, paper?);
        let found = match is_number(&paper) {
            true => vec![(None, Printed::read(&paper).map_err(|e| section.note("paper", e)).ok()?)],
            false => self.printed(&paper, &only),
        };
        if found.is_empty() {
            section.note("paper", format!("no line has a printed number \"{paper}\""));
            return None;
        }
        // What is wrong with one is the same for all lines: the first is enough to tell.
        let rows = found
            .into_iter()
            .map(|(line, printed)| self.one(section, label, line, printed, digits_of_entry))
            .collect::<Option<Vec<Row>>>()?;
        section.finish();
        Some(rows)
    }

    /// The lines that have a printed number of that name, of `only` these where it names any.
    fn printed(&self, name: &str, only: &[usize]) -> Vec<(Option<usize>, Printed)> {
        let lines = self.lines.iter().enumerate().filter(|(at, _)| only.is_empty() || only.contains(at));
        lines.filter_map(|(at, line)| Some((Some(at), line.printed.get(name)?.clone()))).collect()
    }

    /// The lines that a section is for: none for all.
    fn only(&self, section: &Section<'_, '_>) -> Option<Vec<usize>> {
        let Some(item) = section.any("lines") else { return Some(Vec::new()) };
        let Kind::List(items) = &item.kind else {
            section.note("lines", "\"lines\" is a list of labels of lines");
            return None;
        };
        let found = items.iter().map(|item| {
            let Kind::Text(label) = &item.kind else { return None };
            self.lines.iter().position(|l| l.label == *label)
        });
        let found: Option<Vec<usize>> = found.collect();
        if found.as_ref().is_none_or(Vec::is_empty) {
            section.note("lines", "\"lines\" is a list of labels of lines, and one of these is not");
            return None;
        }
        found
    }

    fn scope(&self, line: Option<usize>) -> Scope<'_, '_, '_> {
        let values = line.map(|at| self.lines[at].values.clone()).unwrap_or_default();
        Scope::new(self.constants, values, &self.rows)
    }

    fn names(&self, line: Option<usize>) -> Rc<Names> {
        line.map(|at| Rc::clone(&self.lines[at].names)).unwrap_or_default()
    }

    fn one(
        &self,
        section: &Section<'_, '_>,
        label: &str,
        line: Option<usize>,
        printed: Printed,
        digits_of_entry: Option<Digits>,
    ) -> Option<Row> {
        let scope = self.scope(line);
        let note = section.text("note");
        let kind = match section.text("kind").as_deref() {
            None | Some("formula") => {
                let ours = self.ours(section, &scope, &printed.unit)?;
                let digits = digits(section).or(digits_of_entry);
                let because = self.because(section, &scope, line, &printed.unit)?;
                RowKind::Formula { ours, digits, because }
            }
            Some("measured") => measured::read(section, &scope, self.profiles, &printed.unit)?,
            Some(_) => {
                section.note("kind", "\"kind\" is \"formula\" or \"measured\"");
                return None;
            }
        };
        let at = line.map(|at| format!("{}, ", self.lines[at].label)).unwrap_or_default();
        Some(Row {
            label: format!("{at}{label}"),
            of: label.into(),
            printed,
            note,
            line: self.names(line),
            kind,
            place: section.place(),
        })
    }

    /// `ours`, which counts what is printed.
    fn ours(&self, section: &Section<'_, '_>, scope: &Scope<'_, '_, '_>, unit: &Unit) -> Option<Call> {
        let table = section.section("ours");
        if !section.has("ours") {
            section.missing("ours", "{ model = \"ratio\", of = \"a\", to = \"b\" }");
        }
        let (call, gives) = scope.call(&table?)?;
        if gives != unit.dimension {
            let (is, wanted) = (gives.words(), unit.dimension.words());
            section.note("ours", format!("{} gives {is}, where {wanted} is printed", call.model.name));
            return None;
        }
        Some(call)
    }

    /// The reasons that are for a line: a table, or a list of tables.
    fn because(
        &self,
        section: &Section<'_, '_>,
        scope: &Scope<'_, '_, '_>,
        line: Option<usize>,
        unit: &Unit,
    ) -> Option<Vec<Reason>> {
        let tables = match section.any("because") {
            None => return Some(Vec::new()),
            Some(Item { kind: Kind::Table(table), .. }) => vec![table],
            Some(_) => section.sections("because")?,
        };
        let mut reasons = Vec::new();
        for table in tables {
            let text = table.text("reason");
            let text = table.required("reason", "\"T_comm was 2.58 ms\"", text);
            let only = self.only(&table)?;
            let ours = match table.has("ours") {
                true => Some(self.ours(&table, scope, unit)?),
                false => None,
            };
            let with = match table.section("with") {
                Some(with) => instead(&with, scope)?,
                None => Names::new(),
            };
            if ours.is_none() && !table.has("with") {
                table.missing("with", "{ t_comm = \"2.58 ms\" }");
            }
            table.finish();
            if only.is_empty() || line.is_some_and(|at| only.contains(&at)) {
                reasons.push(Reason { text: text?, with, ours });
            }
        }
        Some(reasons)
    }

    fn follows(&self, section: &Section<'_, '_>) -> Option<Vec<Follows>> {
        let label = section.text("label");
        let label = section.required("label", "\"T_comm\"", label);
        let unit = section.text("unit").unwrap_or_default();
        let unit = Unit::of(&unit).map_err(|e| section.note("unit", e)).ok();
        let of = if self.each_line(section) { (0..self.lines.len()).map(Some).collect() } else { vec![None] };
        let (label, unit) = (label?, unit?);
        let mut all = Vec::new();
        for line in of {
            let ours = self.ours(section, &self.scope(line), &unit)?;
            let at = line.map(|at| format!("{}, ", self.lines[at].label)).unwrap_or_default();
            let label = format!("{at}{label}");
            all.push(Follows {
                label,
                ours,
                unit: unit.clone(),
                line: self.names(line),
                place: section.place(),
            });
        }
        section.finish();
        Some(all)
    }

    /// Whether something is said for each line.
    fn each_line(&self, section: &Section<'_, '_>) -> bool {
        let each = section.text("each");
        if each.as_deref().is_some_and(|e| e != "line") || (each.is_some() && self.lines.is_empty()) {
            section.note("each", "\"each\" is \"line\", in an entry that has lines");
        }
        each.is_some()
    }
}

/// `with`: values that stand for others of the same name and kind.
fn instead(with: &Section<'_, '_>, scope: &Scope<'_, '_, '_>) -> Option<Names> {
    let mut names = Names::new();
    for key in with.keys() {
        let item = with.any(&key)?;
        let (argument, dimension) = scope.argument(&key, &item, None)?;
        let stood = scope.known(&key, &item.place)?;
        if stood != dimension {
            with.note_place(
                &item.place,
                format!("\"{key}\" does not count what the value of that name counts"),
            );
            return None;
        }
        if matches!(&argument, Argument::Name(name) if *name == key) {
            with.note_place(&item.place, format!("\"{key}\" stands for itself"));
            return None;
        }
        names.insert(key, argument);
    }
    Some(names)
}
