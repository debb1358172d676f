//! What is on disk during and after a sort, however it ends.

use std::path::Path;

use forerun_apps::sort::{ElementType, SortJob, SortOptions};
use forerun_platform::Grain;
use forerun_skeleton::reduction::{Reduce, Sinks, Source};
use forerun_skeleton::{Cancel, Message};

use crate::driver::{Way, names, on_threads, options, sort};

/// Writes `n` numbers in falling order.
fn falling(path: &Path, n: i32) {
    let numbers: Vec<i32> = (0..n).rev().collect();
    std::fs::write(path, bytemuck::cast_slice(&numbers)).expect("written");
}

fn assert_rising(path: &Path, n: i32) {
    let numbers: Vec<i32> = (0..n).collect();
    assert!(std::fs::read(path).expect("an output") == bytemuck::cast_slice::<i32, u8>(&numbers));
}

#[test]
fn the_input_may_be_the_output() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    for memory in [64 << 10, 1 << 24] {
        falling(&input, 50_000);
        let options = SortOptions { output: Some(input.clone()), ..options(ElementType::I32, memory) };
        sort(std::slice::from_ref(&input), options, &Way::TWO).expect("sorted");
        assert_rising(&input, 50_000);
        assert_eq!(names(directory.path()), ["ints"]);
    }
}

#[test]
fn what_does_not_fit_is_spilled_once() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 200_000);
    let way = Way { tasks: 16, arity: 2, set: 4 };
    let small =
        sort(std::slice::from_ref(&input), options(ElementType::I32, 512 << 10), &way).expect("sorted");
    assert!(small.runs_on_disk > 1, "{small:?}");
    assert!(small.spilled > 400_000 && small.spilled <= 800_000, "{small:?}");
    let large = sort(std::slice::from_ref(&input), options(ElementType::I32, 1 << 24), &way).expect("sorted");
    assert_eq!((large.runs_on_disk, large.spilled), (0, 0));
    assert_eq!(large.path, directory.path().join("ints.sorted"));
    assert_rising(&large.path, 200_000);
}

#[test]
fn many_runs_are_merged_in_several_passes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 200_000);
    let way = Way { tasks: 300, arity: 2, set: 1 };
    let finished =
        sort(std::slice::from_ref(&input), options(ElementType::I32, 64 << 10), &way).expect("sorted");
    assert!(finished.spilled > 800_000, "{finished:?}");
    assert_rising(&finished.path, 200_000);
}

/// What a sort says of the disk is what its own figures foresee: of the same rule, however many passes there are.
#[test]
fn what_goes_by_way_of_the_disk_is_foreseen() {
    use forerun_apps::Job;
    use forerun_platform::Spill;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    let mut passes = [0; 3];
    for n in [30_000, 200_000, 777_777] {
        falling(&input, n);
        for memory in [64 << 10, 256 << 10, 1 << 20, 4 << 20] {
            for tasks in [8, 60, 300, 2000] {
                let options = options(ElementType::I32, memory);
                let job = SortJob::open(std::slice::from_ref(&input), options).expect("good");
                // Tasks that a rank can sort in its share of the memory, as those of plans.
                let tasks = tasks.max(job.bytes().div_ceil(job.largest_grain()));
                let source = job.source(Grain { tasks: Some(tasks), bytes: u64::MAX });
                // What a pilot had there is no part of it.
                for _ in 0..2 {
                    let whole = job.task(0, job.sample(0.0, job.bytes())).expect("sorted");
                    drop(job.rehearse_finish(vec![whole]).expect("written"));
                }
                let mut runs = Vec::new();
                while let Some(input) = source.get(runs.len() as u64).expect("an input") {
                    runs.push(job.task(runs.len() as u64, input).expect("sorted"));
                }
                let room = Job::room(&job).expect("a limit") as f64;
                let ways = job.merged_at_once().expect("a limit") as f64;
                let spill = Spill { room, ways, ..Spill::default() };
                let each = job.bytes() as f64 / tasks as f64;
                let foreseen = spill.by_disk(tasks, each);
                let left = job.bytes();
                let spilled = job.finish(vec![runs]).expect("written").spilled as f64;
                let what = format!("{n} numbers, {memory} bytes, {tasks} tasks: {spilled} for {foreseen}");
                assert_eq!(spilled > 0.0, foreseen > 0.0, "{what}");
                // Tasks differ by an element, and what rests in memory is that much more or less.
                assert!((spilled - foreseen).abs() <= 0.05 * foreseen + each, "{what}");
                passes[(spilled / left as f64).min(2.0) as usize] += 1;
            }
        }
    }
    assert!(passes.iter().all(|&n| n > 2), "{passes:?} with none, about one and more");
    assert_rising(&directory.path().join("ints.sorted"), 777_777);
}

