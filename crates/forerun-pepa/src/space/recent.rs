//! The states that a thread met last, near at hand.

use super::fresh::Fresh;

/// The memory that it takes, in bytes, about: it should stay in a core's own cache.
const BYTES: usize = 1 << 19;
const NOTHING: u32 = u32::MAX;

/// States with their numbers. A state of a search by breadth is mostly met again soon: in it, the memory of the table is
/// not waited for.
#[derive(Debug, Default)]
pub(crate) struct Recent<const W: usize> {
    lines: Vec<Line<W>>,
}

#[derive(Debug, Clone)]
struct Line<const W: usize> {
    state: [u64; W],
    number: u32,
}

impl<const W: usize> Recent<W> {
    /// Begins to remember.
    pub(crate) fn open(&mut self) {
        if self.lines.is_empty() {
            let count = (BYTES / size_of::<Line<W>>()).next_power_of_two();
            self.lines = vec![Line { state: [0; W], number: NOTHING }; count];
        }
    }

    fn line(&self, hash: u64) -> usize {
        (hash >> 32) as usize & self.lines.len().wrapping_sub(1)
    }

    /// The number of a state, if it is remembered.
    pub(crate) fn get(&self, hash: u64, state: &[u64; W]) -> Option<u32> {
        let line = self.lines.get(self.line(hash))?;
        (line.number != NOTHING && line.state == *state).then_some(line.number)
    }

    /// Remembers a state instead of another.
    pub(crate) fn set(&mut self, hash: u64, state: &[u64; W], number: u32) {
        let at = self.line(hash);
        if let Some(line) = self.lines.get_mut(at) {
            *line = Line { state: *state, number };
        }
    }

    /// Turns places beyond `known` states into the numbers that have become of them.
    pub(crate) fn renumber(&mut self, fresh: &Fresh<W>, known: u32) {
        for line in self.lines.iter_mut().filter(|l| l.number != NOTHING && l.number >= known) {
            line.number = fresh.number(line.number - known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn only_the_same_state_is_found() {
        let mut recent = Recent::<2>::default();
        recent.set(7, &[1, 2], 3);
        assert_eq!(recent.get(7, &[1, 2]), None, "not open yet");
        recent.open();
        assert_eq!(recent.get(7, &[0, 0]), None, "nothing was remembered");
        recent.set(7, &[1, 2], 3);
        assert_eq!(recent.get(7, &[1, 2]), Some(3));
        assert_eq!(recent.get(7, &[1, 3]), None);
        recent.set(7, &[1, 3], 4);
        assert_eq!(recent.get(7, &[1, 2]), None, "another took its line");
    }
}
