//! The contract of the endpoint on threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use forerun_platform::Stage;
use forerun_skeleton::{
    AppError, Cancel, Charge, Endpoint, Message, Options, Program, RunError, Stop, threads,
};

/// A message that counts itself while it lives.
struct Counted<'a>(&'a AtomicU64);

impl<'a> Counted<'a> {
    fn new(alive: &'a AtomicU64) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Counted(alive)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Message for Counted<'_> {
    fn bytes(&self) -> u64 {
        100
    }
}

/// Rank 0 sends a window of messages before rank 1 begins, and is then never further ahead.
struct Ahead<'a> {
    window: u64,
    barrier: Barrier,
    received: AtomicU64,
    alive: &'a AtomicU64,
}

impl<'a> Program for Ahead<'a> {
    type Msg = Counted<'a>;
    type Out = u64;

    async fn rank<E: Endpoint<Counted<'a>>>(&self, e: &mut E) -> Result<u64, Stop> {
        let messages = 5 * self.window;
        let mut furthest = 0;
        if e.rank() == 0 {
            for number in 1..=messages {
                e.send(1, Counted::new(self.alive)).await?;
                if number == self.window {
                    self.barrier.wait();
                }
                furthest = furthest.max(number - self.received.load(Ordering::SeqCst).min(number));
            }
        } else {
            self.barrier.wait();
            thread::sleep(Duration::from_millis(5));
            // One window is left on its way.
            for _ in self.window..messages {
                // Before the message is out of the lane: the sender may see it early, never late.
                self.received.fetch_add(1, Ordering::SeqCst);
                e.recv_from(0).await?;
            }
        }
        Ok(furthest)
    }
}

#[test]
fn a_sender_is_a_window_ahead_and_no_more_and_nothing_leaks() {
    for window in [1, 2, 7, 64, 100] {
        let alive = AtomicU64::new(0);
        let program = Ahead { window, barrier: Barrier::new(2), received: AtomicU64::new(0), alive: &alive };
        let options = Options { window: window as usize, ..Options::new(2) };
        let ran = threads::run(&program, &options).unwrap();
        assert_eq!(ran.outs[0], window);
        assert_eq!((ran.ranks[0].messages, ran.ranks[0].bytes), (5 * window, 500 * window));
        assert_eq!(alive.load(Ordering::SeqCst), 0, "a message that nobody received was kept");
    }
}

/// Every rank but the first waits for ever, in each way that there is; the first fails, or leaves.
struct Stuck {
    fails: bool,
}

struct Nothing;

impl Message for Nothing {
    fn bytes(&self) -> u64 {
        0
    }
}

impl Program for Stuck {
    type Msg = Nothing;
    type Out = ();

    async fn rank<E: Endpoint<Nothing>>(&self, e: &mut E) -> Result<(), Stop> {
        match e.rank() % 5 {
            0 if e.rank() == 0 => {
                let charge = Charge { stage: Stage::Task, item: 7, bytes: 0, results: 1 };
                if self.fails {
                    e.work(charge, || {
                        thread::sleep(Duration::from_millis(30));
                        Err(AppError::new("no more"))
                    })
                    .await?;
                }
            }
            1 => e.recv_any().await.map(drop)?,
            2 => e.recv_from(0).await.map(drop)?,
            3 => loop {
                e.send(0, Nothing).await?;
            },
            _ => while e.try_recv_any().await?.is_none() {},
        }
        Ok(())
    }
}

#[test]
fn a_failure_ends_whoever_waits() {
    for ranks in [2, 5, 12] {
        let begun = Instant::now();
        let Err(RunError::Failed(failure)) = threads::run(&Stuck { fails: true }, &Options::new(ranks))
        else {
            panic!("it did not fail")
        };
        assert_eq!((failure.rank, failure.item, failure.message.as_str()), (0, 7, "no more"));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_cancelled_run_ends_although_nobody_tells_the_ranks() {
    let options = Options::new(5);
    let begun = Instant::now();
    let cancel: Cancel = options.cancel.clone();
    let result = thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(30));
            cancel.cancel();
        });
        threads::run(&Stuck { fails: false }, &options)
    });
    assert_eq!(result.err(), Some(RunError::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_window_that_cannot_be_is_refused() {
    for window in [0, 1 << 25] {
        let options = Options { window, ..Options::new(2) };
        let Err(RunError::Invalid(sentence)) = threads::run(&Stuck { fails: true }, &options) else {
            panic!("a window of {window} was taken")
        };
        assert!(sentence.contains("window"), "{sentence}");
    }
}
