//! `run features`, and what can be asked of its database.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::skipped::skipped;
use crate::util::{Place, as_nobody, finish};

/// The model that is shipped with the repository.
fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger")
}

/// So many pages.
fn pages(place: &Place, pages: usize) {
    for n in 0..pages {
        let text =
            format!("<h1>A parallel program</h1><p>The fast network is down on day {n}.</p>").repeat(20);
        place.write(format!("docs/{n}.html"), text);
    }
}

fn words<'w>(line: &'w str, model: &'w str) -> Vec<&'w str> {
    line.split(' ').chain(["--model", model]).collect()
}

/// A run that read nothing has no result; one that has something in the database has.
#[test]
fn where_all_files_are_passed_over_the_run_failed() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    place.write("docs/a.txt", [1u8; 500]);
    for _ in 0..2 {
        let said = place.say(words("run features docs --db f.db -p 1", model));
        said.refused(1, &["the one file was passed over", "a.txt"]);
    }
    place.write("docs/b.txt", [1u8; 500]);
    place.say(words("run features docs --db f.db -p 2", model)).refused(1, &["all 2 files were passed over"]);
    pages(&place, 1);
    for _ in 0..2 {
        place.say(words("run features docs --db f.db -p 1", model)).ok();
    }
    place.assert_clean();
}

#[test]
fn documents_are_extracted_and_asked() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    pages(&place, 12);
    place.write("docs/broken.txt", [1u8; 500]);
    let said = place.say(words("run features docs --db sqlite:f.db -p 2", model)).ok().text();
    for part in ["13 files", "predicted", "measured", "of 12 documents in f.db", "passed over 1 file"] {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    let said = place.run("features search f.db Parallel program").ok().text();
    assert!(said.contains("parallel program: 240 times in 12 documents"), "{said}");
    assert!(said.contains("0.html: heading 6,") && said.contains("15 more"), "{said}");
    for asked in ["the Parallel program", "A  parallel PROGRAM's", "these parallel the program"] {
        let also = place.run(&format!("features search f.db {asked}")).ok().text();
        assert_eq!(also, said, "{asked}");
    }
    let said = place.run("features search f.db the moon").ok().text();
    assert!(said.contains("the moon: not there"), "{said}");
    let top = place.run("features top f.db -n 2 --json -").ok().json();
    assert_eq!(top[0]["frequency"], 240, "{top}");
    assert_eq!(top.as_array().unwrap().len(), 2);
    let found = place.run("features search f.db network --json -").ok().json();
    assert!(found["phrase"].is_null() && found["containing"][0]["documents"] == 12, "{found}");

    // Nothing but the file that was passed over is read again.
    let said = place.say(words("run features docs --db f.db -p 1", model)).ok().text();
    assert!(said.contains("1 file, 500 B; 12 files in the database already"), "{said}");
    place.assert_clean();
}

#[test]
fn a_phrase_without_a_word_is_none() {
    let (place, model) = (Place::new(), model());
    pages(&place, 1);
    place.say(words("run features docs --db f.db", model.to_str().unwrap())).ok();
    for phrase in ["", "  ", "\t\n"] {
        place.say(["features", "search", "f.db", phrase]).refused(2, &["the phrase is empty"]);
    }
    place.run("features search f.db the").ok();
}

