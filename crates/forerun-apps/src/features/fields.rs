//! Fields of interest: which elements of a document they are made of, as a small file says.
//!
//! ```toml
//! format = 1
//! ignore = ["script", "style", "nav"]   # their text is left out
//! rest = "body"                         # the field of text in none of the elements below
//!
//! [[field]]
//! name = "title"
//! elements = ["title", "headline"]
//!
//! [[field]]
//! name = "body"
//! elements = ["body", "article"]
//! ```
//!
//! `documents` names elements that begin a document (a file with none of them is one), `ids` elements and attributes that
//! identify it. Names of elements are compared without regard to case.

use std::path::Path;

use forerun_platform::FileError;
use forerun_platform::file::{Item, Kind, Section, contents, named, read};
use forerun_text::document::{Config, FieldConfig};

use super::model::fingerprint;

/// Which elements are fields.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// What a file says; without one, what is usual for web pages and for collections.
    asked: Option<Config>,
}

/// What tells the usual fields.
pub(super) const USUAL: &str = "usual";

impl Fields {
    /// Reads a file.
    ///
    /// # Errors
    /// That it cannot be read; everything that is wrong with it, each at its line.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Self::parse(&contents(path)?, &named(path))
    }

    /// Reads the text of the file `name`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its line.
    pub fn parse(text: &str, name: &str) -> Result<Self, FileError> {
        Ok(Fields { asked: Some(read(text, name, build)?) })
    }

    /// How documents are found in a file, a collection of several or not.
    pub(super) fn config(&self, collection: bool) -> Config {
        match &self.asked {
            Some(asked) => asked.clone(),
            None if collection => Config::collections(),
            None => Config::default(),
        }
    }

    /// The names by their numbers, the same for all files.
    pub(super) fn names(&self) -> Vec<String> {
        self.config(false).fields.into_iter().map(|f| f.name).collect()
    }

    /// Tells fields apart.
    pub(super) fn fingerprint(&self) -> String {
        let Some(Config { documents, fields, ids, rest, left_out, .. }) = &self.asked else {
            return USUAL.into();
        };
        fingerprint(format!("{documents:?} {fields:?} {ids:?} {rest:?} {left_out:?}").as_bytes())
    }
}

fn build(root: &Section<'_, '_>) -> Option<Config> {
    // Each element with what it is, to find those that are named twice.
    let mut known: Vec<(String, String)> = Vec::new();
    let mut taken = |section: &Section<'_, '_>, key: &str, what: &str| {
        let mut names = Vec::new();
        for (item, name) in elements(section, key)? {
            match known.iter().find(|(other, _)| *other == name) {
                Some((_, other)) => {
                    section.note_place(&item.place, format!("\"{name}\" is {other} already: name it once"));
                }
                None => known.push((name.clone(), what.to_owned())),
            }
            names.push(name);
        }
        Some(names)
    };
    let optional = |names: Option<Vec<String>>| names.unwrap_or_default();
    let mut config = Config::default();
    config.documents = optional(taken(root, "documents", "an element that begins a document"));
    config.left_out = optional(taken(root, "ignore", "ignored"));
    config.ids = optional(elements(root, "ids").map(|all| all.into_iter().map(|(_, name)| name).collect()));
    config.fields.clear();
    let sections = root.sections("field").unwrap_or_default();
    if sections.is_empty() && !root.has("field") {
        root.missing("field", "[{ name = \"title\", elements = [\"title\"] }]");
    }
    for section in sections {
        let name = section.required("name", "\"title\"", section.text("name"));
        let what = format!("of the field {}", name.as_deref().unwrap_or_default());
        let elements =
            section.required("elements", "[\"title\", \"h1\"]", taken(&section, "elements", &what));
        if let (Some(name), Some(elements)) = (name, elements) {
            if config.field(&name).is_some() {
                section
                    .note("name", format!("there is another field \"{name}\": put their elements together"));
            }
            config.fields.push(FieldConfig { name, elements });
        }
        section.finish();
    }
    config.rest = root.text("rest").and_then(|name| {
        let found = config.field(&name);
        if found.is_none() {
            let names: Vec<&str> = config.fields.iter().map(|f| f.name.as_str()).collect();
            root.note("rest", format!("there is no field \"{name}\": expected one of {}", names.join(", ")));
        }
        found
    });
    (!config.fields.is_empty()).then_some(config)
}

/// The names of elements in a list, in small letters, and where they stand; `None` where there is none.
fn elements<'a, 'i>(section: &Section<'a, 'i>, key: &str) -> Option<Vec<(Item<'a, 'i>, String)>> {
    let item = section.any(key)?;
    let Kind::List(items) = item.kind else {
        section.note_place(
            &item.place,
            format!("\"{key}\" is a list of names of elements, such as [\"title\", \"h1\"]"),
        );
        return Some(Vec::new());
    };
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let mut named = Vec::new();
    for item in items {
        match &item.kind {
            Kind::Text(name) if !name.is_empty() && name.chars().all(legal) => {
                let name = name.to_ascii_lowercase();
                named.push((item, name));
            }
            _ => section
                .note_place(&item.place, "the name of an element is expected, without <>, such as \"title\""),
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_which_elements_are_fields() {
        let text = "format = 1\ndocuments = [\"item\"]\nids = [\"guid\"]\nignore = [\"Script\"]\nrest = \"all\"\n\
                    [[field]]\nname = \"title\"\nelements = [\"Title\", \"h1\"]\n[[field]]\nname = \"all\"\nelements = []\n";
        let fields = Fields::parse(text, "f.toml").unwrap();
        let config = fields.config(true);
        assert_eq!(fields.names(), ["title", "all"]);
        assert_eq!((config.rest, config.fields[0].elements[0].as_str()), (Some(1), "title"));
        assert_eq!((config.documents[0].as_str(), config.left_out[0].as_str()), ("item", "script"));
        let other = Fields::parse(&text.replace("h1", "h2"), "f.toml").unwrap();
        assert_ne!(other.fingerprint(), fields.fingerprint());
        assert_ne!(Fields::default().fingerprint(), fields.fingerprint());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let of = |text: &str| Fields::parse(text, "f.toml").unwrap_err().to_string();
        let field = "[[field]]\nname = \"a\"\nelements = [\"x\"]\n";
        let cases = [
            ("format = 1\n".to_owned(), "", "has no \"field\""),
            (format!("format = 1\nignore = [\"X\"]\n{field}"), "5", "\"x\" is ignored already"),
            (format!("format = 1\nrest = \"b\"\n{field}"), "2", "expected one of a"),
            (format!("format = 1\n{field}{}", field.replace('x', "y")), "6", "another field \"a\""),
            (format!("format = 1\nignore = \"nav\"\n{field}"), "2", "a list of names of elements"),
            (format!("format = 1\nignore = [\"<p>\"]\n{field}"), "2", "without <>"),
            (format!("format = 1\nkeep = true\n{field}"), "2", "keep"),
            ("format = 1\n[[field]]\nname = \"a\"\n".to_owned(), "2", "elements"),
        ];
        for (text, line, part) in cases {
            let said = of(&text);
            assert!(said.contains(part) && said.contains(line), "{part:?} and {line} are not in: {said}");
        }
    }
}
