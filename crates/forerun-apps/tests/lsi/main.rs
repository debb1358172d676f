//! Matching queries by LSI as a reduction: the same lists whatever the strategy, the grain and the number of ranks.

#[path = "../features/server.rs"]
mod server;
#[path = "../../../forerun-platform/tests/common/skipped.rs"]
mod skipped;
mod tables;

use std::sync::{Arc, Mutex};

use forerun_apps::lsi::{LsiJob, LsiOptions, Record, RunFile, Store};
use forerun_apps::{Erased, Job as _, ReductionJob as _};
use forerun_lsi::{Document, Model, ModelOptions, Query};
use forerun_platform::Strategy;
use forerun_skeleton::reduction::{
    Piece, Reduce, Reduction, Runner, Shape, Sink as _, Sinks as _, Source as _,
};
use forerun_skeleton::{AppError, Cancel, Options, Program, Ran, RunError, threads};
use proptest::prelude::*;

const WORDS: [&str; 12] =
    ["wing", "flow", "heat", "shock", "jet", "plate", "cone", "gas", "drag", "lift", "wave", "nozzle"];

fn text(i: usize) -> String {
    (0..9).map(|j| WORDS[(i * i + 5 * j * (i % 7 + 1) + j) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// What was stored: query, document, rank and the bits of the score.
type Stored = Vec<(String, String, usize, u32)>;

/// Keeps what it is given.
#[derive(Default)]
struct Memory(Arc<Mutex<Stored>>);

impl Store for Memory {
    fn store(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<String, AppError> {
        let all = records.map(|r| (r.query.into(), r.document.into(), r.rank, r.score.to_bits()));
        *self.0.lock().unwrap() = all.collect();
        Ok("memory".into())
    }

    fn rehearse(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<Erased, AppError> {
        records.for_each(drop);
        Ok(Erased::new(()))
    }
}

fn model() -> Model {
    let documents: Vec<Document> =
        (0..150).map(|i| Document { id: format!("d{i}"), text: text(i) }).collect();
    Model::build(&documents, &ModelOptions::new(6)).unwrap()
}

/// A job of so many queries, and where it stores.
fn job(queries: usize) -> (LsiJob, Arc<Mutex<Stored>>) {
    let queries: Vec<Query> =
        (0..queries).map(|i| Query { id: format!("q{i}"), text: text(i * 3 + 1) }).collect();
    let memory = Memory::default();
    let stored = memory.0.clone();
    let options = LsiOptions { most: 7, cancel: Cancel::new() };
    (LsiJob::new(model(), &queries, Box::new(memory), options).unwrap(), stored)
}

/// The result of one task.
fn whole(job: &LsiJob) {
    let source = job.cut(u64::MAX).unwrap();
    assert_eq!(source.len(), Some(1));
    let input = source.get(0).unwrap().unwrap();
    let value = job.app().task(0, input).unwrap();
    let mut sink = job.sinks().open(0).unwrap();
    sink.accept(Piece { value, first: 0, results: 1 }).unwrap();
    job.finish(vec![sink.close().unwrap()]).unwrap();
}

struct OnThreads(Options);

impl<M: Send, O: Send> Runner<M, O> for OnThreads
where
    M: forerun_skeleton::Message,
{
    type Ran = Ran<O>;

    fn run<P>(self, program: &P) -> Result<Ran<O>, RunError>
    where
        P: Program<Msg = M, Out = O> + Sync,
    {
        threads::run(program, &self.0)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_strategy_gives_the_lists_of_one_task(
        queries in 1usize..600, rows in 3u64..200, strategy in 0usize..4, ranks in 1usize..6,
    ) {
        let (job, stored) = job(queries);
        whole(&job);
        let expected = std::mem::take(&mut *stored.lock().unwrap());
        prop_assert_eq!(expected.len(), 7 * queries);
        let strategy = Strategy::ALL[strategy];
        let ranks = if strategy == Strategy::ParallelPipeline { 4 } else { ranks };
        let source = job.cut(rows * 24).unwrap();
        let sinks = job.sinks();
        let reduction = Reduction::new(job.app(), &source, &sinks, Shape::new(strategy, ranks)).unwrap();
        let ran = reduction.run(OnThreads(Options::new(ranks))).unwrap();
        job.finish(ran.outs.into_iter().flatten().collect()).unwrap();
        prop_assert_eq!(&*stored.lock().unwrap(), &expected);
    }

    #[test]
    fn tasks_are_all_rows_once(queries in 1usize..600, grain in 1u64..20_000) {
        let (job, _) = job(queries);
        let source = job.cut(grain).unwrap();
        let tasks = source.len().unwrap();
        let bytes: u64 = (0..tasks).map(|t| source.bytes(t)).sum();
        prop_assert_eq!(bytes, job.extent().bytes);
        prop_assert!((0..tasks).all(|t| source.bytes(t) <= grain.max(24)));
        prop_assert!(source.get(tasks).unwrap().is_none());
        let mut pairs = 0;
        for shard in (0..tasks).flat_map(|t| source.shards(t)) {
            pairs += shard.queries.len() * shard.documents.len();
        }
        prop_assert_eq!(pairs, queries * 150);
    }
}

#[test]
fn a_run_file_has_a_line_a_document_and_is_whole_or_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lists.run");
    let store = RunFile::open(Some(&path), &Cancel::new()).unwrap();
    assert!(!path.exists());
    let record = |rank| Record { query: "q", document: "d", rank, score: 0.5 };
    store.rehearse(&mut (1..3).map(record)).unwrap();
    assert!(!path.exists());
    store.store(&mut (1..3).map(record)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "q Q0 d 1 0.500000 forerun\nq Q0 d 2 0.500000 forerun\n");
    assert!(RunFile::open(Some(&dir.path().join("none/x")), &Cancel::new()).is_err());
}

#[test]
fn what_cannot_be_matched_is_refused() {
    let store = || Box::new(Memory::default());
    let options = |most| LsiOptions { most, cancel: Cancel::new() };
    let query = [Query { id: "q".into(), text: "wing".into() }];
    assert!(LsiJob::new(model(), &[], store(), options(5)).unwrap_err().to_string().contains("no queries"));
    assert!(
        LsiJob::new(model(), &query, store(), options(0)).unwrap_err().to_string().contains("0 documents")
    );
}
