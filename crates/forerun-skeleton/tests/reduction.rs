//! Laws of the reduction, on threads: whatever the strategy, the ranks, the arity, the window and
//! the number of inputs, the result is that of the sequential fold.

mod common;

use common::{Case, Concat, Counted, Keep, OnThreads};
use forerun_platform::{Deal, Stage, Strategy};
use forerun_skeleton::reduction::{Reduce, Reduction, Shape, Source};
use forerun_skeleton::{AppError, Cancel, Options, RunError};
use proptest::prelude::{Just, ProptestConfig, any, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as _;

fn cases() -> impl proptest::strategy::Strategy<Value = Case> {
    let team = prop_oneof![
        (1u32..4, 2usize..4).prop_map(|(n, a)| (Strategy::ParallelPipeline, a.pow(n), a)),
        (1usize..14, 2usize..5).prop_map(|(p, a)| (Strategy::ReductionTree, p, a)),
        (1usize..9).prop_map(|p| (Strategy::MasterSlave, p, 2)),
        (1usize..12, 2usize..13).prop_map(|(p, a)| (Strategy::Adaptive, p, a)),
    ];
    let deal = prop_oneof![
        Just(Deal::Claimed),
        (0u16..=1000).prop_map(|first_permille| Deal::Even { first_permille }),
        Just(Deal::Even { first_permille: 1000 }),
    ];
    (team, 1usize..4, (1u64..9, 0u64..9), deal, 0u64..90, any::<bool>(), any::<bool>(), 1usize..5).prop_map(
        |((strategy, size, arity), groups, (set, gather), deal, n, known, commutative, window)| {
            let groups = if known || commutative { groups } else { 1 };
            Case {
                strategy,
                ranks: size * groups,
                groups,
                arity,
                set,
                gather,
                deal,
                n,
                known,
                commutative,
                window,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_strategy_gives_the_sequential_result(case in cases()) {
        let ran = case.run(OnThreads(case.options())).unwrap();
        case.check(&ran.outs);
        let tasks: u64 = ran.ranks.iter().filter_map(|r| r.stages.get(&Stage::Task)).map(|t| t.count).sum();
        prop_assert_eq!(tasks, case.n);
    }
}

#[test]
fn the_pipeline_delivers_a_complete_set_every_step() {
    let case = Case {
        strategy: Strategy::ParallelPipeline,
        ranks: 8,
        groups: 1,
        arity: 2,
        set: 4,
        gather: 0,
        deal: Deal::Claimed,
        n: 8 + 4 * 10,
        known: false,
        commutative: false,
        window: 1,
    };
    let ran = case.run(OnThreads(case.options())).unwrap();
    let sets = &ran.outs[7].as_ref().unwrap().sets;
    assert_eq!(sets.iter().map(Vec::len).collect::<Vec<_>>(), [vec![8], vec![4; 10]].concat());
}

#[test]
fn adaptive_sets_are_complete_but_for_the_last() {
    for (n, deal) in [0, 1, 5, 64, 97]
        .into_iter()
        .flat_map(|n| [(n, Deal::Claimed), (n, Deal::Even { first_permille: 400 })])
    {
        let case = Case {
            strategy: Strategy::Adaptive,
            ranks: 5,
            groups: 1,
            arity: 2,
            set: 4,
            gather: n % 5,
            deal,
            n,
            known: true,
            commutative: true,
            window: 2,
        };
        let ran = case.run(OnThreads(case.options())).unwrap();
        let sets = &ran.outs[0].as_ref().unwrap().sets;
        assert!(sets.iter().rev().skip(1).all(|s| s.len() >= 4), "{sets:?}");
    }
}

/// Fails or panics on one input.
struct Faulty {
    at: u64,
    panics: bool,
    merge: bool,
}

impl Reduce for Faulty {
    type Input = u64;
    type Partial = common::Indices;

    fn commutative(&self) -> bool {
        false
    }

    fn task(&self, index: u64, _: u64) -> Result<common::Indices, AppError> {
        if !self.merge && index == self.at {
            assert!(!self.panics, "no such thing");
            return Err(AppError::new("no such thing"));
        }
        Ok(common::Indices(vec![index]))
    }

    fn merge(&self, left: common::Indices, right: common::Indices) -> Result<common::Indices, AppError> {
        if self.merge && [&left, &right].iter().any(|p| p.0.contains(&self.at)) {
            assert!(!self.panics, "no such thing");
            return Err(AppError::new("no such thing"));
        }
        Ok(common::Indices([left.0, right.0].concat()))
    }
}

#[test]
fn a_failing_task_or_merge_ends_the_run_with_input_and_stage() {
    for strategy in Strategy::ALL {
        for (panics, merge) in [(false, false), (true, false), (false, true), (true, true)] {
            let app = Faulty { at: 21, panics, merge };
            let source = Counted::new(100_000, true);
            let shape = Shape { set: 4, ..Shape::new(strategy, 4) };
            let run = Reduction::new(&app, &source, &Keep, shape).unwrap().run(OnThreads(Options::new(4)));
            let Err(RunError::Failed(failure)) = run else { panic!("{strategy:?} did not fail") };
            assert_eq!(failure.stage, if merge { Stage::Merge } else { Stage::Task });
            assert_eq!(failure.panicked, panics);
            assert!(failure.message.contains("no such thing"), "{failure}");
            if !merge {
                assert_eq!(failure.item, 21, "{strategy:?}");
            }
            assert!(source.asked.lock().unwrap().len() < 1000, "{strategy:?} went on");
        }
    }
}

/// An input that never ends.
struct Endless(Cancel);

impl Source for Endless {
    type Input = u64;

    fn len(&self) -> Option<u64> {
        None
    }

    fn bytes(&self, _: u64) -> u64 {
        8
    }

    fn get(&self, index: u64) -> Result<Option<u64>, AppError> {
        if index > 500 {
            self.0.cancel();
        }
        Ok(Some(index))
    }
}

#[test]
fn an_endless_run_ends_when_it_is_cancelled() {
    for strategy in Strategy::ALL {
        for commutative in [false, true] {
            let cancel = Cancel::new();
            let (app, source) = (Concat { commutative }, Endless(cancel.clone()));
            let options = Options { cancel, ..Options::new(4) };
            let run = Reduction::new(&app, &source, &Keep, Shape::new(strategy, 4)).unwrap();
            assert_eq!(run.run(OnThreads(options)).err(), Some(RunError::Cancelled));
        }
    }
}

#[test]
fn shapes_that_cannot_be_are_refused_with_what_would_do() {
    let message = |shape: Shape| shape.check().unwrap_err().to_string();
    let new = Shape::new;
    assert_eq!(message(new(Strategy::Adaptive, 0)), "a job needs at least 1 processor");
    assert_eq!(
        message(new(Strategy::ParallelPipeline, 6)),
        "the parallel-pipeline runs on a power of 2 processors (1, 2, 4, 8, …), so 4 or 8 instead of 6"
    );
    // Of groups and fan-in is spoken where they are asked for.
    let said = message(Shape { groups: 2, arity: 3, ..new(Strategy::ParallelPipeline, 10) });
    assert!(
        said.contains(
            "of arity 3 runs on a power of 3 processors a group (1, 3, 9, …), so 3 or 9 instead of 5"
        ),
        "{said}"
    );
    assert!(message(Shape { groups: 3, ..new(Strategy::Adaptive, 8) }).contains("3 groups"));
    assert!(message(Shape { arity: 1, ..new(Strategy::Adaptive, 8) }).contains("at least 2"));
    let endless = Counted::new(3, false);
    let shape = Shape { groups: 2, ..new(Strategy::Adaptive, 4) };
    let ordered = Concat { commutative: false };
    assert!(Reduction::new(&ordered, &endless, &Keep, shape).is_err());
}
