//! The endpoint in virtual time.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use forerun_platform::Stage;
use forerun_skeleton::{AppError, Cancel, Charge, Endpoint, Failure, Message, RunError, Stop};

use crate::pricing::Pricing;
use crate::world::{Books, My, World};

/// What the endpoints of a run share.
pub(crate) struct Shared<'a, M, K> {
    pub(crate) books: &'a Books,
    pub(crate) world: RefCell<World<'a, M>>,
    pub(crate) pricing: &'a K,
    pub(crate) cancel: &'a Cancel,
    /// Pieces of work until the next look at whether the run was cancelled.
    pub(crate) patience: Cell<i32>,
    /// The work that panicked, if it was work: its rank, stage and item.
    pub(crate) panicked: Cell<Option<(u32, Stage, u64)>>,
}

/// Pieces of work between two looks at whether the run was cancelled.
const WORKS_PER_LOOK: i32 = 256;

/// The endpoint of one rank.
pub(crate) struct Virtual<'e, 'a, M, K> {
    pub(crate) shared: &'e Shared<'a, M, K>,
    pub(crate) my: My<'e>,
}

impl<M: Message, K: Pricing> Endpoint<M> for Virtual<'_, '_, M, K> {
    fn rank(&self) -> usize {
        self.my.me as usize
    }

    fn size(&self) -> usize {
        self.shared.books.size()
    }

    // Begins at once: a future that held the message would make every rank larger.
    #[inline(always)]
    fn send(&mut self, to: usize, m: M) -> impl Future<Output = Result<(), Stop>> {
        let begun = self.shared.world.borrow_mut().send(self.my, to, m);
        Send { waits: if begun { None } else { Some(self) } }
    }

    #[inline(always)]
    fn recv_from(&mut self, from: usize) -> impl Future<Output = Result<M, Stop>> {
        ReceiveFrom { endpoint: self, from }
    }

    fn recv_any(&mut self) -> impl Future<Output = Result<(usize, M), Stop>> {
        ReceiveAny { endpoint: self, begun: false }
    }

    fn try_recv_any(&mut self) -> impl Future<Output = Result<Option<(usize, M)>, Stop>> {
        TryReceiveAny { endpoint: self, begun: false }
    }

    fn claim(&mut self, counter: usize) -> impl Future<Output = Result<u64, Stop>> {
        let begun = self.shared.world.borrow_mut().begin_claim(self.my, counter).is_ok();
        Claim { endpoint: self, begun }
    }

    fn now_s(&self) -> f64 {
        self.my.clock.get().seconds()
    }

    // Done at once: a future that held the closure or its result as well would make ranks larger.
    #[inline(always)]
    fn work_now<T, F>(&mut self, charge: Charge, f: F) -> Result<T, Stop>
    where
        F: FnOnce() -> Result<T, AppError>,
    {
        let Shared { books, world, pricing, patience, panicked, .. } = self.shared;
        patience.set(patience.get().wrapping_sub(1));
        if patience.get() < 0 && self.is_cancelled() {
            return Err(world.borrow_mut().abort(RunError::Cancelled));
        }
        let (my, now) = (self.my, self.my.clock.get());
        // Word by word: a charge that is passed on as a whole is first written to memory.
        let Charge { stage, item, .. } = charge;
        let told = Told { panicked, my, stage, item };
        let (result, price) = pricing.price(my.me as usize, now, charge, f);
        std::mem::forget(told);
        match result {
            Ok(value) if books.work(my, stage, item, price).is_some() => Ok(value),
            Ok(_) => Err(world.borrow_mut().overflow(my.me)),
            Err(e) => Err(self.failed(stage, item, e)),
        }
    }
}

impl<M: Message, K: Pricing> Virtual<'_, '_, M, K> {
    #[cold]
    fn is_cancelled(&self) -> bool {
        self.shared.patience.set(WORKS_PER_LOOK);
        self.shared.cancel.is_cancelled()
    }

