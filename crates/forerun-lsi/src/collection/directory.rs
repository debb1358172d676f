//! The files of a test collection in one directory.

use std::path::{Path, PathBuf};

use super::judgements::plain;
use super::{Collection, Relevant, judgements, smart};
use crate::LsiError;

/// Endings and beginnings (in lower case) by which files are known.
const DOCUMENTS: &[&str] = &["all", "1400", "doc", "docs"];
const QUERIES: &[&str] = &["qry", "que", "query", "queries"];
const JUDGED: &[&str] = &["rel", "qrel", "qrels"];

/// The files of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Documents.
    pub documents: PathBuf,
    /// Queries.
    pub queries: PathBuf,
    /// Relevance judgements.
    pub judged: PathBuf,
}

/// The files of the collection `name` (`med`, `cran`, the beginning of their names) in `directory`: `NAME.all`, `NAME.qry`,
/// `NAME.rel`, in capitals or not, and as Cranfield has them `cran.all.1400` and `cranqrel`.
///
/// # Errors
/// Files are missing or several fit, or the directory cannot be read.
pub fn files(directory: &Path, name: &str) -> Result<Files, LsiError> {
    let listed = std::fs::read_dir(directory).map_err(|e| LsiError::unreadable(directory, &e))?;
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let documents = one(directory, name, &files, "documents", DOCUMENTS)?;
    let queries = one(directory, name, &files, "queries", QUERIES)?;
    let judged = one(directory, name, &files, "relevance judgements", JUDGED)?;
    Ok(Files { documents, queries, judged })
}

impl Files {
    /// Reads them.
    ///
    /// # Errors
    /// They cannot be read, or do not fit together.
    pub fn read(&self) -> Result<Collection, LsiError> {
        let documents = smart::documents(&self.documents, smart::FIELDS)?;
        let queries = smart::queries(&self.queries)?;
        together(documents, queries, judgements::read(&self.judged)?, &self.judged)
    }
}

/// Reads the collection `name` in `directory`, whose files [`files`] finds.
///
/// # Errors
/// As [`files`] and [`Files::read`].
pub fn read(directory: &Path, name: &str) -> Result<Collection, LsiError> {
    files(directory, name)?.read()
}

/// The one file whose name begins as the collection's (or the collection's as it does) and ends in one of these.
fn one(
    directory: &Path,
    name: &str,
    files: &[PathBuf],
    what: &str,
    endings: &[&str],
) -> Result<PathBuf, LsiError> {
    let wanted = name.to_lowercase();
    let fits = |path: &PathBuf| {
        let Some(file) = path.file_name().map(|f| f.to_string_lossy().to_lowercase()) else { return false };
        let stem = file.split('.').next().unwrap_or_default();
        let stem =
            endings.iter().filter_map(|e| stem.strip_suffix(e)).min_by_key(|s| s.len()).unwrap_or(stem);
        let begins = stem.len() >= 3 && (wanted.starts_with(stem) || stem.starts_with(&wanted));
        begins && endings.iter().any(|e| file.ends_with(e))
    };
    let found: Vec<&PathBuf> = files.iter().filter(|path| fits(path)).collect();
    match found[..] {
        [path] => Ok(path.clone()),
        [] => Err(LsiError::file(
            directory,
            format!("there is no file of {what} of the collection {name}: expected {name}.{}", endings[0]),
        )),
        [first, second, ..] => Err(LsiError::file(
            directory,
            format!(
                "both {} and {} may be the {what} of the collection {name}; take one away",
                first.display(),
                second.display()
            ),
        )),
    }
}

/// Judgements name queries by their number in the file, or, as Cranfield's, by their place.
fn together(
    documents: Vec<super::Document>,
    mut queries: Vec<super::Query>,
    relevant: Relevant,
    judged: &Path,
) -> Result<Collection, LsiError> {
    let mut notes = Vec::new();
    if relevant.is_empty() {
        return Err(LsiError::file(
            judged,
            "it names no relevant document of any query: there is nothing to go by",
        ));
    }
    let known: std::collections::HashSet<String> = queries.iter().map(|q| plain(&q.id)).collect();
    if relevant.keys().all(|query| known.contains(query)) {
        queries.iter_mut().for_each(|q| q.id = plain(&q.id));
    } else {
        let last = queries.len() as u64;
        let is_place = |query: &String| query.parse().is_ok_and(|n: u64| (1..=last).contains(&n));
        if let Some(query) = relevant.keys().find(|query| !is_place(query)) {
            return Err(LsiError::file(
                judged,
                format!("query {query} is neither the number of a query nor the place of one of {last}"),
            ));
        }
        for (place, query) in (1..).zip(&mut queries) {
            query.id = place.to_string();
        }
        notes.push("judgements number the queries by their places, not by what stands after .I".into());
    }
    let ids: std::collections::HashSet<String> = documents.iter().map(|d| plain(&d.id)).collect();
    let strangers = relevant.values().flatten().filter(|d| !ids.contains(*d)).count();
    if strangers == relevant.values().map(|documents| documents.len()).sum::<usize>() {
        return Err(LsiError::file(
            judged,
            "none of the documents that it names is in the collection: it is of another, or their numbers differ",
        ));
    }
    if strangers > 0 {
        notes.push(format!("{strangers} judgements are of documents that are not in the collection; they count as never found"));
    }
    let documents = documents.into_iter().map(|d| super::Document { id: plain(&d.id), ..d }).collect();
    Ok(Collection { documents, queries, relevant, notes })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn files_are_found_and_queries_numbered_as_the_judgements_do() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        put("cran.all.1400", ".I 1\n.W\na\n.I 2\n.W\nb\n");
        put("cran.qry", ".I 001\n.W\nfirst\n.I 004\n.W\nsecond\n");
        put("cranqrel", "1 1 2\n2 2 1\n2 9 1\n");
        put("cranqrel.readme", "about it");
        let collection = read(dir.path(), "cranfield").unwrap();
        let ids: Vec<&str> = collection.queries.iter().map(|q| q.id.as_str()).collect();
        assert_eq!(ids, ["1", "2"]);
        assert_eq!(collection.notes.len(), 2, "{:?}", collection.notes);
        put("cranqrel", "1 1 2\n4 2 1\n");
        let collection = read(dir.path(), "cranfield").unwrap();
        let ids: Vec<&str> = collection.queries.iter().map(|q| q.id.as_str()).collect();
        assert_eq!(ids, ["1", "4"]);
        let refused = |judged: &str, why: &str| {
            put("cranqrel", judged);
            let said = read(dir.path(), "cranfield").unwrap_err().to_string();
            assert!(said.contains("cranqrel: ") && said.contains(why), "{said}");
        };
        refused("1 1 2\n7 2 1\n", "query 7");
        for none in ["", "\n \n", "1 2 5\n4 1 5\n", "1 0 2 0\n"] {
            refused(none, "no relevant document");
        }
        refused("1 17 1\n4 18 1\n", "none of the documents");
        put("cran.qrel", "1 1 2\n");
        assert!(read(dir.path(), "cran").unwrap_err().to_string().contains("both"));
        assert!(read(dir.path(), "med").unwrap_err().to_string().contains("documents"));
    }
}
