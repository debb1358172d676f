//! Commands that are refused before anything runs, and those that fail.

use forerun_apps::ReductionJob as _;
use forerun_apps::command::{CommandJob, Commands, Grain, Settings, Tasks};
use forerun_skeleton::Cancel;

use crate::util::{Place, fold};

/// Refused up front, with these words, and with nothing left behind.
fn refused(map: &str, merge: &str, words: &str) {
    let place = Place::new();
    place.file("x", "x");
    let said =
        Commands::new(place.settings(map, merge), &place.open(), Cancel::new()).unwrap_err().to_string();
    assert!(said.contains(words), "`{map}` `{merge}`: {said}");
    place.assert_clean();
}

#[test]
fn templates_are_checked_before_anything_runs() {
    refused("", "cat", "the map command is empty");
    refused("   ", "cat", "the map command is empty");
    refused("cat", "''", "the merge command is empty");
    refused("echo 'a", "cat", "a quote or a backslash that is not closed");
    refused("nonesuch-program -x", "cat", "program `nonesuch-program` was not found in PATH");
    refused("cat", "/nonesuch/sort -m", "program `/nonesuch/sort` does not exist");
    refused("/tmp", "cat", "is a directory");
    refused("/etc/passwd", "cat", "`/etc/passwd` is not executable");
    refused("cat {1}", "cat", "the word `{1}`, but the only placeholder of a map is `{}`");
    refused("cat {/.}", "cat", "the word `{/.}`");
    refused("{}", "cat", "begins with a placeholder");
    refused("cat", "cat {1}", "must name both");
    refused("cat", "cat {2} {2}", "must name both");
    refused("cat", "cat {1} {2} {}", "must name both");
    refused("cat", "cat {1} {2} {3}", "the word `{3}`");
    refused("cat", "cat --all={}", "inside a word");
}

#[test]
fn braces_of_other_languages_are_left_alone() {
    let place = Place::new();
    place.file("a", "x1 22 333\n");
    assert_eq!(place.plain("awk '{print $3}'", "cat").unwrap(), "333\n");
    assert_eq!(place.plain("grep -Eo '[0-9]{3}'", "cat").unwrap(), "333\n");
}

#[test]
fn a_failure_names_the_command_the_input_and_what_it_said() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.file(name, name);
    }
    let map = "sh -c 'echo working >&2; test \"$(cat)\" != b || { echo \"no b please\" >&2; exit 7; }'";
    let said = place.plain(map, "cat").unwrap_err().to_string();
    let b = place.inputs().join("b");
    assert!(
        said.ends_with(&format!("failed on {} (exit status 7): working; no b please", b.display())),
        "{said}"
    );
    let said = place.plain("cat", "false").unwrap_err().to_string();
    let (a, b) = (place.inputs().join("a"), place.inputs().join("b"));
    assert_eq!(
        said,
        format!(
            "merge command `false` failed on results of 2 files from {} to {} (exit status 1): it said nothing on standard error",
            a.display(),
            b.display()
        )
    );
    place.assert_clean();
}

#[test]
fn only_the_end_of_a_long_standard_error_is_kept() {
    let place = Place::new();
    place.file("a", "a");
    let settings = Settings {
        shell: true,
        ..place.settings("yes noise | head -c 6000000 >&2; echo the reason >&2; exit 1", "cat")
    };
    let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
    assert!(said.ends_with("noise; the reason"), "{said}");
    assert!(said.len() < 500);
}

/// Braces are no placeholder of a shell: where a command with some fails, that is said.
#[test]
fn placeholders_of_a_shell_are_its_own() {
    let place = Place::new();
    place.file("a", "a");
    for (shell, map, said) in [
        (true, "ls {}", true),
        (true, "echo '{}' && false", true),
        (true, "ls \"$1\" {}", false),
        (true, "false", false),
        (false, "ls -@ {}", false),
    ] {
        let settings = Settings { shell, ..place.settings(map, "cat") };
        let why = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
        assert_eq!(
            why.contains("with --shell, files are \"$@\", and {} is left as it is"),
            said,
            "{map}: {why}"
        );
    }
}

#[test]
fn a_script_without_an_interpreter_cannot_be_started() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.file("a", "a");
    let script = place.dir.path().join("script");
    std::fs::write(&script, "#!/nonesuch/interpreter\n").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let said = place.plain(script.to_str().unwrap(), "cat").unwrap_err().to_string();
    assert!(said.contains("could not be started on"), "{said}");
    place.assert_clean();
}

#[test]
fn a_directory_for_temporary_files_that_cannot_be() {
    let place = Place::new();
    place.file("a", "a");
    let settings = Settings { tmp: Some("/nonesuch/tmp".into()), ..Settings::new("cat", "cat") };
    let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
    assert!(said.contains("temporary files in /nonesuch/tmp (No such file or directory)"), "{said}");
}

