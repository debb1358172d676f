//! How fast a chain's transitions are, in little memory where few rates are different.

use std::collections::HashMap;
use std::ops::Range;

/// Different rates that two bytes can tell apart.
pub(crate) const CODES: usize = 1 << 16;

/// Rates, one a transition. What goes over all of them takes as long as memory does.
#[derive(Debug, Clone)]
pub(crate) enum Rates {
    /// As they are.
    Plain(Vec<f64>),
    /// For each its place among the values, of which there are as many as there can be places, so that none need be checked.
    Coded(Vec<u16>, Box<[f64; CODES]>),
}

impl Rates {
    /// The same in two bytes each; none if there are too many different ones.
    pub(crate) fn coded(rates: &[f64]) -> Option<Rates> {
        let mut coder = Coder::default();
        // The rates met last.
        let mut recent = [(0u64, 0u16); 256];
        let mut codes = Vec::with_capacity(rates.len());
        for rate in rates {
            let bits = rate.to_bits();
            let line = &mut recent[(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize];
            // No rate has the bits of 0.
            if line.0 != bits {
                *line = (bits, coder.code(*rate)?);
            }
            codes.push(line.1);
        }
        Some(coder.rates(codes))
    }

    /// The one at a place.
    pub(crate) fn get(&self, at: usize) -> f64 {
        match self {
            Rates::Plain(all) => all[at],
            Rates::Coded(codes, values) => values[codes[at] as usize],
        }
    }

    /// The rates at some places, times what each of them is weighed with.
    #[inline]
    pub(crate) fn weighed(&self, range: Range<usize>, from: &[u32], x: &[f64]) -> f64 {
        match self {
            Rates::Plain(all) => plain(range, all, from, x),
            Rates::Coded(codes, values) => coded(range, codes, values, from, x),
        }
    }

    /// Sets each value in turn to the sum of those that its row leads to, times their rates, and times a factor.
    pub(crate) fn sweep(
        &self,
        order: impl Iterator<Item = usize>,
        rows: &[u32],
        from: &[u32],
        factors: &[f64],
        x: &mut [f64],
    ) {
        let range = |at: usize| rows[at] as usize..rows[at + 1] as usize;
        match self {
            Rates::Plain(all) => order.for_each(|at| x[at] = plain(range(at), all, from, x) * factors[at]),
            Rates::Coded(codes, values) => {
                order.for_each(|at| x[at] = coded(range(at), codes, values, from, x) * factors[at]);
            }
        }
    }
}

#[inline]
fn plain(range: Range<usize>, rates: &[f64], from: &[u32], x: &[f64]) -> f64 {
    from[range.clone()].iter().zip(&rates[range]).map(|(from, rate)| x[*from as usize] * rate).sum()
}

#[inline]
fn coded(range: Range<usize>, codes: &[u16], values: &[f64; CODES], from: &[u32], x: &[f64]) -> f64 {
    let entries = from[range.clone()].iter().zip(&codes[range]);
    entries.map(|(from, code)| x[*from as usize] * values[*code as usize]).sum()
}

/// Gives rates codes.
#[derive(Debug, Clone, Default)]
pub(super) struct Coder {
    values: Vec<f64>,
    known: HashMap<u64, u16>,
}

impl Coder {
    /// One that has codes already: each value's place. None if they are too many.
    pub(super) fn of(values: &[f64]) -> Option<Coder> {
        (values.len() <= CODES).then(|| Coder { values: values.to_vec(), known: HashMap::new() })
    }

    /// The code of a rate; none if there is none left.
    pub(super) fn code(&mut self, rate: f64) -> Option<u16> {
        let Coder { values, known } = self;
        if let Some(code) = known.get(&rate.to_bits()) {
            return Some(*code);
        }
        let code = u16::try_from(values.len()).ok()?;
        values.push(rate);
        known.insert(rate.to_bits(), code);
        Some(code)
    }

    /// The rate of a code.
    pub(super) fn rate(&self, code: u16) -> f64 {
        self.values[code as usize]
    }

    /// The rates with these codes.
    pub(super) fn rates(mut self, codes: Vec<u16>) -> Rates {
        self.values.resize(CODES, 0.0);
        match self.values.into_boxed_slice().try_into() {
            Ok(values) => Rates::Coded(codes, values),
            // There are as many as were asked for.
            Err(values) => Rates::Plain(codes.iter().map(|code| values[*code as usize]).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CODES, Rates};

    #[test]
    fn codes_stand_for_the_same_rates() {
        for different in [5, CODES, CODES + 1] {
            let rates: Vec<f64> = (0..2 * CODES).map(|n| 1.0 + (n % different) as f64).collect();
            let coded = Rates::coded(&rates);
            assert_eq!(coded.is_some(), different <= CODES);
            let plain = Rates::Plain(rates.clone());
            let Some(coded) = coded else { continue };
            assert!((0..rates.len()).all(|at| coded.get(at) == rates[at] && plain.get(at) == rates[at]));
            let (from, x) = ([2, 0, 1, 2], [0.5, 0.25, 2.0]);
            let sum = 2.0 * rates[0] + 0.5 * rates[1] + 0.25 * rates[2] + 2.0 * rates[3];
            assert!([&plain, &coded].iter().all(|r| (r.weighed(0..4, &from, &x) - sum).abs() <= 1e-12 * sum));
        }
    }
}
