//! The makespan at fixed size, where stages gather what they give out until a packet is full.
//!
//! Of the k_i packets that come to stage i all are of one size p but the last. The stage has given out
//! ⌊α_i m⌋ full packets when it has worked on m of them, and the rest with its last; so packet j of the
//! next stage is ready when packet `m(j) = min(⌈j / α_i⌉, k_i)` is done:
//!
//! ```text
//! f(j, i+1) = max(f(j−1, i+1), f(m(j), i)) + t(j, i+1)
//! ```
//!
//! The recursion is followed packet by packet: O(k_1 + … + k_n) steps. Bounds that cost less say for which
//! sizes that is needed: [`above`], and from below the paths of `path.rs`.

use super::flow::Flow;

/// Packets that are followed through all stages before the next are.
const BLOCK: u64 = 1024;

/// A stage while packets go through it.
struct Working {
    flow: Flow,
    /// Packets that come in, and that go out.
    packets: u64,
    next: u64,
    /// Seconds for a full packet and for the last.
    full: f64,
    last: f64,
    taken: u64,
    given: u64,
    end: f64,
}

impl Working {
    /// Works on packets that come at `ready`, and adds when each that goes out is ready to `out`.
    fn take(&mut self, ready: &[f64], out: &mut Vec<f64>) {
        out.clear();
        let mut end = self.end;
        for &at in ready {
            self.taken += 1;
            let gone = if self.taken == self.packets {
                end = end.max(at) + self.last;
                self.next
            } else {
                end = end.max(at) + self.full;
                self.flow.filled(self.taken).min(self.next - 1)
            };
            while self.given < gone {
                out.push(end);
                self.given += 1;
            }
        }
        self.end = end;
    }
}

/// Seconds for packets of `size` elements. Cost: O(k_1 + … + k_n), a few ns each.
pub(super) fn makespan(flows: &[Flow], size: u64) -> f64 {
    let size = size as f64;
    let mut stages: Vec<Working> = flows
        .iter()
        .enumerate()
        .map(|(i, flow)| {
            let (packets, last) = flow.packets(size);
            Working {
                flow: *flow,
                packets,
                next: flows.get(i + 1).map_or(1, |next| next.packets(size).0),
                full: flow.seconds(size),
                last: flow.seconds(last),
                taken: 0,
                given: 0,
                end: 0.0,
            }
        })
        .collect();
    let mut left = stages.first().map_or(0, |s| s.packets);
    let (mut ready, mut out) = (Vec::new(), Vec::new());
    while left > 0 {
        let block = left.min(BLOCK);
        left -= block;
        ready.clear();
        ready.resize(block as usize, 0.0);
        for stage in &mut stages {
            stage.take(&ready, &mut out);
            std::mem::swap(&mut ready, &mut out);
        }
    }
    stages.last().map_or(0.0, |s| s.end)
}

/// A bound on [`makespan`] from above. Cost: O(stages).
///
/// By induction `f(j, i) ≤ c_i + j τ_i` with τ_i = max(t_i, τ_{i−1} / α_{i−1}), since packet j waits for
/// no more than `j/α + 1` packets of the stage before.
pub(super) fn above(flows: &[Flow], size: u64) -> f64 {
    let size = size as f64;
    let (mut constant, mut each, mut above) = (0.0, 0.0f64, 0.0);
    // Volume given out for a unit by the stage before; nothing waits before the first.
    let mut ratio = f64::INFINITY;
    for (i, flow) in flows.iter().enumerate() {
        let (full, before) = (flow.seconds(size), each / ratio);
        constant += full.min(before) + if ratio == 1.0 || i == 0 { 0.0 } else { each };
        each = full.max(before);
        ratio = flow.ratio;
        above = constant + flow.packets(size).0 as f64 * each;
    }
    above
}
