//! Right answers.

use std::collections::BTreeMap;

use forerun_apps::command::{Commands, Grain, Settings, Tasks};
use forerun_skeleton::Cancel;

use crate::util::{Place, fold};

const TOKENS: &str = "tr -cs a-zA-Z '\\n'";
const MERGE_COUNTS: &str =
    "awk '{n[$2] += $1} END {for (w in n) print n[w], w}' \"$1\" \"$2\" | LC_ALL=C sort -k2";

fn words(place: &Place) -> String {
    let text = ["the cat sat on the mat", "a cat and a dog", "on and on and on", "", "the end"];
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (i, line) in text.iter().cycle().take(23).enumerate() {
        place.file(format!("d{}/{i:02}.txt", i % 3), format!("{line}\n"));
        for word in line.split_whitespace() {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts.iter().map(|(word, n)| format!("{n} {word}\n")).collect()
}

#[test]
fn word_counts_of_a_tree_with_a_shell() {
    let place = Place::new();
    let expected = words(&place);
    for grain in [
        Grain::ONE_FILE,
        Grain { bytes: 60, files: 100, split_lines: false },
        Grain { bytes: 7, files: 100, split_lines: true },
    ] {
        let map = format!("{TOKENS} | grep . | LC_ALL=C sort | uniq -c | awk '{{print $1, $2}}'");
        let settings = Settings { shell: true, ..place.settings(&map, MERGE_COUNTS) };
        assert_eq!(place.reduce(settings, grain).unwrap(), expected, "{grain:?}");
        place.assert_clean();
    }
}

#[test]
fn sorting_with_sort_and_sort_m() {
    let place = Place::new();
    let mut all: Vec<u32> = (0..900).map(|i| i * 7919 % 1009).collect();
    for (i, chunk) in all.chunks(100).enumerate() {
        place.file(format!("{i}"), chunk.iter().map(|n| format!("{n}\n")).collect::<String>());
    }
    all.sort_unstable();
    let expected: String = all.iter().map(|n| format!("{n}\n")).collect();
    for (map, merge) in
        [("sort -n {}", "sort -nm {1} {2}"), ("sort -n", "sort -n"), ("sort -n {}", "sort -nm {}")]
    {
        assert_eq!(place.plain(map, merge).unwrap(), expected, "{map}, {merge}");
    }
    place.assert_clean();
}

#[test]
fn the_order_of_the_inputs_is_kept() {
    let place = Place::new();
    let names = ["B", "a/1", "a/2", "a.txt", "é", ".hidden"];
    for name in names {
        place.file(name, name);
    }
    // As the whole paths sort, byte by byte: `.` is before `/`.
    let expected = ".hiddenBa.txta/1a/2é";
    for (map, merge) in [("cat", "cat"), ("cat {}", "cat {1} {2}"), ("cat", "cat {}"), ("cat {}", "cat")] {
        for files in [1, 2, 100] {
            let grain = Grain { bytes: 1000, files, split_lines: false };
            assert_eq!(place.reduce(place.settings(map, merge), grain).unwrap(), expected);
        }
    }
}

#[test]
fn left_and_right_can_be_told_apart() {
    let place = Place::new();
    for name in ["1", "2", "3", "4"] {
        place.file(name, name);
    }
    let reversing = "cat {2} {1}";
    assert_eq!(place.plain("cat", reversing).unwrap(), "4321");
    let inside = "sh -c 'cat \"${1#x=}\" \"${2#x=}\"' sh x={2} x={1}";
    assert_eq!(place.plain("cat", inside).unwrap(), "4321");
}

#[test]
fn one_name_inside_a_word() {
    let place = Place::new();
    for name in ["a b", "c"] {
        place.file(name, "x");
    }
    let out = place.plain("printf '%s;' --file={}", "cat").unwrap();
    let dir = place.inputs();
    assert_eq!(out, format!("--file={0}/a b;--file={0}/c;", dir.display()));
}

#[test]
fn the_shell_pastes_no_names() {
    let place = Place::new();
    place.file("$(touch hacked); 'x' \"y\".txt", "content\n");
    place.file("two", "more\n");
    let settings = Settings { shell: true, ..place.settings("cat \"$@\" | tr a-z A-Z", "cat") };
    assert_eq!(place.reduce(settings, Grain::ONE_FILE).unwrap(), "CONTENT\nMORE\n");
    assert!(!std::path::Path::new("hacked").exists());
}

#[test]
fn nothing_written_is_a_result_and_is_counted() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.file(name, name);
    }
    let inputs = place.open();
    let commands = Commands::new(place.settings("sed -n /b/p", "cat"), &inputs, Cancel::new()).unwrap();
    let tasks = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    let out = fold(&commands, &tasks).unwrap().unwrap();
    assert_eq!(out.to_vec().unwrap(), b"b");
    let tally = commands.tally();
    assert_eq!((tally.maps, tally.empty_maps, tally.merges, tally.empty_merges), (3, 2, 2, 0));
    assert_eq!(tally.note().as_deref(), Some("2 of 3 map calls wrote nothing"));
}
