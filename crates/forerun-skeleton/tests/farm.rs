//! Laws of the farm, on threads: whatever the ranks, masters, grain, prefetch and window, every task's answer
//! arrives once, in order where that is asked for, also where tasks fail and panic.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use forerun_platform::Stage;
use forerun_skeleton::farm::{Answer, Farm, Masters, Parcel, Shape};
use forerun_skeleton::reduction::{Piece, Runner, Sink, Sinks};
use forerun_skeleton::{AppError, Failure, Message, Options, Program, Ran, RunError, threads};
use proptest::prelude::*;

/// The square of a task's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Square(u64);

impl Message for Square {
    fn bytes(&self) -> u64 {
        8
    }
}

/// How a task fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Error,
    Panic,
}

#[derive(Default)]
struct Squares {
    tasks: u64,
    /// Which tasks fail, how, and how often before they do not.
    faults: BTreeMap<u64, (Fault, u32)>,
    tried: Mutex<BTreeMap<u64, u32>>,
    /// Spins of a task, so that some take longer.
    spins: u64,
    done: AtomicU64,
    /// Whether tasks that fail for good are gone on without.
    goes_on: bool,
}

/// What stands for a task that was given up.
const NONE: u64 = u64::MAX;

impl Answer for Squares {
    type Answer = Square;

    fn tasks(&self) -> u64 {
        self.tasks
    }

    fn answer(&self, index: u64) -> Result<Square, AppError> {
        assert!(index < self.tasks);
        for spin in 0..self.spins * (index % 7) {
            std::hint::black_box(spin);
        }
        let times = {
            let mut tried = self.tried.lock().unwrap();
            let times = tried.entry(index).or_insert(0);
            *times += 1;
            *times
        };
        match self.faults.get(&index) {
            Some((Fault::Error, n)) if times <= *n => Err(AppError::new(format!("no square of {index}"))),
            Some((Fault::Panic, n)) if times <= *n => panic!("no square of {index} at all"),
            _ => {
                self.done.fetch_add(1, Ordering::SeqCst);
                Ok(Square(index * index))
            }
        }
    }

    fn given_up(&self, index: u64, failure: &Failure) -> Option<Square> {
        assert_eq!((failure.stage, failure.item), (Stage::Task, index));
        self.goes_on.then_some(Square(NONE))
    }
}

/// Keeps what it is given, in its order.
struct Collect;

#[derive(Default)]
struct Collected(Vec<(u64, u64)>);

impl Sink<Square> for Collected {
    type Out = Vec<(u64, u64)>;

    fn accept(&mut self, piece: Piece<Square>) -> Result<(), AppError> {
        assert_eq!(piece.results, 1);
        self.0.push((piece.first, piece.value.0));
        Ok(())
    }

    fn close(self) -> Result<Self::Out, AppError> {
        Ok(self.0)
    }
}

impl Sinks<Square> for Collect {
    type Sink = Collected;

    fn open(&self, _: usize) -> Result<Collected, AppError> {
        Ok(Collected::default())
    }
}

type Out = Option<Vec<(u64, u64)>>;

struct OnThreads(Options);

impl Runner<Parcel<Square>, Out> for OnThreads {
    type Ran = Ran<Out>;

    fn run<P>(self, program: &P) -> Result<Ran<Out>, RunError>
    where
        P: Program<Msg = Parcel<Square>, Out = Out> + Sync,
    {
        threads::run(program, &self.0)
    }
}

fn run(app: &Squares, shape: Shape, more_window: usize) -> Result<Ran<Out>, RunError> {
    let options = Options { window: shape.window() + more_window, ..Options::new(shape.ranks) };
    Farm::new(app, &Collect, shape)?.run(OnThreads(options))
}

fn masters(ranks: usize) -> impl Strategy<Value = Masters> {
    prop_oneof![(1..=(ranks / 2).max(1)).prop_map(Masters::Fixed), Just(Masters::Dynamic)]
}

fn shapes() -> impl Strategy<Value = Shape> {
    (1..12usize).prop_flat_map(|ranks| {
        (masters(ranks), 1..8u64, 1..4u64, any::<bool>(), 1..40u64).prop_map(
            move |(masters, grain, prefetch, ordered, ahead)| Shape {
                ranks,
                masters,
                grain,
                prefetch,
                ordered,
                ahead,
                attempts: 3,
            },
        )
    })
}

/// Tasks that fail at first: none, few, or many.
fn faults() -> impl Strategy<Value = BTreeMap<u64, (Fault, u32)>> {
    let fault = (prop_oneof![Just(Fault::Error), Just(Fault::Panic)], 1..3u32);
    prop_oneof![Just(BTreeMap::new()), prop::collection::btree_map(0..200u64, fault, 0..60)]
}

