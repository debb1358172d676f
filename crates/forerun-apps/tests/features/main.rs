//! Features of documents, from files to tables: the same tables whatever the way and whatever happens.

mod server;
#[path = "../../../forerun-platform/tests/common/skipped.rs"]
mod skipped;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forerun_apps::features::{FeatureOptions, FeaturesJob, Fields, Query};
use forerun_apps::{Job as _, ReductionJob};
use forerun_platform::Strategy;
use forerun_skeleton::reduction::{
    Piece, Reduce as _, Reduction, Runner, Shape, Sink as _, Sinks as _, Source as _,
};
use forerun_skeleton::{Cancel, Message, Options, Program, Ran, RunError, threads};
use tempfile::TempDir;

use server::Server;

/// The model that is shipped with the repository.
fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/brown.frtagger")
}

/// Documents of several kinds, and files that are none.
fn documents() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    for n in 0..30 {
        write(
            &format!("page{n:02}.html"),
            format!(
                "<html><head><title>The old machine {n}</title></head><body><h1>A parallel program</h1>\
                 <p>The parallel program runs on a fast network, on page {n}. An old machine waits for the \
                 message of {} other processors.</p></body></html>",
                n % 7
            )
            .as_bytes(),
        );
    }
    let mut collection = String::from("<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n");
    for n in 0..20 {
        collection.push_str(&format!(
            "<REUTERS NEWID=\"{n}\"><TEXT><TITLE>COFFEE PRICES</TITLE><BODY>Coffee prices in the world market \
             rose {n} pct; the parallel program &lt;of&gt; the bank failed.&#3;</BODY></TEXT></REUTERS>\n"
        ));
    }
    write("news.sgm", collection.as_bytes());
    write("plain.txt", "The committee's report on the fast network: ein größerer Text.".as_bytes());
    write(
        "nul.txt",
        b"The old\0 machine is in the cold room, and the old machine stays there for a very long time.",
    );
    write("invalid.txt", b"A caf\xe9 in the old town, \xff\xfe and nothing else of note in this text.");
    write("binary.txt", &(0..4000u32).map(|n| (n * 7 % 32) as u8).collect::<Vec<_>>());
    write("empty.html", b"");
    write("large.txt", "the large file ".repeat(10_000).as_bytes());
    write("style.css", b"a { color: red }");
    dir
}

fn options(input: &Path, database: &str) -> FeatureOptions {
    FeatureOptions {
        input: vec![input.to_owned()],
        include: Vec::new(),
        follow_links: false,
        allow_empty: false,
        fields: Fields::default(),
        model: Some(model()),
        database: database.parse().unwrap(),
        largest: 100_000,
        patience: Duration::from_secs(20),
        cancel: Cancel::new(),
    }
}

struct OnThreads(usize);

impl<M: Message + Send, O: Send> Runner<M, O> for OnThreads {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        threads::run(program, &Options::new(self.0))
    }
}

/// Runs the job as the command does.
fn run(job: &FeaturesJob, strategy: Strategy, ranks: usize, grain: u64) -> String {
    let source = ReductionJob::cut(job, grain).unwrap();
    let (app, sinks) = (ReductionJob::app(job), ReductionJob::sinks(job));
    let shape = Shape::new(strategy, ranks);
    let ran = Reduction::new(app, &source, &sinks, shape).unwrap().run(OnThreads(ranks)).unwrap();
    ReductionJob::finish(job, ran.outs.into_iter().flatten().collect()).unwrap()
}

/// The tables that a run on one rank leaves.
fn undisturbed(input: &Path) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.db");
    run(&open(input, &file), Strategy::Adaptive, 1, 2000);
    tables::of_sqlite(&file)
}

fn open(input: &Path, file: &Path) -> FeaturesJob {
    FeaturesJob::open(options(input, file.to_str().unwrap())).unwrap()
}

