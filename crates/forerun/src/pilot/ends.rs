//! What the end of a job costs: delivering, joining and finishing.

use std::time::{Duration, Instant};

use forerun_apps::{ErasedJob, ErasedMessage};
use forerun_platform::statistics::median;
use forerun_platform::{Cost, JoinAt, Stage, Wait};
use forerun_skeleton::RunError;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};

use super::clock::{Clock, Took};
use super::fit::{PAGE, Point, by_the_byte, fit};
use super::sample::{bytes_of, failed};

/// Costs of the end.
pub(super) struct Ends {
    pub(super) sink: Cost,
    pub(super) finish: Cost,
    pub(super) join: Cost,
    /// As in [`forerun_platform::Join`].
    pub(super) beside: f64,
}

/// Ends with nothing in them that are timed at most, after a first one that pays for what is set up once.
const EMPTY: usize = 6;
/// Results that are taken through the end one by one, of as many as this times as many.
const SINGLE: usize = 3;
/// Results that are joined on their own, where many are left: what the first level takes longer by.
const PAIR: usize = 2;
/// A moment in which the machine did something else, and a long one, in seconds: a rehearsal may have been longer by the one, and
/// one that is far from what was expected by the other.
const MOMENT: (f64, f64) = (0.3e-3, 10e-3);
/// Bytes of a merged result from which on what its finish takes longer is rather by the byte than by the call: fewer are written in no time that shows.
const WRITTEN: f64 = 65536.0;
/// How far a level of joining is from what a level of merging results takes when they come back from the disk, relative to that, and from
/// a merge of two in memory.
const UNLIKE: (f64, f64) = (0.25, 0.5);

/// Takes results through the rehearsal of sink and finish. First none at all, a few times if that ends
/// within `time`: what is left then is what opening, making and naming the result cost. Then some results one by
/// one, which shows what delivering and finishing cost by the byte; then, where the finish joins what is delivered,
/// two at once if there are many, and all others at once. Every byte is merged once a level: what that takes longer than
/// finishing one result is the cost of joining. Of results that are few bytes together, which take less than a moment of something
/// else, it is rather what a level of merging was seen to cost: when results come back from the disk, by the byte, or where they do not
/// of two in memory.
pub(super) fn rehearse(
    job: &dyn ErasedJob,
    clock: Clock,
    pieces: Vec<Piece<ErasedMessage>>,
    (merge, merging): (&Cost, Option<f64>),
    time: Duration,
) -> Result<Ends, RunError> {
    let mut stage = Rehearsals { job, clock, thrown: Thrown::default() };
    let mut ends = stage.all(pieces, (merge, merging), time)?;
    // The rehearsed results replaced nothing.
    ends.finish.fixed += stage.thrown.per_byte() * job.replaces() as f64;
    Ok(ends)
}

/// Rehearsals of a job's end.
struct Rehearsals<'a> {
    job: &'a dyn ErasedJob,
    clock: Clock,
    thrown: Thrown,
}

/// What it took to throw rehearsed results away.
#[derive(Debug, Default)]
struct Thrown {
    /// The seconds that each with nothing in it took.
    empty: Vec<f64>,
    /// The bytes of the others, and the seconds.
    full: Vec<(f64, f64)>,
}

impl Thrown {
    /// Seconds a byte: what full ones took longer than empty ones.
    fn per_byte(&self) -> f64 {
        let fixed = median(&self.empty).unwrap_or(0.0);
        let bytes: f64 = self.full.iter().map(|(bytes, _)| bytes).sum();
        let longer: f64 = self.full.iter().map(|(_, seconds)| (seconds - fixed).max(0.0)).sum();
        // A page at least tells something.
        if bytes >= PAGE { longer / bytes } else { 0.0 }
    }
}

