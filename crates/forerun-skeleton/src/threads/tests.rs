//! Wake-ups under stress. Naps are a minute long here: a lost wake-up is a run that takes as long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};

use super::run;
use crate::{Charge, Endpoint, Message, Options, Program, Stop};
use forerun_platform::Stage;

/// A run with a nap in it takes longer.
const LIMIT_S: f64 = 45.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number(u64);

impl Message for Number {
    fn bytes(&self) -> u64 {
        8
    }
}

/// Messages in one order of all, which every rank follows as far as it takes part.
#[derive(Debug, Clone)]
struct Script {
    ranks: usize,
    /// Sender, receiver, and microseconds that either works before.
    messages: Vec<(usize, usize, u64, u64)>,
    /// Whether receives are from any rank.
    any: bool,
}

fn scripts() -> impl Strategy<Value = Script> {
    let pause = || prop_oneof![20 => Just(0u64), 1 => 1u64..200];
    (2usize..10, any::<bool>()).prop_flat_map(move |(ranks, any)| {
        let message = (0..ranks, 1..ranks, pause(), pause())
            .prop_map(move |(from, by, before, after)| (from, (from + by) % ranks, before, after));
        proptest::collection::vec(message, 1..400).prop_map(move |messages| Script { ranks, messages, any })
    })
}

async fn busy<E: Endpoint<Number>>(e: &mut E, us: u64) -> Result<(), Stop> {
    if us == 0 {
        return Ok(());
    }
    let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 1 };
    e.work(charge, || {
        std::thread::sleep(Duration::from_micros(us));
        Ok(())
    })
    .await
}

impl Program for Script {
    type Msg = Number;
    type Out = Vec<Vec<u64>>;

    /// Gives what came, by sender.
    async fn rank<E: Endpoint<Number>>(&self, e: &mut E) -> Result<Vec<Vec<u64>>, Stop> {
        let me = e.rank();
        let mut came = vec![Vec::new(); self.ranks];
        for (number, &(from, to, before, after)) in self.messages.iter().enumerate() {
            if from == me {
                busy(e, before).await?;
                e.send(to, Number(number as u64)).await?;
            } else if to == me {
                busy(e, after).await?;
                let (from, Number(number)) = match self.any {
                    true => e.recv_any().await?,
                    false => (from, e.recv_from(from).await?),
                };
                came[from].push(number);
            }
        }
        Ok(came)
    }
}

impl Script {
    fn sent(&self, from: usize, to: usize) -> Vec<u64> {
        let numbered = (0u64..).zip(&self.messages);
        numbered.filter(|(_, m)| (m.0, m.1) == (from, to)).map(|(number, _)| number).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_programs_end_and_every_pair_keeps_its_order(script in scripts(), window in 1usize..5) {
        // A rank that takes from any another message than its turn's may leave a full window before
        // a sender that others wait for: such a script ends only if senders never wait.
        let window = if script.any { script.messages.len() } else { window };
        let options = Options { window, ..Options::new(script.ranks) };
        let ran = run(&script, &options).unwrap();
        for (to, came) in ran.outs.iter().enumerate() {
            for (from, numbers) in came.iter().enumerate() {
                prop_assert_eq!(numbers, &script.sent(from, to));
            }
        }
        prop_assert!(ran.makespan_s < LIMIT_S, "a wake-up was lost");
    }
}

/// Every rank passes on what it gets, round and round.
struct Ring {
    messages: u64,
}

impl Program for Ring {
    type Msg = Number;
    type Out = u64;

    async fn rank<E: Endpoint<Number>>(&self, e: &mut E) -> Result<u64, Stop> {
        let (me, size) = (e.rank(), e.size());
        let (before, after) = ((me + size - 1) % size, (me + 1) % size);
        let mut held = 0;
        for turn in 0..self.messages {
            if me > 0 || turn > 0 {
                held = e.recv_from(before).await?.0;
            }
            e.send(after, Number(held + 1)).await?;
        }
        Ok(held)
    }
}

#[test]
fn many_more_ranks_than_cores_pass_on_a_message() {
    for (ranks, window) in [(2, 1), (3, 1), (64, 1), (200, 2)] {
        let messages = 4000 / ranks as u64;
        let ran = run(&Ring { messages }, &Options { window, ..Options::new(ranks) }).unwrap();
        assert_eq!(ran.outs[ranks - 1], ranks as u64 * messages - 1);
        assert!(ran.makespan_s < LIMIT_S, "a wake-up was lost");
    }
}

/// All ranks send to rank 0, which receives from any and answers every `every`th time.
struct Crowd {
    each: u64,
    every: u64,
}

impl Program for Crowd {
    type Msg = Number;
    type Out = Vec<u64>;

