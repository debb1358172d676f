//! `pepa` and `map`: what they print, write and refuse.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::util::{MAP, Place};

const MODEL: &str = "r = 2; t = 0.27;
Client = (request, r).Wait; Wait = (response, infty).Think; Think = (think, t).Client;
Server = (request, infty).Get; Get = (response, 4).Log; Log = (log, 1).Server;
Client[4] <request, response> Server[2]
";

fn place() -> Place {
    let place = Place::new();
    place.write("m.pepa", MODEL);
    place
}

#[test]
fn a_model_is_solved_to_the_same_figures_by_every_way_of_looking_at_it() {
    let place = place();
    let solved = place.run("pepa solve m.pepa --json -").ok().json();
    let throughput = solved["throughput"]["request"].as_f64().unwrap();
    assert_eq!(
        solved["throughput"]["think"].as_f64().map(|t| (t / throughput - 1.0).abs() < 1e-9),
        Some(true)
    );
    assert_eq!(solved["utilisation"]["Server"].as_object().unwrap().len(), 3);
    let late = place.run("pepa transient m.pepa --until 400 --points 1 --json -").ok().json();
    assert!((late["throughput"]["request"][0].as_f64().unwrap() / throughput - 1.0).abs() < 1e-6);
    let simulated = place.run("pepa simulate m.pepa --until 3000 --replications 10 --json -").ok().json();
    let named = simulated["throughput"].as_array().unwrap().iter().find(|f| f["name"] == "request").unwrap();
    assert!((named["mean"].as_f64().unwrap() / throughput - 1.0).abs() < 0.05);
    let states = place.run("pepa states m.pepa --lump --json -").ok().json();
    assert_eq!(states["states"], solved["states"]);
    assert!(states["lumped"].as_u64() <= states["states"].as_u64());
    place.assert_clean();
}

#[test]
fn measures_response_times_and_passages_agree_with_each_other() {
    let place = place();
    let line = "pepa solve m.pepa --measure X=Wait/request --response Wait --json -";
    let solved = place.run(line).ok().json();
    let by_hand = solved["measures"]["X"].as_f64().unwrap();
    assert!((solved["response"]["time"].as_f64().unwrap() / by_hand - 1.0).abs() < 1e-9);
    let passage = place
        .run("pepa passage m.pepa --from request --to response --until 9 --csv p.csv --json -")
        .ok()
        .json();
    let cdf = passage["cdf"].as_array().unwrap();
    assert!(cdf.windows(2).all(|pair| pair[0].as_f64() <= pair[1].as_f64()));
    assert_eq!(place.text("p.csv").lines().count(), 21);
    // The next response is not always that to the request which begins it.
    let (mean, deviation) = (passage["mean"].as_f64().unwrap(), passage["deviation"].as_f64().unwrap());
    assert!(mean > 0.2 && mean < by_hand && deviation > 0.0 && deviation < 3.0 * mean, "{passage}");
}

#[test]
fn sweeps_and_exports_are_files_of_other_programs() {
    let place = place();
    place
        .run("pepa sweep m.pepa --over t=0.1:1:4 --over r=1,2 --measure request --csv s.csv --svg s.svg")
        .ok();
    let csv = place.text("s.csv");
    assert_eq!(csv.lines().next(), Some("t,r,states,request"));
    assert_eq!(csv.lines().count(), 9);
    assert!(place.text("s.svg").contains("request, r = 2"));
    // Numbers of states are whole.
    let table = place.run("pepa sweep m.pepa --over t=0.1:1:4 --measure request").ok().text();
    let cells: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
    assert!(cells[1].parse::<u32>().is_ok(), "{table}");
    for (over, words) in [
        ("t=1:2:1e9", ["FROM:TO:COUNT", "from 2 to 1000000"]),
        ("t=1:2:0.5", ["FROM:TO:COUNT", "t=1:2:10"]),
        ("t=1:2", ["FROM:TO:COUNT", "n=10:100:10"]),
        ("t=1,x", ["`x` is no number", "r=0.5,1,2"]),
        ("t", ["a rate and its values", "r=0.5,1,2"]),
    ] {
        place.run(&format!("pepa sweep m.pepa --over {over}")).refused(2, &words);
    }
    for (what, first) in [
        ("mtx", "%%MatrixMarket"),
        ("dot", "digraph"),
        ("states", "state,probability"),
        ("transitions", "from,action"),
        ("prism", "// written"),
    ] {
        place.run(&format!("pepa export m.pepa --as {what} -o out")).ok();
        assert!(place.text("out").starts_with(first), "{what}");
    }
    place.run("pepa export m.pepa --as dot -o m.pepa").refused(2, &["input"]);
}