/// Needs a small file system, made in a mount namespace of its own.
#[test]
fn a_full_disk_is_a_sentence() {
    let place = Place::new();
    let tmp = place.tmp();
    let script = "mount -t tmpfs -o size=2m none \"$0\" && exec \"$@\"";
    let mut command = std::process::Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&tmp);
    let possible = command.arg("true").status().is_ok_and(|s| s.success());
    if !possible {
        eprintln!("not tested: this machine does not let a user mount a file system");
        return;
    }
    let mut command = std::process::Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&tmp);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "bad_commands::fills_the_disk"]).env("FORERUN_TEST_TMP", &tmp);
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

/// Run by the test above.
#[test]
#[ignore = "needs the file system that another test makes"]
fn fills_the_disk() {
    let tmp = std::path::PathBuf::from(std::env::var_os("FORERUN_TEST_TMP").unwrap());
    let place = Place::new();
    place.file("a", "a");
    for i in 0..4 {
        place.file(format!("{i}"), "a");
    }
    // The first fills it in a map, the second in a merge, the third writing what a merge is to read.
    for (map, keep_in_memory) in
        [("yes", 1000), ("yes | head -c 600000", 1000), ("yes | head -c 1200000", 1 << 21)]
    {
        let settings = Settings {
            tmp: Some(tmp.clone()),
            keep_in_memory,
            shell: true,
            ..Settings::new(map, "cat \"$1\" \"$2\"")
        };
        let said = place.reduce(settings, Grain::ONE_FILE).unwrap_err().to_string();
        assert!(
            said.contains(&format!("no space is left for temporary files in {}/forerun-", tmp.display())),
            "{said}"
        );
        assert!(said.contains("name another directory with --tmp or TMPDIR"), "{said}");
        assert_eq!(std::fs::read_dir(&tmp).unwrap().count(), 0);
    }
}

#[test]
fn results_of_a_pilot_are_used_and_not_computed_again() {
    let place = Place::new();
    for i in 0..10 {
        place.file(format!("{i}"), format!("{i}"));
    }
    let log = place.dir.path().join("log");
    let settings =
        Settings { shell: true, ..place.settings(&format!("cat \"$@\" | tee -a {}", log.display()), "cat") };
    let inputs = place.open();
    let commands = Commands::new(settings, &inputs, Cancel::new()).unwrap();
    let pilot = Tasks::cut(&inputs, Grain::ONE_FILE, commands.takes(), &[]).unwrap();
    for i in [3, 7] {
        let extent = pilot.extents()[i];
        commands.done().keep(extent, commands.run_map(&extent).unwrap());
    }
    let grain = Grain { bytes: 3, files: 10, split_lines: false };
    let tasks = Tasks::cut(&inputs, grain, commands.takes(), &commands.done().extents()).unwrap();
    // 012, 3, 456, 7, 89.
    assert_eq!(tasks.extents().iter().map(|e| e.files).collect::<Vec<_>>(), [3, 1, 3, 1, 2]);
    assert_eq!(fold(&commands, &tasks).unwrap().unwrap().to_vec().unwrap(), b"0123456789");
    assert_eq!(commands.tally().maps, 5);
    assert_eq!(std::fs::read_to_string(log).unwrap(), "3701245689");
    assert!(commands.done().extents().is_empty());
}

/// Between the others, what is kept could be due to one rank alone.
#[test]
fn of_a_merge_that_commutes_every_part_begins_with_what_a_pilot_kept() {
    let extents = |commutative: bool, parts: usize| {
        let place = Place::new();
        for i in 0..10 {
            place.file(format!("{i}"), format!("{i}"));
        }
        let settings = Settings { commutative, ..place.settings("cat", "cat") };
        let job = CommandJob::new(settings, place.open(), false, None, Cancel::new()).unwrap();
        let pilot = job.cut_known(1).unwrap();
        for i in [3, 7] {
            let extent = pilot.extents()[i];
            job.commands().keep(&extent, &job.commands().run_map(&extent).unwrap()).unwrap();
        }
        let tasks = job.arrange(job.cut(3).unwrap(), parts);
        tasks.extents().iter().map(|e| (e.first, e.files)).collect::<Vec<_>>()
    };
    assert_eq!(extents(false, 1), [(0, 3), (3, 1), (4, 3), (7, 1), (8, 2)]);
    assert_eq!(extents(true, 1), [(3, 1), (7, 1), (0, 3), (4, 3), (8, 2)]);
    assert_eq!(extents(true, 2), [(3, 1), (0, 3), (7, 1), (4, 3), (8, 2)]);
}
