//! How large results are: of tasks of any size, and merged.

use super::ReductionProfile;

/// Levels of merging that are told apart at most, where tasks are smaller than those that were seen.
const LEVELS: usize = 64;

/// The factor on the bytes of `results` task results that are merged, where merging two of one level multiplies their sum by that level's
/// entry in `levels`, of which the last holds for all further ones: the product over the lg `results` levels of a balanced
/// tree, the last level in part where that is no power of two. Of less than one result, which a smaller input has, the
/// first level in part. 1 where there are no levels.
///
/// ```
/// use forerun_platform::grown;
///
/// assert_eq!(grown(&[0.8, 0.5], 4.0), 0.4);
/// assert_eq!(grown(&[0.8, 0.5], 8.0), 0.2);
/// assert_eq!(grown(&[0.5], 0.25), 4.0);
/// ```
pub fn grown(levels: &[f64], results: f64) -> f64 {
    let Some(&last) = levels.last() else { return 1.0 };
    if results <= 0.0 {
        return 1.0;
    }
    let log = results.log2();
    if log < 0.0 {
        // (Of parts of which nothing is left when they are merged, no more is known.)
        return if levels[0] > 0.0 { levels[0].powf(log) } else { 1.0 };
    }
    let whole = log.floor();
    let of = |l: usize| levels.get(l).copied().unwrap_or(last);
    let known = (whole as usize).min(levels.len());
    let complete: f64 = (0..known).map(of).product::<f64>() * last.powf(whole - known as f64);
    complete * of(whole as usize).powf(log - whole)
}

impl ReductionProfile {
    /// Bytes of the result of a task with an input of `bytes` bytes. Of one of n times [`ReductionProfile::grown_from`] they are
    /// those of n results that are merged, since a task on all of an input gives what merging those of its
    /// parts does.
    pub fn result_of(&self, bytes: f64) -> f64 {
        let (fixed, per_byte) = self.result_bytes;
        if self.grown_from <= 0.0 || bytes <= 0.0 {
            return fixed + per_byte * bytes;
        }
        let parts = bytes / self.grown_from;
        (fixed + per_byte * self.grown_from) * parts * grown(&self.growth, parts)
    }

    /// The same costs for tasks of about `bytes` bytes: what results have by the byte, and by what they grow where two of
    /// them are merged. [`ReductionProfile::grown_from`] is 0 in it.
    #[must_use]
    pub fn sized(&self, bytes: f64) -> ReductionProfile {
        let mut sized = self.clone();
        sized.grown_from = 0.0;
        if self.grown_from <= 0.0 || !(bytes > 0.0 && bytes.is_finite()) || self.growth.is_empty() {
            return sized;
        }
        let parts = bytes / self.grown_from;
        let level = |l: usize| {
            let (part, whole) = (parts * 2f64.powi(l as i32), parts * 2f64.powi(l as i32 + 1));
            match grown(&self.growth, part) {
                0.0 => 0.0,
                of_part => grown(&self.growth, whole) / of_part,
            }
        };
        // As many as there are until the last holds for all.
        let levels = (self.growth.len() as f64 - parts.log2()).ceil().clamp(1.0, LEVELS as f64);
        sized.growth = (0..levels as usize).map(level).collect();
        // Tasks that are somewhat larger or smaller are on the tangent.
        let exponent = (1.0 + sized.growth[0].log2()).clamp(0.0, 1.0);
        let result = self.result_of(bytes);
        sized.result_bytes = ((1.0 - exponent) * result, exponent * result / bytes);
        sized
    }
}

#[cfg(test)]
mod tests {
    use super::{ReductionProfile, grown};

    fn profile(growth: &[f64], grown_from: f64) -> ReductionProfile {
        ReductionProfile {
            result_bytes: (0.0, 0.5),
            growth: growth.to_vec(),
            grown_from,
            ..ReductionProfile::default()
        }
    }

    #[test]
    fn merging_multiplies_level_by_level() {
        assert_eq!(grown(&[], 7.0), 1.0);
        assert_eq!(grown(&[0.5], 1.0), 1.0);
        assert_eq!(grown(&[0.8, 0.5], 2.0), 0.8);
        assert!((grown(&[0.8, 0.5], 3.0) - 0.8 * 0.5f64.powf(3f64.log2() - 1.0)).abs() < 1e-12);
        assert_eq!(grown(&[0.0], 0.5), 1.0);
        assert_eq!(grown(&[0.5, 0.0], 8.0), 0.0);
    }

    /// Counts of words: whoever cuts an input into larger tasks has to merge less, and the result of all is the same.
    #[test]
    fn the_result_of_all_is_the_same_however_it_is_cut() {
        let all = 64e3;
        let whole = |profile: &ReductionProfile, tasks: f64| {
            let sized = profile.sized(all / tasks);
            let (fixed, per_byte) = sized.result_bytes;
            (fixed * tasks + per_byte * all) * grown(&sized.growth, tasks)
        };
        for growth in [vec![0.7], vec![0.6, 0.7, 0.9], vec![0.5], vec![0.9, 0.8, 1.0]] {
            let profile = profile(&growth, 1e3);
            let fine = whole(&profile, 64.0);
            for tasks in [1.0, 2.0, 5.0, 7.0, 16.0, 63.0, 64.0, 256.0] {
                let this = whole(&profile, tasks);
                assert!(
                    (this / fine - 1.0).abs() < 1e-9,
                    "{growth:?}: {this} of {tasks} tasks, {fine} of 64"
                );
            }
            // A task of all of it.
            assert!((profile.result_of(all) / fine - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn sizes_that_are_not_told_from_somewhere_stay() {
        let linear = profile(&[0.7, 0.8], 0.0);
        assert_eq!(linear.sized(5e6), linear);
        assert_eq!(linear.result_of(10.0), 5.0);
        let nothing = profile(&[], 1e3);
        assert_eq!(nothing.sized(5e6).result_bytes, (0.0, 0.5));
        let sized = profile(&[0.7, 0.8], 1e3).sized(4e3);
        assert_eq!((sized.grown_from, sized.growth.clone()), (0.0, vec![0.8]));
        assert_eq!(sized.sized(1e9), sized);
        // Somewhat larger ones are not larger by as much.
        let (fixed, per_byte) = sized.result_bytes;
        let (this, more) = (fixed + per_byte * 4e3, fixed + per_byte * 5e3);
        assert!((this - 0.5 * 4e3 * 0.56).abs() < 1e-9 && more / this < 1.18, "{this} {more}");
        // Results that do not grow at all.
        let same = profile(&[0.5], 1e3).sized(8e3);
        assert!((same.result_bytes.0 - 500.0).abs() < 1e-9 && same.result_bytes.1 == 0.0, "{same:?}");
    }
}
