//! S: from which size on a message waits for its receiver.

/// Messages that wait without which nothing is said.
const FEWEST: usize = 4;
/// Part of the messages above S that must wait, and of those below that must not.
const MOST: f64 = 0.75;

/// The size above which messages wait for their receiver, of `(bytes, whether it waited)`: that which sets the fewest on the wrong side;
/// `None` where no size tells them apart.
pub fn threshold(waited: &[(u64, bool)]) -> Option<u64> {
    let mut all = waited.to_vec();
    all.sort_unstable();
    let waits = |of: &[(u64, bool)]| of.iter().filter(|(_, waited)| *waited).count();
    let wrong = |at: usize| waits(&all[..at]) + all[at..].len() - waits(&all[at..]);
    let at = (0..all.len()).min_by_key(|at| wrong(*at))?;
    let (below, above) = all.split_at(at);
    let enough = waits(above) >= FEWEST && waits(above) as f64 >= MOST * above.len() as f64;
    if !enough || (below.len() - waits(below)) as f64 <= MOST * below.len() as f64 - 1.0 {
        return None;
    }
    let (from, to) = (below.last().map_or(0, |b| b.0), above.first()?.0);
    // Between the two, as sizes are drawn by logarithm.
    Some(((from.max(1) as f64) * (to.max(1) as f64)).sqrt() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_that_tells_them_apart_is_found() {
        let of = |from: u64| -> Vec<(u64, bool)> { (1..60).map(|k| (k * 1000, k * 1000 > from)).collect() };
        let found = threshold(&of(32_000)).expect("a threshold");
        assert!((32_000..=33_000).contains(&found), "{found}");
        let mut some_wrong = of(32_000);
        some_wrong[3].1 = true;
        some_wrong[50].1 = false;
        assert!(threshold(&some_wrong).is_some_and(|s| (32_000..=33_000).contains(&s)));
    }

    #[test]
    fn where_none_waits_or_chance_does_there_is_none() {
        let none: Vec<(u64, bool)> = (1..60).map(|k| (k * 1000, false)).collect();
        assert_eq!(threshold(&none), None);
        assert_eq!(threshold(&[]), None);
        let chance: Vec<(u64, bool)> = (1..60).map(|k| (k * 1000, k % 3 == 0)).collect();
        assert_eq!(threshold(&chance), None);
    }
}
