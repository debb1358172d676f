//! All state of a run: the ranks' clocks, the messages under way, who waits for what.
//!
//! Everything lies in one [`World`], which endpoints reach by reference; each operation borrows
//! it once. What a rank does is in `send`, `receive` and `turns`.

mod fair;
mod landing;
mod leaving;
mod ledger;
mod mail;
mod many;
mod pairs;
mod peers;
mod rank;
mod ready;
mod receive;
mod send;
mod turns;
mod warm;

use std::cell::Cell;

use forerun_platform::Stage;
use forerun_skeleton::{Message, RunError, Stop};

pub(crate) use ledger::{Account, Detail, Ledger};
use mail::Letter;
pub(crate) use mail::Mail;
pub(crate) use pairs::{MAX_WINDOW, PairId, Pairs};
pub(crate) use peers::MAX_RANKS;
pub(crate) use rank::{Rank, Waits};
pub(crate) use ready::{PollOrder, Ready};

use crate::order::{Inbox, Queue};
use crate::{LogGps, Time};
use fair::FairPort;
use landing::Landing;
use leaving::Leaving;
use pairs::HAS_INBOX;
use peers::{Peers, Way};

/// The ranks, and where their time went: what work changes, which need not borrow the world for it.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) ranks: Vec<Rank>,
    pub(crate) ledger: Ledger,
    /// Of each rank, where what leaves it takes of its processor; else none.
    leaving: Vec<Cell<Leaving>>,
}

impl Books {
    pub(crate) fn new(ranks: usize, network: &LogGps, detail: Detail) -> Self {
        Books {
            ranks: (0..ranks as u32).map(Rank::new).collect(),
            ledger: Ledger::new(ranks, detail, network.has_tolls()),
            leaving: vec![Cell::default(); if network.has_tolls() { ranks } else { 0 }],
        }
    }

    /// Lets the time pass that work takes which would take `work`, if that is in time.
    #[inline(always)]
    pub(crate) fn work(&self, my: My<'_>, stage: Stage, item: u64, work: Time) -> Option<()> {
        if my.account.is_watched() {
            return self.work_watched(my, stage, item, work);
        }
        my.clock.set(my.clock.get().and(work)?);
        my.account.worked(stage, work);
        Some(())
    }

    #[cold]
    #[inline(never)]
    fn work_watched(&self, my: My<'_>, stage: Stage, item: u64, work: Time) -> Option<()> {
        let until = my.clock.get().and(self.longer(my, stage, work))?;
        my.pass(stage, item, 1, until);
        Some(())
    }

    /// How long work takes that would take `work` and that a rank begins now: longer where what it has sent still leaves it. Storage
    /// is waited for.
    fn longer(&self, my: My<'_>, stage: Stage, work: Time) -> Time {
        match self.leaving.get(my.me as usize) {
            Some(leaving) if !matches!(stage, Stage::Read | Stage::Write) => {
                leaving.get().longer(my.clock.get(), my.port.get(), work)
            }
            _ => work,
        }
    }

    /// Notes that a message that takes `toll` of its processor is put on the port of `my` at `now`.
    fn leaves(&self, my: My<'_>, now: Time, toll: Time) {
        if let Some(leaving) = self.leaving.get(my.me as usize) {
            leaving.set(leaving.get().put(now, my.port.get(), toll));
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.ranks.len()
    }

    /// A rank and its account.
    pub(crate) fn my(&self, rank: u32) -> My<'_> {
        My { rank: &self.ranks[rank as usize], account: self.ledger.account(rank) }
    }

    /// When each rank ended, and the accounts.
    pub(crate) fn close(self) -> (Vec<Time>, Ledger) {
        (self.ranks.into_iter().map(|rank| rank.clock.get()).collect(), self.ledger)
    }
}

/// A rank and where its time is noted, so that neither is looked up for what it does itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct My<'a> {
    rank: &'a Rank,
    account: &'a Account,
}

impl My<'_> {
    /// Lets time pass on the rank, until `until`.
    #[inline(always)]
    pub(crate) fn pass(self, stage: Stage, item: u64, count: u64, until: Time) {
        let from = self.clock.replace(until);
        self.account.spend((stage, item), count, from, until);
    }

    /// Notes that the rank sent a message to `to` and is done with it at `sent`.
    #[inline(always)]
    fn sent(self, to: u32, bytes: u64, sent: Time) {
        let from = self.clock.replace(sent);
        self.account.sent(to, bytes, from, sent);
    }

    /// Notes that the rank received a message from `from` that had arrived at `arrived`.
    #[inline(always)]
    fn received(self, from: u32, arrived: Time, received: Time) {
        let called = self.clock.replace(received);
        self.account.received(from, called, arrived, received);
    }
}

impl std::ops::Deref for My<'_> {
    type Target = Rank;

    #[inline(always)]
    fn deref(&self) -> &Rank {
        self.rank
    }
}

