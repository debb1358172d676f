//! The whole calibration, as far as any machine can be held to it.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forerun_platform::{Machine, Platform};

use super::*;

/// Calibrations that run at the same time measure each other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn quick(storage: Option<PathBuf>) -> Options {
    Options { quick: true, storage }
}

#[test]
fn every_figure_of_a_quick_calibration_is_sound() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let last = Cell::new(0.0);
    let stages = RefCell::new(Vec::new());
    let progress = |stage: &str, part: f64| {
        assert!((last.get()..=1.0).contains(&part), "{part} after {}", last.get());
        last.set(part);
        if stages.borrow().last().is_none_or(|s| s != stage) {
            stages.borrow_mut().push(stage.to_string());
        }
    };
    let all = calibrate(&quick(Some(dir.path().into())), &progress, &Cancel::new()).expect("it measures");
    assert_eq!(stages.into_inner(), ["cores and threads", "storage", "done"]);
    assert_eq!(last.get(), 1.0);

    let has = |key| all.figures.iter().find(|f| f.key == key).map(|f| f.estimate);
    for f in &all.figures {
        let e = f.estimate;
        assert!(e.value.is_finite() && e.low <= e.value && e.value <= e.high && e.repetitions > 0, "{f:?}");
    }
    for key in [Key::RoundTrip, Key::Send, Key::Receive, Key::Gap, Key::Kernel] {
        assert!(has(key).is_some_and(|e| e.value > 0.0), "{key:?} in {:?}", all.figures);
    }
    assert!(has(Key::Write).is_some(), "{:?}", all.notes);
    // What there is to say of the figures goes with them.
    let doubt = all.platform.doubt.clone().unwrap_or_default();
    assert_eq!(doubt.is_empty(), all.notes.is_empty() && all.doubt.is_none());
    assert!(all.notes.iter().chain(&all.doubt).all(|note| doubt.contains(note)), "{doubt}: {:?}", all.notes);
    let host = &all.platform.hosts[0];
    assert_eq!((host.cores, host.speed), (Machine::here().cores, 1.0));
    assert_eq!(host.relative_speed(host), Some(1.0));
    // An overhead is not a round trip.
    let network = &all.platform.network;
    assert!(network.send_overhead.base.value.0 < 1e-3 && network.receive_overhead.base.value.0 < 1e-3);

    let file = dir.path().join("machine.toml");
    cache::write(&file, &all.platform, all.doubt.as_deref()).expect("it is written");
    assert_eq!(Platform::load(&file).expect("it loads"), all.platform);
    let json = serde_json::to_value(&all.platform).expect("it is JSON");
    // (On a machine so busy that the calibration doubts itself, a figure may have too few repetitions for an interval.)
    if all.doubt.is_none() {
        assert!(json["network"]["latency_s"]["low"].is_number(), "{json}");
        assert!(json["hosts"][0]["kernel_s"]["high"].is_number(), "{json}");
    }
}

#[test]
fn notes_of_a_calibration_are_one_sentence_of_its_platform() {
    assert_eq!(in_doubt([].into_iter()), None);
    assert_eq!(in_doubt(["busy", "few"].into_iter()).as_deref(), Some("busy; few"));
    let platform = Platform { doubt: in_doubt(["busy"].into_iter()), ..Platform::default() };
    assert!(cache::text(&platform, None).contains("\ndoubt = \"busy\"\n"));
}

#[test]
fn cancelling_ends_it_at_once() {
    let _alone = alone();
    let cancel = Cancel::new();
    let begun = Instant::now();
    let stop = |_: &str, _: f64| {
        if begun.elapsed() > Duration::from_millis(200) {
            cancel.cancel();
        }
    };
    assert!(matches!(calibrate(&quick(None), &stop, &cancel), Err(RunError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn this_machine_is_measured_once() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let cache = Cache::at(dir.path());
    let get = || for_this_machine(Some(&cache), &quick(None), &|_, _| (), &Cancel::new());
    let first = get().expect("it measures");
    let second = get().expect("it is kept");
    assert_eq!(first.origin, Origin::Fresh);
    // Not on a machine that does other things.
    let doubtful = first.notes.iter().any(|n| n.contains("not kept"));
    assert_eq!(second.origin == Origin::Cached, !doubtful);
    assert!(doubtful || first.platform == second.platform);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_note_and_storage_that_cannot_an_error() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("file");
    std::fs::write(&file, "x").expect("a file");
    let cache = Cache::at(file.join("platforms"));
    let get = |options| for_this_machine(Some(&cache), &options, &|_, _| (), &Cancel::new());
    let got = get(quick(None)).expect("it measures");
    assert_eq!(got.origin, Origin::Fresh);
    assert!(got.notes.iter().any(|n| n.contains("measured again next time")), "{:?}", got.notes);
    let why = get(quick(Some(dir.path().join("none")))).expect_err("there is no such directory").to_string();
    assert!(why.contains("none: its storage cannot be measured (no such file or directory)"), "{why}");
}
