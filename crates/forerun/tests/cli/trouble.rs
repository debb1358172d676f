//! Commands that do not do their work: one sentence, status 1, nothing left.

use crate::util::{Place, assert_gone, finish};

fn place() -> Place {
    let place = Place::new();
    place.profile();
    for i in 0..5 {
        place.write(format!("in/{i}"), format!("{i}\n"));
    }
    place
}

fn reduce(place: &Place, map: &str, merge: &str, more: &[&str]) -> crate::util::Said {
    let words = ["reduce", "--map", map, "--merge", merge, "in", "-o", "out", "--grain", "1 B", "-p", "2"];
    place.say(words.iter().chain(more))
}

/// With and without a pilot, which meets the fault first.
const WAYS: [&[&str]; 2] = [&[], &["--profile", "profile.toml"]];

#[test]
fn a_map_that_fails() {
    let place = place();
    for more in WAYS {
        let on_one = "sh -c 'test \"$1\" != in/3 || { echo no such luck >&2; exit 7; }; cat \"$1\"' sh {}";
        reduce(&place, on_one, "cat", more).refused(1, &["map", "in/3", "exit status 7", "no such luck"]);
        reduce(&place, "sh -c 'kill -9 $$'", "cat", more).refused(1, &["map", "in/", "SIGKILL"]);
        reduce(&place, "false", "cat", more).refused(1, &["map command `false`", "in/"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_merge_that_fails() {
    let place = place();
    for more in WAYS {
        reduce(&place, "cat", "false", more).refused(1, &["merge command `false`", "in/", "exit status 1"]);
        reduce(&place, "cat", "sh -c 'cat {1} {2} > /dev/null; exit 3'", more)
            .refused(1, &["merge", "status 3"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn commands_that_hang() {
    let place = place();
    for (i, more) in WAYS.into_iter().enumerate() {
        let mark = format!("6{i}.{}", std::process::id());
        let timeout = [&["--timeout", "0.3 s"], more].concat();
        let hangs = format!("sh -c 'sleep {mark} & sleep {mark}'");
        reduce(&place, &hangs, "cat", &timeout).refused(1, &["map", "in/", "0.3 s", "--timeout"]);
        // Also one that does not want to go.
        let deaf = format!("sh -c 'trap \"\" TERM INT HUP; sleep {mark}; sleep {mark}'");
        reduce(&place, &deaf, "cat", &timeout).refused(1, &["map", "in/", "--timeout"]);
        reduce(&place, "cat", &hangs, &timeout).refused(1, &["merge", "--timeout"]);
        assert_gone(&mark);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_map_that_writes_without_end() {
    let place = place();
    for more in WAYS {
        let limit = [&["--max-output", "5 MB"], more].concat();
        reduce(&place, "cat /dev/zero {}", "cat", &limit)
            .refused(1, &["map", "5000000 bytes", "--max-output"]);
        assert!(!place.path("out").exists());
        place.assert_clean();
    }
}

#[test]
fn a_map_that_writes_a_gigabyte_does_so_to_the_disk() {
    let place = place();
    place.write("one", "x");
    // Memory for a tenth of it must do.
    let mut command = std::process::Command::new("sh");
    let line = "ulimit -v 600000; exec \"$0\" reduce --map 'head -c 1000000000 /dev/zero' --merge cat one \
                --profile profile.toml -p 1 -o /dev/null";
    command.args(["-c", line, crate::util::FORERUN]).current_dir(place.path(""));
    command.env("TMPDIR", place.path("tmp")).env("XDG_CACHE_HOME", crate::util::home().join("cache"));
    assert!(finish(command).ok().text().contains("1 GB"));
    place.assert_clean();
}

#[test]
fn programs_that_cannot_be_started_in_the_end() {
    let place = place();
    place.script("tool", "no program\n");
    for more in WAYS {
        reduce(&place, "./tool", "cat", more).refused(1, &["./tool", "could not be started"]);
    }
    place.assert_clean();
}

#[test]
fn an_input_that_goes_while_it_runs() {
    let place = place();
    // The first task removes the last input.
    let map = "sh -c 'rm -f in/4; cat \"$1\"' sh {}";
    let said = reduce(&place, map, "cat", &["--profile", "profile.toml", "-p", "1"]);
    said.refused(2, &["-p"]);
    let words = ["reduce", "--map", map, "--merge", "cat", "in", "-o", "out", "--grain", "1 B", "-p", "1"];
    place.say(words.iter().chain(WAYS[1])).refused(1, &["in/4", "map"]);
    assert!(!place.path("out").exists());
    place.assert_clean();
}
