//! Timed tasks and merges on a sample of the input.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use forerun_apps::{JobPartial, ReductionJob};
use forerun_platform::{JoinAt, Stage};
use forerun_skeleton::guard::guard;
use forerun_skeleton::reduction::{Piece, Reduce, Source};
use forerun_skeleton::{AppError, Cancel, Charge, Failure, Message, RunError};

use super::fit::Point;

/// Results that a worker keeps to merge them.
const KEPT: usize = 8;

/// Runs tasks and merges of a job and times them.
pub(super) struct Sampler<'j, J> {
    job: &'j J,
    cancel: &'j Cancel,
}

/// What was timed, and the results that are still there.
pub(super) struct Sampled<J: ReductionJob> {
    pub(super) tasks: Vec<Point>,
    pub(super) merges: Vec<Point>,
    /// Bytes of inputs and of their results.
    sizes: (f64, f64),
    /// By level: bytes of the parts and of what came of them.
    levels: Vec<(f64, f64)>,
    pieces: Vec<Piece<JobPartial<J>>>,
}

impl<J: ReductionJob> Sampled<J> {
    fn new() -> Self {
        Sampled {
            tasks: Vec::new(),
            merges: Vec::new(),
            sizes: (0.0, 0.0),
            levels: Vec::new(),
            pieces: Vec::new(),
        }
    }

    fn add(&mut self, other: Self) {
        self.tasks.extend(other.tasks);
        self.merges.extend(other.merges);
        self.size(other.sizes.0, other.sizes.1);
        for (i, (parts, whole)) in other.levels.into_iter().enumerate() {
            self.level(i, parts, whole);
        }
        self.pieces.extend(other.pieces);
    }

    fn size(&mut self, input: f64, result: f64) {
        self.sizes.0 += input;
        self.sizes.1 += result;
    }

    fn level(&mut self, level: usize, parts: f64, whole: f64) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, (0.0, 0.0));
        }
        self.levels[level].0 += parts;
        self.levels[level].1 += whole;
    }

    pub(super) fn result_bytes(&self) -> (f64, f64) {
        if self.sizes.0 > 0.0 { (0.0, self.sizes.1 / self.sizes.0) } else { (0.0, 1.0) }
    }

    pub(super) fn growth(&self) -> Vec<f64> {
        self.levels.iter().map(|&(parts, whole)| if parts > 0.0 { whole / parts } else { 1.0 }).collect()
    }

    pub(super) fn take_pieces(&mut self) -> Vec<Piece<JobPartial<J>>> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.sort_by_key(|p| p.first);
        pieces
    }

    pub(super) fn bytes_of(piece: &Piece<JobPartial<J>>) -> f64 {
        piece.value.bytes() as f64
    }
}

impl<'j, J: ReductionJob> Sampler<'j, J> {
    pub(super) fn new(job: &'j J, cancel: &'j Cancel) -> Self {
        Sampler { job, cancel }
    }

