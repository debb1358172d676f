//! Where things are written: to standard output for `-`, and never over an input or another output.

use std::path::Path;

use crate::util::Place;

fn numbers(place: &Place, name: &str, of: impl Iterator<Item = i32>) {
    place.write(name, of.flat_map(i32::to_le_bytes).collect::<Vec<_>>());
}

#[test]
fn a_dash_is_standard_output_and_nothing_else_is_on_it() {
    let place = Place::new();
    let profile = place.profile();
    numbers(&place, "in", (0..5000).rev());
    let sorted: Vec<u8> = (0..5000).flat_map(i32::to_le_bytes).collect();
    for more in ["", " -p 1", " --memory 64KiB --tmp tmp"] {
        let said = place.run(&format!("run sort in -o -{more}")).ok();
        assert!(said.out == sorted, "{more}: {} bytes", said.out.len());
        assert!(said.err.contains("measured"), "{}", said.err);
    }
    assert_eq!(place.run("generate numbers 1k -o - --type i64").ok().out.len(), 8000);
    let page = place.run("run sort in --json o.json").ok();
    assert!(page.text().contains("measured"));
    let page = place.run("report o.json -o -").ok().text();
    assert!(page.starts_with("<!") && page.trim_end().ends_with("</html>"), "{page}");
    let said = place.run("run sort in --write-profile -").ok().text();
    assert!(said.parse::<toml::Table>().is_ok(), "{said}");
    let costs = format!("plan sort in --profile {} --sbatch -", profile.display());
    assert!(place.run(&costs).ok().text().starts_with("#!"));
    assert!(!place.path("-").exists());
    place.assert_clean();
}

/// What can be written as data, with what names where it goes; each gives the same in every run.
const DATA: [(&str, &[&str]); 12] = [
    (
        "predict sort in --profile profile.toml --platform bme-pc-cluster -p 2,4",
        &["--csv", "--svg", "--json"],
    ),
    (
        "predict sort in --profile profile.toml --platform bme-pc-cluster -p 2 --strategy reduction-tree",
        &["--write-model", "--csv", "--json", "--write-profile"],
    ),
    (
        "predict sort in --profile profile.toml --platform bme-pc-cluster -p 2,4 --efficiency 0.5",
        &["--csv", "--svg", "--json"],
    ),
    (
        "predict tasks 9 --profile profile.toml --platform bme-pc-cluster",
        &["--csv", "--svg", "--json", "--write-profile"],
    ),
    ("plan sort in --profile profile.toml --platform bme-pc-cluster", &["--sbatch", "--json"]),
    ("model packet packet.toml", &["--csv", "--svg", "--json"]),
    ("model farm farm.toml -p 4", &["--csv", "--svg", "--json", "--write-model"]),
    ("compare o.json", &["--csv", "--svg", "--json"]),
    ("reproduce kuntraruk-speedup", &["--csv", "--svg", "--json"]),
    ("reproduce --list", &["--csv", "--json"]),
    ("pepa sweep m.pepa --over r=1,2", &["--csv", "--svg", "--json"]),
    ("pepa fluid m.pepa --until 2 --points 3", &["--csv", "--json"]),
];

