//! The operations that wait for their turn in virtual time: receive-from-any, its try, claims.
//!
//! While a rank waits, its `word` is the time of its turn in picoseconds ([`Time::MAX`]: not known
//! yet); afterwards it is the answer: the sender and the pair of the message to take, [`NOTHING`],
//! or the number drawn.

use std::task::Poll;

use forerun_platform::Stage;
use forerun_skeleton::{Message, RunError, Stop};

use super::pairs::{HAS_INBOX, PairId};
use super::peers::{Peers, Way};
use super::{My, Waits, World};
use crate::Time;
use crate::order::Inbox;

/// The answer that nothing has arrived.
const NOTHING: u64 = u64::MAX;

/// The least time between two questions of a rank that got no answer.
const PATIENCE: Time = Time::from_picos(1000);

impl<M: Message> World<'_, M> {
    /// What `my` receives from any at once, if what arrives first is known without waiting for a turn: its sender and the pair.
    #[inline(always)]
    pub(crate) fn any_now(&mut self, my: My<'_>) -> Option<(u32, PairId)> {
        let before = self.nothing_before()?;
        let (arrival, from, pair) = self.first(my.me)?;
        (arrival < before && !self.is_long(pair)).then_some((from, pair))
    }

    /// Says at once whether something has arrived, if that is known without waiting for a turn.
    pub(crate) fn try_now(&mut self, my: My<'_>) -> Option<Result<Option<(usize, M)>, Stop>> {
        let before = self.nothing_before()?;
        let turn = self.turn_to_try(my);
        self.inboxes[my.me as usize].as_ref()?;
        match self.first(my.me) {
            Some((arrival, from, pair)) if arrival <= turn && arrival < before && !self.is_long(pair) => {
                self.let_pass(my, turn);
                Some(self.receive_first(my, from, pair)?.map(Some))
            }
            Some((arrival, ..)) if arrival <= turn => None,
            _ if turn < before && turn < Time::MAX => {
                if let Some(inbox) = &mut self.inboxes[my.me as usize] {
                    inbox.nothing_at = Some(turn);
                }
                self.let_pass(my, turn);
                Some(Ok(None))
            }
            _ => None,
        }
    }

    /// While only one rank runs: before when no message arrives that is not under way yet. `None`
    /// if that would first have to be found out.
    ///
    /// Whoever can go on does so no earlier than its clock or its turn; whoever cannot is made to
    /// by one of those.
    #[inline(always)]
    pub(super) fn nothing_before(&mut self) -> Option<Time> {
        let latency = self.network.latency();
        if !self.touched.is_empty() || latency == Time::ZERO {
            return None;
        }
        Some(self.ready.since().min(self.queue.first().unwrap_or(Time::MAX)).plus(latency))
    }

    /// Whether the oldest message of `pair` is first asked for and then waited for, at a port that is shared evenly.
    #[inline(always)]
    fn is_long(&self, pair: PairId) -> bool {
        self.network.has_fair_ports() && self.network.waits_for_receiver(self.bytes_of_oldest(pair))
    }

    /// What the oldest message of `pair` has; 0 if there is none.
    #[inline(never)]
    pub(super) fn bytes_of_oldest(&self, pair: PairId) -> u64 {
        self.pairs.oldest(pair).and_then(|letter| self.mail.get(letter)).map_or(0, M::bytes)
    }

    /// The message that comes first to `me`, which receives from any, of those that are under way: when it is there, its sender, its pair.
    #[inline(always)]
    fn first(&mut self, me: u32) -> Option<(Time, u32, PairId)> {
        if let Some(port) = self.fair.get(me as usize) {
            return port.first();
        }
        let inbox = self.inboxes[me as usize].as_mut()?;
        let (arrival, from, pair) = inbox.first(&self.pairs, &self.mail)?;
        Some((self.lands(me, pair, arrival), from, pair))
    }

    /// Receives the message whose entry is the first of the inbox; nothing if that must be waited for.
    fn receive_first(&mut self, my: My<'_>, from: u32, pair: PairId) -> Option<Result<(usize, M), Stop>> {
        Some(self.receive::<true>(my, from, pair)?.map(|m| (from as usize, m)))
    }

    /// Begins to receive from any.
    pub(crate) fn begin_any(&mut self, my: My<'_>) {
        let inbox = self.open_inbox(my);
        my.waits.set(Waits::Any);
        my.word.set(Time::MAX.picos());
        if !std::mem::replace(&mut inbox.touched, true) {
            self.touched.push(my.me);
        }
    }

    /// Begins to see whether something has arrived.
    pub(crate) fn begin_try(&mut self, my: My<'_>) {
        self.open_inbox(my);
        let turn = self.turn_to_try(my);
        self.wait_for_turn(my, Waits::Try, turn);
    }

    /// When `my` sees whether something has arrived, if it asks now.
    fn turn_to_try(&self, my: My<'_>) -> Time {
        let now = my.clock.get();
        // Asked again in the same instant, the answer would be the same, for ever.
        let inbox = self.inboxes[my.me as usize].as_ref();
        if inbox.is_some_and(|inbox| inbox.nothing_at == Some(now)) {
            now.plus(self.network.latency().max(PATIENCE))
        } else {
            now
        }
    }

    /// Begins to draw from `counter`.
    pub(crate) fn begin_claim(&mut self, my: My<'_>, counter: usize) -> Result<(), Stop> {
        let (me, size) = (my.me, self.size());
        if counter >= size {
            return Err(self.abort(RunError::Invalid(format!(
                "rank {me} claims from counter {counter}: expected one below {size}"
            ))));
        }
        let turn = if counter == me as usize {
            my.clock.get()
        } else {
            let network = self.network;
            let travel = network.travel(0);
            let sent = my.clock.get().plus(network.send_overhead(0));
            self.books.leaves(my, sent, Time::ZERO);
            my.pass(Stage::Send, counter as u64, 1, sent);
            my.account.requested();
            // Ahead of what the rank has sent, as the answer is: MPI sends what is large in pieces.
            sent.plus(travel.arrival)
        };
        self.wait_for_turn(my, Waits::Claim(counter as u32), turn);
        Ok(())
    }

    /// The sender and the pair of the message that the turn of `my` gave; nothing if it has not come, or gave none.
    #[inline]
    pub(crate) fn turn_gave(&self, my: My<'_>) -> Option<(u32, PairId)> {
        let word = my.word.get();
        (my.waits.get() == Waits::Nothing && word != NOTHING).then_some(((word >> 32) as u32, word as PairId))
    }

    /// The message that the turn of a try gave, or that there was none.
    pub(crate) fn end_try(&mut self, my: My<'_>) -> Poll<Result<Option<(usize, M)>, Stop>> {
        match self.turn_gave(my) {
            Some((from, pair)) => match self.receive_first(my, from, pair) {
                Some(received) => Poll::Ready(received.map(Some)),
                None => Poll::Pending,
            },
            None if my.waits.get() == Waits::Nothing => Poll::Ready(Ok(None)),
            None => Poll::Pending,
        }
    }

    /// The number drawn.
    pub(crate) fn end_claim(&mut self, my: My<'_>) -> Poll<Result<u64, Stop>> {
        if my.waits.get() != Waits::Nothing {
            Poll::Pending
        } else if my.clock.get() == Time::MAX {
            Poll::Ready(Err(self.overflow(my.me)))
        } else {
            Poll::Ready(Ok(my.word.get()))
        }
    }

    /// Gives the rank whose turn is earliest its answer; says whether there was one.
    ///
    /// Only to be called when no rank can go on: then no message that is sent later arrives
    /// before that turn.
    #[inline(never)]
    pub(crate) fn next_turn(&mut self) -> bool {
        self.update_turns();
        while let Some((turn, rank)) = self.queue.pop() {
            let my = self.my(rank);
            if my.word.get() != turn.picos() {
                continue;
            }
            if let Some(port) = self.fair.get_mut(rank as usize) {
                port.advance(turn);
            }
            let waits = my.waits.get();
            match waits {
                Waits::Any | Waits::Landing(_) => {
                    let Some((at, from, pair)) = self.due(my, waits) else { continue };
                    // Others that come beside it may have delayed it.
                    if at > turn {
                        self.wait_for_turn(my, waits, at);
                        continue;
                    }
                    my.word.set(u64::from(from) << 32 | u64::from(pair));
                }
                Waits::Try => self.grant_try(my, turn),
                Waits::Claim(counter) => self.grant_claim(my, counter, turn),
                _ => continue,
            }
            my.waits.set(Waits::Nothing);
            self.ready.push(rank, my.clock.get());
            return true;
        }
        false
    }

    /// Queues ranks in receive-from-any for which messages have come.
    fn update_turns(&mut self) {
        while let Some(me) = self.touched.pop() {
            let my = self.my(me);
            let Some(inbox) = &mut self.inboxes[me as usize] else { continue };
            inbox.touched = false;
            if my.waits.get() != Waits::Any {
                continue;
            }
            if let Some((arrival, ..)) = self.first(me) {
                let turn = my.clock.get().max(arrival);
                if my.word.get() != turn.picos() {
                    my.word.set(turn.picos());
                    self.queue.add(turn, me);
                }
            }
        }
    }

    pub(super) fn wait_for_turn(&mut self, my: My<'_>, waits: Waits, turn: Time) {
        my.waits.set(waits);
        my.word.set(turn.picos());
        self.queue.add(turn, my.me);
    }

    /// The message that `my` waits for in its turn.
    fn due(&mut self, my: My<'_>, waits: Waits) -> Option<(Time, u32, PairId)> {
        let Waits::Landing(from) = waits else { return self.first(my.me) };
        let pair = my.peers.get(Peers::key(from, Way::In))?;
        Some((self.fair.get(my.me as usize)?.done(pair), from, pair))
    }

    fn grant_try(&mut self, my: My<'_>, turn: Time) {
        self.let_pass(my, turn);
        match self.first(my.me).filter(|&(arrival, ..)| arrival <= turn) {
            Some((_, from, pair)) => {
                my.word.set(u64::from(from) << 32 | u64::from(pair));
            }
            None => {
                if let Some(inbox) = &mut self.inboxes[my.me as usize] {
                    inbox.nothing_at = Some(turn);
                }
                my.word.set(NOTHING);
            }
        }
    }

    /// Lets time pass on a rank that asks again.
    fn let_pass(&self, my: My<'_>, turn: Time) {
        if turn > my.clock.get() {
            my.pass(Stage::Wait, u64::from(my.me), 1, turn);
        }
    }

    fn grant_claim(&mut self, my: My<'_>, counter: u32, turn: Time) {
        let c = counter as usize;
        if c >= self.counters.len() {
            self.counters.resize(c + 1, 0);
        }
        my.word.set(self.counters[c]);
        self.counters[c] += 1;
        if counter == my.me {
            return;
        }
        let network = self.network;
        let back = turn.plus(network.travel(0).arrival);
        let received = back.plus(network.receive_overhead(0));
        my.pass(Stage::Wait, u64::from(counter), 1, back);
        my.pass(Stage::Receive, u64::from(counter), 1, received);
    }

    /// The inbox of `my`, which it keeps from now on.
    #[inline]
    fn open_inbox(&mut self, my: My<'_>) -> &mut Inbox {
        if self.inboxes[my.me as usize].is_none() {
            self.fill_inbox(my);
        }
        self.inboxes[my.me as usize].get_or_insert_default()
    }

    #[cold]
    fn fill_inbox(&mut self, my: My<'_>) {
        let mut inbox = Box::<Inbox>::default();
        for (from, pair) in my.peers.incoming() {
            self.pairs.ring(pair).set(HAS_INBOX);
            if let Some(letter) = self.pairs.oldest(pair)
                && !self.network.has_fair_ports()
            {
                inbox.add(self.mail.arrival(letter), from, pair);
            }
        }
        self.inboxes[my.me as usize] = Some(inbox);
        my.has_inbox.set(true);
    }
}
