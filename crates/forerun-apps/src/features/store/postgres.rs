//! PostgreSQL.

use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, Row, Transaction};

use super::{
    Batch, FORMAT, Found, Ids, Phrase, Store, StoreError, Stored, Totals, is_stored, number, page, pattern,
    places,
};
use crate::database;

/// Texts are compared byte by byte, as in the dictionary.
const TABLES: &str = r#"
CREATE {} TABLE IF NOT EXISTS about (key text PRIMARY KEY, value text NOT NULL);
CREATE {} TABLE IF NOT EXISTS field (number int8 PRIMARY KEY, name text NOT NULL);
CREATE {} TABLE IF NOT EXISTS file (
    id int8 PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, bytes int8, modified int8,
    documents int8 NOT NULL DEFAULT 0, skipped text);
CREATE {} TABLE IF NOT EXISTS document (
    file int8 NOT NULL, part int8 NOT NULL, id text NOT NULL, phrases int8 NOT NULL, left_out text,
    PRIMARY KEY (file, part));
CREATE {} TABLE IF NOT EXISTS phrase (
    phrase text COLLATE "C" PRIMARY KEY, frequency int8 NOT NULL, documents int8 NOT NULL);
CREATE {} TABLE IF NOT EXISTS occurrence (
    phrase text COLLATE "C" NOT NULL, file int8 NOT NULL, part int8 NOT NULL, frequency int8 NOT NULL,
    places text NOT NULL, PRIMARY KEY (phrase, file, part));"#;

/// Connects to a server.
pub(super) fn connect(config: &Config) -> Result<Box<dyn Store>, StoreError> {
    let mut client = database::postgres(config)?;
    client.batch_execute("SET search_path TO forerun_features; SET client_min_messages TO warning")?;
    Ok(Box::new(Postgres { client }))
}

struct Postgres {
    client: Client,
}

fn phrase(row: &Row) -> Phrase {
    Phrase { phrase: row.get(0), frequency: row.get(1), documents: row.get(2) }
}

impl Postgres {
    fn phrases(&mut self, sql: &str, of: &[&(dyn ToSql + Sync)]) -> Result<Vec<Phrase>, StoreError> {
        Ok(self.client.query(sql, of)?.iter().map(phrase).collect())
    }
}

/// Takes out all that came of these files.
fn take_out(all: &mut Transaction<'_>, files: &[i64]) -> Result<(), StoreError> {
    all.execute(
        "UPDATE phrase SET frequency = phrase.frequency - g.frequency, documents = phrase.documents - g.documents
         FROM (SELECT phrase, sum(frequency)::int8 AS frequency, count(*) AS documents
               FROM occurrence WHERE file = ANY($1) GROUP BY phrase) AS g
         WHERE phrase.phrase = g.phrase",
        &[&files],
    )?;
    all.execute("DELETE FROM phrase WHERE documents = 0", &[])?;
    all.execute("DELETE FROM occurrence WHERE file = ANY($1)", &[&files])?;
    all.execute("DELETE FROM document WHERE file = ANY($1)", &[&files])?;
    Ok(())
}

impl Store for Postgres {
    fn about(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        let there = self.client.query_one("SELECT to_regclass('forerun_features.about') IS NOT NULL", &[])?;
        if !there.get::<_, bool>(0) {
            return Ok(None);
        }
        let row = self.client.query_opt("SELECT value FROM about WHERE key = $1", &[&key])?;
        Ok(row.map(|row| row.get(0)))
    }

    fn create(
        &mut self,
        about: &[(&str, &str)],
        fields: &[String],
        temporary: bool,
    ) -> Result<(), StoreError> {
        let tables = TABLES.replace("{}", if temporary { "TEMP" } else { "" });
        let mut all = self.client.transaction()?;
        if temporary {
            all.batch_execute("SET search_path TO pg_temp")?;
        } else {
            // Two that make the schema at once would be in each other's way; the number is any.
            all.batch_execute(
                "SELECT pg_advisory_xact_lock(7166113); CREATE SCHEMA IF NOT EXISTS forerun_features",
            )?;
        }
        all.batch_execute(&tables)?;
        for (key, value) in [("format", FORMAT)].iter().chain(about) {
            all.execute("INSERT INTO about VALUES ($1, $2) ON CONFLICT DO NOTHING", &[key, value])?;
        }
        for (n, name) in fields.iter().enumerate() {
            all.execute("INSERT INTO field VALUES ($1, $2) ON CONFLICT DO NOTHING", &[&(n as i64), name])?;
        }
        Ok(all.commit()?)
    }

