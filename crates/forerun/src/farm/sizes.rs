//! What tasks on inputs of different sizes cost: by the task and by the byte, as far as those that were tried tell.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forerun_model::farm::Masters;

use crate::pilot::{PAGE, widening};

/// Inputs differ where the largest has more than so many times the bytes of the smallest.
const DIFFER: f64 = 2.0;
/// Tasks that were tried are taken for one size where the largest has no more than so many times the bytes of the smallest.
const ONE_SIZE: f64 = 1.5;
/// No task of more than one in so many of all bytes is tried: that is the run's to do.
const PART: u64 = 4;
/// Rounds of reweighting, which settle in a few.
const ROUNDS: usize = 20;
/// Relative deviation that is assumed, as if one call more had shown it.
const UNSEEN: f64 = 0.1;
/// Part of the mean that a value is taken to be at least where deviations are relative to it: an empty input may give nothing.
const LEAST: f64 = 1e-2;
/// By how much of a start what is started may be late, as a deviation.
const LATE: f64 = 0.5;
/// From which square of Student's t on it is believed that bytes cost anything, and from which on as much as is seen.
const BELIEVED: (f64, f64) = (4.0, 16.0);
/// An input is beyond those that were tried where it has more than so many times the bytes of the largest; and so many, where that one is
/// thought to work on its bytes: of a page at least, and of so many starts.
const BEYOND: (f64, f64) = (8.0, 64.0);
const STARTED: f64 = 3.0;
/// How far such a task is by its bytes, as a power.
const WORKS: f64 = 0.7;
/// Seconds that programs take for a byte which none has shown, and how many times as much it may be: between those that count, and those
/// that compress.
const USUAL: (f64, f64) = (2e-9, 5.0);
/// The same of one that is slow, of those that compress or look for patterns.
const SLOW: f64 = 3e-8;
/// How far a line may be off, relative, for inputs that are far beyond those by which it is told.
const FAR_OFF: f64 = 0.5;

/// The sizes of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    count: u64,
    bytes: u64,
    least: u64,
    most: u64,
}

impl Sizes {
    /// Of these.
    pub(super) fn of(sizes: impl IntoIterator<Item = u64>) -> Sizes {
        let none = Sizes { count: 0, bytes: 0, least: u64::MAX, most: 0 };
        sizes.into_iter().fold(none, |all, bytes| Sizes {
            count: all.count + 1,
            bytes: all.bytes.saturating_add(bytes),
            least: all.least.min(bytes),
            most: all.most.max(bytes),
        })
    }

    /// Whether they are so different that one task is not like another.
    pub(super) fn differ(&self) -> bool {
        self.count > 1 && self.most as f64 > DIFFER * self.least.max(1) as f64
    }

    /// Bytes of an input in the mean.
    pub(super) fn mean(&self) -> f64 {
        self.bytes as f64 / self.count.max(1) as f64
    }
}

/// Changes the order in which tasks of `all` are tried where their inputs differ in size: the smallest is first, which shows what a task takes
/// by itself, then the largest that is but a part of the job, and those that are more of it are none of them.
pub(super) fn smallest_and_large_first(order: &mut Vec<u64>, all: &[u64], bytes: impl Fn(u64) -> u64) {
    let sizes = Sizes::of(all.iter().map(|&task| bytes(task)));
    if !sizes.differ() {
        return;
    }
    let is_part = |task: &u64| bytes(*task) <= sizes.bytes / PART;
    let smallest = all.iter().copied().min_by_key(|&task| bytes(task));
    let large = all.iter().copied().filter(is_part).max_by_key(|&task| (bytes(task), Reverse(task)));
    let mut chosen: Vec<u64> = smallest.into_iter().chain(large).collect();
    chosen.dedup();
    let most = order.len();
    order.retain(|task| is_part(task) && !chosen.contains(task));
    order.splice(0..0, chosen);
    order.truncate(most);
}

