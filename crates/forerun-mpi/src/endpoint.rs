//! One rank's end.

use std::time::Instant;

use forerun_platform::{RankTimes, Stage};
use forerun_skeleton::guard::guard;
use forerun_skeleton::wire::Outgoing;
use forerun_skeleton::{AppError, Charge, Codec, Endpoint, Failure, Message, Recorder, Stop};

use crate::letter::Letter;
use crate::office::Office;

/// Bytes that a message's form may have beside its own.
const HEADROOM: usize = 64;

/// The endpoint of a rank that is an MPI process.
pub(crate) struct MpiEndpoint<'r, C> {
    office: &'r Office,
    codec: C,
    start: Instant,
    window: u32,
    /// Messages taken from each sender since it was told.
    untold: Vec<u32>,
    /// Senders of which there are such.
    senders: Vec<usize>,
    recorder: Recorder,
}

impl<'r, C> MpiEndpoint<'r, C> {
    pub(crate) fn new(office: &'r Office, codec: C, start: Instant, timeline: usize) -> Self {
        let (window, untold) = (office.post().window(), vec![0; office.size]);
        let recorder = Recorder::new(timeline);
        MpiEndpoint { office, codec, start, window, untold, senders: Vec::new(), recorder }
    }

    /// Ends the rank: where its time went.
    pub(crate) fn into_times(mut self) -> RankTimes {
        self.tell_room();
        let end = self.now();
        self.recorder.into_times(end)
    }

    fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Tells senders for how many more messages there is room.
    fn tell_room(&mut self) {
        if self.senders.is_empty() {
            return;
        }
        let mut post = self.office.post();
        for from in self.senders.drain(..) {
            post.taken(from, std::mem::take(&mut self.untold[from]));
        }
    }

    /// Reads a message that was taken.
    fn read<M>(&mut self, (from, letter): (usize, Letter)) -> Result<(usize, M), Stop>
    where
        C: Codec<M>,
    {
        if self.untold[from] == 0 {
            self.senders.push(from);
        }
        self.untold[from] += 1;
        // A sender is told of half a window at a time, rather than of every message.
        if 2 * self.untold[from] >= self.window {
            self.tell_room();
        }
        let begun = self.now();
        let message = letter.read(&self.codec);
        self.recorder.record(Stage::Receive, from as u64, begun, self.now());
        message.map(|message| (from, message)).map_err(|e| self.failure(Stage::Receive, from, &e))
    }

    fn failure(&self, stage: Stage, other: usize, e: &AppError) -> Stop {
        let (rank, item, message) = (self.office.rank, other as u64, e.to_string());
        Stop::Failed(Box::new(Failure { rank, stage, item, panicked: false, of_input: false, message }))
    }

    /// Takes the next message from `from`, or from anyone, if one is here.
    fn take(&mut self, from: Option<usize>) -> Option<(usize, Letter)> {
        let mut post = self.office.post();
        post.take(from).or_else(|| {
            self.office.progress(&mut post);
            post.take(from)
        })
    }

    fn receive<M>(&mut self, from: Option<usize>) -> Result<(usize, M), Stop>
    where
        C: Codec<M>,
    {
        if self.office.is_stopped() {
            return Err(Stop::Aborted);
        }
        if let Some(letter) = self.take(from) {
            return self.read(letter);
        }
        self.tell_room();
        let begun = self.now();
        let letter = self.office.wait(Office::is_stopped, |post| post.take(from));
        let end = self.now();
        let letter = letter.ok_or(Stop::Aborted)?;
        self.recorder.record(Stage::Wait, letter.0 as u64, begun, end);
        self.read(letter)
    }
}

impl<M: Message, C: Codec<M>> Endpoint<M> for MpiEndpoint<'_, C> {
    fn rank(&self) -> usize {
        self.office.rank
    }

    fn size(&self) -> usize {
        self.office.size
    }

    async fn send(&mut self, to: usize, m: M) -> Result<(), Stop> {
        assert!(to != self.office.rank, "rank {to} sends to itself");
        if self.office.is_stopped() {
            return Err(Stop::Aborted);
        }
        let begun = self.now();
        let size = m.bytes();
        let mut out = Outgoing::of_about(usize::try_from(size).unwrap_or(0).saturating_add(HEADROOM));
        self.codec.give(m, &mut out).map_err(|e| self.failure(Stage::Send, to, &e))?;
        self.recorder.sent(size);
        let mut post = self.office.post();
        if !post.has_room(to) {
            drop(post);
            self.tell_room();
            let office = self.office;
            let room = office.wait(Office::is_stopped, |post| post.has_room(to).then_some(()));
            if room.is_none() {
                return Err(Stop::Aborted);
            }
            post = office.post();
        }
        post.send(to, out);
        drop(post);
        self.recorder.wait_to_send(to as u64, begun, self.now());
        Ok(())
    }

    async fn recv_from(&mut self, from: usize) -> Result<M, Stop> {
        self.receive(Some(from)).map(|letter| letter.1)
    }

    async fn recv_any(&mut self) -> Result<(usize, M), Stop> {
        self.receive(None)
    }

    async fn try_recv_any(&mut self) -> Result<Option<(usize, M)>, Stop> {
        if self.office.is_stopped() {
            return Err(Stop::Aborted);
        }
        match self.take(None) {
            Some(letter) => self.read(letter).map(Some),
            None => {
                self.tell_room();
                Ok(None)
            }
        }
    }

    fn now_s(&self) -> f64 {
        self.now()
    }

    async fn claim(&mut self, counter: usize) -> Result<u64, Stop> {
        if let Some(number) = self.office.post().ask(counter, self.office.rank) {
            return Ok(number);
        }
        let begun = self.now();
        let number = self.office.wait(Office::is_stopped, |post| post.drawn());
        self.recorder.record(Stage::Wait, counter as u64, begun, self.now());
        number.ok_or(Stop::Aborted)
    }

    fn work_now<T, F>(&mut self, charge: Charge, f: F) -> Result<T, Stop>
    where
        F: FnOnce() -> Result<T, AppError>,
    {
        if self.office.is_stopped() {
            return Err(Stop::Aborted);
        }
        self.tell_room();
        let begun = self.now();
        let result = self.office.computing(|| guard(self.office.rank, charge, f));
        let end = self.now();
        self.recorder.record(charge.stage, charge.item, begun, end);
        // What gave up since the run ends has not failed.
        result.map_err(|failure| if self.office.is_stopped() { Stop::Aborted } else { Stop::Failed(failure) })
    }
}
