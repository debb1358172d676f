//! Timed tasks and merges.

use forerun_apps::{ErasedApp, ErasedJob, ErasedMessage, ErasedSource};
use forerun_platform::Stage;
use forerun_skeleton::guard::guard;
use forerun_skeleton::reduction::Piece;
use forerun_skeleton::{AppError, Cancel, Charge, Failure, Message, RunError};

use super::clock::{Clock, Took};
use super::fit::Point;

/// Runs tasks and merges of a job and times them.
pub(super) struct Sampler<'j> {
    pub(super) job: &'j dyn ErasedJob,
    app: ErasedApp<'j>,
    clock: Clock,
    cancel: &'j Cancel,
}

/// What was timed.
pub(super) struct Sampled {
    /// Alone.
    pub(super) tasks: Vec<Point>,
    pub(super) merges: Vec<Point>,
    /// While other workers did the like.
    pub(super) beside: Beside,
    /// Workers beside the one that adds to this.
    neighbours: usize,
    /// Bytes of inputs and of their results.
    sizes: (f64, f64),
    /// By level: bytes of the parts and of what came of them.
    levels: Vec<(f64, f64)>,
    /// Results to go on with.
    pub(super) pieces: Vec<Piece<ErasedMessage>>,
}

/// What was timed while other workers did the like.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) tasks: Vec<Point>,
    pub(super) merges: Vec<Point>,
}

impl Sampled {
    pub(super) fn new() -> Self {
        Self::beside(0)
    }

    /// Of a worker with so many others beside it.
    pub(super) fn beside(neighbours: usize) -> Self {
        Sampled {
            tasks: Vec::new(),
            merges: Vec::new(),
            beside: Beside::default(),
            neighbours,
            sizes: (0.0, 0.0),
            levels: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Adds what was timed in a phase.
    pub(super) fn add(&mut self, phase: usize, other: Self) {
        let in_phase = |points: Vec<Point>| points.into_iter().map(move |p| Point { phase, ..p });
        self.tasks.extend(in_phase(other.tasks));
        self.merges.extend(in_phase(other.merges));
        self.beside.tasks.extend(in_phase(other.beside.tasks));
        self.beside.merges.extend(in_phase(other.beside.merges));
        self.sizes.0 += other.sizes.0;
        self.sizes.1 += other.sizes.1;
        for (i, (parts, whole)) in other.levels.into_iter().enumerate() {
            self.level(i, parts, whole);
        }
        self.pieces.extend(other.pieces);
    }

    /// A task that gave `piece`.
    pub(super) fn ran(&mut self, point: Point, piece: &Piece<ErasedMessage>) {
        self.sizes.0 += point.bytes;
        self.sizes.1 += bytes_of(piece);
        let point = Point { neighbours: self.neighbours as f64, ..point };
        if self.neighbours == 0 { &mut self.tasks } else { &mut self.beside.tasks }.push(point);
    }

    fn merged(&mut self, point: Point, results: u64, whole: f64) {
        self.level(results.max(2).ilog2() as usize - 1, point.bytes, whole);
        let point = Point { neighbours: self.neighbours as f64, ..point };
        if self.neighbours == 0 { &mut self.merges } else { &mut self.beside.merges }.push(point);
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

    pub(super) fn take_pieces(&mut self) -> Vec<Piece<ErasedMessage>> {
        std::mem::take(&mut self.pieces)
    }
}

/// Bytes of a piece.
pub(super) fn bytes_of(piece: &Piece<ErasedMessage>) -> f64 {
    piece.value.bytes() as f64
}

impl<'j> Sampler<'j> {
    pub(super) fn new(job: &'j dyn ErasedJob, clock: Clock, cancel: &'j Cancel) -> Self {
        Sampler { job, app: job.app(), clock, cancel }
    }

    fn timed<T>(
        &self,
        charge: Charge,
        f: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<(Point, T), RunError> {
        if self.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        let begun = self.clock.begin();
        let value = guard(0, charge, f).map_err(|failure| RunError::Failed(*failure))?;
        let Took { seconds, wait } = begun.took();
        Ok((Point { wait, ..Point::new(charge.bytes as f64, seconds) }, value))
    }

    /// Runs task `index`.
    pub(super) fn task(
        &self,
        source: &dyn ErasedSource,
        index: u64,
    ) -> Result<(Point, Piece<ErasedMessage>), RunError> {
        let charge = Charge { stage: Stage::Task, item: index, bytes: source.bytes(index), results: 1 };
        let (point, value) = self.timed(charge, || {
            let input = source.get(index)?.ok_or_else(|| AppError::new("the input ended early"))?;
            self.app.task(index, input)
        })?;
        source.keep(index..index + 1, &value).map_err(|e| failed(Stage::Task, index, e))?;
        Ok((point, Piece { value, first: index, results: 1 }))
    }

    /// Merges two results.
    pub(super) fn merge(
        &self,
        left: Piece<ErasedMessage>,
        right: Piece<ErasedMessage>,
        sampled: &mut Sampled,
    ) -> Result<Piece<ErasedMessage>, RunError> {
        let bytes = left.value.bytes() + right.value.bytes();
        let results = left.results + right.results;
        let charge = Charge { stage: Stage::Merge, item: left.first, bytes, results };
        let (point, value) = self.timed(charge, || self.app.merge(left.value, right.value))?;
        sampled.merged(point, results, value.bytes() as f64);
        Ok(Piece { value, first: left.first, results })
    }

    /// The first task from `index` on, of `tasks`, that the job has not kept already.
    pub(super) fn fresh(&self, source: &dyn ErasedSource, index: u64, tasks: u64) -> Option<u64> {
        (index..tasks).chain(0..index).find(|&i| !source.is_kept(i))
    }
}

/// What went wrong round a piece of work.
pub(super) fn failed(stage: Stage, item: u64, e: AppError) -> RunError {
    RunError::Failed(Failure { rank: 0, stage, item, panicked: false, message: e.to_string() })
}
