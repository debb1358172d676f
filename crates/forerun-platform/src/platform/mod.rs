//! A machine as predictions see it.

mod host;
mod load;
pub(crate) mod read;
mod throttle;
mod write;

use serde::{Deserialize, Serialize};

use crate::topology::Topology;
use crate::units::{Bytes, BytesPerSecond, Seconds, SecondsPerByte};
use crate::{Measured, json};

pub use host::{Contention, Host};
pub use throttle::Throttle;

/// A LogGPS overhead: processor time that one message costs its sender or its receiver,
/// `base + per_rank · P + per_byte · k`, where P is the number of ranks of the job and k the
/// message's bytes (section 3.2 of Mizutani, Ino and Hagihara).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// The part that every message costs.
    #[serde(rename = "base_s")]
    pub base: Measured<Seconds>,
    /// The part that grows with the number of ranks of the job.
    #[serde(rename = "per_rank_s")]
    pub per_rank: Measured<Seconds>,
    /// The part that grows with the message.
    #[serde(rename = "per_byte_s")]
    pub per_byte: Measured<SecondsPerByte>,
}

impl Overhead {
    /// An overhead that is the same for every message.
    pub fn constant(base: Seconds) -> Self {
        Overhead { base: base.into(), ..Overhead::default() }
    }

    /// What a message of `size` costs in a job of `ranks` ranks.
    pub fn of(&self, ranks: usize, size: Bytes) -> Seconds {
        self.base.value + self.per_rank.value * ranks as f64 + self.per_byte.value * size
    }
}

/// What it takes to start the ranks of a job on a host and to learn that all have ended, beyond the first of them, which is
/// there already: `base + per_rank · (P − 1)` for P ranks, nothing for one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartUp {
    /// The part that every job of more than one rank has.
    #[serde(rename = "base_s")]
    pub base: Measured<Seconds>,
    /// The part of each further rank.
    #[serde(rename = "per_rank_s")]
    pub per_rank: Measured<Seconds>,
}

impl StartUp {
    /// What it takes for `ranks` ranks.
    pub fn of(&self, ranks: usize) -> Seconds {
        match ranks.saturating_sub(1) {
            0 => Seconds(0.0),
            further => self.base.value + self.per_rank.value * further as f64,
        }
    }
}

/// How messages that come to a rank at once share the port by which they do, where a byte takes time of it
/// ([`Network::receive_gap_per_byte`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// One after the other, in the order in which they are received, as LogGP has it.
    #[default]
    Turns,
    /// Side by side, each sender's at the same pace, as the connections of TCP do: none is there much sooner than all.
    /// (Processor sharing; of one sender, messages come one after the other.)
    Fair,
}

impl Sharing {
    /// Both.
    pub const ALL: [Sharing; 2] = [Sharing::Turns, Sharing::Fair];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Sharing::Turns => "turns",
            Sharing::Fair => "fair",
        }
    }
}

/// The network in LogGPS (Ino, Fujimoto and Hagihara), extended by the overhead's term in P.
/// The default costs nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// L: time on the wire of an empty message.
    #[serde(rename = "latency_s")]
    pub latency: Measured<Seconds>,
    /// o for the sender.
    pub send_overhead: Overhead,
    /// o for the receiver.
    pub receive_overhead: Overhead,
    /// g: least time between two messages that a rank injects, beyond what their bytes take: the
    /// one after a message of k bytes follows `g + (k − 1) · G` after it (as in LogGP).
    #[serde(rename = "gap_s")]
    pub gap: Measured<Seconds>,
    /// What a message takes longer if its receiver sleeps because it has waited for long: the time
    /// to wake it. Beside `latency`, which is that of a receiver that looks out for the message.
    #[serde(rename = "wake_up_s", default)]
    pub wake_up: Measured<Seconds>,
    /// Starting the ranks of a job. `None`: as long as waking each takes, and whoever waits for the last.
    #[serde(rename = "start_up", default, skip_serializing_if = "Option::is_none")]
    pub start_up: Option<StartUp>,
    /// G: time a further byte of a message occupies the sender's port.
    #[serde(rename = "gap_per_byte_s")]
    pub gap_per_byte: Measured<SecondsPerByte>,
    /// What a further byte of a message occupies its receiver's port for: messages of several ranks to one
    /// arrive there one after the other (in LogGP the gaps are between receptions as well). 0, as where it is not stated:
    /// any number arrive side by side.
    #[serde(rename = "receive_gap_per_byte_s", default)]
    pub receive_gap_per_byte: Measured<SecondsPerByte>,
    /// How messages share that port which come at once.
    #[serde(default)]
    pub receive_sharing: Sharing,
    /// What a byte that comes in while its rank computes takes of the rank's processor, beside the overhead of receiving: the kernel
    /// and whoever looks for messages meanwhile. What comes while the rank waits takes nothing. 0, as where it is not stated: none.
    #[serde(rename = "interference_per_byte_s", default)]
    pub interference_per_byte: Measured<SecondsPerByte>,
    /// What a byte that leaves while its rank computes takes of the rank's processor, beside the overhead of sending. What leaves while
    /// the rank waits takes nothing. 0, as where it is not stated: none.
    #[serde(rename = "send_interference_per_byte_s", default)]
    pub send_interference_per_byte: Measured<SecondsPerByte>,
    /// S: a larger message waits for its receiver. `None`: no message does.
    #[serde(
        rename = "rendezvous_threshold_bytes",
        with = "json::optional_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub rendezvous_threshold: Option<Bytes>,
    /// s: size of the segments that a large message is cut into, where it is; each takes a gap of its sender's port. `segment` in
    /// files, at least 1 byte.
    #[serde(
        rename = "segment_bytes",
        with = "json::optional_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub segment: Option<Bytes>,
    /// The switches between the hosts, where they are stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
}

