//! Job files stand for command lines.

use crate::util::{Place, numbers};

#[test]
fn each_job_from_a_file() {
    let place = Place::new();
    place.profile();
    let mut all: Vec<i64> = numbers(2).take(5_003).map(|x| x as i64).collect();
    place.write("in.bin", all.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    all.sort_unstable();
    let sorted: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
    place.write(
        "sort.toml",
        "format = 1\napplication = \"sort\"\ninput = \"in.bin\"\ntype = \"i64\"\nout = \"out.bin\"\n\
         strategy = \"reduction-tree\"\nprocessors = 3\ngrain = \"4 kB\"\nprofile = \"profile.toml\"\n",
    );
    let outcome = &place.run("run sort.toml --json -").ok().json()[0];
    assert!(place.read("out.bin") == sorted);
    assert_eq!((&outcome["strategy"], &outcome["processors"]), (&"reduction-tree".into(), &3.into()));
    // The command line goes before the file.
    let outcome = &place.run("run sort.toml -p 2 --strategy=adaptive --json -").ok().json()[0];
    assert_eq!((&outcome["strategy"], &outcome["processors"]), (&"adaptive".into(), &2.into()));
    assert_eq!(place.run("plan sort.toml --json -").ok().json()["processors"], 3);

    place.write("docs/a", "one two\n");
    place.write("docs/b.md", "three\n");
    place.write(
        "reduce.toml",
        "format = 1\napplication = \"reduce\"\ninput = [\"docs\"]\nmap = \"wc -w\"\n\
         merge = \"awk '{n += $1} END {print n}'\"\nshell = true\ninclude = [\"a\", \"*.md\"]\n",
    );
    assert_eq!(place.run("run reduce.toml").ok().text().trim(), "3");

    place.write(
        "tasks.toml",
        "format = 1\napplication = \"tasks\"\ninput = 64\nsize = \"5 kB\"\nprofile = \"profile.toml\"\n",
    );
    let outcomes = place.run("predict tasks.toml -p 1,4 --platform lehigh-fire --json -").ok().json();
    assert_eq!(outcomes.as_array().unwrap().len(), 2);
    place.assert_clean();
}

#[test]
fn farms_from_a_file() {
    let place = Place::new();
    for (name, text) in [("docs/a", "one\n"), ("docs/b", "two\n")] {
        place.write(name, text);
    }
    place.write(
        "jobs/farm.toml",
        "format = 1\napplication = \"farm\"\ncommand = \"tr a-z A-Z\"\ninput = \"../docs\"\nout = \"all\"\n\
         resume = \"journal\"\nprocessors = 2\n",
    );
    place.run("run jobs/farm.toml").ok();
    assert_eq!(place.text("jobs/all"), "ONE\nTWO\n");
    assert!(place.path("jobs/journal").exists());
    place.write(
        "picture.toml",
        "format = 1\napplication = \"mandelbrot\"\nsize = \"64x200\"\niterations = 200\nout = \"of.png\"\n",
    );
    let plan = place.run("plan picture.toml -p 2 --json -").ok().json();
    assert_eq!((&plan["skeleton"], &plan["processors"]), (&"farm".into(), &2.into()));
    assert!(!place.path("of.png").exists(), "planning writes nothing");
    place.run("predict picture.toml -p 1,2").ok();
    place.run("run picture.toml --size 32x200").ok();
    assert!(place.path("of.png").exists());
}

#[test]
fn what_is_wrong_with_a_job_file_is_said_in_its_terms() {
    let place = Place::new();
    let head = "format = 1\napplication = \"sort\"\ninput = \"in.bin\"\n";
    for (text, line, words) in [
        ("", "1:1", &["format = 1"][..]),
        ("format = 2\n", "1:10", &["format 2", "reads format 1"]),
        ("format = 1\n", "1:1", &["application"]),
        ("format = 1\napplication = \"sort\"\n", "", &["no \"input\""]),
        ("format = 1\napplication = \"reduce\"\ninput = \"a\"\n", "", &["no \"map\" and no \"merge\""]),
        (
            "format = 1\napplication = \"sing\"\n",
            "2:15",
            &["no application", "sing", "sort, features, reduce, lsi, tasks, farm, mandelbrot or hip"],
        ),
        ("binary\u{1}", "1:7", &["not TOML"]),
        ("format = 1\nno toml\n", "2:", &["not TOML"]),
        (&format!("{head}colour = 3\n"), "4:10", &["\"colour\" is no key of a job file of sort: expected"]),
        (&format!("{head}type = {{ a = 1 }}\n"), "4:8", &["type", "expected a string"]),
        (&format!("{head}processors = 0\n"), "4:14", &["processors", "at least 1"]),
        (&format!("{head}strategy = \"fast\"\n"), "4:12", &["fast", "parallel-pipeline"]),
        ("format = 1\napplication = \"tasks\"\ninput = -4\n", "3:9", &["-4", "whole number"]),
        ("format = 1\napplication = \"farm\"\ninput = \"a\"\n", "", &["no \"command\""]),
        ("format = 1\napplication = \"hip\"\nfemur = \"a\"\n", "", &["no \"pelvis\""]),
        (
            "format = 1\napplication = \"mandelbrot\"\ninput = \"a\"\n",
            "3:9",
            &["\"input\" is no key of a job file of mandelbrot: expected"],
        ),
        ("format = 1\napplication = \"mandelbrot\"\nmasters = 0\n", "3:11", &["masters", "at least 1"]),
        (
            "format = 1\napplication = \"mandelbrot\"\nstrategy = \"auto\"\n",
            "3:12",
            &["\"strategy\" is no key of a job file of mandelbrot"],
        ),
    ] {
        place.write("job.toml", text);
        let said = place.run("run job.toml").refused(2, words);
        assert!(said.err.starts_with(&format!("forerun: job.toml:{line}")), "{text}: {}", said.err);
        assert!(!said.err.contains("--help"), "{}", said.err);
    }
    // Of every kind of option, a value of every other type.
    let mandelbrot = "format = 1\napplication = \"mandelbrot\"\n";
    let reduce = "format = 1\napplication = \"reduce\"\ninput = \"in.bin\"\nmap = \"cat\"\nmerge = \"cat\"\n";
    let flag = ["\"yes\"", "1", "0.5", "[true]", "1979-05-27", "{ a = 1 }"];
    let one = ["true", "false", "[1, 2]", "[]", "1979-05-27", "{ a = 1 }"];
    let several = ["true", "false", "[[true]]", "[1979-05-27]", "1979-05-27", "{ a = 1 }"];
    for (text, key, values, words) in [
        (reduce, "shell", flag, "true or false"),
        (reduce, "commutative", flag, "true or false"),
        (reduce, "quiet", flag, "true or false"),
        (mandelbrot, "centre", one, "a string or a number (RE,IM)"),
        (mandelbrot, "iterations", one, "a string or a number (N)"),
        (mandelbrot, "width", one, "a string or a number (WIDTH)"),
        (mandelbrot, "out", one, "a string or a number (FILE.png)"),
        (mandelbrot, "json", one, "a string or a number (FILE)"),
        (head, "processors", one, "a string or a number (P)"),
        (head, "strategy", one, "a string or a number (STRATEGY)"),
        (reduce, "include", several, "of s"),
        (head, "by", several, "of s"),
    ] {
        for value in values {
            place.write("job.toml", format!("{text}{key} = {value}\n"));
            let said = place.run("run job.toml").refused(2, &[key, "expected", words]);
            let line = format!("forerun: job.toml:{}:", text.lines().count() + 1);
            assert!(said.err.starts_with(&line), "{key} = {value}: {}", said.err);
        }
    }
    for (key, value, words) in [
        ("iterations", "\"many\"", "expected a whole number"),
        ("iterations", "1.5", "expected a whole number"),
        ("iterations", "-1", "expected a whole number"),
        ("iterations", "99999999999", "expected"),
        ("width", "\"wide\"", "expected a number"),
        ("retries", "\"\"", "expected"),
    ] {
        place.write("job.toml", format!("{mandelbrot}{key} = {value}\n"));
        let said = place.run("run job.toml").refused(2, &[key, words]);
        assert!(said.err.starts_with("forerun: job.toml:3:"), "{}", said.err);
        assert!(!said.err.contains("digit found") && !said.err.contains("literal"), "{}", said.err);
    }
    // What the command line says beside the file is not the file's fault.
    place.write("job.toml", head);
    let said = place.run("run job.toml -p 0").refused(2, &["--processors", "at least 1"]);
    assert!(!said.err.contains("job.toml"), "{}", said.err);
    place.write("job.toml", b"\xff\xfe\x00");
    place.run("run job.toml").refused(2, &["job.toml", "is not text"]);
    place.write("job.toml", b"\x00\x01binary");
    place.run("run job.toml").refused(2, &["job.toml", "is not text"]);
    place.run("run nothing.toml").refused(2, &["nothing.toml does not exist"]);
    let jobs = "expected sort, features, reduce, lsi, tasks, farm, mandelbrot or hip, or a file";
    place.run("run srot").refused(2, &["srot is no job (did you mean sort?), nor a job file", jobs]);
    place.run("run nothing").refused(2, &["nothing is no job, nor a job file", jobs]);
    for (key, advice) in [("stratgy", "did you mean \"strategy\"?"), ("colour", "a long option of it")] {
        place
            .write("job.toml", format!("format = 1\napplication = \"sort\"\ninput = \"x\"\n{key} = \"a\"\n"));
        let said = format!("\"{key}\" is no key of a job file");
        place.run("plan job.toml").refused(2, &["job.toml:4:", &said, advice]);
    }
}
