//! Programs whose messages are noted as they are sent.

use std::collections::BTreeMap;
use std::sync::Mutex;

use forerun_skeleton::{AppError, Charge, Endpoint, Message, Program, Stop};

/// Sizes of the messages of each ordered pair, in their order.
pub(crate) type Sent = BTreeMap<(usize, usize), Vec<u64>>;

/// A program that notes what its ranks send.
pub(crate) struct Noted<'p, P> {
    pub(crate) program: &'p P,
    pub(crate) sent: &'p Mutex<Sent>,
}

impl<P: Program> Program for Noted<'_, P> {
    type Msg = P::Msg;
    type Out = P::Out;

    async fn rank<E: Endpoint<P::Msg>>(&self, inner: &mut E) -> Result<P::Out, Stop> {
        self.program.rank(&mut Noting { inner, sent: self.sent }).await
    }
}

struct Noting<'e, E> {
    inner: &'e mut E,
    sent: &'e Mutex<Sent>,
}

impl<M: Message, E: Endpoint<M>> Endpoint<M> for Noting<'_, E> {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn send(&mut self, to: usize, m: M) -> impl Future<Output = Result<(), Stop>> {
        let pair = (self.inner.rank(), to);
        self.sent.lock().expect("not poisoned").entry(pair).or_default().push(m.bytes());
        self.inner.send(to, m)
    }

    fn recv_from(&mut self, from: usize) -> impl Future<Output = Result<M, Stop>> {
        self.inner.recv_from(from)
    }

    fn recv_any(&mut self) -> impl Future<Output = Result<(usize, M), Stop>> {
        self.inner.recv_any()
    }

    fn try_recv_any(&mut self) -> impl Future<Output = Result<Option<(usize, M)>, Stop>> {
        self.inner.try_recv_any()
    }

    fn claim(&mut self, counter: usize) -> impl Future<Output = Result<u64, Stop>> {
        self.inner.claim(counter)
    }

    fn now_s(&self) -> f64 {
        self.inner.now_s()
    }

    fn work_now<T, F>(&mut self, charge: Charge, f: F) -> Result<T, Stop>
    where
        F: FnOnce() -> Result<T, AppError>,
    {
        self.inner.work_now(charge, f)
    }
}
