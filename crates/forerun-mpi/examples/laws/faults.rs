//! What goes wrong on one rank, and what all say of it.

use std::thread::sleep;
use std::time::Duration;

use forerun_mpi::run;
use forerun_platform::Stage;
use forerun_skeleton::wire::{Incoming, LARGE, Outgoing};
use forerun_skeleton::{AppError, Cancel, Charge, Endpoint, Message, Options, Program, Stop, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

/// A number, and beside some of them a vector that goes as a block.
struct Word(u64, Vec<f64>);

impl Word {
    fn new(number: u64) -> Self {
        Word(number, vec![1.5; if number.is_multiple_of(4) { LARGE } else { 0 }])
    }
}

impl Message for Word {
    fn bytes(&self) -> u64 {
        8 + 8 * self.1.len() as u64
    }
}

impl Wire for Word {
    fn encode(&self, _: &mut Vec<u8>) -> Result<(), AppError> {
        Err(AppError::new("it is given away"))
    }

    fn decode(_: &mut &[u8]) -> Result<Self, AppError> {
        Err(AppError::new("it is taken"))
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        if self.0 == UNWRITABLE {
            Err(AppError::new("such a number cannot be written"))
        } else {
            (self.0, self.1).give(out)
        }
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let (number, beside) = Wire::take(from)?;
        if number == UNREADABLE {
            Err(AppError::new("such a number cannot be read"))
        } else {
            Ok(Word(number, beside))
        }
    }
}

const UNWRITABLE: u64 = u64::MAX;
const UNREADABLE: u64 = u64::MAX - 1;

/// Every rank sends a number round and round, and works; the last has the fault in the middle of it.
struct Round<'f> {
    fault: &'f str,
    cancel: Cancel,
}

const ROUNDS: u64 = 2000;

impl Program for Round<'_> {
    type Msg = Word;
    type Out = u64;

    async fn rank<E: Endpoint<Word>>(&self, e: &mut E) -> Result<u64, Stop> {
        let (rank, size) = (e.rank(), e.size());
        let faulty = rank + 1 == size;
        let mut sum = 0;
        for item in 0..ROUNDS {
            let now = faulty && item == ROUNDS / 2;
            let number = match self.fault {
                "unwritable" if now => UNWRITABLE,
                "unreadable" if now => UNREADABLE,
                _ => item,
            };
            assert!(!(now && self.fault == "outside"), "no such thing");
            if size > 1 {
                e.send((rank + 1) % size, Word::new(number)).await?;
            }
            let charge = Charge { stage: Stage::Task, item, bytes: 8, results: 1 };
            e.work(charge, || self.work(now)).await?;
            sum += if size > 1 { e.recv_from((rank + size - 1) % size).await?.0 } else { item };
        }
        Ok(sum)
    }
}

impl Round<'_> {
    fn work(&self, now: bool) -> Result<(), AppError> {
        match self.fault {
            "error" if now => return Err(AppError::new("no such thing")),
            "panic" if now => panic!("no such thing"),
            "cancel" if now => self.cancel.cancel(),
            "kill" if now => {
                let me = std::process::id().to_string();
                std::process::Command::new("kill").args(["-9", &me]).status()?;
                sleep(Duration::from_secs(60));
            }
            "slow" => sleep(Duration::from_millis(20)),
            _ => {}
        }
        Ok(())
    }
}

/// Runs with a fault; what all ranks say.
pub(crate) fn run_one(world: &SimpleCommunicator, fault: &str, cancel: Cancel) -> String {
    let options = Options { cancel: cancel.clone(), ..Options::new(world.size() as usize) };
    match run(world, &Round { fault, cancel }, &options) {
        Ok(Some(ran)) => format!("all {} well", ran.outs.len()),
        Ok(None) => "well".into(),
        Err(e) => e.to_string(),
    }
}

/// Runs with a fault, and then once more without, on the same communicator: nothing is left of the first run.
pub(crate) fn run_twice(world: &SimpleCommunicator, fault: &str) -> String {
    let said = run_one(world, fault, Cancel::new());
    let again = run_one(world, "none", Cancel::new());
    if world.rank() == 0 {
        assert!(again.starts_with("all "), "{again}")
    } else {
        assert_eq!(again, "well")
    }
    said
}
