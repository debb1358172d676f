//! Runs that do not end well.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use forerun_platform::Stage;
use forerun_skeleton::guard::expect_panics;
use forerun_skeleton::{AppError, Charge, Endpoint, Failure, Message, Options, Program, RunError, Stop};

use super::script::Op::{ReceiveAny, ReceiveFrom, Send, Work};
use super::script::{Note, Script};
use super::{ByBytes, Wire, go};
use crate::pricing::Free;
use crate::world::PollOrder;
use crate::{LogGps, run};

fn error(script: Script, wire: &Wire, window: usize) -> RunError {
    let ranks = script.0.len();
    go(&script, wire, ranks, window, PollOrder::FirstInFirstOut).err().expect("the run fails")
}

fn deadlock(script: Script, wire: &Wire, window: usize) -> String {
    match error(script, wire, window) {
        RunError::Deadlock(what) => what,
        other => panic!("{other}"),
    }
}

#[test]
fn a_deadlock_names_who_waits_for_what() {
    let script = Script(vec![
        vec![ReceiveFrom(1)],
        vec![ReceiveFrom(0)],
        vec![ReceiveAny],
        vec![ReceiveFrom(4)],
        vec![],
    ]);
    assert_eq!(
        deadlock(script, &Wire::FREE, 1),
        "rank 0 waits for a message from rank 1; rank 1 waits for a message from rank 0; \
         rank 2 waits for a message from any rank; \
         rank 3 waits for a message from rank 4, which has ended"
    );
    let script = Script(vec![vec![Send(1, 0); 3], vec![]]);
    assert_eq!(
        deadlock(script, &Wire::FREE, 2),
        "rank 0 waits for room in its window to rank 1, which has ended"
    );
    let wire = Wire { rendezvous: Some(10), ..Wire::FREE };
    let script = Script(vec![vec![Send(1, 11), ReceiveFrom(1)], vec![Send(0, 11), ReceiveFrom(0)]]);
    assert_eq!(
        deadlock(script, &wire, 2),
        "rank 0 waits until rank 1 receives a message above the rendezvous threshold; \
         rank 1 waits until rank 0 receives a message above the rendezvous threshold"
    );
}

#[test]
fn a_deadlock_of_many_names_eight() {
    let script = Script((0..20).map(|r| vec![ReceiveFrom((r + 1) % 20)]).collect());
    let what = deadlock(script, &Wire::FREE, 1);
    assert_eq!(what.matches("waits").count(), 8);
    assert!(what.ends_with("; and 12 more"), "{what}");
}

