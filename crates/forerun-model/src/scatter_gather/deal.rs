//! The first phase: blocks are read, dealt out and processed.

use std::collections::VecDeque;

use forerun_platform::Stage;
use forerun_skeleton::scatter_gather::{HELD, Shape};

use super::Blocks;
use super::device::Reader;
use super::team::Team;
use crate::ModelError;

/// Deals the blocks out; gives when the last is sent. Ranks' clocks are then where they have
/// processed all their blocks.
///
/// # Errors
/// That it was ended.
pub(super) fn deal(
    team: &mut Team<'_>,
    blocks: &Blocks,
    shape: &Shape,
    ahead: usize,
) -> Result<f64, ModelError> {
    let mut reader = Reader::new(ahead);
    let mut held = VecDeque::with_capacity(HELD + 1);
    for (index, owner) in (0..blocks.count).zip(shape.owners()) {
        team.go_on()?;
        let bytes = blocks.size(index);
        let takes = team.cost(Stage::Read, bytes, 1.0, 1.0);
        team.nodes[0].clock = reader.read(team.nodes[0].clock, takes);
        team.nodes[owner].total += bytes;
        team.nodes[owner].blocks += 1;
        if owner == 0 {
            held.push_back(bytes);
        } else {
            team.deal(owner, bytes);
            team.process(owner, bytes);
        }
        if held.len() > HELD
            && let Some(bytes) = held.pop_front()
        {
            team.process(0, bytes);
        }
    }
    for rank in 1..team.nodes.len() {
        team.go_on()?;
        team.tell(rank, 0);
    }
    let dealt = team.nodes[0].clock;
    for bytes in held {
        team.process(0, bytes);
    }
    Ok(dealt)
}