#[test]
fn the_budget_is_given_back() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 30_000);
    for memory in [64 << 10, 1 << 20] {
        let job =
            SortJob::open(std::slice::from_ref(&input), options(ElementType::I32, memory)).expect("good");
        let source = job.source(Grain { tasks: Some(3), bytes: u64::MAX });
        let get = |n| source.get(n).expect("an input").expect("there are three");
        let (a, b) = (job.task(0, get(0)).expect("sorted"), job.task(1, get(1)).expect("sorted"));
        assert_eq!(a.bytes() + b.bytes(), 80_000);
        let merged = job.merge(a, b).expect("merged");
        assert_eq!(merged.bytes(), 80_000);
        assert!(job.budget().available() >= job.budget().limit() / 2);
        drop(merged);
        assert_eq!(job.budget().available(), job.budget().limit());
        assert_eq!(source.get(3), Ok(None));
    }
}

#[test]
fn nothing_is_left_by_a_failure_a_panic_or_a_cancelled_sort() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 100_000);
    std::fs::write(directory.path().join("ints.sorted"), "as it was").expect("written");
    let cancel = Cancel::new();
    let options = SortOptions { cancel: cancel.clone(), ..options(ElementType::I32, 256 << 10) };
    let run = |break_off: &dyn Fn()| {
        let job = SortJob::open(std::slice::from_ref(&input), options.clone())?;
        let source = job.source(job.grain(4));
        let mut outs = Vec::new();
        for index in 0..4 {
            outs.push(job.task(index, source.get(index)?.expect("four tasks"))?);
        }
        break_off();
        job.finish(vec![outs])
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&|| panic!("as it may"))));
    assert!(panicked.is_err());
    let cancelled = run(&|| cancel.cancel()).expect_err("cancelled");
    assert!(cancelled.to_string().contains("cancelled"), "{cancelled}");
    // The input is cut off while it is sorted.
    let fresh = SortOptions { cancel: Cancel::new(), ..options.clone() };
    let job = SortJob::open(std::slice::from_ref(&input), fresh).expect("good");
    let whole = job.sample(0.0, job.bytes());
    std::fs::write(&input, [0; 8]).expect("written");
    let error = job.task(0, whole).expect_err("too short").to_string();
    assert!(error.contains("became shorter"), "{error}");
    drop(job);
    assert_eq!(names(directory.path()), ["ints", "ints.sorted"]);
    assert_eq!(std::fs::read(directory.path().join("ints.sorted")).expect("there"), b"as it was");
}

#[test]
fn an_empty_input_sorts_to_an_empty_output() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("none");
    for element in ElementType::ALL {
        std::fs::write(&input, []).expect("written");
        let finished =
            sort(std::slice::from_ref(&input), options(element, 1 << 20), &Way::TWO).expect("sorted");
        assert_eq!(finished.bytes, 0);
        assert_eq!(std::fs::read(finished.path).expect("an output"), b"");
    }
}

