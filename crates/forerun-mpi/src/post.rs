//! One rank's post office: what it sends and what comes for it, between the rank and MPI.
//!
//! The rank's thread and the helper that goes on while the rank computes share it under a lock; whoever holds the
//! lock calls MPI, nobody else does. The README beside this file has the protocol.

use std::collections::VecDeque;
use std::ffi::c_int;

use forerun_skeleton::wire::{Block, Outgoing};
use mpi::request::Request;
use mpi::traits::CommunicatorCollectives as _;

use crate::inbox::Inbox;
use crate::letter::{self, Letter};
use crate::raw::{Arrived, Channel, Receiving, Sending};

/// What a message is for.
mod tag {
    use std::ffi::c_int;

    /// From the program, all of it.
    pub(super) const DATA: c_int = 0;
    /// So many messages have been taken.
    pub(super) const ROOM: c_int = 1;
    /// The receiver's counter is asked for its next number.
    pub(super) const CLAIM: c_int = 2;
    /// The number.
    pub(super) const DRAWN: c_int = 3;
    /// The run ends.
    pub(super) const STOP: c_int = 4;
    /// How a rank ended, and how all did.
    pub(super) const END: c_int = 5;
    /// From the program, of which blocks follow.
    pub(super) const HEAD: c_int = 6;
    /// A block of values of one byte, and in the order of [`Block::WIDTHS`](super::Block::WIDTHS) of more.
    pub(super) const BLOCK: c_int = 8;
}

/// The post office of a rank.
pub(crate) struct Post {
    channel: Channel,
    window: u32,
    sending: VecDeque<Sending>,
    /// Messages that each rank will still take, were they sent now.
    room: Vec<u32>,
    /// Messages sent that are not yet taken, of all ranks together.
    untaken: u64,
    inbox: Inbox,
    /// Small words, and ends, that are on their way.
    words: Vec<(usize, c_int, Receiving)>,
    /// The next number of this rank's counter.
    counter: u64,
    /// Whether a number is asked for, and what it is.
    asked: bool,
    drawn: Option<u64>,
    stopped: bool,
    /// Whether the program has ended here: what still comes for it is thrown away.
    closed: bool,
    /// Whether it is too late to end the run: others may have left.
    sealed: bool,
    ends: Vec<(usize, Vec<u8>)>,
}

impl Post {
    pub(crate) fn new(channel: Channel, ranks: usize, window: usize) -> Self {
        let window = u32::try_from(window).unwrap_or(u32::MAX);
        Post {
            channel,
            window,
            sending: VecDeque::new(),
            room: vec![window; ranks],
            untaken: 0,
            inbox: Inbox::default(),
            words: Vec::new(),
            counter: 0,
            asked: false,
            drawn: None,
            stopped: false,
            closed: false,
            sealed: false,
            ends: Vec::new(),
        }
    }

    /// Lets MPI work, and takes in what has come; whether anything has.
    pub(crate) fn progress(&mut self) -> bool {
        while self.sending.front_mut().is_some_and(Sending::is_done) {
            self.sending.pop_front();
        }
        let mut moved = self.inbox.progress();
        while let Some(arrived) = self.channel.arrived() {
            self.take_in(arrived);
            moved = true;
        }
        let mut at = 0;
        while at < self.words.len() {
            match self.words[at].2.block() {
                Some(block) => {
                    let (from, tag, _) = self.words.swap_remove(at);
                    self.hear(from, tag, block);
                    moved = true;
                }
                None => at += 1,
            }
        }
        if self.closed {
            while let Some((from, _)) = self.inbox.take(None) {
                self.taken(from, 1);
            }
        }
        moved
    }

    fn take_in(&mut self, arrived: Arrived) {
        let (from, tag) = (arrived.from, arrived.tag);
        let width = tag.checked_sub(tag::BLOCK).and_then(|at| Block::WIDTHS.get(usize::try_from(at).ok()?));
        let receiving = self.channel.receive(arrived, width.copied().unwrap_or(1));
        match tag {
            tag::DATA => self.inbox.add(from, receiving, false),
            tag::HEAD => self.inbox.add(from, receiving, true),
            _ if width.is_some() => {
                // One that nobody wants is received and thrown away.
                let unwanted = self.inbox.add_block(from, receiving);
                self.words.extend(unwanted.map(|receiving| (from, tag, receiving)));
            }
            _ => self.words.push((from, tag, receiving)),
        }
    }

