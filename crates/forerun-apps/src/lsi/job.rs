//! Queries, a model, and where the lists go.

use std::fmt;
use std::ops::Range;

use forerun_lsi::ranking::{Best, Folded};
use forerun_lsi::{Model, Query};
use forerun_platform::{Bytes, JoinAt};
use forerun_skeleton::reduction::{FoldSinks, Piece, Reduce, fold_groups};
use forerun_skeleton::wire::Plain;
use forerun_skeleton::{AppError, Cancel, Codec};

use super::source::{Layout, LsiInput, LsiSource};
use super::{Lists, Record, Store};
use crate::command::show;
use crate::{Erased, Extent, Job, ReductionJob};

/// Queries that are compared at a time: enough that reading a document's coordinates is paid for.
const BATCH: u64 = 256;
/// Queries without a known word that are named.
const NAMED: usize = 5;
/// Least documents of a task: less is not worth a message.
const LEAST: u64 = 64;

/// How to match.
#[derive(Debug, Clone)]
pub struct LsiOptions {
    /// Documents wanted for each query.
    pub most: usize,
    /// Ends the run.
    pub cancel: Cancel,
}

/// Task and merge.
#[derive(Debug)]
pub struct Matching {
    model: Model,
    /// The queries of each batch, folded in.
    batches: Vec<(Range<usize>, Folded)>,
    layout: Layout,
    options: LsiOptions,
}

/// Queries to be matched with the documents of a model.
pub struct LsiJob {
    names: Vec<String>,
    matching: Matching,
    store: Box<dyn Store>,
}

impl fmt::Debug for LsiJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LsiJob").field("queries", &self.names.len()).finish_non_exhaustive()
    }
}

impl LsiJob {
    /// Folds the queries in. Ranks share the model.
    ///
    /// # Errors
    /// A sentence: there are no queries or no documents, more than 2³² of them, or none are wanted.
    pub fn new(
        model: Model,
        queries: &[Query],
        store: Box<dyn Store>,
        options: LsiOptions,
    ) -> Result<Self, AppError> {
        if queries.is_empty() {
            return Err(AppError::new("there are no queries; give a file with at least one"));
        }
        if options.most == 0 {
            return Err(AppError::new("0 documents are wanted for each query: ask for at least 1"));
        }
        if u32::try_from(queries.len()).is_err() || u32::try_from(model.ids().len()).is_err() {
            return Err(AppError::new("more than 2^32 queries or documents: give them in several runs"));
        }
        let layout = Layout {
            queries: queries.len() as u64,
            documents: model.ids().len() as u64,
            batch: BATCH,
            row: model.document_bytes(),
        };
        let batches = layout.batches().map(|range| {
            let texts: Vec<&str> = queries[range.clone()].iter().map(|q| q.text.as_str()).collect();
            (range, model.fold(&texts))
        });
        let batches = batches.collect();
        let names = queries.iter().map(|q| q.id.clone()).collect();
        Ok(LsiJob { names, matching: Matching { model, batches, layout, options }, store })
    }

    /// What a result is, record by record.
    fn records<'a>(&'a self, lists: &'a Lists) -> impl Iterator<Item = Record<'a>> {
        let ids = self.matching.model.ids();
        lists.iter().flat_map(move |(query, hits)| {
            (1..).zip(hits).map(move |(rank, hit)| Record {
                query: &self.names[query as usize],
                document: &ids[hit.document as usize],
                rank,
                score: hit.score,
            })
        })
    }

    fn joined(&self, left: Vec<Option<Piece<Lists>>>) -> Result<Lists, AppError> {
        Ok(fold_groups(&self.matching, left)?.map_or(Lists::new(), |piece| piece.value))
    }
}

impl Reduce for Matching {
    type Input = LsiInput;
    type Partial = Lists;

    /// The best documents of both are the same either way.
    fn commutative(&self) -> bool {
        true
    }

