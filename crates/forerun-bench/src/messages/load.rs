//! What the messages carry.

use forerun_skeleton::Message;

/// A message that is made of a number and read as one.
pub(super) trait Load: Message + Send {
    /// What it is called.
    const NAME: &'static str;

    fn make(number: u64) -> Self;

    fn read(&self) -> u64;
}

/// A number.
pub(super) struct Word(u64);

impl Message for Word {
    fn bytes(&self) -> u64 {
        8
    }
}

impl Load for Word {
    const NAME: &'static str = "u64";

    fn make(number: u64) -> Self {
        Word(number)
    }

    fn read(&self) -> u64 {
        self.0
    }
}

/// A block of 64 KiB, moved.
pub(super) struct Block(Vec<u8>);

impl Message for Block {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Load for Block {
    const NAME: &'static str = "a Vec<u8> of 64 KiB";

    fn make(number: u64) -> Self {
        let mut block = vec![0; 64 << 10];
        block[..8].copy_from_slice(&number.to_le_bytes());
        Block(block)
    }

    fn read(&self) -> u64 {
        self.0[..8].iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))
    }
}
