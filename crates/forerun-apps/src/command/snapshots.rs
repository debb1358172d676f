//! A result that is written again and again while it grows: readers of the file find a whole one at any time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Fold, Piece};

use super::{Commands, Destination, Output};

/// How often the result is written before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// So long after the last time, where anything was delivered since.
    Time(Duration),
    /// After so many deliveries, at least 1.
    Deliveries(u64),
}

/// Merges the sets it is given, as a `FoldSink` does, and writes what they make together every so
/// often. What was merged to be written is kept merged: nothing is merged twice for it.
#[derive(Debug)]
pub(crate) struct Snapshots {
    shared: Arc<Shared>,
    /// Writes where time passes and nothing is delivered.
    clock: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    commands: Arc<Commands>,
    to: Destination,
    every: Every,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    held: Fold<Output>,
    /// Deliveries since the result was written.
    fresh: u64,
    written: Instant,
    /// What went wrong between two deliveries.
    trouble: Option<AppError>,
    over: bool,
}

impl Snapshots {
    /// Nothing delivered yet.
    ///
    /// # Errors
    /// That no thread can be started.
    pub(crate) fn start(commands: Arc<Commands>, to: Destination, every: Every) -> Result<Self, AppError> {
        let state =
            State { held: Fold::new(), fresh: 0, written: Instant::now(), trouble: None, over: false };
        let shared =
            Arc::new(Shared { commands, to, every, state: Mutex::new(state), changed: Condvar::new() });
        let clock = match every {
            Every::Deliveries(_) => None,
            Every::Time(time) => {
                let shared = shared.clone();
                let clock = thread::Builder::new().name("snapshots".into()).spawn(move || shared.tick(time));
                Some(clock.map_err(|e| AppError::new(format!("cannot start a thread: {e}")))?)
            }
        };
        Ok(Snapshots { shared, clock })
    }

    /// Takes a set.
    pub(crate) fn accept(&mut self, piece: Piece<Output>) -> Result<(), AppError> {
        let mut state = self.shared.lock();
        if let Some(e) = state.trouble.take() {
            return Err(e);
        }
        while let Some((left, right)) = state.held.due_before(piece.results) {
            self.shared.merge(&mut state, left, right)?;
        }
        state.held.push(piece);
        while let Some((left, right)) = state.held.due() {
            self.shared.merge(&mut state, left, right)?;
        }
        state.fresh += 1;
        match self.shared.every {
            Every::Deliveries(n) if state.fresh >= n => self.shared.write(&mut state),
            _ => {
                self.shared.changed.notify_all();
                Ok(())
            }
        }
    }

    /// The one result, which is not written once more.
    pub(crate) fn close(mut self) -> Result<Option<Piece<Output>>, AppError> {
        self.stop();
        let mut state = self.shared.lock();
        if let Some(e) = state.trouble.take() {
            return Err(e);
        }
        self.shared.merge_all(&mut state)?;
        Ok(state.held.pop())
    }

    fn stop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
        if let Some(clock) = self.clock.take() {
            // It only writes, and says what went wrong in the state.
            let _ = clock.join();
        }
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    /// The life of the clock: until the end, or something goes wrong.
    fn tick(&self, time: Duration) {
        let mut state = self.lock();
        while !state.over {
            let left = time.saturating_sub(state.written.elapsed());
            if state.fresh == 0 {
                state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            } else if !left.is_zero() {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(|e| e.into_inner()).0;
            } else if let Err(e) = self.write(&mut state) {
                // Whoever waits for the next name must not wait longer than the run lasts.
                state.trouble = Some(self.commands.fail(e));
                return;
            }
        }
    }

    fn write(&self, state: &mut State) -> Result<(), AppError> {
        self.merge_all(state)?;
        if let Some(piece) = state.held.pop() {
            let written = self.to.write(Some(&piece.value), self.commands.cancel());
            state.held.push(piece);
            written.map_err(|e| self.commands.fail(e))?;
        }
        state.fresh = 0;
        state.written = Instant::now();
        Ok(())
    }

    fn merge_all(&self, state: &mut State) -> Result<(), AppError> {
        while let Some((left, right)) = state.held.last_two() {
            self.merge(state, left, right)?;
        }
        Ok(())
    }

    fn merge(&self, state: &mut State, left: Piece<Output>, right: Piece<Output>) -> Result<(), AppError> {
        let value = self.commands.run_merge(&left.value, &right.value)?;
        let first = left.first.min(right.first);
        state.held.push(Piece { value, first, results: left.results + right.results });
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic here would be one of a merge, which ends the run.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}
