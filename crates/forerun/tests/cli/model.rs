//! Models that stand alone.

use std::path::Path;

use serde_json::Value;

use crate::util::Place;

/// A description that is shipped as an example.
fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

fn numbers<'a>(rows: &'a Value, key: &'a str) -> Vec<f64> {
    rows.as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).collect()
}

#[test]
fn packets_of_the_examples() {
    let place = Place::new();
    for (name, equation, packets) in
        [("knn-packets.toml", Some(7), Some(11_798)), ("select-packets.toml", None, None)]
    {
        let file = example(name);
        let data = place.say(["model", "packet", &file, "--json", "-"]).ok().json();
        let best = data["best"]["makespan_s"].as_f64().unwrap();
        assert!(best > 0.0);
        assert!(numbers(&data["curve"], "makespan_s").iter().all(|s| *s >= best), "{name}");
        let at = |key: &str| data["flat"][key].as_u64().unwrap();
        let size = data["best"]["packet_elements"].as_u64().unwrap();
        assert!(at("smallest_elements") <= size && size <= at("largest_elements"));
        // The curve shows what the flat region says.
        for row in data["curve"].as_array().unwrap() {
            let size = row["packet_elements"].as_u64().unwrap();
            let inside = data["flat"]["stretches"]
                .as_array()
                .unwrap()
                .iter()
                .any(|run| (run[0].as_u64().unwrap()..=run[1].as_u64().unwrap()).contains(&size));
            assert_eq!(inside, row["above_best"].as_f64().unwrap() <= 0.01, "{name}: {row}");
        }
        if let (Some(equation), Some(packets)) = (equation, packets) {
            assert_eq!(data["published"]["equation"], equation);
            assert_eq!(data["published"]["packets"], packets);
            assert!(data["published"]["above_best"].as_f64().unwrap() < 1e-4);
        }
    }
}

#[test]
fn table_csv_and_svg_are_of_the_same_values() {
    let place = Place::new();
    let words = ["--json", "out.json", "--csv", "out.csv", "--svg", "out.svg"];
    let (packets, farm) = (example("select-packets.toml"), example("mandelbrot-farm.toml"));
    for (what, file, rows) in [("packet", &packets, "curve"), ("farm", &farm, "by_processors")] {
        let said = place.say(["model", what, file].iter().chain(&words)).ok();
        let data: Value = serde_json::from_slice(&place.read("out.json")).unwrap();
        let first = &data[rows][0]["makespan_s"];
        let csv = place.text("out.csv");
        let column = csv.lines().next().unwrap().split(',').position(|c| c == "makespan_s").unwrap();
        let cell = csv.lines().nth(1).unwrap().split(',').nth(column).unwrap();
        assert_eq!(cell.parse::<f64>().unwrap(), first.as_f64().unwrap());
        assert!(place.text("out.svg").starts_with("<svg "));
        assert!(said.text().contains("best") && said.text().contains("makespan"), "{}", said.text());
    }
    let asked = place.say(["model", "packet", &packets, "-k", "1,1000", "--json", "-"]).ok().json();
    let packets: Vec<f64> = numbers(&asked["curve"], "packets");
    assert_eq!(packets, [1.0, 1000.0]);
    place.assert_clean();
}

#[test]
fn the_farm_of_the_example_saturates() {
    let place = Place::new();
    let file = example("mandelbrot-farm.toml");
    let data = place.say(["model", "farm", &file, "-p", "2,32", "--json", "-"]).ok().json();
    assert_eq!(format!("{:.1}", data["trip"]["master_s"].as_f64().unwrap() * 1e6), "48.9");
    let saturates = data["saturates_at"].as_u64().unwrap();
    assert!((3..32).contains(&saturates), "{saturates}");
    assert_eq!(numbers(&data["by_processors"], "processors"), [2.0, 32.0]);
    assert_eq!(data["by_processors"][0]["bound_by"], "round trip");
    assert_eq!(data["by_processors"][1]["bound_by"], "master");
    let best = data["best_masters"]["makespan_s"].as_f64().unwrap();
    assert!(best < data["best"]["makespan_s"].as_f64().unwrap());
    assert!(numbers(&data["by_masters"], "makespan_s").iter().all(|s| *s >= best));
}

