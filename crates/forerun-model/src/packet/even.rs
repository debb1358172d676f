//! The makespan where every stage takes as many packets: at fixed frequency, and at fixed size where
//! every stage gives out what it takes in.
//!
//! With k − 1 equal packets of which stage i takes t_i, and a last of which it takes u_i ≤ t_i,
//! f(j, i) = max(f(j−1, i), f(j, i−1)) + t(j, i) has for the equal packets the solution
//!
//! ```text
//! f(j, i) = Σ_{l≤i} t_l + (j − 1) · max_{l≤i} t_l
//! ```
//!
//! *Proof.* For j = 1 and for i = 1 it is the recursion itself. Else, with s = Σ_{l<i} t_l and
//! m = max_{l<i} t_l, the two terms of the recursion are `s + t_i + (j−2) max(m, t_i)` and `s + (j−1) m`.
//! If t_i ≤ m the second is the larger, as t_i − m ≤ 0, and gives `s + t_i + (j−1) m`. If t_i > m the
//! first is, as (j−1)(t_i − m) ≥ 0, and gives `s + t_i + (j−1) t_i`. ∎
//!
//! So f(k−1, i) is known for all stages at once, and one more step of the recursion adds the last packet:
//! the result is that of the recursion, to rounding, in time O(n) whatever k is.

use super::flow::Flow;

/// Seconds for packets of `size` elements. Cost: O(stages).
pub(super) fn makespan(flows: &[Flow], size: u64) -> f64 {
    let size = size as f64;
    let Some(first) = flows.first() else { return 0.0 };
    let (packets, last) = first.packets(size);
    let before = packets - 1;
    let (mut sum, mut longest, mut end) = (0.0, 0.0f64, 0.0f64);
    for flow in flows {
        if before > 0 {
            let full = flow.seconds(size);
            sum += full;
            longest = longest.max(full);
            end = end.max(sum + (before - 1) as f64 * longest);
        }
        end += flow.seconds(last);
    }
    end
}
