//! A rank that gives tasks out and takes answers in.

use std::collections::VecDeque;
use std::ops::Range;

use forerun_platform::Stage;

use super::job::Answer;
use super::message::{Half, Parcel, Spent};
use super::order::Order;
use super::share::Share;
use super::slave::{self, Msg, attempt};
use super::waits::{Look, Waits};
use super::{Masters, Shape};
use crate::reduction::{Piece, Sink, Sinks};
use crate::{Charge, Endpoint, Failure, Message, Stop};

/// What every master of a farm has at hand.
pub(super) struct Lead<'a, A, K> {
    pub(super) app: &'a A,
    pub(super) sinks: &'a K,
    pub(super) shape: &'a Shape,
}

/// What a master knows of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    mine: bool,
    out: u64,
}

/// What a master knows of its tasks and slaves.
struct Team<R> {
    share: Share,
    order: Option<Order<R>>,
    /// By rank less `base`: whether it is a slave that may be given tasks, and messages of tasks that it has not answered.
    /// (A slave that was given away and has come back may have some of before: beyond what the window holds, master and
    /// slave could wait for each other for ever.)
    ranks: Vec<Standing>,
    base: usize,
    slaves: usize,
    /// Slaves that could be given tasks, were there any, once for each message of them.
    idle: VecDeque<usize>,
    /// Messages of tasks that are not answered.
    out: u64,
    /// Slaves that have become masters of a part.
    away: usize,
    /// Those of them that may have tasks to give out, and have answered what they were lent before; in the order in which they are lent
    /// slaves.
    splits: VecDeque<usize>,
    /// Those that were lent slaves and have not answered. (One at a time: master and master could wait for each other for ever.)
    lent: usize,
    waits: Option<Waits>,
    /// The master to which slaves go back; a first master ends them.
    parent: Option<usize>,
}

type Out<A, K> = <<K as Sinks<<A as Answer>::Answer>>::Sink as Sink<<A as Answer>::Answer>>::Out;

