//! Another way to the same times: a naive model that carries out operations one by one, always
//! the one that begins earliest in virtual time. It searches everything at every step, knows no
//! ready list, futures or finality, and shares only the formulas in the docs of `LogGps`.

use std::collections::BTreeSet;

use super::Wire;
use super::script::{Op, Saw, Script};

#[derive(Debug, Clone, Default)]
struct Rank {
    next: usize,
    clock: u64,
    port: u64,
    sent: u64,
    saw: Vec<Saw>,
    nothing_at: Option<u64>,
    /// In a rendezvous, until the receiver answers.
    blocked: bool,
    /// The picoseconds for which its receiving port was taken.
    taken: BTreeSet<u64>,
    /// What its port takes of its work after a time, as long as the port is busy.
    toll: (u64, u64),
    /// When a claim arrives at its counter.
    claim: Option<u64>,
    /// All that ever came by its port, if messages share that: the sender, when the first byte comes, how long it takes alone; and
    /// how many are received.
    came: Vec<(usize, u64, u64)>,
    /// The sender that was answered whose message is on its way.
    met: Option<usize>,
    /// The picoseconds in which it waited for what came.
    waited: BTreeSet<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    arrival: u64,
    bytes: u64,
    number: u64,
}

#[derive(Debug)]
pub(crate) struct Model<'a> {
    script: &'a Script,
    wire: &'a Wire,
    window: usize,
    ranks: Vec<Rank>,
    /// All messages of a pair, and when those that were received were.
    pairs: Vec<Vec<(Vec<Sent>, Vec<u64>)>>,
    counters: Vec<u64>,
}

/// When each rank ended and what it saw; `None` if not all did.
pub(crate) type Result = Option<(Vec<u64>, Vec<Vec<Saw>>)>;

pub(crate) fn run(script: &Script, wire: &Wire, window: usize) -> Result {
    let n = script.0.len();
    let mut model = Model {
        script,
        wire,
        window,
        ranks: vec![Rank::default(); n],
        pairs: vec![vec![(Vec::new(), Vec::new()); n]; n],
        counters: vec![0; n],
    };
    while let Some((_, rank)) = (0..n).filter_map(|r| Some((model.begins(r)?, r))).min() {
        model.step(rank);
    }
    let ended = |(r, rank): (usize, &Rank)| rank.next == script.0[r].len() && !rank.blocked;
    if !model.ranks.iter().enumerate().all(ended) {
        return None;
    }
    Some((model.ranks.iter().map(|r| r.clock).collect(), model.ranks.into_iter().map(|r| r.saw).collect()))
}

