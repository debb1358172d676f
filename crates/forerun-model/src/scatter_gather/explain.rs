//! What bounds a time, in a sentence.

use super::{Bandwidths, Blocks, Bound};
use crate::words::{bytes, seconds};

/// The sentence, with the figures of the longer phase.
pub(super) fn reason(
    blocks: &Blocks,
    b: &Bandwidths,
    (dealing, gathering): (Bound, Bound),
    (deal_s, gather_s): (f64, f64),
) -> String {
    let at = |bound: Bound| match bound {
        Bound::Read => b.read,
        Bound::Distribution => b.distribution,
        Bound::Processing => b.processing,
        Bound::Gathering => b.gathering,
        Bound::Resolution => b.resolution,
        Bound::Write => b.write,
        Bound::First | Bound::Local => blocks.bytes as f64 / if bound == dealing { deal_s } else { gather_s },
    };
    let phase = |what: &str, bound: Bound, s: f64| {
        let rate = at(bound);
        let rate = if rate.is_finite() { format!(", {}/s", bytes(rate)) } else { String::new() };
        format!("{what} {} ({bound}{rate})", seconds(s))
    };
    format!(
        "{}, {}",
        phase("reading and processing take", dealing, deal_s),
        phase("gathering and writing", gathering, gather_s)
    )
}
