//! Tagged text to learn from: files of `word/tag`, a sentence a line, as those of the Brown corpus.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::super::tags::{MOST, Tag, TagSet};
use crate::error::TextError;
use crate::words::Words;

/// One file of a corpus.
#[derive(Clone, Debug)]
pub struct CorpusFile {
    /// Its name, without directories.
    pub name: String,
    /// Its sentences: words and tags.
    pub sentences: Vec<Vec<(u32, Tag)>>,
}

/// A tagged corpus.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Its files, in the order of their names.
    pub files: Vec<CorpusFile>,
    /// Its words.
    pub words: Words,
    /// Its tags, in upper case.
    pub tags: TagSet,
}

/// What the Brown corpus appends to tags: title, headline, cited word. They say nothing about the part of speech.
const MARKS: [&str; 3] = ["-TL", "-HL", "-NC"];

impl Corpus {
    /// Reads a zip archive or all files of a directory. Files of which not nearly every word has a tag (lists
    /// of contents, say) are passed over.
    ///
    /// # Errors
    /// If it cannot be read, or nothing in it is tagged.
    pub fn read(path: &Path) -> Result<Self, TextError> {
        let mut texts = if path.is_dir() { directory(path)? } else { archive(path)? };
        texts.sort();
        let mut corpus = Self::default();
        for (name, text) in &texts {
            corpus.add(name, text)?;
        }
        if corpus.files.is_empty() {
            return Err(TextError::new(format!(
                "nothing in {} is tagged text: expected files of word/tag, a sentence a line",
                path.display()
            )));
        }
        Ok(corpus)
    }

    /// Adds a file of `word/tag` if nearly every word of it has a tag, and says whether it did.
    ///
    /// # Errors
    /// If it has more different tags than a [`TagSet`] holds.
    pub fn add(&mut self, name: &str, text: &str) -> Result<bool, TextError> {
        let tagged = text.split_whitespace().filter(|w| split(w).is_some()).count();
        if tagged == 0 || tagged * 20 < text.split_whitespace().count() * 19 {
            return Ok(false);
        }
        let mut sentences = Vec::new();
        for (line, content) in text.lines().enumerate() {
            let mut sentence = Vec::new();
            for (word, tag) in content.split_whitespace().filter_map(split) {
                let tag = tag.to_uppercase();
                let tag = self.tags.put(bare(&tag)).ok_or_else(|| {
                    TextError::line(
                        name,
                        line + 1,
                        format!("tag {tag} is one more than the {MOST} that there can be"),
                    )
                })?;
                sentence.push((self.words.put(word), tag));
            }
            if !sentence.is_empty() {
                sentences.push(sentence);
            }
        }
        self.files.push(CorpusFile { name: name.to_owned(), sentences });
        Ok(true)
    }

    /// How many words with tags there are.
    pub fn tokens(&self) -> usize {
        self.files.iter().flat_map(|f| &f.sentences).map(Vec::len).sum()
    }
}

fn split(word: &str) -> Option<(&str, &str)> {
    word.rsplit_once('/').filter(|(word, tag)| !word.is_empty() && !tag.is_empty())
}

/// The tag without the marks of the Brown corpus.
fn bare(mut tag: &str) -> &str {
    while let Some(less) = MARKS.iter().find_map(|mark| tag.strip_suffix(mark)).filter(|t| !t.is_empty()) {
        tag = less;
    }
    tag
}

fn directory(path: &Path) -> Result<Vec<(String, String)>, TextError> {
    let unread = |e| TextError::unread(path, &e);
    let mut texts = Vec::new();
    for entry in fs::read_dir(path).map_err(unread)? {
        let entry = entry.map_err(unread)?.path();
        if entry.is_file() {
            let bytes = fs::read(&entry).map_err(|e| TextError::unread(&entry, &e))?;
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(texts)
}

/// More than this of one file of an archive is not read: a tagged text is never so long.
const LONGEST: u64 = 1 << 28;

fn archive(path: &Path) -> Result<Vec<(String, String)>, TextError> {
    let file = File::open(path).map_err(|e| TextError::unread(path, &e))?;
    let wrong = |e: &dyn std::fmt::Display| {
        TextError::new(format!("cannot read {} as a zip archive or a directory: {e}", path.display()))
    };
    let mut archive = zip::ZipArchive::new(file).map_err(|e| wrong(&e))?;
    let mut texts = Vec::new();
    for i in 0..archive.len() {
        let entry = archive.by_index(i).map_err(|e| wrong(&e))?;
        if entry.is_file() {
            let name = entry.name().map_err(|e| wrong(&e))?.rsplit('/').next().unwrap_or_default().to_owned();
            let mut bytes = Vec::new();
            entry.take(LONGEST).read_to_end(&mut bytes).map_err(|e| wrong(&e))?;
            texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(texts)
}
