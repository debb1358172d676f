//! How many components are in which local states, over weighed states.

use super::Space;
use super::layout::{Field, Part};
use super::span::{Span, spans};

/// Bits that fields which are looked at together may take.
const BITS: u32 = 10;

/// Sums of weights by the values of fields: those of a few that lie side by side are summed at once.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    all: Vec<Sums>,
}

#[derive(Debug, Clone)]
struct Sums {
    span: Span,
    /// The weight of each of the span's values; or only the sum of the values by their weights, of a number of copies that
    /// may be large.
    sums: Vec<f64>,
}

impl Counts {
    /// Nothing counted yet.
    pub(crate) fn of(space: &Space) -> Counts {
        let fields = fields(space);
        let only: Vec<Field> = fields.iter().map(|(_, field)| *field).collect();
        let of = |span: Span| {
            let (part, _) = fields[span.fields[0]];
            let values = match (span.mask.count_ones() > BITS, part.is_array) {
                // Two at least, where components have but one local state: one would be a sum of values.
                (false, _) => (span.mask as usize + 1).max(2),
                (true, true) => 1,
                (true, false) => part.locals.len(),
            };
            Sums { span, sums: vec![0.0; values] }
        };
        Counts { all: spans(&only, BITS).into_iter().map(of).collect() }
    }

    /// Adds a packed state. Cost: one addition for each ten bits or so.
    pub(crate) fn add(&mut self, state: &[u64], weight: f64) {
        for Sums { span, sums } in &mut self.all {
            let value = span.value(state);
            match &mut sums[..] {
                [sum] => *sum += weight * value as f64,
                sums => sums[value] += weight,
            }
        }
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn merge(&mut self, other: &Counts) {
        for (own, other) in self.all.iter_mut().zip(&other.all) {
            own.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        }
    }

    /// For each component of the space, in their order, how many of its copies are in each of its local states.
    pub(crate) fn each(&self, space: &Space) -> Vec<Vec<f64>> {
        let fields = fields(space);
        let mut means: Vec<Vec<f64>> = fields.iter().map(|_| Vec::new()).collect();
        for Sums { span, sums } in &self.all {
            for number in &span.fields {
                let (part, field) = fields[*number];
                let met = sums.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
                let met = met.map(|(value, weight)| (span.of(field, value), *weight));
                means[*number] = match (part.is_array, sums.len()) {
                    (true, 1) => sums.clone(),
                    (true, _) => vec![met.map(|(copies, weight)| copies as f64 * weight).sum()],
                    (false, _) => {
                        let mut by_local = vec![0.0; part.locals.len()];
                        met.for_each(|(local, weight)| by_local[local] += weight);
                        by_local
                    }
                };
            }
        }
        let mut means = means.into_iter();
        let of_part = |part: &Part| means.by_ref().take(part.fields.len()).flatten().collect();
        space.layout.parts.iter().map(of_part).collect()
    }
}

/// All fields in their order, each with its component.
fn fields(space: &Space) -> Vec<(&Part, Field)> {
    space.layout.parts.iter().flat_map(|part| part.fields.iter().map(move |field| (part, *field))).collect()
}
