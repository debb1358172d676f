//! Saying why no rank can go on.

use crate::world::{Waits, World};

/// Ranks that are named.
const NAMED: usize = 8;

/// The first blocked ranks and what each waits for.
pub(crate) fn describe<M: forerun_skeleton::Message>(world: &World<'_, M>) -> String {
    let blocked = || (0..world.size() as u32).filter(|&r| world.rank(r).waits.get() != Waits::Ended);
    let mut parts: Vec<String> = blocked().take(NAMED).map(|r| sentence(world, r)).collect();
    let more = blocked().count() - parts.len();
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    parts.join("; ")
}

fn sentence<M: forerun_skeleton::Message>(world: &World<'_, M>, rank: u32) -> String {
    let ended =
        |peer: u32| if world.rank(peer).waits.get() == Waits::Ended { ", which has ended" } else { "" };
    match world.rank(rank).waits.get() {
        Waits::Message(from) => format!("rank {rank} waits for a message from rank {from}{}", ended(from)),
        Waits::Landing(from) => format!("rank {rank} waits for all of a message from rank {from}"),
        Waits::Room(to) => {
            format!("rank {rank} waits for room in its window to rank {to}{}", ended(to))
        }
        Waits::Receiver(to) => format!(
            "rank {rank} waits until rank {to}{} receives a message above the rendezvous threshold",
            ended(to)
        ),
        Waits::Any => format!("rank {rank} waits for a message from any rank"),
        Waits::Try => format!("rank {rank} waits for its turn to look for a message"),
        Waits::Claim(counter) => format!("rank {rank} waits for its turn at counter {counter}"),
        Waits::Nothing => format!("rank {rank} waits for something that is not of this run"),
        Waits::Ended => format!("rank {rank} has ended"),
    }
}
