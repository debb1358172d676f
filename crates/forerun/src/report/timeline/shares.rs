//! Ranks put together: the share of them in each stage over time.

use forerun_platform::{Outcome, Stage};

use super::super::mark::{Scale, n, stage_class};
use super::LEFT;
use super::slices::slice;

/// Slices of time.
const SLICES: usize = 160;
/// Height of the plot in pixels.
pub(super) const HEIGHT: f64 = 150.0;

/// The share of ranks in each stage over time, as stacked steps.
pub(super) fn chart(outcome: &Outcome, end: f64, x: &Scale) -> String {
    let mut cells = vec![[0.0; Stage::ALL.len()]; SLICES];
    for rank in &outcome.ranks {
        for (sum, one) in cells.iter_mut().flatten().zip(slice(&rank.timeline, end, SLICES).iter().flatten())
        {
            *sum += one;
        }
    }
    let width = end / SLICES as f64;
    let whole = width * outcome.ranks.len().max(1) as f64;
    let y = Scale::new((0.0, 1.0), (HEIGHT + 4.0, 4.0), false);
    let mut base = vec![0.0_f64; SLICES];
    let mut out = String::new();
    for (share, label) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
        let at = y.at(share);
        out += &format!(
            "<text class=\"end\" x=\"{}\" y=\"{}\">{label}</text>",
            n(LEFT - 8.0),
            n((at + 4.0).max(10.0))
        );
    }
    // Work at the bottom, waiting on top of it.
    let order = Stage::ALL.into_iter().filter(|s| *s != Stage::Wait).chain([Stage::Wait]);
    for stage in order {
        let which = Stage::ALL.iter().position(|s| *s == stage).unwrap_or(0);
        if cells.iter().all(|cell| cell[which] <= 0.0) {
            continue;
        }
        // Up along the tops from left to right, back along the bottoms.
        let (mut up, mut down) = (format!("M{} {}", n(x.at(0.0)), n(y.at(0.0))), Vec::new());
        for (at, (cell, base)) in cells.iter().zip(&mut base).enumerate() {
            let top = (*base + cell[which] / whole).min(1.0);
            up += &format!("V{}H{}", n(y.at(top)), n(x.at((at + 1) as f64 * width)));
            down.push(format!("V{}H{}", n(y.at(*base)), n(x.at(at as f64 * width))));
            *base = top;
        }
        down.reverse();
        out += &format!(
            "<path class=\"{}\" d=\"{up}{}z\"><title>{}</title></path>\n",
            stage_class(stage),
            down.concat(),
            stage.name()
        );
    }
    out
}
