//! What the command line needs to know of an application to plan, run and rehearse it.

use std::ops::Range;

use forerun_platform::{Input, JoinAt};
use forerun_skeleton::reduction::{Reduce, Sink, Sinks, Source};
use forerun_skeleton::{AppError, Cancel, Codec, Message};

use crate::erased::{Erased, ErasedJob, Together};

/// The input of a job, as far as cutting it into tasks goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of all inputs together.
    pub bytes: u64,
    /// Sizes of the pieces that cannot be cut but may be grouped, in order; `None` where the
    /// input can be cut anywhere.
    pub pieces: Option<Vec<u64>>,
    /// Least bytes that a task can take (of an input that can be cut).
    pub min_grain: u64,
    /// Most bytes that a task may take, for memory's sake.
    pub max_grain: u64,
    /// Bytes of the inputs of those tasks whose results were kept: they are in neither of the
    /// above, and tasks of the run all the same.
    pub kept: Vec<u64>,
    /// For each of those the place among the `pieces` that it is before, ascending: no task goes across. Where the
    /// input can be cut anywhere, the bytes of what is left that are before it. Empty where neither is known.
    pub breaks: Vec<usize>,
}

/// Where [`ReductionJob::arrange`] puts what is kept: for each of `kept` tasks how many of the `left` others come before it.
///
/// ```
/// assert_eq!(forerun_apps::places(4, 6, 1), [0, 0, 0, 0]);
/// assert_eq!(forerun_apps::places(4, 6, 2), [0, 0, 3, 3]);
/// ```
pub fn places(kept: usize, left: usize, parts: usize) -> Vec<usize> {
    let parts = parts.max(1);
    let cut = |all: usize, part: usize| (all as u128 * part as u128 / parts as u128) as usize;
    let mut places = Vec::with_capacity(kept);
    for part in 0..parts {
        let (from, to) = (cut(kept, part), cut(kept, part + 1));
        places.extend((from..to).map(|_| cut(kept + left, part) - from));
    }
    places
}

/// The `left` with what is `kept` between them, each with so many of them `before` it (none, where that is not said), and where
/// those that are kept then are.
///
/// ```
/// let (all, at) = forerun_apps::between(vec!['a', 'b'], vec!['x', 'y', 'z'], &[0, 2]);
/// assert_eq!((all, at), (vec!['a', 'x', 'y', 'b', 'z'], vec![0, 3]));
/// ```
pub fn between<T>(kept: Vec<T>, left: Vec<T>, before: &[usize]) -> (Vec<T>, Vec<u64>) {
    let (mut all, mut at) = (Vec::with_capacity(kept.len() + left.len()), Vec::with_capacity(kept.len()));
    let mut left = left.into_iter();
    for (k, one) in kept.into_iter().enumerate() {
        let come = before.get(k).map_or(0, |&before| (before + k).saturating_sub(all.len()));
        all.extend(left.by_ref().take(come));
        at.push(all.len() as u64);
        all.push(one);
    }
    all.extend(left);
    (all, at)
}

/// A result that can be put on the disk and taken from there, again and again, as a job would.
pub trait Spilling {
    /// Bytes of it.
    fn bytes(&self) -> u64;

    /// Puts it on the disk.
    ///
    /// # Errors
    /// A sentence that names the directory.
    fn write(&mut self) -> Result<(), AppError>;

    /// Takes what was written from there.
    ///
    /// # Errors
    /// A sentence that names the directory.
    fn read(&mut self) -> Result<(), AppError>;

    /// Puts some smaller results of parts of the input there, to be merged; their bytes together, and how many they are. `None` where
    /// nothing is merged when it comes back.
    ///
    /// # Errors
    /// A sentence that names the file that cannot be read, or the directory.
    fn gather(&mut self) -> Result<Option<(u64, u64)>, AppError> {
        Ok(None)
    }

    /// Merges what was gathered, from the disk to the disk, as many results are at the end.
    ///
    /// # Errors
    /// A sentence that names the directory.
    fn merge(&mut self) -> Result<(), AppError> {
        Ok(())
    }
}

/// A job, as far as the types of what it works on do not matter.
pub trait Job: Sync {
    /// The application's name on the command line.
    fn name(&self) -> &'static str;

    /// The input in a few words, such as `1 file, 400 MB of i32`.
    fn summary(&self) -> String;

    /// The external programs that do its work, in words, where such do: what it costs is what they cost.
    fn program(&self) -> Option<String> {
        None
    }

    /// Bytes of the smallest input that there is: of an element.
    fn least_bytes(&self) -> u64 {
        1
    }

    /// How the input can be cut.
    fn extent(&self) -> Extent;

    /// What it was given to work on, a pilot's sample included; `None` where that keeps coming.
    fn input(&self) -> Option<Input> {
        if self.first_sizes().is_some() {
            return None;
        }
        let Extent { bytes, kept, .. } = self.extent();
        Some(Input { bytes: Some(bytes + kept.iter().sum::<u64>()), items: None, words: self.summary() })
    }

