//! s: the size from which on a message goes in several segments, each of which takes a gap of its own.
//!
//! In LogGPS a message of k bytes that is cut into segments of s bytes takes a step more at each multiple of s. Messages of many
//! sizes are streamed, and
//!
//! ```text
//! t(k) = a + b k + c ⌊(k − 1) / s⌋
//! ```
//!
//! is fitted for every s that is looked at; the least sum of absolute errors finds it. That there is one at all is said only where
//! this beats what else makes a line uneven, a jump (S) and a bend (a cache that is full), by more than chance does, and where each of
//! the first two steps is there.

use super::{Estimate, median};
use crate::random::Random;

/// Messages without which nothing is said, and on either side of each of the first two steps.
const FEWEST: usize = 40;
const FEWEST_BETWEEN: usize = 4;
/// Steps that must be there, and the part of the mean one that each must have.
const STEPS: usize = 2;
const EACH: f64 = 0.3;
/// Factor from one size that is looked at to the next, in a first and a second look, and sizes of the second.
const FIRST: f64 = 1.04;
const SECOND: (f64, i32) = (1.004, 10);
/// The same for jumps and bends.
const OTHERS: f64 = 2.0;
/// Draws without segments, none of which may look as if it had some: what is found is found by chance in one of 40 networks.
const DRAWS: usize = 39;
/// Resamples that an interval is made of, and the part of them beyond each end.
const RESAMPLES: usize = 60;
const BEYOND: f64 = 0.025;
/// Points whose median time a point's error is measured by, on each side of it.
const NEIGHBOURS: usize = 4;
/// Times that a fit weighs the points anew.
const ROUNDS: usize = 8;

/// How messages are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// s, in bytes.
    pub bytes: Estimate,
    /// What each further segment takes, in seconds.
    pub step: Estimate,
    /// a and b.
    line: (f64, f64),
}

impl Segment {
    /// Seconds that a message of so many bytes takes of its sender's port.
    pub fn at(&self, bytes: f64) -> f64 {
        self.line.0 + self.line.1 * bytes + self.step.value * further(bytes, self.bytes.value)
    }
}

/// Segments of a message before its last.
pub fn further(bytes: f64, segment: f64) -> f64 {
    ((bytes - 1.0).max(0.0) / segment).floor()
}

/// How messages of these sizes and times are cut; `None` where no step is seen. Cost: some 10⁴ fits, each linear in the points.
pub fn segment(points: &[(f64, f64)]) -> Option<Segment> {
    if points.len() < FEWEST {
        return None;
    }
    let all = Points::new(points);
    let (sizes, others) = (all.sizes(FIRST, STEPS as f64), all.sizes(OTHERS, 1.0));
    let closely = |of: &Points| of.cut(&sizes).and_then(|first| of.cut(&near(first.terms[0].1)));
    let found = closely(&all)?;
    if found.of[0] <= 0.0 || !all.has_each_step(&found) {
        return None;
    }
    let whole = all.whole(&others)?;
    let better = whole.error - found.error;
    let mut random = Random::new(1);
    for _ in 0..DRAWS {
        let drawn = all.drawn(&whole, &mut random);
        if drawn.whole(&others)?.error - drawn.cut(&sizes)?.error >= better {
            return None;
        }
    }
    let again = (0..RESAMPLES).filter_map(|_| closely(&all.resampled(&mut random)));
    let (at, steps) = again.map(|fit| (fit.terms[0].1, fit.of[0])).unzip();
    let bytes = interval(found.terms[0].1, at, points.len());
    let step = interval(found.of[0], steps, points.len());
    (step.low > 0.0).then_some(Segment { bytes, step, line: (found.line[0], found.line[1]) })
}

/// Sizes from one to another, each so many times the one before.
fn sizes_between(least: f64, most: f64, factor: f64) -> Vec<f64> {
    std::iter::successors(Some(least), |at| Some(at * factor)).take_while(|at| *at <= most).collect()
}