#[test]
fn sets_that_come_soon_after_one_another_are_stored_together() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    let job = open(input.path(), &file);
    let source = ReductionJob::cut(&job, 1).unwrap();
    let app = ReductionJob::app(&job);
    let mut sink = ReductionJob::sinks(&job).open(0).unwrap();
    let done = || tables::files_done(&file);
    let mut give = |index: u64| {
        let value = app.task(index, source.get(index).unwrap().unwrap()).unwrap();
        sink.accept(Piece { value, first: index, results: 1 }).unwrap();
    };
    give(0);
    assert_eq!(done(), 1, "the first is there at once");
    let begun = Instant::now();
    (1..4).for_each(&mut give);
    let after = done();
    assert!(after == 1 || begun.elapsed() > Duration::from_millis(200), "{after} of 4");
    // After a while the next is stored at once, with those before it.
    std::thread::sleep(Duration::from_millis(300));
    give(4);
    assert_eq!(done(), 5);
    give(5);
    drop(sink.close().unwrap());
    assert_eq!(done(), 6);
}

#[test]
fn what_a_short_run_wrote_ahead_is_for_its_finish() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let job = open(input.path(), &dir.path().join("f.db"));
    assert!(job.stores_rows());
    let log = || {
        let scratch = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let logs = scratch.filter_map(|path| fs::metadata(path.join("rehearsal.db-wal")).ok());
        logs.map(|log| log.len()).sum::<u64>()
    };
    let source = ReductionJob::cut_known(&job, 1).unwrap();
    let value = ReductionJob::app(&job).task(0, source.get(0).unwrap().unwrap()).unwrap();
    let mut sink = ReductionJob::rehearsal_sinks(&job).open(0).unwrap();
    let made = log();
    assert!(made > 0, "also where nothing is delivered there is something to write back");
    sink.accept(Piece { value, first: 0, results: 1 }).unwrap();
    let left = sink.close().unwrap();
    assert!(log() > made, "a delivery writes ahead");
    let kept = ReductionJob::rehearse_finish(&job, vec![left]).unwrap();
    assert_eq!(log(), 0, "and the finish writes it back");
    drop(kept);
}

/// What a pilot does with a result.
fn rehearse(job: &FeaturesJob) {
    let source = ReductionJob::cut_known(job, 1).unwrap();
    let (app, sinks) = (ReductionJob::app(job), ReductionJob::rehearsal_sinks(job));
    let value = app.task(0, source.get(0).unwrap().unwrap()).unwrap();
    let mut sink = sinks.open(0).unwrap();
    sink.accept(Piece { value, first: 0, results: 1 }).unwrap();
    ReductionJob::rehearse_finish(job, vec![sink.close().unwrap()]).unwrap();
}

#[test]
fn documents_become_tables_that_can_be_asked() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    let job = open(input.path(), &file);
    assert_eq!(job.known(), 37, "the stylesheet is no document");
    rehearse(&job);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "opening and rehearsing a job leave nothing");
    let result = run(&job, Strategy::Adaptive, 2, 3000);
    assert!(result.contains(" of 53 documents in "), "{result}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "one file is left");
    let notes = job.notes().join("\n");
    assert!(notes.contains("passed over 3 files"), "{notes}");

    let query = Query::new(file.to_str().unwrap().parse().unwrap());
    let answer = query.search("  Parallel PROGRAM ", 100).unwrap();
    let phrase = answer.phrase.unwrap();
    // Twice a page (heading and body), once a news item.
    assert_eq!((phrase.frequency, phrase.documents), (80, 50));
    assert_eq!(answer.found.len(), 50);
    // Characters of the original file: the heading's phrase is where it stands there.
    let page = answer.found.iter().find(|f| f.file.ends_with("page07.html")).unwrap();
    let text = fs::read_to_string(&page.file).unwrap();
    let at = text.find("parallel program").unwrap();
    let places = page.places.clone();
    assert!(places.starts_with(&format!("[[1,{at},{}],[2,", at + "parallel program".len())), "{places}");
    let news = answer.found.iter().find(|f| f.file.ends_with("news.sgm")).unwrap();
    assert_eq!(news.frequency, 1);
    assert!(query.search("machine", 10).unwrap().containing.iter().any(|p| p.phrase == "old machine"));
    let (totals, top) = query.top(5).unwrap();
    assert_eq!((totals.files, totals.skipped, totals.documents), (34, 3, 53));
    assert!(top.is_sorted_by(|a, b| a.frequency >= b.frequency) && top.len() == 5);

    let tables = tables::of_sqlite(&file);
    for reason in ["is no text", "has no text", "too large: 150 kB where at most 100 kB are read"] {
        assert!(tables.contains(reason), "{reason}: {tables}");
    }
}

