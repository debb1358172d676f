//! Inputs whose names keep coming while the run goes on.

use std::io::Write as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::util::{Place, Running, Said, assert_gone};

/// Lines counted, at the first name, with no pilot.
const COUNT: [&str; 9] = [
    "reduce",
    "--map",
    "wc -l",
    "--merge",
    "awk '{n += $1} END {print n}'",
    "--files-from",
    "-",
    "--strategy",
    "adaptive",
];

/// A run whose names come from here.
struct Fed<'p> {
    place: &'p Place,
    running: Running,
    named: usize,
}

impl<'p> Fed<'p> {
    fn new(place: &'p Place, more: &[&str]) -> Self {
        let mut command = place.command(COUNT.iter().chain(more));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Fed { place, running: Running::new(command), named: 0 }
    }

    /// Names another file, of one line.
    fn name(&mut self) {
        let name = format!("in/{}", self.named);
        self.place.write(&name, "a line\n");
        self.say(&format!("{name}\n"));
        self.named += 1;
    }

    fn say(&mut self, line: &str) {
        let stdin = self.running.child.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
    }

    /// Waits until so many deliveries are in `out`.
    fn wait_for_deliveries(&mut self, many: usize) {
        let out = self.place.path("out");
        self.running.wait_for("deliveries", || std::fs::read_dir(&out).is_ok_and(|d| d.count() >= many));
    }

    fn end(self) -> Said {
        self.running.end()
    }
}

#[test]
fn results_come_while_names_keep_coming() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["-p", "1", "--deliver", "out", "--json", "o.json"]);
    // Not before the run has begun; then one after the other, with no end in sight.
    for many in 1..=5 {
        run.name();
        if many > 1 {
            run.wait_for_deliveries(many);
        }
        // An empty line is no name.
        run.say("\n");
    }
    let said = run.end().ok();
    assert!(said.text().contains("5 deliveries in out"), "{}", said.text());
    assert!(said.text().contains("tasks/s"), "{}", said.text());
    for n in 1..=5 {
        assert_eq!(place.text(&format!("out/{n:08}")).trim(), "1");
    }
    let outcome: serde_json::Value = serde_json::from_slice(&place.read("o.json")).unwrap();
    assert_eq!(outcome[0]["plan"]["grain"]["tasks"], serde_json::Value::Null);
    assert_eq!(outcome[0]["stages"]["task"]["count"], 5);
    place.assert_clean();
}

/// Another file may have the name by then.
#[test]
fn what_keeps_coming_is_taken_as_often_as_it_is_named() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["-p", "1", "--deliver", "out"]);
    run.name();
    run.name();
    run.wait_for_deliveries(2);
    for many in 3..=4 {
        run.say("in/0\n");
        run.wait_for_deliveries(many);
    }
    run.end().ok();
    place.assert_clean();
}

#[test]
fn whatever_the_strategy_every_file_counts_once() {
    for (strategy, p) in
        [("parallel-pipeline", "4"), ("reduction-tree", "3"), ("master-slave", "3"), ("adaptive", "3")]
    {
        for commutative in [&[][..], &["--commutative"]] {
            let place = Place::new();
            let more = [&["--strategy", strategy, "-p", p, "-o", "out"][..], commutative].concat();
            let mut command = place.command(COUNT[..7].iter().chain(&more));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut run = Fed { place: &place, running: Running::new(command), named: 0 };
            for _ in 0..7 {
                run.name();
            }
            // Longer than the run waits for the end before it begins.
            sleep(Duration::from_millis(400));
            for _ in 0..16 {
                run.name();
            }
            run.end().ok();
            assert_eq!(place.text("out").trim(), "23", "{strategy} {commutative:?}");
            place.assert_clean();
        }
    }
}

