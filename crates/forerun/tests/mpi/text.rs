//! Features of documents and lists for queries: what one host gives, whatever the number of ranks.

use std::fs;
use std::path::Path;

use crate::server::Server;
use crate::util::Place;
use crate::{assert_refused, can_run};

/// Pages that differ, a collection and a file that is no text.
fn documents(place: &Place) {
    for n in 10..40 {
        let text = format!("<h1>A parallel program</h1><p>The fast network is down on day {n}.</p>");
        place.write(format!("docs/{n}.html"), text.repeat(n % 5 + 1));
    }
    place.write("docs/broken.txt", [1u8; 500]);
}

fn words(line: &str) -> Vec<String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger");
    let words = line.split_whitespace().map(str::to_owned);
    words.chain(["--model".into(), model.to_str().unwrap().into()]).collect()
}

/// All that a database answers.
fn all(place: &Place, db: &str) -> [serde_json::Value; 2] {
    let ask = |what: &str| place.run(&format!("features {what} -n 100000 --json -")).ok().json();
    [ask(&format!("top {db}")), ask(&format!("search {db} parallel program"))]
}

#[test]
fn features_are_the_same_on_any_number_of_ranks() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    documents(&place);
    place.say(words("run features docs --db one.db -p 1 --profile profile.toml")).ok();
    let expected = all(&place, "one.db");
    assert!(expected[1].to_string().contains("39.html"), "{}", expected[1]);
    let with = "--profile profile.toml --grain 500B";
    for how in [
        format!("-p 1 {with}"),
        format!("-p 2 --strategy parallel-pipeline {with}"),
        format!("-p 3 --strategy reduction-tree {with}"),
        format!("-p 3 --strategy adaptive {with}"),
        format!("-p 5 --strategy master-slave {with}"),
        // With a pilot, of which nothing is left.
        "-p 2 --strategy adaptive --repeat 2".to_owned(),
    ] {
        let said = place.say(words(&format!("run features docs --db many.db --on mpi {how}"))).ok();
        let told = said.text() + &said.err;
        for part in ["of 30 documents in many.db", "passed over 1 file"] {
            assert!(told.contains(part), "{how}: {part:?} is not in: {told}");
        }
        assert_eq!(all(&place, "many.db"), expected, "{how}");
        // Nothing but the file that was passed over is read again.
        let said = place.say(words("run features docs --db many.db --on mpi -p 2")).ok();
        let told = said.text() + &said.err;
        assert!(told.contains("1 file, 500 B; 30 files in the database already"), "{told}");
        assert_eq!(all(&place, "many.db"), expected, "{how}");
        fs::remove_file(place.path("many.db")).unwrap();
    }
    place.assert_clean();
    let Some(server) = Server::start() else { return };
    for how in ["-p 5 --strategy adaptive", "-p 4 --strategy parallel-pipeline --groups 2"] {
        let name = if how.contains("-p 5") { "one_group" } else { "two_groups" };
        let db = server.database(name);
        place.say(words(&format!("run features docs --db {db} --on mpi {how} {with}"))).ok();
        assert_eq!(all(&place, &db), expected, "{how}");
    }
}