/// Sequential bandwidth of the storage that jobs read and write.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Reading a file that is not in memory.
    #[serde(rename = "read_bytes_per_s")]
    pub read: Measured<BytesPerSecond>,
    /// Writing a file, until it is on the device.
    #[serde(rename = "write_bytes_per_s")]
    pub write: Measured<BytesPerSecond>,
}

/// A machine: hosts, the network between them, storage.
///
/// As a file (see [`Platform::from_toml`]) it is TOML; as data for other programs it serialises to
/// numbers in seconds and bytes under names that say so, with the interval beside every figure
/// that has one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// What it is called.
    pub name: String,
    /// Where the figures come from, in a sentence.
    #[serde(default)]
    pub source: String,
    /// What the machine is, in a few words, where it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The clock that measured the figures, where they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// When the figures were measured: a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// Why the figures may be off, where those who measured them knew: sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Groups of like hosts, in the order in which ranks are placed on them.
    pub hosts: Vec<Host>,
    /// The network.
    pub network: Network,
    /// The storage, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
}

impl Platform {
    /// A platform of these hosts and this network, about which nothing else is said.
    pub fn new(name: impl Into<String>, hosts: Vec<Host>, network: Network) -> Self {
        Platform { name: name.into(), hosts, network, ..Platform::default() }
    }

    /// Number of cores of all hosts together.
    pub fn cores(&self) -> usize {
        self.hosts.iter().map(|h| h.count * h.cores).sum()
    }

    /// The platform with its speeds relative to the cores of `reference`, where a profile was
    /// measured: each speed is multiplied by [`Host::relative_speed`] to the first host there. Hosts
    /// that were not calibrated, and all if `reference` was not, keep the speed they state.
    pub fn relative_to(&self, reference: &Platform) -> Platform {
        let mut platform = self.clone();
        if let Some(there) = reference.hosts.first() {
            for host in &mut platform.hosts {
                host.speed *= host.relative_speed(there).unwrap_or(1.0);
            }
        }
        platform
    }

    /// The network as busy hosts see it: overheads are processor time, and take longer by as much as other jobs and throttles
    /// leave less of it, in the mean over the hosts. (They are measured while the processor waits for messages, when nothing
    /// keeps it from them.)
    ///
    /// ```
    /// use forerun_platform::{Host, Measured, Network, Overhead, Platform, Seconds, Share};
    ///
    /// let send_overhead = Overhead { base: Measured::stated(Seconds(1e-6)), ..Overhead::default() };
    /// let network = Network { send_overhead, ..Network::default() };
    /// let host = Host { background: Share(0.75).into(), ..Host::new("node", 2, 1) };
    /// let busy = Platform::new("busy", vec![host], network).busy_network();
    /// assert_eq!(busy.send_overhead.base.value, Seconds(4e-6));
    /// ```
    pub fn busy_network(&self) -> Network {
        let (mut hosts, mut longer) = (0.0, 0.0);
        for host in &self.hosts {
            let share = host.free_share();
            // Where nothing is left, nothing runs.
            longer += host.count as f64 / if share > 0.0 { share } else { 1.0 };
            hosts += host.count as f64;
        }
        let factor = if hosts > 0.0 { longer / hosts } else { 1.0 };
        let mut network = self.network.clone();
        for overhead in [&mut network.send_overhead, &mut network.receive_overhead] {
            overhead.base.value.0 *= factor;
            overhead.per_rank.value.0 *= factor;
            overhead.per_byte.value.0 *= factor;
        }
        network.interference_per_byte.value.0 *= factor;
        network.send_interference_per_byte.value.0 *= factor;
        network
    }

    /// The host group that each of `ranks` ranks runs on: hosts fill up core by core in the order
    /// of the file; when every core has a rank, the next round begins. Empty if there is no core.
    pub fn place(&self, ranks: usize) -> Vec<usize> {
        let mut placed = Vec::new();
        if self.cores() == 0 {
            return placed;
        }
        placed.reserve(ranks);
        while placed.len() < ranks {
            for (i, h) in self.hosts.iter().enumerate() {
                let cores = h.count.saturating_mul(h.cores).min(ranks - placed.len());
                placed.extend(std::iter::repeat_n(i, cores));
            }
        }
        placed
    }
}

/// Availability as a list of `{"at_s": …, "speed": …}`.
mod availability {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Seconds;

    #[derive(Serialize, Deserialize)]
    struct Change {
        #[serde(deserialize_with = "crate::json::not_negative")]
        at_s: f64,
        #[serde(deserialize_with = "crate::json::positive")]
        speed: f64,
    }

    pub(super) fn serialize<S: Serializer>(changes: &[(Seconds, f64)], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(changes.iter().map(|(at, speed)| Change { at_s: at.0, speed: *speed }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<(Seconds, f64)>, D::Error> {
        let changes = Vec::<Change>::deserialize(d)?;
        Ok(changes.into_iter().map(|c| (Seconds(c.at_s), c.speed)).collect())
    }
}

#[cfg(test)]
mod tests;