#[test]
fn time_beyond_its_end_is_an_error() {
    let far = u64::MAX / 2 + 1;
    let script = Script(vec![vec![Work(far), Work(far)]]);
    assert!(error(script, &Wire::FREE, 1).to_string().contains("rank 0 exceeds 213 days"));
    // On the wire only: nobody's work is too long.
    let wire = Wire { latency: 1 << 62, ..Wire::FREE };
    for receive in [ReceiveAny, ReceiveFrom(0)] {
        let script = Script(vec![vec![Work(far + far / 2), Send(1, 0)], vec![receive]]);
        assert!(matches!(error(script, &wire, 1), RunError::Invalid(what) if what.contains("213 days")));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (script, says) in [
        (Script(vec![vec![Send(0, 1)], vec![]]), "rank 0 sends to rank 0: expected another rank, below 2"),
        (Script(vec![vec![], vec![Send(2, 1)]]), "rank 1 sends to rank 2: expected another rank, below 2"),
        (Script(vec![vec![ReceiveFrom(7)]]), "rank 0 receives from rank 7: expected another rank, below 1"),
        (
            Script(vec![vec![super::script::Op::Claim(1)]]),
            "rank 0 claims from counter 1: expected one below 1",
        ),
    ] {
        assert_eq!(error(script, &Wire::FREE, 1), RunError::Invalid(says.into()));
    }
    let options = |ranks, window| Options { window, ..Options::new(ranks) };
    for (options, says) in [(options(0, 1), "0 ranks"), (options(1, 0), "a window of 0 messages")] {
        let e = run(&Script(vec![vec![]]), &LogGps::free(), &Free, &options).expect_err("refused");
        assert!(e.to_string().starts_with(says), "{e}");
    }
    let mut network = Wire::FREE.network();
    network.gap_per_byte.value.0 = -1.0;
    assert!(LogGps::new(&network, 2).is_err_and(|e| e.to_string().contains("gap per byte is -1 s")));
    network.gap_per_byte.value.0 = f64::NAN;
    assert!(LogGps::new(&network, 2).is_err());
}

/// Rank 2's fourth piece of work fails; the others wait for it.
struct Failing {
    panics: bool,
}

impl Program for Failing {
    type Msg = Note;
    type Out = ();

    async fn rank<E: Endpoint<Note>>(&self, e: &mut E) -> Result<(), Stop> {
        if e.rank() != 2 {
            return e.recv_from(2).await.map(|_| ());
        }
        for item in 0..10 {
            let charge = Charge { stage: Stage::Merge, item, bytes: 0, results: 2 };
            e.work(charge, || match (item, self.panics) {
                (3, true) => panic!("the {item} is bad"),
                (3, false) => Err(AppError::new("the 3 is bad")),
                _ => Ok(()),
            })
            .await?;
        }
        Ok(())
    }
}

#[test]
fn work_that_fails_or_panics_ends_the_run_with_its_name() {
    for panics in [false, true] {
        let e = run(&Failing { panics }, &LogGps::free(), &Free, &Options::new(4)).expect_err("it fails");
        let message = "the 3 is bad".to_owned();
        let failure =
            Failure { rank: 2, stage: Stage::Merge, item: 3, panicked: panics, of_input: false, message };
        assert_eq!(e, RunError::Failed(failure));
    }
}

/// Panics beside its work, which is a mistake of the program.
struct Mistaken;

impl Program for Mistaken {
    type Msg = Note;
    type Out = ();

    async fn rank<E: Endpoint<Note>>(&self, e: &mut E) -> Result<(), Stop> {
        let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 1 };
        e.work(charge, || Ok(())).await?;
        panic!("rank {} is mistaken", e.rank())
    }
}

#[test]
fn a_panic_beside_work_is_no_error_of_the_run() {
    for outer in [false, true] {
        expect_panics(outer);
        let options = Options::new(2);
        let panic = catch_unwind(AssertUnwindSafe(|| run(&Mistaken, &LogGps::free(), &Free, &options)));
        let panic = panic.expect_err("it panics");
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("rank 0 is mistaken"));
        assert_eq!(expect_panics(false), outer, "what was expected before is expected after");
        let failed = run(&Failing { panics: true }, &LogGps::free(), &Free, &Options::new(4));
        assert!(matches!(failed, Err(RunError::Failed(Failure { rank: 2, item: 3, .. }))));
    }
}

/// Works without end, and cancels the run itself after a while.
struct Endless(forerun_skeleton::Cancel);

impl Program for Endless {
    type Msg = Note;
    type Out = ();

    async fn rank<E: Endpoint<Note>>(&self, e: &mut E) -> Result<(), Stop> {
        for item in 0.. {
            let charge = Charge { stage: Stage::Task, item, bytes: 1, results: 1 };
            e.work(charge, || {
                if item == 1000 {
                    self.0.cancel();
                }
                Ok(())
            })
            .await?;
        }
        Ok(())
    }
}

#[test]
fn a_run_can_be_cancelled() {
    let options = Options::new(1);
    let program = Endless(options.cancel.clone());
    assert_eq!(run(&program, &LogGps::free(), &ByBytes, &options).err(), Some(RunError::Cancelled));
}

struct Empty;

impl Message for Empty {
    fn bytes(&self) -> u64 {
        0
    }
}

/// Two ranks send each other a message for ever, without work.
struct PingPong;

impl Program for PingPong {
    type Msg = Empty;
    type Out = ();

    async fn rank<E: Endpoint<Empty>>(&self, e: &mut E) -> Result<(), Stop> {
        let other = 1 - e.rank();
        loop {
            e.send(other, Empty).await?;
            e.recv_from(other).await?;
        }
    }
}

#[test]
fn a_run_without_work_can_be_cancelled() {
    let options = Options::new(2);
    let cancel = options.cancel.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        cancel.cancel();
    });
    assert_eq!(run(&PingPong, &LogGps::free(), &Free, &options).err(), Some(RunError::Cancelled));
    other.join().expect("the other thread ends");
}
