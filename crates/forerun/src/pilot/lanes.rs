//! Stretches of the input from which samples are taken.

use std::ops::Range;
use std::time::{Duration, Instant};
use std::{io, thread};

use forerun_apps::{ErasedJob, ErasedMessage, ErasedSource};
use forerun_platform::{JoinAt, Stage};
use forerun_skeleton::reduction::Piece;
use forerun_skeleton::{Message, RunError};

use super::sample::{Sampled, Sampler, failed};

/// Phases of which each has lanes of its own, before lanes are gone on with.
const APART: usize = 2;
/// Lanes from which a worker takes tasks in a phase, of a job that keeps results, where none is lost: neighbours are apt to be
/// alike, and how much the lanes differ is not to be taken for what the machine does from one phase to the next.
const VISITS: usize = 2;
/// Results that are left to the finish to join.
const LEFT: usize = 3;
/// Merges one after the other, where few results are there to be merged.
const FEW: usize = 2;

/// Lanes for so many workers.
pub(super) fn lanes(workers: usize) -> usize {
    APART * (workers + 1)
}

/// Lanes all over the input, in the order in which they are taken.
pub(super) struct Lanes<'s> {
    source: &'s dyn ErasedSource,
    lanes: Vec<Lane>,
    next: usize,
    /// Phases so far.
    phases: usize,
    /// Bytes of results that each lane may hold, where memory is limited.
    room: Option<u64>,
}

/// Consecutive tasks, of which some were run: of a job that keeps results the first ones, else from all over the lane, since
/// neighbours are apt to be alike.
struct Lane {
    begin: u64,
    /// As many as were run or passed over lie between `begin` and this.
    next: u64,
    end: u64,
    /// From each task to the next that is run, round and round; it visits all.
    step: u64,
    /// Results, neighbours merged.
    pieces: Vec<Piece<ErasedMessage>>,
}

impl<'s> Lanes<'s> {
    /// Cuts the tasks into lanes; a job that keeps results has kept those of its first tasks, which
    /// are `begun`. All together hold results of no more than `room` bytes.
    pub(super) fn new(
        job: &dyn ErasedJob,
        source: &'s dyn ErasedSource,
        workers: usize,
        begun: Vec<Piece<ErasedMessage>>,
        room: Option<u64>,
    ) -> Self {
        let tasks = source.len().unwrap_or(1).max(1);
        let count = lanes(workers).min(usize::try_from(tasks).unwrap_or(usize::MAX)) as u64;
        let start = |k: u64| (u128::from(tasks) * u128::from(k) / u128::from(count)) as u64;
        let step = coprime_step(count);
        let mut lanes: Vec<Lane> = (0..count)
            .map(|k| (u128::from(k) * u128::from(step) % u128::from(count)) as u64)
            .map(|k| {
                let (begin, end) = (start(k), start(k + 1));
                let step = if job.keeps() { 1 } else { coprime_step(end - begin) };
                Lane { begin, next: begin, end, step, pieces: Vec::new() }
            })
            .collect();
        if job.keeps() {
            let first = &mut lanes[0];
            for (at, piece) in (0..).zip(begun) {
                first.pieces.push(Piece { first: at, ..piece });
                first.next = at + 1;
            }
            // A short lane may end within what was kept.
            first.end = first.end.max(first.next);
            for lane in &mut lanes[1..] {
                while lane.next < lane.end && source.is_kept(lane.next) {
                    lane.next += 1;
                }
                lane.begin = lane.next;
            }
        }
        let room = room.map(|room| room / count);
        Lanes { source, lanes, next: 0, phases: 0, room }
    }

    /// Whether all tasks were run.
    pub(super) fn are_empty(&self) -> bool {
        self.lanes.iter().all(Lane::is_empty)
    }

    /// Lets so many workers run tasks and merges at the same time, for about `time`.
    pub(super) fn phase(
        &mut self,
        sampler: &Sampler<'_>,
        workers: usize,
        time: Duration,
        sampled: &mut Sampled,
    ) -> Result<(), RunError> {
        self.phases += 1;
        let phase = self.phases;
        let count = self.lanes.len();
        self.lanes.rotate_left(self.next % count);
        let visits = if sampler.job.keeps() { VISITS } else { 1 };
        let free: Vec<&mut Lane> =
            self.lanes.iter_mut().filter(|l| !l.is_empty()).take(workers * visits).collect();
        let workers = free.len().min(workers);
        self.next = free.len();
        let mut shares: Vec<Vec<&mut Lane>> = (0..workers).map(|_| Vec::new()).collect();
        for (i, lane) in free.into_iter().enumerate() {
            shares[i % workers].push(lane);
        }
        let (source, room) = (self.source, self.room);
        let run = |lanes: Vec<&mut Lane>| {
            let (time, least) = (time / lanes.len() as u32, visits.div_ceil(lanes.len()) as u64);
            let mut sampled = Sampled::beside(workers - 1);
            for lane in lanes {
                lane.run(sampler, source, (time, least), room, &mut sampled)?;
            }
            Ok::<_, RunError>(sampled)
        };
        if let [lanes] = &mut shares[..] {
            sampled.add(phase, run(std::mem::take(lanes))?);
            return Ok(());
        }
        for found in on_threads(shares, run)? {
            sampled.add(phase, found);
        }
        Ok(())
    }

