//! A database that may go away and come back.

use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};

use super::{Database, Store, StoreError};

/// First and longest wait between two attempts.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// What makes a new connection ready.
type Ready = Box<dyn FnMut(&mut dyn Store) -> Result<(), StoreError> + Send>;

/// Does things with a database, and again with a new connection when that was lost.
pub(in crate::features) struct Session {
    database: Database,
    store: Option<Box<dyn Store>>,
    ready: Ready,
    /// How long it goes on trying.
    patience: Duration,
    cancel: Cancel,
}

impl Session {
    /// A session that connects at its first use, waits up to `patience` for a database that is not there, and calls
    /// `ready` for each connection.
    pub(in crate::features) fn new(
        database: &Database,
        patience: Duration,
        cancel: &Cancel,
        ready: impl FnMut(&mut dyn Store) -> Result<(), StoreError> + Send + 'static,
    ) -> Self {
        let (database, cancel) = (database.clone(), cancel.clone());
        Session { database, store: None, ready: Box::new(ready), patience, cancel }
    }

    fn once<T>(
        &mut self,
        act: &mut impl FnMut(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let store = match &mut self.store {
            Some(store) => store,
            none => {
                let made = self.database.connect(true)?;
                let mut made = made.ok_or_else(|| StoreError::new("it is not there"))?;
                (self.ready)(&mut *made)?;
                none.insert(made)
            }
        };
        act(&mut **store)
    }

    /// Does something, from its beginning again if the connection is lost: a transaction that is either stored or
    /// not, and can tell.
    ///
    /// # Errors
    /// What does not pass, or did not within the patience.
    pub(in crate::features) fn with<T>(
        &mut self,
        mut act: impl FnMut(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, AppError> {
        let begun = Instant::now();
        let mut wait = WAITS.0;
        loop {
            let error = match self.once(&mut act) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            self.store = None;
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
