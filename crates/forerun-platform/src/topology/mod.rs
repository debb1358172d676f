//! The switches that messages pass between hosts, and what other jobs' traffic does there.

mod read;
mod route;
mod service;
mod write;

use serde::{Deserialize, Serialize};

use crate::Measured;
use crate::units::{Bytes, Seconds, SecondsPerByte, Share};

pub use route::{Route, SaturatedLevel};
pub use service::Service;

pub(crate) use read::{background, topology};
pub(crate) use write::write;

#[cfg(test)]
mod tests;

/// How the switches of a network hang together.
///
/// Where it is stated, [`Network::latency`](crate::Network::latency) and
/// [`Network::gap_per_byte`](crate::Network::gap_per_byte) are those of a host's own interface, and
/// what the switches and the links behind them add is here. A switch that adds nothing, with links
/// as fast as the hosts and no background, changes no prediction.
///
/// In a platform file:
///
/// ```
/// # let text = r#"
/// # format = 1
/// # [[host]]
/// # name = "node"
/// # count = 128
/// [network]
/// latency = "7 us"
/// bandwidth = "1.28 Gbit/s"
///
/// [network.topology]
/// kind = "leaf-spine"                 # or "switch", "fat-tree"
/// switching = "store-and-forward"     # default "cut-through"
/// service = "exponential"             # or { scv = 0.5 }; default "deterministic"
///
/// [network.topology.leaf]             # [network.topology.switch], or [[network.topology.level]]
/// fan_in = 8                          # hosts on a leaf
/// latency = "0.5 us"                  # default 0 s
/// background = "30 %"                 # used by other jobs; default 0 %
/// background_message = "1500 B"       # default: messages like the job's own
///
/// [network.topology.spine]
/// fan_in = 16                         # links that come in from leaves
/// bandwidth = "2.56 Gbit/s"           # default: the network's
/// # "#;
/// # let platform = forerun_platform::Platform::from_toml(text, "doc.toml")?;
/// # let topology = platform.network.topology.as_ref().unwrap();
/// # assert_eq!(topology.levels.len(), 2);
/// # let again = forerun_platform::Platform::from_toml(&platform.to_toml(), "again")?;
/// # assert_eq!(again, platform);
/// # Ok::<(), forerun_platform::FileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// Its kind, which says what its levels are called.
    pub kind: TopologyKind,
    /// When a switch passes a message on.
    #[serde(default)]
    pub switching: Switching,
    /// How the times vary for which messages occupy a link.
    #[serde(default)]
    pub service: Service,
    /// The levels of switches, from the hosts upwards: 1 of a switch, 2 of leaf and spine, any
    /// number of a fat tree.
    pub levels: Vec<Level>,
}

/// Kinds of topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopologyKind {
    /// One switch.
    Switch,
    /// Leaves with the hosts, and spines that connect the leaves.
    LeafSpine,
    /// Any number of levels.
    FatTree,
}

impl TopologyKind {
    /// All kinds.
    pub const ALL: [TopologyKind; 3] = [TopologyKind::Switch, TopologyKind::LeafSpine, TopologyKind::FatTree];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            TopologyKind::Switch => "switch",
            TopologyKind::LeafSpine => "leaf-spine",
            TopologyKind::FatTree => "fat-tree",
        }
    }
}

/// When a switch passes a message on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// As soon as its head is there: the slowest link on the way sets the pace, once.
    #[default]
    CutThrough,
    /// When all of it is there: every link takes its time in turn.
    StoreAndForward,
}

impl Switching {
    /// Both.
    pub const ALL: [Switching; 2] = [Switching::CutThrough, Switching::StoreAndForward];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Switching::CutThrough => "cut-through",
            Switching::StoreAndForward => "store-and-forward",
        }
    }
}

/// The switches of one level, and the links behind them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Links that come in from below: hosts of a leaf, leaves of a spine.
    #[serde(deserialize_with = "crate::json::count")]
    pub fan_in: usize,
    /// How long a byte occupies a link behind the switch.
    #[serde(rename = "gap_per_byte_s")]
    pub gap_per_byte: Measured<SecondsPerByte>,
    /// Time through the switch and along the link, beside what the bytes take.
    #[serde(rename = "latency_s", default)]
    pub latency: Measured<Seconds>,
    /// Share of the link's time that other jobs' messages take.
    #[serde(default)]
    pub background: Measured<Share>,
    /// Mean size of those messages; `None` takes them to be like the job's own.
    #[serde(
        rename = "background_message_bytes",
        with = "crate::json::optional_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub background_message: Option<Bytes>,
}

impl Level {
    /// A level of this fan-in whose links take `gap_per_byte`, without latency or background.
    pub fn new(fan_in: usize, gap_per_byte: SecondsPerByte) -> Self {
        Level {
            fan_in,
            gap_per_byte: gap_per_byte.into(),
            latency: Measured::default(),
            background: Measured::default(),
            background_message: None,
        }
    }
}

impl Topology {
    /// A topology of these levels, cut-through and with messages of one size.
    pub fn new(kind: TopologyKind, levels: Vec<Level>) -> Self {
        Topology { kind, switching: Switching::default(), service: Service::default(), levels }
    }

    /// What a level is called.
    pub fn level_name(&self, level: usize) -> String {
        match (self.kind, level) {
            (TopologyKind::Switch, _) => "switch".into(),
            (TopologyKind::LeafSpine, 0) => "leaf".into(),
            (TopologyKind::LeafSpine, _) => "spine".into(),
            (TopologyKind::FatTree, level) => format!("level {} switch", level + 1),
        }
    }

    /// The levels that a message passes between the two of `hosts` hosts that are farthest apart, in
    /// order: up to the first level under one switch of which they all are, and down again. Hosts
    /// are cabled in the order of the file. None for a single host.
    pub fn path(&self, hosts: usize) -> Vec<usize> {
        if hosts <= 1 || self.levels.is_empty() {
            return Vec::new();
        }
        let mut below = 1usize;
        let reaches = |level: &Level| {
            below = below.saturating_mul(level.fan_in);
            below >= hosts
        };
        let top = self.levels.iter().position(reaches).unwrap_or(self.levels.len() - 1);
        (0..=top).chain((0..top).rev()).collect()
    }
}