#[test]
fn tables_are_the_same_whatever_the_way() {
    let input = documents();
    let expected = undisturbed(input.path());
    for (strategy, ranks, grain) in [
        (Strategy::ParallelPipeline, 4, 1),
        (Strategy::ReductionTree, 3, 2000),
        (Strategy::MasterSlave, 3, 700),
        (Strategy::Adaptive, 4, u64::MAX),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f.db");
        run(&open(input.path(), &file), strategy, ranks, grain);
        assert_eq!(tables::of_sqlite(&file), expected, "{strategy:?}");
    }
}

#[test]
fn what_is_done_is_not_done_again_and_what_changed_is() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    let job = open(input.path(), &file);
    run(&job, Strategy::Adaptive, 1, 2000);
    let first = tables::of_sqlite(&file);
    run(&job, Strategy::Adaptive, 1, 5000);
    assert_eq!(tables::of_sqlite(&file), first, "the same job again");

    let again = open(input.path(), &file);
    assert_eq!(again.known(), 3, "only what was passed over is looked at again");
    run(&again, Strategy::Adaptive, 1, 2000);
    assert_eq!(tables::of_sqlite(&file), first);

    let page = input.path().join("page03.html");
    let before = fs::metadata(&page).unwrap().modified().unwrap();
    let text = fs::read(&page).unwrap();
    fs::write(&page, "<p>A sudden silence in the engine room.</p>").unwrap();
    run(&open(input.path(), &file), Strategy::Adaptive, 1, 2000);
    let changed = tables::of_sqlite(&file);
    assert!(changed.contains("sudden silence") && changed.contains("parallel program|78|49"), "{changed}");
    fs::write(&page, text).unwrap();
    fs::File::options().write(true).open(&page).unwrap().set_modified(before).unwrap();
    run(&open(input.path(), &file), Strategy::Adaptive, 1, 2000);
    assert_eq!(tables::of_sqlite(&file), first, "and back");
}

#[test]
fn what_is_no_longer_there_is_taken_out() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let other = documents();
    let file = dir.path().join("f.db");
    run(&open(input.path(), &file), Strategy::Adaptive, 1, 2000);
    run(&open(other.path(), &file), Strategy::Adaptive, 1, 2000);
    let both = tables::of_sqlite(&file);
    let name = |dir: &TempDir, file: &str| dir.path().join(file).display().to_string();
    for gone in ["page03.html", "news.sgm", "binary.txt"] {
        fs::remove_file(input.path().join(gone)).unwrap();
    }
    let job = open(input.path(), &file);
    assert!(job.summary().contains("3 files to be taken out of it"), "{}", job.summary());
    assert_eq!(tables::of_sqlite(&file), both, "opening a job changes nothing");
    run(&job, Strategy::Adaptive, 1, 2000);
    let notes = job.notes().join("\n");
    assert!(notes.contains("took 3 files out of the database, as no longer there"), "{notes}");
    let left = tables::of_sqlite(&file);
    assert!(!left.contains(&name(&input, "page03.html")) && left.contains(&name(&other, "page03.html")));
    assert!(left.contains("parallel program|138|79"), "{left}");
    run(&open(input.path(), &file), Strategy::Adaptive, 1, 2000);
    assert_eq!(tables::of_sqlite(&file), left, "once");

    // What other patterns chose is there, and stays.
    let only =
        FeatureOptions { include: vec!["*.txt".into()], ..options(input.path(), file.to_str().unwrap()) };
    run(&FeaturesJob::open(only).unwrap(), Strategy::Adaptive, 1, 2000);
    assert_eq!(tables::of_sqlite(&file), left);
}

