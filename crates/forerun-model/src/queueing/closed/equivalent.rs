//! Flow-equivalent servers: a part of a closed network as one server whose rate depends on how many
//! ranks are in it (Chandy, Herzog and Woo, *Parametric Analysis of Queuing Networks*, IBM J. Res.
//! Dev. 1975), exact where the network has product form.

use super::Servers;

/// Throughput of a part of the network with 1, 2, … n ranks in it, alone.
pub(super) type Rates = Vec<f64>;

/// The rates of `servers` servers that a rank needs for `demand` seconds.
pub(super) fn rates(demand: f64, servers: Servers, population: u64) -> Rates {
    let busy = |n: u64| match servers {
        Servers::Queue(c) => n.min(c),
        Servers::Delay => n,
    };
    (1..=population).map(|n| busy(n) as f64 / demand).collect()
}

/// Two parts in a loop with `n` ranks: the throughput, and the mean number in `a`.
///
/// The number k in `a` is a birth-and-death process, `p(k + 1) a(k + 1) = p(k) b(n − k)`. Rates do
/// not fall with the number of ranks, so p has one peak; terms are added outwards from it, relative
/// to it, until they no longer count. Nothing is subtracted.
fn balance(a: &[f64], b: &[f64], n: usize) -> (f64, f64) {
    let ratio = |k: usize| b[n - k - 1] / a[k];
    // The first k with p(k + 1) < p(k).
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = usize::midpoint(low, high);
        if ratio(middle) < 1.0 { high = middle } else { low = middle + 1 }
    }
    let peak = low;
    let rate = |k: usize| if k == 0 { 0.0 } else { a[k - 1] };
    let (mut sum, mut through, mut number) = (1.0, rate(peak), peak as f64);
    let mut add = |k: usize, p: f64| {
        sum += p;
        through += p * rate(k);
        number += p * k as f64;
        // Beyond this a geometric tail adds nothing to 53 bits.
        p > 1e-22
    };
    let mut p = 1.0;
    for k in peak..n {
        p *= ratio(k);
        if !add(k + 1, p) {
            break;
        }
    }
    p = 1.0;
    for k in (0..peak).rev() {
        p /= ratio(k);
        if !add(k, p) {
            break;
        }
    }
    (through / sum, number / sum)
}

/// The two parts as one, for populations up to theirs.
pub(super) fn together(a: &[f64], b: &[f64]) -> Rates {
    (1..=a.len()).map(|n| balance(a, b, n).0).collect()
}

/// The mean number in `a`, in a loop with `b`, of as many ranks as they have rates.
pub(super) fn number(a: &[f64], b: &[f64]) -> f64 {
    balance(a, b, a.len()).1
}