    /// The results that are there, in the order of the input.
    pub(super) fn into_pieces(self) -> Vec<Piece<ErasedMessage>> {
        let mut pieces: Vec<_> = self.lanes.into_iter().flat_map(|l| l.pieces).collect();
        pieces.sort_by_key(|p| p.first);
        pieces
    }
}

impl Lane {
    fn is_empty(&self) -> bool {
        self.next >= self.end
    }

    /// Runs tasks, at least so many. Where results are merged on and on, neighbours are merged as they come,
    /// and those that are to be kept into one at the end.
    fn run(
        &mut self,
        sampler: &Sampler<'_>,
        source: &dyn ErasedSource,
        (time, least): (Duration, u64),
        room: Option<u64>,
        sampled: &mut Sampled,
    ) -> Result<(), RunError> {
        let begun = Instant::now();
        let mut ran = 0u64;
        while !self.is_empty() && (ran < least || 2.0 * begun.elapsed().as_secs_f64() < time.as_secs_f64()) {
            let (point, piece) = sampler.task(source, self.task())?;
            sampled.ran(point, &piece);
            self.pieces.push(piece);
            self.next += 1;
            ran += 1;
            self.make_room(room);
            while let [.., a, b] = &self.pieces[..]
                && a.results == b.results
                && sampler.job.join() == JoinAt::Sink
            {
                self.merge_last(sampler, sampled)?;
            }
        }
        if sampler.job.keeps() && source.keeps_as_one(self.range()) {
            while self.pieces.len() > 1 {
                self.merge_last(sampler, sampled)?;
            }
            if let [piece] = &self.pieces[..] {
                let kept = source.keep(self.range(), &piece.value);
                kept.map_err(|e| failed(Stage::Task, piece.first, e))?;
            }
        }
        Ok(())
    }

    /// Forgets the first results where all come to more than `room` bytes: what goes to the disk because a pilot
    /// holds on to results is no part of what their tasks cost.
    fn make_room(&mut self, room: Option<u64>) {
        let Some(room) = room else { return };
        let mut held: u64 = self.pieces.iter().map(|piece| piece.value.bytes()).sum();
        while held > room && self.pieces.len() > 1 {
            held -= self.pieces.remove(0).value.bytes();
        }
    }

    /// The task that is to be run.
    fn task(&self) -> u64 {
        let (done, all) = (u128::from(self.next - self.begin), u128::from(self.end - self.begin));
        self.begin + (done * u128::from(self.step) % all.max(1)) as u64
    }

    /// The tasks that were run of a job that keeps results.
    fn range(&self) -> Range<u64> {
        self.begin..self.next
    }

    fn merge_last(&mut self, sampler: &Sampler<'_>, sampled: &mut Sampled) -> Result<(), RunError> {
        if let (Some(right), Some(left)) = (self.pieces.pop(), self.pieces.pop()) {
            self.pieces.push(sampler.merge(left, right, sampled)?);
        }
        Ok(())
    }
}

