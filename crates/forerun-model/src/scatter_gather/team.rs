//! Ranks with their clocks, and what messages do to these.

use std::collections::VecDeque;

use forerun_platform::{ScatterGatherProfile, Stage, StageTotal};
use forerun_skeleton::Cancel;
use forerun_skeleton::scatter_gather::HEADER;

use crate::landing::Landing;
use crate::leaving::Leaving;
use crate::{ModelError, Wire};

/// A rank.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) speed: f64,
    pub(super) clock: f64,
    leaving: Leaving,
    landing: Landing,
    /// Bytes and number of its blocks.
    pub(super) total: u64,
    pub(super) blocks: u64,
    /// Bytes of its packets that were made.
    pub(super) made: u64,
    /// When its last messages were received, as many as the window.
    received: VecDeque<f64>,
}

impl Node {
    /// A rank of this speed that has done nothing yet.
    pub(super) fn new(speed: f64) -> Self {
        Node { speed, ..Node::default() }
    }
}

/// All ranks of a run and what it costs.
pub(super) struct Team<'a> {
    pub(super) profile: &'a ScatterGatherProfile,
    pub(super) wire: Wire,
    pub(super) window: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) totals: [StageTotal; Stage::ALL.len()],
    /// Ends it.
    pub(super) cancel: &'a Cancel,
    /// Steps since the flag was looked at.
    pub(super) steps: u32,
}

/// Steps after which the flag is looked at again: less than a millisecond.
const LOOK: u32 = 1 << 12;

/// What is said where it was set.
pub(super) fn ended() -> ModelError {
    ModelError::new("the prediction was ended before it was complete")
}

impl Team<'_> {
    /// Goes on by a step.
    ///
    /// # Errors
    /// That it is to end.
    pub(super) fn go_on(&mut self) -> Result<(), ModelError> {
        self.steps += 1;
        if self.steps < LOOK {
            return Ok(());
        }
        self.steps = 0;
        if self.cancel.is_cancelled() { Err(ended()) } else { Ok(()) }
    }

    fn count(&mut self, stage: Stage, seconds: f64) {
        let total = &mut self.totals[stage as usize];
        total.count += 1;
        total.total_s += seconds;
    }

    /// The seconds of a call of a phase, counted.
    pub(super) fn cost(&mut self, stage: Stage, bytes: u64, ways: f64, speed: f64) -> f64 {
        let cost = match stage {
            Stage::Read => &self.profile.read,
            Stage::Process => &self.profile.process,
            Stage::ResolveLocal => &self.profile.local,
            Stage::ResolveGlobal => &self.profile.global,
            _ => &self.profile.write,
        };
        let seconds = cost.seconds(bytes as f64, ways) / speed;
        self.count(stage, seconds);
        seconds
    }

    /// Rank `rank` processes a block.
    pub(super) fn process(&mut self, rank: usize, bytes: u64) {
        let elements = bytes as f64 / self.profile.element_bytes;
        let speed = self.nodes[rank].speed;
        let takes = self.cost(Stage::Process, bytes, elements, speed);
        self.work(rank, Stage::Process, takes);
    }

    /// Rank `rank` computes for `seconds`, which are counted, or longer while messages leave it.
    pub(super) fn work(&mut self, rank: usize, stage: Stage, seconds: f64) {
        let node = &mut self.nodes[rank];
        let to = node.clock + seconds;
        node.clock = node.leaving.ends(node.clock, to);
        self.totals[stage as usize].total_s += node.clock - to;
    }

    /// Rank `from` sends a message with `bytes` bytes in it into a slot that is free since `room`;
    /// gives its arrival.
    pub(super) fn send(&mut self, from: usize, bytes: u64, room: f64) -> f64 {
        let bytes = bytes + HEADER;
        let takes = self.wire.send(bytes as f64);
        self.messages += 1;
        self.bytes += bytes;
        self.count(Stage::Send, takes);
        let node = &mut self.nodes[from];
        node.clock = node.clock.max(room) + takes;
        let bytes = bytes as f64;
        let injected = node.leaving.put(node.clock, (self.wire.port(bytes), self.wire.toll(bytes)));
        injected + self.wire.transit(bytes)
    }

    /// Rank `rank` receives what arrives at `arrival`.
    pub(super) fn receive(&mut self, rank: usize, bytes: u64, arrival: f64) {
        let bytes = (bytes + HEADER) as f64;
        let (takes, landing) = (self.wire.receive(bytes), self.wire.landing(bytes));
        self.count(Stage::Receive, takes);
        let node = &mut self.nodes[rank];
        let done = node.landing.take(arrival, landing);
        node.clock = self.wire.received(node.clock, (arrival, done), bytes) + takes;
    }

    /// The first rank sends a block to `rank`, which receives at once when it comes to it; at most a
    /// window of messages is under way.
    pub(super) fn deal(&mut self, rank: usize, bytes: u64) {
        self.tell(rank, bytes);
        let node = &mut self.nodes[rank];
        node.received.push_back(node.clock);
    }

    /// The same with what is the last message to `rank`, for whose place in the window no other waits.
    pub(super) fn tell(&mut self, rank: usize, bytes: u64) {
        let full = self.nodes[rank].received.len() == self.window;
        let room = if full { self.nodes[rank].received.pop_front().unwrap_or(0.0) } else { 0.0 };
        let arrival = self.send(0, bytes, room);
        self.receive(rank, bytes, arrival);
    }

    /// Rank `rank` makes its next packet; gives its bytes, 0 if there is no further one.
    pub(super) fn packet(&mut self, rank: usize, most: u64) -> u64 {
        let Node { speed, total, blocks, made, .. } = self.nodes[rank];
        let bytes = most.min(total - made);
        if bytes > 0 {
            let takes = self.cost(Stage::ResolveLocal, bytes, blocks as f64, speed);
            self.work(rank, Stage::ResolveLocal, takes);
            self.nodes[rank].made += bytes;
        }
        bytes
    }
}
