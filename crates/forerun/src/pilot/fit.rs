//! Costs from timed calls.

use forerun_platform::Cost;
use forerun_platform::statistics::{median, normal_quantile, student_quantile};

use super::clock::Took;

/// One timed call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) bytes: f64,
    pub(crate) seconds: f64,
    /// Part of them that was waited for.
    pub(super) wait: f64,
    /// Workers that did the like at the same time.
    pub(super) neighbours: f64,
    /// The phase of the pilot that it was timed in.
    pub(super) phase: usize,
}

impl Point {
    /// A call alone.
    pub(crate) fn new(bytes: f64, seconds: f64) -> Self {
        Point { bytes, seconds, wait: 0.0, neighbours: 0.0, phase: 0 }
    }

    /// The same, timed beside others that made it so many times as long.
    pub(super) fn less(self, slower: f64) -> Self {
        Point { seconds: self.seconds / slower, wait: self.wait / slower, ..self }
    }
}

/// Residuals beyond so many robust deviations count less (Huber, 1964).
const HUBER: f64 = 1.5;
/// Rounds of reweighting; it settles in a few.
const ROUNDS: usize = 20;
/// What the machine does to one call it does to those beside it: as many as there are, they tell
/// no more than two that are independent.
const ALIKE_IN_TIME: f64 = std::f64::consts::SQRT_2;
/// What takes up to so many times as long as the fastest call of all is taken for starting processes.
const STARTED: f64 = 3.0;
/// Seconds that the fastest call of a program takes, of those that are slow to start, or to work.
pub(super) const SLOW: f64 = 5e-3;
/// Part of the fastest call that starting a process takes at least.
const LEAST_START: f64 = 0.5;
/// Bytes of a call from which on what it takes beyond what is fixed is rather by the byte than by the call.
pub(crate) const PAGE: f64 = 4096.0;
/// Calls of processes tell their start from their bytes where the largest is so many times as large as the smallest, and of less than a
/// page, so many.
const VARY: f64 = 2.5;
const VARY_MUCH: f64 = 16.0;
/// Relative deviation that is assumed of as many calls of processes as there are figures to be fitted, which show none.
const UNSEEN: f64 = 0.1;
/// Relative error of a cost whose spread cannot be told.
const UNTOLD: f64 = 0.25;
/// Degrees of freedom that a deviation is given at least: with one, Student's quantile is more than six times the
/// normal one, and an interval would say nothing.
const LEAST_FREE: f64 = 2.0;
/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// A median absolute deviation is this part of a normal deviation.
const MAD: f64 = 0.6745;
/// A call beyond so many robust deviations is taken to be as far off as that, and no further.
const TOP: f64 = 5.0;

/// Fits `fixed + per_byte · bytes` with neither below 0, so that the squares of *relative*
/// errors are least: a call of a microsecond counts as much as one of a second. Calls that are far
/// off the others (the machine was doing something else) count less for the ratio of the two. Then
/// both are scaled so that all calls together take what they took: calls that are late are later
/// than early ones are early, and what a run adds up is their mean, which lies above the middle.
pub(crate) fn fit(points: &[Point]) -> Cost {
    fit_from(points, 0.0)
}