    async fn rank<E: Endpoint<Number>>(&self, e: &mut E) -> Result<Vec<u64>, Stop> {
        let mut next = vec![0; e.size()];
        if e.rank() > 0 {
            for number in 0..self.each {
                e.send(0, Number(number)).await?;
                if number % self.every == self.every - 1 {
                    assert_eq!(e.recv_from(0).await?, Number(number));
                }
            }
            return Ok(next);
        }
        for _ in 0..self.each * (e.size() as u64 - 1) {
            let (from, Number(number)) = e.recv_any().await?;
            assert_eq!(number, next[from], "the messages of rank {from} in order");
            next[from] += 1;
            if number % self.every == self.every - 1 {
                e.send(from, Number(number)).await?;
            }
        }
        Ok(next)
    }
}

#[test]
fn a_crowd_is_served_to_the_last_message() {
    for (ranks, window, every) in [(2, 1, 1), (3, 1, 7), (4, 64, 100), (40, 1, 3), (40, 5, 50)] {
        let crowd = Crowd { each: 300, every };
        let ran = run(&crowd, &Options { window, ..Options::new(ranks) }).unwrap();
        assert!(ran.outs[0][1..].iter().all(|n| *n == 300));
        assert!(ran.makespan_s < LIMIT_S, "a wake-up was lost");
    }
}

/// What a receiver does that has taken one message of a full lane, whose sender sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Receive,
    Send,
    Work,
    End,
}

/// Rank 0 fills its lane to rank 1 and sleeps; all else needs that it goes on.
struct OneTaken {
    then: Then,
    went_on: AtomicBool,
}

const WINDOW: u64 = 8;

impl Program for OneTaken {
    type Msg = Number;
    type Out = ();

    async fn rank<E: Endpoint<Number>>(&self, e: &mut E) -> Result<(), Stop> {
        match (e.rank(), self.then) {
            (0, _) => {
                for number in 0..=WINDOW {
                    e.send(1, Number(number)).await?;
                }
                e.send(2, Number(0)).await
            }
            (1, then) => {
                busy(e, 20_000).await?;
                e.recv_from(0).await?;
                match then {
                    Then::Receive => e.recv_from(2).await.map(drop),
                    Then::Send => {
                        for number in 0..=WINDOW {
                            e.send(2, Number(number)).await?;
                        }
                        Ok(())
                    }
                    Then::Work => {
                        let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 1 };
                        let wait = || {
                            while !self.went_on.load(Ordering::SeqCst) {
                                std::thread::sleep(Duration::from_millis(1));
                            }
                            Ok(())
                        };
                        e.work(charge, wait).await
                    }
                    Then::End => Ok(()),
                }
            }
            (_, then) => {
                e.recv_from(0).await?;
                self.went_on.store(true, Ordering::SeqCst);
                match then {
                    Then::Receive => e.send(1, Number(0)).await?,
                    Then::Send => {
                        for _ in 0..=WINDOW {
                            e.recv_from(1).await?;
                        }
                    }
                    Then::Work | Then::End => {}
                }
                Ok(())
            }
        }
    }
}

#[test]
fn a_sender_is_told_of_room_before_its_receiver_turns_to_something_long() {
    for then in [Then::Receive, Then::Send, Then::Work, Then::End] {
        let program = OneTaken { then, went_on: AtomicBool::new(false) };
        let ran = run(&program, &Options { window: WINDOW as usize, ..Options::new(3) }).unwrap();
        assert!(ran.makespan_s < LIMIT_S, "then {then:?}: a sender was not told");
    }
}