impl<A, K> Lead<'_, A, K>
where
    A: Answer,
    K: Sinks<A::Answer>,
{
    /// A first master: of `tasks` and of the ranks that follow it up to `beyond`.
    pub(super) async fn first<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        tasks: Range<u64>,
        beyond: usize,
    ) -> Result<Option<Out<A, K>>, Stop> {
        let me = e.rank();
        let mut sink = None;
        self.open(e, &mut sink).await?;
        let team = self.team(vec![tasks], me + 1, (me + 1..beyond).collect(), f64::INFINITY, None);
        self.lead(e, team, &mut sink).await?;
        self.close(e, sink).await
    }

    /// A slave of `parent` that has become the master of a part.
    pub(super) async fn second<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        parent: usize,
        half: Half,
        sink: &mut Option<K::Sink>,
    ) -> Result<(), Stop> {
        self.open(e, sink).await?;
        let team = self.team(half.tasks, 0, half.slaves, half.trip_s, Some(parent));
        let slaves = self.lead(e, team, sink).await?;
        e.send(parent, Parcel::Back(slaves)).await
    }

    fn team(
        &self,
        tasks: Vec<Range<u64>>,
        base: usize,
        slaves: Vec<usize>,
        trip_s: f64,
        parent: Option<usize>,
    ) -> Team<A::Answer> {
        let mut ranks = vec![Standing::default(); slaves.last().map_or(0, |last| last + 1 - base)];
        slaves.iter().for_each(|slave| ranks[slave - base].mine = true);
        let dynamic = self.shape.masters == Masters::Dynamic;
        Team {
            order: self.shape.ordered.then(|| Order::new(tasks.first().map_or(0, |range| range.start))),
            share: Share::new(tasks, self.shape.grain, self.shape.attempts),
            ranks,
            base,
            slaves: slaves.len(),
            idle: VecDeque::new(),
            out: 0,
            away: 0,
            splits: VecDeque::new(),
            lent: 0,
            waits: dynamic.then(|| Waits::new(self.shape.prefetch, trip_s)),
            parent,
        }
    }

    /// Gives all tasks of a team out and takes all answers in; gives the slaves that it has at the end.
    async fn lead<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        mut team: Team<A::Answer>,
        sink: &mut Option<K::Sink>,
    ) -> Result<Vec<usize>, Stop> {
        let everyone = team.members();
        for round in 0..self.shape.prefetch {
            for &slave in &everyone {
                if team.share.is_empty() && round > 0 {
                    break;
                }
                self.give(e, &mut team, slave).await?;
            }
        }
        loop {
            if team.out == 0 && team.away == 0 && team.lent == 0 {
                let Some(task) = team.share.next_failed() else {
                    if team.share.is_empty() {
                        break;
                    }
                    // Without slaves; with some, somebody has the next task in order.
                    let me = e.rank();
                    let Some(tasks) = team.share.next(me, u64::MAX) else { break };
                    for task in tasks {
                        self.own(e, &mut team, task, sink).await?;
                    }
                    continue;
                };
                self.own(e, &mut team, task, sink).await?;
                self.wake(e, &mut team).await?;
                continue;
            }
            let asked = team.waits.map_or(0.0, |_| e.now_s());
            let (from, parcel) = e.recv_any().await?;
            let got = team.waits.map_or(0.0, |_| e.now_s());
            match (from, parcel) {
                (slave, Parcel::Answers { first, attempts, spent }) => {
                    team.out -= 1;
                    team.ranks[slave - team.base].out -= 1;
                    let mut done = Vec::with_capacity(attempts.len());
                    for (index, attempt) in (first..).zip(attempts) {
                        match attempt {
                            Ok(answer) => done.push((index, answer)),
                            Err(failure) => {
                                done.extend(
                                    self.failed(&mut team, index, failure)?.map(|answer| (index, answer)),
                                );
                            }
                        }
                    }
                    if team.has(slave) && !self.look(e, &mut team, slave, spent).await? {
                        self.give(e, &mut team, slave).await?;
                    }
                    self.deliver(e, &mut team, done, sink).await?;
                    if let Some(waits) = &mut team.waits {
                        waits.note_served(got - asked, e.now_s() - got);
                    }
                }
                (split, Parcel::Return { tasks, slaves }) => {
                    team.splits.retain(|other| *other != split);
                    match team.parent {
                        // Who has nothing of its own is no better a master than its own.
                        Some(parent)
                            if team.share.is_empty() && team.order.is_none() && !tasks.is_empty() =>
                        {
                            e.send(parent, Parcel::Return { tasks, slaves: Vec::new() }).await?;
                        }
                        _ => team.share.add(tasks),
                    }
                    self.take(e, &mut team, &slaves).await?;
                }
                (slave, Parcel::Back(mut slaves)) => {
                    team.away -= 1;
                    team.splits.retain(|split| *split != slave);
                    slaves.push(slave);
                    self.take(e, &mut team, &slaves).await?;
                }
                (parent, Parcel::Lend(slaves)) => {
                    let is_last = team.splits.is_empty() && team.lent == 0;
                    let (taken, left) = match team.share.is_empty() && is_last {
                        true => (Vec::new(), slaves),
                        false => (slaves, Vec::new()),
                    };
                    e.send(parent, Parcel::Unneeded(left)).await?;
                    self.take(e, &mut team, &taken).await?;
                }
                (split, Parcel::Unneeded(slaves)) => {
                    team.lent -= 1;
                    if slaves.is_empty() {
                        team.splits.push_back(split);
                    }
                    self.take(e, &mut team, &slaves).await?;
                }
                // Of a master that it had before the one that made it a master, where messages overtook these.
                (master, Parcel::Tasks { first, count }) => {
                    slave::serve(self.app, e, master, (first, count), None).await?;
                }
                (_, Parcel::Promote(_) | Parcel::End) => unreachable!("a master has no master"),
            }
            self.wake(e, &mut team).await?;
        }
        let left = team.members();
        if team.parent.is_none() {
            for slave in &left {
                e.send(*slave, Parcel::End).await?;
            }
        }
        Ok(left)
    }

    /// Has slaves back, or more of them, and gives them tasks.
    async fn take<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
        slaves: &[usize],
    ) -> Result<(), Stop> {
        slaves.iter().for_each(|&slave| team.take(slave));
        for _ in 0..self.shape.prefetch {
            for &slave in slaves {
                if team.has(slave) && team.ranks[slave - team.base].out < self.shape.prefetch {
                    self.give(e, team, slave).await?;
                }
            }
        }
        Ok(())
    }

    /// Gives a slave its next tasks; ends it where there are none and never will be.
    async fn give<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
        slave: usize,
    ) -> Result<(), Stop> {
        let limit = team.order.as_ref().map_or(u64::MAX, |o| o.next().saturating_add(self.shape.ahead));
        if let Some(tasks) = team.share.next(slave, limit) {
            team.out += 1;
            team.ranks[slave - team.base].out += 1;
            return e.send(slave, Parcel::Tasks { first: tasks.start, count: tasks.end - tasks.start }).await;
        }
        // Others may have some for it.
        let is_last = team.splits.is_empty() && team.lent == 0;
        if team.parent.is_none() && team.share.is_empty() && is_last {
            team.drop(slave);
            return e.send(slave, Parcel::End).await;
        }
        team.idle.push_back(slave);
        Ok(())
    }

    /// Gives tasks to slaves that were left without, as far as there are any now; else those slaves to who may have some.
    async fn wake<E: Endpoint<Msg<A>>>(&self, e: &mut E, team: &mut Team<A::Answer>) -> Result<(), Stop> {
        if team.share.is_empty() && !team.splits.is_empty() {
            return self.lend(e, team).await;
        }
        if let (true, Some(parent)) = (team.share.is_empty(), team.parent) {
            let slaves = if team.lent == 0 { team.free() } else { Vec::new() };
            if !slaves.is_empty() {
                slaves.iter().for_each(|slave| team.drop(*slave));
                e.send(parent, Parcel::Return { tasks: Vec::new(), slaves }).await?;
            }
            return Ok(());
        }
        for _ in 0..team.idle.len() {
            let Some(slave) = team.idle.pop_front() else { break };
            // One that was away has come back with tasks.
            if team.has(slave) && team.ranks[slave - team.base].out < self.shape.prefetch {
                self.give(e, team, slave).await?;
            }
        }
        Ok(())
    }

    /// Lends slaves that have nothing to do to those that became masters and may have tasks for them, all as many.
    async fn lend<E: Endpoint<Msg<A>>>(&self, e: &mut E, team: &mut Team<A::Answer>) -> Result<(), Stop> {
        let mut free = team.free();
        while !free.is_empty() {
            let Some(split) = team.splits.pop_front() else { break };
            let part = free.split_off(free.len() - free.len().div_ceil(team.splits.len() + 1));
            part.iter().for_each(|slave| team.drop(*slave));
            team.lent += 1;
            e.send(split, Parcel::Lend(part)).await?;
        }
        Ok(())
    }

    /// Makes `slave` the master of half of the tasks and slaves, or gives all back to the master that made this one a master, where
    /// the slaves' waiting says so; whether `slave` is to have no tasks now.
    async fn look<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
        slave: usize,
        spent: Spent,
    ) -> Result<bool, Stop> {
        let Some(waits) = &mut team.waits else { return Ok(false) };
        waits.note(spent);
        let slaves = team.slaves as u64;
        let look = match waits.is_due(slaves) {
            true => waits.look(slaves, team.share.messages()),
            false => Look::Stay,
        };
        if look == Look::Return {
            self.give_back(e, team).await?;
        }
        let (Some(waits), Look::Split) = (&mut team.waits, look) else { return Ok(false) };
        let trip_s = waits.trip_s();
        *waits = Waits::new(self.shape.prefetch, trip_s);
        let others = team.members().into_iter().filter(|other| *other != slave);
        let gone: Vec<usize> = others.skip(team.slaves / 2).collect();
        let tasks = team.share.split(gone.len() as u64, slaves - 1);
        let half = Half { tasks, slaves: gone, trip_s };
        half.slaves.iter().chain([&slave]).for_each(|&gone| team.drop(gone));
        team.away += 1;
        team.splits.push_back(slave);
        e.send(slave, Parcel::Promote(Box::new(half))).await?;
        Ok(true)
    }

    /// Gives tasks that nobody has begun back to the master that made this one a master, unless others have some of them.
    async fn give_back<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
    ) -> Result<(), Stop> {
        // Results in order are those of one range of tasks.
        let others = team.away + team.lent;
        let (Some(parent), None, 0) = (team.parent, &team.order, others) else { return Ok(()) };
        let Some(tasks) = team.share.give_up() else { return Ok(()) };
        e.send(parent, Parcel::Return { tasks, slaves: Vec::new() }).await
    }

    /// Does a task on the master itself: the last resort.
    async fn own<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
        task: u64,
        sink: &mut Option<K::Sink>,
    ) -> Result<(), Stop> {
        match attempt(self.app, e, task).await? {
            Ok(answer) => self.deliver(e, team, vec![(task, answer)], sink).await,
            Err(failure) => match self.failed(team, task, failure)? {
                Some(answer) => self.deliver(e, team, vec![(task, answer)], sink).await,
                None => Ok(()),
            },
        }
    }

    /// Takes task `index` back, which failed; gives what stands for it where it is not to be tried again.
    ///
    /// # Errors
    /// The failure, where nothing does.
    fn failed(
        &self,
        team: &mut Team<A::Answer>,
        index: u64,
        failure: Box<Failure>,
    ) -> Result<Option<A::Answer>, Stop> {
        match team.share.failed(index, failure) {
            Ok(()) => Ok(None),
            Err(failure) => match self.app.given_up(index, &failure) {
                Some(answer) => Ok(Some(answer)),
                None => Err(Stop::Failed(failure)),
            },
        }
    }

    /// Hands to the sink what came, or in order, what is ready with it.
    async fn deliver<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        team: &mut Team<A::Answer>,
        done: Vec<(u64, A::Answer)>,
        sink: &mut Option<K::Sink>,
    ) -> Result<(), Stop> {
        let ready = match &mut team.order {
            None => done,
            Some(order) => {
                let mut ready = Vec::with_capacity(done.len());
                done.into_iter().for_each(|(index, answer)| order.add(index, answer, &mut ready));
                ready
            }
        };
        let (Some(sink), Some((item, _))) = (sink, ready.first()) else { return Ok(()) };
        let bytes = ready.iter().map(|(_, answer)| answer.bytes()).sum();
        let charge = Charge { stage: Stage::Sink, item: *item, bytes, results: ready.len() as u64 };
        e.work(charge, || {
            ready.into_iter().try_for_each(|(first, value)| sink.accept(Piece { value, first, results: 1 }))
        })
        .await
    }

    /// Opens the rank's sink if it is not open.
    async fn open<E: Endpoint<Msg<A>>>(&self, e: &mut E, sink: &mut Option<K::Sink>) -> Result<(), Stop> {
        if sink.is_none() {
            let rank = e.rank();
            *sink = Some(e.work(idle(), || self.sinks.open(rank)).await?);
        }
        Ok(())
    }

    /// Closes the rank's sink if it is open.
    pub(super) async fn close<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        sink: Option<K::Sink>,
    ) -> Result<Option<Out<A, K>>, Stop> {
        match sink {
            Some(sink) => e.work(idle(), || sink.close()).await.map(Some),
            None => Ok(None),
        }
    }
}

