//! Timed tasks and merges.

use forerun_apps::{ErasedApp, ErasedJob, ErasedMessage, ErasedSource};
use forerun_platform::{Stage, grown};
use forerun_skeleton::guard::guard;
use forerun_skeleton::reduction::Piece;
use forerun_skeleton::{AppError, Cancel, Charge, Failure, Message, RunError};

use super::clock::{Clock, Took};
use super::fit::Point;
use super::memory::{NewMemory, pages_of};

/// Runs tasks and merges of a job and times them.
pub(super) struct Sampler<'j> {
    pub(super) job: &'j dyn ErasedJob,
    app: ErasedApp<'j>,
    clock: Clock,
    /// What new memory costs; nothing where other programs have it.
    memory: Option<NewMemory>,
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
    /// Bytes of the inputs of tasks and of their results, and the phase in which they were run.
    sizes: Vec<Size>,
    /// By level: bytes of the parts and of what came of them.
    levels: Vec<(f64, f64)>,
    /// Results to go on with.
    pub(super) pieces: Vec<Piece<ErasedMessage>>,
}

/// Bytes that went into a task and came out of it.
struct Size {
    input: f64,
    result: f64,
    phase: usize,
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
            sizes: Vec::new(),
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
        self.sizes.extend(other.sizes.into_iter().map(|size| Size { phase, ..size }));
        for (i, (parts, whole)) in other.levels.into_iter().enumerate() {
            self.level(i, parts, whole);
        }
        self.pieces.extend(other.pieces);
    }

    /// A task that gave `piece`.
    pub(super) fn ran(&mut self, point: Point, piece: &Piece<ErasedMessage>) {
        self.sized(&point, piece);
        let point = Point { neighbours: self.neighbours as f64, ..point };
        if self.neighbours == 0 { &mut self.tasks } else { &mut self.beside.tasks }.push(point);
    }

    /// One of as many tasks as there were workers, at the same time.
    pub(super) fn large(&mut self, point: Point, workers: usize, piece: &Piece<ErasedMessage>) {
        self.neighbours = workers - 1;
        self.ran(point, piece);
        self.neighbours = 0;
    }

    /// The sizes of a task that gave `piece`.
    fn sized(&mut self, point: &Point, piece: &Piece<ErasedMessage>) {
        self.sizes.push(Size { input: point.bytes, result: bytes_of(piece), phase: 0 });
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

    /// Size of a task's result, by what was run of tasks of all sizes.
    pub(super) fn result_bytes(&self) -> (f64, f64) {
        let (growth, from) = (self.growth(), self.grown_from());
        // By as much as larger inputs have results in common.
        let like = |size: &Size| {
            if from > 0.0 { size.input * grown(&growth, size.input / from) } else { size.input }
        };
        let inputs: f64 = self.sizes.iter().map(like).sum();
        let results: f64 = self.sizes.iter().map(|size| size.result).sum();
        (0.0, if inputs > 0.0 { results / inputs } else { 1.0 })
    }

    /// Bytes of an input of those tasks whose results were merged, in the mean: those of phases, if there were any.
    pub(super) fn grown_from(&self) -> f64 {
        let mean = |of: &dyn Fn(&&Size) -> bool| {
            let inputs: Vec<f64> = self.sizes.iter().filter(of).map(|size| size.input).collect();
            (!inputs.is_empty()).then(|| inputs.iter().sum::<f64>() / inputs.len() as f64)
        };
        mean(&|size| size.phase > 0).or_else(|| mean(&|_| true)).unwrap_or(0.0)
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
    pub(super) fn new(
        job: &'j dyn ErasedJob,
        clock: Clock,
        memory: Option<NewMemory>,
        cancel: &'j Cancel,
    ) -> Self {
        Sampler { job, app: job.app(), clock, memory, cancel }
    }

    fn timed<T>(
        &self,
        charge: Charge,
        f: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<(Point, T), RunError> {
        if self.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        let (done, took) = self.clock.begin().during(|| guard(0, charge, f));
        let value = done.map_err(|failure| RunError::Failed(*failure))?;
        let Took { seconds, wait } = took;
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

    /// Merges two results; what memory took that is new here is not in the time.
    pub(super) fn merge(
        &self,
        left: Piece<ErasedMessage>,
        right: Piece<ErasedMessage>,
        sampled: &mut Sampled,
    ) -> Result<Piece<ErasedMessage>, RunError> {
        let bytes = left.value.bytes() + right.value.bytes();
        let results = left.results + right.results;
        let charge = Charge { stage: Stage::Merge, item: left.first, bytes, results };
        let merge = || self.timed(charge, || self.app.merge(left.value, right.value));
        let (point, value) = match self.memory {
            Some(new) => {
                NewMemory::use_before(bytes);
                let (pages, merged) = pages_of(merge);
                let (point, value) = merged?;
                (Point { seconds: new.without(pages, point.seconds), ..point }, value)
            }
            None => merge()?,
        };
        sampled.merged(point, results, value.bytes() as f64);
        Ok(Piece { value, first: left.first, results })
    }

    /// Merges two results of tasks larger than those whose merging tells by what results grow.
    pub(super) fn merge_large(
        &self,
        left: Piece<ErasedMessage>,
        right: Piece<ErasedMessage>,
        sampled: &mut Sampled,
    ) -> Result<Piece<ErasedMessage>, RunError> {
        let mut apart = Sampled::new();
        let merged = self.merge(left, right, &mut apart)?;
        sampled.merges.append(&mut apart.merges);
        Ok(merged)
    }

    /// The first task from `index` on, of `tasks`, that the job has not kept already.
    pub(super) fn fresh(&self, source: &dyn ErasedSource, index: u64, tasks: u64) -> Option<u64> {
        (index..tasks).chain(0..index).find(|&i| !source.is_kept(i))
    }
}

/// What went wrong round a piece of work.
pub(super) fn failed(stage: Stage, item: u64, e: AppError) -> RunError {
    let (of_input, message) = (e.is_of_input(), e.to_string());
    RunError::Failed(Failure { rank: 0, stage, item, panicked: false, of_input, message })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    struct Bytes(u64);

    impl Message for Bytes {
        fn bytes(&self) -> u64 {
            self.0
        }
    }

    /// A task's result of so many bytes.
    pub(in crate::pilot) fn result(bytes: u64) -> Piece<ErasedMessage> {
        Piece { value: ErasedMessage::new(Bytes(bytes)), first: 0, results: 1 }
    }

    /// Counts of words: of an input four times as large, what two merges of four results would leave.
    #[test]
    fn results_of_large_tasks_are_not_taken_for_those_of_small_ones() {
        let mut sampled = Sampled::new();
        sampled.ran(Point::new(4000.0, 1.0), &result(980));
        assert_eq!((sampled.result_bytes(), sampled.grown_from()), ((0.0, 0.245), 4000.0));
        let mut phase = Sampled::beside(1);
        for _ in 0..2 {
            phase.ran(Point::new(1000.0, 1.0), &result(500));
        }
        phase.merged(Point::new(1000.0, 1.0), 2, 700.0);
        sampled.add(1, phase);
        assert_eq!((sampled.growth(), sampled.grown_from()), (vec![0.7], 1000.0));
        let (fixed, per_byte) = sampled.result_bytes();
        assert!(fixed == 0.0 && (per_byte - 0.5).abs() < 1e-12, "{per_byte}");
        // Where sizes add up, all of them count alike.
        let mut sums = Sampled::new();
        sums.ran(Point::new(4000.0, 1.0), &result(1000));
        sums.ran(Point::new(1000.0, 1.0), &result(500));
        assert_eq!(sums.result_bytes(), (0.0, 0.3));
    }
}
