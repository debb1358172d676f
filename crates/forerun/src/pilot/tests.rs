//! A pilot of a job that takes nothing twice.

use std::cell::RefCell;
use std::time::Duration;

use forerun_apps::{Erased, Extent, Job, ReductionJob};
use forerun_platform::JoinAt;
use forerun_skeleton::reduction::{Piece, Reduce, Sink, Sinks, Source};
use forerun_skeleton::wire::{Codec, Plain, Wire};
use forerun_skeleton::{AppError, Cancel, Message};

use super::{Purpose, pilot};

/// Files, of which each may be merged into a result and delivered only once.
struct Once {
    files: u64,
    join: JoinAt,
    app: Numbers,
    /// Bytes of the result that is there already.
    old: u64,
    /// Whether a task takes what it takes to start beside, as programs do.
    outside: bool,
}

/// A rehearsed result, which takes a while to be rid of: [`RID`] a file.
struct Tried(u32);

impl Drop for Tried {
    fn drop(&mut self) {
        std::thread::sleep(RID * self.0);
    }
}

/// What it takes to be rid of a file of a result.
const RID: Duration = Duration::from_micros(200);
/// Bytes of a file.
const SIZE: u64 = 1000;

struct Numbers {
    /// Seconds of a file.
    each: Duration,
    /// Seconds that a task takes beside those, as a program does to start.
    start: Duration,
}

/// Files of a result.
struct Files(Vec<u64>);

impl Message for Files {
    fn bytes(&self) -> u64 {
        SIZE * self.0.len() as u64
    }
}

impl Wire for Files {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Files)
    }
}

/// Files of a task.
struct Cut {
    files: u64,
    grain: u64,
}

impl Source for Cut {
    type Input = Vec<u64>;

    fn len(&self) -> Option<u64> {
        Some(self.files.div_ceil(self.grain))
    }

    fn bytes(&self, index: u64) -> u64 {
        SIZE * self.grain.min(self.files - index * self.grain)
    }

    fn get(&self, index: u64) -> Result<Option<Vec<u64>>, AppError> {
        let first = index * self.grain;
        Ok((first < self.files).then(|| (first..self.files.min(first + self.grain)).collect()))
    }
}

fn united(mut left: Vec<u64>, right: Vec<u64>) -> Result<Vec<u64>, AppError> {
    match right.iter().find(|file| left.contains(file)) {
        Some(file) => Err(AppError::new(format!("file {file} came twice"))),
        None => {
            left.extend(right);
            Ok(left)
        }
    }
}

impl Reduce for Numbers {
    type Input = Vec<u64>;
    type Partial = Files;

    fn commutative(&self) -> bool {
        true
    }

    fn task(&self, _: u64, input: Vec<u64>) -> Result<Files, AppError> {
        std::thread::sleep(self.start + self.each * input.len() as u32);
        Ok(Files(input))
    }

    fn merge(&self, left: Files, right: Files) -> Result<Files, AppError> {
        united(left.0, right.0).map(Files)
    }
}

#[derive(Default)]
struct Taken(RefCell<Vec<u64>>);

impl Sink<Files> for Taken {
    type Out = Vec<u64>;

    fn accept(&mut self, piece: Piece<Files>) -> Result<(), AppError> {
        let taken = united(self.0.take(), piece.value.0)?;
        self.0.replace(taken);
        Ok(())
    }

    fn close(self) -> Result<Vec<u64>, AppError> {
        Ok(self.0.into_inner())
    }
}

struct Open;

impl Sinks<Files> for Open {
    type Sink = Taken;

    fn open(&self, _: usize) -> Result<Taken, AppError> {
        Ok(Taken::default())
    }
}

impl Job for Once {
    fn name(&self) -> &'static str {
        "once"
    }

    fn summary(&self) -> String {
        format!("{} files", self.files)
    }

    fn extent(&self) -> Extent {
        let bytes = SIZE * self.files;
        let pieces = Some(vec![SIZE; self.files as usize]);
        Extent { bytes, pieces, min_grain: 1, max_grain: bytes, kept: Vec::new(), breaks: Vec::new() }
    }

    fn join(&self) -> JoinAt {
        self.join
    }

    fn outside(&self) -> bool {
        self.outside
    }
}

impl ReductionJob for Once {
    type Input = Vec<u64>;
    type Partial = Files;
    type App = Numbers;
    type Source = Cut;
    type Left = Vec<u64>;
    type Sinks<'s> = Open;

    fn app(&self) -> &Numbers {
        &self.app
    }

    fn cut(&self, grain: u64) -> Result<Cut, AppError> {
        Ok(Cut { files: self.files, grain: grain.div_ceil(SIZE) })
    }

    fn sinks(&self) -> Open {
        Open
    }

    fn finish(&self, left: Vec<Vec<u64>>) -> Result<String, AppError> {
        left.into_iter().try_fold(Vec::new(), united).map(|files| format!("{} files", files.len()))
    }

    fn rehearse_finish(&self, left: Vec<Vec<u64>>) -> Result<Erased, AppError> {
        let files = left.iter().map(Vec::len).sum::<usize>();
        self.finish(left).map(|_| Erased::new(Tried(files as u32)))
    }

