//! A message of the program as it comes: a head, and the blocks that follow it.

use std::collections::VecDeque;

use forerun_skeleton::wire::{Block, garbled, received};
use forerun_skeleton::{AppError, Codec};

use crate::raw::Receiving;

/// Appends to a head which blocks follow it, at least one: the width of each, and how many they are.
pub(crate) fn put_widths(blocks: &[Block], head: &mut Vec<u8>) {
    head.extend(blocks.iter().map(|block| block.width() as u8));
    head.extend((blocks.len() as u64).to_le_bytes());
}

/// Takes them off a head, if they are there.
fn take_widths(head: &mut Vec<u8>) -> Option<Vec<u8>> {
    let (rest, count) = head.split_last_chunk()?;
    let start = rest.len().checked_sub(usize::try_from(u64::from_le_bytes(*count)).ok()?)?;
    let widths = rest[start..].to_vec();
    head.truncate(start);
    Some(widths)
}

/// A message that is here.
pub(crate) struct Letter {
    head: Vec<u8>,
    blocks: Vec<Block>,
    /// Whether its blocks are those that its head says.
    is_sound: bool,
}

impl Letter {
    /// What it says.
    ///
    /// # Errors
    /// That it is nothing that the codec gave away.
    pub(crate) fn read<M>(self, codec: &impl Codec<M>) -> Result<M, AppError> {
        match self.is_sound {
            true => received(codec, &self.head, self.blocks),
            false => Err(garbled("followed by its blocks")),
        }
    }
}

/// A message of which not all is here.
pub(crate) struct Coming {
    /// Of its head and its blocks, in this order, those that have been found and are not here in full.
    parts: VecDeque<Receiving>,
    /// Whether its head says which blocks follow.
    is_followed: bool,
    head: Option<Vec<u8>>,
    /// The widths of its blocks, as its head says; nothing if it does not, or is not here.
    widths: Option<Vec<u8>>,
    blocks: Vec<Block>,
}

impl Coming {
    /// A message whose head has been found, and whether blocks follow it.
    pub(crate) fn new(head: Receiving, is_followed: bool) -> Self {
        Coming { parts: [head].into(), is_followed, head: None, widths: None, blocks: Vec::new() }
    }

    /// Adds its next block.
    pub(crate) fn add(&mut self, block: Receiving) {
        self.parts.push_back(block);
    }

    /// Looks whether more of it is here; the message, once, when all of it is. What comes after a part that is not here is not looked at: each look lets
    /// MPI work.
    pub(crate) fn letter(&mut self) -> Option<Letter> {
        while let Some(part) = self.parts.front_mut() {
            let block = part.block()?;
            self.parts.pop_front();
            if self.head.is_some() {
                self.blocks.push(block);
                continue;
            }
            let mut head = block.into_vec().unwrap_or_default();
            self.widths = if self.is_followed { take_widths(&mut head) } else { Some(Vec::new()) };
            self.head = Some(head);
        }
        // A head that does not say is followed by nothing, and the message by an error.
        if self.blocks.len() < self.widths.as_ref().map_or(0, Vec::len) {
            return None;
        }
        let head = self.head.take()?;
        let blocks = std::mem::take(&mut self.blocks);
        let widths = blocks.iter().map(|block| block.width() as u8);
        let is_sound = self.widths.take().is_some_and(|said| widths.eq(said));
        Some(Letter { head, blocks, is_sound })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_told_by_the_end_of_a_head() {
        let blocks = [1, 8, 16].map(|width| Block::zeroed(width, 32).unwrap());
        let mut head = vec![7; 5];
        put_widths(&blocks, &mut head);
        assert_eq!(take_widths(&mut head), Some(vec![1, 8, 16]));
        assert_eq!(head, [7; 5]);
        for head in [vec![], vec![0; 7], vec![255; 8], [vec![9], 2u64.to_le_bytes().to_vec()].concat()] {
            assert_eq!(take_widths(&mut head.clone()), None, "{head:?}");
        }
    }

    #[test]
    fn blocks_that_are_not_those_of_the_head_are_an_error() {
        let letter = |is_sound| Letter { head: vec![5], blocks: Vec::new(), is_sound };
        let read = |letter: Letter| letter.read::<u8>(&forerun_skeleton::wire::Plain);
        assert_eq!(read(letter(true)).unwrap(), 5);
        assert!(read(letter(false)).unwrap_err().to_string().contains("its blocks"));
    }
}
