//! Latent semantic indexing, from a collection to lists.

use crate::util::Place;

/// A collection of `count` documents about four subjects, two queries and the documents relevant to them.
fn collection(place: &Place, count: usize) {
    let subjects = [
        ["wing", "lift", "drag", "flow", "slipstream"],
        ["heat", "slab", "conduction", "plate", "wall"],
        ["lens", "cornea", "retina", "vision", "pupil"],
        ["tumor", "cell", "growth", "tissue", "marrow"],
    ];
    let mut documents = String::new();
    let mut relevant = String::new();
    for i in 1..=count {
        let words = subjects[i % 4];
        let text: Vec<&str> = (0..4).map(|j| words[(i / 4 + j) % 5]).collect();
        documents += &format!(".I {i}\n.T\nabout {}\n.W\n{}\n", text[0], text.join(" "));
        if i % 4 < 2 {
            relevant += &format!("{} 0 T-{i} 1\n", i % 4 + 1);
        }
    }
    place.write("tiny.all", documents.as_bytes());
    place.write("tiny.qry", b".I 1\n.W\nlift and drag of a wing\n.I 2\n.W\nheat in a wall\n");
    place.write("tiny.rel", relevant.as_bytes());
}

#[test]
fn a_collection_is_evaluated() {
    let place = Place::new();
    collection(&place, 80);
    let data =
        place.run("lsi eval --collection tiny . -k 4 --csv curve.csv --svg curve.svg --json -").ok().json();
    // Every subject is a dimension, so all of its documents are found before any other.
    assert_eq!((data["queries"].as_u64(), data["dimensions"].as_u64()), (Some(2), Some(4)));
    assert!(data["lsi"]["map"].as_f64().unwrap() > 0.999, "{data}");
    // Every document of a subject shares a word with its query, and no other does.
    assert!(data["plain"]["map"].as_f64().unwrap() > 0.999, "{data}");
    let csv = place.text("curve.csv");
    assert_eq!(csv.lines().count(), 12, "{csv}");
    assert!(place.text("curve.svg").starts_with("<svg"));
}

#[test]
fn a_small_collection_has_the_dimensions_that_there_are() {
    let place = Place::new();
    for (count, words) in [(5, ""), (80, " -k 5000")] {
        collection(&place, count);
        for line in ["lsi build tiny.all -o tiny.lsi", "lsi eval --collection tiny ."] {
            let said = place.run(&format!("{line}{words}")).ok().text();
            let asked = if words.is_empty() { 100 } else { 5000 };
            assert!(said.contains(&format!(", not {asked}: {count} documents of ")), "{said}");
        }
        place.run("lsi query tiny.lsi wing").ok();
    }
    place.write("tiny.rel", "1 0 T-3 0\n");
    place.run("lsi eval --collection tiny .").refused(2, &["tiny.rel", "no relevant document"]);
}

#[test]
fn queries_and_a_run_give_the_same_lists() {
    let place = Place::new();
    collection(&place, 400);
    place.run("lsi build tiny.all -o tiny.lsi -k 4").ok();
    let answers = place.run("lsi query tiny.lsi --file tiny.qry --top 5 --json -").ok().json();
    for strategy in ["adaptive", "reduction-tree", "master-slave", "parallel-pipeline"] {
        place.run(&format!("run lsi tiny.lsi tiny.qry --top 5 -p 2 --strategy {strategy} -o lists.run")).ok();
        let lists = place.text("lists.run");
        let lines: Vec<Vec<&str>> = lists.lines().map(|l| l.split(' ').collect()).collect();
        assert_eq!(lines.len(), 10, "{lists}");
        for (line, i) in lines.iter().zip(0..) {
            let document = &answers[i / 5]["documents"][i % 5]["document"];
            assert_eq!(Some(line[2]), document.as_str(), "{strategy}: {lists}");
        }
    }
    place.run("lsi query tiny.all wing").refused(2, &["tiny.all", "not a model"]);
    place.run("run lsi tiny.lsi none.qry").refused(2, &["none.qry"]);
    place.run("lsi build tiny.all -o x.lsi -k 0").refused(2, &["--dimensions", "at least 1"]);
}

#[test]
fn what_no_query_and_no_document_has_is_said() {
    let place = Place::new();
    collection(&place, 400);
    place.run("lsi build tiny.all -o tiny.lsi -k 4").ok();
    let said = place.run("run lsi tiny.lsi tiny.qry --top 5 -o lists.run").ok().text();
    assert!(!said.contains("no word"), "{said}");
    for (query, why) in [("zebra", "none of its words is in the model"), ("?!", "there is no word in it")] {
        let said = place.run(&format!("lsi query tiny.lsi {query}")).ok().text();
        assert!(said.contains(why), "{said}");
    }
    let mut queries = String::from(".I 7\n.W\nzebra\n.I 8\n.W\nheat\n");
    place.write("one.qry", &queries);
    let said = place.run("run lsi tiny.lsi one.qry --top 5 -o lists.run").ok().text();
    assert!(said.contains("1 query (7) has no word that the model knows"), "{said}");
    let lists = place.text("lists.run");
    assert!(
        lists.starts_with("7 Q0 ") && lists.contains(" 0.000000 ") && !lists.contains(" -0.000000"),
        "{lists}"
    );
    // Whatever the batch that a query is in.
    (9..600)
        .for_each(|n| queries += &format!(".I {n}\n.W\n{}\n", if n % 100 == 0 { "giraffe" } else { "lens" }));
    place.write("many.qry", &queries);
    let said = place.run("run lsi tiny.lsi many.qry --top 5 -o lists.run").ok().text();
    assert!(said.contains("6 queries (7, 100, 200, 300, 400, …) have no word"), "{said}");

    place.write("two.all", ".I 1\n.W\nred sails\n.I 2\n.W\nblue moons\n");
    place
        .run("lsi build two.all -o x.lsi")
        .refused(2, &["no term occurs in 2 or more of 2 documents", "--min-documents"]);
    place.write("one.all", ".I 1\n.W\nof the\n");
    let said = place
        .run("lsi build one.all -o x.lsi --min-documents 1")
        .refused(2, &["1 or more of 1 document: ", "--all-words"]);
    assert!(!said.err.contains("--min-documents"), "{}", said.err);
    place.write("one.all", ".I 1\n.W\nsails\n");
    let said = place.run("lsi build one.all -o x.lsi --min-documents 1").ok().text();
    assert!(said.contains("1 document × 1 term,"), "{said}");
}

#[test]
fn lists_go_into_a_database() {
    let place = Place::new();
    collection(&place, 400);
    place.run("lsi build tiny.all -o tiny.lsi -k 4").ok();
    place.run("run lsi tiny.lsi tiny.qry --top 5 -p 2 -o lists.run").ok();
    for _ in 0..2 {
        let said = place.run("run lsi tiny.lsi tiny.qry --top 5 -p 2 --db sqlite:l.db").ok().text();
        assert!(said.contains("10 documents in l.db"), "{said}");
    }
    place.run("run lsi tiny.lsi tiny.qry --db none/l.db").refused(2, &["none/l.db", "directory"]);
    place.run("run lsi tiny.lsi tiny.qry --db l.db -o x").refused(2, &["--out"]);
    place.write("other.db", "no database, but a text that is longer than the head of one".repeat(20));
    place.run("run lsi tiny.lsi tiny.qry --db other.db").refused(2, &["other.db"]);
    place.assert_clean();
}
