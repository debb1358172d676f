//! The best documents for a query.

use std::cmp::Ordering;

/// A document and its cosine to the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The cosine.
    pub score: f32,
    /// The place of the document in its collection.
    pub document: u32,
}

/// A cosine as text with so many decimal places. Nought has no sign.
pub fn written(cosine: f32, places: usize) -> String {
    let text = format!("{cosine:.places$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|b| matches!(b, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

impl Hit {
    /// Better ones come first: a larger cosine, or of equal ones the earlier document. A total order.
    pub fn order(&self, other: &Hit) -> Ordering {
        other.score.total_cmp(&self.score).then(self.document.cmp(&other.document))
    }
}

/// The best documents found so far for one query, best first, each once.
///
/// With a fixed `most`, [`Best::merge`] is associative, commutative and idempotent, and an empty list changes nothing: so shards may
/// be merged in any order, and one that is merged twice does no harm.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Best(Vec<Hit>);

impl Best {
    /// The best `most` of these hits, each once. Cost: sorting them.
    pub fn of(mut hits: Vec<Hit>, most: usize) -> Self {
        hits.sort_unstable_by(Hit::order);
        hits.dedup();
        hits.truncate(most);
        Best(hits)
    }

    /// The hits, best first.
    pub fn hits(&self) -> &[Hit] {
        &self.0
    }

    /// The hits, best first.
    pub fn into_hits(self) -> Vec<Hit> {
        self.0
    }

    /// Takes another list's hits in, and keeps the best `most`. Cost: one pass over both.
    pub fn merge(&mut self, other: Best, most: usize) {
        if self.0.is_empty() || other.0.is_empty() {
            if self.0.is_empty() {
                *self = other;
            }
            self.0.truncate(most);
            return;
        }
        let mut merged = Vec::with_capacity((self.0.len() + other.0.len()).min(most));
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while merged.len() < most {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => match a.order(b) {
                    Ordering::Less => left.next(),
                    Ordering::Greater => right.next(),
                    Ordering::Equal => {
                        right.next();
                        left.next()
                    }
                },
                (Some(_), None) => left.next(),
                (None, _) => right.next(),
            };
            match next {
                Some(hit) => merged.push(*hit),
                None => break,
            }
        }
        self.0 = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn nought_has_no_sign() {
        let of = |cosine| written(cosine, 4);
        assert_eq!(
            [of(-0.0), of(-0.00001), of(0.00001), of(-1.0)],
            ["0.0000", "0.0000", "0.0000", "-1.0000"]
        );
        assert_eq!([of(-0.0001), of(0.5)], ["-0.0001", "0.5000"]);
    }
}
