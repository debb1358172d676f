//! `forerun calibrate`, and what is kept of it.

use std::fs;
use std::hint::spin_loop;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::bad_input::Small;
use crate::util::{Place, as_nobody, finish};

/// Runs `then` while so many threads take all the processor time that they get.
fn busy<R>(threads: usize, then: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let ran = then();
        done.store(true, Ordering::Relaxed);
        ran
    })
}

#[test]
fn what_is_measured_of_a_busy_machine_is_said_and_not_kept() {
    let place = Place::new();
    let threads = 4 * thread::available_parallelism().unwrap().get();
    let calibrate = |more: &[&str]| {
        let mut command = place.command([&["calibrate", "--quick", "--storage", "tmp"], more].concat());
        command.env("XDG_CACHE_HOME", place.path("cache"));
        let said = finish(command).ok();
        let said = said.text() + &said.err;
        (said.contains("could not be measured well"), said)
    };
    // Where the system lets it measure undisturbed all the same, all is well.
    let (doubtful, said) = busy(threads, || calibrate(&[]));
    let kept = fs::read_dir(place.path("cache/forerun/platforms")).map_or(0, Iterator::count);
    assert_eq!(kept, usize::from(!doubtful), "{said}");
    assert_eq!(said.contains("it is not kept"), doubtful, "{said}");
    let (doubtful, said) = busy(threads, || calibrate(&["-o", "here.toml"]));
    assert_eq!(place.text("here.toml").contains("\n# doubtful: "), doubtful, "{said}");
    assert_eq!(place.text("here.toml").contains("source = \"doubtful ("), doubtful, "{said}");
    place.run("platform check here.toml").ok();
}

/// What became of a calibration is its result, and said however little is to be said.
#[test]
fn where_a_calibration_is_kept_is_said_to_the_quiet_too() {
    let place = Place::new();
    let mut command = place.command(["calibrate", "--quick", "--storage", "tmp", "-q"]);
    command.env("XDG_CACHE_HOME", place.path("cache"));
    let said = finish(command).ok().text();
    let kept = fs::read_dir(place.path("cache/forerun/platforms")).ok().and_then(|mut files| files.next());
    match kept {
        Some(file) => assert!(said.contains(file.unwrap().path().to_str().unwrap()), "{said}"),
        // On a busy machine.
        None => assert!(said.contains("it is not kept"), "{said}"),
    }
    // Nowhere to keep it.
    let mut command = place.command(["calibrate", "--quick", "--storage", "tmp", "-q"]);
    command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    let said = finish(command).ok().text();
    assert!(said.contains("use --out FILE") || said.contains("it is not kept"), "{said}");
}

/// As every output: a link leads to the file that is written, and what is no file is written to.
#[test]
fn a_platform_file_is_written_where_its_name_leads() {
    let place = Place::new();
    place.write("real.toml", "before");
    std::os::unix::fs::symlink("real.toml", place.path("link.toml")).unwrap();
    place.run("calibrate --quick --storage tmp --out link.toml").ok();
    assert!(place.path("link.toml").is_symlink());
    place.run("platform check real.toml").ok();
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (said, read) = std::sync::mpsc::channel();
    thread::spawn(move || said.send(fs::read_to_string(&pipe)));
    place.run("calibrate --quick --storage tmp --out pipe").ok();
    let text = read.recv_timeout(crate::util::PATIENCE).unwrap().unwrap();
    assert!(text.contains("[network]"), "{text}");
    for (line, why) in [
        ("calibrate --quick --out tmp", "it is a directory"),
        ("calibrate --quick --out nowhere/x", "there is no directory nowhere"),
        ("report real.toml -o tmp", "it is a directory"),
        ("report real.toml -o nowhere/x", "there is no directory nowhere"),
    ] {
        place.run(line).refused(2, &["--out", "cannot be written", why]);
    }
    place.assert_clean();
}

/// What was kept stays, and nothing is measured.
#[test]
fn storage_that_cannot_be_measured_is_refused() {
    let place = Place::new();
    place.write("file", "x");
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let cache = place.path("cache/forerun/platforms");
    fs::create_dir_all(&cache).unwrap();
    fs::set_permissions(place.path("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
    place.write("cache/forerun/platforms/kept.toml", "kept");
    for (storage, why) in [
        ("gone", "no such file or directory"),
        ("file", "not a directory"),
        ("file/x", "not a directory"),
        ("locked", "permission denied"),
    ] {
        let words = ["calibrate", "--storage", storage];
        let Some(mut command) = as_nobody(&place, &words) else { continue };
        command.env("XDG_CACHE_HOME", place.path("cache"));
        let said = finish(command);
        let said =
            said.refused(2, &[&format!("--storage {storage}: "), "cannot be measured", why, "directory"]);
        assert!(said.out.is_empty(), "{}", said.text());
    }
    let at = place.path("small");
    if let Some(_small) = Small::mount(&at, "size=1m") {
        place.run("calibrate --storage small").refused(2, &["--storage small: ", "less than 100 MiB"]);
    }
    let kept: Vec<_> = fs::read_dir(&cache).unwrap().collect();
    assert!(kept.len() == 1 && place.text("cache/forerun/platforms/kept.toml") == "kept");
}

/// A file as an earlier build kept it: of one measurement each.
#[test]
fn a_kept_calibration_of_one_measurement_is_made_anew() {
    let place = Place::new();
    let run = || {
        let mut command = place.command(["platform", "show", "this"]);
        command.env("XDG_CACHE_HOME", place.path("cache"));
        finish(command).ok()
    };
    let platforms = place.path("cache/forerun/platforms");
    for _ in 0..10 {
        run();
        if platforms.exists() {
            break;
        }
    }
    // On a machine that is always busy there is none.
    let Some(file) = fs::read_dir(&platforms).ok().and_then(|mut files| files.next()) else { return };
    let file = file.unwrap().path();
    let good = fs::read_to_string(&file).unwrap();
    let said = run();
    assert!(!(said.text() + &said.err).contains("was measured"));
    let spoiled: String = good
        .lines()
        .map(|line| match line.strip_prefix("gap = ") {
            Some(_) => "gap = { value = \"6.6 ms\", low = \"6.6 ms\", high = \"6.6 ms\" }\n".into(),
            None => format!("{line}\n"),
        })
        .collect();
    assert_ne!(spoiled, good);
    fs::write(&file, &spoiled).unwrap();
    let said = run();
    assert!((said.text() + &said.err).contains("was measured"), "{}", said.err);
    assert!(!said.text().contains("6.6 ms"));
}
