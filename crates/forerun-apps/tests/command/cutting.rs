//! How inputs become tasks, and where the result goes.

use std::path::Path;

use forerun_apps::command::{Commands, Destination, Extent, Grain, Takes, Tasks};
use forerun_skeleton::Cancel;
use forerun_skeleton::reduction::{Reduce, Source};
use proptest::prelude::*;

use crate::util::{Place, open};

fn cut(place: &Place, grain: Grain, fixed: &[Extent]) -> Tasks {
    Tasks::cut(&place.open(), grain, Takes::StandardInput, fixed).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Every byte is in one task, in order; cuts are at line ends; no task is larger than it must be.
    #[test]
    fn tasks_cover_the_inputs_once(
        files in prop::collection::vec(prop::collection::vec(0usize..40, 0..12), 1..12),
        bytes in 0u64..120,
        most in 1usize..6,
        split_lines: bool,
        end: bool,
        pilot in (0u64..120, prop::collection::vec(0usize..30, 0..4)),
    ) {
        let place = Place::new();
        let mut all = String::new();
        for (i, lines) in files.iter().enumerate() {
            let mut text: String = lines.iter().map(|n| "x".repeat(*n) + "\n").collect();
            if !end {
                text.pop();
            }
            place.file(format!("{i:02}"), &text);
            all += &text;
        }
        let first = cut(&place, Grain { bytes: pilot.0, files: most, split_lines }, &[]);
        let mut fixed: Vec<_> = pilot.1.iter().filter_map(|i| first.extents().get(*i)).copied().collect();
        fixed.sort_unstable();
        fixed.dedup();
        let grain = Grain { bytes, files: most, split_lines };
        let tasks = cut(&place, grain, &fixed);
        let inputs = place.open();
        let mut seen = String::new();
        for (i, extent) in tasks.extents().iter().enumerate() {
            prop_assert_eq!(tasks.bytes(i as u64), extent.bytes);
            let mut text = String::new();
            for file in &inputs.files()[extent.range()] {
                text += &std::fs::read_to_string(&file.path).unwrap();
            }
            let (start, size) = (extent.start as usize, extent.bytes as usize);
            if extent.piece {
                prop_assert!(split_lines && extent.files == 1);
                prop_assert!(start == 0 || text.as_bytes()[start - 1] == b'\n');
                // Without its last line it would be no longer than asked for.
                let piece = &text[start..start + size];
                let but_last = piece.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
                prop_assert!(fixed.contains(extent) || but_last as u64 <= 2 * bytes.max(1));
            } else {
                prop_assert!(extent.start == 0 && size == text.len() && extent.files <= most);
                prop_assert!(extent.files == 1 || extent.bytes <= bytes || fixed.contains(extent));
            }
            seen += &text[start..start + size];
        }
        prop_assert_eq!(seen, all);
        for extent in &fixed {
            prop_assert!(tasks.extents().contains(extent));
        }
    }
}

#[test]
fn a_large_file_is_cut_into_even_pieces() {
    let place = Place::new();
    place.file("a", "small\n");
    place.file("b", "0123456789abcde\n".repeat(1000));
    place.file("c", "small\n");
    let grain = Grain { bytes: 5000, files: 10, split_lines: true };
    let tasks = cut(&place, grain, &[]);
    let sizes: Vec<u64> = (0..tasks.len().unwrap()).map(|i| tasks.bytes(i)).collect();
    assert_eq!(sizes, [6, 4000, 4000, 4000, 4000, 6]);
    assert!(tasks.describe(2).ends_with("/in/b from byte 4000"));
    let whole = cut(&place, Grain { bytes: 20_000, ..grain }, &[]);
    assert_eq!(whole.len(), Some(1));
    assert!(whole.describe(0).ends_with("/in/a and 2 more"));
    let said = Tasks::cut(&place.open(), grain, Takes::Names, &[]).unwrap_err().to_string();
    assert!(said.contains("drop `{}` from it, or --split-lines"), "{said}");
}

#[test]
fn as_many_names_as_fit() {
    let place = Place::new();
    let long = "n".repeat(200);
    for i in 0..1500 {
        place.file(format!("{i}{long}"), "");
    }
    let tasks = cut(&place, Grain { bytes: 10, files: usize::MAX, split_lines: false }, &[]);
    assert!(tasks.extents().len() >= 2);
    let inputs = place.open();
    let commands = Commands::new(place.settings("echo {}", "cat"), &inputs, Cancel::new()).unwrap();
    let names = commands.task(0, tasks.extents()[0]).unwrap().to_vec().unwrap();
    assert_eq!(names.split(|b| *b == b' ').count(), tasks.extents()[0].files);
    // Where a name is in a word, there can be one only.
    let inputs = place.open();
    let grain = Grain { bytes: 10, files: 100, split_lines: false };
    let single = Tasks::cut(&inputs, grain, Takes::OneName, &[]).unwrap();
    assert_eq!(single.len(), Some(1500));
}

#[test]
fn a_result_file_is_whole_or_as_it_was() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.file("a", "new");
    let inputs = place.open();
    let commands = Commands::new(place.settings("cat", "cat"), &inputs, Cancel::new()).unwrap();
    let out = commands.run_map(&cut(&place, Grain::ONE_FILE, &[]).extents()[0]).unwrap();
    let dir = place.dir.path();
    let target = dir.join("target");
    std::fs::write(&target, "old").unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o640)).unwrap();
    symlink(&target, dir.join("link")).unwrap();
    Destination::open(Some(&dir.join("link"))).unwrap().write(Some(&out), &Cancel::new()).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"new");
    assert!(dir.join("link").is_symlink());
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    Destination::open(Some(&target)).unwrap().write(None, &Cancel::new()).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"");
    // No device is replaced by a file.
    let null = Destination::open(Some(Path::new("/dev/null"))).unwrap();
    assert_eq!(null, Destination::Special("/dev/null".into()));
    null.write(Some(&out), &Cancel::new()).unwrap();
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    assert_eq!(Destination::open(Some(Path::new("-"))).unwrap(), Destination::StandardOutput);
    for (path, words) in [(dir.to_path_buf(), "is a directory"), (dir.join("no/out"), "does not exist")] {
        let said = Destination::open(Some(&path)).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
    let full =
        Destination::Special("/dev/full".into()).write(Some(&out), &Cancel::new()).unwrap_err().to_string();
    assert_eq!(
        full,
        "cannot write the result to /dev/full: no space is left there: make some, or name another place"
    );
    assert!(inputs.find(&place.inputs().join("../in/a")).is_some());
    assert!(inputs.find(&target).is_none());
    assert!(open(&[&target]).is_ok());
}