    /// Forgets the results that a pilot kept: no run of this job follows.
    fn forget(&self) {}

    /// When the sets that its sinks were given become one result.
    fn join(&self) -> JoinAt;

    /// Whether its work is done by other processes on the rank's host, so that only the wall clock sees it; else the
    /// CPU time of the thread tells, whatever else the machine does. (What a server does elsewhere is no work of its own:
    /// it is waited for.)
    fn outside(&self) -> bool {
        false
    }

    /// Whether the run takes results that a pilot got, so that it need not do their tasks again:
    /// for tasks that have effects beside their results.
    fn keeps(&self) -> bool {
        false
    }

    /// Of an input that keeps coming while the job runs, the bytes of each piece that has come; `None` where
    /// all of the input is known.
    fn first_sizes(&self) -> Option<Vec<u64>> {
        None
    }

    /// Of an input that keeps coming, how many pieces were taken so far, and how many more need not be done, since they were
    /// before; of any other, how many there are.
    fn came(&self) -> (u64, u64) {
        (self.extent().pieces.map_or(1, |pieces| pieces.len() as u64), 0)
    }

    /// Whether tasks read their bytes from files: on a machine with a slower disk they wait for it.
    fn reads_files(&self) -> bool {
        false
    }

    /// What a byte costs in a task of `bytes` bytes, relative to what it costs in tasks of other sizes: 1 where work is
    /// proportional to the input, and where it is not, what is known of how it grows.
    fn per_byte(&self, bytes: f64) -> f64 {
        let _ = bytes;
        1.0
    }

    /// Whether the finish writes as many bytes to a file as results have, beside its other work.
    fn writes_results(&self) -> bool {
        false
    }

    /// Whether a sink stores rows, so that what a delivery costs beyond one of nothing is by its bytes, however few they are: many small results cost as much
    /// as one of as many bytes.
    fn stores_rows(&self) -> bool {
        false
    }

    /// Whether all sets must go to one sink, so that there can be only one group of ranks.
    fn one_sink(&self) -> bool {
        false
    }

    /// Bytes of results that may rest in memory together, where there is such a limit: what is beyond it
    /// goes to a disk as it is made and comes back at the end.
    fn room(&self) -> Option<u64> {
        None
    }

    /// Results that are merged at a time when they come back from there, at most, as [`forerun_platform::merged_next`] says;
    /// `None` for any number.
    fn merged_at_once(&self) -> Option<u64> {
        None
    }

    /// A result like those of the job, to try what its way to the disk and back costs; `None` where
    /// there is no limit. It has `bytes` bytes at most, or where nothing is said as many as a task's. Nothing of it counts for the run.
    fn spilling(&self, bytes: Option<u64>) -> Option<Box<dyn Spilling + '_>> {
        let _ = bytes;
        None
    }

    /// Bytes of memory that it takes at most for what it works on, which `--memory` can say: what it needs to keep all
    /// in memory, or its limit where that is less. `None` where it has no such limit.
    fn memory_needed(&self) -> Option<u64> {
        None
    }

    /// What a person should know after a run, a sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An application with its input, that runs as a reduction. What runs it takes it as an
/// [`ErasedJob`], which it is as well.
pub trait ReductionJob: Job + Sized {
    /// What a task works on.
    type Input: Send + 'static;
    /// What it gives, and what merging gives.
    type Partial: Message + Send + 'static;
    /// Task and merge.
    type App: Reduce<Input = Self::Input, Partial = Self::Partial> + Sync;
    /// The input, cut into tasks.
    type Source: Source<Input = Self::Input> + Sync;
    /// What the sink of a group leaves.
    type Left: Send + 'static;
    /// Where results go.
    type Sinks<'s>: Sinks<Self::Partial, Sink: Sink<Self::Partial, Out = Self::Left>> + Sync
    where
        Self: 's;

    /// Task and merge.
    fn app(&self) -> &Self::App;

    /// Cuts the input into tasks of at most `grain` bytes (a piece that cannot be cut may be
    /// larger).
    ///
    /// # Errors
    /// A sentence that names the file that cannot be cut.
    fn cut(&self, grain: u64) -> Result<Self::Source, AppError>;

    /// Cuts as much of the input as is known: all of it, unless [`Job::first_sizes`] says otherwise.
    ///
    /// # Errors
    /// A sentence that names the file that cannot be cut.
    fn cut_known(&self, grain: u64) -> Result<Self::Source, AppError> {
        self.cut(grain)
    }

    /// The same tasks in an order in which, of those that are kept, each of `parts` equal parts in a row begins with its
    /// share, where the merge does not mind: no rank then has more than its share of what costs nothing.
    fn arrange(&self, source: Self::Source, _parts: usize) -> Self::Source {
        source
    }

    /// Where results go.
    fn sinks(&self) -> Self::Sinks<'_>;

