//! A pipeline and its input.

use super::flow::Flow;
use super::{Communication, StageCost, even, gather, path};
use crate::ModelError;

/// A pipeline of stages, computing stages and links alike, and an input that goes through it in packets of
/// whole elements. See [`crate::packet`] for what is assumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    pub(super) stages: Vec<StageCost>,
    pub(super) communication: Communication,
    pub(super) elements: u64,
    pub(super) element_bytes: f64,
    /// Most elements that a packet can have.
    pub(super) largest: u64,
    pub(super) flows: Vec<Flow>,
    /// Whether every stage takes as many packets.
    pub(super) even: bool,
}

/// What a packet size comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Elements of a packet.
    pub size: u64,
    /// Packets that the input makes: ⌈elements / size⌉.
    pub packets: u64,
    /// Elements of the last packet.
    pub last: u64,
    /// Seconds from the start until the last stage is done with the last packet.
    pub makespan_s: f64,
    /// The stage that is busy longest, from 0.
    pub bottleneck: usize,
}

/// Most elements that an input can have, since sizes of packets are looked at one by one; and where stages
/// gather, for the packets of some sizes are followed one by one.
const MOST: u64 = 1 << 30;
const MOST_GATHERED: u64 = 1 << 22;
/// The stage, from 0, whose ratio makes the volume after it less than a billionth of an element or more than a
/// thousand times the most that an input can have.
fn out_of_bounds(stages: &[StageCost], elements: u64) -> Option<usize> {
    let mut volume = elements as f64;
    stages[..stages.len() - 1].iter().position(|stage| {
        volume *= stage.ratio;
        !(1e-9..=1e3 * MOST as f64).contains(&volume)
    })
}

impl Pipeline {
    /// A pipeline of `stages`, through which `elements` elements of `element_bytes` bytes each go.
    ///
    /// # Errors
    /// No stage, no element, or a figure that is negative, not a number or, for a ratio or an element's
    /// size, 0.
    pub fn new(
        stages: Vec<StageCost>,
        communication: Communication,
        elements: u64,
        element_bytes: f64,
    ) -> Result<Pipeline, ModelError> {
        if stages.is_empty() {
            return Err(ModelError::new("a pipeline without stages: expected at least one"));
        }
        for (i, stage) in (1..).zip(&stages) {
            for (name, value) in [("cost per packet", stage.fixed), ("cost per byte", stage.per_byte)] {
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(ModelError::new(format!(
                        "the {name} of stage {i} is {value}: expected a number from 0"
                    )));
                }
            }
            if !(stage.ratio > 0.0 && stage.ratio.is_finite()) {
                return Err(ModelError::new(format!(
                    "the volume ratio of stage {i} is {}: expected a number above 0",
                    stage.ratio
                )));
            }
        }
        let gathers = communication == Communication::FixedSize
            && stages[..stages.len() - 1].iter().any(|stage| stage.ratio != 1.0);
        let most = if gathers { MOST_GATHERED } else { MOST };
        if elements == 0 || elements > most {
            return Err(ModelError::new(format!(
                "an input of {elements} elements: expected 1 to {most}; of more bytes, let an element be a \
                 record or a block"
            )));
        }
        if !(element_bytes > 0.0 && element_bytes.is_finite()) {
            return Err(ModelError::new(format!(
                "an element of {element_bytes} bytes: expected a number above 0"
            )));
        }
        if let Some(i) = out_of_bounds(&stages, elements) {
            return Err(ModelError::new(format!(
                "the ratios up to stage {} are out of bounds: what is left of {elements} elements after it is less \
                 than 1e-9 or more than 1e12 of them",
                i + 1
            )));
        }
        let flows = Flow::of(&stages, communication, elements, element_bytes);
        let pipeline = Pipeline {
            largest: elements,
            even: !gathers,
            stages,
            communication,
            elements,
            element_bytes,
            flows,
        };
        // No size takes longer than packets of one element.
        if !pipeline.busy(1).iter().sum::<f64>().is_finite() {
            return Err(ModelError::new(format!(
                "{elements} elements of these costs take longer than can be told"
            )));
        }
        Ok(pipeline)
    }

    /// The stages.
    pub fn stages(&self) -> &[StageCost] {
        &self.stages
    }

    /// How packets go from stage to stage.
    pub fn communication(&self) -> Communication {
        self.communication
    }

    /// Elements of the input.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Bytes of an element of the input.
    pub fn element_bytes(&self) -> f64 {
        self.element_bytes
    }

    /// Most elements that a packet can have: those of the input, or what memory allows.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The size in elements if the input is cut into `packets` packets, ⌈elements / packets⌉. (That makes
    /// fewer packets where the last ones would be empty.)
    pub fn size_of(&self, packets: u64) -> u64 {
        self.elements.div_ceil(packets.max(1))
    }

    /// Seconds for packets of `size` elements, taken as 1 to [`elements`](Self::elements): the recursion,
    /// to rounding. Cost: O(stages); at fixed size, where a stage's ratio is not 1, O(packets of all
    /// stages).
    pub fn makespan(&self, size: u64) -> f64 {
        let size = size.clamp(1, self.elements);
        if self.even { even::makespan(&self.flows, size) } else { gather::makespan(&self.flows, size) }
    }

    /// Seconds below and above which [`makespan`](Self::makespan) is not; equal where it is cheap.
    pub(super) fn bounds(&self, size: u64) -> (f64, f64) {
        if self.even {
            let exact = even::makespan(&self.flows, size);
            (exact, exact)
        } else {
            let (below, above) = (path::longest(&self.flows, size), gather::above(&self.flows, size));
            (below * (1.0 - 1e-12), above * (1.0 + 1e-12))
        }
    }

    /// Seconds for which packets of `size` elements keep each stage busy.
    pub fn busy(&self, size: u64) -> Vec<f64> {
        let size = size.clamp(1, self.elements) as f64;
        self.flows.iter().map(|flow| flow.busy(size)).collect()
    }

    /// The stage, from 0, that packets of `size` elements keep busy longest; of equals, the first.
    pub fn bottleneck(&self, size: u64) -> usize {
        let busy = self.busy(size);
        (1..busy.len()).fold(0, |best, i| if busy[i] > busy[best] { i } else { best })
    }

    /// All about packets of `size` elements. Cost: that of [`makespan`](Self::makespan).
    pub fn point(&self, size: u64) -> Point {
        let size = size.clamp(1, self.elements);
        let packets = self.elements.div_ceil(size);
        Point {
            size,
            packets,
            last: self.elements - (packets - 1) * size,
            makespan_s: self.makespan(size),
            bottleneck: self.bottleneck(size),
        }
    }
}
