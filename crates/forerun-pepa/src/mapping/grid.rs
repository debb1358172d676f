//! What stages, processors and links are like.

use super::{Line, Replica};

/// For each stage the processors that it is on, from 0: one, or several that take inputs in turn, in this order.
pub type Mapping = Vec<Vec<usize>>;

/// Stages and the processors that they can be put onto. All times are in seconds, above 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// For each stage and each processor the time that the stage takes for one input if it has the processor to itself.
    pub times: Vec<Vec<f64>>,
    /// From each processor to each: the time of one transfer.
    pub transfers: Vec<Vec<f64>>,
    /// The time to bring one input to each processor.
    pub input: Vec<f64>,
    /// The time to bring one result from each processor to where it belongs.
    pub output: Vec<f64>,
    /// For each stage on how many processors it may be, at most.
    pub replicas: Vec<usize>,
}

impl Grid {
    /// How many stages.
    pub fn stages(&self) -> usize {
        self.times.len()
    }

    /// How many processors.
    pub fn processors(&self) -> usize {
        self.transfers.len()
    }

    /// How many mappings there are: at each stage any set of at most so many processors as it may have replicas.
    pub fn mappings(&self) -> f64 {
        (0..self.stages()).map(|stage| self.sets(stage)).product()
    }

    /// On how many sets of processors a stage can be.
    pub(super) fn sets(&self, stage: usize) -> f64 {
        (1..=self.replicas[stage]).map(|r| choose(self.processors(), r)).sum()
    }

    /// The pipeline of a mapping. Stages (and replicas) that share a processor get equal parts of it.
    ///
    /// Of a mapping of only the first stages, the pipeline of these, which moves its results on as fast as any
    /// processor could take them.
    pub fn line(&self, mapping: &[Vec<usize>]) -> Line {
        let mut sharing = vec![0usize; self.processors()];
        mapping.iter().flatten().for_each(|p| sharing[*p] += 1);
        let stage = |(times, on): (&Vec<f64>, &Vec<usize>)| -> Vec<Replica> {
            on.iter().map(|&p| Replica { processor: p, rate: 1.0 / (times[p] * sharing[p] as f64) }).collect()
        };
        let stages: Vec<Vec<Replica>> = self.times.iter().zip(mapping).map(stage).collect();
        let mut moves = Vec::with_capacity(mapping.len() + 1);
        let (first, last) = (mapping.first(), mapping.last());
        moves.push(vec![first.into_iter().flatten().map(|p| 1.0 / self.input[*p]).collect()]);
        for pair in mapping.windows(2) {
            let from = |p: &usize| pair[1].iter().map(|q| 1.0 / self.transfers[*p][*q]).collect();
            moves.push(pair[0].iter().map(from).collect());
        }
        let whole = mapping.len() == self.stages();
        let out = |p: &usize| match whole {
            true => self.output[*p],
            false => least(&self.transfers[*p]),
        };
        moves.push(last.into_iter().flatten().map(|p| vec![1.0 / out(p)]).collect());
        Line { stages, moves, in_turn: (true, whole) }
    }
}

/// The smallest.
pub(super) fn least(all: &[f64]) -> f64 {
    all.iter().copied().fold(f64::INFINITY, f64::min)
}

/// How many sets of `k` there are of `n`.
pub(super) fn choose(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>().round()
}
