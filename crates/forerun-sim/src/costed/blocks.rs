//! The simulated application of scatter-gather: blocks and packets that are only sizes.

use forerun_skeleton::reduction::{Sinks, Source};
use forerun_skeleton::scatter_gather::{Amount, Cooperate, Global, Local, Want};
use forerun_skeleton::{AppError, Message};

use super::{Inputs, Tally};

/// An application that does nothing to blocks of these sizes, and makes packets of at most `packet`
/// bytes of them; as source it gives the blocks, as sinks it counts.
///
/// The partial results of all ranks go into the result evenly: when half of the result is made,
/// half of every rank's part is in it, as where keys do not depend on their place in the input.
#[derive(Debug, Clone, PartialEq)]
pub struct CostedBlocks {
    inputs: Inputs,
    packet: u64,
}

impl CostedBlocks {
    /// Blocks of these sizes; packets of at most `packet` bytes (at least 1).
    pub fn new(inputs: Inputs, packet: u64) -> Self {
        CostedBlocks { inputs, packet: packet.max(1) }
    }
}

/// A block that is only its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block(pub(super) u64);

impl Message for Block {
    fn bytes(&self) -> u64 {
        self.0
    }
}

/// A packet that is only its bytes, and how far its rank is with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    bytes: u64,
    upto: u64,
    total: u64,
}

impl Message for Packet {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Cooperate for CostedBlocks {
    type Block = Block;
    type Done = Block;
    type Packet = Packet;
    type Local = Packets;
    type Global = Evenly;

    fn process(&self, _: u64, block: Block) -> Result<Block, AppError> {
        Ok(block)
    }

    fn local(&self, _: usize, done: Vec<Block>) -> Result<Packets, AppError> {
        let total = done.iter().map(|b| b.0).sum();
        Ok(Packets { total, given: 0, ways: done.len() as u64, packet: self.packet })
    }

    fn global(&self, ranks: usize) -> Result<Evenly, AppError> {
        Ok(Evenly { parts: vec![Part::Unknown; ranks], made: 0, packet: self.packet })
    }
}

/// The packets of one rank.
#[derive(Debug, Clone)]
pub struct Packets {
    total: u64,
    given: u64,
    ways: u64,
    packet: u64,
}

impl Local<Packet> for Packets {
    fn pending(&self) -> Option<Amount> {
        let bytes = self.packet.min(self.total - self.given);
        (bytes > 0).then_some(Amount { bytes, ways: self.ways })
    }

    fn next(&mut self) -> Result<Packet, AppError> {
        let bytes = self.packet.min(self.total - self.given);
        self.given += bytes;
        Ok(Packet { bytes, upto: self.given, total: self.total })
    }
}

/// The part of one rank.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Nothing is known of it yet.
    Unknown,
    /// It has none.
    Empty,
    /// It is here up to `upto` of `total` bytes.
    Upto { upto: u64, total: u64 },
}

/// The result made evenly of all parts.
#[derive(Debug, Clone)]
pub struct Evenly {
    parts: Vec<Part>,
    /// Bytes of the result made.
    made: u64,
    packet: u64,
}

impl Evenly {
    /// Ranks that have a part, and the bytes of all parts together.
    fn all(&self) -> (u64, u64) {
        self.parts.iter().fold((0, 0), |(ranks, bytes), part| match part {
            Part::Upto { total, .. } => (ranks + 1, bytes + total),
            _ => (ranks, bytes),
        })
    }

    /// Up to where the result can be made of what a rank has given, of `all` bytes.
    fn reach(upto: u64, total: u64, all: u64) -> u64 {
        (u128::from(all) * u128::from(upto) / u128::from(total)) as u64
    }
}

impl Global<Packet> for Evenly {
    fn want(&self) -> Want {
        if let Some(rank) = self.parts.iter().position(|p| matches!(p, Part::Unknown)) {
            return Want::Packet(rank);
        }
        let (ways, all) = self.all();
        let mut reach = all;
        for (rank, part) in self.parts.iter().enumerate() {
            if let &Part::Upto { upto, total } = part {
                let to = Evenly::reach(upto, total, all);
                if to <= self.made && upto < total {
                    return Want::Packet(rank);
                }
                reach = reach.min(to);
            }
        }
        match self.packet.min(reach - self.made) {
            0 => Want::End,
            bytes => Want::Resolve(Amount { bytes, ways }),
        }
    }

    fn give(&mut self, rank: usize, packet: Option<Packet>) -> Result<(), AppError> {
        self.parts[rank] =
            packet.map_or(Part::Empty, |Packet { upto, total, .. }| Part::Upto { upto, total });
        Ok(())
    }

    fn resolve(&mut self) -> Result<Packet, AppError> {
        let Want::Resolve(amount) = self.want() else {
            return Err(AppError::new("there is nothing to resolve"));
        };
        self.made += amount.bytes;
        let (_, total) = self.all();
        Ok(Packet { bytes: amount.bytes, upto: self.made, total })
    }
}

impl Source for CostedBlocks {
    type Input = Block;

    fn len(&self) -> Option<u64> {
        Some(self.inputs.len())
    }

    fn bytes(&self, index: u64) -> u64 {
        self.inputs.get(index).unwrap_or(0)
    }

    fn get(&self, index: u64) -> Result<Option<Block>, AppError> {
        Ok(self.inputs.get(index).map(Block))
    }
}

impl Sinks<Packet> for CostedBlocks {
    type Sink = Tally;

    fn open(&self, _group: usize) -> Result<Tally, AppError> {
        Ok(Tally::default())
    }
}