#[test]
fn a_model_is_formatted_and_checked() {
    let place = place();
    place.run("pepa fmt m.pepa --check").refused(1, &["m.pepa"]);
    place.run("pepa fmt m.pepa -w").ok();
    place.run("pepa fmt m.pepa --check").ok();
    place.run("pepa check m.pepa --strict").ok();
    place.write("bad.pepa", "r = 1;\nP = (a, r).Pp;\nP = (b, s).P;\nP <a> Q\n");
    place.run("pepa check bad.pepa").refused(2, &[]);
    let said = place.run("pepa solve bad.pepa").refused(2, &["bad.pepa:2:"]);
    for word in ["bad.pepa:3:", "bad.pepa:4:", "there is no process `Q`", "^"] {
        assert!(said.err.contains(word), "{word}: {}", said.err);
    }
    place.run("pepa solve m.pepa --set q=1").refused(2, &["--set q", "did you mean r?"]);
    place.run("pepa states m.pepa --states 3").refused(1, &["more than 3 states", "--aggregate"]);
}

#[test]
fn the_best_mapping_is_said() {
    let place = Place::new();
    let processors = "[[processor]]\ntime = \"100 ms\"\n".repeat(3);
    let text = format!("format = 1\nstages = 3\ncandidates = \"all\"\nlocal = \"0.1 ms\"\n{processors}");
    place.write("map.toml", text);
    place.run("map map.toml --models map.toml/in").refused(2, &["--models", "is no directory"]);
    let said = place.run("map map.toml --models made/of/them --json -").ok().json();
    assert!((said["best"]["throughput"].as_f64().unwrap() - 5.63467).abs() < 1e-5);
    assert_eq!(said["best"]["mapping"], serde_json::json!([1, 2, 3]));
    // Three like processors: one, two or three of them used, the others alike.
    let candidates = said["candidates"].as_array().unwrap();
    assert_eq!(candidates.iter().map(|c| c["alike"].as_f64().unwrap()).sum::<f64>(), 27.0);
    assert_eq!((candidates.len(), said["search"]["mappings"].as_f64()), (5, Some(27.0)));
    let all = place.run("map map.toml --exhaustive --json -").ok().json();
    assert_eq!(all["candidates"].as_array().unwrap().len(), 27);
    assert_eq!(all["best"]["throughput"], said["best"]["throughput"]);
    let solved = place.run("pepa solve made/of/them/pipeline-1-2-3.pepa --json -").ok().json();
    assert_eq!((&solved["states"], &solved["transitions"]), (&27.into(), &51.into()));
    // Summed in another order.
    let (text, map) = (solved["throughput"]["process_1"].as_f64(), said["best"]["throughput"].as_f64());
    assert!((text.unwrap() / map.unwrap() - 1.0).abs() < 1e-9, "{text:?} {map:?}");
}