    fn timed<T>(
        &self,
        charge: Charge,
        f: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<(Point, T), RunError> {
        if self.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        let begun = Instant::now();
        let value = guard(0, charge, f).map_err(|failure| RunError::Failed(*failure))?;
        Ok((Point { bytes: charge.bytes as f64, seconds: begun.elapsed().as_secs_f64() }, value))
    }

    /// Runs task `index`.
    pub(super) fn task(
        &self,
        source: &J::Source,
        index: u64,
    ) -> Result<(Point, Piece<JobPartial<J>>), RunError> {
        let charge = Charge { stage: Stage::Task, item: index, bytes: source.bytes(index), results: 1 };
        let (point, value) = self.timed(charge, || {
            let input = source.get(index)?.ok_or_else(|| AppError::new("the input ended early"))?;
            self.job.app().task(index, input)
        })?;
        self.job.keep(source, index, &value).map_err(|e| failed(Stage::Task, index, e))?;
        Ok((point, Piece { value, first: index, results: 1 }))
    }

    /// The first task from `index` on, of `tasks`, that the job has not kept already.
    pub(super) fn fresh(&self, source: &J::Source, index: u64, tasks: u64) -> Option<u64> {
        (index..tasks).chain(0..index).find(|&i| !self.job.is_kept(source, i))
    }

    /// Runs tasks on `workers` workers at the same time until `until`, at least one each, and
    /// merges what they and earlier ones (`pieces`) give.
    pub(super) fn together(
        &self,
        source: &J::Source,
        workers: usize,
        until: Instant,
        pieces: Vec<Piece<JobPartial<J>>>,
    ) -> Result<Sampled<J>, RunError> {
        let tasks = source.len().unwrap_or(u64::MAX);
        let workers = workers.min(usize::try_from(tasks).unwrap_or(usize::MAX)).max(1);
        let next = AtomicU64::new(0);
        // Samples from all over the input, each once: steps of the golden section.
        let step = coprime_step(tasks);
        let draw = || {
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                if k >= tasks {
                    return None;
                }
                let index = (u128::from(k) * u128::from(step) % u128::from(tasks)) as u64;
                if !self.job.is_kept(source, index) {
                    return Some(index);
                }
            }
        };
        let work = |mut kept: Vec<Piece<JobPartial<J>>>| -> Result<Sampled<J>, RunError> {
            let mut sampled = Sampled::new();
            for piece in &kept {
                sampled.size(source.bytes(piece.first) as f64, piece.value.bytes() as f64);
            }
            while let Some(index) = draw() {
                let (point, piece) = self.task(source, index)?;
                sampled.size(point.bytes, piece.value.bytes() as f64);
                sampled.tasks.push(point);
                if kept.len() < KEPT {
                    kept.push(piece);
                }
                if Instant::now() >= until && kept.len() >= 2.min(tasks as usize / workers) {
                    break;
                }
            }
            self.merge_all(kept, &mut sampled)?;
            Ok(sampled)
        };
        let results = thread::scope(|scope| {
            let mut shares: Vec<_> = (0..workers).map(|_| Vec::new()).collect();
            shares[0] = pieces;
            let work = &work;
            let handles: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
            handles.into_iter().map(|h| h.join()).collect::<Vec<_>>()
        });
        let mut all = Sampled::new();
        for result in results {
            let panicked = |_| RunError::Invalid("the pilot panicked outside a task".into());
            all.add(result.map_err(panicked)??);
        }
        Ok(all)
    }

    /// Merges pairs; where results are merged on and on, level by level while there are at least two
    /// pairs, else once, so that several pieces are left to be joined at the end.
    fn merge_all(
        &self,
        mut pieces: Vec<Piece<JobPartial<J>>>,
        sampled: &mut Sampled<J>,
    ) -> Result<(), RunError> {
        pieces.sort_by_key(|p| p.first);
        let mut level = 0;
        while (J::JOIN == JoinAt::Sink && pieces.len() >= 4) || (level == 0 && pieces.len() >= 2) {
            let mut merged = Vec::with_capacity(pieces.len() / 2 + 1);
            let mut rest = pieces.into_iter();
            while let Some(left) = rest.next() {
                let Some(right) = rest.next() else {
                    merged.push(left);
                    break;
                };
                let bytes = left.value.bytes() + right.value.bytes();
                let results = left.results + right.results;
                let charge = Charge { stage: Stage::Merge, item: left.first, bytes, results };
                let app = self.job.app();
                let (point, value) = self.timed(charge, || app.merge(left.value, right.value))?;
                sampled.level(level, bytes as f64, value.bytes() as f64);
                sampled.merges.push(point);
                merged.push(Piece { value, first: left.first, results });
            }
            pieces = merged;
            level += 1;
        }
        sampled.pieces.extend(pieces);
        Ok(())
    }
}

/// What went wrong round a piece of work.
pub(super) fn failed(stage: Stage, item: u64, e: AppError) -> RunError {
    RunError::Failed(Failure { rank: 0, stage, item, panicked: false, message: e.to_string() })
}

/// A step near the golden section of `n` that visits all of `0..n`.
fn coprime_step(n: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = ((n as f64) * 0.618_033_988_75) as u64;
    (golden.max(1)..).find(|&s| gcd(s, n) == 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::coprime_step;

    #[test]
    fn steps_visit_every_input_once() {
        for n in 1..300u64 {
            let step = coprime_step(n);
            let mut seen: Vec<u64> = (0..n).map(|k| k * step % n).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..n).collect::<Vec<_>>());
        }
    }
}
