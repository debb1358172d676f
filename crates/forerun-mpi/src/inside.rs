//! Being one of the processes that [`crate::Launch`] starts.

use std::io::{BufRead as _, Read as _, Write as _, stdin, stdout};
use std::thread;

use forerun_skeleton::{AppError, Cancel};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Root as _};

use crate::launch::record::{Header, Record, Roster};

/// A process of a launched run, from the start of MPI to its end.
pub struct Inside {
    universe: Universe,
    input: Vec<u8>,
    token: String,
    cancel: Cancel,
}

/// Longest name of a host that is told.
const NAME: usize = 64;

impl Inside {
    /// Starts MPI, and gets what the launching process has for all ranks. The run is to be ended when the launching process says so or is no longer there: then the
    /// flag of [`Inside::cancel`] is set on the first rank.
    ///
    /// # Errors
    /// That MPI does not start, or that nobody launched this process.
    pub fn enter() -> Result<Inside, AppError> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Serialized)
            .ok_or_else(|| AppError::new("MPI was started already"))?;
        let world = universe.world();
        let first = world.process_at_rank(0);
        let cancel = Cancel::new();
        let mut told = (world.rank() == 0).then(hear);
        let mut length = match &told {
            Some(Ok((_, input))) => input.len() as u64,
            Some(Err(_)) => u64::MAX,
            None => 0,
        };
        first.broadcast_into(&mut length);
        if length == u64::MAX {
            let e = told.and_then(Result::err).map(|e| e.to_string());
            return Err(AppError::new(e.unwrap_or_else(|| "the first rank was told nothing".into())));
        }
        let (token, mut input) = match told.take() {
            Some(Ok((header, input))) => (header.token().to_owned(), input),
            _ => (String::new(), vec![0; usize::try_from(length).unwrap_or(0)]),
        };
        first.broadcast_into(&mut input[..]);
        let inside = Inside { universe, input, token, cancel };
        inside.call_the_roll()?;
        if world.rank() == 0 {
            inside.listen()?;
        }
        Ok(inside)
    }

    /// All ranks.
    pub fn world(&self) -> SimpleCommunicator {
        self.universe.world()
    }

    /// What the launching process has for all ranks.
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// Is set, on the first rank, when the run is to be ended.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Tells the launching process, on the first rank, what it all came to.
    ///
    /// # Errors
    /// That nobody listens.
    pub fn report(&self, report: &str) -> Result<(), AppError> {
        self.say(&Record::Report(report.to_owned()))
    }

    fn say(&self, record: &Record) -> Result<(), AppError> {
        let line = record.line(&self.token)?;
        let mut out = stdout().lock();
        out.write_all(line.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Tells the launching process where each rank lives.
    fn call_the_roll(&self) -> Result<(), AppError> {
        let world = self.world();
        let mut place = [0u8; NAME + 4];
        let name = mpi::environment::processor_name().unwrap_or_default();
        let name = &name.as_bytes()[..name.len().min(NAME)];
        place[..name.len()].copy_from_slice(name);
        place[NAME..].copy_from_slice(&std::process::id().to_le_bytes());
        if world.rank() != 0 {
            world.process_at_rank(0).gather_into(&place[..]);
            return Ok(());
        }
        let mut all = vec![0u8; place.len() * world.size() as usize];
        world.process_at_rank(0).gather_into_root(&place[..], &mut all[..]);
        let roster: Roster = all.chunks_exact(place.len()).map(read_place).collect();
        self.say(&Record::Roster(roster))
    }

    /// Sets the flag when standard input ends.
    fn listen(&self) -> Result<(), AppError> {
        let cancel = self.cancel.clone();
        let wait = move || {
            let mut rest = [0; 64];
            while let Ok(1..) = stdin().lock().read(&mut rest) {}
            cancel.cancel();
        };
        thread::Builder::new().name("launcher".into()).spawn(wait)?;
        Ok(())
    }
}

fn read_place(place: &[u8]) -> (String, u32) {
    let name = place[..NAME].split(|b| *b == 0).next().unwrap_or_default();
    let process = place[NAME..].try_into().map_or(0, u32::from_le_bytes);
    (String::from_utf8_lossy(name).into_owned(), process)
}

/// What the launching process says to the first rank.
fn hear() -> Result<(Header, Vec<u8>), AppError> {
    let mut from = stdin().lock();
    let mut line = String::new();
    let nobody = || {
        AppError::new(
            "nobody has told this rank what to run: it is started by the launching process, not by hand",
        )
    };
    from.read_line(&mut line).map_err(|_| nobody())?;
    let header = Header::read(&line).ok_or_else(nobody)?;
    let mut input = vec![0; header.length()];
    from.read_exact(&mut input).map_err(|_| nobody())?;
    Ok((header, input))
}