impl<R> Team<R> {
    fn has(&self, slave: usize) -> bool {
        self.ranks.get(slave - self.base).is_some_and(|rank| rank.mine)
    }

    fn take(&mut self, slave: usize) {
        let at = slave - self.base;
        if self.ranks.len() <= at {
            self.ranks.resize(at + 1, Standing::default());
        }
        self.slaves += usize::from(!std::mem::replace(&mut self.ranks[at].mine, true));
    }

    fn drop(&mut self, slave: usize) {
        self.slaves -= usize::from(std::mem::replace(&mut self.ranks[slave - self.base].mine, false));
    }

    /// Those that have nothing to do, in ascending order; others that were left without tasks come again when they have answered.
    fn free(&mut self) -> Vec<usize> {
        let mut free: Vec<usize> = self.idle.drain(..).collect();
        free.sort_unstable();
        free.dedup();
        free.retain(|slave| self.has(*slave) && self.ranks[slave - self.base].out == 0);
        free
    }

    fn members(&self) -> Vec<usize> {
        self.ranks.iter().zip(self.base..).filter_map(|(rank, slave)| rank.mine.then_some(slave)).collect()
    }
}

/// The charge of opening or closing the sink.
fn idle() -> Charge {
    Charge { stage: Stage::Sink, item: 0, bytes: 0, results: 0 }
}