impl Rehearsals<'_> {
    fn all(
        &mut self,
        mut pieces: Vec<Piece<ErasedMessage>>,
        (merge, merging): (&Cost, Option<f64>),
        time: Duration,
    ) -> Result<Ends, RunError> {
        let job = self.job;
        let empty = self.empty(time)?;
        if job.join() == JoinAt::Sink {
            // What delivering one costs is that of any.
            let one = self.end(pieces.drain(..pieces.len().min(1)).collect())?;
            let sink = Cost::constant(one.sinking.seconds).waiting(one.sinking.share());
            // What is written of it is by the byte: of results that add up, the whole is as much larger as there are more of them.
            let finish = beyond(&empty, &[one], WRITTEN, |r| r.finishing);
            let finish = parted(finish, &empty, &[one], |r| r.finishing);
            return Ok(Ends { sink, finish, join: *merge, beside: 0.0 });
        }
        let mut others = pieces.split_off((pieces.len() / SINGLE).clamp(1, SINGLE).min(pieces.len()));
        let mut singles = Vec::new();
        for piece in pieces {
            singles.push(self.end(vec![piece])?);
        }
        // Rows are by the byte, of however small results.
        let page = if job.stores_rows() { 0.0 } else { PAGE };
        let sink = beyond(&empty, &singles, page, |r| r.sinking);
        let finish = beyond(&empty, &singles, PAGE, |r| r.finishing);
        // The sink's fixed cost is that of a delivery, of opening and of closing.
        let sink = Cost { fixed: sink.fixed / 2.0, ..sink };
        if others.len() < 2 {
            let sink = parted(sink, &empty, &singles, |r| r.sinking);
            // A merge makes a result, as finishing does.
            let join = match merging {
                Some(per_byte) => Cost { per_byte, error: UNLIKE.0, ..Cost::default() },
                None => Cost { per_byte: (merge.per_byte - finish.per_byte).max(0.0), ..*merge },
            };
            return Ok(Ends {
                sink,
                finish: parted(finish, &empty, &singles, |r| r.finishing),
                join,
                beside: 0.0,
            });
        }
        let two = match others.len() > 2 * PAIR {
            true => Some(self.end(others.split_off(others.len() - PAIR))?),
            false => None,
        };
        let levels = (others.len() as f64).log2();
        let all = self.end(others)?;
        // What is delivered one after the other, as in a run, tells more than what comes alone.
        let (more, per_byte) = by_the_byte((all.sinking.seconds - sink.fixed).max(0.0), all.each(), page);
        let sink = Cost { fixed: sink.fixed + more, per_byte, ..sink };
        let joining = (all.finishing.seconds - finish.fixed).max(0.0);
        // Finishing is a part of that: a few bytes that took a moment longer tell little of what many take.
        let finish = Cost { per_byte: finish.per_byte.min(joining / all.bytes.max(1.0)), ..finish };
        let in_memory = merge.seconds(2.0 * all.each(), 2.0) / (2.0 * all.each());
        let merging = merging.map_or((in_memory, UNLIKE.1), |merging| (merging, UNLIKE.0));
        let unsure = finish.fixed
            * deviation(&empty.iter().map(|r| r.finishing.seconds).collect::<Vec<_>>(), finish.fixed);
        let longer = |end: &Rehearsed| {
            (end.finishing.seconds - finish.fixed).max(0.0) / end.bytes.max(1.0) - finish.per_byte
        };
        let (join, beside) = joined(longer(&all), levels, two.as_ref().map(longer));
        let (part, join, error) = believed(join, merging, unsure, all.bytes * levels);
        let beside = part * beside;
        // What joining is longer by waits as what it is beside.
        let longer = Cost { fixed: finish.fixed, per_byte: join, ..Cost::default() };
        let longer = parted(longer, &empty, &[all], |r| r.finishing);
        let join = Cost { fixed: 0.0, wait: Wait { fixed: 0.0, ..longer.wait }, error, ..longer };
        let sink = parted(sink, &empty, &[all], |r| r.sinking);
        singles.push(all);
        let finish = parted(finish, &empty, &singles, |r| r.finishing);
        Ok(Ends { sink, finish, join, beside })
    }

    /// Ends with nothing in them.
    fn empty(&mut self, time: Duration) -> Result<Vec<Rehearsed>, RunError> {
        let begun = Instant::now();
        let mut ends = vec![self.end(Vec::new())?];
        while ends.len() <= EMPTY && begun.elapsed() < time {
            ends.push(self.end(Vec::new())?);
        }
        if ends.len() > 1 {
            ends.remove(0);
        }
        Ok(ends)
    }

    fn end(&mut self, pieces: Vec<Piece<ErasedMessage>>) -> Result<Rehearsed, RunError> {
        let (job, clock) = (self.job, self.clock);
        let failed = |e| failed(Stage::Finish, 0, e);
        let bytes: f64 = pieces.iter().map(bytes_of).sum();
        let pieces_in = pieces.len();
        let count = pieces_in.max(1) as f64;
        let mut sink = job.rehearsal_sinks().open(0).map_err(failed)?;
        let begun = clock.begin();
        for piece in pieces {
            sink.accept(piece).map_err(failed)?;
        }
        let left = sink.close().map_err(failed)?;
        let Took { seconds, wait } = begun.took_of_all();
        let sinking = Took { seconds: seconds / count, wait: wait / count };
        let begun = clock.begin();
        // What is fixed of a finish shows only with a sink that was open.
        let left = if pieces_in > 0 || job.join() == JoinAt::Finish { vec![left] } else { Vec::new() };
        let result = job.rehearse_finish(left).map_err(failed)?;
        let finishing = begun.took_of_all();
        let begun = clock.begin();
        drop(result);
        let thrown = begun.took_of_all().seconds;
        match pieces_in {
            0 => self.thrown.empty.push(thrown),
            _ => self.thrown.full.push((bytes, thrown)),
        }
        Ok(Rehearsed { bytes, count, sinking, finishing })
    }
}

