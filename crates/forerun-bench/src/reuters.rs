//! The documents of Reuters-21578.

use std::io;
use std::path::PathBuf;

use forerun_text::document::{Config, Document, read_file};

use crate::record::Record;

/// Where they are: a directory with the files `reut2-000.sgm` and so on.
const REUTERS: &str = "FORERUN_REUTERS";

/// Title and body of the first `most` documents that have a body; none, and a note why, where nobody says where they are.
pub(crate) fn texts(most: usize, record: &mut Record) -> io::Result<Option<Vec<String>>> {
    let Some(directory) = std::env::var_os(REUTERS).map(PathBuf::from) else {
        record.note(&format!("Nothing is measured: {REUTERS} names no directory with Reuters-21578."));
        return Ok(None);
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)?.flatten().map(|e| e.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "sgm"));
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let mut take = |document: Document| {
            let text = |name| document.field(name).map_or("", |f| f.text.trim());
            if !text("body").is_empty() && texts.len() < most {
                texts.push(format!("{}\n\n{}\n", text("title"), text("body")));
            }
        };
        read_file(&file, 1 << 30, &Config::collections(), &mut take).map_err(io::Error::other)?;
    }
    match texts.is_empty() {
        true => Err(io::Error::other(format!("{} has no document of Reuters-21578", directory.display()))),
        false => Ok(Some(texts)),
    }
}
