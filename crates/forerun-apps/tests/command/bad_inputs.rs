//! Inputs that are missing, unreadable, odd or none.

#[path = "../../../forerun-platform/tests/common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use forerun_apps::command::{Commands, Destination, Grain, Inputs, Selection, Settings, Tasks};
use forerun_skeleton::Cancel;

use crate::util::{Place, fold, open};

#[test]
fn missing_or_none() {
    let place = Place::new();
    let said = open(&[&place.inputs().join("gone")]).unwrap_err().to_string();
    assert!(said.ends_with("/gone does not exist: check its name"), "{said}");
    let said = open(&[&place.inputs()]).unwrap_err().to_string();
    assert!(said.starts_with("there is no file in "), "{said}");
    assert!(open(&[]).unwrap_err().to_string().contains("no input"));
    assert!(open(&[Path::new("")]).unwrap_err().to_string().contains("empty name"));
    let file = place.file("a", "");
    assert!(open(&[&file.join("b")]).unwrap_err().to_string().contains("Not a directory"));
    let selection = Selection { paths: vec![place.inputs()], include: vec!["*.html".into(), "x/*".into()] };
    let said = Inputs::open(&selection).unwrap_err().to_string();
    assert!(said.starts_with("there is no file that matches *.html or x/* in "), "{said}");
}