    fn hear(&mut self, from: usize, tag: c_int, word: Block) {
        let number = word.bytes().try_into().map_or(0, u64::from_le_bytes);
        match tag {
            tag::ROOM => {
                self.room[from] += number as u32;
                self.untaken -= number;
            }
            tag::CLAIM => {
                let drawn = self.count();
                self.say(from, tag::DRAWN, drawn);
            }
            tag::DRAWN => {
                self.asked = false;
                self.drawn = Some(number);
            }
            tag::STOP => self.stopped = true,
            tag::END => self.ends.extend(word.into_vec().map(|bytes| (from, bytes))),
            _ => {}
        }
    }

    fn say(&mut self, to: usize, tag: c_int, number: u64) {
        let sending = self.channel.send(to, tag, number.to_le_bytes().to_vec().into(), false);
        self.sending.push_back(sending);
    }

    fn count(&mut self) -> u64 {
        self.counter += 1;
        self.counter - 1
    }

    /// Whether `to` will take another message.
    pub(crate) fn has_room(&self, to: usize) -> bool {
        self.room[to] > 0
    }

    /// Sends a message of the program to a rank that has room: its bytes, and right after them its blocks.
    pub(crate) fn send(&mut self, to: usize, message: Outgoing) {
        self.room[to] -= 1;
        self.untaken += 1;
        let (mut head, blocks) = message.into_parts();
        let tag = if blocks.is_empty() {
            tag::DATA
        } else {
            letter::put_widths(&blocks, &mut head);
            tag::HEAD
        };
        self.sending.push_back(self.channel.send(to, tag, head.into(), false));
        for block in blocks {
            let at = Block::WIDTHS.iter().position(|width| *width == block.width()).unwrap_or(0);
            self.sending.push_back(self.channel.send(to, tag::BLOCK + at as c_int, block, false));
        }
    }

    /// Takes a message of the program out of those that are here.
    pub(crate) fn take(&mut self, from: Option<usize>) -> Option<(usize, Letter)> {
        self.inbox.take(from)
    }

    /// Tells `from` that `messages` of its messages have been taken.
    pub(crate) fn taken(&mut self, from: usize, messages: u32) {
        self.say(from, tag::ROOM, messages.into());
    }

    /// Messages of the window.
    pub(crate) fn window(&self) -> u32 {
        self.window
    }

    /// Asks for the next number of the counter at rank `at`; gives it if it is this rank's.
    pub(crate) fn ask(&mut self, at: usize, rank: usize) -> Option<u64> {
        if at == rank {
            return Some(self.count());
        }
        self.asked = true;
        self.say(at, tag::CLAIM, 0);
        None
    }

    /// The number that was asked for, if it is here.
    pub(crate) fn drawn(&mut self) -> Option<u64> {
        self.drawn.take()
    }

    /// Whether the run ends.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Ends the run: tells all others.
    pub(crate) fn stop(&mut self, rank: usize) {
        if self.sealed || std::mem::replace(&mut self.stopped, true) {
            return;
        }
        for to in (0..self.room.len()).filter(|&to| to != rank) {
            // Matched, so that none is still on its way when all ranks have ended.
            let sending = self.channel.send(to, tag::STOP, Block::default(), true);
            self.sending.push_back(sending);
        }
    }

    /// From now on nothing is taken here any more.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// From now on this rank does not end the run any more.
    pub(crate) fn seal(&mut self) {
        self.sealed = true;
    }

    /// Whether nothing that this rank sent is still on its way, nor anything for it.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_sent() && self.untaken == 0 && !self.asked && self.inbox.is_empty()
    }

    /// Whether MPI is done with everything that was to be sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.sending.is_empty()
    }

    /// Whether a message is on its way that MPI has not done with.
    pub(crate) fn is_moving(&self) -> bool {
        !self.is_sent() || !self.words.is_empty() || self.inbox.is_coming()
    }

    /// Starts to wait for all ranks.
    pub(crate) fn barrier(&self) -> Request<'static, ()> {
        self.channel.communicator().immediate_barrier()
    }

    /// Tells rank `to` how it ended.
    pub(crate) fn send_end(&mut self, to: usize, bytes: Vec<u8>) {
        let sending = self.channel.send(to, tag::END, bytes.into(), false);
        self.sending.push_back(sending);
    }

    /// How ranks ended, those that have said so, each once.
    pub(crate) fn ends(&mut self) -> std::vec::Drain<'_, (usize, Vec<u8>)> {
        self.ends.drain(..)
    }
}
