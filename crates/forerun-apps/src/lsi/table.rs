//! Ranked lists in a database.
//!
//! | table | a row | columns |
//! |---|---|---|
//! | `about` | a property of the database | `key` (`format`, `kind`), `value` |
//! | `ranking` | a document in the list of a query | `query`, `rank` (from 1), `document`, `cosine` |
//!
//! The key of `ranking` is (`query`, `rank`). In PostgreSQL the tables are in the schema `forerun_lsi`. A run is one
//! transaction, which replaces the lists of its queries and leaves those of others as they are: a run that is killed
//! leaves nothing, and one that is repeated leaves what it left before.

use std::time::Duration;

use forerun_skeleton::{AppError, Cancel};
use postgres::Client;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Record, Store};
use crate::Erased;
use crate::command::show;
use crate::database::{self, Database, Session, StoreError};

/// The format of the tables.
const FORMAT: &str = "1";
/// What the database is of.
const KIND: &str = "rankings";

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ranking (
    query TEXT NOT NULL, rank INTEGER NOT NULL, document TEXT NOT NULL, cosine REAL NOT NULL,
    PRIMARY KEY (query, rank)) WITHOUT ROWID;";

/// `{}` is TEMP, or nothing. Texts are compared byte by byte, as in SQLite.
const SERVER_TABLES: &str = r#"
CREATE {} TABLE IF NOT EXISTS about (key text PRIMARY KEY, value text NOT NULL);
CREATE {} TABLE IF NOT EXISTS ranking (
    query text COLLATE "C" NOT NULL, rank int8 NOT NULL, document text COLLATE "C" NOT NULL, cosine float8 NOT NULL,
    PRIMARY KEY (query, rank));"#;

/// A database that takes ranked lists.
#[derive(Debug)]
pub struct RankingTable {
    database: Database,
    patience: Duration,
    cancel: Cancel,
}

/// A connection.
enum Tables {
    File(Connection),
    Server(Client),
}

impl RankingTable {
    /// The tables of this database; it is waited for up to `patience` where it has gone away. Nothing is written yet.
    ///
    /// # Errors
    /// That the directory of a file is not there, or that the database cannot be reached or has other tables.
    pub fn open(database: Database, patience: Duration, cancel: &Cancel) -> Result<Self, AppError> {
        database.check()?;
        let looked = match &database {
            Database::Sqlite(path) => {
                database::sqlite(path, false).and_then(|file| file.map_or(Ok(()), |f| check(&f)))
            }
            Database::Postgres(config) => database::postgres(config).map(drop),
        };
        looked.map_err(|e| AppError::new(format!("{database}: {e}")))?;
        Ok(RankingTable { database, patience, cancel: cancel.clone() })
    }

    fn put(&self, into: &Database, temporary: bool, records: &[Record<'_>]) -> Result<(), AppError> {
        let database = into.clone();
        let connect = move || Tables::made(&database, temporary);
        Session::new(into, self.patience, &self.cancel, connect).with(|tables| tables.put(records))
    }
}

/// Looks whether a file is empty or has these tables.
fn check(file: &Connection) -> Result<(), StoreError> {
    let tables: i64 = file.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if tables == 0 {
        return Ok(());
    }
    let other = || StoreError::new("it has tables that are not of ranked lists: name another file");
    let mut select = file.prepare("SELECT value FROM about WHERE key = ?1").map_err(|_| other())?;
    let mut value = |key: &str| select.query_row([key], |row| row.get::<_, String>(0)).optional();
    if value("kind")?.as_deref() != Some(KIND) {
        return Err(other());
    }
    match value("format")? {
        Some(format) if format == FORMAT => Ok(()),
        format => {
            let format = format.unwrap_or_default();
            let said = format!("its tables have format {format}, this build has {FORMAT}: name another file");
            Err(StoreError::new(said))
        }
    }
}

impl Tables {
    /// Connects, and makes the tables where they are not there.
    fn made(database: &Database, temporary: bool) -> Result<Self, StoreError> {
        let about = [("format", FORMAT), ("kind", KIND)];
        match database {
            Database::Sqlite(path) => {
                let opened = database::sqlite(path, true)?;
                let mut file = opened.ok_or_else(|| StoreError::new("it is not there"))?;
                check(&file)?;
                let all = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
                all.execute_batch(TABLES)?;
                for row in about {
                    all.execute("INSERT INTO about VALUES (?1, ?2) ON CONFLICT DO NOTHING", [row.0, row.1])?;
                }
                all.commit()?;
                Ok(Tables::File(file))
            }
            Database::Postgres(config) => {
                let mut client = database::postgres(config)?;
                let schema = if temporary { "pg_temp" } else { "forerun_lsi" };
                let mut all = client.transaction()?;
                if !temporary {
                    // Two that make the schema at once would be in each other's way; the number is any.
                    all.batch_execute(
                        "SELECT pg_advisory_xact_lock(7166114); CREATE SCHEMA IF NOT EXISTS forerun_lsi",
                    )?;
                }
                all.batch_execute(&format!(
                    "SET search_path TO {schema}; SET client_min_messages TO warning"
                ))?;
                all.batch_execute(&SERVER_TABLES.replace("{}", if temporary { "TEMP" } else { "" }))?;
                for (key, value) in about {
                    all.execute("INSERT INTO about VALUES ($1, $2) ON CONFLICT DO NOTHING", &[&key, &value])?;
                }
                all.commit()?;
                Ok(Tables::Server(client))
            }
        }
    }

    /// Replaces the lists of the queries that the records are of.
    fn put(&mut self, records: &[Record<'_>]) -> Result<(), StoreError> {
        let mut queries: Vec<&str> = records.iter().map(|r| r.query).collect();
        queries.sort_unstable();
        queries.dedup();
        match self {
            Tables::File(file) => {
                let all = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
                {
                    let mut delete = all.prepare("DELETE FROM ranking WHERE query = ?1")?;
                    for query in queries {
                        delete.execute([query])?;
                    }
                    let mut insert = all.prepare("INSERT INTO ranking VALUES (?1, ?2, ?3, ?4)")?;
                    for Record { query, document, rank, score } in records {
                        insert.execute(params![query, *rank as i64, document, f64::from(*score)])?;
                    }
                }
                all.commit()?;
            }
            Tables::Server(client) => {
                let mut all = client.transaction()?;
                // Two runs with the same queries go one after the other.
                all.batch_execute("LOCK TABLE ranking IN SHARE ROW EXCLUSIVE MODE")?;
                all.execute("DELETE FROM ranking WHERE query = ANY($1)", &[&queries])?;
                let copy = all.copy_in("COPY ranking FROM STDIN BINARY")?;
                let types = [Type::TEXT, Type::INT8, Type::TEXT, Type::FLOAT8];
                let mut copy = BinaryCopyInWriter::new(copy, &types);
                for Record { query, document, rank, score } in records {
                    copy.write(&[query, &(*rank as i64), document, &f64::from(*score)])?;
                }
                copy.finish()?;
                all.commit()?;
            }
        }
        Ok(())
    }
}

impl Store for RankingTable {
    fn store(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<String, AppError> {
        let records: Vec<Record<'_>> = records.collect();
        self.put(&self.database, false, &records)?;
        Ok(format!("{} in {}", show::count(records.len() as u64, "document"), self.database))
    }

    fn rehearse(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<Erased, AppError> {
        let records: Vec<Record<'_>> = records.collect();
        let (database, scratch) = self.database.beside()?;
        self.put(&database, true, &records)?;
        Ok(Erased::new(scratch))
    }
}