/// Sizes close to one.
fn near(at: f64) -> Vec<f64> {
    (-SECOND.1..=SECOND.1).map(|n| at * SECOND.0.powi(n)).collect()
}

fn interval(value: f64, mut all: Vec<f64>, repetitions: usize) -> Estimate {
    all.sort_unstable_by(f64::total_cmp);
    let end = |part: f64| all.get((part * all.len() as f64) as usize).copied().unwrap_or(value);
    Estimate { value, low: end(BEYOND).min(value), high: end(1.0 - BEYOND).max(value), repetitions }
}

/// A term beside a line, of a size and where the line is uneven.
type Uneven = fn(f64, f64) -> f64;

fn jump(bytes: f64, at: f64) -> f64 {
    f64::from(u8::from(bytes > at))
}

fn bend(bytes: f64, at: f64) -> f64 {
    (bytes - at).max(0.0)
}

/// `of[0] + of[1] k` and further terms, `of[2 + i] uneven[i](k, at[i])`, and by how much it is off in all.
#[derive(Clone, Copy)]
struct Fit<const N: usize> {
    terms: [(Uneven, f64); N],
    line: [f64; 2],
    of: [f64; N],
    error: f64,
}

impl<const N: usize> Fit<N> {
    fn value(&self, bytes: f64) -> f64 {
        let uneven: f64 = self.terms.iter().zip(self.of).map(|((term, at), of)| of * term(bytes, *at)).sum();
        self.line[0] + self.line[1] * bytes + uneven
    }
}

/// Sizes in ascending order, times, and about how long such a message takes, which errors are a part of.
struct Points {
    of: Vec<(f64, f64, f64)>,
}

impl Points {
    fn new(points: &[(f64, f64)]) -> Points {
        let mut sorted = points.to_vec();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let about = |i: usize| {
            let near = i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(sorted.len());
            let times: Vec<f64> = sorted[near].iter().map(|p| p.1).collect();
            median(&times).unwrap_or(0.0).max(f64::MIN_POSITIVE)
        };
        Points { of: (0..sorted.len()).map(|i| (sorted[i].0, sorted[i].1, about(i))).collect() }
    }

    /// Sizes to look at: such that there are points before the first, and that as many times the largest is among them.
    fn sizes(&self, factor: f64, times: f64) -> Vec<f64> {
        let least = self.of.get(FEWEST_BETWEEN).map_or(0.0, |p| p.0).max(1.0);
        let most = self.of.iter().rev().nth(FEWEST_BETWEEN).map_or(0.0, |p| p.0) / times;
        sizes_between(least, most, factor)
    }

    /// The fit of segments of one of these sizes.
    fn cut(&self, sizes: &[f64]) -> Option<Fit<1>> {
        least(sizes.iter().filter_map(|at| self.fit([(further, *at)])))
    }

    /// The fit of a jump and a bend at two of these sizes or close to them.
    fn whole(&self, sizes: &[f64]) -> Option<Fit<2>> {
        let of = |jumps: &[f64], bends: &[f64]| {
            let with_jump = |at: f64| bends.iter().filter_map(move |b| self.fit([(jump, at), (bend, *b)]));
            least(jumps.iter().flat_map(|at| with_jump(*at)))
        };
        let mut found = of(sizes, sizes)?;
        for _ in 0..2 {
            let [(_, jump), (_, bend)] = found.terms;
            let closer = |at: f64| sizes_between(at / OTHERS, at * OTHERS, FIRST);
            found = of(&closer(jump), &[bend]).filter(|fit| fit.error < found.error).unwrap_or(found);
            let jump = found.terms[0].1;
            found = of(&[jump], &closer(bend)).filter(|fit| fit.error < found.error).unwrap_or(found);
        }
        Some(found)
    }