/// Whatever data it is, standard output has it alone, byte for byte as a file has; the table is on standard error. It carries one thing.
#[test]
fn data_is_on_standard_output_as_in_a_file_and_alone() {
    let place = Place::new();
    place.profile();
    numbers(&place, "in", 0..100);
    place.write("m.pepa", "r = 1;\nP = (a, r).P;\nP");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/select-packets.toml");
    place.write("packet.toml", std::fs::read(example).unwrap());
    let farm = "format = 1\nplatform = \"osaka-fast-ethernet\"\ntasks = 10\nwork = \"1 s\"\nmessage = \"8 B\"\nanswer = \"12 B\"\n";
    place.write("farm.toml", farm);
    place.run("run sort in -p 1 --profile profile.toml -o sorted --json o.json").ok();
    for (line, options) in DATA {
        for option in options {
            place.run(&format!("{line} {option} file")).ok();
            let there = place.read("file");
            std::fs::remove_file(place.path("file")).unwrap();
            for stdout in ["-", "/dev/stdout"] {
                let said = place.run(&format!("{line} {option} {stdout}")).ok();
                // What the command itself took of memory is another figure each time.
                let same = |bytes: &[u8]| {
                    let text = String::from_utf8_lossy(bytes).to_lowercase();
                    text.split_inclusive('\n').filter(|l| !l.contains("mem")).collect::<String>()
                };
                assert_eq!(same(&said.out), same(&there), "{line} {option} {stdout}");
            }
            for other in options.iter().filter(|other| *other != option) {
                let said = place.run(&format!("{line} {option} - {other} /dev/fd/1"));
                let said = said.refused(2, &[&format!("{option} -"), &format!("{other} -")]);
                assert!(said.out.is_empty(), "{line} {option} {other}: {}", said.text());
                // Two that go apart are both written.
                place.run(&format!("{line} {option} - {other} file")).ok();
                assert!(place.read("file").len() > 1, "{line} {other}");
                std::fs::remove_file(place.path("file")).unwrap();
            }
        }
    }
    // A result that goes there when nothing is said is one of them.
    for line in ["reduce --map cat --merge cat in", "farm cat in"] {
        for option in ["--write-profile", "--json"] {
            let said = place.run(&format!("{line} {option} -"));
            let said = said.refused(2, &[&format!("{option} -"), "the result", "-o"]);
            assert!(said.out.is_empty());
        }
    }
    let said = place.run("crawl http://127.0.0.1:9 -o pages --print-files --json -");
    said.refused(2, &["--json -", "--print-files"]);
    assert!(!place.path("-").exists() && !place.path("pages").exists());
    place.assert_clean();
}

#[test]
fn nothing_is_written_over_an_input_or_another_output() {
    let place = Place::new();
    place.profile();
    numbers(&place, "in", 0..100);
    std::os::unix::fs::symlink("in", place.path("link")).unwrap();
    place.run("run sort in --json o.json -o sorted").ok();
    let before = (place.read("in"), place.read("o.json"), place.read("profile.toml"));
    for line in [
        "run sort in --json in",
        "run sort in --json in.sorted",
        "run sort in -o x --json x",
        "run sort in -o x --write-profile x",
        "run sort in -o x --json y --write-profile ./y",
        "run sort in --profile profile.toml --json profile.toml",
        "run sort in --profile profile.toml --write-profile profile.toml",
        "plan sort in --sbatch x --json x",
        "plan sort in --sbatch in",
        "predict tasks 9 --profile profile.toml --json profile.toml",
        "reduce --map cat --merge cat in -o in",
        "reduce --map cat --merge cat in -o x --json link",
        "reduce --map cat --merge cat in -o x --write-profile x",
        "reduce --map cat --merge cat --files-from list -o list",
        "report o.json -o o.json",
        "report o.json -o x --json x",
        "compare o.json --json o.json",
        "generate numbers 10 -o x --json x",
        "calibrate --out x --json x",
        "run sort in -o - --json -",
        "run sort in -o - --write-profile -",
    ] {
        place.write("list", "in\n");
        place.run(line).refused(2, &[]);
        assert!(!place.path("x").exists() && !place.path("in.sorted").exists(), "{line}");
        assert_eq!(place.text("list"), "in\n", "{line}");
    }
    let after = (place.read("in"), place.read("o.json"), place.read("profile.toml"));
    assert!(before == after);
    // Devices can have many uses, and what only plans writes no result.
    place.run("run sort in -o x --json /dev/null --write-profile /dev/null").ok();
    place.run("plan sort in -o in --json plan.json").ok();
    place.assert_clean();
}