    fn files(&mut self) -> Result<Vec<Stored>, StoreError> {
        let sql = "SELECT id, name, bytes, modified, skipped IS NOT NULL FROM file";
        let stored = |row: &Row| Stored {
            id: row.get(0),
            name: row.get(1),
            read: row.get::<_, Option<i64>>(2).zip(row.get(3)),
            skipped: row.get(4),
        };
        Ok(self.client.query(sql, &[])?.iter().map(stored).collect())
    }

    fn register(&mut self, names: &[&str]) -> Result<(), StoreError> {
        let mut all = self.client.transaction()?;
        all.batch_execute("LOCK TABLE file IN EXCLUSIVE MODE")?;
        all.execute(
            "INSERT INTO file (id, name)
             SELECT (SELECT coalesce(max(id), 0) FROM file WHERE id < $2) + row_number() OVER (ORDER BY n.at), n.name
             FROM unnest($1::text[]) WITH ORDINALITY AS n (name, at)
             WHERE NOT EXISTS (SELECT FROM file WHERE file.name = n.name)",
            &[&names, &page::FIRST],
        )?;
        Ok(all.commit()?)
    }

    fn forget(&mut self, files: &[i64]) -> Result<(), StoreError> {
        let mut all = self.client.transaction()?;
        take_out(&mut all, files)?;
        all.execute(
            "UPDATE file SET bytes = NULL, modified = NULL, documents = 0, skipped = NULL WHERE id = ANY($1)",
            &[&files],
        )?;
        Ok(all.commit()?)
    }

    fn remove(&mut self, files: &[i64]) -> Result<(), StoreError> {
        let mut all = self.client.transaction()?;
        take_out(&mut all, files)?;
        all.execute("DELETE FROM file WHERE id = ANY($1)", &[&files])?;
        Ok(all.commit()?)
    }

    fn enrol(&mut self, pages: &[(i64, String)]) -> Result<(), StoreError> {
        let (ids, names): (Vec<i64>, Vec<&str>) = pages.iter().map(|(id, name)| (*id, name.as_str())).unzip();
        let mut all = self.client.transaction()?;
        let of = "unnest($1::int8[], $2::text[]) AS n (id, name)";
        let insert = format!(
            "INSERT INTO file (id, name) SELECT n.id, n.name FROM {of} ORDER BY n.id ON CONFLICT DO NOTHING"
        );
        all.execute(&insert, &[&ids, &names])?;
        let look = format!(
            "SELECT n.name FROM {of} WHERE NOT EXISTS
                            (SELECT FROM file WHERE file.id = n.id AND file.name = n.name) LIMIT 1"
        );
        if let Some(row) = all.query_opt(&look, &[&ids, &names])? {
            return Err(StoreError::same_identifier(row.get(0)));
        }
        Ok(all.commit()?)
    }