/// The same of calls of which the fastest of any kind took `least` seconds: with processes to start, small calls take about as long
/// whatever their bytes, and up to three times `least` is taken for the start. Those of a program that is slow have the start that the line
/// through them shows, where sizes differ; else, calls of less than a page are all start.
pub(super) fn fit_from(points: &[Point], least: f64) -> Cost {
    let points: Vec<Point> = points.iter().copied().filter(|p| p.seconds > 0.0).collect();
    if points.is_empty() {
        return Cost::default();
    }
    // Relative to what was measured at first; relative to the line from then on, since the former
    // counts short calls for more and ends below the mean.
    let mut weights: Vec<f64> = points.iter().map(|p| p.seconds.powi(-2)).collect();
    let mut line = (0.0, 0.0);
    let mut scale = 0.0;
    for _ in 0..ROUNDS {
        line = straight(&points, &weights, least);
        let residuals: Vec<f64> = points.iter().map(|p| p.seconds / expected(line, p) - 1.0).collect();
        scale = median(&residuals.iter().map(|r| r.abs()).collect::<Vec<_>>()).unwrap_or(0.0) / MAD;
        for ((weight, r), p) in weights.iter_mut().zip(&residuals).zip(&points) {
            let trust = if scale > 0.0 && r.abs() > HUBER * scale { HUBER * scale / r.abs() } else { 1.0 };
            *weight = trust / expected(line, p).powi(2);
        }
    }
    let level = level(&points, line, scale);
    line = (line.0 * level, line.1 * level);
    // Two figures were fitted; from so few calls as that, no spread can be told.
    let free = points.len() as f64 - 2.0;
    let spread = if free > 0.0 { deviation(&points, line, scale) } else { 0.0 };
    let error = if free > 0.0 { spread / ALIKE_IN_TIME * widening(free) } else { UNTOLD };
    let cost = Cost { fixed: line.0, per_byte: line.1, spread, error, ..Cost::default() };
    // As much of any call is waited for as of all together: to tell it by size, there is too little of it.
    let add = |sum: Took, p: &Point| Took { seconds: sum.seconds + p.seconds, wait: sum.wait + p.wait };
    cost.waiting(points.iter().fold(Took::default(), add).share())
}

/// By what an interval of 95 % is wider than with the normal quantile, where the deviation itself was
/// estimated with so many degrees of freedom, two at least: Student's quantile over the normal one.
pub(crate) fn widening(free: f64) -> f64 {
    student_quantile(CONFIDENCE, free.max(LEAST_FREE) as usize) / normal_quantile(0.5 + CONFIDENCE / 2.0)
}

/// What all calls together took, of what the line says they take; those far off are cut.
fn level(points: &[Point], line: (f64, f64), scale: f64) -> f64 {
    let (mut took, mut said) = (0.0, 0.0);
    for p in points {
        let (expected, off) = (at(line, p), TOP * scale * at(line, p));
        took += p.seconds.clamp(expected - off, expected + off);
        said += expected;
    }
    if said > 0.0 { took / said } else { 1.0 }
}

/// Relative deviation of the calls from the line, those beyond three robust deviations taken at three.
fn deviation(points: &[Point], line: (f64, f64), scale: f64) -> f64 {
    let bound = if scale > 0.0 { 3.0 * scale } else { f64::INFINITY };
    let squares: f64 =
        points.iter().map(|p| (p.seconds / expected(line, p) - 1.0).clamp(-bound, bound).powi(2)).sum();
    (squares / (points.len() as f64 - 2.0)).sqrt()
}

fn at((fixed, per_byte): (f64, f64), p: &Point) -> f64 {
    fixed + per_byte * p.bytes
}

/// What the line says, but no less than a tenth of what was measured: an empty input, on a line
/// through the origin, is not infinitely far off.
fn expected(line: (f64, f64), p: &Point) -> f64 {
    at(line, p).max(0.1 * p.seconds)
}