/// None, one, primes, and anything.
fn counts() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0u64), Just(1), Just(2), Just(97), Just(199), 0..200u64]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_arrives_once(
        shape in shapes(),
        tasks in counts(),
        faults in faults(),
        (more, spins) in (0..3usize, prop_oneof![Just(0u64), Just(300)]),
    ) {
        let failing: u64 = faults.range(..tasks).map(|(_, (_, n))| u64::from(*n)).sum();
        let app = Squares { tasks, faults, spins, ..Squares::default() };
        let ran = run(&app, shape, more).expect("it ends");
        let lists: Vec<&Vec<(u64, u64)>> = ran.outs.iter().flatten().collect();
        let mut all: Vec<(u64, u64)> = lists.iter().copied().flatten().copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..tasks).map(|i| (i, i * i)).collect::<Vec<_>>());
        prop_assert_eq!(app.done.load(Ordering::SeqCst), tasks);
        if let Masters::Fixed(masters) = shape.masters {
            prop_assert_eq!(lists.len(), masters);
            if shape.ordered {
                // The groups' shares follow each other.
                let in_order: Vec<u64> = lists.into_iter().flatten().map(|(i, _)| *i).collect();
                prop_assert_eq!(in_order, (0..tasks).collect::<Vec<_>>());
            }
        }
        let tried: u64 = ran.ranks.iter().filter_map(|r| r.stages.get(&Stage::Task)).map(|t| t.count).sum();
        prop_assert_eq!(tried, tasks + failing);
    }

    /// Those that fail as often as they may have what stands for them in their place, once each and in order.
    #[test]
    fn a_farm_goes_on_without_what_is_given_up(
        shape in shapes(),
        tasks in counts(),
        faults in faults(),
        attempts in 1..4u32,
    ) {
        let given_up = |task: u64| faults.get(&task).is_some_and(|(_, times)| *times >= attempts);
        let expected: Vec<(u64, u64)> =
            (0..tasks).map(|i| (i, if given_up(i) { NONE } else { i * i })).collect();
        let failing: u64 = faults.range(..tasks).map(|(_, (_, n))| u64::from(*n.min(&attempts))).sum();
        let lost = (0..tasks).filter(|&task| given_up(task)).count() as u64;
        let app = Squares { tasks, faults: faults.clone(), goes_on: true, ..Squares::default() };
        let shape = Shape { attempts, ..shape };
        let ran = run(&app, shape, 0).expect("it ends");
        let all: Vec<(u64, u64)> = ran.outs.iter().flatten().flatten().copied().collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        prop_assert_eq!(&sorted, &expected);
        if shape.ordered && matches!(shape.masters, Masters::Fixed(_)) {
            prop_assert_eq!(all, expected);
        }
        prop_assert_eq!(app.done.load(Ordering::SeqCst), tasks - lost);
        let tried: u64 = ran.ranks.iter().filter_map(|r| r.stages.get(&Stage::Task)).map(|t| t.count).sum();
        prop_assert_eq!(tried, tasks - lost + failing);
    }

    /// Groups cover all ranks and tasks, each once, and every master has a slave.
    #[test]
    fn groups_cover_ranks_and_tasks(ranks in 1..300usize, masters in 1..150usize, tasks in 0..10_000u64) {
        let shape = Shape { masters: Masters::Fixed(masters), ..Shape::new(ranks) };
        prop_assume!(shape.check().is_ok());
        let (mut next, mut from, mut groups) = (0, 0, 0);
        while next < ranks {
            let group = shape.group(next, tasks);
            prop_assert_eq!((group.master, group.tasks.start), (next, from));
            prop_assert!(ranks == 1 || group.beyond >= next + 2);
            for rank in group.master..group.beyond {
                prop_assert_eq!(&shape.group(rank, tasks), &group);
            }
            (next, from) = (group.beyond, group.tasks.end);
            groups += 1;
        }
        prop_assert_eq!((next, from, groups), (ranks, tasks, masters));
    }
}

#[test]
fn a_task_that_keeps_failing_ends_the_run_with_its_error() {
    for (fault, said) in [(Fault::Error, "no square of 5 (attempt 2 of 2)"), (Fault::Panic, "at all")] {
        for (ranks, masters) in
            [(1, Masters::Fixed(1)), (2, Masters::Fixed(1)), (6, Masters::Fixed(2)), (6, Masters::Dynamic)]
        {
            let app = Squares { tasks: 40, faults: [(5, (fault, 9))].into(), ..Squares::default() };
            let shape = Shape { masters, attempts: 2, ..Shape::new(ranks) };
            let error = run(&app, shape, 0).expect_err("it fails");
            let RunError::Failed(failure) = error else { panic!("{error}") };
            assert_eq!((failure.stage, failure.item), (Stage::Task, 5));
            assert_eq!(failure.panicked, fault == Fault::Panic);
            assert!(failure.message.contains(said), "{failure}");
            assert_eq!(app.tried.lock().unwrap()[&5], 2);
        }
    }
}

