//! The name that somebody who mistyped one may have meant.

/// The candidate closest to `typed`, if one is close: at most a third of its characters differ
/// (insertion, deletion, replacement or swap of neighbours). Failing that, one of which `typed` is
/// a part, or which is a part of `typed`.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let allowed = (length / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let apart = distance(&typed, &lower);
        let part = length.min(lower.len()) >= 3 && (lower.contains(&typed) || typed.contains(&lower));
        let rank = if part { apart.min(allowed + 1) } else { apart };
        if rank <= allowed + usize::from(part) && best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance in which swapping two neighbours counts once (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, d) in [
            ("", "", 0),
            ("abc", "", 3),
            ("latency", "latnecy", 1),
            ("gap", "gab", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), d, "{a} {b}");
            assert_eq!(distance(b, a), d, "{b} {a}");
        }
    }

    #[test]
    fn the_closest_name_is_suggested_and_a_far_one_is_not() {
        let keys = ["latency", "gap", "gap_per_byte", "bandwidth"];
        assert_eq!(nearest("latancy", keys), Some("latency"));
        assert_eq!(nearest("gap_per_bit", keys), Some("gap_per_byte"));
        assert_eq!(nearest("Bandwith", keys), Some("bandwidth"));
        assert_eq!(nearest("bytes", keys), None);
        assert_eq!(nearest("byte", keys), Some("gap_per_byte"));
        assert_eq!(nearest("colour", keys), None);
    }
}