/// The straight line of least weighted relative squares, with neither figure below 0.
///
/// A part that does not grow with the bytes is believed as far as it shows: the noise of calls of
/// about one size looks like one as often as not, and where it would be negative it cannot be, so that on
/// the whole larger calls would be taken to cost less than they do. The line is drawn towards that
/// through the origin by 1 / F, F what it explains more over what is left (James and Stein, 1961); where starting takes
/// `least`, towards one from there.
fn straight(points: &[Point], weights: &[f64], least: f64) -> (f64, f64) {
    let (mut s, mut sx, mut sxx, mut sy, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (p, &w) in points.iter().zip(weights) {
        s += w;
        sx += w * p.bytes;
        sxx += w * p.bytes * p.bytes;
        sy += w * p.seconds;
        sxy += w * p.bytes * p.seconds;
    }
    let flat = (sy / s, 0.0);
    if sxx <= 0.0 {
        return flat;
    }
    let slow = least > 0.0 && points.iter().all(|p| p.seconds >= SLOW);
    let (floor, by_bytes) =
        if slow { start(points, least, flat.0) } else { ((STARTED * least).min(flat.0), 1.0) };
    let from = |fixed: f64| (fixed, ((sxy - fixed * sx) / sxx).max(0.0));
    let (floor, per_byte) = from(floor);
    let proportional = (floor, by_bytes * per_byte);
    let determinant = s * sxx - sx * sx;
    if determinant <= 1e-9 * s * sxx {
        return proportional;
    }
    let line = ((sxx * sy - sx * sxy) / determinant, (s * sxy - sx * sy) / determinant);
    let started = slow && vary(points);
    if if slow { !started } else { line.0 <= least } {
        return proportional;
    }
    let fitted = match line {
        (_, slope) if slope <= 0.0 => flat,
        line if !slow => line,
        // The fastest call was one of some bytes, and yet mostly a start.
        (fixed, _) if fixed < LEAST_START * least => from(LEAST_START * least),
        line => line,
    };
    let miss = |line: (f64, f64)| -> f64 {
        points.iter().zip(weights).map(|(p, w)| w * (at(line, p) - p.seconds).powi(2)).sum()
    };
    let mut free = points.len() as f64 - 2.0;
    let (more, mut left) = (miss(proportional) - miss(fitted), miss(fitted));
    if started && free <= 0.0 {
        let assumed = |(p, w): (&Point, &f64)| w * (UNSEEN * p.seconds).powi(2);
        (free, left) = (1.0, points.iter().zip(weights).map(assumed).sum());
    }
    if free <= 0.0 || more * free <= left {
        return proportional;
    }
    let trust = 1.0 - left / (more * free);
    let mixed = |fitted: f64, other: f64| trust * fitted + (1.0 - trust) * other;
    (mixed(fitted.0, proportional.0), mixed(fitted.1, proportional.1))
}

/// What starting is taken to be of slow calls whose sizes do not tell, which take `flat` in the mean, and how far the rest is by the byte, 0 to 1.
fn start(points: &[Point], least: f64, flat: f64) -> (f64, f64) {
    let by_bytes = part_by_bytes(points.iter().map(|p| p.bytes).sum::<f64>() / points.len() as f64, PAGE);
    (by_bytes * (STARTED * least).min(flat) + (1.0 - by_bytes) * flat, by_bytes)
}

/// What so many seconds of a call of so many bytes are by the call and by the byte: rather by the byte from `page` bytes on.
pub(crate) fn by_the_byte(seconds: f64, bytes: f64, page: f64) -> (f64, f64) {
    let part = part_by_bytes(bytes, page);
    ((1.0 - part) * seconds, part * seconds / bytes.max(1.0))
}

fn part_by_bytes(bytes: f64, page: f64) -> f64 {
    1.0 / (1.0 + (page / bytes.max(1.0)).powi(2))
}

/// Whether calls are of such different sizes, and of more than a few bytes, that they tell a start from what grows.
fn vary(points: &[Point]) -> bool {
    let (least, most) = points
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, most), p| (least.min(p.bytes), most.max(p.bytes)));
    most >= PAGE && most >= VARY * least || most >= VARY_MUCH * least.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::{Point, fit, fit_from};

    fn points(of: &[(f64, f64)]) -> Vec<Point> {
        of.iter().map(|&(bytes, seconds)| Point::new(bytes, seconds)).collect()
    }

    /// Merges of a few bytes take what a process takes to start, and so do those of a thousand times as many.
    #[test]
    fn what_starting_takes_is_not_taken_for_bytes() {
        let small: Vec<_> =
            (0..12).map(|i| (f64::from(5 + i % 2), 1.5e-3 + 2e-4 * f64::from(i / 2 % 3))).collect();
        let cost = fit_from(&points(&small), 1e-3);
        assert!((1.5e-3..3e-3).contains(&cost.seconds(1e4, 1.0)), "{cost:?}");
        assert!(fit(&points(&small)).seconds(1e4, 1.0) > 0.1, "in a process there is nothing to start");
        // What takes much longer than that does so by its bytes.
        let large: Vec<_> = [0.9, 1.1, 1.0].iter().map(|f| (1e6 * f, 0.1 * f)).collect();
        let cost = fit_from(&points(&large), 1e-3);
        assert!((cost.seconds(1e7, 1.0) - 0.97).abs() < 0.05, "{cost:?}");
        // And with sizes that differ the line is what it is.
        let line: Vec<_> = [1e3, 1e4, 1e5, 1e6].iter().map(|&b| (b, 4e-3 + 3e-9 * b)).collect();
        let cost = fit_from(&points(&line), 1e-3);
        assert!((cost.fixed - 4e-3).abs() < 1e-9 && (cost.per_byte - 3e-9).abs() < 1e-15, "{cost:?}");
    }

    /// However long a slow program takes to start, and if no call is as fast as that alone.
    #[test]
    fn starting_is_told_from_bytes_by_sizes_that_differ() {
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.05;
        for (start, per_byte) in [(0.3, 1e-9), (0.05, 2e-7), (6e-3, 2e-7), (6e-3, 2e-9)] {
            let at = |b: f64| start + per_byte * b;
            let line: Vec<_> = [4e3, 4e3, 16e3, 64e3, 256e3].iter().map(|&b| (b, at(b))).collect();
            let cost = fit_from(&points(&line), at(4e3));
            assert!(close(cost.seconds(4e6, 1.0), at(4e6)), "{start}, {per_byte}: {cost:?}");
            assert!(close(cost.seconds(8e3, 1.0), at(8e3)), "{start}, {per_byte}: {cost:?}");
        }
        // Two calls: by their times, it is the start or the bytes.
        let cost = fit_from(&points(&[(4e3, 0.3), (16e3, 0.31)]), 2e-3);
        assert!(cost.seconds(64e3, 1.0) < 0.45, "{cost:?}");
        let cost = fit_from(&points(&[(4e3, 0.3), (16e3, 1.2)]), 2e-3);
        assert!((4.3..5.3).contains(&cost.seconds(64e3, 1.0)), "{cost:?}");
        // Few bytes take no longer for being merged by a program that is slow to start.
        let cost = fit_from(&points(&[(5.0, 0.050), (6.0, 0.051), (5.0, 0.049)]), 2e-3);
        assert!(cost.seconds(1e3, 1.0) < 0.06, "{cost:?}");
    }

    #[test]
    fn recovers_a_line() {
        let line: Vec<_> = [1e3, 1e4, 1e5, 1e6].iter().map(|&b| (b, 2e-3 + 3e-9 * b)).collect();
        let cost = fit(&points(&line));
        assert!((cost.fixed - 2e-3).abs() < 1e-9 && (cost.per_byte - 3e-9).abs() < 1e-15, "{cost:?}");
        assert!(cost.spread < 1e-6);
    }

    #[test]
    fn is_little_moved_by_calls_that_were_disturbed() {
        let mut calls: Vec<_> =
            (1..=20).map(|i| (f64::from(i) * 1e5, 1e-3 + 2e-9 * f64::from(i) * 1e5 * 1.01)).collect();
        let clean = fit(&points(&calls));
        calls[4].1 *= 30.0;
        calls[17].1 *= 10.0;
        let disturbed = fit(&points(&calls));
        let ratio = disturbed.seconds(1e6, 1.0) / clean.seconds(1e6, 1.0);
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}: {disturbed:?}");
    }

    #[test]
    fn keeps_the_mean_of_calls_that_vary_by_nature() {
        let calls: Vec<_> = (0..40).map(|i| (1e6, 1e-3 * if i % 2 == 0 { 0.8 } else { 1.2 })).collect();
        let cost = fit(&points(&calls));
        assert!((cost.seconds(1e6, 1.0) / 1e-3 - 1.0).abs() < 0.05, "{cost:?}");
        assert!((cost.spread - 0.2).abs() < 0.05, "{cost:?}");
    }

    /// Times of a log-normal distribution, at its quantiles.
    #[test]
    fn keeps_the_mean_of_calls_that_are_late_more_than_early() {
        let normal = [-1.6, -1.1, -0.8, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.8, 1.1, 1.6f64];
        let calls: Vec<_> = normal.iter().map(|z| (1e6, 1e-3 * (0.6 * z).exp())).collect();
        let mean = calls.iter().map(|c| c.1).sum::<f64>() / calls.len() as f64;
        let cost = fit(&points(&calls));
        assert!((cost.seconds(1e6, 1.0) / mean - 1.0).abs() < 0.01, "{cost:?}, mean {mean}");
    }

    #[test]
    fn a_part_of_the_time_is_waited_for() {
        let line = [1e5, 1e6, 4e6]
            .map(|b| Point { wait: 0.25 * (1e-3 + 2e-9 * b), ..Point::new(b, 1e-3 + 2e-9 * b) });
        let cost = fit(&line);
        assert!((cost.seconds(1e6, 1.0) / 3e-3 - 1.0).abs() < 1e-6, "{cost:?}");
        assert!(
            (cost.on(0.1).seconds(1e6, 1.0) / (0.75 * 3e-2 + 0.25 * 3e-3) - 1.0).abs() < 1e-6,
            "{cost:?}"
        );
    }

    #[test]
    fn noise_of_alike_calls_is_no_fixed_cost() {
        // The sizes differ by less than the times do: ten times the size costs about ten times as much.
        let calls = [(0.95e6, 1.0e-3), (1e6, 1.1e-3), (1e6, 0.9e-3), (1.05e6, 1.02e-3)];
        let ten = fit(&points(&calls)).seconds(1e7, 1.0);
        assert!((ten / 1e-2 - 1.0).abs() < 0.05, "{ten}");
        // Where sizes differ enough, it shows.
        let calls: Vec<_> = [1e5, 2e5, 4e5, 8e5, 1.6e6].iter().map(|&b| (b, 1e-2 + 1e-9 * b)).collect();
        assert!((fit(&points(&calls)).fixed / 1e-2 - 1.0).abs() < 1e-3);
    }

    /// Processes that take 3 ms and 2 ns a byte, calls deviating by a tenth: as small inputs as there are tell the
    /// fixed cost, without a bias, whatever is drawn.
    #[test]
    fn the_fixed_cost_of_a_process_is_found() {
        let sizes = [4e3, 2e4, 1e4, 8e4, 3e5, 1.2e6, 1.1e6, 1.3e6, 1.2e6, 1.25e6];
        let (rounds, mut fixed, mut job) = (200, 0.0, 0.0);
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..rounds {
            // Sums of twelve uniform numbers are nearly normal.
            let mut deviation = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            let calls: Vec<_> =
                sizes.iter().map(|b| (*b, (3e-3 + 2e-9 * b) * (1.0 + 0.1 * deviation()))).collect();
            let cost = fit(&points(&calls));
            fixed += cost.fixed / 3e-3 / f64::from(rounds);
            job += cost.seconds(6e5, 1.0) / (3e-3 + 2e-9 * 6e5) / f64::from(rounds);
        }
        assert!((fixed - 1.0).abs() < 0.02 && (job - 1.0).abs() < 0.02, "{fixed} {job}");
    }

    #[test]
    fn few_calls_tell_less() {
        // Student's quantiles for 97.5 %: 3.182, 2.228, 2.042 with 3, 10 and 30 degrees of freedom.
        for (free, t) in [(3.0, 3.182), (10.0, 2.228), (30.0, 2.042)] {
            assert!((1.96 * super::widening(free) / t - 1.0).abs() < 0.03, "{free}");
        }
    }

    /// Three merges, of which one took half as long again.
    #[test]
    fn an_interval_of_few_calls_says_something() {
        let cost = fit(&points(&[(1e6, 1e-3), (1.1e6, 1.1e-3), (0.9e6, 1.35e-3)]));
        assert!(cost.spread > 0.1 && cost.error < 2.0 * cost.spread, "{cost:?}");
    }

    #[test]
    fn never_gives_a_negative_cost() {
        let falling = fit(&points(&[(1e3, 2.0), (1e6, 1.0), (1e6, 1.1)]));
        // Three calls show most of a fixed cost.
        assert!(falling.fixed > 0.75 * falling.seconds(1e6, 1.0) && falling.per_byte >= 0.0, "{falling:?}");
        let convex = fit(&points(&[(1e3, 1e-6), (1e6, 2e-3), (2e6, 8e-3)]));
        assert!(convex.fixed >= 0.0 && convex.per_byte > 0.0, "{convex:?}");
        // Of calls of one size nothing can be told; what they cost is taken to be their bytes'.
        let one_size = fit(&points(&[(1e6, 1e-3), (1e6, 1.2e-3)]));
        assert_eq!(one_size.fixed, 0.0);
        assert!(one_size.seconds(1e6, 1.0) > 0.9e-3, "{one_size:?}");
        assert_eq!(fit(&[]).seconds(1e6, 1.0), 0.0);
    }
}