#[test]
fn a_pilot_leaves_no_trace() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 30_000);
    let job = SortJob::open(std::slice::from_ref(&input), options(ElementType::I32, 1 << 20)).expect("good");
    let (a, b) = (job.sample(0.0, 4001), job.sample(1.0, 4001));
    assert_eq!((a.bytes(), b.bytes()), (4000, 4000));
    let (a, b) = (job.task(0, a).expect("sorted"), job.task(1, b).expect("sorted"));
    let merged = job.merge(a, b).expect("merged");
    assert_eq!(merged.bytes(), 8000);
    let tried = job.rehearse_finish(vec![merged]).expect("written");
    assert_eq!(std::fs::metadata(&tried).expect("there until it is dropped").len(), 8000);
    drop(tried);
    assert_eq!(job.sample(0.5, 1 << 40).bytes(), 120_000);
    let _ = job.open(0).expect("a sink");
    assert_eq!(names(directory.path()), ["ints"]);
}

#[test]
fn what_is_tried_of_spilling_is_no_part_of_the_sort() {
    use forerun_apps::Job;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 300_000);
    let job = SortJob::open(std::slice::from_ref(&input), options(ElementType::I32, 1 << 20)).expect("good");
    // Half of the budget, which is four fifths of the memory.
    let room = Job::room(&job).expect("a limit");
    assert!(room.abs_diff((1 << 20) * 4 / 5 / 2) <= 4, "{room}");
    let free = job.budget().available();
    {
        let mut spilling = job.spilling(None).expect("a limit");
        assert!(spilling.bytes() > 0 && spilling.bytes() <= job.bytes());
        for _ in 0..3 {
            spilling.write().expect("written");
            spilling.read().expect("read");
            let (bytes, runs) = spilling.gather().expect("sorted").expect("runs that are merged");
            assert!(runs > 1 && bytes > spilling.bytes(), "{bytes} bytes, {runs} runs");
            spilling.merge().expect("merged");
        }
        assert!(job.budget().available() < free, "what is tried takes memory");
    }
    assert_eq!(job.budget().available(), free);
    assert_eq!(names(directory.path()), ["ints"]);
    let whole = job.task(0, job.sample(0.0, job.bytes())).expect("sorted");
    let finished = job.finish(vec![vec![whole]]).expect("written");
    assert_eq!(finished.spilled, 1_200_000, "a run of more than the room, and nothing that was tried");
}

#[cfg(unix)]
#[test]
fn an_output_keeps_its_link_and_its_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    falling(&at("ints"), 1000);
    std::fs::write(at("real"), "old").expect("written");
    std::fs::set_permissions(at("real"), std::fs::Permissions::from_mode(0o640)).expect("set");
    symlink("real", at("link")).expect("linked");
    let options = SortOptions { output: Some(at("link")), ..options(ElementType::I32, 1 << 20) };
    sort(&[at("ints")], options, &Way::TWO).expect("sorted");
    assert!(at("link").is_symlink());
    assert_rising(&at("real"), 1000);
    assert_eq!(std::fs::metadata(at("real")).expect("there").permissions().mode() & 0o777, 0o640);
}

/// What is kept of each piece of the input fits into the memory, and blocks hold whole elements.
#[test]
fn pieces_are_no_smaller_than_memory_allows() {
    use forerun_apps::{Job as _, ScatterGatherJob as _};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 50_000);
    let job = |memory| SortJob::open(std::slice::from_ref(&input), options(ElementType::I32, memory));
    for (memory, most) in [(64 << 10, 130), (1 << 20, 2_100), (1 << 24, 33_000), (1 << 30, 50_000)] {
        let job = job(memory).expect("good");
        let extent = job.extent();
        for (least, largest) in [(extent.min_grain, extent.max_grain), job.blocks(2, 4)] {
            assert!(least % 4 == 0 && largest % 4 == 0 && least <= largest, "{memory}: {least} to {largest}");
            // Where the memory is for a few pieces at a time, larger ones do not fit.
            assert!(200_000 / least <= most || least == largest, "{memory}: {least}");
        }
    }
    let job = job(1 << 24).expect("good");
    for block in [1, 4, 5, 7, 1001, 4096] {
        let source = job.together(block).source;
        let sizes: Vec<u64> = (0..source.len().expect("known")).map(|i| source.bytes(i)).collect();
        assert_eq!(sizes.iter().sum::<u64>(), 200_000);
        assert!(sizes.iter().all(|size| size % 4 == 0 && *size <= block.max(4)), "{block}");
    }
}

