//! The port by which messages come in at a rank where those that come at once share it evenly ([`forerun_platform::Sharing::Fair`]).
//!
//! How far the port is with a message depends on those that come beside it, which may be sent when the message is under way already. So a
//! message is there for sure only when its turn has come in virtual time: until then, what is known of its end is the earliest
//! that it can be.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::PairId;
use crate::Time;

/// Steps of a picosecond in which it is counted how much each message has had of a port.
const STEPS: u128 = 1 << 32;

/// Waits that are remembered.
const WAITS: usize = 64;

/// A rank's receiving port.
#[derive(Debug, Clone, Default)]
pub(crate) struct FairPort {
    /// When the rank waited for messages lately: what comes then takes nothing of its work.
    waits: VecDeque<(Time, Time)>,
    course: Course,
    lines: Vec<Line>,
    of: HashMap<PairId, usize>,
    /// Of each line the oldest message that is there, if one is: when it was, its sender, its pair.
    there: BTreeSet<(Time, u32, PairId)>,
}

/// The messages of one sender, which come one after the other.
#[derive(Debug, Clone)]
struct Line {
    pair: PairId,
    from: u32,
    /// Those that are not there yet, and the number of the first of them.
    coming: VecDeque<Coming>,
    number: usize,
    /// Those that are there and are not received yet: when the first byte came, and when all had.
    there: VecDeque<(Time, Time)>,
    /// Whether the oldest has met its receiver.
    has_met: bool,
}

/// A message that comes.
#[derive(Debug, Clone, Copy)]
struct Coming {
    first: Time,
    takes: Time,
}

impl Coming {
    fn steps(&self) -> u128 {
        u128::from(self.takes.picos()) * STEPS
    }
}

/// How far a port is.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    /// When a message last began or ended to come.
    now: Time,
    /// What each message has had of the port that came all the time, in [`STEPS`] of a picosecond.
    had: u128,
}

impl Pace {
    /// When that is `had`, as long as `many` messages come.
    fn reaches(self, had: u128, many: usize) -> Time {
        let left = had.saturating_sub(self.had) * many as u128;
        self.now.plus(Time::from_picos(u64::try_from(left.div_ceil(STEPS)).unwrap_or(u64::MAX)))
    }

    /// Goes on until `to`, while `many` messages come.
    fn go_on(&mut self, to: Time, many: usize) {
        let all = u128::from(to.since(self.now).picos()) * STEPS;
        self.had += all.checked_div(many as u128).unwrap_or(0);
        self.now = to;
    }
}

/// What a port does next.
#[derive(Debug, Clone, Default)]
struct Course {
    pace: Pace,
    /// What each message that comes has had when it is there, its line and its number there.
    coming: BTreeSet<(u128, usize, usize)>,
    /// When the first byte of the next message of a line comes, of those of which none does.
    waiting: BTreeSet<(Time, usize, usize)>,
}

impl Course {
    /// The next message that is there, until `until`.
    fn next(&mut self, lines: &[Line], until: Time) -> Option<(Time, usize)> {
        loop {
            let many = self.coming.len();
            let begins = self.waiting.first().map_or(Time::MAX, |&(first, ..)| first.max(self.pace.now));
            let ends = self.coming.first().map_or(Time::MAX, |&(had, ..)| self.pace.reaches(had, many));
            let to = ends.min(begins);
            if to > until || to == Time::MAX {
                return None;
            }
            self.pace.go_on(to, many);
            if ends <= begins
                && let Some((_, line, number)) = self.coming.pop_first()
            {
                let next = &lines[line];
                if let Some(next) = next.coming.get(number + 1 - next.number) {
                    self.waiting.insert((next.first, line, number + 1));
                }
                return Some((to, line));
            }
            if let Some((_, line, number)) = self.waiting.pop_first() {
                let message = lines[line].coming[number - lines[line].number];
                self.coming.insert((self.pace.had + message.steps(), line, number));
            }
        }
    }
}

impl FairPort {
    /// Notes that a message of `pair`, from rank `from`, is under way: its first byte comes at `first`, and it takes the port for `takes`
    /// if none is beside it.
    pub(crate) fn add(&mut self, (pair, from): (PairId, u32), first: Time, takes: Time) {
        let FairPort { course, lines, of, .. } = self;
        let line = *of.entry(pair).or_insert_with(|| {
            lines.push(Line {
                pair,
                from,
                coming: VecDeque::new(),
                number: 0,
                there: VecDeque::new(),
                has_met: false,
            });
            lines.len() - 1
        });
        let its = &mut lines[line];
        if its.coming.is_empty() {
            course.waiting.insert((first, line, its.number));
        }
        its.coming.push_back(Coming { first, takes });
    }

    /// Lets messages come until `until`, before when no further one begins to.
    pub(crate) fn advance(&mut self, until: Time) {
        while let Some((at, line)) = self.course.next(&self.lines, until) {
            let line = &mut self.lines[line];
            if let Some(Coming { first, .. }) = line.coming.pop_front() {
                line.number += 1;
                if line.there.is_empty() {
                    self.there.insert((at, line.from, line.pair));
                }
                line.there.push_back((first, at));
            }
        }
    }

    /// When the oldest message of `pair` is there, were no more to come.
    pub(crate) fn done(&self, pair: PairId) -> Time {
        let Some(&line) = self.of.get(&pair) else { return Time::MAX };
        if let Some(&(_, done)) = self.lines[line].there.front() {
            return done;
        }
        let mut course = self.course.clone();
        while let Some((at, its)) = course.next(&self.lines, Time::MAX) {
            if its == line {
                return at;
            }
        }
        Time::MAX
    }