    #[cold]
    fn failed(&self, stage: Stage, item: u64, e: AppError) -> Stop {
        let (rank, of_input, message) = (self.my.me as usize, e.is_of_input(), e.to_string());
        let failure = Failure { rank, stage, item, panicked: false, of_input, message };
        self.shared.world.borrow_mut().abort(RunError::Failed(failure.clone()));
        Stop::Failed(Box::new(failure))
    }
}

/// Tells the executor, when a panic passes through, what it came from; costs nothing otherwise.
struct Told<'a> {
    panicked: &'a Cell<Option<(u32, Stage, u64)>>,
    my: My<'a>,
    stage: Stage,
    item: u64,
}

impl Drop for Told<'_> {
    #[cold]
    fn drop(&mut self) {
        self.panicked.set(Some((self.my.me, self.stage, self.item)));
    }
}

// A future is two words at most, so that it is passed in registers: one that is written to memory in
// parts and moved in one piece stalls the processor.

struct Send<'e, 's, 'a, M, K> {
    /// Whose send is not over, or cannot be.
    waits: Option<&'e Virtual<'s, 'a, M, K>>,
}

impl<M: Message, K> Future for Send<'_, '_, '_, M, K> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(endpoint) = self.waits else { return Poll::Ready(Ok(())) };
        let sent = endpoint.shared.world.borrow_mut().sent(endpoint.my);
        if sent.is_ready() {
            self.waits = None;
        }
        sent
    }
}

struct ReceiveFrom<'e, 's, 'a, M, K> {
    endpoint: &'e Virtual<'s, 'a, M, K>,
    from: usize,
}

impl<M: Message, K> Future for ReceiveFrom<'_, '_, '_, M, K> {
    type Output = Result<M, Stop>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Virtual { shared, my } = this.endpoint;
        shared.world.borrow_mut().receive_from(*my, this.from)
    }
}

struct ReceiveAny<'e, 's, 'a, M, K> {
    endpoint: &'e Virtual<'s, 'a, M, K>,
    begun: bool,
}

impl<M: Message, K> Future for ReceiveAny<'_, '_, '_, M, K> {
    type Output = Result<(usize, M), Stop>;

    // Which message it is comes first, and it is taken out here: handed on by functions, it would go through memory at each.
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let (my, mut world) = (this.endpoint.my, this.endpoint.shared.world.borrow_mut());
        let begins = !std::mem::replace(&mut this.begun, true);
        let found = if begins { world.any_now(my) } else { world.turn_gave(my) };
        if let Some((from, pair)) = found
            && let Some(received) = world.receive::<true>(my, from, pair)
        {
            return Poll::Ready(received.map(|m| (from as usize, m)));
        }
        if begins {
            world.begin_any(my);
        }
        Poll::Pending
    }
}

struct TryReceiveAny<'e, 's, 'a, M, K> {
    endpoint: &'e Virtual<'s, 'a, M, K>,
    begun: bool,
}

impl<M: Message, K> Future for TryReceiveAny<'_, '_, '_, M, K> {
    type Output = Result<Option<(usize, M)>, Stop>;

    #[inline]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let (my, mut world) = (this.endpoint.my, this.endpoint.shared.world.borrow_mut());
        if !std::mem::replace(&mut this.begun, true) {
            if let Some(received) = world.try_now(my) {
                return Poll::Ready(received);
            }
            world.begin_try(my);
            return Poll::Pending;
        }
        world.end_try(my)
    }
}

struct Claim<'e, 's, 'a, M, K> {
    endpoint: &'e Virtual<'s, 'a, M, K>,
    /// Whether the world wakes the rank when it is over; else it cannot be, and the world knows why.
    begun: bool,
}

impl<M: Message, K> Future for Claim<'_, '_, '_, M, K> {
    type Output = Result<u64, Stop>;

    #[inline]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let (shared, my) = (self.endpoint.shared, self.endpoint.my);
        if self.begun { shared.world.borrow_mut().end_claim(my) } else { Poll::Ready(Err(Stop::Aborted)) }
    }
}
