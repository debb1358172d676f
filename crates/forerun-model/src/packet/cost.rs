//! What a stage costs.

/// What one stage of a pipeline, computing or link, costs for a packet, and what becomes of the packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageCost {
    /// G: seconds that every packet costs.
    pub fixed: f64,
    /// g: seconds that every byte of a packet costs.
    pub per_byte: f64,
    /// α: bytes given out for a byte taken in; 1 for a link.
    pub ratio: f64,
}

impl StageCost {
    /// A stage that gives out what it takes in.
    pub fn new(fixed: f64, per_byte: f64) -> Self {
        StageCost { fixed, per_byte, ratio: 1.0 }
    }

    /// The stage with the ratio of what it gives out to what it takes in.
    #[must_use]
    pub fn with_ratio(self, ratio: f64) -> Self {
        StageCost { ratio, ..self }
    }

    /// Seconds for a packet of `bytes` bytes.
    #[inline]
    pub fn seconds(&self, bytes: f64) -> f64 {
        self.fixed + self.per_byte * bytes
    }
}
