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
fn what_is_wrong_with_a_job_file_is_said_in_its_terms() {
    let place = Place::new();
    let head = "format = 1\napplication = \"sort\"\ninput = \"in.bin\"\n";
    for (text, words) in [
        ("", &["format = 1"][..]),
        ("format = 2\n", &["format = 2", "reads 1"]),
        ("format = 1\n", &["application"]),
        ("format = 1\napplication = \"sort\"\n", &["required", "FILE"]),
        (
            "format = 1\napplication = \"sing\"\n",
            &["no application", "sing", "sort, features, reduce, lsi or tasks"],
        ),
        ("\u{0}\u{1}binary", &["line 1", "not TOML"]),
        ("format = 1\nno toml\n", &["line 2", "not TOML"]),
        (&format!("{head}colour = 3\n"), &["no key colour"]),
        (&format!("{head}type = {{ a = 1 }}\n"), &["type", "expected a string"]),
        (&format!("{head}processors = 0\n"), &["--processors", "at least 1"]),
        (&format!("{head}strategy = \"fast\"\n"), &["fast", "parallel-pipeline"]),
    ] {
        place.write("job.toml", text);
        let said = place.run("run job.toml").refused(2, words);
        assert!(said.err.starts_with("forerun: job.toml"), "{}", said.err);
        assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
    }
    place.write("job.toml", b"\xff\xfe\x00");
    place
        .run("run job.toml")
        .refused(2, &["job.toml", "neither a job (sort, features, reduce, lsi, tasks) nor a job file"]);
    place.run("run nothing.toml").refused(2, &["nothing.toml", "no such file"]);
}
