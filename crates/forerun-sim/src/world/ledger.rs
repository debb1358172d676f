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

/// Counts and times by stage, of one rank or of all together.
#[derive(Debug, Default)]
pub(crate) struct Account {
    stages: [Line; STAGES],
    messages: Cell<u64>,
    bytes: Cell<u64>,
}

const STAGES: usize = Stage::ALL.len();

/// One stage. Of all ranks together the time can exceed 2^64 ps, so it has a carry.
#[derive(Debug, Default)]
struct Line {
    count: Cell<u64>,
    picos: Cell<u64>,
    carry: Cell<u64>,
}

impl Line {
    #[inline(always)]
    fn add(&self, count: u64, time: Time) {
        self.count.set(self.count.get() + count);
        let (sum, over) = self.picos.get().overflowing_add(time.picos());
        self.picos.set(sum);
        if over {
            self.carry.set(self.carry.get() + 1);
        }
    }

    fn seconds(&self) -> f64 {
        (u128::from(self.carry.get()) << 64 | u128::from(self.picos.get())) as f64 / 1e12
    }
}

impl Account {
    fn merge(&self, other: &Account) {
        for (mine, theirs) in self.stages.iter().zip(&other.stages) {
            mine.add(theirs.count.get(), Time::from_picos(theirs.picos.get()));
            mine.carry.set(mine.carry.get() + theirs.carry.get());
        }
        self.messages.set(self.messages.get() + other.messages.get());
        self.bytes.set(self.bytes.get() + other.bytes.get());
    }

    /// The stages that occurred.
    pub(crate) fn stages(&self) -> BTreeMap<Stage, StageTotal> {
        Stage::ALL
            .into_iter()
            .zip(&self.stages)
            .filter(|(_, line)| line.count.get() > 0)
            .map(|(s, line)| (s, StageTotal { count: line.count.get(), total_s: line.seconds() }))
            .collect()
    }

    pub(crate) fn messages(&self) -> u64 {
        self.messages.get()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}

/// The account of one rank, and its timeline.
#[derive(Debug, Default)]
struct Page {
    account: Account,
    /// In a box: of very many ranks no timeline is kept.
    spans: RefCell<Option<Box<Timeline>>>,
}

/// The accounts of a run. Noting needs no exclusive access, so that work does not have to borrow
/// the world.
#[derive(Debug)]
pub(crate) struct Ledger {
    all: Account,
    pages: Vec<Page>,
    timeline: usize,
}

impl Ledger {
    pub(crate) fn new(ranks: usize, detail: Detail) -> Self {
        let (pages, timeline) = match detail {
            Detail::Totals => (0, 0),
            Detail::Ranks(timeline) => (ranks, timeline),
        };
        Ledger { all: Account::default(), pages: (0..pages).map(|_| Page::default()).collect(), timeline }
    }

    /// Notes that `rank` was in `stage` for `item` from `from` until `until`, `count` times.
    #[inline(always)]
    pub(crate) fn spend(&self, rank: u32, stage: Stage, item: u64, count: u64, from: Time, until: Time) {
        self.account(rank, stage, item, from, until).stages[stage as usize].add(count, until.since(from));
    }

    /// Notes that `rank` sent a message to `to`.
    #[inline(always)]
    pub(crate) fn sent(&self, rank: u32, to: u32, bytes: u64, from: Time, until: Time) {
        let account = self.account(rank, Stage::Send, u64::from(to), from, until);
        account.stages[Stage::Send as usize].add(1, until.since(from));
        account.messages.set(account.messages.get() + 1);
        account.bytes.set(account.bytes.get() + bytes);
    }

    /// Notes that `rank` received a message from `from`, for which it waited from `called` until
    /// `arrived`.
    #[inline(always)]
    pub(crate) fn received(&self, rank: u32, from: u32, called: Time, arrived: Time, until: Time) {
        self.account(rank, Stage::Wait, u64::from(from), called, arrived);
        let account = self.account(rank, Stage::Receive, u64::from(from), arrived, until);
        account.stages[Stage::Wait as usize].add(u64::from(arrived > called), arrived.since(called));
        account.stages[Stage::Receive as usize].add(1, until.since(arrived));
    }

    /// Where `rank` is to be noted; draws the span.
    #[inline(always)]
    fn account(&self, rank: u32, stage: Stage, item: u64, from: Time, until: Time) -> &Account {
        match self.pages.get(rank as usize) {
            None => &self.all,
            Some(page) => {
                if self.timeline > 0 {
                    self.draw(page, stage, item, from, until);
                }
                &page.account
            }
        }
    }

    #[cold]
    fn draw(&self, page: &Page, stage: Stage, item: u64, from: Time, until: Time) {
        if until > from {
            let mut spans = page.spans.borrow_mut();
            let spans = spans.get_or_insert_with(|| Box::new(Timeline::new(self.timeline)));
            spans.add(Span { stage, item, start_s: from.seconds(), end_s: until.seconds() });
        }
    }

    /// All ranks together.
    pub(crate) fn into_total(self) -> Account {
        for page in &self.pages {
            self.all.merge(&page.account);
        }
        self.all
    }

    /// Every rank by itself, given when each ended; empty if only totals were noted.
    pub(crate) fn into_ranks(self, ends: impl Iterator<Item = Time>) -> Vec<RankTimes> {
        self.pages
            .into_iter()
            .zip(ends)
            .map(|(page, end)| RankTimes {
                stages: page.account.stages(),
                end_s: end.seconds(),
                messages: page.account.messages(),
                bytes: page.account.bytes(),
                timeline: page.spans.into_inner().map_or(Vec::new(), |spans| spans.into_spans()),
            })
            .collect()
    }
}
