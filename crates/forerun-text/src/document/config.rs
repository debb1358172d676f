//! Which elements are fields of interest.

/// A field and the elements that it is made of. Names of elements are compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldConfig {
    /// Its name.
    pub name: String,
    /// Elements whose text it is.
    pub elements: Vec<String>,
}

/// How documents and fields are found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Elements that begin a document; where a file has none of them, it is one document.
    pub documents: Vec<String>,
    /// Fields, in order.
    pub fields: Vec<FieldConfig>,
    /// Elements and attributes (of the element that begins a document) that identify a document.
    pub ids: Vec<String>,
    /// The number of the field of text that is in no field's element and not left out; `None` leaves it out.
    pub rest: Option<usize>,
    /// Elements whose text is left out.
    pub left_out: Vec<String>,
    /// A document longer than this, in bytes, is cut (markup), or given in parts (plain text).
    pub longest: usize,
    /// The encoding that whoever sent the file states; see [`decode`](super::decode()).
    pub encoding: Option<String>,
}

fn names(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

fn field(name: &str, elements: &str) -> FieldConfig {
    FieldConfig { name: name.to_owned(), elements: names(elements) }
}

impl Default for Config {
    /// Web pages and plain text: title, heading, body, author, date.
    fn default() -> Self {
        Self {
            documents: Vec::new(),
            fields: vec![
                field("title", "title"),
                field("heading", "h1 h2 h3 h4 h5 h6"),
                field("body", "body"),
                field("author", "author address"),
                field("date", "date time"),
            ],
            ids: Vec::new(),
            rest: Some(2),
            left_out: names("script style noscript template svg math iframe object textarea select button"),
            longest: 64 << 20,
            encoding: None,
        }
    }
}

impl Config {
    /// Collections of many documents a file, as Reuters-21578 (`REUTERS`) and TREC (`DOC`): title, heading, body,
    /// author, date.
    pub fn collections() -> Self {
        Self {
            documents: names("reuters doc"),
            fields: vec![
                field("title", "title ti headline head hl"),
                field("heading", "h1 h2 h3 h4 h5 h6"),
                field("body", "body text lp leadpara"),
                field("author", "author byline"),
                field("date", "date date1 datetime"),
            ],
            ids: names("newid docno docid id"),
            rest: None,
            left_out: names("unknown topics places people orgs exchanges companies dateline mknote"),
            longest: 64 << 20,
            encoding: None,
        }
    }

    /// The number of the field of this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }
}
