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

/// Counts and times by stage, of one rank or of all together. Noting needs no exclusive access, so that
/// work does not have to borrow the world.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// How long was waited for messages is left out: all time goes somewhere, and it is the rest.
    lines: [Line; STAGES],
    /// How often was waited for messages, beside what is in the lines.
    waits: Cell<u64>,
    /// Requests to counters, which are sent but are no messages.
    requests: Cell<u64>,
    bytes: Cell<u64>,
    /// The timeline, where one is kept.
    timeline: Option<Box<RefCell<Timeline>>>,
    /// Whether work needs more than adding up: there is a timeline, or what leaves the rank makes work longer.
    is_watched: bool,
}

impl Account {
    /// Notes that its rank was in `stage` for `item` from `from` until `until`, `count` times.
    #[inline(always)]
    pub(crate) fn spend(&self, (stage, item): (Stage, u64), count: u64, from: Time, until: Time) {
        self.lines[stage as usize].add(count, until.after(from).picos());
        if self.timeline.is_some() {
            self.draw(stage, item, from, until);
        }
    }

    /// Notes that its rank worked; not where it is watched.
    #[inline(always)]
    pub(crate) fn worked(&self, stage: Stage, time: Time) {
        self.lines[stage as usize].add(1, time.picos());
    }

    /// Whether work needs more than adding up.
    #[inline(always)]
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Notes that its rank sent a message to `to`.
    #[inline(always)]
    pub(crate) fn sent(&self, to: u32, bytes: u64, from: Time, until: Time) {
        self.spend((Stage::Send, u64::from(to)), 1, from, until);
        self.bytes.set(self.bytes.get() + bytes);
    }

    /// Notes that what was spent on sending last was a request to a counter.
    pub(crate) fn requested(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    /// Notes that its rank received a message from `from`, for which it waited from `called` until
    /// `arrived`.
    #[inline(always)]
    pub(crate) fn received(&self, from: u32, called: Time, arrived: Time, until: Time) {
        self.waits.set(self.waits.get() + u64::from(arrived > called));
        self.lines[Stage::Receive as usize].add(1, until.after(arrived).picos());
        if self.timeline.is_some() {
            self.draw(Stage::Wait, u64::from(from), called, arrived);
            self.draw(Stage::Receive, u64::from(from), arrived, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn draw(&self, stage: Stage, item: u64, from: Time, until: Time) {
        if let Some(timeline) = &self.timeline
            && until > from
        {
            let span = Span { stage, item, start_s: from.seconds(), end_s: until.seconds() };
            timeline.borrow_mut().add(span);
        }
    }

    fn merge(&self, other: &Account) {
        for (mine, its) in self.lines.iter().zip(&other.lines) {
            mine.add(its.count.get(), its.low.get());
            mine.high.set(mine.high.get() + its.high.get());
        }
        self.waits.set(self.waits.get() + other.waits.get());
        self.requests.set(self.requests.get() + other.requests.get());
        self.bytes.set(self.bytes.get() + other.bytes.get());
    }

    /// The stages that occurred, of ranks that took so many picoseconds together.
    pub(crate) fn stages(&self, all: u128) -> BTreeMap<Stage, StageTotal> {
        let elsewhere = Stage::ALL.into_iter().filter(|&stage| stage != Stage::Wait);
        let waited = all - elsewhere.map(|stage| self.lines[stage as usize].time()).sum::<u128>();
        let total = |stage: Stage| {
            let Line { count, .. } = &self.lines[stage as usize];
            let (count, time) = match stage {
                Stage::Wait => (count.get() + self.waits.get(), waited),
                _ => (count.get(), self.lines[stage as usize].time()),
            };
            StageTotal { count, total_s: time as f64 / 1e12 }
        };
        Stage::ALL.into_iter().map(|stage| (stage, total(stage))).filter(|(_, l)| l.count > 0).collect()
    }

    pub(crate) fn messages(&self) -> u64 {
        self.lines[Stage::Send as usize].count.get() - self.requests.get()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}

/// The accounts of a run.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// One for all ranks, or one for each.
    accounts: Vec<Account>,
    ranks: usize,
}

impl Ledger {
    pub(crate) fn new(ranks: usize, detail: Detail, has_tolls: bool) -> Self {
        let (accounts, spans) = match detail {
            Detail::Totals => (1, 0),
            Detail::Ranks(spans) => (ranks, spans),
        };
        let timeline = || (spans > 0).then(|| Box::new(RefCell::new(Timeline::new(spans))));
        let is_watched = spans > 0 || has_tolls;
        let account = |_| Account { timeline: timeline(), is_watched, ..Account::default() };
        Ledger { accounts: (0..accounts).map(account).collect(), ranks }
    }

    /// Where `rank` is noted.
    pub(crate) fn account(&self, rank: u32) -> &Account {
        &self.accounts[if self.accounts.len() == 1 { 0 } else { rank as usize }]
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
    pub(crate) fn into_ranks(self, ends: &[Time]) -> Vec<RankTimes> {
        if self.accounts.len() < self.ranks {
            return Vec::new();
        }
        let times = |(account, end): (Account, &Time)| RankTimes {
            stages: account.stages(u128::from(end.picos())),
            end_s: end.seconds(),
            messages: account.messages(),
            bytes: account.bytes(),
            timeline: account.timeline.map_or_else(Vec::new, |t| t.into_inner().into_spans()),
        };
        self.accounts.into_iter().zip(ends).map(times).collect()
    }
}
