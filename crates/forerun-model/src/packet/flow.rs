//! A stage as packets of a given number of elements meet it.

use super::{Communication, StageCost};

/// What goes through a stage, with every size in elements of the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flow {
    /// G: seconds a packet.
    pub(super) fixed: f64,
    /// Seconds for every element of the packet as it was cut.
    pub(super) per_element: f64,
    /// Volume that comes in, in elements as they were cut: at fixed frequency all of them.
    pub(super) volume: f64,
    /// Volume given out for a unit taken in, on the same scale: at fixed frequency 1.
    pub(super) ratio: f64,
}

/// What is lost in a product of ratios, as a part of it.
const LOST: f64 = 64.0 * f64::EPSILON;

impl Flow {
    /// The flows of a pipeline's stages.
    pub(super) fn of(
        stages: &[StageCost],
        communication: Communication,
        elements: u64,
        element_bytes: f64,
    ) -> Vec<Flow> {
        let mut scale = 1.0;
        let flow = |s: &StageCost| {
            let before = scale;
            scale *= s.ratio;
            let per_element = s.per_byte * element_bytes;
            let all = elements as f64;
            match communication {
                // A packet shrinks and grows: what differs is the cost of what once was an element.
                Communication::FixedFrequency => {
                    Flow { fixed: s.fixed, per_element: per_element * before, volume: all, ratio: 1.0 }
                }
                Communication::FixedSize => {
                    Flow { fixed: s.fixed, per_element, volume: all * before, ratio: s.ratio }
                }
            }
        };
        stages.iter().map(flow).collect()
    }

    /// Seconds for a packet of `size`.
    #[inline]
    pub(super) fn seconds(&self, size: f64) -> f64 {
        self.fixed + self.per_element * size
    }

    /// How many packets come in, of which all but the last are of `size`, and the size of the last.
    #[inline]
    pub(super) fn packets(&self, size: f64) -> (u64, f64) {
        let full = (self.volume / size * (1.0 - LOST)) as u64;
        (full + 1, (self.volume - full as f64 * size).clamp(0.0, size))
    }

    /// How many full packets have gone out after `taken` full ones came in.
    #[inline]
    pub(super) fn filled(&self, taken: u64) -> u64 {
        (taken as f64 * self.ratio * (1.0 + 2.0 * f64::EPSILON)) as u64
    }

    /// How many full packets have to come in before `packets` full ones have gone out.
    #[inline]
    pub(super) fn needed(&self, packets: u64) -> u64 {
        ((packets as f64 / self.ratio * (1.0 - 4.0 * f64::EPSILON)).ceil() as u64).max(1)
    }

    /// Seconds for which packets of `size` keep the stage busy in all.
    pub(super) fn busy(&self, size: f64) -> f64 {
        self.packets(size).0 as f64 * self.fixed + self.per_element * self.volume
    }
}
