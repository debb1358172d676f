//! A database that may go away and come back.

use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};

use super::{Database, StoreError};

/// First and longest wait between two attempts.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Makes a connection that is ready for use.
type Connect<C> = Box<dyn FnMut() -> Result<C, StoreError> + Send>;

/// Does things with a database by a connection `C`, and again with a new one when that was lost.
pub(crate) struct Session<C> {
    database: Database,
    connection: Option<C>,
    connect: Connect<C>,
    /// How long it goes on trying.
    patience: Duration,
    cancel: Cancel,
}

impl<C> Session<C> {
    /// A session that connects by `connect` at its first use, and waits up to `patience` for a database that is not there.
    pub(crate) fn new(
        database: &Database,
        patience: Duration,
        cancel: &Cancel,
        connect: impl FnMut() -> Result<C, StoreError> + Send + 'static,
    ) -> Self {
        let (database, cancel) = (database.clone(), cancel.clone());
        Session { database, connection: None, connect: Box::new(connect), patience, cancel }
    }

    fn once<T>(&mut self, act: &mut impl FnMut(&mut C) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert((self.connect)()?),
        };
        act(connection)
    }

    /// Does something, from its beginning again if the connection is lost: a transaction that is either stored or
    /// not, and can tell.
    ///
    /// # Errors
    /// What does not pass, or did not within the patience.
    pub(crate) fn with<T>(
        &mut self,
        mut act: impl FnMut(&mut C) -> Result<T, StoreError>,
    ) -> Result<T, AppError> {
        let begun = Instant::now();
        let mut wait = WAITS.0;
        loop {
            let error = match self.once(&mut act) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            self.connection = None;
            let StoreError { sentence, passing } = error;
            if !passing || self.cancel.is_cancelled() {
                return Err(AppError::new(format!("{}: {sentence}", self.database)));
            }
            if begun.elapsed() + wait > self.patience {
                return Err(AppError::new(format!(
                    "{}: {sentence}; tried again for {:.0?}: see that it can be reached and run the same command \
                     again, which goes on where this ended",
                    self.database,
                    begun.elapsed()
                )));
            }
            let until = Instant::now() + wait;
            while Instant::now() < until && !self.cancel.is_cancelled() {
                std::thread::sleep(WAITS.0.min(wait));
            }
            wait = (wait * 2).min(WAITS.1);
        }
    }
}
