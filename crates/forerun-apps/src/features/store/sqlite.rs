//! SQLite.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{
    Batch, FORMAT, Found, Ids, Phrase, Store, StoreError, Stored, Totals, is_stored, number, page, pattern,
    places,
};
use crate::database;

/// A file that survives a kill at any time: the log is written ahead. (After a power failure the last sets
/// may be missing, and are done again.)
const SETTINGS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -131072;
PRAGMA temp_store = MEMORY;
PRAGMA wal_autocheckpoint = 16384;";

/// Bytes of the log after which it is written back, by [`SETTINGS`]: pages of 4 KiB.
pub(in crate::features) const LOG: u64 = 16384 << 12;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS field (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS file (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes INTEGER, modified INTEGER,
    documents INTEGER NOT NULL DEFAULT 0, skipped TEXT);
CREATE TABLE IF NOT EXISTS document (
    file INTEGER NOT NULL, part INTEGER NOT NULL, id TEXT NOT NULL, phrases INTEGER NOT NULL, left_out TEXT,
    PRIMARY KEY (file, part)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS phrase (
    phrase TEXT PRIMARY KEY, frequency INTEGER NOT NULL, documents INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS occurrence (
    phrase TEXT NOT NULL, file INTEGER NOT NULL, part INTEGER NOT NULL, frequency INTEGER NOT NULL,
    places TEXT NOT NULL, PRIMARY KEY (phrase, file, part)) WITHOUT ROWID;";

/// Opens a file; `None` if there is none and none is to be made.
pub(super) fn connect(path: &Path, make: bool) -> Result<Option<Box<dyn Store>>, StoreError> {
    let opened = database::sqlite(path, make)?;
    Ok(opened.map(|connection| -> Box<dyn Store> { Box::new(Sqlite { connection }) }))
}

struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    fn phrases(&self, sql: &str, of: impl rusqlite::Params) -> Result<Vec<Phrase>, StoreError> {
        let mut select = self.connection.prepare_cached(sql)?;
        let rows = select.query_map(of, |row| {
            Ok(Phrase { phrase: row.get(0)?, frequency: row.get(1)?, documents: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Takes out all that came of these files, which are in the table `gone` then.
fn take_out(all: &Transaction<'_>, files: &[i64]) -> Result<(), StoreError> {
    all.execute_batch("CREATE TEMP TABLE IF NOT EXISTS gone (file INTEGER PRIMARY KEY); DELETE FROM gone")?;
    {
        let mut insert = all.prepare("INSERT INTO gone VALUES (?1) ON CONFLICT DO NOTHING")?;
        for file in files {
            insert.execute([file])?;
        }
    }
    Ok(all.execute_batch(
        "UPDATE phrase SET frequency = phrase.frequency - g.frequency, documents = phrase.documents - g.documents
         FROM (SELECT phrase, sum(frequency) AS frequency, count(*) AS documents
               FROM occurrence WHERE file IN (SELECT file FROM gone) GROUP BY phrase) AS g
         WHERE phrase.phrase = g.phrase;
         DELETE FROM phrase WHERE documents = 0;
         DELETE FROM occurrence WHERE file IN (SELECT file FROM gone);
         DELETE FROM document WHERE file IN (SELECT file FROM gone)",
    )?)
}

impl Store for Sqlite {
    fn about(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        if count("SELECT count(*) FROM sqlite_master WHERE name = 'about'")? == 0 {
            return match count("SELECT count(*) FROM sqlite_master")? {
                0 => Ok(None),
                _ => Err(StoreError::new("it has tables that are not of features: name another file")),
            };
        }
        let value =
            self.connection.query_row("SELECT value FROM about WHERE key = ?1", [key], |row| row.get(0));
        Ok(value.optional()?)
    }

    fn create(&mut self, about: &[(&str, &str)], fields: &[String], _: bool) -> Result<(), StoreError> {
        self.connection.execute_batch(SETTINGS)?;
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        all.execute_batch(TABLES)?;
        for (key, value) in [("format", FORMAT)].iter().chain(about) {
            all.execute("INSERT INTO about VALUES (?1, ?2) ON CONFLICT DO NOTHING", [key, value])?;
        }
        for (n, name) in fields.iter().enumerate() {
            all.execute("INSERT INTO field VALUES (?1, ?2) ON CONFLICT DO NOTHING", params![n as i64, name])?;
        }
        Ok(all.commit()?)
    }

    fn files(&mut self) -> Result<Vec<Stored>, StoreError> {
        let mut select =
            self.connection.prepare("SELECT id, name, bytes, modified, skipped IS NOT NULL FROM file")?;
        let rows = select.query_map([], |row| {
            let (bytes, modified): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
            Ok(Stored { id: row.get(0)?, name: row.get(1)?, read: bytes.zip(modified), skipped: row.get(4)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn register(&mut self, names: &[&str]) -> Result<(), StoreError> {
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut next: i64 = all.query_row(
                "SELECT coalesce(max(id), 0) + 1 FROM file WHERE id < ?1",
                [page::FIRST],
                |r| r.get(0),
            )?;
            let mut insert =
                all.prepare("INSERT INTO file (id, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
            for name in names {
                next += insert.execute(params![next, name])? as i64;
            }
        }
        Ok(all.commit()?)
    }

    fn forget(&mut self, files: &[i64]) -> Result<(), StoreError> {
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        take_out(&all, files)?;
        all.execute_batch(
            "UPDATE file SET bytes = NULL, modified = NULL, documents = 0, skipped = NULL
             WHERE id IN (SELECT file FROM gone)",
        )?;
        Ok(all.commit()?)
    }

    fn remove(&mut self, files: &[i64]) -> Result<(), StoreError> {
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        take_out(&all, files)?;
        all.execute_batch("DELETE FROM file WHERE id IN (SELECT file FROM gone)")?;
        Ok(all.commit()?)
    }

    fn enrol(&mut self, pages: &[(i64, String)]) -> Result<(), StoreError> {
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert =
                all.prepare_cached("INSERT INTO file (id, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
            let mut look = all.prepare_cached("SELECT count(*) FROM file WHERE id = ?1 AND name = ?2")?;
            for (id, name) in pages {
                insert.execute(params![id, name])?;
                if look.query_row(params![id, name], |row| row.get::<_, i64>(0))? == 0 {
                    return Err(StoreError::same_identifier(name));
                }
            }
        }
        Ok(all.commit()?)
    }

    fn put(&mut self, batch: &Batch, ids: &Ids) -> Result<(), StoreError> {
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut done = all.prepare_cached("SELECT count(bytes) FROM file WHERE id = ?1")?;
            let mut stored = 0;
            for f in &batch.files {
                stored += done.query_row([ids.of(f.file)?], |row| row.get::<_, i64>(0))?;
            }
            if !batch.files.is_empty() && is_stored(stored as u64, batch.files.len())? {
                return Ok(());
            }
            let mut document = all.prepare_cached("INSERT INTO document VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for d in &batch.documents {
                let (file, part) = (ids.of(d.number.file)?, number(d.number.part));
                document.execute(params![file, part, d.id, number(d.phrases), d.left_out])?;
            }
            let mut phrase = all.prepare_cached(
                "INSERT INTO phrase VALUES (?1, ?2, ?3) ON CONFLICT (phrase) DO UPDATE SET
                 frequency = frequency + excluded.frequency, documents = documents + excluded.documents",
            )?;
            let mut occurrence = all.prepare_cached("INSERT INTO occurrence VALUES (?1, ?2, ?3, ?4, ?5)")?;
            let mut list = Vec::new();
            for (key, postings) in batch.dictionary.iter() {
                phrase.execute(params![key, number(postings.frequency()), number(postings.documents())])?;
                let mut documents = postings.iter();
                while let Some(d) = documents.next_into(&mut list) {
                    let (file, part, often) = (ids.of(d.file)?, number(d.part), list.len() as i64);
                    occurrence.execute(params![key, file, part, often, places(&list)])?;
                }
            }
            let mut file = all.prepare_cached(
                "UPDATE file SET bytes = ?2, modified = ?3, documents = ?4, skipped = ?5 WHERE id = ?1",
            )?;
            for f in &batch.files {
                let (bytes, documents) = (number(f.bytes), number(f.documents));
                file.execute(params![ids.of(f.file)?, bytes, f.modified, documents, f.skipped])?;
            }
        }
        Ok(all.commit()?)
    }

    fn fields(&mut self) -> Result<Vec<String>, StoreError> {
        let mut select = self.connection.prepare("SELECT name FROM field ORDER BY number")?;
        let names = select.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    fn top(&mut self, limit: i64) -> Result<Vec<Phrase>, StoreError> {
        self.phrases("SELECT * FROM phrase ORDER BY frequency DESC, phrase LIMIT ?1", [limit])
    }

    fn phrase(&mut self, phrase: &str) -> Result<Option<Phrase>, StoreError> {
        Ok(self.phrases("SELECT * FROM phrase WHERE phrase = ?1", [phrase])?.pop())
    }

    fn containing(&mut self, words: &str, limit: i64) -> Result<Vec<Phrase>, StoreError> {
        self.phrases(
            r"SELECT * FROM phrase WHERE ' ' || phrase || ' ' LIKE ?1 ESCAPE '\' AND phrase <> ?2
              ORDER BY frequency DESC, phrase LIMIT ?3",
            params![pattern(words), words, limit],
        )
    }

    fn occurrences(&mut self, phrase: &str, limit: i64) -> Result<Vec<Found>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT f.name, d.id, o.frequency, o.places FROM occurrence o
             JOIN file f ON f.id = o.file JOIN document d ON d.file = o.file AND d.part = o.part
             WHERE o.phrase = ?1 ORDER BY o.frequency DESC, o.file, o.part LIMIT ?2",
        )?;
        let rows = select.query_map(params![phrase, limit], |row| {
            Ok(Found { file: row.get(0)?, id: row.get(1)?, frequency: row.get(2)?, places: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn totals(&mut self) -> Result<Totals, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM file WHERE bytes IS NOT NULL AND skipped IS NULL),
                   (SELECT count(*) FROM file WHERE skipped IS NOT NULL),
                   (SELECT count(*) FROM document), (SELECT count(*) FROM phrase)";
        Ok(self.connection.query_row(sql, [], |row| {
            let (files, skipped) = (row.get(0)?, row.get(1)?);
            Ok(Totals { files, skipped, documents: row.get(2)?, phrases: row.get(3)? })
        })?)
    }

    /// One file is left, without a log beside it.
    fn close(&mut self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?)
    }
}
