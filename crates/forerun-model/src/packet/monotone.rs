//! Bounds on the makespan from below that only fall, or only rise, with the size p of packets.
//!
//! With V_i the volume that comes to stage i, w_i its seconds for an element of it, and t_i(p) those for
//! its first packet, of min(p, V_i):
//!
//! - *falling*: a stage is busy for `V_b/p · G_b + V_b w_b` at least.
//! - *rising*: the first packet passes all stages, `Σ t_i(p)`; stage b does all its work after the first
//!   packet has come to it, `Σ_{i<b} t_i(p) + G_b + V_b w_b`; and where the last stage takes a full packet
//!   before its last (p < V_n), that is not ready before stage b has done all but V_b/V_n · p of its work:
//!   `Σ_{i≠b} t_i(p) + w_b (V_b − V_b/V_n p)`, which rises if the other stages outweigh stage b.

use super::flow::Flow;

pub(super) struct Monotone<'a> {
    flows: &'a [Flow],
    /// Volume that comes to the last stage.
    end: f64,
    /// The stages b whose third bound rises.
    outweighed: Vec<usize>,
}

impl Monotone<'_> {
    pub(super) fn new(flows: &[Flow]) -> Monotone<'_> {
        let end = flows.last().map_or(0.0, |f| f.volume);
        // Where p < V_n, the first packets of these stages grow with p.
        let growing = |f: &Flow| if f.volume >= end { f.per_element } else { 0.0 };
        let all: f64 = flows.iter().map(growing).sum();
        let outweighed = |b: &usize| {
            let f = &flows[*b];
            all - growing(f) >= f.per_element * f.volume / end
        };
        Monotone { flows, end, outweighed: (0..flows.len()).filter(outweighed).collect() }
    }

    /// Never rises with `size`.
    pub(super) fn falling(&self, size: u64) -> f64 {
        let busy = |f: &Flow| f.volume / size as f64 * f.fixed + f.per_element * f.volume;
        self.flows.iter().map(busy).fold(0.0, f64::max)
    }

    /// Never falls with `size`.
    pub(super) fn rising(&self, size: u64) -> f64 {
        let size = size as f64;
        let (mut through, mut bound) = (0.0, 0.0f64);
        for f in self.flows {
            bound = bound.max(through + f.fixed + f.per_element * f.volume);
            through += f.seconds(size.min(f.volume));
        }
        if size < self.end {
            for f in self.outweighed.iter().map(|b| &self.flows[*b]) {
                let rest = f.per_element * (f.volume - f.volume / self.end * size);
                bound = bound.max(through - f.seconds(size.min(f.volume)) + rest);
            }
        }
        bound.max(through)
    }
}
