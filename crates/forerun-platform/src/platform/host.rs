//! The hosts of a platform.

use serde::{Deserialize, Serialize};

use super::Throttle;
use crate::units::{Bytes, Seconds, Share};
use crate::{Measured, json};

/// A group of like hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What the group is called; unique in a platform.
    pub name: String,
    /// How many such hosts there are, at least 1.
    #[serde(deserialize_with = "json::count")]
    pub count: usize,
    /// Processors a host has, at least 1.
    #[serde(deserialize_with = "json::count")]
    pub cores: usize,
    /// Speed of one core relative to the host that profiles are measured on (1 is as fast).
    #[serde(deserialize_with = "json::positive")]
    pub speed: f64,
    /// Memory of one host, where it is known.
    #[serde(
        rename = "memory_bytes",
        with = "json::optional_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub memory: Option<Bytes>,
    /// Speed over time: from each instant on, the core's speed is multiplied by the factor.
    /// Instants ascend, factors are above 0; empty means 1 throughout.
    #[serde(with = "super::availability", default, skip_serializing_if = "Vec::is_empty")]
    pub availability: Vec<(Seconds, f64)>,
    /// Time that a core, alone, takes for the kernel of `forerun calibrate`, where it was measured:
    /// what relates the speeds of two hosts (see [`Host::relative_speed`]).
    #[serde(rename = "kernel_s", default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Measured<Seconds>>,
    /// Share of every core's time that other jobs take: what is left is the core's speed to a job
    /// (see [`Host::free_speed`]), and what messages' overheads have ([`Platform::busy_network`](crate::Platform::busy_network)).
    #[serde(default, skip_serializing_if = "is_idle")]
    pub background: Measured<Share>,
    /// How much cores of a host slow each other down.
    #[serde(default)]
    pub contention: Contention,
    /// Limit on the processor time of each host, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Throttle>,
}

/// How much longer work takes on a core for each other core of its host that is busy too: with k
/// of them, `1 + k · share` times as long as alone.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contention {
    /// Of work whose data fits a core's own cache: shared execution units, a lower clock.
    pub compute: Measured<Share>,
    /// Of work that streams through memory: shared bandwidth.
    pub memory: Measured<Share>,
}

impl Host {
    /// `count` hosts of `cores` cores each, of speed 1.
    pub fn new(name: impl Into<String>, count: usize, cores: usize) -> Self {
        Host {
            name: name.into(),
            count,
            cores,
            speed: 1.0,
            memory: None,
            availability: Vec::new(),
            kernel: None,
            background: Measured::default(),
            contention: Contention::default(),
            throttle: None,
        }
    }

    /// The speed of a core that other jobs and a throttle leave, with all cores busy:
    /// `speed · min(1 − background, share)` with [`Throttle::share`], to which it slows down evenly where
    /// jobs share its time fairly; 0 where others take it all. A throttle stops a job after its quota,
    /// however idle the core then is, so that the tighter of the two limits holds and not both.
    ///
    /// ```
    /// use forerun_platform::{Host, Seconds, Share, Throttle};
    /// let busy = Host { speed: 2.0, background: Share(0.25).into(), ..Host::new("node", 1, 1) };
    /// assert_eq!(busy.free_speed(), 1.5);
    /// let throttle = Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) };
    /// assert_eq!(Host { throttle: Some(throttle), ..busy }.free_speed(), 0.2);
    /// ```
    pub fn free_speed(&self) -> f64 {
        self.speed * self.free_share()
    }

    /// The part of a core's time that other jobs and a throttle leave, with all cores busy.
    pub fn free_share(&self) -> f64 {
        let left = (1.0 - self.background.value.0).max(0.0);
        self.throttle.map_or(left, |t| left.min(t.share(self.cores)))
    }

    /// Speed of a core of this host relative to one of `other`: the ratio of their kernels' times,
    /// with which a profile measured there is used here. `None` where one of them was not measured.
    ///
    /// ```
    /// use forerun_platform::{Host, Seconds};
    ///
    /// let of = |ms: f64| Host { kernel: Some(Seconds(ms / 1e3).into()), ..Host::new("node", 1, 2) };
    /// assert_eq!(of(2.0).relative_speed(&of(3.0)), Some(1.5));
    /// assert_eq!(Host::new("stated", 1, 2).relative_speed(&of(3.0)), None);
    /// ```
    pub fn relative_speed(&self, other: &Host) -> Option<f64> {
        let (mine, others) = (self.kernel?.value.0, other.kernel?.value.0);
        (mine > 0.0 && others > 0.0).then(|| others / mine)
    }
}

fn is_idle(background: &Measured<Share>) -> bool {
    *background == Measured::default()
}