#[test]
fn patterns_choose_among_found_files_only() {
    let place = Place::new();
    for name in ["a.html", "a.txt", "api/b.html", "api/deep/c.txt", "api.txt"] {
        place.file(name, "x");
    }
    let chosen = |include: &[&str], extra: Option<&str>| {
        let paths = [Some(place.inputs()), extra.map(|x| place.inputs().join(x))];
        let selection = Selection {
            paths: paths.into_iter().flatten().collect(),
            include: include.iter().map(|s| s.to_string()).collect(),
        };
        let inputs = Inputs::open(&selection).unwrap();
        let names =
            inputs.files().iter().map(|f| f.path.strip_prefix(place.inputs()).unwrap().display().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(chosen(&["*.html"], None), ["a.html", "api/b.html"]);
    assert_eq!(chosen(&["api/**"], None), ["api/b.html", "api/deep/c.txt"]);
    assert_eq!(chosen(&["*.html"], Some("api.txt")), ["a.html", "api/b.html", "api.txt"]);
    assert_eq!(chosen(&[], None), ["a.html", "a.txt", "api.txt", "api/b.html", "api/deep/c.txt"]);
}

#[test]
fn links_and_special_files() {
    let place = Place::new();
    place.file("real", "1");
    let (dir, elsewhere) = (place.inputs(), Place::new());
    elsewhere.file("sub/hidden-behind-a-link", "2");
    symlink(dir.join("real"), dir.join("link")).unwrap();
    symlink(elsewhere.inputs(), dir.join("to-dir")).unwrap();
    symlink(dir.join("nothing"), dir.join("broken")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap();
    assert!(pipe.success());
    let inputs = place.open();
    let names: Vec<_> = inputs.files().iter().map(|f| f.path.file_name().unwrap()).collect();
    assert_eq!(names, ["link", "real"]);
    assert_eq!(inputs.bytes(), 2);
    let d = dir.display();
    assert_eq!(
        inputs.notes(),
        [
            format!("skipped 1 special file ({d}/pipe): no pipe, socket or device is read"),
            format!("skipped 1 link to a directory ({d}/to-dir): name the directory itself to include it"),
            format!("skipped 1 link that leads nowhere ({d}/broken): nothing is there"),
        ]
    );
    // A directory that is named is entered even through a link.
    assert_eq!(open(&[&dir.join("to-dir")]).unwrap().files().len(), 1);
}

#[test]
fn odd_names_reach_the_command_unchanged() {
    let place = Place::new();
    let names: [&[u8]; 6] = [b"-n", b"a b", b"line\nbreak", b"not \xff utf-8", b"{}", b"'$HOME' \"*\""];
    for name in names {
        place.file(OsStr::from_bytes(name), "ok\n");
    }
    for (map, grain) in [
        ("cat {}", Grain::ONE_FILE),
        ("cat {}", Grain { bytes: 1000, files: 100, split_lines: false }),
        ("cat", Grain::ONE_FILE),
    ] {
        assert_eq!(place.reduce(place.settings(map, "cat"), grain).unwrap(), "ok\n".repeat(6));
    }
    let said = place.plain("sh -c 'exit 1' {}", "cat").unwrap_err().to_string();
    assert!(said.contains("/in/'$HOME' \"*\" (exit status 1)"), "{said}");
}

#[test]
fn a_name_that_looks_like_an_option_is_none() {
    // Relative names are what begin with `-`: run in that directory, in a process of its own.
    let place = Place::new();
    place.file("-n", "kept\n");
    in_another_process("reads_an_option_like_name", |command| {
        command.current_dir(place.inputs());
    });
}

/// Run by the test above.
#[test]
#[ignore = "needs the directory that another test makes"]
fn reads_an_option_like_name() {
    let inputs = open(&[Path::new("-n")]).unwrap();
    let commands = Commands::new(Settings::new("cat {}", "cat"), &inputs, Cancel::new()).unwrap();
    let tasks = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    assert_eq!(fold(&commands, &tasks).unwrap().unwrap().to_vec().unwrap(), b"kept\n");
}

#[test]
fn unreadable_files_and_directories_are_found_up_front() {
    let place = Place::new();
    std::fs::set_permissions(place.dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let locked = place.file("locked", "x");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).unwrap();
    let dir = place.file("dir/x", "x").parent().unwrap().to_path_buf();
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o000)).unwrap();
    // Root reads everything: be somebody else.
    in_another_process("sees_what_it_may_not_read", |command| {
        command.env("FORERUN_TEST_INPUT", place.inputs());
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
    });
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Run by the test above.
#[test]
#[ignore = "needs the files that another test makes"]
fn sees_what_it_may_not_read() {
    let place = std::env::var_os("FORERUN_TEST_INPUT").unwrap();
    let place = Path::new(&place);
    for name in ["locked", "dir", "."] {
        let said = open(&[&place.join(name)]).unwrap_err().to_string();
        assert!(said.starts_with("cannot read the input "), "{said}");
        // A result of the rest would not tell that it is of the rest: what to do is said.
        let way_out =
            if name == "." { "; make it readable, or name what is to be read instead of " } else { "" };
        assert!(said.contains(&format!(": Permission denied{way_out}")), "{said}");
    }
    let said = Destination::open(Some(&place.join("out"))).unwrap_err().to_string();
    assert!(said.contains("cannot be written to"), "{said}");
}

/// Runs one ignored test of this file in a copy of this program.
fn in_another_process(test: &str, set_up: impl FnOnce(&mut std::process::Command)) {
    let place = tempfile::tempdir().unwrap();
    std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = place.path().join("test");
    programs::copy(&std::env::current_exe().unwrap(), &program);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(program);
    command.args(["--ignored", "--exact", &format!("bad_inputs::{test}")]);
    set_up(&mut command);
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_file_that_shrinks_is_noticed() {
    let place = Place::new();
    let file = place.file("x", "line\n".repeat(1000));
    let inputs = place.open();
    let commands = Commands::new(place.settings("cat", "cat"), &inputs, Cancel::new()).unwrap();
    let grain = Grain { bytes: 2000, files: 1, split_lines: true };
    let tasks = Tasks::cut(&inputs, grain, commands.takes(), &[]).unwrap();
    std::fs::write(&file, "line\n").unwrap();
    let said = fold(&commands, &tasks).unwrap_err().to_string();
    assert!(
        said.contains(
            "became shorter while it was being read: leave the inputs alone until the end of a run"
        ),
        "{said}"
    );
}