#[test]
fn what_is_wrong_in_a_description_is_shown_at_its_place() {
    let place = Place::new();
    let packet = "format = 1\ncommunication = \"fixed-size\"\ninput = \"1 MB\"\n";
    let stage = "[[stage]]\nname = \"a\"\n";
    let farm = "format = 1\nplatform = \"osaka-fast-ethernet\"\ntasks = 10\nwork = \"1 s\"\n";
    for (what, text, place_of, words) in [
        ("packet", packet.to_string(), "1:1: ", &["no stages"][..]),
        ("packet", packet.replace("size", "sise") + stage, "2:17: ", &["did you mean \"fixed-size\"?"]),
        ("packet", packet.replace("1 MB", "1 Mb") + stage, "3:9: ", &["ambiguous"]),
        ("packet", format!("{packet}element = \"3 B\"\n{stage}"), "3:9: ", &["whole number", "1000002 B"]),
        ("packet", format!("{packet}element = \"0 B\"\n{stage}"), "4:11: ", &["1 B"]),
        ("packet", format!("{packet}{stage}ratio = 0\n"), "6:9: ", &["above 0"]),
        ("packet", format!("{packet}{stage}per_byte = \"1 us\"\n"), "6:12: ", &["a time per byte"]),
        ("packet", format!("{packet}{stage}per_packets = \"1 us\"\n"), "6:1: ", &["per_packet"]),
        ("packet", format!("{packet}{stage}memory = \"2 B\"\n"), "6:10: ", &["\"a\" needs 3 B"]),
        (
            // Links count as stages, but have no memory of their own.
            "packet",
            format!(
                "{packet}link = {{ per_packet = \"1 us\" }}\n{stage}{}memory = \"2 B\"\n",
                stage.replace("\"a\"", "\"b\"")
            ),
            "9:10: ",
            &["\"b\" needs 3 B"],
        ),
        ("packet", format!("{packet}{stage}{stage}"), "7:8: ", &["two stages are called \"a\""]),
        ("packet", packet.replace("1 MB", "2 GB") + stage, "3:9: ", &["record or a block"]),
        ("farm", format!("{farm}message = \"8 B\"\n"), "1:1: ", &["no \"answer\""]),
        ("farm", format!("{farm}message = 8\nanswer = \"8 B\"\n"), "5:11: ", &["unit"]),
        (
            "farm",
            format!("{farm}processors = 1\nmessage = \"8 B\"\nanswer = \"8 B\"\n"),
            "5:14: ",
            &["at least one slave"],
        ),
    ] {
        place.write("wrong.toml", text.as_bytes());
        let said = place.say(["model", what, "wrong.toml"]);
        let said = said.refused(2, &[&format!("wrong.toml:{place_of}")]);
        for word in words {
            assert!(said.err.contains(word), "{word} is not in: {}", said.err);
        }
        assert!(said.err.contains('^'), "{}", said.err);
    }
    place.run("model packet gone.toml").refused(2, &["gone.toml"]);
    place.write("other.toml", format!("{farm}message = \"8 B\"\nanswer = \"8 B\"\n"));
    place.write(
        "unlike.toml",
        "format = 1\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\nspeed = 2\n[network]\nlatency = \"1 us\"\n\
         bandwidth = \"1 GB/s\"\n",
    );
    place.run("model farm other.toml --platform unlike.toml").refused(2, &["differ in speed"]);
    place.run("model farm other.toml --csv other.toml").refused(2, &["other.toml"]);
    place.run("model farm other.toml -p 1").refused(2, &["2"]);
    place.run("model packet other.toml --within 200%").refused(2, &["100 %"]);
}

#[test]
fn a_farm_of_few_tasks_has_no_more_slaves_than_work() {
    let place = Place::new();
    for tasks in 1..=4u64 {
        for spread in ["0", "0.5", "2.0"] {
            for prefetch in [1, 3] {
                place.write(
                    "farm.toml",
                    format!(
                        "format = 1\nplatform = \"osaka-fast-ethernet\"\ntasks = {tasks}\nwork = \"200 us\"\n\
                         message = \"8 B\"\nanswer = \"12 B\"\nspread = {spread}\nprefetch = {prefetch}\n"
                    ),
                );
                let data = place.run("model farm farm.toml --json -").ok().json();
                assert!(data["best"]["processors"].as_u64().unwrap() <= tasks + 1, "{data}");
                assert!(data["best_masters"]["masters"].as_u64().unwrap() <= tasks, "{data}");
                assert!(data["prefetch_needed"].as_u64().unwrap() <= tasks, "{data}");
                // A master that gives out a few tasks and ends their slaves is not busy all the time.
                let busy = data["best"]["master_utilisation"].as_f64().unwrap();
                assert!(busy > 0.0 && busy < 0.6, "{tasks} tasks: {data}");
            }
        }
    }
    // More than the platform has is said.
    let said = place.run("model farm farm.toml -p 4,100").ok().text();
    assert!(said.contains("osaka-fast-ethernet has 64 processors"), "{said}");
}

