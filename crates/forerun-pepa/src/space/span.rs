//! Parts of a packed state that are looked at together.

use super::layout::Field;

/// Fields that lie in a few bits of one word.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
    /// Which of the fields.
    pub(crate) fields: Vec<usize>,
}

impl Span {
    /// The bits of a state.
    pub(crate) fn value(&self, state: &[u64]) -> usize {
        ((state[self.word as usize] >> self.shift) & self.mask) as usize
    }

    /// What a field of these has where the bits are so.
    pub(crate) fn of(&self, field: Field, value: usize) -> usize {
        ((value as u64) >> (field.shift - self.shift) & field.mask) as usize
    }

    /// The bits of one field alone.
    pub(crate) fn one(field: Field, at: usize) -> Span {
        Span { word: field.word, shift: field.shift, mask: field.mask, fields: vec![at] }
    }

    /// Puts a field into it, if all of it stays within so many bits.
    pub(crate) fn take(&mut self, field: Field, at: usize, bits: u32) -> bool {
        let end = |shift: u32, mask: u64| shift + mask.count_ones();
        let shift = self.shift.min(field.shift);
        let width = end(self.shift, self.mask).max(end(field.shift, field.mask)) - shift;
        let fits = field.word == self.word && width <= bits;
        if fits {
            (self.shift, self.mask) = (shift, (1 << width) - 1);
            self.fields.push(at);
        }
        fits
    }
}

/// Puts fields together as long as they take at most so many bits; wider ones are alone.
pub(crate) fn spans(fields: &[Field], bits: u32) -> Vec<Span> {
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|at| (fields[*at].word, fields[*at].shift));
    let mut spans: Vec<Span> = Vec::new();
    for at in order {
        if !spans.last_mut().is_some_and(|last| last.take(fields[at], at, bits)) {
            spans.push(Span::one(fields[at], at));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::spans;
    use crate::space::layout::Field;

    #[test]
    fn every_field_is_in_one_span_and_has_its_value_there() {
        let field = |word, shift, bits: u32| Field { word, shift, mask: (1u64 << bits) - 1 };
        let fields = [
            field(1, 3, 4),
            field(0, 0, 5),
            field(0, 5, 6),
            field(0, 11, 20),
            field(1, 0, 3),
            field(0, 31, 0),
        ];
        let spans = spans(&fields, 11);
        assert!(spans.iter().all(|s| s.mask.count_ones() <= 11 || s.fields.len() == 1), "{spans:?}");
        let mut all: Vec<usize> = spans.iter().flat_map(|s| s.fields.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        let state = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];
        for span in &spans {
            for at in &span.fields {
                assert_eq!(span.of(fields[*at], span.value(&state)) as u64, fields[*at].get(&state));
            }
        }
    }
}