    fn fit<const N: usize>(&self, terms: [(Uneven, f64); N]) -> Option<Fit<N>> {
        let row = |(bytes, time, about): &(f64, f64, f64)| {
            let mut row = [0.0; COLUMNS + 1];
            (row[0], row[1], row[COLUMNS]) = (1.0, *bytes, *time);
            row[2..].iter_mut().zip(terms).for_each(|(x, (term, at))| *x = term(*bytes, at));
            row.map(|x| x / about)
        };
        let rows: Vec<Row> = self.of.iter().map(row).collect();
        let (of, error) = least_errors(&rows, 2 + N)?;
        Some(Fit { terms, line: [of[0], of[1]], of: std::array::from_fn(|i| of[2 + i]), error })
    }

    /// Whether each of the first steps of segments is there by itself.
    fn has_each_step(&self, found: &Fit<1>) -> bool {
        (1..=STEPS).all(|n| {
            let [low, at, high] = [n - 1, n, n + 1].map(|n| n as f64 * found.terms[0].1);
            // What points on either side are off the line, were there no step between them.
            let off = |from: f64, to: f64| -> Vec<f64> {
                let of = |p: &&(f64, f64, f64)| p.0 > from && p.0 <= to;
                self.of.iter().filter(of).map(|p| p.1 - found.line[0] - found.line[1] * p.0).collect()
            };
            let (below, above) = (off(low, at), off(at, high));
            if below.len() < FEWEST_BETWEEN || above.len() < FEWEST_BETWEEN {
                return false;
            }
            median(&above).zip(median(&below)).is_some_and(|(a, b)| a - b > EACH * found.of[0])
        })
    }

    /// Points as they could be were `fit` the truth: with errors of others.
    fn drawn<const N: usize>(&self, fit: &Fit<N>, random: &mut Random) -> Points {
        let errors: Vec<f64> = self.of.iter().map(|p| (p.1 - fit.value(p.0)) / p.2).collect();
        let mut time =
            |p: &(f64, f64, f64)| (p.0, (fit.value(p.0) + errors[random.below(errors.len())] * p.2).max(0.0));
        Points::new(&self.of.iter().map(&mut time).collect::<Vec<_>>())
    }

    fn resampled(&self, random: &mut Random) -> Points {
        let mut one = |_| {
            let (bytes, time, _) = self.of[random.below(self.of.len())];
            (bytes, time)
        };
        Points::new(&(0..self.of.len()).map(&mut one).collect::<Vec<_>>())
    }
}

/// The fit that is off by least.
fn least<const N: usize>(fits: impl Iterator<Item = Fit<N>>) -> Option<Fit<N>> {
    fits.min_by(|a, b| a.error.total_cmp(&b.error))
}

/// What a point's terms are, at most [`COLUMNS`], and its time.
type Row = [f64; COLUMNS + 1];
const COLUMNS: usize = 4;

/// The coefficients of the first `n` columns that come to the last with the least sum of absolute errors, and that sum: least
/// squares, weighed anew by the errors.
fn least_errors(rows: &[Row], n: usize) -> Option<([f64; COLUMNS], f64)> {
    let mut weights = vec![1.0; rows.len()];
    let mut best: Option<([f64; COLUMNS], f64)> = None;
    for _ in 0..ROUNDS {
        let Some(of) = least_squares(rows, &weights, n) else { break };
        let mut sum = 0.0;
        for (weight, row) in weights.iter_mut().zip(rows) {
            let value: f64 = row.iter().zip(of).map(|(x, of)| x * of).sum();
            let error = (row[COLUMNS] - value).abs();
            sum += error;
            *weight = 1.0 / error.max(1e-4);
        }
        if best.is_none_or(|(_, least)| sum < least) {
            best = Some((of, sum));
        }
    }
    best
}

