//! `forerun reproduce` and the files of `--json`, `--csv` and `--svg`.

use std::fs;

use serde_json::Value;

use crate::util::Place;

#[test]
fn entries_are_listed_and_named() {
    let place = Place::new();
    let listed = place.run("reproduce --list").ok().text();
    for name in ["kuntraruk-table-1", "juhasz-figure-3", "mizutani-table-2", "du-knn-1st"] {
        assert!(listed.lines().any(|l| l.starts_with(name)), "{listed}");
    }
    place.run("reproduce --list --csv list.csv -q").ok();
    let table = place.text("list.csv");
    assert_eq!(table.lines().count(), 1 + listed.lines().count());
    assert!(table.starts_with("name,title,rows,paper,study\n"), "{table}");
    place.run("reproduce --list --svg list.svg").refused(2, &["--svg", "no plot"]);
    place.run("reproduce --models --csv models.csv").refused(2, &["--models", "--json"]);
    place.run("reproduce kuntraruk-tabel-1").refused(2, &["did you mean kuntraruk-table-1?", "--list"]);
    place.run("reproduce --all kuntraruk-table-1").refused(2, &["--all"]);
    let models = place.run("reproduce --models").ok().text();
    assert!(models.contains("kuntraruk-equation-11(size, capacity, t_comp): "), "{models}");
}

