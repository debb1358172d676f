//! One rank's end.

use std::hint::spin_loop;
use std::time::Instant;

use forerun_platform::{RankTimes, Stage};

use super::desk::Wait;
use super::ends::Ends;
use super::lane::{Incoming, Outgoing};
use super::post::Post;
use crate::guard::guard;
use crate::recorder::Recorder;
use crate::{AppError, Charge, Endpoint, Message, Stop};

/// The endpoint of a rank that is a thread.
pub(super) struct ThreadEndpoint<'p, M> {
    rank: usize,
    post: &'p Post<M>,
    start: Instant,
    outs: Ends<Outgoing<M>>,
    ins: Ends<In<M>>,
    /// Where the next receive from any begins to look, so that senders take turns.
    turn: usize,
    /// Places in `ins` of senders that may sleep for room and have not been told that there is.
    untold: Vec<usize>,
    recorder: Recorder,
}

/// A lane to this rank.
struct In<M> {
    from: usize,
    lane: Incoming<M>,
    /// Messages taken since the sender was told.
    untold: usize,
}

impl<'p, M: Message> ThreadEndpoint<'p, M> {
    pub(super) fn new(rank: usize, post: &'p Post<M>, start: Instant, timeline: usize) -> Self {
        post.move_in(rank);
        ThreadEndpoint {
            rank,
            post,
            start,
            outs: Ends::new(post.ranks()),
            ins: Ends::new(post.ranks()),
            turn: 0,
            untold: Vec::new(),
            recorder: Recorder::new(timeline),
        }
    }

    pub(super) fn post(&self) -> &'p Post<M> {
        self.post
    }

    /// Ends the rank: where its time went.
    pub(super) fn into_times(mut self) -> RankTimes {
        self.tell_room();
        let end = self.now();
        self.recorder.into_times(end)
    }

    fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Takes the next message from `from`, or from anyone, if one is here.
    fn take(&mut self, from: Option<usize>) -> Option<(usize, M)> {
        if self.post.lanes(self.rank) != self.ins.len() {
            for (from, lane) in self.post.fetch(self.rank) {
                self.ins.add(from, In { from, lane, untold: 0 });
            }
        }
        if let Some(from) = from {
            let place = self.ins.find(from)?;
            return self.take_at(place);
        }
        let lanes = self.ins.len();
        for step in 0..lanes {
            let place = self.turn + step;
            let place = if place < lanes { place } else { place - lanes };
            if let Some(letter) = self.take_at(place) {
                self.turn = if place + 1 == lanes { 0 } else { place + 1 };
                return Some(letter);
            }
        }
        None
    }

    fn take_at(&mut self, place: usize) -> Option<(usize, M)> {
        let end = self.ins.at(place);
        let message = end.lane.take()?;
        let from = end.from;
        if end.untold == 0 {
            self.untold.push(place);
        }
        end.untold += 1;
        // A sender that sleeps is woken for half a window, rather than for every message.
        if 2 * end.untold >= self.post.window() {
            self.tell_room();
        }
        self.recorder.count(Stage::Receive);
        Some((from, message))
    }

    /// Wakes the senders that sleep for room which there now is. Called before this rank does
    /// anything that can take long.
    fn tell_room(&mut self) {
        if self.untold.is_empty() {
            return;
        }
        let ins = &mut self.ins;
        let senders = self.untold.drain(..).map(|place| {
            let end = ins.at(place);
            end.untold = 0;
            end.from
        });
        self.post.tell_room(self.rank, senders);
    }

    /// Receives the next message from `from`, or from anyone.
    fn receive(&mut self, from: Option<usize>) -> Result<(usize, M), Stop> {
        if let Some(letter) = self.take(from) {
            return Ok(letter);
        }
        self.tell_room();
        for _ in 0..self.post.glances() {
            spin_loop();
            if let Some(letter) = self.take(from) {
                return Ok(letter);
            }
        }
        let begun = self.now();
        let (post, rank) = (self.post, self.rank);
        let letter = post.wait(rank, from.map_or(Wait::Mail, Wait::MailFrom), || self.take(from));
        let end = self.now();
        let letter = letter.ok_or(Stop::Aborted)?;
        self.recorder.record(Stage::Wait, letter.0 as u64, begun, end);
        Ok(letter)
    }

    /// Waits until there is room in the lane at `place`, to rank `to`.
    fn wait_for_room(&mut self, to: usize, place: usize) -> Result<(), Stop> {
        self.tell_room();
        let lane = self.outs.at(place);
        for _ in 0..self.post.glances() {
            spin_loop();
            if lane.has_room() {
                return Ok(());
            }
        }
        let begun = self.start.elapsed().as_secs_f64();
        let room = self.post.wait(self.rank, Wait::Room(to), || lane.has_room().then_some(()));
        let end = self.now();
        self.recorder.wait_to_send(to as u64, begun, end);
        room.ok_or(Stop::Aborted)
    }
}

impl<M: Message> Endpoint<M> for ThreadEndpoint<'_, M> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.post.ranks()
    }

    async fn send(&mut self, to: usize, m: M) -> Result<(), Stop> {
        assert!(to != self.rank, "rank {to} sends to itself");
        let place = match self.outs.find(to) {
            Some(place) => place,
            None => self.outs.add(to, self.post.open(self.rank, to)),
        };
        if !self.outs.at(place).has_room() {
            self.wait_for_room(to, place)?;
        }
        self.recorder.sent(m.bytes());
        self.outs.at(place).put(m);
        self.post.tell_mail(self.rank, to);
        Ok(())
    }

    async fn recv_from(&mut self, from: usize) -> Result<M, Stop> {
        self.receive(Some(from)).map(|letter| letter.1)
    }

    async fn recv_any(&mut self) -> Result<(usize, M), Stop> {
        self.receive(None)
    }

    async fn try_recv_any(&mut self) -> Result<Option<(usize, M)>, Stop> {
        if self.post.is_stopped() {
            return Err(Stop::Aborted);
        }
        let letter = self.take(None);
        if letter.is_none() {
            self.tell_room();
        }
        Ok(letter)
    }

    async fn claim(&mut self, counter: usize) -> Result<u64, Stop> {
        Ok(self.post.claim(counter))
    }

    fn now_s(&self) -> f64 {
        self.now()
    }

    fn work_now<T, F>(&mut self, charge: Charge, f: F) -> Result<T, Stop>
    where
        F: FnOnce() -> Result<T, AppError>,
    {
        if self.post.is_stopped() {
            return Err(Stop::Aborted);
        }
        self.tell_room();
        let begun = self.now();
        let result = guard(self.rank, charge, f);
        let end = self.now();
        self.recorder.record(charge.stage, charge.item, begun, end);
        result.map_err(Stop::Failed)
    }
}