/// What a level of joining costs by the byte, and how much less than that all levels together take, where joining in `levels`
/// levels took so much longer than finishing one result, and in one level so much.
///
/// Every level costs the same, and what the first takes longer by is less as far as it goes on beside the writing.
fn joined(longer: f64, levels: f64, first: Option<f64>) -> (f64, f64) {
    let even = longer.max(0.0) / levels;
    match first {
        Some(first) if levels > 1.0 && first < even => {
            let each = (longer.max(first) - first) / (levels - 1.0);
            // By what rounding takes away it could be below 0.
            (each, (each - first).max(0.0))
        }
        _ => (even, 0.0),
    }
}

/// What a level of joining costs by the byte where `joining` seconds were measured, over `bytes` bytes (each counted once a level) with
/// `unsure` seconds of doubt, and `merging` are those of a level of another merge, from which it is so far, relative to that: the mean of both, weighed
/// by how well each tells. The part of what was measured in it, the cost, and the relative error of that.
fn believed(joining: f64, (merging, unlike): (f64, f64), unsure: f64, bytes: f64) -> (f64, f64, f64) {
    if merging <= 0.0 || bytes <= 0.0 {
        return (1.0, joining, 0.0);
    }
    let other = unlike * merging;
    let own = |moment: f64| unsure.hypot(moment) / bytes;
    let far = (joining - merging).abs() > 2.0 * other.hypot(own(MOMENT.0));
    let own = own(if far { MOMENT.1 } else { MOMENT.0 });
    let part = other.powi(2) / (other.powi(2) + own.powi(2));
    let cost = part * joining + (1.0 - part) * merging;
    // Not below 0, unless merging is nothing.
    (part, cost, if cost > 0.0 { own * part.sqrt() / cost } else { 0.0 })
}

/// One rehearsal.
#[derive(Debug, Clone, Copy)]
struct Rehearsed {
    bytes: f64,
    /// Deliveries.
    count: f64,
    /// A delivery, in the mean, and the finish.
    sinking: Took,
    finishing: Took,
}

impl Rehearsed {
    /// Bytes of a delivery, in the mean.
    fn each(&self) -> f64 {
        (self.bytes / self.count).max(1.0)
    }
}

/// The cost of an end: that of one with nothing in it, and what it takes longer by the byte.
fn beyond(empty: &[Rehearsed], singles: &[Rehearsed], page: f64, took: fn(&Rehearsed) -> Took) -> Cost {
    let seconds = |r: &Rehearsed| took(r).seconds;
    let of_empty: Vec<f64> = empty.iter().map(seconds).collect();
    let of_singles: Vec<f64> = singles.iter().filter(|r| r.bytes > 0.0).map(seconds).collect();
    let least = of_empty.iter().copied().fold(f64::INFINITY, f64::min);
    let single = of_singles.iter().sum::<f64>() / of_singles.len() as f64;
    // Ends with nothing in them that take longer than those with something were disturbed.
    let fixed = match median(&of_empty).unwrap_or(0.0) {
        fixed if of_singles.is_empty() || fixed < single => fixed,
        _ if least < single => least,
        _ => 0.0,
    };
    let longer: Vec<Point> = singles
        .iter()
        .filter(|r| r.bytes > 0.0)
        .map(|r| Point::new(r.bytes, (seconds(r) - fixed).max(0.0)))
        .collect();
    if longer.is_empty() {
        let fixed = median(&singles.iter().map(seconds).collect::<Vec<_>>()).unwrap_or(fixed);
        let unsure = deviation(&of_empty, fixed);
        return Cost { spread: unsure, error: unsure, ..Cost::constant(fixed) };
    }
    // Of a few calls of one size: all of what is longer is by the byte, unless bytes are few.
    let each = |of: fn(&Point) -> f64| longer.iter().map(of).sum::<f64>() / longer.len() as f64;
    let (bytes, took) = (each(|p| p.bytes), each(|p| p.seconds));
    let Cost { spread, error, .. } = fit(&longer);
    // As far as it is the fixed part that a call takes, it is as unsure as that.
    let unsure = deviation(&of_empty, fixed) * fixed / (fixed + took);
    let (spread, error) = (spread.hypot(unsure), error.hypot(unsure));
    let (more, per_byte) = by_the_byte(took, bytes, page);
    Cost { fixed: fixed + more, per_byte, spread, error, ..Cost::default() }
}

