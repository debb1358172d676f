//! How many tasks a rank takes at a time: *factoring* (Hummel, Schonberg and Flynn, 1992). Chunks
//! come in batches of one a rank; a batch takes half of what is left, so chunks are large while
//! there is much to do and single tasks at the end.

use std::ops::Range;

/// The chunks of a group's share, in order.
#[derive(Debug, Clone)]
pub(super) struct Chunks {
    inputs: Option<u64>,
    ranks: u64,
    /// The batch looked at last: its first chunk, first task and chunk size.
    batch: (u64, u64, u64),
}

impl Chunks {
    /// Chunks of `inputs` tasks for `ranks` ranks; of one task where the number is not known.
    pub(super) fn new(inputs: Option<u64>, ranks: usize) -> Self {
        let mut chunks = Chunks { inputs, ranks: ranks as u64, batch: (0, 0, 1) };
        chunks.batch.2 = chunks.size_at(0);
        chunks
    }

    fn size_at(&self, start: u64) -> u64 {
        self.inputs.map_or(1, |n| (n.saturating_sub(start) / (2 * self.ranks)).max(1))
    }

    /// The tasks of chunk `number`, which is no smaller than the one asked for last. Past the end
    /// of a known input the range is empty.
    pub(super) fn get(&mut self, number: u64) -> Range<u64> {
        if self.inputs.is_some() {
            while number >= self.batch.0 + self.ranks && self.batch.2 > 1 {
                let start = self.batch.1 + self.ranks * self.batch.2;
                self.batch = (self.batch.0 + self.ranks, start, self.size_at(start));
            }
        }
        let (chunk, start, size) = self.batch;
        let from = start.saturating_add((number - chunk).saturating_mul(size));
        let end = from.saturating_add(size);
        self.inputs.map_or(from..end, |n| from.min(n)..end.min(n))
    }
}

#[cfg(test)]
mod tests {
    use super::Chunks;

    #[test]
    fn chunks_cover_the_input_once_whoever_takes_them() {
        for ranks in 1..=9 {
            for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, 1000] {
                let mut all = Vec::new();
                for taker in 0..3u64 {
                    let mut chunks = Chunks::new(Some(n), ranks);
                    for number in (taker..2 * n + 10).step_by(3) {
                        all.extend(chunks.get(number));
                    }
                }
                all.sort_unstable();
                assert_eq!(all, (0..n).collect::<Vec<_>>(), "{n} tasks, {ranks} ranks");
            }
        }
    }

    #[test]
    fn chunks_shrink_to_single_tasks() {
        let mut chunks = Chunks::new(Some(1000), 4);
        let sizes: Vec<u64> = (0..80).map(|i| chunks.get(i)).map(|r| r.end - r.start).collect();
        assert_eq!(sizes[..8], [125, 125, 125, 125, 62, 62, 62, 62]);
        assert!(sizes.windows(2).all(|w| w[0] >= w[1]));
        assert!(sizes.contains(&1));
    }
}
