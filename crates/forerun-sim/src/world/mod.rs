//! All state of a run: the ranks' clocks, the messages under way, who waits for what.
//!
//! Everything lies in one [`World`], which endpoints reach by reference; each operation borrows
//! it once. What a rank does is in `send`, `receive` and `turns`.

mod ledger;
mod mail;
mod pairs;
mod peers;
mod rank;
mod ready;
mod receive;
mod send;
mod turns;

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
use pairs::HAS_INBOX;
use peers::{Peers, Way};

/// The ranks, and where their time went: what work changes, which need not borrow the world for it.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) ranks: Vec<Rank>,
    pub(crate) ledger: Ledger,
}

impl Books {
    pub(crate) fn new(ranks: usize, detail: Detail) -> Self {
        Books { ranks: (0..ranks as u32).map(Rank::new).collect(), ledger: Ledger::new(ranks, detail) }
    }

    pub(crate) fn size(&self) -> usize {
        self.ranks.len()
    }

    /// Lets time pass on `rank`, until `until`.
    #[inline(always)]
    pub(crate) fn pass(&self, rank: &Rank, stage: Stage, item: u64, count: u64, until: Time) {
        let from = rank.clock.replace(until);
        self.ledger.spend(rank.me, stage, item, count, from, until);
    }

    /// When each rank ended, and the accounts.
    pub(crate) fn close(self) -> (Vec<Time>, Ledger) {
        (self.ranks.into_iter().map(|rank| rank.clock.get()).collect(), self.ledger)
    }
}

/// Where a rank finds its messages.
#[derive(Debug, Default)]
struct Route {
    peers: Peers,
    inbox: Option<Box<Inbox>>,
}

/// The state of a run.
pub(crate) struct World<'a, M> {
    network: &'a LogGps,
    books: &'a Books,
    routes: Vec<Route>,
    pairs: Pairs,
    pub(crate) mail: Mail<M>,
    pub(crate) ready: Ready,
    /// Ranks that wait for their turn, of which some may have got a new one since they began.
    queue: Queue,
    touched: Vec<u32>,
    counters: Vec<u64>,
    /// Why the run is to stop.
    pub(crate) stop: Option<RunError>,
}

impl<'a, M: Message> World<'a, M> {
    pub(crate) fn new(network: &'a LogGps, books: &'a Books, window: usize, order: PollOrder) -> Self {
        let ranks = books.size();
        World {
            network,
            books,
            routes: (0..ranks).map(|_| Route::default()).collect(),
            pairs: Pairs::new(window),
            mail: Mail::new(),
            ready: Ready::all(ranks as u32, order),
            queue: Queue::default(),
            touched: Vec::new(),
            counters: Vec::new(),
            stop: None,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.routes.len()
    }

    #[inline(always)]
    pub(crate) fn rank(&self, rank: u32) -> &'a Rank {
        &self.books.ranks[rank as usize]
    }

    /// A rank that can go on, or `None` if there is none.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<Option<u32>, RunError> {
        if let Some(why) = &self.stop {
            return Err(why.clone());
        }
        match self.ready.pop() {
            None if self.next_turn() => Ok(self.ready.pop()),
            next => Ok(next),
        }
    }

    /// Notes that `rank` has ended.
    pub(crate) fn end(&mut self, rank: u32) {
        self.rank(rank).waits.set(Waits::Ended);
    }

    /// The buffer between `me` and `peer`, which `me` asks for.
    #[inline(always)]
    fn pair(&mut self, me: u32, peer: usize, way: Way) -> Result<PairId, Stop> {
        match self.routes[me as usize].peers.expected(peer, way) {
            Some(pair) => Ok(pair),
            None => self.find_pair(me, peer, way),
        }
    }

    #[cold]
    #[inline(never)]
    fn find_pair(&mut self, me: u32, peer: usize, way: Way) -> Result<PairId, Stop> {
        let peer = self.check(me, peer, if way == Way::Out { "sends to" } else { "receives from" })?;
        if let Some(pair) = self.routes[me as usize].peers.get(peer, way) {
            return Ok(pair);
        }
        let (from, to) = if way == Way::Out { (me, peer) } else { (peer, me) };
        let pair = self.add_pair(from, to);
        // Once more, which brings it to where it was expected.
        Ok(self.routes[me as usize].peers.get(peer, way).unwrap_or(pair))
    }

    fn add_pair(&mut self, from: u32, to: u32) -> PairId {
        let Some(pair) = self.pairs.add() else {
            self.abort(RunError::Invalid(
                "too many pairs of ranks communicate, or the window is too large: expected less than 32 GiB of buffers".into(),
            ));
            return 0;
        };
        self.routes[from as usize].peers.add(to, Way::Out, pair);
        self.routes[to as usize].peers.add(from, Way::In, pair);
        if self.routes[to as usize].inbox.is_some() {
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
        if peer < self.routes.len() && peer != me as usize {
            return Ok(peer as u32);
        }
        let size = self.routes.len();
        Err(self.abort(RunError::Invalid(format!(
            "rank {me} {does} rank {peer}: expected another rank, below {size}"
        ))))
    }
}
