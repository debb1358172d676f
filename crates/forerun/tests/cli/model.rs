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
    assert_eq!(data["by_processors"][0]["bound_by"], "trip");
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
        ("packet", format!("{packet}{stage}memory = \"2 B\"\n"), "", &["stage 1 needs 3 B", "has 2 B"]),
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