#[test]
fn shares_are_numbers_or_per_cent() {
    let place = Place::new();
    let file = example("select-packets.toml");
    let of = |share: &str| place.say(["model", "packet", &file, "--within", share, "-q"]).ok().text();
    assert_eq!(of("5%"), of("0.05"));
    assert_eq!(of("5 %"), of("0.05"));
}

/// Whatever figure a description has, what is printed is figures, or one sentence that refuses it.
#[test]
fn figures_out_of_all_proportion() {
    let place = Place::new();
    place.profile();
    let farm = "format = 1\nplatform = \"p.toml\"\nprocessors = 64\ntasks = 1000\nwork = \"200 us\"\n\
                spread = 0.5\nmessage = \"8 B\"\nanswer = \"12 B\"\nprefetch = 2\n";
    let packet = "format = 1\ncommunication = \"fixed-size\"\ninput = \"12 kB\"\nelement = \"12 B\"\nheld = 2\n\
                  link = { per_packet = \"32 us\", per_byte = \"10 ns/B\" }\n[[stage]]\nname = \"a\"\nratio = 0.75\n\
                  memory = \"64 MiB\"\n[[stage]]\nname = \"b\"\nper_byte = \"54 ns/B\"\n";
    let platform = "format = 1\nname = \"p\"\n[[host]]\nname = \"n\"\ncount = 8\nspeed = 0.5\n[network]\n\
                    latency = \"50 us\"\nsend_overhead = { base = \"5 us\", per_rank = \"10 ns\" }\n\
                    bandwidth = \"100 Mbit/s\"\nwake_up = \"20 us\"\n";
    let profile = "format = 1\napplication = \"any\"\n[reduction]\n\
                   task = { fixed = \"100 ms\", per_byte = \"3 ns/B\", spread = 0.05, error = 0.01 }\n\
                   merge = { per_result = \"12.8 ms\" }\nsink = \"2 ms\"\nfinish = \"3 ms\"\n\
                   result_bytes = { fixed = \"20 B\" }\ngrowth = [1.0, 0.9]\ncontention = 0.1\n";
    let tasks = "tasks 100 --profile profile.toml --platform p.toml";
    let all = [
        ("farm.toml", farm, vec!["model farm farm.toml".to_string()]),
        ("packet.toml", packet, vec!["model packet packet.toml".into()]),
        ("p.toml", platform, vec!["model farm farm.toml".into(), format!("plan {tasks}")]),
        ("profile.toml", profile, vec![format!("plan {tasks}"), format!("predict {tasks} --efficiency 0.5")]),
    ];
    for (name, text, _) in &all {
        place.write(name, text);
    }
    for (name, text, commands) in &all {
        // Every number but the format.
        let mut at = text.find("format = 1").unwrap() + "format = 1".len();
        while let Some(from) = text[at..].find(|c: char| c.is_ascii_digit()).map(|i| at + i) {
            let to =
                text[from..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(text.len(), |i| from + i);
            at = to;
            for figure in ["1e308", "1e-308", "1e30", "1e-30", "18446744073709551615", "0"] {
                place.write(name, format!("{}{figure}{}", &text[..from], &text[to..]));
                for command in commands {
                    let said = place.run(command);
                    let shown = said.text();
                    let ended = said.status.code();
                    assert!(ended == Some(0) || ended == Some(2), "{command}, {figure}: {}", said.err);
                    let words = || shown.split(|c: char| !c.is_alphanumeric() && c != '.' && c != ',');
                    let odd = words().find(|w| {
                        let digits = w.chars().filter(char::is_ascii_digit).count();
                        ["NaN", "inf"].contains(w) || digits > 20
                    });
                    assert!(odd.is_none(), "{name}, {figure} at {from}, {command}: {odd:?} in {shown}");
                }
            }
        }
        place.write(name, text);
    }
}