/// The normal equations of the first `n` columns, by elimination; `None` where columns are alike.
fn least_squares(rows: &[Row], weights: &[f64], n: usize) -> Option<[f64; COLUMNS]> {
    let mut a = [[0.0; COLUMNS + 1]; COLUMNS];
    for (row, w) in rows.iter().zip(weights) {
        for i in 0..n {
            for j in (i..n).chain([COLUMNS]) {
                a[i][j] += w * row[i] * row[j];
            }
        }
    }
    // Columns of like size, so that what is nearly none is told from what is small.
    let scale: [f64; COLUMNS] = std::array::from_fn(|i| a[i][i].sqrt());
    if scale[..n].iter().any(|s| *s <= 0.0) {
        return None;
    }
    for i in 0..n {
        for j in 0..n {
            a[i][j] = if j < i { a[j][i] } else { a[i][j] / (scale[i] * scale[j]) };
        }
        a[i][COLUMNS] /= scale[i];
    }
    for i in 0..n {
        if a[i][i] < 1e-9 {
            return None;
        }
        let pivot = a[i];
        for below in &mut a[i + 1..n] {
            let factor = below[i] / pivot[i];
            below.iter_mut().zip(pivot).for_each(|(x, of)| *x -= factor * of);
        }
    }
    let mut of = [0.0; COLUMNS];
    for i in (0..n).rev() {
        let rest: f64 = (i + 1..n).map(|j| a[i][j] * of[j]).sum();
        of[i] = (a[i][COLUMNS] - rest) / a[i][i];
    }
    Some(std::array::from_fn(|i| if i < n { of[i] / scale[i] } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: f64 = 32_768.0;

    /// Times of messages of 1 kB to 512 kB: as `time` says, off by up to this part, and one in twelve by a multiple.
    fn points(seed: u64, off: f64, time: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let mut random = Random::new(seed);
        (0..160)
            .map(|k| {
                let bytes = random.size(1 << 10, 512 << 10) as f64;
                let late = if k % 12 == 7 { 1.0 + 2.0 * random.unit() } else { 1.0 };
                (bytes, time(bytes) * (1.0 + off * random.symmetric()) * late)
            })
            .collect()
    }

    fn cut(step: f64) -> impl Fn(f64) -> f64 {
        move |bytes| 2e-6 + 1e-10 * bytes + step * further(bytes, S)
    }

    #[test]
    fn steps_are_found_through_noise() {
        for (seed, off, step) in [(1, 0.01, 1e-6), (2, 0.05, 2e-6), (3, 0.1, 4e-6)] {
            let found = segment(&points(seed, off, cut(step))).expect("there are steps");
            let s = found.bytes;
            assert!((s.value / S - 1.0).abs() < 0.03, "{off}: {s:?}");
            assert!(s.low <= 1.01 * S && 0.99 * S <= s.high && s.half_width() < 0.2 * S, "{off}: {s:?}");
            assert!((found.step.value / step - 1.0).abs() < 0.3, "{off}: {:?}", found.step);
            assert!((found.at(5e4) / cut(step)(5e4) - 1.0).abs() < 0.1);
        }
    }

    #[test]
    fn what_is_uneven_otherwise_is_not_cut() {
        type Shape = fn(f64) -> f64;
        let shapes: [(&str, Shape); 5] = [
            ("straight", |k| 2e-6 + 1e-10 * k),
            ("a jump", |k| 2e-6 + 1e-10 * k + 5e-6 * jump(k, 4096.0)),
            ("a bend", |k| 2e-6 + 1e-10 * k + 2e-10 * bend(k, 131_072.0)),
            ("a jump and a bend", |k| 2e-6 + 1e-10 * (k + bend(k, 131_072.0)) + 5e-6 * jump(k, 65_536.0)),
            ("a curve", |k| 2e-6 + 1e-12 * k.powf(1.3)),
        ];
        for (name, shape) in shapes {
            for (seed, off) in [(1, 0.01), (2, 0.05), (3, 0.1), (4, 0.3)] {
                assert_eq!(segment(&points(seed, off, shape)), None, "{name}, {off}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_steps_that_drown_or_of_too_little() {
        assert_eq!(segment(&points(1, 0.5, cut(1e-8))), None);
        assert_eq!(segment(&points(1, 0.01, cut(2e-6))[..FEWEST - 1]), None);
        assert_eq!(segment(&[]), None);
        assert_eq!(segment(&vec![(1000.0, 1e-6); 100]), None);
        assert_eq!(segment(&vec![(0.0, 0.0); 100]), None);
    }
}
