//! What is in a database, row by row.

use std::fmt::Write as _;
use std::path::Path;

/// Each table's rows, in an order of their own.
const TABLES: [&str; 6] = [
    "SELECT key || '=' || value FROM about ORDER BY 1",
    "SELECT number || '|' || name FROM field ORDER BY number",
    "SELECT id || '|' || name || '|' || coalesce(bytes, -1) || '|' || coalesce(modified, -1) || '|' || documents || '|' || coalesce(skipped, '-') FROM file ORDER BY id",
    "SELECT file || '|' || part || '|' || id || '|' || phrases || '|' || coalesce(left_out, '-') FROM document ORDER BY file, part",
    "SELECT phrase || '|' || frequency || '|' || documents FROM phrase ORDER BY phrase",
    "SELECT phrase || '|' || file || '|' || part || '|' || frequency || '|' || places FROM occurrence ORDER BY phrase, file, part",
];

/// All tables of a file of SQLite.
pub(crate) fn of_sqlite(file: &Path) -> String {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut all = String::new();
    for sql in TABLES {
        let mut select = connection.prepare(sql).unwrap();
        for row in select.query_map([], |row| row.get::<_, String>(0)).unwrap() {
            writeln!(all, "{}", row.unwrap()).unwrap();
        }
        all.push('\n');
    }
    all
}

/// How many files a file of SQLite has the results of.
pub(crate) fn files_done(file: &Path) -> i64 {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.query_row("SELECT count(bytes) FROM file", [], |row| row.get(0)).unwrap()
}

/// All tables of a database of PostgreSQL.
pub(crate) fn of_postgres(client: &mut postgres::Client) -> String {
    client.batch_execute("SET search_path TO forerun_features").unwrap();
    let mut all = String::new();
    for sql in TABLES {
        for row in client.query(sql, &[]).unwrap() {
            writeln!(all, "{}", row.get::<_, String>(0)).unwrap();
        }
        all.push('\n');
    }
    all
}