impl Model<'_> {
    fn heads(&self, me: usize) -> Option<(u64, usize)> {
        let head = |from: usize| {
            let (sent, received) = &self.pairs[from][me];
            let message = sent.get(received.len())?;
            Some((if self.is_fair() { self.lands(me, from) } else { message.arrival }, from))
        };
        (0..self.ranks.len()).filter_map(head).min()
    }

    /// When the next operation of a rank begins to have an effect, if that is known.
    fn begins(&self, me: usize) -> Option<u64> {
        let rank = &self.ranks[me];
        if rank.blocked {
            return None;
        }
        match *self.script.0[me].get(rank.next)? {
            Op::Work(_) => Some(rank.clock),
            Op::Send(to, _) => {
                let (sent, received) = &self.pairs[me][to];
                match sent.len().checked_sub(self.window) {
                    None => Some(rank.clock),
                    Some(before) => received.get(before).map(|&at| at.max(rank.clock)),
                }
            }
            _ if rank.met.is_some() => rank.met.map(|from| self.lands(me, from)),
            Op::ReceiveFrom(from) => {
                let (sent, received) = &self.pairs[from][me];
                sent.get(received.len()).map(|_| self.lands(me, from).max(rank.clock))
            }
            Op::ReceiveAny => self.heads(me).map(|(_, from)| self.lands(me, from).max(rank.clock)),
            Op::TryReceiveAny if rank.nothing_at == Some(rank.clock) => {
                Some(rank.clock + self.wire.latency.max(1000))
            }
            Op::TryReceiveAny => Some(rank.clock),
            Op::Claim(_) => Some(rank.claim.unwrap_or(rank.clock)),
        }
    }

    fn step(&mut self, me: usize) {
        let Some(at) = self.begins(me) else { return };
        let op = self.script.0[me][self.ranks[me].next];
        self.ranks[me].next += 1;
        if let Some(from) = self.ranks[me].met {
            return self.receive(me, from, at);
        }
        match op {
            Op::Work(d) => {
                let (now, port) = (at, self.ranks[me].port);
                let toll = self.toll(me, now).min(port.saturating_sub(now));
                let end = match d {
                    _ if d == 0 || toll == 0 => now + d,
                    _ if d + toll >= port - now => now + d + toll,
                    _ => now + d * (port - now) / (port - now - toll),
                };
                self.ranks[me].clock = end;
            }
            Op::Send(to, bytes) => self.send(me, to, bytes, at),
            Op::ReceiveFrom(from) => self.receive(me, from, at),
            Op::ReceiveAny => {
                if let Some((_, from)) = self.heads(me) {
                    self.receive(me, from, at);
                }
            }
            Op::TryReceiveAny => match self.heads(me) {
                Some((_, from)) if self.lands(me, from) <= at => {
                    self.ranks[me].clock = at;
                    self.receive(me, from, at);
                }
                _ => {
                    self.ranks[me].clock = at;
                    self.ranks[me].nothing_at = Some(at);
                    self.ranks[me].saw.push(Saw::Nothing);
                }
            },
            Op::Claim(counter) => self.claim(me, counter, at),
        }
    }

    /// What is left at `at` of what a rank's port takes of its work.
    fn toll(&self, me: usize, at: u64) -> u64 {
        let Rank { port, toll: (toll, since), .. } = self.ranks[me];
        if at >= port { 0 } else { toll * (port - at) / (port - since) }
    }

    /// Puts a message on a rank's port at time `at`; gives its arrival.
    fn inject(&mut self, me: usize, bytes: u64, at: u64) -> u64 {
        self.ranks[me].toll = (self.toll(me, at) + bytes * self.wire.send_interference_per_byte, at);
        let mut injected = at.max(self.ranks[me].port);
        let mut left = bytes;
        loop {
            // Segment by segment; only the last one arrives with the message.
            let piece = left.min(self.wire.segment.unwrap_or(u64::MAX));
            left -= piece;
            let long = piece.saturating_sub(1) * self.wire.gap_per_byte;
            self.ranks[me].port = injected + long + self.wire.gap;
            if left == 0 {
                return injected + long + self.wire.latency;
            }
            injected = self.ranks[me].port;
        }
    }

    fn send(&mut self, me: usize, to: usize, bytes: u64, at: u64) {
        let meets = self.wire.rendezvous.is_some_and(|s| bytes > s);
        let first = if meets { 0 } else { bytes };
        let sent = at + self.wire.send.0 + self.wire.send.1 * first;
        let arrival = self.inject(me, first, sent);
        let rank = &mut self.ranks[me];
        rank.clock = sent;
        rank.blocked = meets;
        let number = rank.sent;
        rank.sent += 1;
        self.pairs[me][to].0.push(Sent { arrival, bytes, number });
        self.comes(me, to, arrival, first);
    }

    fn is_fair(&self) -> bool {
        self.wire.fair && self.wire.receive_gap_per_byte > 0
    }

    fn comes(&mut self, from: usize, to: usize, arrival: u64, bytes: u64) {
        let takes = bytes.saturating_sub(1) * self.wire.receive_gap_per_byte;
        let first = self.first_byte(arrival, bytes);
        self.ranks[to].came.push((from, first, takes));
    }

    /// When message `number` of `from`, requests counted too, has come in by the port of `me`, picosecond by picosecond.
    fn comes_fairly(&self, me: usize, from: usize, number: usize) -> u64 {
        const STEPS: u64 = 1 << 32;
        let came = &self.ranks[me].came;
        let mut left: Vec<(usize, u64, u64)> = came.clone();
        // What each had of the port, and is to have, of those that come.
        let mut coming: Vec<(usize, u64)> = Vec::new();
        let (mut had, mut since, mut ended) = (0, 0, 0);
        for now in 0.. {
            loop {
                let many = coming.len() as u64;
                let has = had + ((now - since) * STEPS).checked_div(many).unwrap_or(0);
                let ends = coming.iter().position(|c| c.1 <= has);
                if let Some(at) = ends {
                    (had, since) = (has, now);
                    let (its, _) = coming.remove(at);
                    if its == from {
                        ended += 1;
                        if ended > number {
                            return now;
                        }
                    }
                    continue;
                }
                // The first that is left of a sender of which none comes.
                let begins = (0..left.len()).find(|&at| {
                    let (its, first, _) = left[at];
                    first <= now
                        && !coming.iter().any(|c| c.0 == its)
                        && !left[..at].iter().any(|before| before.0 == its)
                });
                let Some(at) = begins else { break };
                (had, since) = (has, now);
                let (its, _, takes) = left.remove(at);
                coming.push((its, had + takes * STEPS));
            }
        }
        unreachable!()
    }

    /// When the next message of `from` has come in by the port of `me`; one that meets its receiver has then asked for it.
    fn lands(&self, me: usize, from: usize) -> u64 {
        let (sent, received) = &self.pairs[from][me];
        let Sent { arrival, bytes, .. } = sent[received.len()];
        let meets = self.wire.rendezvous.is_some_and(|s| bytes > s);
        if self.is_fair() {
            let requests = sent[..received.len()]
                .iter()
                .filter(|m| self.wire.rendezvous.is_some_and(|s| m.bytes > s))
                .count();
            let answered = usize::from(self.ranks[me].met == Some(from));
            return self.comes_fairly(me, from, received.len() + requests + answered);
        }
        self.port(me, arrival, if meets { 0 } else { bytes }).last().map_or(arrival, |last| last + 1)
    }

    /// When the first byte comes of a message that arrives at `arrival`.
    fn first_byte(&self, arrival: u64, bytes: u64) -> u64 {
        let Wire { gap_per_byte, receive_gap_per_byte, .. } = *self.wire;
        let each =
            if receive_gap_per_byte > 0 { receive_gap_per_byte.min(gap_per_byte) } else { gap_per_byte };
        arrival.saturating_sub(bytes.saturating_sub(1) * each)
    }

    /// The picoseconds that a message that arrives at `arrival` takes of the receiving port of `me`: the first that are free
    /// from when its first byte comes.
    fn port(&self, me: usize, arrival: u64, bytes: u64) -> Vec<u64> {
        let further = bytes.saturating_sub(1);
        let takes = further * self.wire.receive_gap_per_byte;
        (self.first_byte(arrival, bytes)..)
            .filter(|ps| !self.ranks[me].taken.contains(ps))
            .take(takes as usize)
            .collect()
    }

    fn receive(&mut self, me: usize, from: usize, at: u64) {
        let (sent, received) = &self.pairs[from][me];
        let Sent { arrival, bytes, number } = sent[received.len()];
        let (o_s, o_r) = (self.wire.send, self.wire.receive);
        let arrived;
        if self.is_fair() && self.ranks[me].met == Some(from) {
            arrived = at;
            let called = self.ranks[me].clock;
            self.ranks[me].waited.extend(called..at);
            self.ranks[me].met = None;
        } else if self.ranks[from].blocked && self.wire.rendezvous.is_some_and(|s| bytes > s) {
            let answered = at + o_r.0 + o_s.0;
            let back = self.inject(me, 0, answered);
            let sent = back.max(self.ranks[from].clock) + o_r.0 + o_s.0 + o_s.1 * bytes;
            let arrival = self.inject(from, bytes, sent);
            if self.is_fair() {
                self.comes(from, me, arrival, bytes);
                self.ranks[from].clock = sent;
                self.ranks[from].blocked = false;
                self.ranks[me].met = Some(from);
                self.ranks[me].next -= 1;
                return;
            }
            let port = self.port(me, arrival, bytes);
            arrived = answered.max(port.last().map_or(arrival, |last| last + 1));
            self.ranks[me].taken.extend(port);
            self.ranks[from].clock = sent;
            self.ranks[from].blocked = false;
        } else {
            let done = if self.is_fair() {
                self.lands(me, from)
            } else {
                let port = self.port(me, arrival, bytes);
                let done = port.last().map_or(arrival, |last| last + 1);
                self.ranks[me].taken.extend(port);
                done
            };
            // What the bytes that came before took of the rank's work.
            let called = self.ranks[me].clock;
            let all = bytes * self.wire.interference_per_byte;
            let begun = self.first_byte(arrival, bytes);
            let until = called.min(done);
            let worked = (begun..until).filter(|ps| !self.ranks[me].waited.contains(ps)).count() as u64;
            let taken = match called {
                _ if called <= begun => 0,
                _ if worked >= done.saturating_sub(begun) => all,
                _ => all * worked / (done - begun),
            };
            arrived = done.max(called + taken);
            if self.is_fair() {
                self.ranks[me].waited.extend(called + taken..arrived);
            }
        }
        let end = arrived + o_r.0 + o_r.1 * bytes;
        self.pairs[from][me].1.push(end);
        self.ranks[me].clock = end;
        self.ranks[me].saw.push(Saw::Message(from, number));
    }

    fn claim(&mut self, me: usize, counter: usize, at: u64) {
        if counter != me && self.ranks[me].claim.is_none() {
            let sent = at + self.wire.send.0;
            self.ranks[me].clock = sent;
            self.ranks[me].toll = (self.toll(me, sent), sent);
            self.ranks[me].claim = Some(sent + self.wire.latency);
            self.ranks[me].next -= 1;
            return;
        }
        let number = self.counters[counter];
        self.counters[counter] += 1;
        let rank = &mut self.ranks[me];
        rank.saw.push(Saw::Number(number));
        if rank.claim.take().is_some() {
            rank.clock = at + self.wire.latency + self.wire.receive.0;
        }
    }
}
