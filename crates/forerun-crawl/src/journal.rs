//! The journal: a line of JSON for everything that is done, from which a crawl goes on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CrawlError;
use crate::page::Page;
use crate::settings::Request;

/// The version of the journal's form.
const FORMAT: u32 = 1;

/// A line. Each is complete: what it adds to the frontier is in it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Record {
    /// The first line: what is asked for.
    Crawl { format: u32, request: Request },
    /// A page that is kept.
    Page {
        page: Page,
        /// Links to URLs that were not known.
        links: Vec<String>,
        /// How many other links were left, by reason.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        left: BTreeMap<String, u64>,
    },
    /// An answer that leads elsewhere. `to` is there if it was not known.
    Redirect { url: String, status: u16, depth: u32, hops: u32, to: Option<String> },
    /// A URL that is not kept, and why.
    Skipped { url: String, why: String, detail: String },
    /// A URL that could not be had. `passing` is whether it may be in a later run; journals of before do not say it.
    Failed {
        url: String,
        why: String,
        status: Option<u16>,
        tries: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passing: Option<bool>,
    },
}

/// The open journal. It is locked, so that no two crawls write one directory.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

/// The journal's file of a crawl in `dir`.
pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join("journal.jsonl")
}

impl Journal {
    /// Opens the journal of a crawl in `dir`, which has to be of this request, and hands every record in it to
    /// `replay`; or begins one, also in the place of one of another request that kept nothing. A last line that was cut short by the end of a process is dropped.
    /// Gives the journal and the length of what was read.
    pub(crate) fn open(
        dir: &Path,
        request: &Request,
        mut replay: impl FnMut(Record) -> Result<(), CrawlError>,
    ) -> Result<(Self, u64), CrawlError> {
        let path = path(dir);
        let unopened = |e: &io::Error| CrawlError::file("open", &path, e);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(|e| unopened(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(CrawlError::new(format!(
                    "{} is in use: another crawl writes to it; wait for it or take another directory",
                    dir.display()
                )));
            }
            Err(TryLockError::Error(e)) => return Err(unopened(&e)),
        }
        let mut whole = 0;
        let mut lines = Lines::new(&path, u64::MAX)?;
        while let Some(line) = lines.next_line()? {
            let record = lines.record(&line)?;
            whole = lines.read;
            match record {
                Record::Crawl { format, request: of } if lines.number == 1 => {
                    if let Err(differs) = same(&path, format, &of, request) {
                        if format != FORMAT || lines.keep()? {
                            return Err(differs);
                        }
                        whole = 0;
                        break;
                    }
                }
                _ if lines.number == 1 => return Err(lines.wrong("the first line is not that of a crawl")),
                Record::Crawl { .. } => return Err(lines.wrong("a second crawl begins here")),
                record => replay(record)?,
            }
        }
        file.set_len(whole).map_err(|e| CrawlError::file("write", &path, &e))?;
        file.seek(SeekFrom::End(0)).map_err(|e| unopened(&e))?;
        let mut journal = Self { file, path };
        if whole == 0 {
            journal.write(&Record::Crawl { format: FORMAT, request: request.clone() })?;
        }
        Ok((journal, whole))
    }

    /// Adds a line. It is with the system when this returns: the end of the process cannot undo it.
    pub(crate) fn write(&mut self, record: &Record) -> Result<(), CrawlError> {
        let mut line = serde_json::to_vec(record).map_err(|e| CrawlError::new(e.to_string()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|e| CrawlError::file("write", &self.path, &e))
    }

    /// Waits until all of it is on the disk.
    pub(crate) fn sync(&self) -> Result<(), CrawlError> {
        self.file.sync_data().map_err(|e| CrawlError::file("write", &self.path, &e))
    }
}

fn same(path: &Path, format: u32, of: &Request, asked: &Request) -> Result<(), CrawlError> {
    let path = path.display();
    if format != FORMAT {
        return Err(CrawlError::new(format!(
            "{path} has form {format}, and only form {FORMAT} can be gone on with"
        )));
    }
    let differs = [
        (of.seeds != asked.seeds, "URLs to begin with"),
        (of.hosts != asked.hosts, "hosts"),
        (of.below != asked.below, "directories"),
        (of.depth != asked.depth, "depth"),
        (of.types != asked.types, "media types"),
        (of.allow_private != asked.allow_private, "private addresses"),
    ];
    match differs.iter().find(|(differs, _)| *differs) {
        Some((_, what)) => Err(CrawlError::new(format!(
            "{path} is of a crawl with other {what}: ask for the same to go on with it, or take another directory"
        ))),
        None => Ok(()),
    }
}

/// The complete lines of a journal, up to a byte.
#[derive(Debug)]
pub(crate) struct Lines {
    from: BufReader<File>,
    path: PathBuf,
    read: u64,
    end: u64,
    number: u64,
}

impl Lines {
    pub(crate) fn new(path: &Path, end: u64) -> Result<Self, CrawlError> {
        let file = File::open(path).map_err(|e| CrawlError::file("open", path, &e))?;
        Ok(Self { from: BufReader::new(file), path: path.to_owned(), read: 0, end, number: 0 })
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>, CrawlError> {
        let mut line = Vec::new();
        if self.read < self.end {
            self.from.read_until(b'\n', &mut line).map_err(|e| CrawlError::file("read", &self.path, &e))?;
        }
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.read += line.len() as u64;
        self.number += 1;
        Ok(Some(line))
    }

    fn record(&self, line: &[u8]) -> Result<Record, CrawlError> {
        serde_json::from_slice(line).map_err(|e| self.wrong(&format!("it is not a record of a crawl: {e}")))
    }

    /// Whether of the records that follow some say more than that a URL was skipped or could not be had.
    fn keep(&mut self) -> Result<bool, CrawlError> {
        while let Some(record) = self.next_record()? {
            if !matches!(record, Record::Skipped { .. } | Record::Failed { .. }) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next record.
    pub(crate) fn next_record(&mut self) -> Result<Option<Record>, CrawlError> {
        let line = self.next_line()?;
        line.map(|line| self.record(&line)).transpose()
    }

    fn wrong(&self, what: &str) -> CrawlError {
        CrawlError::new(format!("{}:{}: {what}; take another directory", self.path.display(), self.number))
    }
}
