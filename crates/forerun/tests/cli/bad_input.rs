//! Inputs and outputs that are not as they should be.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skipped::skipped;
use crate::util::{FORERUN, MAP, Place, Running, as_nobody, finish, home};

#[test]
fn inputs_that_are_none() {
    let place = Place::new();
    place.write("short", [0; 17]);
    place.write("empty", "");
    place.write("dir/file", [0; 8]);
    place.write("text", "1\n2\nthree\n");
    for (line, status, words) in [
        ("run sort gone", 2, &["gone", "does not exist"][..]),
        ("run sort dir", 2, &["dir", "directory"]),
        ("run sort short", 2, &["short", "17 bytes", "i32"]),
        ("run sort /dev/null", 2, &["/dev/null", "not a regular file"]),
        ("run sort text --type lines", 2, &["forerun: text:3: \"three\" is not a decimal number"]),
        ("run sort text --type lines --skeleton scatter-gather", 2, &["forerun: text:3: "]),
        ("reduce --map cat --merge cat gone", 2, &["gone", "does not exist"]),
        ("reduce --map cat --merge cat dir gone", 2, &["gone", "does not exist"]),
        ("reduce --map cat --merge cat --files-from gone", 2, &["gone"]),
        ("reduce --map cat --merge cat --files-from empty", 2, &["--files-from empty", "no input"]),
        ("farm cat --files-from empty", 2, &["--files-from empty", "no input"]),
        ("farm cat", 2, &["no input", "give --files-from"]),
        ("run sort short --memory 1KiB", 2, &["--memory 1KiB", "at least 64 KiB"]),
    ] {
        let said = place.run(line).refused(status, words);
        assert_eq!(said.err.lines().filter(|l| l.starts_with("forerun: ")).count(), 1, "{}", said.err);
    }
    // Nothing is something that can be sorted and reduced.
    place.run("run sort empty").ok();
    assert_eq!(place.text("empty.sorted"), "");
    assert_eq!(place.run("reduce --map cat --merge cat empty").ok().text(), "");
    place.assert_clean();
}