/// Lets so many workers run a task each at the same time, of those next to what is kept: between what is all over the input, there would be
/// more tasks to start. Nothing, where they would be more than one of `rest` for each.
pub(super) fn once(
    sampler: &Sampler<'_>,
    source: &dyn ErasedSource,
    (workers, rest): (usize, usize),
    sampled: &mut Sampled,
) -> Result<Vec<Piece<ErasedMessage>>, RunError> {
    let left = (0..source.len().unwrap_or(0)).filter(|&task| !source.is_kept(task));
    let mut tasks: Vec<u64> = left.take(rest * workers).collect();
    if tasks.len() < rest * workers {
        return Ok(Vec::new());
    }
    tasks.truncate(workers);
    let mut pieces = Vec::new();
    for (point, piece) in on_threads(tasks, |task| sampler.task(source, task))? {
        sampled.large(point, workers, &piece);
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Merges pairs, one alone and then `workers` at the same time, as far as results are left besides that
/// the finish can join. A job whose finish joins keeps its results in memory: as in a run, all of it is
/// fresh to the tasks, since no merge gives any of it back before they have ended.
pub(super) fn merge_pairs(
    sampler: &Sampler<'_>,
    workers: usize,
    pieces: &mut Vec<Piece<ErasedMessage>>,
    sampled: &mut Sampled,
) -> Result<(), RunError> {
    let mut at_once = vec![1, workers];
    at_once.dedup();
    for workers in at_once {
        if pieces.len() < 2 * workers + LEFT {
            return Ok(());
        }
        let mut pairs = Vec::new();
        while pairs.len() < workers
            && let (Some(right), Some(left)) = (pieces.pop(), pieces.pop())
        {
            pairs.push((left, right));
        }
        let merge = |(left, right)| {
            let mut sampled = Sampled::beside(workers - 1);
            let merged = sampler.merge(left, right, &mut sampled)?;
            sampled.pieces.push(merged);
            Ok(sampled)
        };
        for mut found in on_threads(pairs, merge)? {
            // To the front: each is merged once.
            pieces.splice(0..0, found.take_pieces());
            sampled.add(0, found);
        }
    }
    Ok(())
}

/// Merges two neighbouring results, alone, and then two more where `join` leaves enough to try the end with. Of tasks
/// of `sizes` that differ by much: first the two that are largest together, then the two that are smallest. Others are the first two, and
/// then what came of them with the next.
pub(super) fn merge_few(
    sampler: &Sampler<'_>,
    (join, sizes): (JoinAt, bool),
    pieces: &mut Vec<Piece<ErasedMessage>>,
    sampled: &mut Sampled,
) -> Result<(), RunError> {
    let left = if join == JoinAt::Finish { LEFT } else { 1 };
    for done in 0..FEW {
        if pieces.len() < 2 || (done > 0 && pieces.len() <= left) {
            break;
        }
        let bytes = |at: &usize| pieces[*at].value.bytes() + pieces[*at + 1].value.bytes();
        let at = match (sizes, done) {
            (false, _) => 0,
            (true, 0) => (0..pieces.len() - 1).max_by_key(bytes).unwrap_or(0),
            (true, _) => (0..pieces.len() - 1).min_by_key(bytes).unwrap_or(0),
        };
        let right = pieces.remove(at + 1);
        let left = pieces.remove(at);
        pieces.insert(at, sampler.merge(left, right, sampled)?);
    }
    Ok(())
}

/// Merges what lanes have come to, alone, two neighbours at a time until one is left or it is `latest`: most of what a sink
/// merges are large results, and what they cost is not seen in those of single tasks.
pub(super) fn merge_on(
    sampler: &Sampler<'_>,
    latest: Instant,
    mut pieces: Vec<Piece<ErasedMessage>>,
    sampled: &mut Sampled,
) -> Result<Vec<Piece<ErasedMessage>>, RunError> {
    while pieces.len() > 1 {
        let mut merged = Vec::with_capacity(pieces.len().div_ceil(2));
        let mut left = pieces.into_iter();
        while let Some(first) = left.next() {
            if Instant::now() >= latest {
                merged.push(first);
                merged.extend(left);
                return Ok(merged);
            }
            merged.push(match left.next() {
                Some(second) => sampler.merge(first, second, sampled)?,
                None => first,
            });
        }
        pieces = merged;
    }
    Ok(pieces)
}

/// Does `work` on each of these, each on a thread of its own; gives what came of them, in order.
///
/// # Errors
/// The first that failed; that threads cannot be started.
pub(super) fn on_threads<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, RunError> + Sync,
) -> Result<Vec<R>, RunError> {
    let (work, all) = (&work, items.len());
    let ended = thread::scope(|scope| {
        let begin =
            |item| thread::Builder::new().name("pilot".into()).spawn_scoped(scope, move || work(item));
        // Those that have begun before one cannot end by themselves.
        let begun: io::Result<Vec<_>> = items.into_iter().map(begin).collect();
        begun.map(|begun| begun.into_iter().map(|one| one.join()).collect::<Vec<_>>())
    });
    let ended = ended.map_err(|e| {
        RunError::Invalid(format!(
            "{all} threads could not be started to try the job on ({e}): use fewer processors"
        ))
    })?;
    let panicked = |_| RunError::Invalid("the pilot panicked outside a task".into());
    ended.into_iter().map(|one| one.map_err(panicked)?).collect()
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
    use forerun_skeleton::reduction::Piece;

    use super::super::sample::tests::result;
    use super::{Lane, coprime_step};

    #[test]
    fn where_memory_is_short_the_last_results_are_held() {
        let held = |room| {
            let piece = |first| Piece { first, ..result(10) };
            let mut lane = Lane { begin: 0, next: 4, end: 9, step: 1, pieces: (0..4).map(piece).collect() };
            lane.make_room(room);
            lane.pieces.iter().map(|piece| piece.first).collect::<Vec<_>>()
        };
        assert_eq!(held(None), [0, 1, 2, 3]);
        assert_eq!(held(Some(40)), [0, 1, 2, 3]);
        assert_eq!(held(Some(25)), [2, 3]);
        // One is there to be finished with.
        assert_eq!(held(Some(0)), [3]);
    }

    #[test]
    fn steps_visit_every_lane_once() {
        for n in 1..300u64 {
            let step = coprime_step(n);
            let mut seen: Vec<u64> = (0..n).map(|k| k * step % n).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..n).collect::<Vec<_>>());
            let mut tasks: Vec<u64> = (7..7 + n)
                .map(|next| Lane { begin: 7, next, end: 7 + n, step, pieces: Vec::new() }.task())
                .collect();
            tasks.sort_unstable();
            assert_eq!(tasks, (7..7 + n).collect::<Vec<_>>());
        }
    }
}