#[test]
fn more_than_fits_is_refused_before_anything_is_written() {
    let place = Place::new();
    for count in ["1e18", "18446744073709551615", "1_000_000T"] {
        place.run(&format!("generate numbers {count} -o x")).refused(2, &["free"]);
    }
    place.assert_clean();
}

#[test]
fn a_result_is_on_standard_output_not_in_it() {
    let place = Place::new();
    place.profile();
    place.write("in", [1; 400]);
    for line in [
        "run sort in -o - --profile profile.toml",
        "run sort in -o - --skeleton scatter-gather",
        "reduce --map cat --merge cat in --profile profile.toml",
        "farm cat in",
    ] {
        let said = place.run(line).ok();
        assert!(said.err.contains(" on standard output"), "{line}: {}", said.err);
        assert!(!said.err.contains("in standard output"), "{line}: {}", said.err);
    }
}

/// Of tasks that are known only by their costs, too, the profile used is written, whatever is done with them.
#[test]
fn the_profile_of_tasks_is_written_whatever_is_done_with_them() {
    let place = Place::new();
    place.write(
        "profile.toml",
        "format = 1\napplication = \"any\"\n[reduction]\ntask = { fixed = \"1 ms\" }\nmerge = { fixed = \"0.1 ms\" }\nresult_bytes = \"20 B\"\n\
         [scatter_gather]\nread = \"1 ns/B\"\nprocess = \"100 ns/B\"\nlocal = \"10 ns/B\"\nglobal = \"1 ns/B\"\nwrite = \"1 ns/B\"\n",
    );
    let run = "run tasks 5 -p 1 --profile profile.toml";
    place.run(&format!("{run} --write-profile ran.toml")).ok();
    let ran = place.text("ran.toml");
    assert!(ran.contains("[reduction]") && ran.contains("[scatter_gather]"), "{ran}");
    let scattered = "--size 1kB --skeleton scatter-gather";
    for line in [
        format!("{run} --on simulated"),
        format!("{run} --on simulated {scattered}"),
        "plan tasks 5 -p 1 --profile profile.toml".into(),
        format!("plan tasks 5 -p 1 --profile profile.toml {scattered}"),
        "predict tasks 5 -p 1 --profile profile.toml".into(),
        "predict tasks 5 -p 1 --profile profile.toml --efficiency 0.5".into(),
        format!("predict tasks 5 -p 1 --profile profile.toml {scattered}"),
    ] {
        place.run(&format!("{line} --write-profile written.toml")).ok();
        assert_eq!(place.text("written.toml"), ran, "{line}");
        std::fs::remove_file(place.path("written.toml")).unwrap();
        assert_eq!(place.run(&format!("{line} --write-profile -")).ok().text(), ran, "{line}");
        let said = place.run(&format!("{line} --write-profile no/written.toml"));
        said.refused(2, &["--write-profile no/written.toml: cannot be written (there is no directory no)"]);
    }
}

/// Where there is no profile to write, that is said.
#[test]
fn no_profile_is_written_without_a_word_where_there_is_none() {
    let place = Place::new();
    place.write("in", "a");
    place.write("list", "in\n");
    for verb in ["run", "plan", "predict"] {
        let by = if verb == "predict" { " --profile profile.toml" } else { "" };
        place.profile();
        let said = place.run(&format!("{verb} farm cat in -p 1{by} --write-profile p.toml")).ok();
        let words = "nothing is written to p.toml: of so few tasks no costs are known";
        let both = format!("{}{}", said.err, String::from_utf8_lossy(&said.out));
        assert_eq!(both.contains(words), by.is_empty(), "{verb}: {both}");
        assert_eq!(place.path("p.toml").exists(), !by.is_empty(), "{verb}");
    }
    // More names may come for as long as the script runs.
    place.pipe("names");
    place.write(
        "script",
        "exec 3<>names; cat list >&3\n\
         forerun reduce --map cat --merge cat --files-from - --strategy adaptive -p 2 -o x --write-profile q.toml <names\n\
         test $? = 2\n",
    );
    let said = place.run_script("script");
    assert!(
        said.err.contains("--write-profile q.toml: ") && said.err.contains("without a pilot"),
        "{}",
        said.err
    );
    assert!(!place.path("q.toml").exists() && !place.path("x").exists());
}