#[test]
fn a_better_mapping_is_reported_when_the_monitor_says_so() {
    let place = Place::new();
    let processors = "[[processor]]\ntime = \"100 ms\"\n".repeat(3);
    place.write("map.toml", format!("format = 1\nstages = 3\ncandidates = \"all\"\n{processors}"));
    // Every reading finds the third processor slower.
    place.write(
        "monitor",
        "n=$(cat n 2>/dev/null || echo 1); echo $((n * 4)) > n\n\
        printf 'format = 1\\n[[processor]]\\nnumber = 3\\nspeed = %s\\n' $(awk \"BEGIN {print 1 / $n}\")",
    );
    let watch = [
        "map",
        "map.toml",
        "--watch",
        "--monitor-command",
        "sh monitor",
        "--every",
        "1 ms",
        "--readings",
        "3",
    ];
    let seen = place.say(watch.into_iter().chain(["--margin", "0.2", "--json", "-"])).ok().json();
    let changes: Vec<bool> =
        seen.as_array().unwrap().iter().map(|s| s["change"].as_bool().unwrap()).collect();
    assert_eq!(changes, [false, true, false], "{seen}");
    assert!(seen[1]["gain"].as_f64().unwrap() > 0.2);
    assert_eq!(seen[2]["current"]["mapping"], seen[1]["best"]["mapping"]);
    place.run("map map.toml --watch").refused(2, &["required arguments"]);
    place
        .say(["map", "map.toml", "--watch", "--monitor-command", "exit 1", "--readings", "1"])
        .refused(1, &["--monitor-command", "exit status: 1"]);
    place
        .say(["map", "map.toml", "--watch", "--monitor-command", "sh monitor", "--current", "1,9,1"])
        .refused(2, &["--current 1,9,1"]);
    place.run("map map.toml --at-least 100").refused(2, &["--at-least"]);

    // Who watches without an end ends it: that is no failure, unless readings are still to come.
    for (readings, status) in [(None, 0), (Some("1000000"), 130)] {
        let words = watch[..7].iter().copied().chain(["--json", "seen.json"]);
        let readings = readings.map_or(Vec::new(), |n| vec!["--readings", n]);
        let mut running = place.start(words.chain(readings));
        running.wait_for("it was read", || fs::read_to_string(place.path("n")).is_ok_and(|n| n.len() > 3));
        running.signal(Signal::INT);
        assert_eq!(running.end().status.code(), Some(status));
        assert!(serde_json::from_slice::<serde_json::Value>(&place.read("seen.json")).unwrap().is_array());
        fs::remove_file(place.path("n")).unwrap();
    }
}

/// What the paper prints is in the comment of each; one of the figures is cut there, the others rounded.
#[test]
fn the_papers_mappings_are_the_best_with_its_throughput() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/mappings");
    let mut rows = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (mapping, printed) = text.split_once("mappings is (").unwrap().1.split_once("), with ").unwrap();
        let mapping: Vec<u64> = mapping.split(',').map(|at| at.parse().unwrap()).collect();
        let printed: f64 = printed.split(' ').next().unwrap().parse().unwrap();
        let said = place.say(["map".as_ref(), path.as_os_str(), "--json".as_ref(), "-".as_ref()]).ok().json();
        let throughput = |found: &serde_json::Value| found["throughput"].as_f64().unwrap();
        assert!((throughput(&said["best"]) - printed).abs() < 1.1e-5, "{}", path.display());
        let candidates = said["candidates"].as_array().unwrap();
        assert!(candidates.iter().all(|c| c["states"] == 27 && c["transitions"] == 51));
        // Another may be as good.
        let theirs = candidates.iter().find(|c| c["mapping"] == serde_json::json!(mapping)).unwrap();
        assert!((throughput(theirs) / throughput(&said["best"]) - 1.0).abs() < 1e-6);
        rows += 1;
    }
    assert_eq!(rows, 7);
}

/// 2 where what was asked for cannot be, 1 where something fails on the way.
#[test]
fn what_no_mapping_has_and_monitors_that_fail() {
    let place = Place::new();
    place.write("map.toml", MAP);
    place.write("wrong", "format = 1\n[[processor]]\nnumber = 9\nspeed = 1\n");
    let listed = MAP.replace("\"all\"", "[[1, 1]]");
    place.write("listed.toml", listed);
    for (line, status, words) in [
        ("map map.toml --at-least 1e6", 2, "--at-least"),
        ("map map.toml --at-most 1us", 2, "--at-most"),
        ("map map.toml --at-least 1e6 --at-most 1us", 2, "--at-least and"),
        ("map listed.toml --at-least 1e6", 2, "--at-least"),
        ("map map.toml --monitor gone", 2, "gone does not exist"),
        ("map map.toml --monitor wrong", 2, "wrong:3:"),
        ("map map.toml --monitor-command false", 1, "--monitor-command \"false\": it ended with"),
        ("map map.toml --monitor-command no-such-program", 1, "it ended with"),
        ("map map.toml --monitor-command date", 1, "--monitor-command:1:"),
        ("map map.toml --watch --readings 1 --monitor-command false", 1, "it ended with"),
    ] {
        place.run(line).refused(status, &[words]);
    }
}