#[test]
fn a_site_is_extracted_while_it_is_crawled() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    for n in 0..60 {
        let links: String =
            [2 * n + 1, 2 * n + 2].map(|to| format!("<a href='{to}.html'>next</a> ")).concat();
        let text = format!("<p>A parallel program waits for {n} fast networks.</p>").repeat(10);
        place.write(format!("site/{n}.html"), format!("<html><h1>Page {n}</h1>{text}{links}</html>"));
    }
    let Some(nginx) = crate::nginx::nginx(&place.path("site")) else { return };
    let run = |db: &str, more: &str| {
        let url = format!("http://127.0.0.1:{}/0.html", nginx.port);
        let line = format!("run features {url} --db {db} --allow-private --delay=10ms {more}");
        place.say(words(&line))
    };
    run("one.db", "-p 1 --strategy adaptive").ok();
    let expected = all(&place, "one.db");
    for how in [
        "-p 1 --strategy adaptive",
        "-p 3 --strategy master-slave",
        "-p 4 --strategy parallel-pipeline --grain 2kB",
        // With a pilot, of pages that the run has again.
        "-p 2 --json out.json",
    ] {
        let said = run("many.db", &format!("--on mpi {how}")).ok();
        let told = said.text() + &said.err;
        for part in ["so far, and more to come", "the crawl kept 60 pages", "of 60 documents"] {
            assert!(told.contains(part), "{how}: {part:?} is not in: {told}");
        }
        assert_eq!(all(&place, "many.db"), expected, "{how}");
        fs::remove_file(place.path("many.db")).unwrap();
        fs::remove_dir_all(place.path("many.db.crawl")).unwrap();
    }
    let outcome = serde_json::from_slice::<serde_json::Value>(&place.read("out.json")).unwrap();
    assert!(outcome[0]["predicted_throughput"]["tasks_per_s"].as_f64().unwrap() > 0.0, "{outcome}");
    // Ctrl-C ends the crawl, and what was taken is stored; the same command again goes on.
    let line = format!("run features http://127.0.0.1:{}/0.html --db many.db --allow-private", nginx.port);
    let line = format!("{line} --delay=40ms --on mpi -p 2 --strategy adaptive");
    let mut running = place.start(words(&line));
    let journal = place.path("many.db.crawl/journal.jsonl");
    running.wait_for("pages have come", || {
        fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() > 15)
    });
    running.signal(rustix::process::Signal::INT);
    let said = running.end().ok();
    assert!(said.err.contains("no more inputs are taken"), "{}", said.err);
    assert!(!said.text().contains("of 60 documents"), "{}", said.text());
    run("many.db", "--on mpi -p 2 --strategy adaptive").ok();
    assert_eq!(all(&place, "many.db"), expected);
    // Ranks that end before their time end the crawl too.
    let ends = "#!/bin/sh\n[ \"$1\" != --version ] || exec mpirun --version\nexit 3\n";
    let launcher = place.script("launcher", ends);
    let said = run("f.db", &format!("--on mpi -p 2 --strategy adaptive --mpirun {}", launcher.display()));
    assert_refused(&said, 1, "launcher");
    place.assert_clean();
}

#[test]
fn a_document_that_a_rank_does_not_have_ends_the_run() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    documents(&place);
    // There for the launching process and not for the ranks; the first and the last are seen before anything begins. Each has a
    // database of its own: what was stored before the end is not done again.
    for (missing, status, what) in [("25", 1, "(docs/25.html) failed on rank"), ("10", 2, "(on rank ")] {
        let launcher = place.script(
            "launcher",
            &format!(
                "#!/bin/sh\n[ \"$1\" = --version ] || rm -f {}\nexec mpirun \"$@\"\n",
                place.path(format!("docs/{missing}.html")).display()
            ),
        );
        let line = format!(
            "run features docs --db {missing}.db --on mpi -p 3 --profile profile.toml --grain 1B --mpirun {}",
            launcher.display()
        );
        let said = place.say(words(&line));
        assert_refused(&said, status, what);
        assert!(said.err.contains(&format!("docs/{missing}.html is not on this host")), "{}", said.err);
    }
    place.write("none/a.css", "a { color: red }");
    assert_refused(&place.say(words("run features none --db n.db --on mpi -p 2")), 2, "no document");
}

#[test]
fn lists_are_the_same_on_any_number_of_ranks() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    let subjects = ["wing lift drag flow", "heat slab plate wall", "lens cornea retina vision"];
    let texts: String =
        (1..=600).map(|i| format!(".I {i}\n.W\n{} {}\n", subjects[i % 3], subjects[i * 7 % 3])).collect();
    place.write("all", texts);
    place.write(
        "queries",
        (1..=300).map(|i| format!(".I {i}\n.W\n{}\n", subjects[i % 3])).collect::<String>(),
    );
    place.run("lsi build all -o lsi -k 2").ok();
    let run = "run lsi lsi queries --top 7 --profile profile.toml --grain 2kB";
    place.run(&format!("{run} -p 1 -o one.run")).ok();
    assert_eq!(place.text("one.run").lines().count(), 2100);
    for how in [
        "-p 1",
        "-p 2 --strategy parallel-pipeline",
        "-p 4 --strategy reduction-tree --groups 2",
        "-p 3 --strategy adaptive",
        "-p 5 --strategy master-slave",
    ] {
        place.run(&format!("{run} --on mpi {how} -o many.run")).ok();
        assert!(place.read("many.run") == place.read("one.run"), "{how}");
        fs::remove_file(place.path("many.run")).unwrap();
    }
    let said = place.run("run lsi lsi queries --top 7 --on mpi -p 2 --db lists.db").ok();
    assert!((said.text() + &said.err).contains("2100 documents in lists.db"), "{}", said.err);
    assert_refused(&place.run("run lsi lsi queries --on mpi -p 2"), 2, "-o FILE");
    place.write("empty", "");
    assert_refused(&place.run("run lsi lsi empty --on mpi -p 2 -o x"), 2, "no queries");
    place.assert_clean();
}