#[test]
fn with_a_pilot_tasks_a_second_are_predicted_and_compared() {
    let place = Place::new();
    let mut command = place.command(COUNT[..7].iter().chain(&["-o", "out", "--json", "o.json"]));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Fed { place: &place, running: Running::new(command), named: 0 };
    for _ in 0..40 {
        run.name();
    }
    sleep(Duration::from_millis(1500));
    for _ in 0..40 {
        run.name();
    }
    let said = run.end().ok();
    assert_eq!(place.text("out").trim(), "80");
    for words in ["more to come", "tasks/s predicted", "measured"] {
        assert!(said.text().contains(words), "{words}: {}", said.text());
    }
    let outcome: serde_json::Value = serde_json::from_slice(&place.read("o.json")).unwrap();
    let predicted = outcome[0]["predicted_throughput"]["tasks_per_s"].as_f64().unwrap();
    assert!(predicted > 0.0 && outcome[0].get("predicted").is_none());
    // Other commands can read it.
    place.run("compare o.json").ok();
    place.assert_clean();
}

#[test]
fn the_result_is_whole_at_any_time_while_it_grows() {
    for every in ["1", "20 ms"] {
        let place = Place::new();
        let mut run = Fed::new(&place, &["-p", "1", "-o", "out", "--every", every]);
        for many in 1..=4 {
            run.name();
            let out = place.path("out");
            let whole = || std::fs::read_to_string(&out).is_ok_and(|t| t.trim() == many.to_string());
            if many > 1 {
                run.running.wait_for("the result of what came", whole);
            }
        }
        run.end().ok();
        assert_eq!(place.text("out").trim(), "4");
        place.assert_clean();
    }
    let place = Place::new();
    place.write("in/0", "a\n");
    place.write("full/0", "a\n");
    for (line, words) in [
        ("--every 1", &["required"][..]),
        ("--every 0 -o out", &["at least 1"]),
        ("--every soon -o out", &["10 s"]),
        ("--every 1 -o -", &["-o FILE"]),
        ("--deliver full", &["not empty"]),
        ("--deliver in", &["one of the next run"]),
        ("--deliver new -o out", &["cannot be used with"]),
        ("--deliver new -p 2 --groups 2", &["--groups 2"]),
    ] {
        place.run(&format!("reduce --map cat --merge cat in {line}")).refused(2, words);
    }
}

#[test]
fn the_first_signal_ends_the_input_and_the_second_gives_up() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new();
        let mut run = Fed::new(&place, &["-p", "1", "-o", "out", "--every", "1"]);
        run.name();
        let out = place.path("out");
        run.running.wait_for("the first result", || out.exists());
        run.running.signal(signal);
        // The pipe is still open.
        let stdin = run.running.child.stdin.take();
        let said = run.end().ok();
        drop(stdin);
        assert_eq!(place.text("out").trim(), "1");
        assert!(said.err.contains("no more inputs are taken"), "{}", said.err);
        place.assert_clean();
    }
    let place = Place::new();
    place.write("in/0", "a\n");
    let mark = format!("77.{}", std::process::id());
    let map = format!("sh -c 'touch begun; sleep {mark}; sleep {mark}'");
    let words = ["reduce", "--map", &map, "--merge", "cat", "--files-from", "-", "--strategy", "adaptive"];
    let mut command = place.command(words.iter().chain(&["-o", "out"]));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Fed { place: &place, running: Running::new(command), named: 0 };
    run.say("in/0\n");
    let begun = place.path("begun");
    run.running.wait_for("a command has begun", || begun.exists());
    run.running.signal(Signal::INT);
    // Two that come together are one.
    sleep(Duration::from_millis(700));
    run.running.signal(Signal::INT);
    let stdin = run.running.child.stdin.take();
    let said = run.end();
    drop(stdin);
    assert_eq!(said.status.code(), Some(130), "{}", said.err);
    assert!(said.err.contains("interrupted"), "{}", said.err);
    assert_gone(&mark);
    assert!(!place.path("out").exists());
    place.assert_clean();
}