/// Whoever changes an input, at whatever moment and however, is told so, by either pattern, and nothing is left under the output's name.
#[test]
fn an_input_that_is_changed_is_noticed() {
    use std::time::{Duration, SystemTime};

    use forerun_apps::ScatterGatherJob as _;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
    let longer = || {
        let bytes = [std::fs::read(&two).expect("there"), vec![0; 4]].concat();
        std::fs::write(&two, bytes).expect("written");
    };
    let same = || std::fs::write(&two, std::fs::read(&two).expect("there")).expect("written");
    let replaced = || {
        let (other, time) =
            (directory.path().join("other"), std::fs::metadata(&two).unwrap().modified().unwrap());
        std::fs::copy(&two, &other).expect("copied");
        std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &two).expect("renamed");
    };
    // The system's clock of files goes in steps.
    let put_back = || {
        let time = std::fs::metadata(&two).unwrap().modified().unwrap();
        std::thread::sleep(Duration::from_millis(30));
        same();
        std::fs::File::options().write(true).open(&two).unwrap().set_modified(time).unwrap();
    };
    let changes: [(&dyn Fn(), &str); 4] = [
        (&longer, "became longer"),
        (&same, "was written to"),
        (
            &put_back,
            "was touched, or written to and its time put back (only its ctime has moved, which does not tell),",
        ),
        (&replaced, "was replaced by another file"),
    ];
    for (change, what) in changes {
        for (at_once, scattered) in [(false, false), (true, false), (false, true), (true, true)] {
            for file in [&one, &two] {
                falling(file, 10_000);
                let old = std::fs::File::options().write(true).open(file).expect("there");
                old.set_modified(SystemTime::now() - Duration::from_secs(100)).expect("older");
            }
            let output = Some(directory.path().join("out"));
            let options = SortOptions { output, ..options(ElementType::I32, 1 << 20) };
            let job = SortJob::open(&[one.clone(), two.clone()], options).expect("good");
            let change_at = |this: bool| {
                if this == at_once {
                    change()
                }
            };
            let reduced = || {
                change_at(true);
                let source = job.source(job.grain(4));
                let run = |index| job.task(index, source.get(index)?.expect("a task"));
                let runs = (0..4).map(run).collect::<Result<_, _>>()?;
                change_at(false);
                job.finish(vec![runs]).map(drop)
            };
            let gathered = || {
                change_at(true);
                let written = on_threads(&job, 20_000, 2, 1)?;
                change_at(false);
                job.conclude(written).map(drop)
            };
            let said = if scattered { gathered() } else { reduced() }.expect_err("changed").to_string();
            assert!(said.contains(&format!("two {what} while it was being read: leave")), "{said}");
            drop(job);
            assert_eq!(names(directory.path()), ["one", "two"]);
        }
    }
}

/// What the runs of a pilot spilled is theirs.
#[test]
fn a_run_says_what_it_spilled_itself() {
    use forerun_apps::ScatterGatherJob as _;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let input = directory.path().join("ints");
    falling(&input, 200_000);
    let said = |pilots: usize| {
        let job =
            SortJob::open(std::slice::from_ref(&input), options(ElementType::I32, 256 << 10)).expect("good");
        let block = job.largest_block(1, 2);
        for _ in 0..pilots {
            on_threads(&job, block, 1, 0).expect("tried");
        }
        job.conclude(on_threads(&job, block, 1, 0).expect("sorted")).expect("written")
    };
    let alone = said(0);
    assert!(alone.contains("by way of the disk"), "{alone}");
    assert_eq!(said(2), alone);
}
