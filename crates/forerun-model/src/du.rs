//! The published equations of Du and Agrawal, *Packet Size Optimization for Supporting Coarse-Grained
//! Pipelined Parallelism*, as printed.
//!
//! A pipeline of n stages (computing stages and links alike) takes B bytes of input as k packets of
//! p = ⌈B/k⌉ bytes. Stage i takes `G_i + g_i · size` seconds for a packet and gives out α_i times what it
//! takes in. Stages are numbered from 1, as there; k is a real number here, and [`packets`] rounds it.
//!
//! The equations take it for granted which stage is the bottleneck, whatever k is, and that all
//! packets are equal; what needs neither is in [`crate::packet`].

use crate::packet::StageCost;

/// The three parts of equation 1, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// T_f: until the first packet is at the bottleneck.
    pub first: f64,
    /// T_b: all packets at the bottleneck.
    pub bottleneck: f64,
    /// T_l: from the bottleneck to the end for the last packet.
    pub last: f64,
}

impl Parts {
    /// Equation 1: `T = T_f + T_b + T_l`.
    pub fn total(&self) -> f64 {
        self.first + self.bottleneck + self.last
    }
}

/// `Π α_j` over the stages before stage `i`.
fn ratio_before(stages: &[StageCost], i: usize) -> f64 {
    stages[..i - 1].iter().map(|s| s.ratio).product()
}

/// Number of the stage for which `time` is largest; of equals, the first.
fn largest(stages: &[StageCost], time: impl Fn(usize, &StageCost) -> f64) -> usize {
    let mut best = (1, f64::NEG_INFINITY);
    for (i, stage) in (1..).zip(stages) {
        let time = time(i, stage);
        if time > best.1 {
            best = (i, time);
        }
    }
    best.0
}

/// The bottleneck b at fixed frequency (section 4.1): the stage with the largest
/// `(Π_{j<i} α_j) B/k g_i + G_i`. Of equals, the first; 1 if there is no stage.
pub fn bottleneck_at_fixed_frequency(stages: &[StageCost], bytes: f64, k: f64) -> usize {
    largest(stages, |i, s| ratio_before(stages, i) * bytes / k * s.per_byte + s.fixed)
}

/// Equation 12, the bottleneck b at fixed size: the stage with the largest
/// `(Π_{j<i} α_j) (B/k g_i + G_i)`. Of equals, the first; 1 if there is no stage.
pub fn bottleneck_at_fixed_size(stages: &[StageCost], bytes: f64, k: f64) -> usize {
    largest(stages, |i, s| ratio_before(stages, i) * (bytes / k * s.per_byte + s.fixed))
}

/// Equations 2 to 5 (b = 1) and 8 to 10 (b > 1): the time at fixed frequency with the bottleneck at
/// stage `b`.
///
/// # Panics
/// If there is no stage `b`.
pub fn fixed_frequency(stages: &[StageCost], b: usize, bytes: f64, k: f64) -> Parts {
    let passes = |i: usize| {
        let s = &stages[i - 1];
        ratio_before(stages, i) * bytes / k * s.per_byte + s.fixed
    };
    let at = &stages[b - 1];
    Parts {
        first: (1..b).map(passes).sum(),
        bottleneck: ratio_before(stages, b) * bytes * at.per_byte + k * at.fixed,
        last: (b + 1..=stages.len()).map(passes).sum(),
    }
}

/// Equations 13 to 15 (b > 1) and 18 to 20 (b = 1): the time at fixed size with the bottleneck at
/// stage `b`. A stage before it takes `⌈1/α_i⌉` packets for the first that it gives out.
///
/// # Panics
/// If there is no stage `b`.
pub fn fixed_size(stages: &[StageCost], b: usize, bytes: f64, k: f64) -> Parts {
    let passes = |i: usize| bytes / k * stages[i - 1].per_byte + stages[i - 1].fixed;
    Parts {
        first: (1..b).map(|i| (1.0 / stages[i - 1].ratio).ceil() * passes(i)).sum(),
        bottleneck: ratio_before(stages, b) * k * passes(b),
        last: (b + 1..=stages.len()).map(passes).sum(),
    }
}

/// Equation 7, best k at fixed frequency with the bottleneck at stage 1:
/// `√(B Σ_{i≥2} (Π_{j<i} α_j) g_i / G_1)`. Infinite where a packet costs nothing there.
///
/// # Panics
/// If there is no stage.
pub fn best_k_at_fixed_frequency_first(stages: &[StageCost], bytes: f64) -> f64 {
    (bytes * passing(stages, 1) / stages[0].fixed).sqrt()
}

/// Whether equation 11 counts g_1 a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStage {
    /// As printed: `g_1 + Σ_{i≠b}`, where the sum has g_1 in it already.
    Twice,
    /// As the number of section 5.3.2 is worked out, and as equations 8 to 10 give it.
    Once,
}

/// Equation 11, best k at fixed frequency with the bottleneck at stage `b` > 1:
/// `√(B (g_1 + Σ_{i≠b} (Π_{j<i} α_j) g_i) / G_b)`. Infinite where a packet costs nothing there.
///
/// # Panics
/// If there is no stage `b`.
pub fn best_k_at_fixed_frequency_later(stages: &[StageCost], b: usize, bytes: f64, first: FirstStage) -> f64 {
    let again = match first {
        FirstStage::Twice => stages[0].per_byte,
        FirstStage::Once => 0.0,
    };
    (bytes * (again + passing(stages, b)) / stages[b - 1].fixed).sqrt()
}

/// `Σ_{i≠b} (Π_{j<i} α_j) g_i`.
fn passing(stages: &[StageCost], b: usize) -> f64 {
    (1..).zip(stages).filter(|(i, _)| *i != b).map(|(i, s)| ratio_before(stages, i) * s.per_byte).sum()
}

/// Equation 17, best k at fixed size with the bottleneck at stage `b` > 1:
/// `√(B (Σ_{i<b} g_i/α_i + Σ_{i>b} g_i) / ((Π_{i<b} α_i) G_b))`. Infinite where a packet costs nothing
/// there.
///
/// # Panics
/// If there is no stage `b`.
pub fn best_k_at_fixed_size_later(stages: &[StageCost], b: usize, bytes: f64) -> f64 {
    let before: f64 = stages[..b - 1].iter().map(|s| s.per_byte / s.ratio).sum();
    let after: f64 = stages[b..].iter().map(|s| s.per_byte).sum();
    (bytes * (before + after) / (ratio_before(stages, b) * stages[b - 1].fixed)).sqrt()
}

/// Equation 21, best k at fixed size with the bottleneck at stage 1: `√(B Σ_{i≥2} g_i / G_1)`.
/// Infinite where a packet costs nothing there.
///
/// # Panics
/// If there is no stage.
pub fn best_k_at_fixed_size_first(stages: &[StageCost], bytes: f64) -> f64 {
    let after: f64 = stages[1..].iter().map(|s| s.per_byte).sum();
    (bytes * after / stages[0].fixed).sqrt()
}

/// The whole number of packets for a best k: the nearest, at least 1. The equations print brackets of
/// both kinds, ⌊ ⌋ and ⌈ ⌉; the numbers of section 5 are the nearest.
pub fn packets(k: f64) -> u64 {
    (k.round() as u64).max(1)
}

/// `p = ⌈B/k⌉`, the bytes of a packet (section 4). Of the numbers of section 5, 13,025 and 8,549 are
/// this; 9,154, 10,997, 13,546 and 15,317 are the nearest to `B/k`.
pub fn packet_size(bytes: u64, k: u64) -> u64 {
    bytes.div_ceil(k)
}