/// The task on the largest input of all that is expected to take no longer than `budget_s`, by those that were `tried`, the bytes and seconds of each, where it has much
/// more bytes than any of these. Tasks that took little longer than a program that does nothing say little of larger ones: these are then thought to take as much by the byte as
/// the slower ones of programs do.
pub(super) fn larger(
    all: &[u64],
    bytes: impl Fn(u64) -> u64,
    (tried, start_s, budget_s): (&[(f64, f64)], f64, f64),
) -> Option<u64> {
    let most = tried.iter().map(|tried| tried.0).fold(0.0, f64::max);
    let own = |seconds: f64| (seconds - start_s).max(0.0);
    // Of those that are about as large as the largest, the longest.
    let largest =
        tried.iter().filter(|tried| tried.0 * ONE_SIZE >= most).map(|tried| tried.1).fold(0.0, f64::max);
    let works = most >= PAGE && largest >= STARTED * start_s;
    let per_byte = own(largest) / most.max(1.0);
    let per_byte = if works { per_byte } else { per_byte.min(SLOW) };
    let fits = |task: &u64| {
        let bytes = bytes(*task) as f64;
        bytes > ONE_SIZE * most && start_s + per_byte * bytes <= budget_s
    };
    all.iter().copied().filter(fits).max_by_key(|&task| (bytes(task), Reverse(task)))
}

/// A task that was tried: the bytes of its input, what was measured of it, and how many tasks it stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tried {
    pub(super) bytes: f64,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// A value by the task and by the byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) fixed: f64,
    pub(super) per_byte: f64,
    /// Deviation of a task from it, relative.
    pub(super) spread: f64,
    /// Standard error of what all tasks are by it, relative.
    pub(super) error: f64,
}

impl Line {
    /// The line nearest in relative squares to what was tried of tasks whose sizes are `all`, with neither figure below 0. That bytes cost
    /// anything is believed as far as chance does not explain it. Of inputs that are far beyond those that were tried, nothing is known but
    /// what programs usually take for a byte. Where all that was tried is of one size, a larger one may cost as much more or nothing more: the
    /// geometric mean of both is off by as much either way.
    ///
    /// A program takes `start` if it does nothing.
    ///
    /// None where nothing was tried, or all of it is 0.
    pub(super) fn of(tried: &[Tried], (all, start): (&Sizes, f64)) -> Option<Line> {
        let sum = |of: &dyn Fn(&Tried) -> f64| tried.iter().map(of).sum::<f64>();
        let (n, weights) = (tried.len() as f64, sum(&|t| t.weight));
        let level = sum(&|t| t.weight * t.value) / weights;
        let largest = tried.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
        let least = tried.iter().map(|t| t.bytes).fold(f64::INFINITY, f64::min);
        if level.is_nan() || level <= 0.0 {
            return None;
        }
        // No more than what it took beyond a start is its bytes'.
        let bound = (largest.value - start).max(0.0) / largest.bytes.max(1.0);
        let beyond = all.most as f64 / largest.bytes.max(1.0);
        let one_size = largest.bytes <= ONE_SIZE * least.max(1.0);
        // Those that take much longer than a start, of more than a page, rather work on bytes than on anything else.
        let works = largest.bytes >= PAGE && largest.value >= STARTED * start;
        let is_far = beyond > if works { BEYOND.1 } else { BEYOND.0 };
        let far = (1.0 - BEYOND.0 / beyond).max(0.0);
        let usual = |bound: f64| (far * USUAL.0.min(bound), (USUAL.0 * USUAL.1).min(bound));
        let (center, per_byte, off) = if one_size {
            let center = (largest.bytes.max(1.0), level);
            let (per_byte, off) = if is_far {
                let (per_byte, most) = usual(bound);
                (per_byte, (most - per_byte) / 2.0)
            } else {
                // Between what a task in the mean of all takes if bytes cost nothing, and if they cost all.
                let (ratio, own) = (all.mean() / center.0, (level - start).max(0.0));
                let part = if works { WORKS } else { 0.5 };
                let grown =
                    if (ratio - 1.0).abs() < 1e-6 { part } else { (ratio.powf(part) - 1.0) / (ratio - 1.0) };
                (grown * own / center.0, bound / 4.0)
            };
            (center, per_byte, off)
        } else {
            let Slope { center, per_byte, off, trust } = Slope::of(tried, (level, start));
            let believed = trust * per_byte;
            match trust < 1.0 && beyond > BEYOND.0 {
                true => {
                    let (usual, most) = usual(bound.min(per_byte + 2.0 * off));
                    let per_byte = usual.max(believed);
                    (center, per_byte, off.max((most - per_byte) / 2.0))
                }
                // Caches, buffers and what starts later make larger ones other ones.
                false => (center, believed, off.hypot(far * FAR_OFF * believed)),
            }
        };
        let mut line =
            Line { fixed: (center.1 - per_byte * center.0).max(0.0), per_byte, spread: 1.0, error: 0.0 };
        // All together take what they took.
        let by = level * weights / sum(&|t| t.weight * line.at(t.bytes)).max(f64::MIN_POSITIVE);
        (line.fixed, line.per_byte) = (line.fixed * by, line.per_byte * by);
        let told = if per_byte > 0.0 && !one_size { 2.0 } else { 1.0 };
        if n > 1.0 {
            let expected = |t: &Tried| line.at(t.bytes).max(0.1 * t.value).max(LEAST * level);
            let squares = sum(&|t| t.weight * ((t.value - line.at(t.bytes)) / expected(t)).powi(2)) / weights;
            line.spread = ((n * squares + UNSEEN.powi(2)) / (n - told + 1.0)).sqrt();
        }
        let of_level = line.spread * sum(&|t| t.weight.powi(2)).sqrt() / weights;
        let of_bytes = off * (all.mean() - center.0).abs() / line.at(all.mean()).max(f64::MIN_POSITIVE);
        line.error = of_level.hypot(of_bytes) * widening(n - told);
        Some(line)
    }