/// An output that is a link goes where the link leads, though nothing is there yet, as `>` of a shell does.
#[test]
fn a_link_that_leads_nowhere_is_written_through() {
    let place = Place::new();
    place.profile();
    numbers(&place, "in", 0..100);
    place.write("m.pepa", "P = (a, 1).P;\nP");
    place.run("run sort in -p 1 --profile profile.toml -o sorted --json o.json").ok();
    std::fs::create_dir(place.path("far")).unwrap();
    for line in [
        "run sort in -p 1 --profile profile.toml -o",
        "run sort in -p 1 --skeleton scatter-gather -o",
        "run sort in -p 1 --profile profile.toml -o x --json",
        "run sort in -p 1 -o x --write-profile",
        "farm cat in --profile profile.toml -o",
        "reduce --map cat --merge cat in --profile profile.toml -o",
        "run mandelbrot --size 8x8 --iterations 9 -o",
        "plan sort in --profile profile.toml --sbatch",
        "predict sort in --profile profile.toml --csv",
        "predict sort in --profile profile.toml --svg",
        "generate numbers 10 -o",
        "report o.json -o",
        "pepa export m.pepa --as prism -o",
    ] {
        let (link, far) = (place.path("link"), place.path("far/file"));
        std::os::unix::fs::symlink("far/file", &link).unwrap();
        place.run(&format!("{line} link")).ok();
        assert!(link.is_symlink() && far.is_file(), "{line}");
        assert!(far.metadata().unwrap().len() > 0, "{line}");
        std::fs::remove_file(&far).unwrap();
        std::fs::remove_file(&link).unwrap();
        // Into a directory that is not there nothing can be written, and the link stays.
        std::os::unix::fs::symlink("gone/file", &link).unwrap();
        place.run(&format!("{line} link")).refused(2, &["gone"]);
        assert!(link.is_symlink() && !link.exists(), "{line}");
        std::fs::remove_file(&link).unwrap();
    }
    // Two names of what is not there yet are one output.
    std::os::unix::fs::symlink("new", place.path("link")).unwrap();
    place.run("run sort in -o new --json link").refused(2, &["the result goes there"]);
    place.assert_clean();
}

/// A file has as many names as there are hard links to it, and is one.
#[test]
fn hard_links_are_one_file() {
    let place = Place::new();
    place.profile();
    numbers(&place, "in", 0..100);
    numbers(&place, "docs/one", 0..100);
    for (file, hard) in [("in", "hard"), ("docs/one", "of-docs"), ("profile.toml", "costs.toml")] {
        std::fs::hard_link(place.path(file), place.path(hard)).unwrap();
    }
    for line in [
        "run sort in hard -o x",
        "plan sort hard in",
        "farm cat in hard -o x",
        "reduce --map cat --merge cat in hard -o x",
    ] {
        place.run(line).refused(2, &["is given twice", "in", "hard"]);
    }
    for line in [
        "run sort in --json hard",
        "run sort in --profile profile.toml --write-profile costs.toml",
        "farm cat in -o hard",
        "farm cat docs -o of-docs",
        "farm cat in -o x --resume hard",
        "reduce --map cat --merge cat in -o hard",
        "reduce --map cat --merge cat docs -o of-docs",
        "predict sort in --profile profile.toml --csv hard",
    ] {
        place.run(line).refused(2, &["that is an input"]);
        assert!(!place.path("x").exists(), "{line}");
    }
    place.assert_clean();
}