    fn task(&self, _: u64, input: LsiInput) -> Result<Lists, AppError> {
        let most = self.options.most;
        let mut lists = Lists::new();
        for shard in self.layout.shards(input.0) {
            if self.options.cancel.is_cancelled() {
                return Err(AppError::new("the run was ended"));
            }
            let Some((_, folded)) = self.batches.iter().find(|(range, _)| *range == shard.queries) else {
                return Err(AppError::new("an input of another run was given to this one"));
            };
            let best: Vec<Best> = self.model.matched(folded, shard.documents, most);
            for (query, best) in shard.queries.zip(best) {
                lists.add(query as u32, best, most);
            }
        }
        Ok(lists)
    }

    fn merge(&self, mut left: Lists, right: Lists) -> Result<Lists, AppError> {
        left.merge(right, self.options.most);
        Ok(left)
    }
}

impl Job for LsiJob {
    fn name(&self) -> &'static str {
        "lsi"
    }

    fn summary(&self) -> String {
        let Layout { queries, documents, .. } = self.matching.layout;
        let (of, rank) = (Bytes(self.matching.layout.bytes()), self.matching.model.rank());
        let (queries, documents) =
            (show::one_or_many(queries, "query", "queries"), show::count(documents, "document"));
        format!("{queries} × {documents}, k = {rank}, {of}")
    }

    fn extent(&self) -> Extent {
        let layout = &self.matching.layout;
        let bytes = layout.bytes();
        let min_grain = (LEAST * layout.row).min(bytes.max(1));
        Extent {
            bytes,
            pieces: None,
            min_grain,
            max_grain: bytes.max(1),
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    fn join(&self) -> JoinAt {
        JoinAt::Sink
    }

    fn notes(&self) -> Vec<String> {
        let of_batch = |(range, folded): &(Range<usize>, Folded)| {
            let first = range.start;
            (0..folded.queries()).filter(|n| folded.is_nothing(*n)).map(|n| first + n).collect::<Vec<_>>()
        };
        let unknown: Vec<usize> = self.matching.batches.iter().flat_map(of_batch).collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        let mut names: Vec<&str> = unknown.iter().take(NAMED).map(|n| &*self.names[*n]).collect();
        if unknown.len() > NAMED {
            names.push("…");
        }
        let queries = show::one_or_many(unknown.len() as u64, "query", "queries");
        let have = if unknown.len() == 1 { "has" } else { "have" };
        let names = names.join(", ");
        vec![format!(
            "{queries} ({names}) {have} no word that the model knows: every document is as far from it as any other, with cosine 0"
        )]
    }
}

impl ReductionJob for LsiJob {
    type Input = LsiInput;
    type Partial = Lists;
    type App = Matching;
    type Source = LsiSource;
    type Left = Option<Piece<Lists>>;
    type Sinks<'s> = FoldSinks<'s, Matching>;

    fn app(&self) -> &Matching {
        &self.matching
    }

    fn cut(&self, grain: u64) -> Result<LsiSource, AppError> {
        Ok(self.matching.layout.cut(grain))
    }

    fn sinks(&self) -> FoldSinks<'_, Matching> {
        FoldSinks(&self.matching)
    }

    fn finish(&self, left: Vec<Self::Left>) -> Result<String, AppError> {
        let lists = self.joined(left)?;
        self.store.store(&mut self.records(&lists))
    }

    fn rehearse_finish(&self, left: Vec<Self::Left>) -> Result<Erased, AppError> {
        let lists = self.joined(left)?;
        self.store.rehearse(&mut self.records(&lists))
    }

    fn replaces(&self) -> u64 {
        self.store.replaces()
    }

    fn codec(&self) -> impl Codec<Lists> + Codec<Self::Left> + Sync {
        Plain
    }

    fn input_name(&self, source: &LsiSource, index: u64) -> String {
        let shards = source.shards(index);
        match shards.first() {
            Some(shard) => {
                let query = &self.names[shard.queries.start];
                format!("queries from {query} with documents from place {}", shard.documents.start + 1)
            }
            None => format!("input {index}"),
        }
    }
}