    /// Where the results of a pilot go: to where nobody sees them.
    fn rehearsal_sinks(&self) -> Self::Sinks<'_> {
        self.sinks()
    }

    /// Turns what the groups' sinks left, in order of the groups, into the job's result, and says
    /// in a few words what that is. Nothing stands under the result's name before it is complete.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn finish(&self, left: Vec<Self::Left>) -> Result<String, AppError>;

    /// Does what [`ReductionJob::finish`] does, on the same device, for a pilot; the result is thrown away
    /// with what this returns, which takes time that a run does not.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn rehearse_finish(&self, left: Vec<Self::Left>) -> Result<Erased, AppError>;

    /// The bytes of the file that the result takes the place of, which [`ReductionJob::rehearse_finish`] does not replace: 0 if there is none, or
    /// if what it costs to be rid of it is not told by throwing a rehearsed result away.
    fn replaces(&self) -> u64 {
        0
    }

    /// Whether the merged result of these consecutive tasks of `source` can be kept as that of one.
    fn keeps_as_one(&self, _source: &Self::Source, _tasks: Range<u64>) -> bool {
        false
    }

    /// Keeps what a pilot got of these consecutive tasks of `source`, in the place of what it kept of
    /// each.
    ///
    /// # Errors
    /// A sentence that says why it cannot be kept.
    fn keep(
        &self,
        _source: &Self::Source,
        _tasks: Range<u64>,
        _partial: &Self::Partial,
    ) -> Result<(), AppError> {
        Ok(())
    }

    /// Whether the result of task `index` of `source` was kept.
    fn is_kept(&self, _source: &Self::Source, _index: u64) -> bool {
        false
    }

    /// What task `index` of `source` works on, for a message.
    fn input_name(&self, source: &Self::Source, index: u64) -> String;

    /// Writes partial results, and what sinks leave, as bytes for ranks that share no memory, and reads them. What
    /// of a partial result lies in a file is read as it is written; so it is written once.
    fn codec(&self) -> impl Codec<Self::Partial> + Codec<Self::Left> + Sync;

    /// Bytes of what the sink of a group left, as a message to the process that finishes.
    ///
    /// # Errors
    /// Where it cannot be had, such as what lies in a file.
    fn left_bytes(&self, left: &Self::Left) -> Result<u64, AppError> {
        let mut bytes = Vec::new();
        Codec::<Self::Left>::encode(&self.codec(), left, &mut bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Appends, as bytes, what the same job in other processes is to know of this one: inputs that were found, and what was
    /// kept ([`ReductionJob::keep`]), which is then kept no longer. For an application that has to begin a run by something, such
    /// as making a database ready, this does so in the place of [`ReductionJob::cut`].
    ///
    /// # Errors
    /// A sentence that says what cannot be read.
    fn hand_over(&self, _out: &mut Vec<u8>) -> Result<(), AppError> {
        Ok(())
    }

    /// Tells the same job in other processes of tasks of at most `grain` bytes while inputs keep coming
    /// ([`Job::first_sizes`]), until no more do or `stop` is set; gives their number. Called after
    /// [`ReductionJob::hand_over`], while the others run.
    ///
    /// # Errors
    /// Why no more come, or cannot be told.
    fn list_tasks(&self, _grain: u64, _stop: &Cancel) -> Result<u64, AppError> {
        Err(AppError::new(format!("inputs of {} do not keep coming for other processes", self.name())))
    }

    /// Keeps what [`ReductionJob::hand_over`] wrote in another process.
    ///
    /// # Errors
    /// That the bytes are nothing of the kind, or that it cannot be kept.
    fn take_over(&self, _bytes: &[u8]) -> Result<(), AppError> {
        Ok(())
    }
}

/// A job that can be run by scatter-gather too.
pub trait ScatterGatherJob: ErasedJob {
    /// The application, its blocks of at most `block` bytes and its sinks. Packets of the result are
    /// of the same size. The source gives any block at any time (a pilot asks for some of them), each
    /// time anew.
    fn together(&self, block: u64) -> Together<'_>;

    /// Bytes of an element, on average.
    fn element_bytes(&self) -> f64;

    /// What the bytes of a block are a multiple of, all of its elements being whole; 1 where they differ in size.
    fn step(&self) -> u64 {
        1
    }

    /// Least and most bytes of a block where `ranks` ranks share the memory and `window` blocks
    /// may be under way to each.
    fn blocks(&self, ranks: usize, window: usize) -> (u64, u64);

    /// Bytes of memory that it may take for what it holds, sorted blocks half of them, where it has
    /// such a limit.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Blocks on a disk that a rank merges at a time, at most, where `ranks` share the memory; `None`: any number.
    fn ways(&self, ranks: usize) -> Option<u64> {
        let _ = ranks;
        None
    }

    /// Makes what the sink left the job's result, and says in a few words what that is.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn conclude(&self, written: Erased) -> Result<String, AppError>;
}
