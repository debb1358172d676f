//! Reading ahead and writing behind, each by a thread of its own.
//!
//! A rank that asks a [`ReadAhead`] for its next input finds it read already, as long as reading
//! keeps up; one that hands a piece to a sink of [`WriteBehind`] goes on at once, as long as writing
//! does. Both hold a bounded number, and end with their scope.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use forerun_platform::Stage;

use crate::guard::guard;
use crate::reduction::{Piece, Sink, Sinks, Source};
use crate::{AppError, Charge};

/// What getting an input gave.
type Got<I> = Result<Option<I>, AppError>;

/// A source whose inputs 0, 1, 2, … are got in this order, ahead of being asked for in this order.
#[derive(Debug)]
pub struct ReadAhead<'a, S: Source> {
    source: &'a S,
    inputs: Mutex<Receiver<Got<S::Input>>>,
}

impl<'scope, S> ReadAhead<'scope, S>
where
    S: Source<Input: Send + 'scope> + Sync,
{
    /// Begins to read `source` on a thread of `scope`, up to `inputs` inputs ahead (at least 1). It
    /// ends when all is read, after an error, or when this is dropped.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        scope: &'scope Scope<'scope, '_>,
        source: &'scope S,
        inputs: usize,
    ) -> Result<Self, AppError> {
        // One more is in the reader's hands.
        let (put, get) = sync_channel(inputs.max(1) - 1);
        let read = move || {
            for index in 0.. {
                let got = quietly(Stage::Read, || source.get(index));
                let goes_on = matches!(got, Ok(Some(_)));
                if put.send(got).is_err() || !goes_on {
                    return;
                }
            }
        };
        Builder::new().name("read ahead".into()).spawn_scoped(scope, read)?;
        Ok(ReadAhead { source, inputs: Mutex::new(get) })
    }
}

impl<S: Source> Source for ReadAhead<'_, S> {
    type Input = S::Input;

    fn len(&self) -> Option<u64> {
        self.source.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.source.bytes(index)
    }

    fn get(&self, _next: u64) -> Result<Option<S::Input>, AppError> {
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        // After the end and after an error there is nobody left to say more.
        inputs.recv().unwrap_or(Ok(None))
    }
}

/// Sinks that are given their pieces by threads of their own.
#[derive(Debug)]
pub struct WriteBehind<'scope, 'env, K> {
    scope: &'scope Scope<'scope, 'env>,
    sinks: &'scope K,
    pieces: usize,
}

impl<'scope, 'env, K> WriteBehind<'scope, 'env, K> {
    /// Opens the sinks of `sinks` on threads of `scope`. Up to `pieces` pieces wait for each
    /// (at least 1).
    pub fn new(scope: &'scope Scope<'scope, 'env>, sinks: &'scope K, pieces: usize) -> Self {
        WriteBehind { scope, sinks, pieces: pieces.max(1) }
    }
}

impl<'scope, P, K> Sinks<P> for WriteBehind<'scope, '_, K>
where
    P: Send + 'scope,
    K: Sinks<P, Sink: Sink<P, Out: Send>> + Sync,
    <K::Sink as Sink<P>>::Out: 'scope,
{
    type Sink = Behind<'scope, P, <K::Sink as Sink<P>>::Out>;

    fn open(&self, group: usize) -> Result<Self::Sink, AppError> {
        let (put, get) = sync_channel::<Order<P>>(self.pieces);
        let sinks = self.sinks;
        let write = move || {
            let mut sink = sinks.open(group)?;
            while let Ok(order) = get.recv() {
                match order {
                    Order::Write(piece) => sink.accept(piece)?,
                    Order::Close => return sink.close().map(Some),
                }
            }
            // The run ended early: what is there is not to be taken for a result.
            Ok(None)
        };
        let writer = Builder::new()
            .name("write behind".into())
            .spawn_scoped(self.scope, move || quietly(Stage::Write, write))?;
        Ok(Behind { orders: put, writer: Some(writer) })
    }
}

/// What the writer is told.
#[derive(Debug)]
enum Order<P> {
    Write(Piece<P>),
    Close,
}

/// A sink of [`WriteBehind`].
#[derive(Debug)]
pub struct Behind<'scope, P, O> {
    orders: SyncSender<Order<P>>,
    writer: Option<ScopedJoinHandle<'scope, Result<Option<O>, AppError>>>,
}

impl<P, O> Behind<'_, P, O> {
    /// Tells the writer; if it has ended, why.
    fn tell(&mut self, order: Order<P>) -> Result<(), AppError> {
        match self.orders.send(order) {
            Ok(()) => Ok(()),
            Err(_) => self.ended().map(|_| ()),
        }
    }

    /// What the writer left, or why it left nothing.
    fn ended(&mut self) -> Result<O, AppError> {
        let early = || AppError::new("writing ended early");
        let writer = self.writer.take().ok_or_else(early)?;
        writer.join().map_err(|_| early())??.ok_or_else(early)
    }
}

impl<P, O> Sink<P> for Behind<'_, P, O> {
    type Out = O;

    fn accept(&mut self, piece: Piece<P>) -> Result<(), AppError> {
        self.tell(Order::Write(piece))
    }

    fn close(mut self) -> Result<O, AppError> {
        self.tell(Order::Close)?;
        self.ended()
    }
}

/// Runs `f`; a panic in it becomes an error that names its place, as one in a rank's work does.
fn quietly<T>(stage: Stage, f: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    let charge = Charge { stage, item: 0, bytes: 0, results: 0 };
    guard(0, charge, f).map_err(|failure| match (failure.panicked, failure.of_input) {
        (true, _) => AppError::new(format!("panicked: {}", failure.message)),
        (false, true) => AppError::of_input(failure.message),
        (false, false) => AppError::new(failure.message),
    })
}
