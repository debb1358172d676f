//! What a topology adds to the messages of a job.

use std::fmt;

use super::{Level, Switching, Topology};
use crate::Platform;
use crate::units::{Seconds, SecondsPerByte, Share};

/// What a topology and its background traffic add to a message in LogGPS, the same for all pairs of
/// ranks: that of the longest path between two hosts of the job.
///
/// With c_i the time that a byte occupies the i-th link of the path, b_i its background and W_i(k)
/// the mean wait that the background causes ([`Service::waiting`](super::Service::waiting) of b_i
/// and of the background's message, which takes c_i k where it is like the job's own), a message of
/// k bytes
///
/// ```text
/// takes     (k − 1) G' + L + Σ latency_i + Σ W_i(k) + store(k)          from the sender's port
/// G'        max(G, c_1, …)                    cut-through; max(G, c_1) where switches store
/// store(k)  0                                 cut-through; Σ_{i > 1} c_i k
/// holds     the port for (k − 1) max(G', c_i / (1 − b_i)) + g
/// ```
///
/// since in the long run a sender gets no more of a link than others leave. Of a message that is
/// cut into segments, `k` is the segment's size in W and store. The job's own messages do not wait
/// for each other here beyond the sender's port; for that there is `Path` in `forerun-model`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Route {
    /// Σ latency_i and the waits that do not depend on the message: beside L.
    pub latency: Seconds,
    /// Waits and store-and-forward per byte of the message, or of a segment: beside G.
    pub per_byte: SecondsPerByte,
    /// G' is at least this.
    pub gap_per_byte: SecondsPerByte,
    /// What a byte holds the port for is at least this.
    pub port_per_byte: SecondsPerByte,
}

/// A level whose links are used up by other jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct SaturatedLevel {
    /// The level.
    pub level: String,
    /// Its background.
    pub background: Share,
}

impl fmt::Display for SaturatedLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SaturatedLevel { level, background } = self;
        write!(
            f,
            "the links of the {level} are saturated: other jobs take {background} of them and leave nothing; \
             state a background below 100 %"
        )
    }
}

impl std::error::Error for SaturatedLevel {}

impl Topology {
    /// What it adds to messages between `hosts` hosts.
    ///
    /// # Errors
    /// A level on the way is used up by its background.
    pub fn route(&self, hosts: usize) -> Result<Route, SaturatedLevel> {
        let mut route = Route::default();
        for (i, at) in self.path(hosts).into_iter().enumerate() {
            let level = &self.levels[at];
            let (c, b) = (level.gap_per_byte.value, level.background.value);
            let saturated = || SaturatedLevel { level: self.level_name(at), background: b };
            let (fixed, per_byte) = self.wait(level).ok_or_else(saturated)?;
            route.latency += level.latency.value + fixed;
            route.per_byte += per_byte;
            if i > 0 && self.switching == Switching::StoreAndForward {
                route.per_byte += c;
            } else {
                route.gap_per_byte = larger(route.gap_per_byte, c);
            }
            route.port_per_byte = larger(route.port_per_byte, c / (1.0 - b.0));
        }
        Ok(route)
    }

    /// The mean wait for a level's background: fixed, and per byte of the message that waits.
    fn wait(&self, level: &Level) -> Option<(Seconds, SecondsPerByte)> {
        let (c, b) = (level.gap_per_byte.value, level.background.value.0);
        match level.background_message {
            Some(size) => Some((self.service.waiting(&[(b, c * size)])?, SecondsPerByte(0.0))),
            None => {
                let a_byte = self.service.waiting(&[(b, Seconds(c.0))])?;
                Some((Seconds(0.0), SecondsPerByte(a_byte.0)))
            }
        }
    }
}

impl Platform {
    /// Hosts that `ranks` ranks are placed on (see [`Platform::place`]).
    pub fn hosts_of(&self, ranks: usize) -> usize {
        let mut left = ranks;
        let mut hosts = 0;
        for h in &self.hosts {
            let taken = left.min(h.count.saturating_mul(h.cores));
            hosts += taken.div_ceil(h.cores.max(1));
            left -= taken;
        }
        hosts
    }

    /// What the network's topology adds to the messages of a job of `ranks` ranks; nothing where
    /// there is no topology, or one host.
    ///
    /// ```
    /// use forerun_platform::{Platform, Seconds};
    ///
    /// // The switches of the paper's Myrinet pass messages on whole: two links after the first.
    /// let ncsa = Platform::resolve("ncsa-ia32-myrinet")?;
    /// let link = ncsa.network.gap_per_byte.value;
    /// assert_eq!(ncsa.route(968)?.per_byte, link * 2.0);
    /// // Sixteen ranks are on eight hosts of one leaf.
    /// assert_eq!(ncsa.route(16)?.per_byte, link * 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A level on the way is used up by its background.
    pub fn route(&self, ranks: usize) -> Result<Route, SaturatedLevel> {
        match &self.network.topology {
            Some(topology) => topology.route(self.hosts_of(ranks)),
            None => Ok(Route::default()),
        }
    }
}

fn larger(a: SecondsPerByte, b: SecondsPerByte) -> SecondsPerByte {
    if b > a { b } else { a }
}
