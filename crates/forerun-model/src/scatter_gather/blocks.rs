//! The input of a scatter-gather in blocks.

/// An input cut into blocks as evenly as whole bytes allow, and its result in packets of at most a
/// block's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// Bytes of the input.
    pub bytes: u64,
    /// Blocks.
    pub count: u64,
}

impl Blocks {
    /// Blocks of at most `block` bytes.
    pub fn of(bytes: u64, block: u64) -> Self {
        Blocks { bytes, count: bytes.div_ceil(block.max(1)) }
    }

    /// Bytes of block `index`.
    pub fn size(&self, index: u64) -> u64 {
        let at = |i: u64| (u128::from(self.bytes) * u128::from(i) / u128::from(self.count.max(1))) as u64;
        at(index + 1) - at(index)
    }

    /// Bytes of the largest block, and of a packet: s.
    pub fn largest(&self) -> u64 {
        self.bytes.div_ceil(self.count.max(1))
    }
}