    fn replaces(&self) -> u64 {
        self.old
    }

    fn input_name(&self, _: &Cut, index: u64) -> String {
        format!("task {index}")
    }

    fn codec(&self) -> impl Codec<Files> + Codec<Vec<u64>> + Sync {
        Plain
    }
}

/// As a run does. A store that counts, or whose rows are unique, would be wrong or refuse it.
#[test]
fn nothing_is_merged_or_delivered_twice() {
    for join in [JoinAt::Finish, JoinAt::Sink] {
        for (files, each) in [1, 2, 3, 5, 13, 64, 300].iter().flat_map(|&n| [(n, 0), (n, 200), (n, 2_000)]) {
            let app = Numbers { each: Duration::from_micros(each), start: Duration::ZERO };
            let purpose = Purpose {
                workers: 2,
                fixed: false,
                slower: 1.0,
                grain: &|_, largest| Some(largest.saturating_mul(4)),
            };
            let found = pilot(&Once { files, join, app, old: 0, outside: false }, &purpose, &Cancel::new());
            let found = found.unwrap_or_else(|e| panic!("{files} files of {each} us, {join:?}: {e}"));
            assert!(found.tasks > 0);
        }
    }
}

/// A rehearsal leaves the result that is there in its place; the end of a run has to be rid of it.
#[test]
fn what_the_result_replaces_is_part_of_its_end() {
    let purpose = Purpose { workers: 2, fixed: false, slower: 1.0, grain: &|_, largest| Some(largest) };
    let finish = |join, old| {
        let app = Numbers { each: Duration::from_micros(200), start: Duration::ZERO };
        pilot(&Once { files: 64, join, app, old, outside: false }, &purpose, &Cancel::new())
            .expect("it runs")
            .profile
            .finish
    };
    for join in [JoinAt::Finish, JoinAt::Sink] {
        let seconds = finish(join, 10_000 * SIZE).seconds(SIZE as f64, 1.0);
        assert!(seconds >= 0.9 * 10_000.0 * RID.as_secs_f64(), "{join:?}: {seconds}");
    }
    assert!(finish(JoinAt::Finish, 0).seconds(SIZE as f64, 1.0) < 10_000.0 * RID.as_secs_f64());
}

/// Tasks that take longer than a pilot may are not tried more often than it takes to merge two results. (Sleeping takes what it takes, on any
/// machine; a busy one is given as much again.)
#[test]
fn a_pilot_of_long_tasks_ends_as_soon_as_it_can_predict() {
    for (files, start_ms, each_ms) in [(40, 1000, 0), (40, 0, 1000), (3, 1000, 0), (2, 0, 1000)] {
        let (each, start) = (Duration::from_millis(each_ms), Duration::from_millis(start_ms));
        let job = Once { files, join: JoinAt::Sink, app: Numbers { each, start }, old: 0, outside: true };
        let purpose = Purpose {
            workers: 2,
            fixed: false,
            slower: 1.0,
            grain: &|_, largest| Some(largest.saturating_mul(4)),
        };
        let begun = std::time::Instant::now();
        let found = pilot(&job, &purpose, &Cancel::new()).unwrap_or_else(|e| panic!("{files} files: {e}"));
        let took_s = begun.elapsed().as_secs_f64();
        // Two tasks, of which one may be of two files.
        let most_s = if each_ms > 0 && files > 4 { 3.0 } else { 2.0 };
        let what = format!("{files} files, {start_ms} + {each_ms} ms: {took_s} s");
        assert!(
            found.tasks == 2 && (0.9 * most_s..2.0 * most_s).contains(&took_s),
            "{what}, {}",
            found.tasks
        );
        let of_one = found.profile.task.seconds(SIZE as f64, 1.0);
        assert!((0.5..2.0).contains(&of_one), "{what}: {:?}", found.profile.task);
    }
}

/// However slow a program is to start, and however small the inputs are: what it takes for many of them is not what it takes for one, so
/// many times. (Sleeping takes what it takes, on any machine.)
#[test]
fn starting_a_program_is_not_taken_for_work_on_bytes() {
    for start_ms in [10, 30, 200] {
        let app = Numbers { each: Duration::from_micros(20), start: Duration::from_millis(start_ms) };
        let job = Once { files: 4000, join: JoinAt::Sink, app, old: 0, outside: true };
        let purpose = Purpose {
            workers: 2,
            fixed: false,
            slower: 1.0,
            grain: &|_, largest| Some(largest.saturating_mul(4)),
        };
        let found = pilot(&job, &purpose, &Cancel::new()).unwrap_or_else(|e| panic!("{start_ms} ms: {e}"));
        let half = found.profile.task.seconds((2000 * SIZE) as f64, 1.0);
        let expected = start_ms as f64 * 1e-3 + 0.04;
        assert!((0.5..3.0).contains(&(half / expected)), "{start_ms} ms: {half} s, {:?}", found.profile.task);
        // Two sizes at least, of which the larger is worth its while.
        assert!(found.profile.tried > 4.0 * SIZE as f64, "{start_ms} ms: {}", found.profile.tried);
    }
}