/// Who may not write a database may ask it; who is to write it is told so before anything is measured.
#[test]
fn a_database_that_may_not_be_written() {
    let (place, model) = (Place::new(), model());
    // Others have no way to the repository.
    fs::copy(model, place.path("model")).unwrap();
    fs::set_permissions(place.path("model"), fs::Permissions::from_mode(0o644)).unwrap();
    pages(&place, 3);
    fs::set_permissions(place.path("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
    // A name that a URI has to quote.
    let name = "locked/a b?%41#c.db";
    fs::create_dir(place.path("locked")).unwrap();
    place.say(["run", "features", "docs", "--db", name, "--model", "model"]).ok();
    let mode = |bits| fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(bits)).unwrap();
    for bits in [0o444, 0o644] {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(bits)).unwrap();
        mode(0o555);
        let as_nobody = |words: &[&str]| as_nobody(&place, words).map(finish);
        let Some(said) = as_nobody(&["features", "search", name, "parallel program"]) else {
            skipped("the command cannot be run as another user here");
            mode(0o755);
            return;
        };
        let said = said.ok().text();
        assert!(said.contains("parallel program: 60 times in 3 documents"), "{said}");
        let top = as_nobody(&["features", "top", name]).unwrap().ok().text();
        assert!(top.contains("of 3 documents"), "{top}");
        for db in [name, "locked/new.db"] {
            for command in ["run", "plan"] {
                let said = as_nobody(&[command, "features", "docs", "--db", db, "--model", "model"]).unwrap();
                let said = said.refused(2, &["locked", "cannot be written", "ermission denied"]);
                assert!(!said.err.contains("pilot"), "{}", said.err);
            }
        }
        mode(0o755);
    }
    place.run("run features docs --db locked --model model").refused(2, &["locked is a directory"]);
    place.run("features top locked").refused(2, &["locked", "is a directory"]);
    place.assert_clean();
}

#[test]
fn a_job_file_finds_its_database_beside_it() {
    let (place, model) = (Place::new(), model());
    pages(&place, 3);
    let text = format!(
        "format = 1\napplication = \"features\"\ninput = \"../docs\"\ndb = \"sqlite:f.db\"\nmodel = \"{}\"\n",
        model.display()
    );
    place.write("jobs/job.toml", text);
    place.run("plan jobs/job.toml").ok();
    assert!(!place.path("jobs/f.db").exists(), "planning writes nothing");
    place.run("predict jobs/job.toml -p 1,2").ok();
    place.run("run jobs/job.toml").ok();
    assert!(place.path("jobs/f.db").exists());
    place.assert_clean();
}

#[test]
fn a_run_that_is_killed_goes_on() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    pages(&place, 300);
    place.profile();
    let line = |db: &str| format!("run features docs --profile profile.toml --grain 1kB -p 2 --db {db}");
    place.say(words(&line("whole.db"), model)).ok();
    let killed = line("killed.db");
    let mut running = place.start(words(&killed, model));
    let log = place.path("killed.db-wal");
    running.wait_for("something is stored", || std::fs::metadata(&log).is_ok_and(|m| m.len() > 200_000));
    running.signal(Signal::KILL);
    running.end();
    let said = place.say(words(&killed, model)).ok().text();
    assert!(said.contains("in the database already"), "{said}");
    let all =
        |db: &str| place.run(&format!("features search {db} parallel program -n 1000 --json -")).ok().json();
    assert_eq!(all("killed.db"), all("whole.db"));
    let all = |db: &str| place.run(&format!("features top {db} -n 1000 --json -")).ok().json();
    assert_eq!(all("killed.db"), all("whole.db"));
}

#[test]
fn an_empty_directory_is_taken_out_only_where_it_may_be_empty() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    pages(&place, 3);
    place.say(words("run features docs --db f.db", model)).ok();
    (0..3).for_each(|n| std::fs::remove_file(place.path(format!("docs/{n}.html"))).unwrap());
    for command in ["run", "plan", "predict"] {
        let line = format!("{command} features docs --db f.db");
        place
            .say(words(&line, model))
            .refused(2, &["no document in docs any more", "3 files", "--allow-empty"]);
    }
    let top = || place.run("features top f.db --json -").ok().json().as_array().unwrap().len();
    assert!(top() > 0);
    let said = place.say(words("run features docs --db f.db --allow-empty", model)).ok().text();
    assert!(said.contains("took 3 files out of the database") && said.contains("of 0 documents"), "{said}");
    assert_eq!(top(), 0);
    place.assert_clean();
}

#[test]
fn links_to_directories_are_said_and_followed_where_that_is_asked_for() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    pages(&place, 2);
    place.write("more/a.html", "<p>A green valley.");
    std::os::unix::fs::symlink("../more", place.path("docs/more")).unwrap();
    let said = place.say(words("run features docs --db f.db", model)).ok().text();
    assert!(said.contains("skipped 1 link to a directory") && said.contains("--follow-links"), "{said}");
    assert!(said.contains("of 2 documents"), "{said}");
    let said = place.say(words("run features docs --db f.db --follow-links", model)).ok().text();
    assert!(said.contains("of 3 documents") && !said.contains("skipped"), "{said}");
    // Where the link is not followed, what came from behind it is there still.
    let said = place.say(words("run features docs --db f.db", model)).ok().text();
    assert!(said.contains("of 3 documents") && !said.contains("took"), "{said}");
}