/// The rank on which task 0 was tried, by the name of its thread.
struct Where(Mutex<Vec<String>>);

impl Answer for Where {
    type Answer = Square;

    fn tasks(&self) -> u64 {
        30
    }

    fn answer(&self, index: u64) -> Result<Square, AppError> {
        if index == 0 {
            let mut ranks = self.0.lock().unwrap();
            ranks.push(std::thread::current().name().unwrap_or_default().to_owned());
            if ranks.len() < 3 {
                return Err(AppError::new("not here"));
            }
        }
        Ok(Square(index))
    }
}

#[test]
fn what_failed_is_done_elsewhere() {
    for ranks in 2..6 {
        let app = Where(Mutex::default());
        let farm = Farm::new(&app, &Collect, Shape::new(ranks)).unwrap();
        farm.run(OnThreads(Options::new(ranks))).expect("the third attempt is good");
        let ranks = app.0.into_inner().unwrap();
        assert_eq!(ranks.len(), 3);
        assert!(ranks.windows(2).all(|w| w[0] != w[1]), "{ranks:?}");
    }
}

/// Waits in its first task until the others are as far as they can get.
struct Late {
    done: AtomicU64,
    most: AtomicU64,
}

impl Answer for Late {
    type Answer = Square;

    fn tasks(&self) -> u64 {
        2000
    }

    fn answer(&self, index: u64) -> Result<Square, AppError> {
        if index > 0 {
            self.done.fetch_add(1, Ordering::SeqCst);
            return Ok(Square(index));
        }
        let mut before = u64::MAX;
        while before != self.done.load(Ordering::SeqCst) {
            before = self.done.load(Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        self.most.store(before, Ordering::SeqCst);
        Ok(Square(0))
    }
}

#[test]
fn in_order_a_task_that_is_late_holds_the_others_up() {
    let app = Late { done: AtomicU64::new(0), most: AtomicU64::new(0) };
    let shape = Shape { ordered: true, ahead: 20, grain: 3, prefetch: 2, ..Shape::new(4) };
    let ran = Farm::new(&app, &Collect, shape).unwrap().run(OnThreads(Options::new(4))).expect("it ends");
    let order: Vec<u64> = ran.outs[0].iter().flatten().map(|(index, _)| *index).collect();
    assert_eq!(order, (0..2000).collect::<Vec<_>>());
    let most = app.most.load(Ordering::SeqCst);
    assert!((10..=20 + 3).contains(&most), "{most} results were held back");
}

#[test]
fn a_failing_sink_ends_the_run() {
    struct Full;
    impl Sink<Square> for Full {
        type Out = Vec<(u64, u64)>;
        fn accept(&mut self, _: Piece<Square>) -> Result<(), AppError> {
            Err(AppError::new("no room"))
        }
        fn close(self) -> Result<Self::Out, AppError> {
            Ok(Vec::new())
        }
    }
    impl Sinks<Square> for Full {
        type Sink = Full;
        fn open(&self, _: usize) -> Result<Full, AppError> {
            Ok(Full)
        }
    }
    let app = Squares { tasks: 9, ..Squares::default() };
    let farm = Farm::new(&app, &Full, Shape::new(3)).unwrap();
    let error = farm.run(OnThreads(Options::new(3))).expect_err("it fails").to_string();
    assert!(error.starts_with("sink ") && error.ends_with("no room"), "{error}");
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let message = |shape: Shape| shape.check().unwrap_err().to_string();
    let fixed = |ranks, masters| Shape { masters: Masters::Fixed(masters), ..Shape::new(ranks) };
    assert_eq!(message(Shape::new(0)), "a farm needs at least 1 rank");
    assert!(message(fixed(5, 3)).contains("3 masters of 5 ranks"));
    assert!(message(fixed(5, 0)).contains("expected at least one"));
    assert!(message(fixed(1, 2)).contains("2 masters of 1 ranks"));
    assert!(message(Shape { grain: 0, ..Shape::new(2) }).contains("0 tasks in a message"));
    assert!(message(Shape { prefetch: 0, ..Shape::new(2) }).contains("0 messages of tasks at a time"));
    assert!(message(Shape { ahead: 0, ..Shape::new(2) }).contains("0 tasks ahead"));
    assert!(message(Shape { attempts: 0, ..Shape::new(2) }).contains("0 attempts"));
}
