//! Where the time goes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use forerun_platform::{RankTimes, Span, Stage, StageTotal};

use forerun_skeleton::Timeline;

use crate::Time;

/// What is noted during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Totals over all ranks: no memory per rank.
    Totals,
    /// Totals of each rank, and its timeline in so many spans.
    Ranks(usize),
}

const STAGES: usize = Stage::ALL.len();

/// How often, and how long.
#[derive(Debug, Default)]
struct Line {
    count: Cell<u64>,
    /// In picoseconds; of all ranks together they can exceed 2^64.
    low: Cell<u64>,
    high: Cell<u64>,
}

impl Line {
    #[inline(always)]
    fn add(&self, count: u64, picos: u64) {
        self.count.set(self.count.get() + count);
        let (low, carry) = self.low.get().overflowing_add(picos);
        self.low.set(low);
        self.high.set(self.high.get() + u64::from(carry));
    }

    fn time(&self) -> u128 {
        u128::from(self.high.get()) << 64 | u128::from(self.low.get())
    }
}

/// Counts and times by stage, of one rank or of all together.
#[derive(Debug, Default)]
pub(crate) struct Account {
    lines: [Line; STAGES],
    /// Requests to counters, which are sent but are no messages.
    requests: Cell<u64>,
    bytes: Cell<u64>,
    /// Whether a timeline is kept.
    draws: bool,
}

impl Account {
    #[inline(always)]
    fn add(&self, stage: Stage, count: u64, time: Time) {
        self.lines[stage as usize].add(count, time.picos());
    }

    fn merge(&self, other: &Account) {
        for (mine, its) in self.lines.iter().zip(&other.lines) {
            mine.add(its.count.get(), its.low.get());
            mine.high.set(mine.high.get() + its.high.get());
        }
        self.requests.set(self.requests.get() + other.requests.get());
        self.bytes.set(self.bytes.get() + other.bytes.get());
    }

    /// The stages that occurred.
    pub(crate) fn stages(&self) -> BTreeMap<Stage, StageTotal> {
        let line = |stage: Stage| StageTotal {
            count: self.lines[stage as usize].count.get(),
            total_s: self.lines[stage as usize].time() as f64 / 1e12,
        };
        Stage::ALL.into_iter().map(|stage| (stage, line(stage))).filter(|(_, l)| l.count > 0).collect()
    }

    pub(crate) fn messages(&self) -> u64 {
        self.lines[Stage::Send as usize].count.get() - self.requests.get()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}

/// The accounts of a run. Noting needs no exclusive access, so that work does not have to borrow
/// the world.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// One for all ranks, or one for each.
    accounts: Vec<Account>,
    ranks: usize,
    /// The timeline of each rank; empty where none is kept.
    timelines: Vec<RefCell<Timeline>>,
}

impl Ledger {
    pub(crate) fn new(ranks: usize, detail: Detail) -> Self {
        let (accounts, timeline) = match detail {
            Detail::Totals => (1, 0),
            Detail::Ranks(timeline) => (ranks, timeline),
        };
        let timelines = if timeline > 0 { ranks } else { 0 };
        Ledger {
            accounts: (0..accounts).map(|_| Account { draws: timeline > 0, ..Account::default() }).collect(),
            ranks,
            timelines: (0..timelines).map(|_| RefCell::new(Timeline::new(timeline))).collect(),
        }
    }

    /// Where `rank` is noted.
    pub(crate) fn account(&self, rank: u32) -> &Account {
        &self.accounts[if self.accounts.len() == 1 { 0 } else { rank as usize }]
    }

    /// Notes that `rank` was in `stage` for `item` from `from` until `until`, `count` times.
    #[inline(always)]
    pub(crate) fn spend(
        &self,
        (account, rank): (&Account, u32),
        (stage, item): (Stage, u64),
        count: u64,
        from: Time,
        until: Time,
    ) {
        account.add(stage, count, until.after(from));
        if account.draws {
            self.draw(rank, stage, item, from, until);
        }
    }

    /// Notes that `rank` sent a message to `to`.
    #[inline(always)]
    pub(crate) fn sent(
        &self,
        (account, rank): (&Account, u32),
        to: u32,
        bytes: u64,
        from: Time,
        until: Time,
    ) {
        self.spend((account, rank), (Stage::Send, u64::from(to)), 1, from, until);
        account.bytes.set(account.bytes.get() + bytes);
    }

    /// Notes that what was spent on sending last was a request to a counter.
    pub(crate) fn requested(&self, account: &Account) {
        account.requests.set(account.requests.get() + 1);
    }

    /// Notes that `rank` received a message from `from`, for which it waited from `called` until
    /// `arrived`.
    #[inline(always)]
    pub(crate) fn received(
        &self,
        (account, rank): (&Account, u32),
        from: u32,
        called: Time,
        arrived: Time,
        until: Time,
    ) {
        account.add(Stage::Wait, u64::from(arrived > called), arrived.after(called));
        account.add(Stage::Receive, 1, until.after(arrived));
        if account.draws {
            self.draw(rank, Stage::Wait, u64::from(from), called, arrived);
            self.draw(rank, Stage::Receive, u64::from(from), arrived, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn draw(&self, rank: u32, stage: Stage, item: u64, from: Time, until: Time) {
        if until > from {
            let mut spans = self.timelines[rank as usize].borrow_mut();
            spans.add(Span { stage, item, start_s: from.seconds(), end_s: until.seconds() });
        }
    }

    /// All ranks together.
    pub(crate) fn into_total(self) -> Account {
        let all = Account::default();
        for account in &self.accounts {
            all.merge(account);
        }
        all
    }

    /// Every rank by itself, given when each ended; empty if only totals were noted.
    pub(crate) fn into_ranks(self, ends: impl Iterator<Item = Time>) -> Vec<RankTimes> {
        if self.accounts.len() < self.ranks {
            return Vec::new();
        }
        let timelines = self
            .timelines
            .into_iter()
            .map(|t| t.into_inner().into_spans())
            .chain(std::iter::repeat(Vec::new()));
        self.accounts
            .into_iter()
            .zip(ends)
            .zip(timelines)
            .map(|((account, end), timeline)| RankTimes {
                stages: account.stages(),
                end_s: end.seconds(),
                messages: account.messages(),
                bytes: account.bytes(),
                timeline,
            })
            .collect()
    }
}