    /// The message that is there first of those that are not received, were no more to come: when, its sender and pair. Costs as much as
    /// messages begin to come before.
    pub(crate) fn first(&self) -> Option<(Time, u32, PairId)> {
        if let Some(&first) = self.there.first() {
            return Some(first);
        }
        let Course { pace, coming, waiting } = &self.course;
        let mut pace = *pace;
        // What those that begin to come before one is there have had when they are.
        let mut begun: Vec<(u128, usize)> = Vec::new();
        let mut least = coming.first().map(|c| c.0);
        let mut waiting = waiting.iter().peekable();
        let at = loop {
            let many = coming.len() + begun.len();
            let at = least.map_or(Time::MAX, |had| pace.reaches(had, many));
            match waiting.next_if(|w| w.0.max(pace.now) < at) {
                Some(&(first, line, _)) => {
                    pace.go_on(first.max(pace.now), many);
                    let had = pace.had + self.lines[line].coming.front().map_or(0, Coming::steps);
                    begun.push((had, line));
                    least = Some(least.map_or(had, |least| least.min(had)));
                }
                None if at == Time::MAX => return None,
                None => {
                    pace.go_on(at, many);
                    break at;
                }
            }
        };
        // Those that are there at the same time: the lower sender's.
        let there = coming.iter().take_while(|c| c.0 <= pace.had).map(|c| c.1);
        let there = there.chain(begun.iter().filter(|b| b.0 <= pace.had).map(|b| b.1));
        let at_once = waiting.take_while(|w| w.0 <= at).map(|w| w.1);
        let at_once =
            at_once.filter(|&line| self.lines[line].coming.front().is_some_and(|c| c.takes == Time::ZERO));
        there.chain(at_once).map(|line| (at, self.lines[line].from, self.lines[line].pair)).min()
    }

    /// Notes that the rank waits from `from` until `until`, if that is later.
    pub(crate) fn wait(&mut self, from: Time, until: Time) {
        if from < until {
            self.waits.push_back((from, until));
            if self.waits.len() > WAITS {
                self.waits.pop_front();
            }
        }
    }

    /// How long it waited from `from` until `until`.
    pub(crate) fn waited(&self, from: Time, until: Time) -> Time {
        let waits = self.waits.iter().rev().take_while(|(_, end)| *end > from);
        waits.fold(Time::ZERO, |sum, &(begin, end)| sum.plus(end.min(until).since(begin.max(from))))
    }

    /// Takes the oldest message of `pair` if it is there: when its first byte came, and when all had.
    pub(crate) fn take(&mut self, pair: PairId) -> Option<(Time, Time)> {
        let line = &mut self.lines[*self.of.get(&pair)?];
        let (first, at) = line.there.pop_front()?;
        self.there.remove(&(at, line.from, pair));
        if let Some(&(_, next)) = line.there.front() {
            self.there.insert((next, line.from, pair));
        }
        Some((first, at))
    }

    /// Notes that the oldest message of `pair`, of which the request or all is taken, meets its receiver; whether it has met it before, as
    /// all of it is taken.
    pub(crate) fn meets(&mut self, pair: PairId) -> bool {
        let Some(&line) = self.of.get(&pair) else { return false };
        let line = &mut self.lines[line];
        line.has_met = !line.has_met;
        !line.has_met
    }
}

#[cfg(test)]
mod tests {
    use super::FairPort;
    use crate::Time;

    /// A port by which messages come: of each its sender, when its first byte comes, and what it takes alone.
    fn port(messages: &[(u32, u64, u64)]) -> FairPort {
        let mut port = FairPort::default();
        for &(from, first, takes) in messages {
            port.add((from, from), Time::from_picos(first), Time::from_picos(takes));
        }
        port
    }

    fn done(port: &FairPort) -> [u64; 3] {
        [0, 1, 2].map(|pair| port.done(pair).picos())
    }

    #[test]
    fn messages_that_come_at_once_are_there_at_once() {
        let mut all = port(&[(0, 100, 30), (1, 100, 30), (2, 100, 30)]);
        assert_eq!(done(&all), [190; 3]);
        // What there is of a shorter one is there sooner, and the others have the rest for themselves.
        assert_eq!(done(&port(&[(0, 100, 30), (1, 100, 10), (2, 110, 30)])), [165, 125, 170]);
        // One that begins when they are nearly there has a fourth of it until they are.
        all.add((3, 3), Time::from_picos(187), Time::from_picos(1000));
        assert_eq!((done(&all), all.first()), ([191; 3], Some((Time::from_picos(191), 0, 0))));
        all.advance(Time::from_picos(191));
        assert_eq!(all.take(1), Some((Time::from_picos(100), Time::from_picos(191))));
        assert_eq!((all.take(1), all.take(3)), (None, None));
        assert_eq!(all.done(3).picos(), 187 + 4 + 999);
    }

    #[test]
    fn messages_of_one_sender_come_one_after_the_other() {
        let mut port = port(&[(0, 0, 10), (0, 0, 10), (1, 0, 20)]);
        assert_eq!(port.done(0).picos(), 20);
        port.advance(Time::from_picos(1000));
        let times: Vec<u64> =
            [0, 0, 1].iter().filter_map(|&pair| port.take(pair)).map(|(_, done)| done.picos()).collect();
        assert_eq!(times, [20, 40, 40]);
        // What takes nothing is there when it comes.
        port.add((0, 0), Time::from_picos(50), Time::ZERO);
        assert_eq!(port.first(), Some((Time::from_picos(50), 0, 0)));
    }
}