#[test]
fn what_cannot_be_is_refused() {
    let (place, model) = (Place::new(), model());
    let model = model.to_str().unwrap();
    pages(&place, 1);
    let refused = |line: &str, words_: &[&str]| drop(place.say(words(line, model)).refused(2, words_));
    refused("run features docs --db mysql://x", &["--db", "expected sqlite:FILE"]);
    refused("run features none --db f.db", &["none"]);
    refused("run features docs --db f.db --groups 2 -p 2", &["--groups 2", "one group"]);
    refused("run features docs --db f.db --skeleton scatter-gather", &["reduction"]);
    refused("run features docs --db none/f.db", &["none/f.db"]);
    refused("run features docs --db postgres://127.0.0.1:1/x", &["the PostgreSQL database x on 127.0.0.1"]);
    refused("run features docs --db f.db --include *.none", &["there is no document"]);
    place.say(words("run features docs --db f.db", "none.frtagger")).refused(2, &["none.frtagger"]);
    place.run("features top none.db").refused(2, &["none.db", "run features"]);
    place.say(words("tagger eval none", model)).refused(2, &["none"]);
    place.run("tagger train none -o x").refused(2, &["none"]);
    assert!(!place.path("f.db").exists());
}

#[test]
fn a_tagger_is_trained_and_judged() {
    let (place, shipped) = (Place::new(), model());
    for n in 0..10 {
        let sentence = format!("the/at old/jj machine/nn runs/vbz {n}/cd programs/nns ./.\n");
        place.write(format!("corpus/ca{n:02}"), sentence.repeat(30));
    }
    let said = place.run("tagger train corpus -o own.frtagger --json -").ok().json();
    assert_eq!(said["overall"], 1.0, "{said}");
    assert_eq!(place.run("tagger eval corpus --model own.frtagger --json -").ok().json(), said);
    let shipped = place
        .say(["tagger", "eval", "corpus", "--model", shipped.to_str().unwrap(), "--json", "-"])
        .ok()
        .json();
    assert_eq!(shipped["known"]["words"], 210, "{shipped}");
    pages(&place, 1);
    place.run("run features docs --db f.db --model own.frtagger").ok();
    place.say(words("run features docs --db f.db", model().to_str().unwrap())).refused(2, &["another model"]);
    // Brill's own files.
    place.write("brill/LEXICON", "the DT\nold JJ\nmachine NN\nruns VBZ\n");
    place.write("brill/LEXICALRULEFILE", "NN s fhassuf 1 NNS x\n");
    place.run("run features docs --db b.db --model brill").refused(2, &["CONTEXTUALRULEFILE"]);
    place.write("brill/CONTEXTUALRULEFILE", "");
    place.run("run features docs --db b.db --model brill").ok();
    let said = place.run("tagger eval corpus --model brill").ok().text();
    assert!(said.contains("have a tag that the model does not know"), "{said}");
    assert!(
        place.run("tagger eval corpus --model brill --json -").ok().json()["foreign"].as_u64() >= Some(30)
    );
    let said = place.run("tagger eval corpus --model own.frtagger").ok().text();
    assert!(!said.contains("does not know"), "{said}");
    // Of fewer than ten files none is held out.
    std::fs::remove_file(place.path("corpus/ca09")).unwrap();
    let said = place.run("tagger train corpus -o few.frtagger").ok().text();
    assert!(said.contains("not known: of 9 files none is held out"), "{said}");
    assert!(place.run("tagger train corpus -o few.frtagger --json -").ok().json().is_null());
    place.run("tagger eval corpus --model few.frtagger").refused(2, &["9 files", "--all"]);
    place.run("tagger eval corpus --model few.frtagger --all").ok();
}