    /// What it says of a task on so many bytes.
    pub(super) fn at(&self, bytes: f64) -> f64 {
        self.fixed + self.per_byte * bytes
    }
}

/// How what was tried grows with the bytes.
#[derive(Debug, Clone, Copy)]
struct Slope {
    /// Bytes, and what is measured of them, in the weighted mean, through which the line leads.
    center: (f64, f64),
    per_byte: f64,
    /// Its standard error.
    off: f64,
    /// How far it is believed.
    trust: f64,
}

impl Slope {
    /// Of tasks of several sizes, of which one is `level` in the mean, and a start `start`, which is as often late as not.
    fn of(tried: &[Tried], (level, start): (f64, f64)) -> Slope {
        let mut line = (level, 0.0);
        let mut slope = Slope { center: (0.0, level), per_byte: 0.0, off: 0.0, trust: 0.0 };
        for _ in 0..ROUNDS {
            let (mut s, mut sx, mut sxx, mut sy, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
            let weighed = |t: &Tried| {
                let relative = UNSEEN * (line.0 + line.1 * t.bytes).max(0.1 * t.value).max(LEAST * level);
                UNSEEN.powi(2) / (relative.powi(2) + (LATE * start).powi(2))
            };
            for t in tried {
                let w = weighed(t);
                s += w;
                sx += w * t.bytes;
                sxx += w * t.bytes * t.bytes;
                sy += w * t.value;
                sxy += w * t.bytes * t.value;
            }
            let determinant = s * sxx - sx * sx;
            if determinant <= 1e-12 * s * sxx {
                break;
            }
            let per_byte = ((s * sxy - sx * sy) / determinant).clamp(0.0, sxy / sxx);
            let center = (sx / s, sy / s);
            let fixed = (center.1 - per_byte * center.0).max(0.0);
            let squares: f64 =
                tried.iter().map(|t| weighed(t) * (t.value - fixed - per_byte * t.bytes).powi(2)).sum();
            let variance = (squares + UNSEEN.powi(2)) / (tried.len() as f64 - 1.0).max(1.0);
            let off = (variance * s / determinant).sqrt();
            let seen = (per_byte / off).powi(2);
            let trust = ((seen - BELIEVED.0) / (BELIEVED.1 - BELIEVED.0)).clamp(0.0, 1.0);
            slope = Slope { center, per_byte, off, trust };
            line = (fixed, per_byte);
        }
        slope
    }
}

/// By how much longer than tasks of `mean` seconds each these take, which are dealt in order to whoever is free, so many in a message.
pub(super) fn uneven_s(seconds: &[f64], mean: f64, grain: u64, (slaves, masters): (usize, usize)) -> f64 {
    let grain = usize::try_from(grain).unwrap_or(usize::MAX).max(1);
    let groups = match Masters::new(slaves + masters, masters) {
        Ok(of) => of.groups(seconds.len() as u64),
        Err(_) => vec![(slaves as u64, seconds.len() as u64)],
    };
    let (mut from, mut uneven, mut even) = (0, 0.0f64, 0.0f64);
    for (slaves, tasks) in groups {
        let (slaves, to) = (slaves.max(1) as usize, from + tasks as usize);
        let messages = seconds[from..to].chunks(grain).map(|tasks| tasks.iter().sum());
        uneven = uneven.max(dealt_s(messages, slaves));
        even = even.max((to - from).div_ceil(grain).div_ceil(slaves) as f64 * mean * grain as f64);
        from = to;
    }
    uneven - even
}

/// When the last of so many slaves is ready, of which the one that is ready first has the next message.
fn dealt_s(messages: impl Iterator<Item = f64>, slaves: usize) -> f64 {
    // Seconds are not negative, so that they are ordered as their bits are.
    let mut ready: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let mut last = 0.0f64;
    for seconds in messages {
        let free = match ready.len() < slaves {
            true => 0.0,
            false => ready.pop().map_or(0.0, |Reverse(bits)| f64::from_bits(bits)),
        };
        last = last.max(free + seconds);
        ready.push(Reverse((free + seconds).to_bits()));
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [u64; 7] = [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

    fn tried(sizes: &[u64], value: impl Fn(f64) -> f64) -> Vec<Tried> {
        let of = |&size: &u64| Tried { bytes: size as f64, value: value(size as f64), weight: 1.0 };
        sizes.iter().map(of).collect()
    }

    /// What a task takes by itself and what its bytes do: two sizes tell all of it, whatever the ratio of both.
    #[test]
    fn costs_by_the_byte_are_told_by_two_sizes() {
        let all = Sizes::of(SIZES);
        for (fixed, per_byte) in [(1e-3, 0.5e-9), (1e-3, 3e-8), (0.3, 1e-7), (0.0, 1e-8)] {
            let cost = |bytes: f64| fixed + per_byte * bytes;
            let line = Line::of(&tried(&[100, 10_000_000], cost), (&all, 0.0)).expect("a line");
            for size in SIZES {
                let (found, expected) = (line.at(size as f64), cost(size as f64));
                assert!((found / expected - 1.0).abs() < 0.02, "{size}: {found} for {expected}");
            }
        }
    }

    /// Tasks that take as long whatever their bytes, with what chance does: the largest input is not taken for a task that is longer.
    #[test]
    fn what_does_not_depend_on_bytes_is_not_charged_by_them() {
        let all = Sizes::of(SIZES);
        for (small, large) in [(0.1, 0.1), (0.1, 0.105), (0.105, 0.1), (0.1, 0.115)] {
            let value = |bytes: f64| if bytes < 1e4 { small } else { large };
            let line = Line::of(&tried(&[100, 10_000_000], value), (&all, 0.0)).expect("a line");
            let largest = line.at(1e8);
            assert!((0.09..0.15).contains(&largest), "{small} and {large}: {line:?}");
        }
    }

    /// Programs that do nothing with their input, and start early or late.
    #[test]
    fn a_late_start_is_not_taken_for_bytes() {
        let all = Sizes::of(SIZES);
        for late in [0.0, 0.2e-3, 0.5e-3, 1e-3] {
            let value = |bytes: f64| if bytes < 1e4 { 1e-3 } else { 1e-3 + late };
            let line = Line::of(&tried(&[100, 10_000_000], value), (&all, 1e-3)).expect("a line");
            let largest = line.at(1e8);
            assert!((0.9e-3..3e-3).contains(&largest) || line.error > 0.5, "{late}: {line:?}");
        }
    }

    /// Empty inputs, which take some time or none, give something or nothing, and are some or most of all.
    #[test]
    fn empty_inputs_are_inputs() {
        for sizes in [vec![0, 1000], vec![0, 0, 0, 1000], vec![0, 1, 100_000], vec![0, 0]] {
            let all = Sizes::of(sizes.iter().copied().chain([50_000_000]));
            for (fixed, per_byte) in [(0.0, 1.0), (0.0, 1e-9), (1e-3, 1e-9), (1e-3, 0.0)] {
                let cost = |bytes: f64| fixed + per_byte * bytes;
                for start in [0.0, 1e-3] {
                    let Some(line) = Line::of(&tried(&sizes, cost), (&all, start)) else {
                        assert!(sizes.iter().all(|&size| cost(size as f64) == 0.0));
                        continue;
                    };
                    let figures = [line.fixed, line.per_byte, line.spread, line.error, line.at(0.0)];
                    assert!(
                        figures.iter().all(|f| *f >= 0.0 && f.is_finite()),
                        "{sizes:?} {start}: {line:?}"
                    );
                }
            }
        }
        let line =
            Line::of(&tried(&[0, 1000], |bytes| bytes), (&Sizes::of([0, 1000, 2000]), 0.0)).expect("a line");
        assert!((line.at(2000.0) / 2000.0 - 1.0).abs() < 0.01 && line.at(0.0) < 10.0, "{line:?}");
    }

    /// Of inputs that are far beyond those that were tried it is said that little is known; of others, that more is.
    #[test]
    fn what_nothing_tells_is_uncertain() {
        let of = |tried_sizes: &[u64], all: &[u64]| {
            Line::of(&tried(tried_sizes, |_| 1e-3), (&Sizes::of(all.iter().copied()), 0.5e-3))
                .expect("a line")
        };
        let far = of(&[51], &[51, 76_000_000]);
        assert!(far.error > 1.0 && (0.02..1.0).contains(&far.at(76e6)), "{far:?}");
        // The many that are known are most of the job.
        let mut many = vec![100; 1000];
        many.push(76_000_000);
        let known = of(&[100; 100], &many);
        assert!(
            (0.9e-3..1.1e-3).contains(&known.at(100.0))
                && known.at(many.iter().sum::<u64>() as f64 / 1001.0) < 1.5e-3,
            "{known:?}"
        );
        // Ten times as large as what takes much longer than a start takes some times as long.
        let value = Line::of(&tried(&[1_000_000], |_| 5e-3), (&Sizes::of([1_000_000, 10_000_000]), 1e-3));
        assert!((10e-3..50e-3).contains(&value.expect("a line").at(1e7)), "{value:?}");
        // Three times as large takes as long, or three times as long.
        let near = of(&[1_000_000], &[1_000_000, 3_000_000]);
        assert!((1.1e-3..2.5e-3).contains(&near.at(3e6)), "{near:?}");
        assert!(Line::of(&[], (&Sizes::of(SIZES), 0.0)).is_none());
        assert!(Line::of(&tried(&[100], |_| 0.0), (&Sizes::of(SIZES), 0.0)).is_none());
    }

    #[test]
    fn the_smallest_and_a_large_one_are_tried_but_none_that_is_most_of_the_job() {
        for sizes in
            [[51u64, 76_000_000, 9_500_000], [76_000_000, 9_500_000, 51], [9_500_000, 51, 76_000_000]]
        {
            let mut order = vec![0, 1];
            smallest_and_large_first(&mut order, &[0, 1, 2], |task| sizes[task as usize]);
            assert_eq!(order.iter().map(|&t| sizes[t as usize]).collect::<Vec<_>>(), [51, 9_500_000]);
        }
        // Alike ones are tried in the order that there was.
        let mut order = vec![4, 2, 0];
        smallest_and_large_first(&mut order, &[0, 1, 2, 3, 4, 5], |task| 1000 + 100 * task);
        assert_eq!(order, [4, 2, 0]);
        // Of many, each once.
        let all: Vec<u64> = (0..100).collect();
        let mut order: Vec<u64> = (0..100).step_by(4).collect();
        smallest_and_large_first(&mut order, &all, |task| if task == 8 { 1_000_000 } else { 10 + task });
        assert_eq!((order.len(), &order[..2], order.contains(&8)), (25, &[0, 99][..], false));
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), 25);
    }

    /// Only what is expected to take no longer than there is time for, which those tell that were tried before.
    #[test]
    fn a_larger_one_is_tried_where_it_is_not_too_long() {
        let sizes = [1000, 2000, 40_000, 10_000_000, 100_000_000];
        let of = |tried: &[(f64, f64)], budget_s| {
            larger(&[0, 1, 2, 3, 4], |task| sizes[task as usize], (tried, 1e-3, budget_s))
        };
        // Little longer than a start: 30 ns a byte at most.
        let small = [(1000.0, 1.2e-3), (2000.0, 1.1e-3)];
        assert_eq!((of(&small, 0.5), of(&small, 5.0), of(&small, 0.05)), (Some(3), Some(4), Some(2)));
        // What took no longer than a start has bytes that cost nothing.
        assert_eq!(of(&[(1000.0, 1e-3), (2000.0, 1e-3)], 0.5), Some(4));
        // One that works on its bytes shows what a larger one takes: 1 µs a byte, or 1 ns.
        assert_eq!(of(&[(1000.0, 2e-3), (40_000.0, 41e-3)], 5.0), None);
        assert_eq!(of(&[(1000.0, 2e-3), (40_000.0, 41e-3)], 11.0), Some(3));
        assert_eq!(of(&[(1000.0, 1e-3), (10_000_000.0, 11e-3)], 0.5), Some(4));
        // None is larger.
        assert_eq!((of(&[(100_000_000.0, 0.1)], 10.0), of(&[(70_000_000.0, 1e-3)], 10.0)), (None, None));
    }

    /// However well a line fits small inputs, for those that are far larger it is not known so well.
    #[test]
    fn a_line_of_small_inputs_is_less_sure_for_far_larger_ones() {
        let cost = |bytes: f64| 1e-4 + 1e-7 * bytes;
        let of = |largest: &[u64]| {
            let all = Sizes::of([1000, 10_000, 100_000].into_iter().chain(largest.iter().copied()));
            Line::of(&tried(&[1000, 2000, 10_000, 50_000, 100_000], cost), (&all, 0.0)).expect("a line")
        };
        let (near, far) = (of(&[500_000]), of(&[100_000_000]));
        assert!(near.error < 0.3 && far.error > 0.4, "{near:?} {far:?}");
        assert!((far.at(1e8) / cost(1e8) - 1.0).abs() < 0.1, "{far:?}");
    }

    #[test]
    fn the_largest_of_few_bounds_the_time_and_the_last_bounds_it_more() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        let uneven = |seconds: &[f64], grain, slaves| {
            uneven_s(seconds, seconds.iter().sum::<f64>() / seconds.len() as f64, grain, (slaves, 1))
        };
        // In the mean 2 each: two rounds, of which only the first tells.
        close(uneven(&[6.0, 1.0, 1.0, 0.0], 1, 2), 6.0 - 4.0);
        close(uneven(&[0.0, 1.0, 1.0, 6.0], 1, 2), 7.0 - 4.0);
        // Two in a message.
        close(uneven(&[6.0, 1.0, 1.0, 0.0], 2, 2), 7.0 - 4.0);
        close(uneven(&[1.0; 5], 1, 2), 0.0);
        // The last message has one.
        close(uneven(&[1.0; 5], 2, 2), 3.0 - 4.0);
        close(uneven(&[1.0; 5], 5, 2), 0.0);
        // Two groups, each of a master and a slave, with two tasks each.
        close(uneven_s(&[6.0, 1.0, 1.0, 0.0], 2.0, 1, (2, 2)), 7.0 - 4.0);
    }
}