/// The same cost with what is waited for of it: of its fixed part as much as of ends with nothing in them, and of
/// the rest as much as of what `full` ones take longer.
fn parted(cost: Cost, empty: &[Rehearsed], full: &[Rehearsed], took: fn(&Rehearsed) -> Took) -> Cost {
    let sum = |ends: &[Rehearsed], fixed: Took| {
        ends.iter().map(took).fold(Took::default(), |sum, t| Took {
            seconds: sum.seconds + (t.seconds - fixed.seconds).max(0.0),
            wait: sum.wait + (t.wait - fixed.wait).max(0.0),
        })
    };
    let waits = sum(empty, Took::default()).share();
    let fixed = Took { seconds: cost.fixed, wait: waits * cost.fixed };
    let rest = Cost { fixed: 0.0, ..cost }.waiting(sum(full, fixed).share());
    Cost { fixed: cost.fixed - fixed.wait, wait: Wait { fixed: fixed.wait, ..rest.wait }, ..rest }
}

/// How far ends with nothing in them are from `fixed`, relative to it.
fn deviation(ends: &[f64], fixed: f64) -> f64 {
    if ends.len() < 2 || fixed <= 0.0 {
        return 0.0;
    }
    let squares: f64 = ends.iter().map(|s| (s / fixed - 1.0).powi(2)).sum();
    (squares / (ends.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PAGE, Rehearsed, Took, believed, beyond, joined, parted};

    fn rehearsed(bytes: f64, seconds: f64) -> Rehearsed {
        waiting(bytes, seconds, 0.0)
    }

    fn waiting(bytes: f64, seconds: f64, wait: f64) -> Rehearsed {
        Rehearsed { bytes, count: 1.0, sinking: Took::default(), finishing: Took { seconds, wait } }
    }

    #[test]
    fn an_end_waits_for_its_fixed_part_and_for_bytes() {
        // 2 ms, of which half is waited for, and 1 ns a byte, of which four fifths.
        let empty = [waiting(0.0, 2e-3, 1e-3), waiting(0.0, 2e-3, 1e-3)];
        let full = [waiting(1e6, 3e-3, 1.8e-3), waiting(3e6, 5e-3, 3.4e-3)];
        let cost = parted(beyond(&empty, &full, PAGE, |r| r.finishing), &empty, &full, |r| r.finishing);
        assert!((cost.seconds(1e6, 1.0) - 3e-3).abs() < 1e-7, "{cost:?}");
        assert!(
            (cost.wait.fixed - 1e-3).abs() < 1e-7 && (cost.wait.per_byte - 8e-10).abs() < 1e-14,
            "{cost:?}"
        );
        // Ten times the processor time, and no more.
        assert!((cost.on(0.1).seconds(1e6, 1.0) - (1e-2 + 2e-3 + 1.8e-3)).abs() < 1e-6, "{cost:?}");
        let none = parted(beyond(&[], &[], PAGE, |r| r.finishing), &[], &[], |r| r.finishing);
        assert_eq!(none.seconds(1e6, 1.0), 0.0);
    }

    #[test]
    fn joining_goes_on_beside_writing() {
        // Writing takes 4 ns a byte, a level of merging 3: two results take no longer than one, eight 9 instead of 4.
        let (each, beside) = joined(9.0 - 4.0, 3.0, Some(0.0));
        assert_eq!((each, beside), (2.5, 2.5));
        assert_eq!([1.0, 3.0].map(|levels| each * levels - beside), [0.0, 5.0]);
        // What is merged may even be written sooner than what rests in memory.
        let (each, beside) = joined(0.0, 3.0, Some(-1.0));
        assert_eq!([1.0, 3.0].map(|levels| each * levels - beside), [-1.0, 0.0]);
        // On one core all of it is longer; a first level that took longer than others was disturbed.
        assert_eq!(joined(9.0, 3.0, Some(3.0)), (3.0, 0.0));
        assert_eq!(joined(9.0, 3.0, Some(7.0)), (3.0, 0.0));
        assert_eq!(joined(9.0, 3.0, None), (3.0, 0.0));
        assert_eq!(joined(-1.0, 1.0, Some(-1.0)), (0.0, 0.0));
    }

    #[test]
    fn what_an_empty_end_takes_is_fixed_and_the_rest_by_the_byte() {
        let empty = [rehearsed(0.0, 1.1e-3), rehearsed(0.0, 1e-3), rehearsed(0.0, 9e-2)];
        let singles = [rehearsed(1e6, 2.1e-3), rehearsed(2e6, 3.1e-3)];
        let cost = beyond(&empty, &singles, PAGE, |r| r.finishing);
        assert!((cost.fixed - 1.1e-3).abs() < 1e-7, "the median: {cost:?}");
        assert!((cost.per_byte - 1e-9).abs() < 1e-13, "{cost:?}");
        assert!(cost.error > 1.0, "one of three was ninety times as long: {cost:?}");
        // Where most of the empty ones were disturbed, the least tells; where all were, none does.
        let cost = beyond(&empty, &[rehearsed(1e6, 1.05e-3)], PAGE, |r| r.finishing);
        assert!((cost.fixed - 1e-3).abs() < 1e-8 && (cost.per_byte - 5e-11).abs() < 1e-14, "{cost:?}");
        let cost = beyond(&empty, &[rehearsed(1e6, 1e-4)], PAGE, |r| r.finishing);
        assert!(cost.fixed < 1e-8 && (cost.per_byte - 1e-10).abs() < 1e-14, "{cost:?}");
        // With nothing to divide by all of it is fixed.
        assert_eq!(beyond(&empty, &[rehearsed(0.0, 2e-3)], PAGE, |r| r.finishing).seconds(1e6, 1.0), 2e-3);
    }

    #[test]
    fn what_a_few_bytes_take_is_no_more_for_many() {
        // A result of 40 bytes that takes 1 ms, of 80 as long, of a megabyte 3 ms.
        let of = |results: &[Rehearsed]| beyond(&[rehearsed(0.0, 1e-5)], results, PAGE, |r| r.finishing);
        let few = of(&[rehearsed(40.0, 1e-3), rehearsed(80.0, 1e-3)]);
        assert!((few.seconds(60.0, 1.0) - 1e-3).abs() < 1e-9, "{few:?}");
        assert!(few.seconds(240e6, 1.0) < 1.0, "{few:?}");
        assert!((of(&[rehearsed(1e6, 3e-3)]).seconds(1e8, 1.0) / 0.3 - 1.0).abs() < 0.01);
        // Where rows are stored they are of one as of many.
        let rows = |bytes, seconds| {
            beyond(&[rehearsed(0.0, 1e-5)], &[rehearsed(bytes, seconds)], 0.0, |r| r.finishing)
        };
        let (few, many) = (rows(1e3, 1.1e-4), rows(1e6, 0.10001));
        assert!((few.seconds(1e6, 1.0) / many.seconds(1e6, 1.0) - 1.0).abs() < 0.01, "{few:?} {many:?}");
    }

    /// 100 kB that take some milliseconds longer because the machine did something else tell nothing of what a gigabyte takes.
    #[test]
    fn joining_of_few_bytes_costs_what_merging_does() {
        let (merging, levels) = ((1e-9, 0.5), 3.0);
        for measured in [0.0, 0.5e-9, 1.5e-9, 7.3e-9, 50e-9] {
            let (_, cost, error) = believed(measured, merging, 1e-4, 1e5 * levels);
            assert!((0.5e-9..2e-9).contains(&cost), "{measured}: {cost}");
            assert!((0.2..1.0).contains(&error), "{measured}: {error}");
            // Many bytes tell what they cost.
            let (part, cost, error) = believed(measured, merging, 1e-4, 1e9 * levels);
            assert!(part > 0.99 && (cost - measured).abs() <= 1e-11, "{measured}: {cost}");
            assert!(error < 0.05 || measured == 0.0, "{measured}: {error}");
        }
        // Where no merge was seen, there is nothing else to believe.
        assert_eq!(believed(7.3e-9, (0.0, 0.5), 1e-4, 1e5), (1.0, 7.3e-9, 0.0));
        assert_eq!(believed(0.0, (0.0, 0.5), 0.0, 0.0), (1.0, 0.0, 0.0));
    }

    proptest! {
        #[test]
        fn joining_costs_no_less_than_nothing(
            longer in -1e-9..1e-8f64, levels in 0.5..12.0f64, first in -1e-9..1e-8f64,
        ) {
            for first in [first, longer.max(0.0) / levels * (1.0 - f64::EPSILON)] {
                let (each, beside) = joined(longer, levels, Some(first));
                prop_assert!(each >= 0.0 && beside >= 0.0, "{each} {beside}");
            }
        }
    }
}