/// The state of a run.
pub(crate) struct World<'a, M> {
    network: &'a LogGps,
    books: &'a Books,
    /// Of the ranks that receive from any.
    inboxes: Vec<Option<Box<Inbox>>>,
    pairs: Pairs,
    pub(crate) mail: Mail<M>,
    pub(crate) ready: Ready,
    /// Ranks that wait for their turn, of which some may have got a new one since they began.
    queue: Queue,
    touched: Vec<u32>,
    counters: Vec<u64>,
    /// Of each rank, where the network has receiving ports that messages take in turns; else none.
    landings: Vec<Landing>,
    /// Of each rank, where messages share them evenly; else none.
    fair: Vec<FairPort>,
    /// Why the run is to stop.
    pub(crate) stop: Option<RunError>,
}

impl<'a, M: Message> World<'a, M> {
    pub(crate) fn new(network: &'a LogGps, books: &'a Books, window: usize, order: PollOrder) -> Self {
        let (ranks, fair) = (books.size(), network.has_fair_ports());
        World {
            network,
            books,
            inboxes: (0..ranks).map(|_| None).collect(),
            pairs: Pairs::new(window),
            mail: Mail::new(),
            ready: Ready::all(ranks as u32, order),
            queue: Queue::default(),
            touched: Vec::new(),
            counters: Vec::new(),
            landings: vec![
                Landing::default();
                if network.has_receiving_ports() && !fair { ranks } else { 0 }
            ],
            fair: vec![FairPort::default(); if fair { ranks } else { 0 }],
            stop: None,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.inboxes.len()
    }

    #[inline(always)]
    pub(crate) fn rank(&self, rank: u32) -> &'a Rank {
        &self.books.ranks[rank as usize]
    }

    fn my(&self, rank: u32) -> My<'a> {
        self.books.my(rank)
    }

    /// A rank that can go on, or `None` if there is none.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<Option<u32>, RunError> {
        if let Some(why) = &self.stop {
            return Err(why.clone());
        }
        let next = match self.ready.pop() {
            None if self.next_turn() => self.ready.pop(),
            next => next,
        };
        if let Some(rank) = next
            && self.size() >= warm::MANY_RANKS
        {
            self.warm(rank);
        }
        Ok(next)
    }

    /// Notes that `rank` has ended.
    pub(crate) fn end(&mut self, rank: u32) {
        self.rank(rank).waits.set(Waits::Ended);
    }

    /// The buffer between `my` and `peer`.
    #[inline(always)]
    fn pair(&mut self, my: My<'_>, peer: usize, way: Way) -> Result<PairId, Stop> {
        match my.peers.expected(peer, way) {
            Some(pair) => Ok(pair),
            None => self.find_pair(my, peer, way),
        }
    }

    #[cold]
    #[inline(never)]
    fn find_pair(&mut self, my: My<'_>, peer: usize, way: Way) -> Result<PairId, Stop> {
        let peer = self.check(my.me, peer, if way == Way::Out { "sends to" } else { "receives from" })?;
        let key = Peers::key(peer, way);
        if let Some(pair) = my.peers.get(key) {
            return Ok(pair);
        }
        let pair = match way {
            Way::Out => self.add_pair(peer),
            Way::In => self.add_pair(my.me),
        };
        self.rank(peer).peers.add(Peers::key(my.me, way.back()), pair);
        my.peers.add_expected(key, pair);
        Ok(pair)
    }

    /// Makes a buffer to `to`.
    fn add_pair(&mut self, to: u32) -> PairId {
        let Some(pair) = self.pairs.add() else {
            self.abort(RunError::Invalid(
                "too many pairs of ranks communicate, or the window is too large: expected less than 32 GiB of buffers".into(),
            ));
            return 0;
        };
        if self.rank(to).has_inbox.get() {
            self.pairs.ring(pair).set(HAS_INBOX);
        }
        pair
    }

    /// Stops the run for the reason `why`, unless there is one already.
    #[cold]
    pub(crate) fn abort(&mut self, why: RunError) -> Stop {
        self.stop.get_or_insert(why);
        Stop::Aborted
    }

    /// Stops the run because the clock of `rank` is past the end of time.
    #[cold]
    pub(crate) fn overflow(&mut self, rank: u32) -> Stop {
        self.abort(RunError::Invalid(format!(
            "virtual time on rank {rank} exceeds 213 days (2^64 ps): check the units of the profile and the platform"
        )))
    }

    /// Refuses a rank that does not exist or is `me`.
    fn check(&mut self, me: u32, peer: usize, does: &str) -> Result<u32, Stop> {
        if peer < self.inboxes.len() && peer != me as usize {
            return Ok(peer as u32);
        }
        let size = self.inboxes.len();
        Err(self.abort(RunError::Invalid(format!(
            "rank {me} {does} rank {peer}: expected another rank, below {size}"
        ))))
    }
}