    fn put(&mut self, batch: &Batch, ids: &Ids) -> Result<(), StoreError> {
        let files = batch.files.iter().map(|f| ids.of(f.file)).collect::<Result<Vec<_>, _>>()?;
        let mut all = self.client.transaction()?;
        // Rows are locked in order, so that two connections do not wait for each other.
        let rows =
            all.query("SELECT bytes FROM file WHERE id = ANY($1) ORDER BY id FOR UPDATE", &[&files])?;
        let done = rows.iter().filter(|row| row.get::<_, Option<i64>>(0).is_some()).count();
        if !files.is_empty() && is_stored(done as u64, files.len())? {
            return Ok(());
        }
        const INT: Type = Type::INT8;
        const TEXT: Type = Type::TEXT;
        let copy = all.copy_in("COPY document FROM STDIN BINARY")?;
        let mut copy = BinaryCopyInWriter::new(copy, &[INT, INT, TEXT, INT, TEXT]);
        for d in &batch.documents {
            let (file, part) = (ids.of(d.number.file)?, number(d.number.part));
            copy.write(&[&file, &part, &d.id, &number(d.phrases), &d.left_out])?;
        }
        copy.finish()?;
        let copy = all.copy_in("COPY occurrence FROM STDIN BINARY")?;
        let mut copy = BinaryCopyInWriter::new(copy, &[TEXT, INT, INT, INT, TEXT]);
        let (mut keys, mut often, mut among, mut list) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (key, postings) in batch.dictionary.iter() {
            keys.push(key);
            often.push(number(postings.frequency()));
            among.push(number(postings.documents()));
            let mut documents = postings.iter();
            while let Some(d) = documents.next_into(&mut list) {
                let (file, part, often) = (ids.of(d.file)?, number(d.part), list.len() as i64);
                copy.write(&[&key, &file, &part, &often, &places(&list)])?;
            }
        }
        copy.finish()?;
        all.execute(
            "INSERT INTO phrase AS p SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
             ON CONFLICT (phrase) DO UPDATE SET
             frequency = p.frequency + excluded.frequency, documents = p.documents + excluded.documents",
            &[&keys, &often, &among],
        )?;
        let column =
            |of: fn(&super::super::FileRecord) -> i64| batch.files.iter().map(of).collect::<Vec<_>>();
        let skipped: Vec<Option<&str>> = batch.files.iter().map(|f| f.skipped.as_deref()).collect();
        all.execute(
            "UPDATE file SET bytes = n.bytes, modified = n.modified, documents = n.documents, skipped = n.skipped
             FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[])
                  AS n (id, bytes, modified, documents, skipped)
             WHERE file.id = n.id",
            &[
                &files,
                &column(|f| number(f.bytes)),
                &column(|f| f.modified),
                &column(|f| number(f.documents)),
                &skipped,
            ],
        )?;
        Ok(all.commit()?)
    }

    fn fields(&mut self) -> Result<Vec<String>, StoreError> {
        let rows = self.client.query("SELECT name FROM field ORDER BY number", &[])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn top(&mut self, limit: i64) -> Result<Vec<Phrase>, StoreError> {
        self.phrases("SELECT * FROM phrase ORDER BY frequency DESC, phrase LIMIT $1", &[&limit])
    }

    fn phrase(&mut self, phrase: &str) -> Result<Option<Phrase>, StoreError> {
        Ok(self.phrases("SELECT * FROM phrase WHERE phrase = $1", &[&phrase])?.pop())
    }

    fn containing(&mut self, words: &str, limit: i64) -> Result<Vec<Phrase>, StoreError> {
        self.phrases(
            r"SELECT * FROM phrase WHERE ' ' || phrase || ' ' LIKE $1 ESCAPE '\' AND phrase <> $2
              ORDER BY frequency DESC, phrase LIMIT $3",
            &[&pattern(words), &words, &limit],
        )
    }

    fn occurrences(&mut self, phrase: &str, limit: i64) -> Result<Vec<Found>, StoreError> {
        let rows = self.client.query(
            "SELECT f.name, d.id, o.frequency, o.places FROM occurrence o
             JOIN file f ON f.id = o.file JOIN document d ON d.file = o.file AND d.part = o.part
             WHERE o.phrase = $1 ORDER BY o.frequency DESC, o.file, o.part LIMIT $2",
            &[&phrase, &limit],
        )?;
        let found =
            |row: &Row| Found { file: row.get(0), id: row.get(1), frequency: row.get(2), places: row.get(3) };
        Ok(rows.iter().map(found).collect())
    }

    fn totals(&mut self) -> Result<Totals, StoreError> {
        let row = self.client.query_one(
            "SELECT (SELECT count(*) FROM file WHERE bytes IS NOT NULL AND skipped IS NULL),
             (SELECT count(*) FROM file WHERE skipped IS NOT NULL),
             (SELECT count(*) FROM document), (SELECT count(*) FROM phrase)",
            &[],
        )?;
        Ok(Totals { files: row.get(0), skipped: row.get(1), documents: row.get(2), phrases: row.get(3) })
    }
}
