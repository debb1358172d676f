//! A bound on the makespan at fixed size from below: the longest path over some of the packets.
//!
//! In `f(j, i+1) = max(f(j−1, i+1), f(m(j), i)) + t(j, i+1)` the makespan is the longest path from the first
//! packet at the first stage to the last at the last, along a stage or on to the next. Paths that go on to the
//! next stage only at some packets are no longer than the longest of all. Those at which the longest path
//! goes on are the first that a stage takes before the bottleneck, and the last after it: so the first two
//! and the last two of every stage are looked at, and those of the stages before that these are made of.

use super::flow::Flow;

/// Some packets of a stage, in order, and for each the seconds at which it is done at the earliest.
struct Looked {
    packets: u64,
    full: f64,
    last: f64,
    at: Vec<u64>,
    done: Vec<f64>,
}

/// Seconds that packets of `size` elements need at least. Cost: O(stages²).
pub(super) fn longest(flows: &[Flow], size: u64) -> f64 {
    let size = size as f64;
    let mut stages: Vec<Looked> = Vec::with_capacity(flows.len());
    // From the last stage to the first.
    for flow in flows.iter().rev() {
        let (packets, last) = flow.packets(size);
        let mut at = vec![1, 2.min(packets), (packets - 1).max(1), packets];
        if let Some(next) = stages.last() {
            at.extend(next.at.iter().map(|&j| source(flow, packets, j, next.packets)));
        }
        at.sort_unstable();
        at.dedup();
        let done = Vec::with_capacity(at.len());
        stages.push(Looked { packets, full: flow.seconds(size), last: flow.seconds(last), at, done });
    }
    stages.reverse();
    for i in 0..stages.len() {
        let (before, from) = stages.split_at_mut(i);
        let stage = &mut from[0];
        let mut sources = before.last().zip(flows[..i].last()).map(|(b, flow)| (b, flow, 0));
        let (mut at, mut end) = (0, 0.0f64);
        for &j in &stage.at {
            let ready = match &mut sources {
                None => 0.0,
                Some((b, flow, seen)) => {
                    let m = source(flow, b.packets, j, stage.packets);
                    while b.at[*seen] < m {
                        *seen += 1;
                    }
                    b.done[*seen]
                }
            };
            let own = if j == stage.packets { stage.last } else { stage.full };
            end = (end + (j - at - 1) as f64 * stage.full).max(ready) + own;
            at = j;
            stage.done.push(end);
        }
    }
    stages.last().and_then(|s| s.done.last().copied()).unwrap_or(0.0)
}

/// The packet of a stage with which packet `j` of the `next` packets of the stage after it is complete.
fn source(flow: &Flow, packets: u64, j: u64, next: u64) -> u64 {
    if j == next { packets } else { flow.needed(j).min(packets) }
}