#[test]
fn data_table_and_plot_are_of_the_same_rows() {
    let place = Place::new();
    let shown = place.run("reproduce kuntraruk-table-1 --json a.json --csv a.csv --svg a.svg").ok().text();
    assert!(shown.contains("16 processors, 4096 documents, predicted"), "{shown}");
    let data: Value = serde_json::from_str(&place.text("a.json")).unwrap();
    let entry = &data[0];
    assert_eq!(entry["name"], "kuntraruk-table-1");
    let rows = entry["rows"].as_array().unwrap();
    let predicted = &rows[0];
    assert_eq!(predicted["label"], "16 processors, 4096 documents, predicted");
    assert_eq!((predicted["kind"].as_str(), predicted["agrees"].as_str()), (Some("formula"), Some("reason")));
    assert_eq!((predicted["paper"].as_f64(), predicted["unit"].as_str()), (Some(77.0), Some("s")));
    let near = |key: &str, value: f64| (predicted[key].as_f64().unwrap() - value).abs() < 0.01;
    assert!(near("ours", 76.88) && near("explained", 77.97) && near("relative", -0.0016), "{predicted}");
    assert!(predicted["note"].as_str().unwrap().contains("2.58 ms"), "{predicted}");
    let measured = rows.iter().find(|r| r["kind"] == "measured").unwrap();
    assert!(measured["agrees"].is_null() && measured.as_object().unwrap().contains_key("agrees"));
    for who in ["theirs", "closed_form", "simulated"] {
        assert!(measured[who]["value"].is_f64() && measured[who]["relative"].is_f64(), "{measured}");
    }
    assert_eq!(place.text("a.csv").lines().count(), 1 + rows.len());
    let svg = place.text("a.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("parallel time, simulated"));
    place.run("reproduce --list --csv a --svg a").refused(2, &["--svg a", "another file"]);
    place.run("reproduce --list --csv no/a").refused(2, &["--csv no/a", "no directory"]);
}

#[test]
fn all_entries_end_with_what_they_come_to() {
    let place = Place::new();
    let said = place.run("reproduce --all --svg a.svg").ok().text();
    assert!(said.contains(" for a reason, 0 do not"), "{said}");
    // As the columns are called.
    for who in ["their model", "closed form", "simulated"] {
        assert!(said.contains(&format!("  {who}: off by ")), "{who}");
        assert!(place.text("a.svg").contains(&format!(">{who}</text>")), "{who}");
    }
}

#[test]
fn an_edited_copy_of_the_studies_is_found_out() {
    let place = Place::new();
    let name = "mizutani-overhead.toml";
    let studies = concat!(env!("CARGO_MANIFEST_DIR"), "/studies/");
    let text = fs::read_to_string(format!("{studies}{name}")).unwrap();
    let edited = |value: &str| {
        let changed = text.replace("per_processor = \"0.182 us\"", &format!("per_processor = {value}"));
        place.write(format!("copy/{name}"), changed);
        place.run("reproduce mizutani-overhead --studies copy")
    };
    let shown = edited("\"0.182 us\"").ok().text();
    assert!(shown.contains("digits, rounded") && !shown.contains("NO"), "{shown}");
    let shown = edited("\"0.2 us\"").ok().text();
    assert!(shown.contains("NO"), "{shown}");
    edited("\"0.182\"").refused(2, &["copy/mizutani-overhead.toml:", "a time"]);
    place.write("empty/readme", "");
    place.run("reproduce --all --studies empty").refused(2, &["--studies empty", "NAME.toml"]);
    place.run("reproduce --all --studies none").refused(2, &["--studies none", "folder of study files"]);
}

#[test]
fn the_work_that_holds_an_efficiency_is_predicted() {
    let place = Place::new();
    place.write(
        "profile.toml",
        "format = 1\napplication = \"x\"\n[reduction]\ntask = \"150 ms\"\n\
         merge = { per_result = \"12.8 ms\" }\nresult_bytes = \"10 kB\"\n",
    );
    let job = "predict tasks 64 --profile profile.toml --platform ncsa-ia32-myrinet -p 4,8,16";
    let shown =
        place.run(&format!("{job} --efficiency 0.6 --json a.json --csv a.csv --svg a.svg")).ok().text();
    assert!(shown.contains("no amount"), "{shown}");
    let data: Value = serde_json::from_str(&place.text("a.json")).unwrap();
    let pipeline = data.as_array().unwrap().iter().find(|c| c["strategy"] == "parallel-pipeline").unwrap();
    let at_16 = &pipeline["points"][2];
    assert!(at_16["efficiency"].as_f64().unwrap() >= 0.6 && at_16["work_s"].as_f64().unwrap() > 0.0);
    assert_eq!(place.text("a.csv").lines().count(), 1 + 4 * 3);
    assert!(place.text("a.svg").contains("master-slave"));
    place.run(&format!("{job} --efficiency 1.5")).refused(2, &["--efficiency", "at most 1"]);
    let of = |efficiency: &str| place.run(&format!("{job} --efficiency {efficiency}")).ok().text();
    assert_eq!(of("0.6"), of("60%"));
}

/// Few tasks may reach what many do not; and what is said of an amount of work is what is predicted for it.
#[test]
fn the_work_that_reaches_an_efficiency_is_what_is_predicted_for_it() {
    let place = Place::new();
    place.write(
        "profile.toml",
        "format = 1\napplication = \"x\"\n[reduction]\ntask = \"100 ms\"\nmerge = \"30 ms\"\n\
         result_bytes = \"1 kB\"\n",
    );
    let job = |tasks: u64| format!("predict tasks {tasks} --profile profile.toml --platform lehigh-fire");
    let said = place.run(&format!("{} --efficiency 80% --json -", job(100))).ok();
    let data = said.json();
    let curves = data.as_array().unwrap();
    let pinned = "--groups 1 --arity 2";
    for curve in curves.iter().filter(|c| c["strategy"] != "adaptive") {
        let strategy = curve["strategy"].as_str().unwrap();
        for point in curve["points"].as_array().unwrap() {
            let (p, Some(tasks)) = (point["processors"].as_u64().unwrap(), point["tasks"].as_u64()) else {
                continue;
            };
            let line = format!("{} -p {p} --strategy {strategy} {pinned} --json -", job(tasks));
            let predicted = place.run(&line).ok().json()[0]["makespan_s"].as_f64().unwrap();
            assert_eq!(Some(predicted), point["makespan_s"].as_f64(), "{strategy} {p}");
        }
    }
    let pipeline = curves.iter().find(|c| c["strategy"] == "parallel-pipeline").unwrap();
    let at = |p: u64| pipeline["points"].as_array().unwrap().iter().find(|x| x["processors"] == p).unwrap();
    assert_eq!(at(2)["tasks"], 2);
    assert!(at(2)["ceiling"].as_f64().unwrap() < 0.6);
    // What it cannot be run on is said, and has a row.
    let cores = pipeline["points"].as_array().unwrap().last().unwrap();
    assert!(cores["refused"].as_str().unwrap().contains("power of 2"), "{cores}");
}

#[test]
fn predictions_and_comparisons_are_written_as_table_and_plot() {
    let place = Place::new();
    place.profile();
    let line = "predict tasks 500 --size 5kB --profile profile.toml --platform osaka-fast-ethernet";
    place.run(&format!("{line} -p 1,2,4 --by analytic,simulated --json a.json --csv a.csv --svg a.svg")).ok();
    let table = place.text("a.csv");
    assert!(
        table.starts_with("job,platform,way,strategy,processors,") && table.lines().count() == 1 + 6,
        "{table}"
    );
    assert!(place.text("a.svg").contains("makespan in s"));
    place.run("compare a.json --csv b.csv --svg b.svg").ok();
    assert!(place.text("b.csv").contains("relative_error") && place.text("b.svg").starts_with("<svg "));
}
