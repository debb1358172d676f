//! Laws of scatter-gather, on threads: whatever the ranks, their shares, the blocks, the packets and
//! the window, with or without reading ahead and writing behind, the result is the sequential one.

#[path = "scatter/sorting.rs"]
mod sorting;

use std::sync::atomic::Ordering;
use std::thread;

use forerun_platform::Stage;
use forerun_skeleton::scatter_gather::{Parcel, Scatter, Shape};
use forerun_skeleton::threads::{self, ReadAhead, WriteBehind};
use forerun_skeleton::{Cancel, Options, Program, Ran, RunError};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as _;
use sorting::{Blocks, Collect, Fault, Numbers, Sorting};

struct OnThreads(Options);

impl forerun_skeleton::reduction::Runner<Parcel<Numbers, Numbers>, Option<Vec<u64>>> for OnThreads {
    type Ran = Ran<Option<Vec<u64>>>;

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Parcel<Numbers, Numbers>, Out = Option<Vec<u64>>> + Sync,
    {
        threads::run(program, &self.0)
    }
}

#[derive(Debug, Clone)]
struct Case {
    shape: Shape,
    blocks: Vec<Vec<u64>>,
    known: bool,
    packet: usize,
    window: usize,
    ahead: usize,
}

impl Case {
    fn new(ranks: usize, blocks: usize) -> Self {
        let blocks = (0..blocks as u64).map(|i| vec![7 * i % 100, i, 3 * i % 50]).collect();
        Case { shape: Shape::new(ranks), blocks, known: true, packet: 2, window: 2, ahead: 0 }
    }

    fn run(
        &self,
        app: &Sorting,
        source: &Blocks,
        cancel: &Cancel,
    ) -> Result<Ran<Option<Vec<u64>>>, RunError> {
        let mut options = Options { window: self.window, ..Options::new(self.shape.ranks) };
        options.cancel = cancel.clone();
        let sinks = Collect { fault: app.fault };
        if self.ahead == 0 {
            return Scatter::new(app, source, &sinks, self.shape.clone())?.run(OnThreads(options));
        }
        thread::scope(|scope| {
            let ahead = ReadAhead::start(scope, source, self.ahead).unwrap();
            let behind = WriteBehind::new(scope, &sinks, self.ahead);
            Scatter::new(app, &ahead, &behind, self.shape.clone())?.run(OnThreads(options))
        })
    }

    fn result(&self) -> Ran<Option<Vec<u64>>> {
        let app = Sorting { packet: self.packet, fault: Fault::None };
        self.run(&app, &Blocks::new(self.blocks.clone(), self.known), &Cancel::new()).unwrap()
    }
}

fn cases() -> impl proptest::strategy::Strategy<Value = Case> {
    let blocks = proptest::collection::vec(proptest::collection::vec(0u64..50, 0..9), 0..40);
    let shares = proptest::collection::vec(0u32..5, 8);
    (1usize..9, shares, any::<bool>(), blocks, (any::<bool>(), 1usize..12, 1usize..5, 0usize..4)).prop_map(
        |(ranks, mut shares, equal, blocks, (known, packet, window, ahead))| {
            shares.truncate(ranks);
            shares[ranks - 1] += 1;
            let shares = if equal { Vec::new() } else { shares };
            Case { shape: Shape { ranks, shares }, blocks, known, packet, window, ahead }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_result_is_the_sequential_one(case in cases()) {
        let ran = case.result();
        let mut expected: Vec<u64> = case.blocks.concat();
        expected.sort_unstable();
        prop_assert_eq!(ran.outs[0].as_ref(), Some(&expected));
        prop_assert!(ran.outs[1..].iter().all(Option::is_none));
        let processed: Vec<u64> =
            ran.ranks.iter().map(|r| r.stages.get(&Stage::Process).map_or(0, |t| t.count)).collect();
        let mut owned = vec![0; case.shape.ranks];
        case.shape.owners().take(case.blocks.len()).for_each(|rank| owned[rank] += 1);
        prop_assert_eq!(processed, owned);
    }

    /// A block goes to a rank that would finish it first if ranks were as fast as their shares.
    #[test]
    fn owners_finish_first(shares in proptest::collection::vec(0u32..20, 1..12), n in 1usize..200) {
        let shape = Shape { ranks: shares.len(), shares: shares.clone() };
        proptest::prop_assume!(shape.check().is_ok());
        let mut have = vec![0u64; shares.len()];
        for owner in shape.owners().take(n) {
            let done = |rank: usize| (have[rank] + 1) as f64 / f64::from(shares[rank]);
            prop_assert!((0..shares.len()).all(|r| done(owner) <= done(r) * (1.0 + 1e-12)));
            have[owner] += 1;
        }
    }
}

#[test]
fn equal_shares_are_dealt_in_turn() {
    for shares in [vec![], vec![3, 3, 3]] {
        let shape = Shape { ranks: 3, shares };
        assert_eq!(shape.owners().take(7).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0]);
    }
}

#[test]
fn a_failure_anywhere_ends_the_run_with_its_stage() {
    for ahead in [0, 2] {
        for (fault, stage, item) in [
            (Fault::Read(7), Stage::Read, Some(7)),
            (Fault::Process(8), Stage::Process, Some(8)),
            (Fault::Local, Stage::ResolveLocal, None),
            (Fault::Global, Stage::ResolveGlobal, None),
            // What fails behind is told by what is written next.
            (Fault::Write(3), Stage::Write, (ahead == 0).then_some(3)),
        ] {
            let case = Case { ahead, ..Case::new(3, 40) };
            let app = Sorting { packet: 4, fault };
            let source = Blocks { fault, ..Blocks::new(case.blocks.clone(), true) };
            let error = case.run(&app, &source, &Cancel::new()).expect_err("fails");
            let RunError::Failed(failure) = error else { panic!("{fault:?}: {error}") };
            assert_eq!(failure.stage, stage, "{fault:?}: {failure}");
            assert!(failure.message.contains("no such thing"), "{failure}");
            assert!(item.is_none_or(|item| item == failure.item), "{fault:?}: {failure}");
        }
    }
}

#[test]
fn the_source_is_not_read_further_than_ranks_can_take() {
    // A rank that never gets beyond its first block holds the reading up: bounded memory.
    let case = Case { window: 2, ahead: 3, ..Case::new(2, 1000) };
    let app = Sorting { packet: 4, fault: Fault::Stuck };
    let (source, cancel) = (Blocks::new(case.blocks.clone(), false), Cancel::new());
    let most = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(std::time::Duration::from_millis(200));
            cancel.cancel();
            sorting::STUCK.store(false, Ordering::SeqCst);
        });
        sorting::STUCK.store(true, Ordering::SeqCst);
        let run = case.run(&app, &source, &cancel);
        assert_eq!(run.err(), Some(RunError::Cancelled));
        source.read.load(Ordering::SeqCst)
    });
    // Two owned blocks a turn: those processed or held, those under way, those read ahead.
    assert!(most <= 2 * (2 + 2) + 2 + 3 + 2, "{most} blocks were read");
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let message = |shape: Shape| shape.check().unwrap_err().to_string();
    assert_eq!(message(Shape::new(0)), "a job needs at least 1 processor");
    assert!(message(Shape { ranks: 2, shares: vec![1] }).contains("2 ranks have 1 shares"));
    assert!(message(Shape { ranks: 2, shares: vec![0, 0] }).contains("above 0"));
}
