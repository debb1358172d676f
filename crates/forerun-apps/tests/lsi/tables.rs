//! Ranked lists in databases.

use std::time::Duration;

use forerun_apps::Database;
use forerun_apps::lsi::{RankingTable, Record, Store as _};
use forerun_skeleton::Cancel;
use rusqlite::Connection;

use super::server::Server;

type Row = (String, i64, String, f64);

const SELECT: &str = "SELECT query, rank, document, cosine FROM ranking ORDER BY query, rank";

fn rows(file: &std::path::Path) -> Vec<Row> {
    let file = Connection::open(file).unwrap();
    let mut select = file.prepare(SELECT).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    select.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

fn server_rows(client: &mut postgres::Client) -> Vec<Row> {
    let select = SELECT.replace("ranking", "forerun_lsi.ranking");
    let rows = client.query(&select, &[]).unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect()
}

/// Stores lists of these queries with so many documents each.
fn store(table: &RankingTable, queries: &[&str], documents: usize) -> String {
    let names: Vec<String> = (0..documents).map(|n| format!("d{n}")).collect();
    let record = |query, (n, document): (usize, &'static str)| Record {
        query,
        document,
        rank: n + 1,
        score: 1.0 / (n + 1) as f32,
    };
    let names: Vec<&'static str> = names.into_iter().map(|n| &*n.leak()).collect();
    let mut records =
        queries.iter().flat_map(|query| names.iter().copied().enumerate().map(move |of| record(*query, of)));
    let said = table.store(&mut records).unwrap();
    let mut again = [record("rehearsed", (0, "d"))].into_iter();
    drop(table.rehearse(&mut again).unwrap());
    said
}

fn open(database: &str) -> RankingTable {
    let database: Database = database.parse().unwrap();
    RankingTable::open(database, Duration::from_secs(20), &Cancel::new()).unwrap()
}

/// What is left after lists of `a` and `b` with three documents, and then of `b` with two.
fn expected() -> Vec<Row> {
    let row = |query: &str, n: usize| {
        (query.into(), n as i64 + 1, format!("d{n}"), f64::from(1.0 / (n + 1) as f32))
    };
    vec![row("a", 0), row("a", 1), row("a", 2), row("b", 0), row("b", 1)]
}

#[test]
fn a_run_replaces_the_lists_of_its_queries_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("l.db");
    let table = open(file.to_str().unwrap());
    assert!(store(&table, &["a", "b"], 3).starts_with("6 documents in"));
    store(&table, &["b"], 2);
    assert_eq!(rows(&file), expected());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");

    let other = dir.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE about (key, value)").unwrap();
    let refused = RankingTable::open(Database::Sqlite(other), Duration::ZERO, &Cancel::new());
    assert!(refused.unwrap_err().to_string().contains("not of ranked lists"));
}

#[test]
fn a_server_has_the_same_lists_and_may_go_away() {
    let Some(server) = Server::start() else { return };
    let address = server.database("lists");
    let table = open(&address);
    store(&table, &["a", "b"], 3);
    server.down();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            server.up();
        });
        store(&table, &["b"], 2);
    });
    assert_eq!(server_rows(&mut server.client("lists")), expected());
    server.down();
    let gone = address.parse().unwrap();
    let refused = RankingTable::open(gone, Duration::ZERO, &Cancel::new()).unwrap_err().to_string();
    assert!(refused.contains("the PostgreSQL database"), "{refused}");
}
