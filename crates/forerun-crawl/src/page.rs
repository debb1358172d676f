//! A page that is kept, and its file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::CrawlError;

/// What is known of a page that is kept. Its content is in a file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Its place among the pages of the crawl, from 0.
    pub number: u64,
    /// Its URL, in normal form.
    pub url: String,
    /// Links between a seed and it.
    pub depth: u32,
    /// Its file, relative to the crawl's directory.
    pub file: PathBuf,
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    /// Its media type, in lower case.
    pub media_type: String,
    /// Its encoding, where the server states one.
    pub charset: Option<String>,
    /// Its size, decoded.
    pub bytes: u64,
    /// The SHA-256 of its content, decoded, in hexadecimal.
    pub sha256: String,
    /// When its request was sent, in seconds since 1970.
    pub asked_unix_s: f64,
    /// Seconds from the request to the last byte.
    pub took_s: f64,
    /// The headers of the answer, in lower case, as they came.
    pub headers: Vec<(String, String)>,
}

impl Page {
    /// Where its content is, for a crawl in `dir`.
    pub fn path(&self, dir: &Path) -> PathBuf {
        dir.join(&self.file)
    }

    /// Its content.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(&self, dir: &Path) -> io::Result<Vec<u8>> {
        fs::read(self.path(dir))
    }

    /// When it had been changed last, as its server says.
    pub fn modified(&self) -> Option<SystemTime> {
        let (_, stated) = self.headers.iter().find(|(name, _)| name == "last-modified")?;
        httpdate::parse_http_date(stated).ok()
    }

    /// Whether its file is there as it was written.
    pub(crate) fn is_there(&self, dir: &Path) -> bool {
        fs::metadata(self.path(dir)).is_ok_and(|m| m.is_file() && m.len() == self.bytes)
    }
}

/// The directory of the pages' files.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    dir: PathBuf,
}

impl Store {
    /// The store of a crawl in `dir`; makes its directories.
    pub(crate) fn open(dir: &Path) -> Result<Self, CrawlError> {
        let pages = dir.join("pages");
        fs::create_dir_all(&pages).map_err(|e| CrawlError::file("make", &pages, &e))?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Whether it has no page.
    pub(crate) fn is_empty(&self) -> Result<bool, CrawlError> {
        let pages = self.dir.join("pages");
        let mut entries = fs::read_dir(&pages).map_err(|e| CrawlError::file("read", &pages, &e))?;
        Ok(entries.next().is_none())
    }

    /// Takes away what a crawl that was killed left without a record: drafts, and pages from number `next` on.
    pub(crate) fn tidy(&self, next: u64) -> Result<(), CrawlError> {
        let pages = self.dir.join("pages");
        let unread = |e: io::Error| CrawlError::file("tidy", &pages, &e);
        let drafts = fs::read_dir(&pages).map_err(unread)?.flatten().map(|e| e.path());
        for path in drafts.filter(|p| p.extension().is_some_and(|e| e == "draft")) {
            fs::remove_file(&path).map_err(unread)?;
        }
        // A page is recorded before the next one gets its file, so there is one; more if the machine ended.
        for first in (next / 1000 * 1000..).step_by(1000) {
            let Some(entries) = self.dir.join(file(first, "x")).parent().and_then(|d| fs::read_dir(d).ok())
            else {
                break;
            };
            for path in entries.flatten().map(|e| e.path()) {
                let number = path.file_stem().and_then(|s| s.to_str()?.parse::<u64>().ok());
                if number.is_some_and(|n| n >= next) {
                    fs::remove_file(&path).map_err(unread)?;
                }
            }
        }
        Ok(())
    }

    /// Writes content under the name of a draft of this thread.
    pub(crate) fn draft(&self, thread: usize, content: &[u8]) -> Result<PathBuf, CrawlError> {
        let path = self.dir.join("pages").join(format!("{thread}.draft"));
        fs::write(&path, content).map_err(|e| CrawlError::file("write", &path, &e))?;
        Ok(path)
    }

    /// Gives a draft its name; the name relative to the crawl's directory.
    pub(crate) fn keep(&self, draft: &Path, number: u64, media_type: &str) -> Result<PathBuf, CrawlError> {
        let file = file(number, extension(media_type));
        let path = self.dir.join(&file);
        let kept = match fs::rename(draft, &path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let parent = path.parent().unwrap_or(&self.dir);
                fs::create_dir_all(parent).and_then(|()| fs::rename(draft, &path))
            }
            done => done,
        };
        kept.map_err(|e| CrawlError::file("write", &path, &e))?;
        Ok(file)
    }
}

/// The name of a page's file: a thousand pages a directory.
fn file(number: u64, extension: &str) -> PathBuf {
    PathBuf::from(format!("pages/{:06}/{number:09}.{extension}", number / 1000))
}

/// What a file of a media type is commonly named.
fn extension(media_type: &str) -> &'static str {
    match media_type {
        "text/html" => "html",
        "application/xhtml+xml" => "xhtml",
        t if t.ends_with("/xml") || t.ends_with("+xml") => "xml",
        "application/json" => "json",
        "application/pdf" => "pdf",
        t if t.starts_with("text/") => "txt",
        _ => "bin",
    }
}