#[test]
fn what_may_not_be_read_or_written() {
    let place = Place::new();
    let locked = place.write("locked", [0; 8]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    place.write("in", [0; 8]);
    let read_only = place.path("read-only");
    fs::create_dir(&read_only).unwrap();
    fs::set_permissions(&read_only, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.path("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
    for (words, expected) in [
        (&["run", "sort", "locked", "-o", "tmp/x"][..], &["locked", "permissions"][..]),
        (&["reduce", "--map", "cat", "--merge", "cat", "locked"], &["locked", "Permission denied"]),
        (&["run", "sort", "in", "-o", "read-only/x"], &["read-only"]),
        (&["reduce", "--map", "cat", "--merge", "cat", "in", "-o", "read-only/x"], &["read-only"]),
        (&["run", "sort", "in", "-o", "tmp/x", "--json", "read-only/x"], &["--json read-only/x"]),
        (&["generate", "numbers", "10", "-o", "read-only/x"], &["read-only/x"]),
        (&["compare", "locked"], &["locked"]),
        (&["run", "sort", "in", "--profile", "locked", "-o", "tmp/x"], &["locked"]),
    ] {
        let Some(command) = as_nobody(&place, words) else {
            skipped("the command cannot be run as another user here");
            return;
        };
        finish(command).refused(2, expected);
    }
    place.assert_clean();
}

/// A directory that may be written to lets any file in it be replaced: one that may not be written to itself is meant to stay.
#[test]
fn an_output_that_may_not_be_written_to_stays() {
    let place = Place::new();
    place.profile();
    place.write("in", (0..100u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    place.write("outcome.json", "[]");
    let kept = place.write("kept", "precious");
    std::os::unix::fs::symlink("kept", place.path("link")).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).unwrap();
    for dir in ["", "tmp"] {
        fs::set_permissions(place.path(dir), fs::Permissions::from_mode(0o777)).unwrap();
    }
    for line in [
        "run sort in --type u32 -p 1 --profile profile.toml -o kept",
        "run sort in --type u32 -p 1 --profile profile.toml -o link",
        "run sort in --type u32 -p 1 --profile profile.toml -o out --json kept",
        "reduce --map false --merge false in -o kept",
        "reduce --map false --merge false in -o link",
        "farm false in -o kept",
        "run mandelbrot --size 8x8 -o kept",
        "generate numbers 10 -o kept",
        "report outcome.json -o kept",
        "predict tasks 8 --profile profile.toml --json link",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let Some(command) = as_nobody(&place, &words) else {
            skipped("the command cannot be run as another user here");
            return;
        };
        finish(command).refused(2, &["it is there and may not be written to (", "name another"]);
        assert_eq!(place.text("kept"), "precious", "{line}");
        assert!(!place.path("out").exists(), "{line}");
        place.assert_clean();
    }
}

#[test]
fn standard_output_that_nobody_reads() {
    let place = Place::new();
    place.profile();
    place.write("in", vec![1; 400_000]);
    // `| head -1`: whoever reads goes at once.
    for line in ["run sort in -p 2", "plan sort in", "predict sort in", "platform show lehigh-fire", "--help"]
    {
        let mut running = place.start(line.split(' '));
        drop(running.child.stdout.take());
        let said = running.end();
        assert!(!said.err.contains("panicked"), "{line}: {}", said.err);
        assert!(said.status.success(), "{line}: {:?} {}", said.status, said.err);
    }
    assert_eq!(place.read("in.sorted").len(), 400_000);
    let lines = [
        "reduce --map cat --merge cat in",
        "run sort in -p 2 -o -",
        "run sort in -p 2 --json -",
        "farm cat in",
    ];
    for line in lines {
        let mut running = place.start(line.split(' '));
        drop(running.child.stdout.take());
        let said = running.end();
        // As the signal SIGPIPE ends other programs.
        assert_eq!(said.status.code(), Some(128 + 13), "{line}: {}", said.err);
        assert!(!said.err.contains("forerun: ") && !said.err.contains("roken pipe"), "{line}: {}", said.err);
    }
    // What fails of itself is said, whoever reads.
    let mut running = place.start(["reduce", "--map", "false", "--merge", "cat", "in"]);
    drop(running.child.stdout.take());
    running.end().refused(1, &["false"]);
    // Closed from the start, and full.
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let mut command = place.command(["reduce", "--map", "cat", "--merge", "cat", "in"]);
    command.stdout(full()).stderr(Stdio::piped());
    Running::new(command).end().refused(1, &["standard output", "o space"]);
    let mut command = place.command(["run", "sort", "gone"]);
    command.stdout(Stdio::piped()).stderr(full());
    assert_eq!(Running::new(command).end().status.code(), Some(2));
    let mut command = Command::new("sh");
    command.args(["-c", "\"$0\" run sort in -q <&- >&- 2>&-", FORERUN]).current_dir(place.path(""));
    command.env("XDG_CACHE_HOME", home().join("cache"));
    finish(command).ok();
    place.assert_clean();
}

/// A small file system that goes with the test.
pub(crate) struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    pub(crate) fn mount(at: &'a Path, size: &str) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(at).stderr(Stdio::null());
        mount.status().is_ok_and(|s| s.success()).then_some(Small(at))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_disk_that_is_full() {
    let place = Place::new();
    let at = place.path("small");
    let Some(small) = Small::mount(&at, "size=1m") else {
        skipped("no small file system can be mounted here (not root, or not allowed)");
        return;
    };
    place.write("in", vec![1; 4_000_000]);
    for (words, expected) in [
        // While spilling.
        (&["run", "sort", "in", "--memory", "256 KiB", "--tmp", "small"][..], &["small", "space"][..]),
        // While writing the result.
        (&["run", "sort", "in", "-o", "small/out"], &["small/out", "space"]),
        (
            &["run", "sort", "in", "-o", "small/out", "--tmp", ".", "--memory", "256 KiB"],
            &["small/out", "space"],
        ),
        (&["reduce", "--map", "cat", "--merge", "cat", "in", "--tmp", "small"], &["small", "space"]),
        (&["reduce", "--map", "cat", "--merge", "cat", "in", "-o", "small/out"], &["small/out", "space"]),
    ] {
        place.say(words).refused(1, expected);
        assert_eq!(fs::read_dir(&at).unwrap().count(), 0, "{words:?}");
    }
    // What is known before is said before.
    let said = place.run("run sort in -o small/out").refused(1, &["small/out"]).text();
    let (note, rest) = said.split_once("\nmachine ").expect("the machine");
    assert!(note.contains("--out small/out: the result takes 4 MB, and 1 MiB are free"), "{note}");
    assert!(!rest.contains("are free"), "{rest}");
    let said = place.run("run sort in -o out").ok().text();
    assert!(!said.contains("are free"), "{said}");
    assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
    place.run("generate numbers 1e6 -o small/out").refused(2, &["small/out", "4 MB", "are free"]);
    assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
    assert!(!place.path("in.sorted").exists());
    // A full one is told before anything is measured, tried or planned.
    place.profile();
    let mut full = fs::File::create(at.join("full")).unwrap();
    while std::io::Write::write_all(&mut full, &[0; 4096]).is_ok() {}
    for line in [
        "calibrate --quick --out",
        "run sort in --profile profile.toml -o x --json",
        "plan sort in --write-profile",
        "predict sort in --profile profile.toml --csv",
        "run mandelbrot --size 8x8 -o",
    ] {
        let said = place.run(&format!("{line} small/out")).refused(2, &["small/out", "no space is left"]);
        assert!(said.out.is_empty(), "{line}: {}", said.text());
        assert_eq!(fs::read_dir(&at).unwrap().count(), 1, "{line}");
    }
    // Of a journal that cannot be begun nothing is left, and one that was there is as it was.
    place.write("files/a", "a");
    place.run("farm cat files -o x --resume small/new").refused(2, &["--resume small/new", "o space"]);
    assert!(!at.join("new").exists());
    fs::write(at.join("empty"), "").unwrap();
    place.run("farm cat files -o x --resume small/empty").refused(2, &["--resume small/empty", "o space"]);
    assert_eq!(fs::metadata(at.join("empty")).unwrap().len(), 0);
    drop(small);
    place.assert_clean();
}

/// Where nobody may make a file, not even root: it is tried, not only asked.
#[test]
fn a_place_where_no_file_can_be_made_is_told_before_any_work() {
    let place = Place::new();
    place.profile();
    place.write("in", [1; 400]);
    for line in [
        "calibrate --quick --out",
        "plan sort in --sbatch",
        "run sort in -o x --json",
        "predict sort in --svg",
        "run mandelbrot --size 8x8 -o",
    ] {
        let said = place.run(&format!("{line} /proc/forerun-out")).refused(2, &["/proc/forerun-out"]);
        assert!(said.out.is_empty(), "{line}: {}", said.text());
        assert!(!said.err.contains("machine "), "{line}: {}", said.err);
    }
    assert!(!place.path("x").exists());
}

/// A name may have a line end in it, and a sentence stays a line.
#[test]
fn a_name_with_a_line_end_is_quoted() {
    let place = Place::new();
    place.profile();
    place.write("d/a\nb", "1\nx\n");
    let shown = "d/a\\nb";
    for (words, status) in [
        (&["run", "sort", "d/a\nb", "--type", "lines", "-o", "out"][..], 2),
        (&["run", "sort", "d/a\nb", "--type", "lines", "-o", "out", "--profile", "profile.toml"], 2),
        (&["run", "sort", "d/a\nb", "--type", "lines", "-o", "out", "--skeleton", "scatter-gather"], 2),
        (&["run", "sort", "d/a\nb", "--type", "u64"], 2),
        (&["run", "sort", "d/a\nb", "d/a\nb", "-o", "out"], 2),
        (&["run", "sort", "d", "-o", "d/a\nb/c"], 2),
        (&["farm", "false", "d/a\nb", "-o", "out"], 1),
        (&["farm", "cat", "d/a\nb", "-o", "d/a\nb"], 2),
        (&["farm", "cat", "d/a\nb", "-o", "out", "--resume", "d/a\nb"], 2),
        (&["reduce", "--map", "false", "--merge", "cat", "d", "-o", "out"], 1),
        (&["reduce", "--map", "cat", "--merge", "cat", "d", "-o", "d/a\nb"], 2),
        (&["predict", "sort", "d", "--profile", "d/a\nb"], 2),
        (&["predict", "tasks", "5", "--profile", "profile.toml", "--platform", "d/a\nb"], 2),
        (&["predict", "tasks", "5", "--profile", "profile.toml", "--csv", "d/a\nb/c"], 2),
        (&["compare", "d/a\nb"], 2),
        (&["generate", "numbers", "5", "-o", "d/a\nb/c"], 2),
    ] {
        let said = place.say(words);
        assert_eq!(said.status.code(), Some(status), "{words:?}: {}", said.err);
        let sentence = said.err.lines().find(|l| l.starts_with("forerun: ")).unwrap_or_default();
        assert!(
            sentence.contains(shown) || words[2] == "d" && !said.err.contains("\nb"),
            "{words:?}: {}",
            said.err
        );
        assert!(!said.err.lines().any(|l| l.starts_with('b')), "{words:?}: {}", said.err);
    }
    assert!(!place.path("out").exists());
    place.assert_clean();
}

#[test]
fn a_result_that_was_there_stays_when_a_run_fails() {
    let place = Place::new();
    place.write("in", "x\n");
    place.write("out", "as it was");
    place.run("reduce --map false --merge cat in -o out").refused(1, &["false", "in"]);
    assert_eq!(place.text("out"), "as it was");
    place.write("text", "1\nx\n");
    place.run("run sort text --type lines -o out").refused(2, &["text"]);
    assert_eq!(place.text("out"), "as it was");
    place.run("reduce --map cat --merge cat in -o in").refused(2, &["--out in", "input"]);
    place.assert_clean();
}

/// Whatever reads a file of text says in a sentence that it is in UTF-16.
#[test]
fn files_in_utf_16() {
    let place = Place::new();
    place.profile();
    let wide: Vec<u8> = "format = 1\nname = \"x\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &wide].concat();
    for (contents, name) in [(&wide, "wide.toml"), (&marked, "marked.toml")] {
        place.write(name, contents);
        place.write(format!("studies/{name}"), contents);
        for line in [
            "platform check {}",
            "plan tasks 5 --profile profile.toml --platform {}",
            "plan tasks 5 --profile {}",
            "plan {}",
            "model farm {}",
            "model packet {}",
            "map {}",
            "pepa check {}",
            "compare {}",
            "reproduce --all --studies studies",
        ] {
            let said = place.run(&line.replace("{}", name));
            assert_eq!(said.status.code(), Some(2), "{line}: {}", said.err);
            let told = format!("{}{}", said.err, said.text());
            assert!(told.contains(name) && told.contains("UTF-16"), "{line}: {told}");
        }
        std::fs::remove_file(place.path(format!("studies/{name}"))).unwrap();
    }
}

/// A result is called as it was asked for, whether it was there before or not.
#[test]
fn a_result_keeps_its_name() {
    let place = Place::new();
    place.profile();
    place.write("in", [1; 400]);
    for line in [
        "run sort in -o out --profile profile.toml",
        "run sort in -o out --profile profile.toml --strategy reduction-tree",
        "run sort in -o out --skeleton scatter-gather",
        "reduce --map cat --merge cat in -o out",
    ] {
        let said = place.run(line).ok().text();
        assert!(said.contains(" B in out\n"), "{line}: {said}");
    }
}

/// Whoever reads it, a file that is not there is said so in the same words, and so is a directory.
#[test]
fn files_that_are_missing_and_directories() {
    let place = Place::new();
    place.profile();
    fs::create_dir(place.path("dir")).unwrap();
    for (name, words) in [("gone", "gone does not exist: check its name"), ("dir", "dir is a directory")] {
        for line in [
            "platform check {}",
            "plan tasks 5 --profile profile.toml --platform ./{}",
            "plan tasks 5 --profile {}",
            "plan ./{}",
            "model farm {}",
            "model packet {}",
            "map {}",
            "pepa check {}",
            "pepa solve {}",
            "compare {}",
            "run sort {}",
            "run hip --femur {} --pelvis {} -o x.csv",
            "lsi build {} -o m",
        ] {
            let said = place.run(&line.replace("{}", name));
            assert_eq!(said.status.code(), Some(2), "{line}: {}", said.err);
            assert!(said.err.contains(words), "{line}: {}", said.err);
        }
    }
    for line in ["reduce --map cat --merge cat gone", "farm cat gone", "farm cat --files-from gone"] {
        place.run(line).refused(2, &["gone does not exist: check its name"]);
    }
}

/// Where a file is read, a pipe is one that somebody writes to, and waits for no other.
#[test]
fn pipes_in_the_place_of_files() {
    let place = Place::new();
    let profile = place.profile();
    place.write("numbers", [0; 64]);
    place.write("m.pepa", "P = (a, 1).P1; P1 = (b, 2).P; P");
    place.write("map.toml", MAP);
    place.write("job.toml", "format = 1\napplication = \"tasks\"\ninput = 5\nprofile = \"profile.toml\"\n");
    place.write("tiny.all", ".I 1\n.W\nlift of a wing\n.I 2\n.W\nlift and drag of a wing\n");
    place.run("lsi build tiny.all -o tiny.lsi -k 1").ok();
    place.run("predict tasks 5 --profile profile.toml --platform lehigh-fire --json list.json").ok();
    place.write("lehigh.toml", place.run("platform show lehigh-fire").ok().text());
    place.pipe("pipe");
    let lines = [
        ("plan sort numbers --platform lehigh-fire --profile {}", profile.to_str().unwrap()),
        ("predict sort numbers --skeleton scatter-gather --profile {}", ""),
        ("run sort numbers -o out --profile {}", "profile.toml"),
        ("plan tasks 5 --profile {}", "profile.toml"),
        ("plan sort numbers --profile profile.toml --platform ./{}", "lehigh.toml"),
        ("platform check {}", "lehigh.toml"),
        ("plan ./{}", "job.toml"),
        ("compare {}", "list.json"),
        ("report {} -o page.html", "list.json"),
        ("map {}", "map.toml"),
        ("model farm {}", ""),
        ("pepa solve {}", "m.pepa"),
        ("lsi build {} -o m", "tiny.all"),
        ("run lsi {} tiny.all -o ranked", "tiny.lsi"),
        ("run lsi tiny.lsi {} -o lists", "tiny.all"),
    ];
    let words = |line: &str, name: &str| -> Vec<String> {
        line.split(' ').map(|word| word.replace("{}", name)).collect()
    };
    let waiting: Vec<_> =
        lines.map(|(line, _)| (line, place.start(words(line, "pipe")))).into_iter().collect();
    for (line, running) in waiting {
        let said = running.end();
        assert_eq!(said.status.code(), Some(2), "{line}: {}", said.err);
        assert!(said.err.contains("pipe: it is a pipe that nobody writes to"), "{line}: {}", said.err);
    }
    for (i, (line, file)) in lines.into_iter().enumerate().filter(|(_, (_, file))| !file.is_empty()) {
        let pipe = place.pipe(&format!("pipe{i}"));
        let from = place.path(file);
        let writer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            fs::write(pipe, fs::read(from).unwrap()).unwrap();
        });
        let said = place.say(words(line, &format!("pipe{i}")));
        assert!(said.status.success(), "{line}: {}", said.err);
        writer.join().unwrap();
    }
}

/// A file of another sort than the one that is read: one sentence, with what it seems to be.
#[test]
fn files_of_another_sort() {
    let place = Place::new();
    place.profile();
    let shown = place.run("platform show lehigh-fire").ok().text();
    place.write("platform.toml", shown);
    place.write("job.toml", "format = 1\napplication = \"sort\"\ninput = \"x\"\n");
    place.write("map.toml", "format = 1\nstages = 2\ncandidates = \"all\"\n[[processor]]\ntime = \"1 s\"\n");
    place.write("list.json", "[{\"way\": \"threads\", ");
    place.write("page.html", "<!doctype html>\n<title>x</title>\n");
    let readers = [
        ("platform", "plan tasks 5 --profile profile.toml --platform {}"),
        ("profile", "plan tasks 5 --profile {}"),
        ("job", "plan {}"),
        ("map", "map {}"),
        ("none", "model packet {}"),
        ("none", "model farm {}"),
    ];
    for (own, line) in readers {
        for (name, seems) in [
            ("platform.toml", "a platform file"),
            ("profile.toml", "a profile"),
            ("job.toml", "a job file"),
            ("map.toml", "`forerun map`"),
            ("list.json", "JSON"),
            ("page.html", "HTML"),
        ] {
            if name.starts_with(own) {
                continue;
            }
            let said = place
                .run(&line.replace("{}", name))
                .refused(2, &[name, "seems to be ", seems, "is expected"]);
            assert_eq!(said.err.lines().count(), 1, "{line}: {}", said.err);
        }
    }
}

/// Whatever is read as text, bytes that are none make one sentence.
#[test]
fn bytes_that_are_no_text() {
    let place = Place::new();
    place.profile();
    place.write("tiny.all", ".I 1\n.W\nlift of a wing\n.I 2\n.W\nlift and drag of a wing\n");
    place.run("lsi build tiny.all -o tiny.lsi -k 1").ok();
    let noise: Vec<u8> = crate::util::numbers(7).flat_map(u64::to_le_bytes).take(60_000).collect();
    let no_zero: Vec<u8> = noise.iter().copied().filter(|b| *b != 0).collect();
    for bytes in [&noise, &no_zero] {
        place.write("noise", bytes);
        for line in [
            "pepa check noise",
            "pepa solve noise",
            "pepa fmt noise",
            "run lsi tiny.lsi noise",
            "lsi build noise -o x.lsi",
            "platform check noise",
            "map noise",
            "compare noise",
            "plan ./noise",
        ] {
            let said = place.run(line).refused(2, &["noise", "not text"]);
            assert_eq!(said.err.lines().count() + said.text().lines().count(), 1, "{line}: {}", said.err);
        }
    }
    // Text that is no model has few errors.
    place.write("prose", "It is a truth universally acknowledged,\nthat a single man = \"\n".repeat(2_000));
    for line in ["pepa check prose", "pepa solve prose", "platform check prose", "lsi build prose -o x.lsi"] {
        let said = place.run(line).refused(2, &[]);
        assert!(said.err.lines().count() + said.text().lines().count() < 60, "{line}: {}", said.err);
    }
    // Older models are in older encodings.
    place.write("old.pepa", b"% of K\xf6nigsberg\nP = (a, 1).P1; P1 = (b, 2).P; P");
    place.run("pepa solve old.pepa").ok();
}