#[test]
fn a_directory_that_became_empty_keeps_what_came_from_it_until_it_may_be_empty() {
    let (input, other, dir) = (documents(), documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    run(&open(other.path(), &file), Strategy::Adaptive, 1, 2000);
    let of_other = tables::of_sqlite(&file);
    run(&open(input.path(), &file), Strategy::Adaptive, 1, 2000);
    let both = tables::of_sqlite(&file);
    fs::read_dir(input.path()).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let asked = |allow_empty, named: &[&TempDir]| FeatureOptions {
        input: named.iter().map(|dir| dir.path().to_owned()).collect(),
        allow_empty,
        ..options(input.path(), file.to_str().unwrap())
    };
    // It may be a directory that is not mounted, whatever stands beside it.
    for named in [&[&input][..], &[&other, &input]] {
        let e = FeaturesJob::open(asked(false, named)).unwrap_err().to_string();
        for part in ["there is no document in", "what 37 files gave", "mounted", "--allow-empty"] {
            assert!(e.contains(part), "{part:?} is not in: {e}");
        }
        assert!(e.contains(input.path().to_str().unwrap()), "{e}");
    }
    assert_eq!(tables::of_sqlite(&file), both);
    let job = FeaturesJob::open(asked(true, &[&input])).unwrap();
    run(&job, Strategy::Adaptive, 1, 2000);
    let notes = job.notes().join("\n");
    assert!(notes.contains("took 37 files out of the database"), "{notes}");
    assert_eq!(tables::of_sqlite(&file), of_other);
    // Of an empty directory of which it has nothing there is nothing to do.
    for allowed in [false, true] {
        let e = FeaturesJob::open(asked(allowed, &[&input])).unwrap_err().to_string();
        assert!(e.contains("there is no document in what was named"), "{e}");
    }
}

#[test]
fn what_a_link_led_to_stays_while_it_leads_nowhere() {
    let (input, linked, dir) = (documents(), documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    let link = input.path().join("link");
    std::os::unix::fs::symlink(linked.path(), &link).unwrap();
    std::os::unix::fs::symlink(input.path(), linked.path().join("circle")).unwrap();

    let job = open(input.path(), &file);
    let notes = job.notes().join("\n");
    for part in ["skipped 1 link to a directory", "/link)", "--follow-links"] {
        assert!(notes.contains(part), "{part:?} is not in: {notes}");
    }
    let followed = || {
        let asked = FeatureOptions { follow_links: true, ..options(input.path(), file.to_str().unwrap()) };
        FeaturesJob::open(asked).unwrap()
    };
    let both = followed();
    assert_eq!(both.known(), 2 * job.known(), "each is found once");
    assert_eq!(both.notes(), [""; 0]);
    run(&both, Strategy::Adaptive, 1, 2000);
    let tables_of_both = tables::of_sqlite(&file);
    assert!(tables_of_both.contains("/link/news.sgm"));

    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(dir.path().join("none"), &link).unwrap();
    for job in [followed(), open(input.path(), &file)] {
        run(&job, Strategy::Adaptive, 1, 2000);
        let notes = job.notes().join("\n");
        assert!(notes.contains("left 37 files in the database") && notes.contains("/link/"), "{notes}");
        assert_eq!(tables::of_sqlite(&file), tables_of_both);
    }
    // Without the link they are gone.
    fs::remove_file(&link).unwrap();
    let job = open(input.path(), &file);
    run(&job, Strategy::Adaptive, 1, 2000);
    assert!(job.notes()[0].contains("took 37 files out"), "{:?}", job.notes());
}

#[test]
fn databases_of_something_else_are_refused() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let refused = |file: &Path| {
        let e = FeaturesJob::open(options(input.path(), file.to_str().unwrap())).unwrap_err();
        e.to_string()
    };
    let other = dir.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE file (x)").unwrap();
    assert!(refused(&other).contains("tables that are not of features"));
    fs::write(dir.path().join("text.db"), "this is no database, but a text of some length".repeat(99))
        .unwrap();
    assert!(refused(&dir.path().join("text.db")).contains("not a database"));
    let file = dir.path().join("f.db");
    run(&open(input.path(), &file), Strategy::Adaptive, 1, u64::MAX);
    let change = |sql: &str| rusqlite::Connection::open(&file).unwrap().execute(sql, []).unwrap();
    change("UPDATE about SET value = 'another' WHERE key = 'model'");
    assert!(refused(&file).contains("another model"));
    change("UPDATE about SET value = '99' WHERE key = 'format'");
    assert!(refused(&file).contains("format 99"));
    let query = Query::new(dir.path().join("none.db").to_str().unwrap().parse().unwrap());
    assert!(query.top(1).unwrap_err().to_string().contains("has no features"));
    assert!(!dir.path().join("none.db").exists());
}

/// Where the run that is to be killed finds what it works on.
const KILLED: &str = "FORERUN_TEST_KILLED_RUN";

#[test]
#[ignore = "the run that other tests start and kill"]
fn a_run_to_be_killed() {
    let words = std::env::var(KILLED).unwrap();
    let (input, database) = words.split_once('|').unwrap();
    let job = FeaturesJob::open(options(Path::new(input), database)).unwrap();
    run(&job, Strategy::Adaptive, 2, 1);
}

/// Kills runs again and again, each a little later, until one ends; says how many were killed.
fn kill_until_done(input: &Path, database: &str) -> usize {
    let mut killed = 0;
    loop {
        let mut run = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "a_run_to_be_killed"])
            .env(KILLED, format!("{}|{database}", input.display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_millis(25 + 12 * killed as u64);
        while Instant::now() < until && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        match run.try_wait().unwrap() {
            Some(status) => {
                assert!(status.success());
                return killed;
            }
            None => run.kill().unwrap(),
        }
        run.wait().unwrap();
        killed += 1;
    }
}

#[test]
fn runs_that_are_killed_and_begun_again_leave_the_tables_of_one() {
    let (input, dir) = (documents(), tempfile::tempdir().unwrap());
    let file = dir.path().join("f.db");
    let killed = kill_until_done(input.path(), file.to_str().unwrap());
    assert!(killed > 0);
    assert_eq!(tables::of_sqlite(&file), undisturbed(input.path()), "{killed} runs were killed");
}

/// Fields are those of a file, and a database is of one choice of them.
#[test]
fn fields_are_as_they_are_asked_for() {
    let (input, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let page =
        "<html><title>A title</title><body><nav>A menu</nav><h1>The heading</h1>The parallel program.</body>";
    std::fs::write(input.path().join("a.html"), page).unwrap();
    let file = "format = 1\nignore = [\"nav\"]\n[[field]]\nname = \"top\"\nelements = [\"h1\", \"title\"]\n\
                [[field]]\nname = \"text\"\nelements = [\"body\"]\n";
    let fields = Fields::parse(file, "fields.toml").unwrap();
    let database = dir.path().join("f.db").to_str().unwrap().to_owned();
    let asked = FeatureOptions { fields, ..options(input.path(), &database) };
    let job = FeaturesJob::open(asked.clone()).unwrap();
    run(&job, Strategy::Adaptive, 1, 700);
    let query = Query::new(database.parse().unwrap());
    let place = |phrase: &str| query.search(phrase, 9).unwrap().found.first().map(|f| f.places.clone());
    assert_eq!(query.search("heading", 9).unwrap().fields, ["top", "text"]);
    assert!(place("heading").unwrap().starts_with("[[0,") && place("title").unwrap().starts_with("[[0,"));
    assert!(place("parallel program").unwrap().starts_with("[[1,"));
    assert_eq!(place("menu"), None);
    let other = FeaturesJob::open(options(input.path(), &database)).unwrap_err().to_string();
    assert!(other.contains("--fields"), "{other}");
    assert_eq!(FeaturesJob::open(asked).unwrap().known(), 0);
}

/// All that needs a server, so that only one is started.
#[test]
fn a_server_has_the_same_tables_and_may_go_away() {
    let Some(server) = Server::start() else { return };
    let input = documents();
    let expected = undisturbed(input.path());
    let strategies = [(Strategy::Adaptive, 3, "a"), (Strategy::ParallelPipeline, 4, "b")];
    for (strategy, ranks, name) in strategies {
        let job = FeaturesJob::open(options(input.path(), &server.database(name))).unwrap();
        run(&job, strategy, ranks, 700);
        assert_eq!(tables::of_postgres(&mut server.client(name)), expected, "{strategy:?}");
        rehearse(&job);
        assert_eq!(tables::of_postgres(&mut server.client(name)), expected, "a rehearsal leaves nothing");
    }

    let killed = kill_until_done(input.path(), &server.database("killed"));
    assert!(killed > 0);
    assert_eq!(tables::of_postgres(&mut server.client("killed")), expected, "{killed} runs were killed");

    // What is no longer there is taken out, as from a file.
    let fewer = documents();
    let job = |database: &str| FeaturesJob::open(options(fewer.path(), database)).unwrap();
    let file = fewer.path().join("fewer.db");
    let (address, path) = (server.database("fewer"), file.to_str().unwrap());
    for database in [&*address, path] {
        run(&job(database), Strategy::Adaptive, 1, 2000);
    }
    fs::remove_file(fewer.path().join("page03.html")).unwrap();
    for database in [&*address, path] {
        run(&job(database), Strategy::Adaptive, 1, 2000);
    }
    assert_eq!(tables::of_postgres(&mut server.client("fewer")), tables::of_sqlite(&file));

    // Several groups, each with a connection of its own.
    let job = FeaturesJob::open(options(input.path(), &server.database("groups"))).unwrap();
    let source = ReductionJob::cut(&job, 700).unwrap();
    let (app, sinks) = (ReductionJob::app(&job), ReductionJob::sinks(&job));
    let shape = Shape { groups: 2, ..Shape::new(Strategy::ReductionTree, 4) };
    Reduction::new(app, &source, &sinks, shape).unwrap().run(OnThreads(4)).unwrap();
    assert_eq!(tables::of_postgres(&mut server.client("groups")), expected);

    // It goes away in the middle of a run, and comes back.
    let address = server.database("away");
    let job = FeaturesJob::open(options(input.path(), &address)).unwrap();
    let source = ReductionJob::cut(&job, 1).unwrap();
    let (app, sinks) = (ReductionJob::app(&job), ReductionJob::sinks(&job));
    let mut sink = sinks.open(0).unwrap();
    for n in 0..source.len().unwrap() {
        let value = app.task(n, source.get(n).unwrap().unwrap()).unwrap();
        if n == 10 {
            server.down();
            std::thread::scope(|scope| {
                let back = scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(400));
                    server.up();
                });
                sink.accept(Piece { value, first: n, results: 1 }).unwrap();
                back.join().unwrap();
            });
        } else {
            sink.accept(Piece { value, first: n, results: 1 }).unwrap();
        }
    }
    ReductionJob::finish(&job, vec![sink.close().unwrap()]).unwrap();
    assert_eq!(tables::of_postgres(&mut server.client("away")), expected);

    // It stays away: the run says so within its patience.
    let patience = Duration::from_millis(500);
    let short = FeatureOptions { patience, ..options(input.path(), &server.database("gone")) };
    let job = FeaturesJob::open(short).unwrap();
    server.down();
    let begun = Instant::now();
    let error = ReductionJob::cut(&job, 1).err().unwrap().to_string();
    assert!(error.contains("goes on where this ended") && begun.elapsed() < patience * 10, "{error}");
    let none = FeaturesJob::open(options(input.path(), &address)).unwrap_err().to_string();
    assert!(none.contains("the PostgreSQL database away on 127.0.0.1"), "{none}");
}