/// The pilot is a part of the run: what had come when it was ended is finished, and no older result is lost for one of nothing.
#[test]
fn a_signal_while_the_pilot_runs_loses_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new();
        place.write("out", "an older result\n");
        let map = r#"sh -c 'touch begun; sleep 0.02; cat "$0" "$@"' {}"#;
        let merge = "awk '{n+=$1}END{print n}'";
        let words = ["reduce", "--map", map, "--merge", merge, "--files-from", "-", "-p", "2", "-o", "out"];
        let mut command = place.command(words.iter());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = Fed { place: &place, running: Running::new(command), named: 0 };
        for n in 0..40 {
            place.write(format!("in/{n}"), "1\n");
        }
        (0..40).for_each(|n| run.say(&format!("in/{n}\n")));
        let begun = place.path("begun");
        run.running.wait_for("the pilot has begun", || begun.exists());
        run.running.signal(signal);
        // The pipe is still open.
        let stdin = run.running.child.stdin.take();
        let said = run.end().ok();
        drop(stdin);
        assert!(said.err.contains("no more inputs are taken"), "{}", said.err);
        assert_eq!(place.text("out").trim(), "40", "{}", said.err);
        place.assert_clean();
    }
}

/// What was there when the run began and was not done when the input was ended is said.
#[test]
fn every_file_is_in_the_result_or_said_not_to_be() {
    for strategy in ["parallel-pipeline", "reduction-tree", "master-slave", "adaptive"] {
        let place = Place::new();
        place.write("maps/none", "");
        let map = r#"sh -c 'touch maps/$$; sleep 0.05; cat "$0" "$@"' {}"#;
        let merge = "awk '{n+=$1}END{print n}'";
        let words = ["reduce", "--map", map, "--merge", merge, "--files-from", "-", "-p", "4", "-o", "out"];
        let mut command =
            place.command(words.iter().chain(&["--grain", "2 B", "--strategy", strategy, "--commutative"]));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = Fed { place: &place, running: Running::new(command), named: 0 };
        for n in 0..100 {
            place.write(format!("in/{n}"), "1\n");
        }
        run.say(&(0..100).map(|n| format!("in/{n}\n")).collect::<String>());
        let maps = place.path("maps");
        run.running.wait_for("some tasks", || std::fs::read_dir(&maps).is_ok_and(|found| found.count() > 8));
        run.running.signal(Signal::INT);
        let stdin = run.running.child.stdin.take();
        let said = run.end().ok();
        drop(stdin);
        let text = said.text();
        let (left, _) = text.split_once(" files had been named and not been taken").expect(&text);
        let left: u64 = left.rsplit(' ').next().and_then(|n| n.parse().ok()).expect(left);
        let done: u64 = place.text("out").trim().parse().expect("a number");
        assert!(done > 0 && left > 0, "{strategy}: {text}");
        assert_eq!(done + left, 100, "{strategy}: {text}");
        place.assert_clean();
    }
}

#[test]
fn what_cannot_be_read_while_it_runs_ends_it_with_its_name() {
    for (line, words) in [
        ("in/gone\n", &["in/gone", "does not exist"][..]),
        ("out\n", &["out", "where the result goes"]),
        ("in/0\0in/1\n", &["NUL"]),
    ] {
        let place = Place::new();
        let mut run = Fed::new(&place, &["-p", "2", "-o", "out", "--every", "1"]);
        run.name();
        run.name();
        let out = place.path("out");
        run.running.wait_for("the first result", || out.exists());
        run.say(line);
        let stdin = run.running.child.stdin.take();
        run.end().refused(1, words);
        drop(stdin);
        place.assert_clean();
    }
    // At once, where that is known before it begins.
    let place = Place::new();
    let mut run = Fed::new(&place, &[]);
    run.say("in/gone\n");
    run.end().refused(2, &["in/gone"]);
    let run = Fed::new(&place, &[]);
    run.end().refused(2, &["no input"]);
}
