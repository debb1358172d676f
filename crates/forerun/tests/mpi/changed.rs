//! Inputs that others change between the moment that the command looks at them and the end of the ranks.

use std::fs;

use crate::util::{self, Place, ball};
use crate::{assert_refused, can_run};

/// An `mpirun` that has the shell do something in the place before it starts any rank: the command has looked at its inputs, and tried what it
/// tries, and no rank has.
fn after(place: &Place, what: &str) -> String {
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] || {{ {what}; }}\nexec mpirun \"$@\"\n");
    place.script("after", &script).display().to_string()
}

/// Writes other bytes into a file, the same number, by the shell.
const EDIT: &str = "printf ' ' | dd of=FILE conv=notrunc bs=1 seek=40 2>/dev/null";
/// What can become of a file, and what is said of it.
fn changes(file: &str) -> [(String, String); 3] {
    let edit = EDIT.replace("FILE", file);
    [
        (edit.clone(), format!("{file} was written to while")),
        (
            format!("touch -r {file} time; sleep 0.05; {edit}; touch -r time {file}; rm time"),
            format!(
                "{file} was touched, or written to and its time put back (only its ctime has moved, which does not tell), while"
            ),
        ),
        (format!("cp {file} copy; mv copy {file}"), format!("{file} was replaced by another file while")),
    ]
}

/// What was planned, and kept of a pilot, is of the files that the command saw: ranks that would read others say so.
#[test]
fn inputs_that_are_others_when_ranks_begin_end_the_run() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.run("generate numbers 50000 -o numbers").ok();
    let lines: String = (0..30_000u32).map(|n| format!("line {n}\n")).collect();
    let texts: String =
        (1..=60).map(|i| format!(".I {i}\n.W\n{} lift wing\n", ["drag", "flow", "heat"][i % 3])).collect();
    place.write("all", texts);
    place.run("lsi build all -o model -k 2").ok();
    let queries: String =
        (1..=300).map(|i| format!(".I {i}\n.W\n{} wing\n", ["drag", "heat"][i % 2])).collect();
    let femur = ball(22.0, [0.0; 3], 20) + &ball(20.0, [0.0, -380.0, 20.0], 12);
    place.write("pelvis", ball(40.0, [0.0, 60.0, -60.0], 16));
    let with = "--profile profile.toml --grain 9kB -o out";
    for (file, job) in [
        // What its pilot has done counts.
        ("lines", "reduce --split-lines --map cat --merge cat lines -o out".to_owned()),
        ("lines", format!("reduce --split-lines --map cat --merge cat lines {with}")),
        ("lines", format!("run sort lines --type lines {with} --skeleton reduction")),
        ("numbers", format!("run sort numbers {with}")),
        ("numbers", "run sort numbers -o out --skeleton scatter-gather --block 7kB".to_owned()),
        ("queries", format!("run lsi model queries {with}")),
        (
            "femur",
            "run hip --femur femur --pelvis pelvis --rotation 0:0:1 --flexion -20:90:5 -o out".to_owned(),
        ),
    ] {
        for (change, what) in changes(file) {
            place.write("lines", &lines);
            place.write("queries", &queries);
            place.write("femur", &femur);
            let launcher = after(&place, &change);
            let said = place.run(&format!("{job} --on mpi -p 2 --mpirun {launcher}"));
            println!("{job}: {}", said.err);
            assert_refused(&said, 1, &format!("{what} a run on it began: leave the inputs alone"));
            assert!(!place.path("out").exists(), "{job}: {what}");
        }
    }
    place.assert_clean();
}

/// Pieces of a file go together, on ranks that opened it before it was changed as well.
#[test]
fn inputs_that_are_changed_while_ranks_read_them_end_the_run() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    for change in ["echo another >> lines", &changes("lines")[1].0] {
        place.write("lines", "a line\n".repeat(3000));
        let map = format!("cat; mkdir once 2> /dev/null && {{ {change}; }}; true");
        let words =
            ["reduce", "--shell", "--split-lines", "--map", &map, "--merge", "cat", "lines", "-o", "out"];
        let more = ["--grain", "3 kB", "--profile", "profile.toml", "--on", "mpi", "-p", "2"];
        let said = place.say(words.iter().chain(&more));
        assert_refused(&said, 1, "while it was being read: leave the inputs alone");
        assert!(!place.path("out").exists(), "{change}");
        fs::remove_dir(place.path("once")).unwrap();
    }
    place.assert_clean();
}

/// Whole files are their commands', which have them as they are then, on ranks as on threads: and every one once.
#[test]
fn whole_inputs_are_as_they_are_when_their_commands_read_them() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    let old: Vec<String> = (10..40).map(|n| format!("{n}\n")).collect();
    // Longer than a task is to be: where ranks went by the sizes of then, the others' tasks were others.
    let longer = "for f in in/2?; do yes new | head -n 500 >> $f; done";
    let launcher = after(&place, longer);
    for job in ["reduce --map cat --merge cat in -o out --grain 50B", "farm cat in -o out"] {
        for (n, text) in (10..40).zip(&old) {
            place.write(format!("in/{n}"), text);
        }
        let words = format!("{job} --profile profile.toml --on mpi -p 3 --mpirun {launcher}");
        place.run(&words).ok();
        let out = place.text("out");
        let lines: Vec<String> =
            out.lines().filter(|line| *line != "new").map(|line| format!("{line}\n")).collect();
        assert_eq!((lines, out.matches("new").count()), (old.clone(), 5000), "{job}");
        fs::remove_file(place.path("out")).unwrap();
    }
    place.assert_clean();
}

/// What is only the command's own is refused at once: ranks have another file of this name.
#[test]
fn a_file_by_a_name_of_this_process_alone_is_refused() {
    if !can_run() {
        return;
    }
    let place = Place::new();
    place.profile();
    place.write("lines", "3\n1\n2\n");
    for (job, name) in [
        ("run sort --type lines /dev/stdin -o out", "/dev/stdin"),
        ("reduce --split-lines --map cat --merge cat /dev/fd/0 -o out", "/dev/fd/0"),
        ("reduce --map cat --merge cat /proc/self/fd/0 -o out", "/proc/self/fd/0"),
        ("farm cat /dev/stdin -o out", "/dev/stdin"),
    ] {
        let mut command = std::process::Command::new("sh");
        let script = format!("exec \"$0\" {job} --profile profile.toml --on mpi -p 2 < lines");
        command.args(["-c", &script, util::FORERUN]).current_dir(place.path(""));
        command.env("TMPDIR", place.path("tmp"));
        assert_refused(&util::finish(command), 2, &format!("{name} is another file in each process"));
        assert!(!place.path("out").exists(), "{job}");
    }
    place.assert_clean();
}
